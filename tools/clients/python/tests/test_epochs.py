"""What a commitment is bound to: a service that was started anew, or says so, and one whose dry run lies. The table is
t1 of spec/vectors/entries-joy.json, in a log that grows as it is played; small_log.py signs it."""

from __future__ import annotations

import asyncio
import json
import pathlib
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from small_log import SmallLog
from test_hostile import joy
from test_sending import TOKEN, lost, problem
from test_streams import ENTRIES, OWN, TEXTS, of_events

import fairshoe
from fairshoe import AsyncClient, BadReply, Client, Conflict, NoAnswer, NotProven, Unavailable, Unproven
from fairshoe.fairness import client_commitment, committed_bytes, sha256, table_context
from fairshoe.play import MOST_WRONG_EPOCHS

START = ENTRIES[0]["command"]["start_dealer"]
EPOCH, ORIGIN = START["epoch"], START["origin"]
OTHER = "ee" * 32
COMMITTED, BET, REVEAL = OWN[1], OWN[2], OWN[3]
LOG = SmallLog(*TEXTS[: REVEAL + 1], name=ORIGIN)
BETS: list[fairshoe.Bet] = ENTRIES[BET]["command"]["bet"]["bets"]
COMMITMENT = ENTRIES[BET]["command"]["bet"]["commitment"]
SEED = ENTRIES[REVEAL]["command"]["reveal"]["seed"]


pytestmark = pytest.mark.usefixtures("no_waiting")


@pytest.fixture
def seed_of_the_log(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fairshoe.store.secrets.token_hex", lambda count: SEED)


OnBet = Callable[["Table", dict[str, Any]], Any]


def take(table: Table, body: dict[str, Any]) -> httpx.Response:
    """The bet is on the log; so far so good for those that are bound to the epoch of its shoe."""
    assert (body["commitment"], body["epoch"], body["bets"]) == (COMMITMENT, EPOCH, BETS)
    table.size = BET + 1
    return httpx.Response(200, json={"receipts": [LOG.receipt(BET, table.size)]})


def refuse(table: Table, body: dict[str, Any]) -> httpx.Response:
    return problem(409, "wrong_epoch")


class Table:
    """A solo table that awaits a bet, at a service that tells `epoch` of it and answers bets by `on_bet`."""

    def __init__(self, on_bet: OnBet, epoch: str = EPOCH) -> None:
        self.on_bet, self.epoch, self.size = on_bet, epoch, COMMITTED + 1
        self.bodies: list[bytes] = []
        self.revealed: list[Any] = []

    def view(self) -> dict[str, Any]:
        opened, shoe = of_events("table_opened", OWN[0])[0], of_events("shoe_committed", COMMITTED)[0]
        told: dict[str, Any] = {"table": "t1", "rules": opened["rules"], "digest": opened["digest"], "owner": None}
        in_use = {**shoe, "undrawn": 52, "entry": COMMITTED, "seq": 1}
        told |= {"origin": ORIGIN, "epoch": self.epoch, "shoe": in_use, "next_round": 0, "round": None, "seats": []}
        told |= {"cash": None, "window": None, "last_hand": False, "withheld_in_last_100": 0, "tournament": None}
        return {**told, "notices": []}

    def entries(self, first: int, limit: int) -> dict[str, Any]:
        shown = [(seq, i) for seq, i in enumerate(OWN) if i < self.size and seq >= first][:limit]
        items = [
            {"index": i, "seq": seq, "entry": TEXTS[i], "proof": LOG.proof(i, self.size), "openings": []}
            for seq, i in shown
        ]
        told = {"table": "t1", "entries": items, "next_seq": first + len(items), "closed": False, "size": self.size}
        return {**told, "checkpoint": LOG.checkpoint_of(self.size)}

    def __call__(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path
        if path == "/v1/tables/t1":
            return httpx.Response(200, json=self.view())
        if path == "/v1/tables/t1/entries":
            query = request.url.params
            return httpx.Response(200, json=self.entries(int(query["from_seq"]), int(query["limit"])))
        if path.startswith("/tile/0/000.p/"):
            return httpx.Response(200, content=LOG.tile(int(path.rpartition("/")[2])))
        if path.startswith("/v1/entries/"):
            return httpx.Response(200, text=TEXTS[int(path.rpartition("/")[2])])
        if path.startswith("/v1/receipts/"):
            return httpx.Response(200, text=LOG.receipt(int(path.rpartition("/")[2]), self.size)["proof"])
        if path == "/v1/tables/t1/bets":
            self.bodies.append(request.content)
            answer = self.on_bet(self, json.loads(request.content))
            if isinstance(answer, Exception):
                raise answer
            assert isinstance(answer, httpx.Response)
            return answer
        if path == "/v1/rounds/t1:0/reveals":
            # Here the tests end: that the seed goes out at all shows that the bet was proven.
            self.revealed.append(json.loads(request.content))
            return problem(503, "stopping")
        return problem(404, "not_found")

    @property
    def sent(self) -> list[dict[str, Any]]:
        return [json.loads(body) for body in self.bodies]

    def client(self, **options: Any) -> Client:
        http = httpx.Client(transport=httpx.MockTransport(self))
        given = {"player": "alice", "token": TOKEN, "log_key": LOG.key, "patience": 1.0, "signing_key": None, **options}
        return Client("http://a.example", http=http, **given)


def play(table: Table, kind: type[Exception], **options: Any) -> Any:
    with table.client(**options) as client, pytest.raises(kind) as caught:
        client.play_round("t1", BETS)
    return caught.value


def test_a_bet_says_the_epoch_that_its_commitment_is_bound_to(seed_of_the_log: None) -> None:
    table = Table(take)
    play(table, Unavailable)
    assert table.sent == [{"round_no": 0, "bets": BETS, "commitment": COMMITMENT, "epoch": EPOCH}]
    assert {one["seed"] for one in table.revealed} == {SEED}


def test_after_wrong_epoch_the_commitment_is_made_anew(seed_of_the_log: None) -> None:
    """The table was read under the epoch of before; once it is refused the one in force is read."""

    def start(table: Table, body: dict[str, Any]) -> httpx.Response:
        if body["epoch"] == EPOCH:
            return take(table, body)
        table.epoch = EPOCH
        return refuse(table, body)

    table = Table(start, epoch=OTHER)
    play(table, Unavailable)
    assert [one["epoch"] for one in table.sent] == [OTHER, EPOCH]
    assert len({one["commitment"] for one in table.sent}) == 2 and {one["seed"] for one in table.revealed} == {SEED}


def test_wrong_epoch_for_ever_is_an_error_and_no_loop(no_waiting: list[float]) -> None:
    """The service names the same epoch again, as one does that has not put the table in order yet."""
    table = Table(refuse)
    assert play(table, Conflict).code == "wrong_epoch"
    assert len(table.bodies) == MOST_WRONG_EPOCHS and len(set(table.bodies)) == 1
    assert 1.0 < sum(no_waiting) < 60.0 and table.revealed == []


def test_an_epoch_that_is_another_each_time_is_an_error_and_no_loop(tmp_path: pathlib.Path) -> None:
    def invent(table: Table, body: dict[str, Any]) -> httpx.Response:
        table.epoch = sha256(table.epoch.encode()).hex()
        return refuse(table, body)

    table, store = Table(invent), tmp_path / "bot.json"
    assert play(table, Conflict, store=store).code == "wrong_epoch"
    assert len({one["epoch"] for one in table.sent}) == MOST_WRONG_EPOCHS == len(table.sent)
    # Each has a seed of its own, and each stays: an earlier sending of any of them may have been taken.
    kept = json.loads(store.read_text())["seeds"]
    assert len({one["commitment"] for one in table.sent}) == len({one["seed"] for one in kept}) == MOST_WRONG_EPOCHS


def test_the_async_client_ends_too() -> None:
    table = Table(refuse)

    async def run() -> None:
        http = httpx.AsyncClient(transport=httpx.MockTransport(table))
        async with AsyncClient("http://a.example", player="alice", token=TOKEN, log_key=LOG.key, http=http) as client:
            await client.play_round("t1", BETS)

    with pytest.raises(Conflict):
        asyncio.run(run())
    assert len(table.bodies) == MOST_WRONG_EPOCHS


def test_a_bet_that_was_taken_and_is_said_to_be_refused(seed_of_the_log: None) -> None:
    """The log has it, under the epoch that it was sent with: no other is made, whatever epoch is told now."""

    def take_and_deny(table: Table, body: dict[str, Any]) -> httpx.Response:
        take(table, body)
        table.epoch = OTHER
        return refuse(table, body)

    table = Table(take_and_deny)
    play(table, Unavailable)
    assert len(table.sent) == 1 and {one["seed"] for one in table.revealed} == {SEED}


def test_a_repeat_has_the_same_epoch_by_a_later_run_too(tmp_path: pathlib.Path) -> None:
    """The service looks for a repeat before it looks at the epoch: another body would not be one."""
    table, store = Table(lambda table, body: lost()), tmp_path / "bot.json"
    for _ in range(2):
        play(table, NoAnswer, store=store)
    assert len(table.bodies) > 4 and len(set(table.bodies)) == 1
    table.epoch = OTHER  # It was started anew, and the bet of before was not taken.
    play(table, NoAnswer, store=store)
    places = [one["for"][2] for one in json.loads(store.read_text())["seeds"]]
    assert table.sent[-1]["epoch"] == OTHER and sorted(places) == sorted([EPOCH, OTHER])


def test_a_seed_is_kept_with_its_epoch_before_anything_is_sent(tmp_path: pathlib.Path) -> None:
    store, kept = tmp_path / "bot.json", []

    def look(table: Table, body: dict[str, Any]) -> httpx.Response:
        kept.extend(json.loads(store.read_text())["seeds"])
        return problem(503, "stopping")

    table = Table(look)
    play(table, Unavailable, store=store)
    assert kept[0]["for"] == [ORIGIN, "t1", EPOCH, 0, "alice"] and kept[0]["sent"] == [BETS]
    context = table_context(ORIGIN, "t1", kept[0]["for"][2])
    commitment = client_commitment(context, 0, "alice", bytes.fromhex(kept[0]["seed"])).hex()
    assert (commitment, EPOCH) == (table.sent[0]["commitment"], table.sent[0]["epoch"])


def test_seeds_of_a_round_that_is_out_are_forgotten_under_every_epoch() -> None:
    store = fairshoe.Store()
    for epoch, number in ((EPOCH, 0), (OTHER, 0), (EPOCH, 1)):
        store.commit(ORIGIN, "t1", epoch, number, "alice", None)
    store.forget(ORIGIN, "t1", 0, "alice")
    assert [store.committed(ORIGIN, "t1", epoch, 0, "alice") for epoch in (EPOCH, OTHER)] == [None, None]
    assert store.committed(ORIGIN, "t1", EPOCH, 1, "alice") is not None


def test_an_epoch_under_which_seeds_opened_is_not_told_otherwise() -> None:
    before, after = joy(3), joy(4)
    before.change_epoch(OTHER)
    assert before.binding_epoch == OTHER
    after.change_epoch(EPOCH)
    with pytest.raises(NotProven) as caught:
        after.change_epoch(OTHER)
    assert caught.value.check == "start" and after.binding_epoch == EPOCH


@pytest.mark.parametrize(
    ("recovered_in", "origin", "is_found"),
    [(1, ORIGIN, True), (1, "other.example/log", False), (COMMITTED, ORIGIN, False), (None, ORIGIN, False)],
    ids=["behind the start", "of another log", "behind other entries", "never"],
)
def test_the_epoch_of_a_start_that_was_passed_over(recovered_in: Any, origin: str, is_found: bool) -> None:
    table = Table(refuse)
    with table.client() as client:
        history = client._carry_out(client._flows.follow_table("t1"))
        history.recovered_in, history.origin = recovered_in, origin
        if is_found:
            assert client._carry_out(client._flows._epoch_of_start(history)) == EPOCH
            return
        # It accuses nobody, and the next call follows the table anew.
        with pytest.raises(Unproven):
            client._carry_out(client._flows._epoch_of_start(history))
        assert client._flows._histories == {}


@pytest.mark.parametrize("epoch", ["", "EE" * 32, "ee" * 31, None])
def test_an_epoch_that_is_none(epoch: Any) -> None:
    table = Table(refuse)
    table.epoch = epoch
    play(table, BadReply)
    assert table.sent == []


def test_a_bet_that_is_repeated_by_hand_under_another_epoch_gets_its_entry() -> None:
    """The log's entry does not hold the epoch; it is an honest answer to both."""
    reply = httpx.Response(200, json={"receipts": [LOG.receipt(BET, BET + 1)]})
    table = Table(lambda table, body: reply)
    with table.client() as client:
        for epoch in (EPOCH, OTHER):
            assert client.place_bet("t1", 0, BETS, COMMITMENT, epoch)["receipts"][0]["index"] == BET


# --- The dry run ----------------------------------------------------------------------------------


def trial(request: httpx.Request, **lie: Any) -> httpx.Response:
    """What an honest service answers, but for the lie."""
    asked = json.loads(request.content)
    assert set(asked) == {"player", "round_no", "seed"}
    told = {"origin": ORIGIN, "table": request.url.path.split("/")[3], "epoch": EPOCH}
    told |= {"round_no": asked["round_no"], "player": asked["player"]}
    seed = lie.pop("seed", asked["seed"])
    context = table_context(lie.pop("under", told["origin"]), told["table"], told["epoch"])
    hashed = committed_bytes(context, told["round_no"], told["player"], bytes.fromhex(seed))
    return httpx.Response(200, json={"commitment": sha256(hashed).hex(), "hashed": hashed.hex(), **told, **lie})


def tries(**lie: Any) -> tuple[Client, list[httpx.Request]]:
    sent: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        sent.append(request)
        return trial(request, **lie)

    http = httpx.Client(transport=httpx.MockTransport(answer))
    return Client("http://a.example", player="alice", log_key=LOG.key, http=http), sent


def test_a_dry_run_agrees_with_the_client() -> None:
    client, sent = tries()
    with client:
        found = client.try_commitment("t1", 7)
        assert (found["epoch"], found["round_no"], found["player"]) == (EPOCH, 7, "alice")
        assert client.try_commitment("t1", player="bob")["player"] == "bob"
        bodies = [json.loads(request.content) for request in sent]
        # A seed for each, which nothing is played with.
        assert bodies[0]["seed"] != bodies[1]["seed"] and "(None, 0 seeds)" in repr(client._store).replace("Store", "")
        assert bodies[0]["seed"] not in repr(client._flows)


LIES: list[tuple[str, dict[str, Any], type[Exception]]] = [
    ("another commitment", {"commitment": "ab" * 32}, NotProven),
    ("other bytes that are hashed", {"hashed": "ab" * 99}, NotProven),
    ("another seed, well hashed", {"seed": "ab" * 32}, NotProven),
    ("another log, well hashed", {"under": "other.example/log"}, NotProven),
    ("another log", {"origin": "other.example/log"}, NotProven),
    ("another table", {"table": "t2"}, NotProven),
    ("another round", {"round_no": 8}, NotProven),
    ("another player", {"player": "bob"}, NotProven),
    ("an epoch that is none", {"epoch": "EE" * 32}, BadReply),
    ("a round that is no integer", {"round_no": "7"}, BadReply),
    ("no epoch", {"epoch": None}, BadReply),
]


@pytest.mark.parametrize(("lie", "kind"), [(lie, kind) for _, lie, kind in LIES], ids=[what for what, _, _ in LIES])
def test_a_dry_run_that_lies(lie: dict[str, Any], kind: type[Exception]) -> None:
    client, _ = tries(**lie)
    with client, pytest.raises(kind):
        client.try_commitment("t1", 7)
