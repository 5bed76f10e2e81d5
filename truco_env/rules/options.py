"""Rules: one frozen value per table, one field per option of the rule book (rules.md 7)."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from typing import Final, TypeAlias

import numpy as np

from truco_env.errors import RulesError
from truco_env.rules.cards import FULL_DECK, LONG_DECK, SHORT_DECK

OptionValue: TypeAlias = str | int | float | bool | tuple[int, int] | None

RULESETS: Final = ("reglamento", "truc_valencia", "trucomano", "argentino")
#: Seats that each rule set is played by; 3 is the gallo.
PLAYERS: Final = {
    "reglamento": (2, 4, 6, 8),
    "truc_valencia": (2, 4, 6, 8),
    "trucomano": (2,),
    "argentino": (2, 3, 4, 6),
}
#: The option that a table of eight needs.
EIGHT_NEEDS: Final = {"reglamento": "allow_8", "truc_valencia": "deck30"}
_BOOL: Final = (False, True)
FALTAS: Final = ("half", "leader", "cama", "match_if_malas", "winner", "loser")
MAX_POINTS: Final = 99  #: largest number an option may give for points


class _Absent:
    """Marks, in a default, that the rule set has no such option."""

    def __repr__(self) -> str:
        return "–"


ABSENT: Final = _Absent()


@dataclass(frozen=True)
class Option:
    """One line of the options index of the rule book.

    ``defaults`` follows the order of ``RULESETS``; ``ABSENT`` where the rule set has no such option.
    ``fixed`` is what holds in those rule sets.
    """

    name: str
    values: tuple[OptionValue, ...]
    defaults: tuple[OptionValue | _Absent, ...]
    fixed: OptionValue
    meaning: str
    section: str

    def default(self, ruleset: str) -> OptionValue | _Absent:
        """Return the default in ``ruleset``, or ``ABSENT``."""
        return self.defaults[RULESETS.index(ruleset)]

    def allowed(self) -> str:
        """Return the values it takes, as text for an error or a page."""
        special = {
            "falta": f"{', '.join(FALTAS)}, a number 1 to {MAX_POINTS}, or None",
            "pica_falta": f"a number 1 to {MAX_POINTS}, or full",
            "pica_band": f"two numbers low < high up to {MAX_POINTS}, or None",
            "sena_catch": "a number from 0 to 1",
        }
        return special.get(self.name) or ", ".join(str(value) for value in self.values)

    def parse(self, value: object) -> OptionValue:
        """Return ``value`` as this option's value.

        Raises:
            RulesError: the option does not take it.
        """
        number = not isinstance(value, bool) and isinstance(value, int | float)
        if self.name in ("falta", "pica_falta") and number and value in range(1, MAX_POINTS + 1):
            return int(value)  # type: ignore[call-overload, no-any-return]
        if self.name == "pica_band" and isinstance(value, list | tuple):
            if len(value) == 2 and all(type(item) is int for item in value) and 0 <= value[0] < value[1] <= MAX_POINTS:
                return (value[0], value[1])
        elif self.name == "sena_catch":
            if number and 0 <= value <= 1:  # type: ignore[operator]
                return float(value)  # type: ignore[arg-type]
        else:
            for known in self.values:
                if known == value and isinstance(known, bool) == isinstance(value, bool):
                    return known
        raise RulesError(f"{self.name}={value!r} is not allowed: {self.name} takes {self.allowed()}")


def _option(
    name: str,
    values: tuple[OptionValue, ...],
    defaults: str | tuple[OptionValue | _Absent, ...],
    meaning: str,
    section: str,
    *,
    fixed: OptionValue = None,
) -> Option:
    """Build an option; ``defaults`` as text has one word per rule set, ``-`` for absent."""
    if isinstance(defaults, str):
        by_text = {str(value): value for value in values}
        defaults = tuple(ABSENT if word == "-" else by_text[word] for word in defaults.split())
    return Option(name, values, defaults, fixed, meaning, section)


_O = _option
#: The options index. Order of the defaults: reglamento, truc_valencia, trucomano, argentino.
OPTIONS: Final[dict[str, Option]] = {
    option.name: option
    for option in (
        _O("first_dealer", ("seat0", "random"), "seat0 random random random", "who deals the first hand", "2.1"),
        _O("allow_8", _BOOL, "False - - -", "a table of eight", "2.1", fixed=False),
        _O("deck30", _BOOL, "- False - -", "8s and 9s join the deck; a table of eight", "1.2, 3.1", fixed=False),
        _O("target", (15, 30), "- - - 30", "points of a leg", "5.1", fixed=30),
        _O("match", ("cumulative", "sets"), "cumulative - - -", "one race to 30, or two won races to 15", "2.7", fixed="cumulative"),
        _O("best_of", (1, 3), "- - 1 -", "partidas: first to 1 or to 2", "4.1", fixed=1),
        _O("scoring_time", ("immediate", "end_of_hand"), "immediate - immediate immediate", "when points are posted and the leg can end", "1.8", fixed="immediate"),
        _O("truco_responder", ("pie", "next_rival"), "pie next_rival - pie", "who answers truco; in truc_valencia and argentino envido too", "1.9", fixed="pie"),
        _O("retruco_right", ("accepter", "either"), "accepter accepter accepter accepter", "who may say retruco after an accepted truco", "1.9"),
        _O("parda_leader", ("mano", "first_tied", "last_tied"), "mano mano mano mano", "who leads after a parda", "1.4"),
        _O("all_parda", ("mano_side", "nobody", "dealer_side"), "mano_side mano_side nobody mano_side", "who wins three pardas", "1.4"),
        _O("envido_callers", ("any", "pie"), "- - - any", "who may open envido", "1.12", fixed="any"),
        _O("envido_first", ("suspend", "annul"), "suspend suspend suspend suspend", "what an envido does to a waiting truco", "1.6"),
        _O("envido_open_after_own_card", _BOOL, "False True False False", "open envido over a truco after one's own first card", "1.12"),
        _O("envido_max_calls", (1, 2, 3), "3 - 3 3", "calls in a chain that are not falta", "2.3, 4.3", fixed=3),
        _O("real_repeat", (1, 2, 3), "3 - 1 1", "real envidos in a chain", "2.3, 4.3", fixed=1),
        _O("falta", (*FALTAS, None), "half cama leader None", "value of falta and al resto; None = match_if_malas at 30, leader at 15 and in gallo", "1.10"),
        _O("falta_direct", _BOOL, "- False - -", "falta over nothing or over envide", "3.3", fixed=False),
        _O("falta_males", _BOOL, "- False - -", "both below 12: the winner takes the cama", "3.3", fixed=False),
        _O("envit_refused", ("previous", "flat1"), "- previous - -", "price of a refused raise", "3.3", fixed="previous"),
        _O("envido_tie", ("mano_team", "nearest_mano", "first_declarer"), "mano_team nearest_mano nearest_mano nearest_mano", "equal numbers", "1.11"),
        _O("reveal_envido", ("none", "winner", "all"), "winner winner winner winner", "whose three dealt cards, all of them, are made public when the hand ends with numbers or flores compared", "1.14"),
        _O("flor_mode", ("off", "optional", "penalty", "forced"), "penalty - optional forced", "is there flor; must it be sung; is silence fined", "1.6, 2.4", fixed="off"),
        _O("flor_poll", ("holders", "uniform"), "holders - holders holders", "who is asked", "1.6", fixed="holders"),
        _O("flor_auto_show", _BOOL, "True - - -", "the cards of a singer who leaves are shown for him", "2.4", fixed=True),
        _O("flor_opposed", ("best_takes_all", "best_own", "each_own"), "best_takes_all - - best_takes_all", "plain flores on both sides", "1.6", fixed="best_takes_all"),
        _O("contraflor", _BOOL, "False - True True", "contraflor and al resto (reglamento, argentino: all flor answers)", "1.6", fixed=False),
        _O("flor_table", ("compare6", "clarin"), "compare6 - - compare6", "answers and amounts of the flor ladder", "5.4", fixed="compare6"),
        _O("flor_quiero", (9, 6, 4), "- - 9 -", "points of FLOR – QUIERO", "4.4", fixed=9),
        _O("fold_scope", ("side", "player", "both"), "both side - both", "MAZO, CERRARSE or both", "1.13", fixed="both"),
        _O("mazo", _BOOL, "True True True True", "leaving exists at all", "1.13"),
        _O("mazo_first_trick", (1, 2), "2 1 1 2", "price of an unannounced MAZO in trick 1", "1.13"),
        _O("senas", ("off", "free", "truthful"), "off off - off", "señas", "6.3", fixed="off"),
        _O("sena_catch", (0.0,), (0.0, 0.0, ABSENT, 0.0), "chance that an opponent sees a seña", "6.3", fixed=0.0),
        _O("pica_pica", _BOOL, "- - - False", "redonda and pica-pica in turn; 6 players only", "6.1", fixed=False),
        _O("pica_band", (None,), (ABSENT, ABSENT, ABSENT, None), "band of scores; None = 5..25 at 30, 3..12 at 15", "6.1"),
        _O("pica_falta", (6, "full"), "- - - 6", "falta in a duel", "6.1", fixed=6),
        _O("pica_rotation", ("per_pair", "each_deal"), "- - - per_pair", "when the deal passes", "6.1", fixed="per_pair"),
        _O("gallo_tie", ("mano", "shared", "extra_hand"), "- - - mano", "both partners reach T with equal totals", "6.2", fixed="mano"),
    )
}  # fmt: skip


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """Return what an error adds about a misspelt name: the nearest known one as a question, or nothing."""
    near = difflib.get_close_matches(name, list(known), n=1)
    return f"; did you mean {near[0]}?" if near else ""


@dataclass(frozen=True, init=False)
class Rules:
    """The rules of one table: a rule set, a number of players and its options.

    Args:
        ruleset: one of ``RULESETS``.
        players: seats at the table; 3 is the gallo.
        **options: options of the rule book's index (rules.md 7) that differ from the rule set's defaults.

    Raises:
        RulesError: unknown rule set, player count, option or value, naming what is allowed.

    >>> Rules("argentino", players=2, flor_mode="off").flor_mode
    'off'
    """

    ruleset: str
    players: int
    first_dealer: str
    allow_8: bool
    deck30: bool
    target: int
    match: str
    best_of: int
    scoring_time: str
    truco_responder: str
    retruco_right: str
    parda_leader: str
    all_parda: str
    envido_callers: str
    envido_first: str
    envido_open_after_own_card: bool
    envido_max_calls: int
    real_repeat: int
    falta: str | int | None
    falta_direct: bool
    falta_males: bool
    envit_refused: str
    envido_tie: str
    reveal_envido: str
    flor_mode: str
    flor_poll: str
    flor_auto_show: bool
    flor_opposed: str
    contraflor: bool
    flor_table: str
    flor_quiero: int
    fold_scope: str
    mazo: bool
    mazo_first_trick: int
    senas: str
    sena_catch: float
    pica_pica: bool
    pica_band: tuple[int, int] | None
    pica_falta: int | str
    pica_rotation: str
    gallo_tie: str
    options: Mapping[str, OptionValue] = field(compare=False, repr=False)  #: the options as given
    _hash: int = field(init=False, compare=False, repr=False)

    def __init__(self, ruleset: str = "argentino", players: int = 2, **options: object) -> None:
        if ruleset not in RULESETS:
            raise RulesError(f"unknown ruleset {ruleset!r}: choose one of {', '.join(RULESETS)}{did_you_mean(str(ruleset), RULESETS)}")
        given: dict[str, OptionValue] = {}
        for name, value in options.items():
            option = OPTIONS.get(name)
            if option is None:
                raise RulesError(f"unknown option {name!r} of {ruleset}{did_you_mean(name, OPTIONS)}")
            if option.default(ruleset) is ABSENT:
                raise RulesError(f"{ruleset} has no option {name!r}")
            given[name] = option.parse(value)
        set_field = object.__setattr__
        set_field(self, "ruleset", ruleset)
        set_field(self, "players", int(players) if isinstance(players, np.integer) else players)
        set_field(self, "options", given)
        for name, option in OPTIONS.items():
            default = option.default(ruleset)
            set_field(self, name, given.get(name, option.fixed if default is ABSENT else default))
        self._check_players()
        set_field(self, "_hash", hash(tuple(getattr(self, item.name) for item in fields(self) if item.compare)))

    def __hash__(self) -> int:
        return self._hash

    def __reduce__(self) -> tuple[object, ...]:
        return (_rebuild, (self.ruleset, self.players, dict(self.options)))

    def _check_players(self) -> None:
        allowed = PLAYERS[self.ruleset]
        whole = isinstance(self.players, int | np.integer) and not isinstance(self.players, bool)
        if not whole or self.players not in allowed:
            raise RulesError(f"players={self.players!r} is not possible in {self.ruleset}: it is played by {', '.join(map(str, allowed))}")
        needed = EIGHT_NEEDS.get(self.ruleset)
        if self.players == 8 and needed is not None and not getattr(self, needed):
            raise RulesError(f"players=8 in {self.ruleset} needs {needed}=True")
        if self.pica_pica and self.players != 6:
            raise RulesError(f"pica_pica=True needs players=6, not {self.players}")
        if self.players == 3 and self.falta in ("match_if_malas", "winner", "loser"):
            raise RulesError(f"falta={self.falta!r} needs two accounts: in gallo use half, leader, cama, a number or None")

    @property
    def gallo(self) -> bool:
        """Whether this is the game for three, two against the dealer (rules.md 6.2)."""
        return self.players == 3

    @property
    def n_accounts(self) -> int:
        """Number of running scores: 2, or 3 in gallo."""
        return 3 if self.gallo else 2

    def account_of(self, seat: int) -> int:
        """Return the running score that a seat's points go to: its side's, in gallo its own."""
        return seat if self.gallo else seat & 1

    @property
    def seats_per_account(self) -> int:
        """Number of seats that share a running score: half of the table, in gallo 1."""
        return self.players // self.n_accounts

    @property
    def leg_target(self) -> int:
        """Points that win a leg (T in the rule book)."""
        if self.ruleset == "truc_valencia":
            return 24
        if self.match == "sets":
            return 15
        return self.target

    @property
    def legs_to_win(self) -> int:
        """Legs (toros, camas, partidas) that win the match."""
        return 2 if self.ruleset == "truc_valencia" or self.match == "sets" or self.best_of == 3 else 1

    @property
    def deck(self) -> int:
        """Index into ``cards.DECKS``."""
        if self.ruleset != "truc_valencia":
            return FULL_DECK
        return LONG_DECK if self.deck30 else SHORT_DECK

    @property
    def band(self) -> tuple[int, int]:
        """Leading scores at which a pica-pica is dealt: from ``low`` to below ``high`` (rules.md 6.1)."""
        if self.pica_band is not None:
            return self.pica_band
        return (5, 25) if self.target == 30 else (3, 12)


def _rebuild(ruleset: str, players: int, options: Mapping[str, object]) -> Rules:
    return Rules(ruleset, players, **options)


def describe_rules(rules: Rules) -> str:
    """Return rule set, players and the options that were given, on one line."""
    options = "".join(f", {name}={value}" for name, value in sorted(rules.options.items()))
    return f"{rules.ruleset}, {rules.players} players{options}"
