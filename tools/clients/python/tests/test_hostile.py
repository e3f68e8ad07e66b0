"""What a lying service, or somebody between, answers: each answer ends in one of the client's own exceptions, and
nothing that was not proven is taken over. No service runs here; small_log.py signs what the lie needs signed."""

from __future__ import annotations

import json
import os
import pathlib
import stat
from collections.abc import Callable
from typing import Any

import httpx
import pytest
from conftest import vectors
from small_log import SmallLog
from small_log import entry as logged
from test_sending import TOKEN, Service, accepted, lost, problem

from fairshoe import (
    AnotherLog,
    ApiError,
    BadInput,
    BadReply,
    Client,
    NoAnswer,
    NotProven,
    Store,
    StoreError,
    Unproven,
)
from fairshoe.history import TableHistory
from fairshoe.views import is_proven

CREDIT = logged("operator", {"credit": {"player": "alice", "amount": 10}})
THREE = SmallLog(CREDIT, CREDIT, CREDIT)


pytestmark = pytest.mark.usefixtures("no_waiting")


def operator(service: Service, log: SmallLog = THREE, **options: Any) -> Client:
    return service.client(token=TOKEN, log_key=log.key, **options)


# --- An old receipt in place of the one that was asked for ----------------------------------------


def test_a_repeat_by_a_later_run_is_answered_by_its_old_entry(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "desk.json"
    first = Service(accepted(THREE.receipt(0, 1)), *[lost() for _ in range(40)], log=THREE)
    with operator(first, store=path) as client:
        client.credit_player("alice", 10)
        with pytest.raises(NoAnswer) as failure:
            client.credit_player("alice", 10, idempotency_key="order-2")
        assert failure.value.idempotency_key == "order-2"
    again = Service(accepted(THREE.receipt(2)), accepted(THREE.receipt(1)), accepted(THREE.receipt(1)), log=THREE)
    with operator(again, store=path) as client:
        client.credit_player("alice", 10, idempotency_key="order-3")
        client.credit_player("alice", 10, idempotency_key="order-2")
        with pytest.raises(NotProven, match="before"):
            client.credit_player("alice", 10, idempotency_key="order-4")


def test_a_signed_command_has_the_signature_that_was_sent() -> None:
    """An older command of equal content, under an older nonce, has a good signature too."""
    value = json.loads(logged("player:alice", {"sit_out": {"table": "t"}}))
    value["signed"] = {"nonce": 3, "signature": "ab" * 64}
    text = json.dumps({name: value[name] for name in ("v", "time", "by", "command", "signed", "events")})
    log = SmallLog(text.replace(": ", ":").replace(", ", ","))
    service = Service(httpx.Response(200, json=player_view(last_nonce=3)), accepted(log.receipts[0]))
    client = operator(service, log, player="alice", signing_key=bytes(32))
    with pytest.raises(NotProven, match="signature"):
        client.sit_out("t")


def player_view(**fields: Any) -> Any:
    plain = {"player": "alice", "balance": 0, "cash_seats": [], "key": None, "t_dollars": 0, "tickets": []}
    return {**plain, **fields}


def test_a_guest_is_the_one_of_the_entry() -> None:
    log = SmallLog(logged("house", {"admit_guest": {}}, [{"guest_admitted": {"player": "guest.1"}}]))
    service = Service(accepted(log.receipts[0], player="guest.2", token=TOKEN))
    client = service.client(log_key=log.key)
    with pytest.raises(NotProven, match="another player"):
        client.admit_guest()
    assert client.player is None


@pytest.mark.parametrize("shoe_no", [4, 5])
def test_a_disclosure_is_the_one_of_its_receipt(shoe_no: int) -> None:
    command = {"disclose_shoe": {"table": "t", "shoe_no": 4, "reason": "a complaint"}}
    log = SmallLog(logged("auditor:eve", command, [{"shoe_disclosed": {"table": "t", "shoe_no": 4, "auditor": "eve"}}]))
    told = {"receipt": log.receipts[0], "table": "t", "shoe_no": shoe_no, "round": "t:4", "epoch": "ab" * 32}
    reply = httpx.Response(200, json={**told, "composition": "52x1", "pick": 0, "seeds": []})
    client = operator(Service(reply), log)
    if shoe_no == 4:
        assert client.get_disclosure("t", 4)["round"] == "t:4"
    else:
        with pytest.raises(NotProven):
            client.get_disclosure("t", 5)


# --- What accuses, and what does not --------------------------------------------------------------


def with_kept(service: Service, **options: Any) -> Client:
    """A client that holds the checkpoint of the log's first entry."""
    service.answers.insert(0, httpx.Response(200, text=THREE.checkpoint_of(1)))
    client = operator(service, patience=1.0, **options)
    client.get_checkpoint()
    return client


@pytest.mark.parametrize(
    "tile",
    [
        lost(),
        problem(503, "busy"),
        problem(404, "not_found"),
        httpx.Response(200, content=bytes(64)),
        httpx.Response(302),
    ],
    ids=["no answer", "busy", "none", "zeros", "elsewhere"],
)
def test_an_outage_while_a_proof_is_fetched_accuses_nobody(tile: Any) -> None:
    service = Service(httpx.Response(200, text=THREE.checkpoint_of(2)), *[tile] * 40)
    client = with_kept(service)
    with pytest.raises(Unproven) as caught:
        client.get_checkpoint()
    assert not isinstance(caught.value, NotProven) and client.checkpoint is not None
    assert (client.checkpoint.size, caught.value.kept_checkpoint) == (1, client.checkpoint.note)


def test_two_signed_trees_that_do_not_fit_are_a_fork() -> None:
    other = SmallLog(CREDIT.replace('"amount":10', '"amount":99'), CREDIT)
    client = with_kept(Service(httpx.Response(200, text=other.checkpoint), log=other))
    with pytest.raises(AnotherLog) as caught:
        client.get_checkpoint()
    assert caught.value.check == "fork" and caught.value.shown_checkpoint == other.checkpoint


# --- Answers that are made to trip a reader -------------------------------------------------------


def test_a_superscript_to_wait() -> None:
    answer = httpx.Response(429, headers=[(b"retry-after", "²".encode())], json={})
    with pytest.raises(ApiError):
        Service(*[answer] * 99).client(patience=1.0, token=TOKEN).list_tables()


def test_a_players_view_without_its_nonce() -> None:
    client = operator(Service(httpx.Response(200, json={})), player="alice", signing_key=bytes(32))
    with pytest.raises(BadReply):
        client.sit_out("t")


def joy(entries: int, change: Callable[[str], str] = str) -> TableHistory:
    """The table of spec/vectors/entries-joy.json, followed for so many of its entries; the last one changed."""
    texts = vectors("entries-joy.json")["entries"]
    first = json.loads(texts[JOY_FIRST])
    epoch = json.loads(texts[0])["command"]["start_dealer"]
    rules = first["command"]["open_table"]["rules"]
    history = TableHistory(epoch["origin"], first["at"]["table"], rules, epoch["epoch"])
    own = [(i, text) for i, text in enumerate(texts) if json.loads(text).get("at", {}).get("table") == history.table]
    for i, text in own[: entries - 1]:
        history.take(i, text)
    history.take(own[entries - 1][0], change(own[entries - 1][1]))
    return history


JOY_FIRST = next(i for i, text in enumerate(vectors("entries-joy.json")["entries"]) if '"open_table"' in text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"options":[{"action"', '"options":[{"no_action"'),
        ('"lines":[["', '"lines":[["x",0,0,0],["'),
        ('"round_no":0', '"round_no":"0"'),
    ],
)
def test_events_of_another_form_are_refused_and_do_not_trip(old: str, new: str) -> None:
    for count in range(2, 9):
        try:
            joy(count, lambda text: text.replace(old, new))
        except NotProven:
            return
    pytest.fail("nothing was refused")


# --- Views ----------------------------------------------------------------------------------------


def view_of(history: TableHistory, **fields: Any) -> Any:
    live = history.live
    assert live is not None
    contributors = [
        {"player": one["player"], "bets": one["bets"], "commitment": one["commitment"], "seed": None, "staked": 0}
        for one in live.contributors.values()
    ]
    plain = {
        "id": f"{history.table}:{live.no}",
        "table": history.table,
        "round_no": live.no,
        "shoe_no": live.shoe.no,
        "phase": live.phase,
        "contributors": contributors,
        "entropy": None,
        "decisions": [],
        "game": None,
    }
    return {**plain, **fields}


INVENTED: list[dict[str, Any]] = [
    {"phase": "betting", "game": {"cards": [{"slot": 3, "card": "As"}]}},
    {"phase": "called", "decisions": [{"decision": 0, "player": "alice", "place": "1/1", "options": []}]},
    {"phase": "betting", "entropy": "ab" * 32},
    {"phase": "betting", "id": "elsewhere:0"},
    {"phase": "betting", "round_no": 7},
    {"round_no": 7},
    {"entropy": "ab" * 32},
    {"shoe_no": 9},
    {"contributors": []},
    {"game": {"cards": [{"slot": [], "card": "As"}]}},
    {"game": {"spin": {"slot": 0, "pocket": 1}}},
]


@pytest.mark.parametrize("fields", INVENTED, ids=lambda fields: str(fields)[:40])
def test_no_phase_lets_a_view_tell_what_the_log_does_not(fields: dict[str, Any]) -> None:
    history = joy(3)
    assert history.live is not None and is_proven(history, view_of(history), {})
    try:
        assert not is_proven(history, view_of(history, **fields), {})
    except NotProven as caught:
        assert caught.check == "view"


# --- What is known of the outcome -----------------------------------------------------------------


def test_a_store_that_fails_after_a_credit_tells_of_the_credit(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = Service(accepted(THREE.receipt(0, 1)), accepted(THREE.receipt(0, 1)))
    with operator(service, store=tmp_path / "desk.json") as client:

        def full(*given: Any) -> None:
            raise OSError(28, "no space left")

        with monkeypatch.context() as patch:
            patch.setattr(Store, "keep_checkpoint", lambda *given: Store._save(given[0]))
            patch.setattr("fairshoe.store.os.replace", lambda *given: full() if service.sent else os.rename(*given))
            with pytest.raises(StoreError) as failure:
                client.credit_player("alice", 10)
        assert failure.value.reply["receipts"][0]["index"] == 0
        key = failure.value.idempotency_key
        assert key == service.sent[0].headers["Idempotency-Key"]
        assert client.credit_player("alice", 10, idempotency_key=key)["receipts"][0]["index"] == 0
    assert [path.name for path in tmp_path.glob("*.new")] == []


# --- Addresses and the store ----------------------------------------------------------------------


def test_the_pinned_key_holds_for_any_order_of_the_addresses(tmp_path: pathlib.Path) -> None:
    stranger = vectors("log-tree.json")["log_key"]
    info = {"origin": THREE.name, "vkey": THREE.key, "checkpoint": THREE.checkpoint, "size": 3, "epoch": "ab" * 32}
    told = httpx.Response(200, json={**info, "started_at": 0})
    with Service(told, told).client(["http://a.example", "http://b.example"], store=tmp_path / "pins") as client:
        client.get_log()
    for addresses in (["http://b.example", "http://a.example"], "http://b.example"):
        lie = httpx.Response(200, json={**info, "vkey": stranger, "started_at": 0})
        with Service(lie, lie).client(addresses, store=tmp_path / "pins") as client:
            client.get_log()
            assert client.log_key == THREE.key


@pytest.mark.parametrize("address", ["http://user:secret@a.example", "http://secret@a.example"])
def test_a_password_in_an_address_is_refused_and_not_shown(address: str) -> None:
    with pytest.raises(BadInput) as refusal:
        Client(address)
    assert "secret" not in str(refusal.value)


@pytest.mark.skipif(os.name == "nt", reason="Windows syncs no folders")
def test_the_stores_folder_is_synced_after_the_file(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    synced: list[bool] = []
    real = os.fsync

    def fsync(file: int) -> None:
        synced.append(stat.S_ISDIR(os.fstat(file).st_mode))
        real(file)

    monkeypatch.setattr("fairshoe.store.os.fsync", fsync)
    store = Store(tmp_path / "bot.json")
    store.pin(["http://a.example"], "key")
    assert synced == [False, True]
    store.close()


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_two_names_of_one_file_are_one_store(tmp_path: pathlib.Path) -> None:
    (tmp_path / "other.json").symlink_to(tmp_path / "bot.json")
    store = Store(tmp_path / "bot.json")
    with pytest.raises(StoreError, match="another program"):
        Store(tmp_path / "other.json")
    store.close()
    with pytest.raises(StoreError, match="was closed"):
        store.pin(["http://a.example"], "key")  # Another program may have it by now.
    Store(tmp_path / "other.json").close()


@pytest.mark.parametrize("state", ['{"version":1,"seeds":{}}', "[" * 99_999, '{"version":1,"logs":[]}', "[]", "\x00"])
def test_a_file_that_is_no_store(tmp_path: pathlib.Path, state: str) -> None:
    (tmp_path / "bot.json").write_text(state)
    for _ in range(2):  # The lock is given back.
        with pytest.raises(StoreError, match=r"is no store|cannot be read"):
            Store(tmp_path / "bot.json")


def test_a_bet_that_was_refused_does_not_make_an_honest_round_a_lie(tmp_path: pathlib.Path) -> None:
    """The first bet's answer was lost, a later other one was refused: what the log binds is the first."""
    for store in (Store(), Store(tmp_path / "bot.json")):
        place = ("house.example/log", "t", "ab" * 32, 0, "alice")
        one: list[Any] = [{"spot": "1", "stake": 5}]
        other: list[Any] = [{"spot": "1", "stake": 9}]
        assert store.commit(*place, one) == store.commit(*place, other)
        kept = store.committed(*place)
        assert kept is not None and one in kept[1] and other in kept[1] and [] not in kept[1]
        store.close()
