"""The arena: plays pairings, in this process or spread over worker processes, with the same result either way."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import closing, contextmanager, suppress
from functools import lru_cache
from itertools import islice
from multiprocessing.synchronize import Event
from types import TracebackType
from typing import Final

from truco_agents.arena.deals import CHUNK
from truco_agents.arena.errors import ArenaError, UnfinishedError, WorkerDiedError
from truco_agents.arena.pairing import Pairing, Scores, StoppedError
from truco_agents.arena.provenance import provenance_of
from truco_agents.arena.result import MatchResult
from truco_env.players.protocol import Agent

_CHUNKS_AHEAD: Final = 4  # chunks that wait in the pool for each worker
_PATIENCE: Final = 0.2  # seconds from Ctrl-C until somebody looks
_INTERRUPTS: Final = (signal.SIGINT, signal.SIGTERM)  # the latter where the program asks for the same: by ``default_int_handler``

Progress = Callable[[int], None]  #: told how many more deal groups are finished


class ArenaInterrupt(KeyboardInterrupt):
    """Play was interrupted from the keyboard.

    Attributes:
        partial: the result on the finished beginning of the deal set, which is a deal set itself; None if there is none.
    """

    def __init__(self, partial: MatchResult | None) -> None:
        super().__init__()
        self.partial = partial


class Arena:
    """Plays pairings; a context manager, since workers are processes that live until it is closed.

    Args:
        workers: number of processes; 1 plays in this process. More need sides given by names or folders. Agents that compute with
            torch do so on one thread, so that the number of workers changes no rounding.

    Raises:
        ArenaError: fewer than one worker.
    """

    def __init__(self, *, workers: int = 1) -> None:
        if workers < 1:
            raise ArenaError(f"workers={workers} is not possible: it is 1 or more")
        self._ahead = _CHUNKS_AHEAD * workers
        self._pool: ProcessPoolExecutor | None = None
        self._stop: Event | None = None
        if workers > 1:
            context = multiprocessing.get_context("spawn")
            self._stop = context.Event()
            self._pool = ProcessPoolExecutor(workers, mp_context=context, initializer=_begin_worker, initargs=(self._stop,))

    def __enter__(self) -> Arena:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """End the worker processes."""
        if self._pool is not None and self._stop is not None:
            self._stop.set()
            self._pool.shutdown(cancel_futures=True)

    def play(self, pairing: Pairing, *, progress: Progress | None = None) -> MatchResult:
        """Play every group of the pairing's deal set in every seating.

        Raises:
            AgentError: an agent is unknown or cannot play at this table.
            ArenaError: several workers, but agents that are given as objects.
            UnfinishedError: an agent failed, or a worker process died; it carries what was finished.
            ArenaInterrupt: interrupted from the keyboard; it carries what was finished.
        """
        agents = pairing.make_agents()
        finished: dict[int, Scores] = {}
        try:
            with closing(self._spread(pairing) if self._pool is not None else _play_here(pairing, agents)) as parts:
                for chunk, scores in parts:
                    finished[chunk] = scores
                    if progress is not None:
                        progress(len(scores.points))
        except KeyboardInterrupt as interrupt:
            with suppress(KeyboardInterrupt), _keyboard_held():  # pressed twice, it means the same
                self.close()
            raise ArenaInterrupt(_beginning(pairing, agents, finished)) from interrupt
        except UnfinishedError as error:
            error.partial = _beginning(pairing, agents, finished)
            raise
        return _result(pairing, agents, finished, pairing.deals.chunks)

    def _spread(self, pairing: Pairing) -> Generator[tuple[int, Scores], None, None]:
        if not all(isinstance(member, str) for side in pairing.sides for member in side.members):
            raise ArenaError("several workers need agents that are given by name or checkpoint folder: use workers=1")
        assert self._pool is not None
        chunks = iter(range(pairing.deals.chunks))
        futures: dict[Future[Scores], int] = {}
        with _keyboard_held() as deliver:
            try:
                while True:
                    with _keyboard_blocked():
                        for chunk in islice(chunks, self._ahead - len(futures)):
                            futures[self._pool.submit(_play_in_worker, pairing, chunk)] = chunk
                    if not futures:
                        return
                    done, _ = wait(futures, timeout=_PATIENCE, return_when=FIRST_COMPLETED)
                    for future in done:
                        yield futures.pop(future), future.result()
                    deliver()
            except BrokenProcessPool as error:
                time.sleep(_PATIENCE)
                deliver()  # a signal that went to the whole group of processes ended the workers first
                raise WorkerDiedError(
                    "a worker process died before its matches were played (out of memory, or a script without a __main__ guard?)"
                ) from error
            finally:
                for future in futures:
                    future.cancel()


@contextmanager
def _keyboard_held() -> Iterator[Callable[[], None]]:
    """Keep Ctrl-C for the function that is given: anywhere else it could strike inside a lock of the pool, which would stay locked."""
    kinds = [kind for kind in _INTERRUPTS if signal.getsignal(kind) is signal.default_int_handler]
    if not kinds or threading.current_thread() is not threading.main_thread():
        yield lambda: None
        return
    pressed = threading.Event()

    def deliver() -> None:
        if pressed.is_set():
            pressed.clear()
            raise KeyboardInterrupt

    for kind in kinds:
        signal.signal(kind, lambda *_: pressed.set())
    try:
        yield deliver
    finally:
        for kind in kinds:
            signal.signal(kind, signal.default_int_handler)
        deliver()


@contextmanager
def _keyboard_blocked() -> Iterator[None]:
    """Hold back Ctrl-C: processes started meanwhile do not get it, this one gets it at the end."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, _INTERRUPTS)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _play_here(pairing: Pairing, agents: Sequence[Agent]) -> Generator[tuple[int, Scores], None, None]:
    for chunk in range(pairing.deals.chunks):
        with _one_torch_thread():
            scores = pairing.play_chunk(chunk, agents)
        yield chunk, scores


@contextmanager
def _one_torch_thread() -> Iterator[None]:
    torch = sys.modules.get("torch")
    if torch is None:
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _beginning(pairing: Pairing, agents: Sequence[Agent], finished: dict[int, Scores]) -> MatchResult | None:
    chunks = next(chunk for chunk in range(pairing.deals.chunks + 1) if chunk not in finished)
    return _result(pairing, agents, finished, chunks) if chunks else None


def _result(pairing: Pairing, agents: Sequence[Agent], finished: dict[int, Scores], chunks: int) -> MatchResult:
    deals = pairing.deals.first(min(pairing.deals.groups, chunks * CHUNK))
    first = len(pairing.sides[0].members)
    return MatchResult(
        rules=deals.rules,
        episode=pairing.episode,
        labels=(pairing.sides[0].label, pairing.sides[1].label),
        seed=deals.seed,
        digest=deals.digest,
        scores=Scores.join([finished[chunk] for chunk in range(chunks)]),
        made_with=provenance_of((agents[:first], agents[first:])),
    )


# Worker processes. --------------------------------------------------------------------------------------------------------------

_THREAD_VARIABLES: Final = ("OMP_NUM_THREADS", "MKL_NUM_THREADS", "OPENBLAS_NUM_THREADS")
_stop_requested: Event | None = None


def _begin_worker(stop: Event) -> None:
    global _stop_requested
    _stop_requested = stop
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent handles Ctrl-C and sets ``stop``
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGTERM])  # a broken pool ends its workers by it
    for name in _THREAD_VARIABLES:
        os.environ[name] = "1"


@lru_cache(maxsize=1)
def _agents_of(pairing: Pairing) -> list[Agent]:
    return pairing.make_agents()


def _play_in_worker(pairing: Pairing, chunk: int) -> Scores:
    assert _stop_requested is not None
    agents = _agents_of(pairing)
    with _one_torch_thread():
        try:
            return pairing.play_chunk(chunk, agents, stop=_stop_requested.is_set)
        except StoppedError:
            raise ArenaError("the arena was closed while this chunk was played") from None
