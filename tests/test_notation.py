"""Notation: print and parse are inverse, a loaded match goes on like the saved one, and bad text is refused as such."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from truco_env.errors import NotationError, RulesError, TrucoError
from truco_env.game.game import Game
from truco_env.game.notation import Hand, Match, Move, Result, parse_match, print_hand, print_match
from truco_env.game.position import Position
from truco_env.rules.actions import CALL_NAMES
from truco_env.rules.cards import DECKS, card_name
from truco_env.rules.options import ABSENT, OPTIONS, RULESETS, Rules

_TEXT = """\
truco-env match 1
ruleset argentino
players 2
option flor_mode off
option target 15
seed 7

hand 1 normal dealer 1 scores 0 14 won 0 0
deal 0 4C 6O 7O
deal 1 5B 7B 12C
0 truco
1 envido
0 quiero
1 no_quiero
end scores 3 14 won 0 0

seed 8
hand 2 normal dealer 1 scores 3 4 won 0 0 set
deal 0 3E 4C 5C
deal 1 1E 2E 3C
0 mazo
end scores 3 6 won 0 0

hand 3 normal dealer 0 scores 3 6 won 0 0
deal 0 2B 4E 10O
deal 1 1E 1B 6C
1 1E
0 4E
"""


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Any rules: a rule set, players, and any options that it has."""
    ruleset = draw(st.sampled_from(RULESETS))
    options: dict[str, Any] = {}
    for name, option in OPTIONS.items():
        if option.default(ruleset) is not ABSENT and draw(st.booleans()):
            values = list(option.values)
            if name in ("falta", "pica_falta"):
                values += [1, 99]
            elif name == "pica_band":
                values += [(0, 7), (5, 25)]
            elif name == "sena_catch":
                values += [draw(st.floats(0, 1)), 1e-7]
            options[name] = draw(st.sampled_from(values))
    players = draw(st.sampled_from([2, 2, 3, 4, 6, 8]))
    if players != 6:
        options.pop("pica_pica", None)
    if players == 8:
        options |= {"reglamento": {"allow_8": True}, "truc_valencia": {"deck30": True}}.get(ruleset, {})
    try:
        return Rules(ruleset, players, **options)
    except RulesError:
        options.pop("falta", None)
        return Rules(ruleset, 2, **{name: value for name, value in options.items() if name != "pica_pica"})


def play_on(game: Game, rnd: random.Random, moves: int) -> Game:
    """Play random moves, over the ends of hands; mostly without leaving."""
    for _ in range(moves):
        if game.hand_over:
            if game.match_over:
                break
            game.next_hand()
        legal = [name for name in game.legal if name not in ("mazo", "cerrarse") or rnd.random() < 0.1]
        game.play(rnd.choice(legal or game.legal))
    return game


def test_the_text_of_a_match_is_read_and_printed_unchanged() -> None:
    match = parse_match(_TEXT)
    assert print_match(match) == _TEXT == str(match)
    assert match.rules == Rules("argentino", 2, flor_mode="off", target=15)
    assert [hand.seed for hand in match.hands] == [7, 8, 8]
    assert match.hands[1] == Hand(
        2,
        Position(1, (3, 4), (0, 0), "normal"),
        (("3E", "4C", "5C"), ("1E", "2E", "3C")),
        (Move(0, "mazo"),),
        Result((3, 6), (0, 0)),
        follows=False,
        seed=8,
    )
    assert print_hand(match.hands[2]) in _TEXT


def test_a_match_is_loaded_by_replaying_it() -> None:
    game = Game.from_notation(_TEXT)
    assert (game.to_act, game.phase, game.scores, game.seed, game.hand_number) == (1, "turn", (3, 6), 8, 3)
    assert game.notation() == _TEXT
    assert game.history == parse_match(_TEXT).hands[:2]


def test_a_game_without_a_deal_has_a_text() -> None:
    game = Game("truc_valencia", players=4)
    assert Game.from_notation(game.notation()) == game


def test_blank_lines_comments_and_line_ends_do_not_matter() -> None:
    loose = _TEXT.replace("\n", "  # note\r\n\r\n").replace("seed 7", "  seed\t7")
    assert parse_match(loose) == parse_match(_TEXT)


def test_options_at_their_default_are_not_printed() -> None:
    assert Game("argentino", target=30, sena_catch=0).notation() == Game("argentino").notation()


def test_a_sena_is_saved_with_those_who_saw_it() -> None:
    game = Game("argentino", players=4, senas="free", sena_catch=0.5)
    game.deal(seed=1, dealer=3)
    while "sena:rey" not in game.legal:
        game.play(game.legal[0])
    maker = game.to_act
    assert maker is not None
    game.play("sena:rey")
    mate, rivals = (maker + 2) % 4, sorted({(maker + 1) % 4, (maker + 3) % 4})
    line = f"{maker} sena:rey seen"
    text = game.notation()
    start = text.index(line)
    for seers in ([mate], sorted([mate, *rivals])):
        edited = text[:start] + " ".join([line, *map(str, seers)]) + "\n"
        other = Game.from_notation(edited)
        assert other.notation() == edited
        assert [other.view(seat).senas != () for seat in range(4)] == [seat == maker or seat in seers for seat in range(4)]
    for seers in ([], rivals, sorted([mate, maker])):
        with pytest.raises(NotationError):
            Game.from_notation(text[:start] + " ".join([line, *map(str, seers)]) + "\n")


@settings(deadline=None, max_examples=60)
@given(table=rules(), seed=st.integers(0, 2**64 - 1), moves=st.integers(0, 150))
def test_a_saved_match_goes_on_identically(table: Rules, seed: int, moves: int) -> None:
    game = Game(table)
    game.deal(seed=seed)
    play_on(game, random.Random(seed), moves)
    text = game.notation()
    other = Game.from_notation(text)
    assert other == game
    assert other.notation() == text
    assert (other.events, other.legal) == (game.events, game.legal)
    play_on(game, random.Random(moves), 60)
    play_on(other, random.Random(moves), 60)
    assert other == game


@settings(deadline=None, max_examples=25)
@given(table=rules(), seed=st.integers(0, 2**32))
def test_given_deals_set_up_hands_and_new_seeds_are_saved(table: Rules, seed: int) -> None:
    rnd = random.Random(seed)
    game = Game(table)
    accounts = table.n_accounts
    game.deal(seed=seed, dealer=rnd.randrange(table.players), scores=[rnd.randrange(14) for _ in range(accounts)])
    for _ in range(3):
        while not game.hand_over:
            play_on(game, rnd, 1)
        if game.match_over:
            break
        cards = [card_name(card) for card in rnd.sample(DECKS[table.deck].tolist(), 3 * table.players)]
        hands = [cards[3 * seat : 3 * seat + 3] for seat in range(table.players)]
        game.next_hand(
            rnd.choice([None, hands]),
            seed=rnd.choice([None, rnd.randrange(2**64)]),
            dealer=rnd.choice([None, rnd.randrange(table.players)]),
            scores=rnd.choice([None, [rnd.randrange(14) for _ in range(accounts)]]),
        )
    other = Game.from_notation(game.notation())
    assert other == game
    assert other.notation() == game.notation()


@st.composite
def matches(draw: st.DrawFn) -> Match:
    """Any match in form, whether or not it can be played."""
    table = draw(rules())
    seat, number = st.integers(0, table.players - 1), st.integers(0, 9999)
    card = st.sampled_from([card_name(card) for card in range(48)])
    accounts = st.tuples(*[number] * table.n_accounts)
    result = st.builds(Result, accounts, accounts)
    calls = [name for name in CALL_NAMES.values() if not name.startswith("sena:")]
    plain = st.builds(Move, seat, st.one_of(st.sampled_from(calls), card, card.map("discard:{}".format)), st.none())
    senas = st.builds(lambda maker, seen: Move(maker, "sena:rey", tuple(sorted(seen - {maker}))), seat, st.sets(seat))
    cards = st.lists(card, min_size=3, max_size=4).map(tuple)
    first, count = draw(st.integers(1, 10**6)), draw(st.integers(0, 3))
    hands = [
        Hand(
            first + i,
            Position(draw(seat), draw(accounts), draw(accounts), draw(st.sampled_from(["normal", "redonda", "pica"]))),
            draw(st.tuples(*[cards] * table.players)),
            tuple(draw(st.lists(plain | senas, max_size=4))),
            draw(result) if i < count - 1 else draw(st.one_of(st.none(), result)),
            draw(st.booleans()),
            draw(st.integers(0, 2**64 - 1)),
        )
        for i in range(count)
    ]
    return Match(table, draw(st.integers(0, 2**64 - 1)), tuple(hands))


@settings(deadline=None, max_examples=150)
@given(match=matches())
def test_parse_is_the_inverse_of_print(match: Match) -> None:
    assert parse_match(print_match(match)) == match


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ("truco-env match 1", "truco match 1", "line 1, 'truco match 1': the text must begin with 'truco-env match 1'"),
        ("truco-env match 1", "truco-env match 2", "version '2' is not known"),
        ("truco-env match 1", "truco-env match", "line 1"),
        ("ruleset argentino\n", "", "a line 'ruleset' must stand here"),
        ("argentino", "mus", "unknown ruleset 'mus'"),
        ("players 2", "players 4", "a line 'deal' must stand here"),
        ("players 2", "players 5", "players=5"),
        ("players 2", "players two", "number of players"),
        ("option target 15", "option target 20", "target=20"),
        ("option target 15", "option flor_mode forced", "stands twice"),
        ("option target 15", "option targets 15", "unknown option 'targets'"),
        ("option target 15", "option target", "it has 2 words where 3 belong"),
        ("seed 7\n", "", "a line 'seed' must stand here"),
        ("seed 7", "seed -7", "the seed must be a whole number"),
        ("seed 7", f"seed {2**64}", "the seed must be a whole number"),
        ("hand 1 normal", "hand 1 round", "the kind must be one of"),
        ("hand 1 normal", "hand 1 pica", "kind='pica'"),
        ("hand 1 ", "hand 0 ", "counted from 1"),
        ("hand 2 ", "hand 4 ", "hand 4 stands after hand 1"),
        ("dealer 1 scores 0 14", "dealer 2 scores 0 14", "the dealer must be"),
        ("scores 0 14 won", "scores 0 won", "it has 10 words where 11 belong"),
        ("scores 0 14 won", "points 0 14 won", "word 6 must be 'scores'"),
        ("scores 0 14 won", "scores 0 15 won", "the leg ends at 15"),
        ("deal 0 4C 6O 7O", "deal 1 4C 6O 7O", "the cards of seat 0 must stand here"),
        ("deal 0 4C 6O 7O", "deal 0 4C 6O", "a hand is three cards"),
        ("deal 0 4C 6O 7O", "deal 0 4C 6O 7X", "'7X' is not a card"),
        ("deal 0 4C 6O 7O", "deal 0 4C 6O 8O", "hand 1: seat 0 has 8O, which is not in the deck"),
        ("deal 0 4C 6O 7O", "deal 0 4C 6O 7B", "hand 1: seat 1 has 7B as well as seat 0"),
        ("1 envido", "1 envite", "line 12, '1 envite': 'envite' is no action"),
        ("1 envido", "7 envido", "the seat must be"),
        ("1 envido", "1", "no action"),
        ("1 envido", "1 envido now", "it has 3 words where 2 belong"),
        ("1 envido", "1 sena:tres", "word 3 must be 'seen'"),
        ("1 envido", "0 envido", "hand 1, move 2, '0 envido': 'envido' of seat 0 is not legal"),
        ("1 envido", "1 mazo", "hand 1, move 2, '1 mazo': 'mazo' of seat 1 is not legal"),
        ("1 envido", "envido 1", "a move 'SEAT NAME'"),
        ("end scores 3 14", "end scores 3 13", "hand 1 ends with (3, 14)"),
        ("end scores 3 14 won 0 0\n", "", "hand 2 follows hand 1, which has no line 'end'"),
        ("1 no_quiero\n", "", "hand 1 is not over"),
        ("1 no_quiero\n", "1 no_quiero\n0 6O\n", "hand 1, move 5, '0 6O'"),
        ("won 0 0 set", "won 0 0", "hand 2: what follows is"),
        ("dealer 0 scores 3 6", "dealer 1 scores 3 6", "hand 3: what follows is"),
        ("deal 1 1E 1B 6C\n1 1E\n0 4E\n", "", "the text ends after line"),
    ],
)
def test_a_bad_text_is_refused_with_what_is_wrong(old: str, new: str, told: str) -> None:
    assert old in _TEXT
    with pytest.raises(NotationError) as caught:
        Game.from_notation(_TEXT.replace(old, new, 1))
    assert told in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["", "\0", "truco-env", None, 7, b"truco-env match 1"])
def test_what_is_no_text_of_a_match_is_refused(text: Any) -> None:
    with pytest.raises(NotationError):
        Game.from_notation(text)


@settings(deadline=None, max_examples=400)
@given(data=st.data())
def test_edited_texts_load_or_are_refused(data: st.DataObject) -> None:
    lines = _TEXT.split("\n")
    words = [word for line in lines for word in line.split()]
    for _ in range(data.draw(st.integers(1, 4))):
        i = data.draw(st.integers(0, len(lines) - 1))
        parts = lines[i].split(" ")
        match data.draw(st.sampled_from(["word", "text", "drop", "double", "swap"])):
            case "word":
                parts[data.draw(st.integers(0, len(parts) - 1))] = data.draw(st.sampled_from(words))
            case "text":
                parts[data.draw(st.integers(0, len(parts) - 1))] = data.draw(st.text(max_size=4))
            case "drop":
                parts.pop()
            case "double":
                parts += parts[-1:]
            case "swap":
                parts = lines[data.draw(st.integers(0, len(lines) - 1))].split(" ")
        lines[i] = " ".join(parts)
    try:
        game = Game.from_notation("\n".join(lines))
    except NotationError:
        return
    assert Game.from_notation(game.notation()) == game


@settings(deadline=None, max_examples=200)
@given(text=st.text())
def test_any_text_loads_or_is_refused(text: str) -> None:
    for candidate in (text, "truco-env match 1\n" + text, _TEXT + text):
        try:
            Game.from_notation(candidate)
        except NotationError:
            continue


def test_a_notation_error_is_a_truco_error() -> None:
    assert issubclass(NotationError, TrucoError)


def test_a_sampled_game_is_saved_and_loaded() -> None:
    game = Game.from_notation(_TEXT)
    twin = game.sample_hidden(0, np.random.default_rng(1))
    assert Game.from_notation(twin.notation()) == twin
    assert twin.notation().count("hand ") == 1
    assert "hand 3 normal dealer 0 scores 3 6" in twin.notation()
