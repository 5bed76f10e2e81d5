"""Results: what a run measured, on which machine, and what follows from it; kept as a JSON file."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import asdict, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import NamedTuple, Self

from benchmarks.catalogue import CLAIMS, Claim
from benchmarks.race import Outcome


class ResultsError(ValueError):
    """Kept results that cannot be used."""


class Spread(NamedTuple):
    """A median and the range around it."""

    median: float
    low: float
    high: float


@dataclass(frozen=True)
class Machine:
    """What a run was measured on.

    Attributes:
        cpu: model of the processor.
        cores: that this process may use.
        memory: bytes.
        system: operating system.
        python: version.
    """

    cpu: str
    cores: int
    memory: int
    system: str
    python: str

    @classmethod
    def here(cls) -> Self:
        """Describe this machine."""
        info = Path("/proc/cpuinfo")
        lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
        names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
        memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
        system = f"{platform.system()} {platform.machine()}"
        return cls(names[0] if names else platform.processor(), len(os.sched_getaffinity(0)), memory, system, platform.python_version())


@dataclass
class Results:
    """A whole run.

    Attributes:
        command: the command line.
        machine: where.
        began: when, ISO 8601.
        loads: load averages (1 minute) before and after each group.
        outcomes: by name of the workload.
    """

    command: str
    machine: Machine
    began: str = field(default_factory=lambda: datetime.now(UTC).isoformat(timespec="seconds"))
    loads: list[float] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)

    def spread(self, name: str, figure: str = "value") -> Spread | None:
        """Return median and range of a workload's figure, None if it was not measured."""
        values = self._values(name, figure)
        return Spread(median(values), min(values), max(values)) if values else None

    def ratio(self, ours: str, theirs: str, figure: str = "value") -> Spread | None:
        """Return median and range of the ratios of two workloads, round by round, None if one was not measured."""
        pairs = list(zip(self._values(ours, figure), self._values(theirs, figure), strict=False))
        ratios = [mine / other for mine, other in pairs]
        return Spread(median(ratios), min(ratios), max(ratios)) if ratios else None

    def _values(self, name: str, figure: str) -> list[float]:
        outcome = self.outcomes.get(name)
        return [sample[figure] for sample in outcome.samples if figure in sample] if outcome else []

    def check(self, claim: Claim) -> Spread | None:
        """Return the number that a claim is about, None if it was not measured."""
        if not claim.peers:
            return self.spread(claim.ours, claim.figure)
        measured = {name: spread.median for name in claim.peers if (spread := self.spread(name, claim.figure))}
        return self.ratio(claim.ours, max(measured, key=measured.__getitem__), claim.figure) if measured else None

    def claims(self) -> list[tuple[Claim, Spread, bool]]:
        """Return the claims that this run can check, with the number and whether it reaches the goal."""
        checked = [(claim, spread) for claim in CLAIMS if (spread := self.check(claim))]
        return [(claim, s, s.median <= claim.goal if claim.at_most else s.median >= claim.goal) for claim, s in checked]

    def versions(self) -> dict[str, str]:
        """Return the versions of all packages that took part; where two interpreters differ, both."""
        found: dict[str, list[str]] = {}
        for outcome in self.outcomes.values():
            for package, version in outcome.versions.items():
                if version not in found.setdefault(package, []):
                    found[package].append(version)
        return {package: " / ".join(several) for package, several in sorted(found.items())}

    def save(self, path: Path) -> None:
        """Write everything to a JSON file."""
        path.parent.mkdir(parents=True, exist_ok=True)
        draft = path.with_name(f".{path.name}")
        draft.write_text(json.dumps(asdict(self), indent=1) + "\n", encoding="utf-8")
        draft.replace(path)

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read what ``save`` wrote.

        Raises:
            OSError: there is no such file.
            ResultsError: it is something else.
        """
        try:
            values = json.loads(path.read_text(encoding="utf-8"))
            values["machine"] = Machine(**values["machine"])
            values["outcomes"] = {name: Outcome(**outcome) for name, outcome in values["outcomes"].items()}
            return cls(**values)
        except (ValueError, TypeError, KeyError) as error:
            raise ResultsError(f"{path} holds no results of a benchmark run: {error}") from error

    def resumed(self, path: Path) -> Self:
        """Return the kept results of a run like this one, to go on with; each group is still measured in one go.

        Raises:
            OSError: there is no such file.
            ResultsError: it is something else, or of another command or machine.
        """
        kept = self.load(path)
        if (kept.command, kept.machine) != (self.command, self.machine):
            raise ResultsError(f"{path} is of another run, {kept.command!r} on {kept.machine.cpu}: go on with the same command there")
        return kept
