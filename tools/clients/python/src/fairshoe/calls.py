"""The calls of openapi.yaml about the log, players, tables and rounds, each described once, as a flow.

A method has the name of its `operationId`. What it returns, and which refusals it raises, is on the contract's page
of that call. `idempotency_key` names a request that changes something: the client makes one, keeps it over repeats,
and a program that may be killed in between gives its own. `command` is what the request makes in the player's name,
for players who sign.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

from . import shape
from .asking import hex32, round_id, without_none
from .contract import (
    Accepted,
    Action,
    Bet,
    Bundle,
    BundleVerdict,
    ClientKind,
    ComeIn,
    CurrentShoe,
    Disclosure,
    DisplayNames,
    Entry,
    JsonObject,
    LogInfo,
    LoginTicket,
    Ready,
    Recall,
    Receipt,
    RuleSetList,
    RuleSetView,
    SeenCheckpoint,
    ShoeHistory,
    SignificantList,
    TableEntries,
    TrialCommitment,
)
from .core import OPERATOR, Call, holds, name, new_key, path
from .core import amount as units
from .entries import Event, canonical, read_entry
from .errors import BadInput, BadReply, FairshoeError, NotProven, StoreError
from .fairness import Malformed, client_commitment, committed_bytes, table_context, unhex
from .flow import Flow, Secret
from .made_calls import MadeCalls
from .owed import Proofs, is_later, proof_of
from .proofs import tile_path

T = TypeVar("T")

LONGEST_WAIT_MS = 20_000


def check_epoch(epoch: str) -> None:
    try:
        unhex(epoch)
    except Malformed as error:
        raise BadReply(f"the epoch is {error}") from None


def check_trial(trial: TrialCommitment, origin: str, asked: JsonObject) -> None:
    """What the service says a commitment is, and what is hashed for it, is what this client computes."""
    check_epoch(trial["epoch"])
    told = {field: dict(trial)[field] for field in ("origin", "table", "round_no", "player")}
    wanted = {"origin": origin, **{field: asked[field] for field in ("table", "round_no", "player")}}
    if told != wanted:
        raise NotProven("origin", f"the dry run is of {told}, asked was for {wanted}")
    context = table_context(origin, asked["table"], trial["epoch"])
    of = (context, asked["round_no"], asked["player"], bytes.fromhex(asked["seed"]))
    if trial["hashed"] != committed_bytes(*of).hex():
        raise NotProven("seed_revealed", "the service hashes other bytes for a commitment than this client")
    if trial["commitment"] != client_commitment(*of).hex():
        raise NotProven("seed_revealed", "the service expects another commitment of a seed than this client makes")


def bet_list(bets: Sequence[Bet]) -> list[Bet]:
    """The bets with their fields in the order in which a player's signature has them."""
    if isinstance(bets, (str, Mapping)) or not bets:
        raise BadInput("bets are a list of {'spot': text, 'stake': integer}")
    listed: list[Bet] = []
    for bet in bets:
        if not isinstance(bet, Mapping) or not {"spot", "stake"} <= set(bet) <= {"spot", "stake", "chips"}:
            raise BadInput(f"a bet has the fields spot and stake, and perhaps chips; got {bet!r}")
        if not isinstance(bet["spot"], str):
            raise BadInput("a spot is a text")
        one: Bet = {"spot": bet["spot"], "stake": units(bet["stake"], "stake")}
        if "chips" in bet:
            one["chips"] = [units(chip, "a chip") for chip in bet["chips"]]
        listed.append(one)
    return listed


def events_of(receipt: Receipt) -> list[Event]:
    try:
        return list(read_entry(receipt["entry"]).events)
    except Malformed as error:
        raise NotProven("entry_form", str(error), receipt["index"]) from None


def check_told(reply: Accepted, field: str, word: str, logged: str) -> None:
    """What a reply tells beside its receipt is what the receipt's own entry says."""
    found = [event.fields[logged] for event in events_of(reply["receipts"][0]) if event.word == word]
    if found != [dict(reply)[field]]:
        raise NotProven("receipt", f"the reply names another {field} than its entry", reply["receipts"][0]["index"])


def place_of(entry: str, index: int) -> tuple[str | None, int | None]:
    """At which table, and where in its own sequence, an entry stands."""
    try:
        read = read_entry(entry)
    except Malformed as error:
        raise NotProven("entry_form", str(error), index) from None
    return read.table, read.seq


def check_shoe(receipt: Receipt, table: str, shoe: CurrentShoe | ShoeHistory) -> None:
    """A shoe as a reply describes it is the one that its receipt's entry committed, at this table."""
    index = receipt["index"]
    told = {field: dict(shoe)[field] for field in ("shoe_no", "composition", "candidates")}
    committed = [event.fields for event in events_of(receipt) if event.word == "shoe_committed"]
    if place_of(receipt["entry"], index)[0] != table or told not in committed:
        raise NotProven("shoe_committed", "the shoe that is told is not the one that was committed", index)


def is_changed_by(rules: object, base: object, options: Mapping[str, Any]) -> bool:
    """Whether a rule set is the base, but where `options` name a field, at whatever depth it stands."""
    if not isinstance(rules, dict) or not isinstance(base, dict):
        return rules == base
    for field in {**base, **rules}:
        if field in options:
            if rules.get(field) != options[field]:
                return False
        elif field not in rules or field not in base or not is_changed_by(rules[field], base[field], options):
            return False
    return True


class Calls(MadeCalls):
    """The flows of openapi.yaml's calls but those of tournaments."""

    # --- Service --------------------------------------------------------------------------------

    def get_health(self) -> Flow[str]:
        return (yield from self.text(Call("getHealth", "GET", "/healthz", accept="text/plain")))

    def get_ready(self) -> Flow[Ready]:
        """Whether the service can be used; `ready` is false where it answers 503."""
        call = Call("getReady", "GET", "/readyz", takes=frozenset({503}))
        return (yield from self.ask(call, Ready))

    def get_metrics(self) -> Flow[str]:
        return (yield from self.text(Call("getMetrics", "GET", "/metrics", accept="*/*")))

    def get_contract(self) -> Flow[str]:
        return (yield from self.text(Call("getContract", "GET", "/openapi.yaml", accept="*/*")))

    # --- The log --------------------------------------------------------------------------------

    def get_checkpoint(self) -> Flow[str]:
        """The newest checkpoint, verified and of one history with the kept one."""
        note = yield from self.text(Call("getCheckpoint", "GET", "/checkpoint", accept="*/*"))
        yield from self.hold(note)
        return note

    def get_witnessed_checkpoint(self) -> Flow[str]:
        """The newest checkpoint that met the witnesses' quorum. The log's signature is checked, cosignatures are
        not."""
        note = yield from self.text(Call("getWitnessedCheckpoint", "GET", "/checkpoint/witnessed", accept="*/*"))
        yield from self.hold(note)
        return note

    def get_tile(self, level: int, index: int, width: int = 256) -> Flow[bytes]:
        response = yield from self.send(Call("getTile", "GET", tile_path(level, index, width), accept="*/*"))
        return response.body

    def get_entry_bundle(self, index: int, width: int = 256) -> Flow[bytes]:
        at = tile_path(0, index, width).replace("/tile/0/", "/tile/entries/")
        response = yield from self.send(Call("getEntryBundle", "GET", at, accept="*/*"))
        return response.body

    def get_state(self, size: int) -> Flow[str]:
        call = Call("getState", "GET", path("/state/{}", size), accept="*/*", timeout=600.0)
        call.most_bytes = 1 << 30
        return (yield from self.text(call))

    def get_log(self) -> Flow[LogInfo]:
        info: LogInfo = yield from self._get("getLog", LogInfo, "/v1/log")
        yield from self.hold(info["checkpoint"])
        return info

    def get_receipt(self, index: int, *, witnessed: bool = False) -> Flow[str]:
        """An entry's receipt as a `.tlog-proof`; `prove_entry` verifies one together with the entry."""
        at = path("/v1/receipts/{}", index)
        query = {"witnessed": True} if witnessed else {}
        return (yield from self.text(Call("getReceipt", "GET", at, query, accept="*/*")))

    def get_entry(self, index: int) -> Flow[Entry]:
        """An entry, proven to be at this place of the log."""
        text = yield from self.text(Call("getEntry", "GET", path("/v1/entries/{}", index)))
        yield from self.prove_entry(index, text)
        value: Entry = canonical(text)
        shape.check(value, Entry, "getEntry")
        return value

    def prove_entry(self, index: int, entry: str) -> Flow[None]:
        """Fetches an entry's receipt and verifies it: just these bytes are at this place of the log."""
        proof = yield from self.get_receipt(index)
        yield from self.prove(index, entry, proof)

    def prove_owed(self, round: str | None = None) -> Flow[None]:
        """Proves what came without its proof (`proofs="later"`), of one round or of all: the log's own receipt of each
        entry has to hold for the bytes that were told. What the log has no receipt for stays owed."""
        yield from self.prove_each([one for one in self.owed.all() if round in (None, one.round)])

    def get_names(self, players: Iterable[str]) -> Flow[DisplayNames]:
        """What at most 100 players are called, for people to read, beside their pseudonyms."""
        asked = ",".join(name(player, "player") for player in players)
        return (yield from self._get("getNames", DisplayNames, "/v1/names", players=asked))

    # --- Transfers and the wallet ---------------------------------------------------------------

    # --- Players --------------------------------------------------------------------------------

    def admit_guest(self) -> Flow[Accepted]:
        """Becomes a guest with play chips; this client plays as that guest from now on.

        It is sent once under each key: a repeat would bring the entry again, and the guest's token never. A guest whose
        answer was lost is dismissed by the house after a day.
        """
        reply: Accepted = yield from self._do(
            "admitGuest", "/v1/guests", {}, key=None, repeats=False, expects={"admit_guest": {}}, by="house"
        )
        if "token" not in reply or "player" not in reply:
            raise BadReply("the service admitted a guest without a token")
        check_told(reply, "player", "guest_admitted", "player")
        self._become(reply["player"], reply["token"])
        try:
            self._store.keep_player(self.addresses, reply["player"], reply["token"])
        except StoreError as error:
            error.reply = reply  # The guest is there, and this client plays as them; a later run would not.
            raise
        return reply

    def create_player(
        self, player: str, *, key: str | None = None, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        """Creates a player; the reply holds their token, unless a repeat under the caller's own key brought it."""
        body = without_none(player=name(player, "player"), key=key)
        reply: Accepted = yield from self._do(
            "createPlayer", "/v1/players", body, key=idempotency_key, by=OPERATOR, expects={"create_player": body}
        )
        if "token" not in reply and idempotency_key is None:
            # The first answer was lost, and with it a token that nobody holds: a new one ends it.
            try:
                again = yield from self.issue_token(player, revoke=True)
            except FairshoeError as error:
                error.reply = reply  # The player is there all the same.
                raise
            if "token" not in again:
                raise BadReply("the service issued a token and did not tell it")
            reply["token"] = again["token"]
        return reply

    def withdraw_chips(
        self,
        player: str,
        amount: int,
        reference: str | None = None,
        *,
        signature: str | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        """The operator pays chips out. `signature` is the player's (`sign_withdrawal`), where they have a key; a client
        that has this player's `signing_key` beside the operator's token signs by itself."""
        body = without_none(amount=units(amount, "amount"), reference=reference)
        at = path("/v1/players/{}/withdraw", name(player, "player"))
        if signature is None and self.player == player and (yield from self.pen(may_name=False)) is not None:
            signature = yield from self.sign_withdrawal(amount, reference)
        call = Call("withdrawChips", "POST", at, body=body, idempotency_key=idempotency_key or new_key(), by=OPERATOR)
        call.is_given_key = idempotency_key is not None
        call.expects = {"withdraw": {"player": player, **body}}
        if signature is not None:
            # What a player signed is theirs, whoever brings it.
            call.headers["Fairshoe-Signature"], call.by = signature, f"player:{player}"
        return (yield from self.act_on(call))

    def sign_withdrawal(self, amount: int, reference: str | None = None) -> Flow[str]:
        """This player's signature of the payment of chips, for the operator: `withdraw_chips(…, signature=…)`.

        It is good until something else that this player signed is logged: send it first.
        """
        if self.player is None or (yield from self.pen(may_name=False)) is None:
            raise BadInput("who signs? This player has no key here, and no signing_key was given")
        fields = without_none(amount=units(amount, "amount"), reference=reference)
        signed = yield from self.signature_of({"withdraw": {"player": self.player, **fields}})
        return str(signed["header"])

    def set_key(
        self,
        player: str,
        key: str | None = None,
        reason: str | None = None,
        *,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        body = without_none(key=key, reason=reason)
        at = path("/v1/players/{}/key", name(player, "player"))
        command = {"set_key": {"player": player, **body}}
        reply: Accepted = yield from self._do("setKey", at, body, key=idempotency_key, command=command)
        if player == self.player:
            self._look_again()
        return reply

    def issue_token(self, player: str, *, revoke: bool = False, seconds: int | None = None) -> Flow[Accepted]:
        """A new token, for so many seconds or until it is revoked; `revoke` ends the earlier ones.

        Without `revoke` it is not sent again when no answer came.
        """
        at = path("/v1/players/{}/tokens", name(player, "player"))
        command = {"issue_token": {"holder": f"player:{player}", "revoke": revoke}}
        body = without_none(revoke=revoke, seconds=seconds)
        return (yield from self._do("issueToken", at, body, command=command, repeats=revoke))

    def issue_ticket(self, player: str, *, revoke: bool = False, seconds: int | None = None) -> Flow[LoginTicket]:
        """A ticket by which a browser becomes the player, once and within a minute: send it to `link`.

        `seconds` and `revoke` are those of the token that the browser gets for it.
        """
        at = path("/v1/players/{}/tickets", name(player, "player"))
        call = Call("issueTicket", "POST", at, body=without_none(revoke=revoke, seconds=seconds))
        ticket: LoginTicket = yield from self.ask(call, LoginTicket)
        ticket["ticket"], ticket["link"] = Secret(ticket["ticket"]), Secret(ticket["link"])
        return ticket

    def exchange_ticket(self, ticket: str) -> Flow[Accepted]:
        """Becomes the player for whom the ticket was made; this client plays as them until `token_until`.

        It is sent once: a ticket is good once. Nothing of it is kept in the store, since the token ends by itself.
        """
        reply: Accepted = yield from self._do(
            "exchangeTicket",
            "/v1/tickets/exchange",
            {"ticket": ticket},
            repeats=False,
            by=OPERATOR,
            expects={"issue_token": {}},
        )
        if "token" not in reply or "player" not in reply:
            raise BadReply("the service took a ticket and gave no token")
        holders = [event.fields["holder"] for event in events_of(reply["receipts"][0]) if event.word == "token_issued"]
        if holders != [f"player:{reply['player']}"]:
            raise NotProven("receipt", "the token is another one's than the reply says", reply["receipts"][0]["index"])
        self._become(reply["player"], reply["token"])
        return reply

    def create_auditor(self, auditor: str, *, revoke: bool = False, seconds: int | None = None) -> Flow[Accepted]:
        body = without_none(name=name(auditor, "auditor"), revoke=revoke, seconds=seconds)
        return (
            yield from self._do(
                "createAuditor",
                "/v1/auditors",
                body,
                repeats=revoke,
                by=OPERATOR,
                expects={"issue_token": {"holder": f"auditor:{auditor}", "revoke": revoke}},
            )
        )

    # --- Tables ---------------------------------------------------------------------------------

    def list_rule_sets(self) -> Flow[list[RuleSetView]]:
        reply = yield from self._get("listRuleSets", RuleSetList, "/v1/rulesets")
        found: list[RuleSetView] = reply["rulesets"]
        return found

    def open_table(
        self,
        rules: str,
        *,
        table: str | None = None,
        replaces: str | None = None,
        options: Mapping[str, Any] | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        """The entry holds the rule set of that name as `get_rule_set` shows it, with `options` in it.

        What the name stands for is the house's word: look at the rules, or compare the digest.
        """
        is_signed = self.player is not None and (yield from self.pen()) is not None
        if is_signed and table is None:
            # Who signs names the table. A guest's are called so (spec/ledger.md, "Play chips").
            table = f"{f'play.{self.player}.' if str(self.player).startswith('guest.') else ''}own-{new_key()}"
        body = without_none(table=table, rules=name(rules, "rules"), replaces=replaces, options=options)
        # Signed is the rule set whole, and the table by name: what the entry will hold.
        whole = yield from self.get_rule_set(rules)
        wanted = without_none(table=table, rules=whole["rules"], replaces=replaces)
        command = {"open_table": wanted} if is_signed or self._is_elsewhere else None
        expected = without_none(table=table, replaces=replaces)
        reply: Accepted = yield from self._do(
            "openTable", "/v1/tables", body, key=idempotency_key, command=command, expects={"open_table": expected}
        )
        opened, index = read_entry(reply["receipts"][0]["entry"]), reply["receipts"][0]["index"]
        if not is_changed_by(opened.fields["rules"], whole["rules"], options or {}):
            raise NotProven(
                "rule_set", f"the table was opened with other rules than {rules}", reply["receipts"][0]["index"]
            )
        if reply.get("table", opened.fields["table"]) != opened.fields["table"]:
            raise NotProven("receipt", "the reply names another table than its entry", index)
        return reply

    def get_table_shoe(self, table: str) -> Flow[CurrentShoe]:
        shoe: CurrentShoe = yield from self._get(
            "getTableShoe", CurrentShoe, path("/v1/tables/{}/shoe", name(table, "table"))
        )
        receipt = shoe["receipt"]
        yield from self.prove(receipt["index"], receipt["entry"], proof_of(receipt))
        check_shoe(receipt, table, shoe)
        return shoe

    def take_seat(
        self,
        table: str,
        seat: int | None = None,
        *,
        buy_in: int | None = None,
        client: ClientKind | None = None,
        entry: ComeIn | None = None,
        straddle: bool | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        """Takes a seat; of one who sits: asks to play, or comes back from sitting out."""
        if buy_in is not None:
            units(buy_in, "buy_in")
        body = without_none(seat=seat, buy_in=buy_in, client=client, entry=entry, straddle=straddle)
        at = path("/v1/tables/{}/seat", name(table, "table"))
        if buy_in is not None:
            fields = without_none(table=table, seat=seat, buy_in=buy_in, client=client, entry=entry)
            command: JsonObject = {"sit_down": fields}
        elif entry is not None or straddle is not None:
            command = {"sit_in": without_none(table=table, entry=entry, straddle=straddle)}
        else:
            command = {"take_seat": {"table": table, "seat": seat}} if seat else {"ask_to_play": {"table": table}}
            if seat is None and (yield from self._signs_at_cash(table)):
                command = {"sit_in": {"table": table}}
        # What a wish comes to depends on whether the player sits already; whatever was asked for stands in it.
        expects: JsonObject = dict(command)
        if buy_in is None:
            expects["sit_in"] = without_none(table=table, entry=entry, straddle=straddle)
            if entry is None and straddle is None:
                expects["ask_to_play"] = {"table": table}
                expects["take_seat"] = without_none(table=table, seat=seat)
        # A house may answer one who sits already with the entry by which they sat down.
        return (
            yield from self._do(
                "takeSeat", at, body, key=idempotency_key, command=command, expects=expects, repeats_by_content=True
            )
        )

    def _signs_at_cash(self, table: str) -> Flow[bool]:
        """Whether a player who signs does it at a cash table, whose commands have other names."""
        return (yield from self.pen()) is not None and "poker" in (yield from self.get_table(table))["rules"]["game"]

    def list_table_entries(
        self, table: str, *, from_seq: int = 0, limit: int | None = None, wait_ms: int | None = None
    ) -> Flow[TableEntries]:
        """A table's entries, each proven to be on the log under the reply's checkpoint."""
        if wait_ms is not None and not 0 <= wait_ms <= LONGEST_WAIT_MS:
            raise BadInput(f"wait_ms is 0 to {LONGEST_WAIT_MS}")
        at = path("/v1/tables/{}/entries", name(table, "table"))
        reply: TableEntries = yield from self._get(
            "listTableEntries", TableEntries, at, from_seq=from_seq, limit=limit, wait_ms=wait_ms, proofs=True
        )
        yield from self.prove_listed(reply, table, from_seq)
        return reply

    def prove_listed(self, reply: TableEntries, of: str, from_seq: int) -> Flow[None]:
        """Each entry is on the log, is of this table or tournament, and none between them is left out."""
        checkpoint = yield from self.hold(reply["checkpoint"])
        if reply["table"] != of:
            raise NotProven("bundle_order", f"the entries are of {reply['table'][:80]}, not of {of}")
        for seq, item in enumerate(reply["entries"], start=from_seq):
            self.check_listed(item["index"], item["entry"], item.get("proof", []), checkpoint)
            place = place_of(item["entry"], item["index"])
            if place != (of, seq) or item["seq"] != seq:
                raise NotProven("table_seq", f"place {seq} of {of} was to come, not {place}", item["index"])

    # --- Rounds ---------------------------------------------------------------------------------

    def try_commitment(self, table: str, round_no: int = 0, *, player: str | None = None) -> Flow[TrialCommitment]:
        """A self check, which changes nothing: the service's commitment of a seed is the one that this client makes.

        The seed is made for this and thrown away: what was sent here could be played with by nobody.
        """
        whose = player if player is not None else self.player
        if whose is None:
            raise BadInput("whose commitment would it be? Give player")
        fields = {"player": name(whose, "player"), "round_no": units(round_no, "round_no")}
        body: JsonObject = {**fields, "seed": secrets.token_hex(32)}
        at = path("/v1/tables/{}/commitment", name(table, "table"))
        trial: TrialCommitment = yield from self.ask(Call("tryCommitment", "POST", at, body=body), TrialCommitment)
        key = yield from self.log_key()
        check_trial(trial, key.name, {"table": table, **body})
        return trial

    def place_bet(self, table: str, round_no: int, bets: Sequence[Bet], commitment: str, epoch: str) -> Flow[Accepted]:
        """Bets with a commitment of the caller's own; `play_round` makes, keeps and reveals the seed by itself.

        `epoch`: the one that the commitment is bound to. A repeat has the same: where another is in force by now, a bet
        that was taken gets its own entry, and one that was not is refused (`wrong_epoch`).
        """
        fields: JsonObject = {"round_no": round_no, "bets": bet_list(bets)}
        fields["commitment"] = hex32(commitment, "commitment")
        body = {**fields, "epoch": hex32(epoch, "epoch")}
        command = {"bet": {"table": name(table, "table"), **fields}}
        at = path("/v1/tables/{}/bets", table)
        subject = f"{table}:{round_no}"
        return (yield from self._do("placeBet", at, body, command=command, repeats_by_content=True, subject=subject))

    def cancel_bet(self, table: str, round_no: int, *, proofs: Proofs | None = None) -> Flow[Accepted]:
        at = path("/v1/tables/{}/bets/{}", name(table, "table"), round_no)
        word = "withdraw_hand_seed" if (yield from self._signs_at_cash(table)) else "cancel_bet"
        command = {word: {"table": table, "round_no": round_no}}
        return (
            yield from self._do(
                "cancelBet",
                at,
                None,
                command=command,
                method="DELETE",
                expects={word: {"table": table, "round_no": round_no} for word in ("cancel_bet", "withdraw_hand_seed")},
                repeats_by_content=True,
                subject=f"{table}:{round_no}",
                later=f"{table}:{round_no}" if is_later(proofs) else None,
            )
        )

    def commit_seed(
        self, round: str, commitment: str, epoch: str, *, for_hand: bool = True, proofs: Proofs | None = None
    ) -> Flow[Accepted]:
        """Commits for a hand of poker or, with `for_hand` false, for a new pile of Safe; `epoch` as of `place_bet`.

        With `proofs="later"` the commitment is proven before `reveal_seed` sends the seed.
        """
        table, number = round_id(round)
        word = "commit_hand_seed" if for_hand else "commit_seed"
        fields = {"table": table, "round_no": number, "commitment": hex32(commitment, "commitment")}
        command = {word: fields}
        at = path("/v1/rounds/{}/commitments", round)
        return (
            yield from self._do(
                "commitSeed",
                at,
                {"commitment": commitment, "epoch": hex32(epoch, "epoch")},
                command=command,
                expects={either: fields for either in ("commit_seed", "commit_hand_seed")},
                repeats_by_content=True,
                subject=f"{table}:{number}",
                later=round if is_later(proofs) else None,
            )
        )

    def reveal_seed(
        self,
        round: str,
        player: str,
        seed: str,
        *,
        saw: SeenCheckpoint | None = None,
        next: str | None = None,
        proofs: Proofs | None = None,
    ) -> Flow[Accepted]:
        """Reveals a seed. What is owed of the table is proven first: the commitment among it binds the house."""
        table, number = round_id(round)
        later = round if is_later(proofs) or self._is_later else None
        body = without_none(player=name(player, "player"), seed=hex32(seed, "seed"), saw=saw, next=next)
        command = {"reveal": {"table": table, "round_no": number, **body}}
        # A repeat has the checkpoint that was seen when the seed went out first.
        shown = {"table": table, "round_no": number, **without_none(player=player, seed=seed, next=next)}
        yield from self.prove_each([one for one in self.owed.all() if one.table == table])
        return (
            yield from self._do(
                "revealSeed",
                path("/v1/rounds/{}/reveals", round),
                body,
                command=command,
                expects={"reveal": shown},
                repeats_by_content=True,
                later=later,
            )
        )

    def hand_in_late_seed(self, round: str, player: str, seed: str, *, proofs: Proofs | None = None) -> Flow[Accepted]:
        table, number = round_id(round)
        body = {"player": name(player, "player"), "seed": hex32(seed, "seed")}
        command = {"late_seed": {"table": table, "round_no": number, **body}}
        at = path("/v1/rounds/{}/late-seeds", round)
        later = round if is_later(proofs) else None
        return (yield from self._do("handInLateSeed", at, body, command=command, repeats_by_content=True, later=later))

    def act(self, round: str, decision: int, action: Action, *, proofs: Proofs | None = None) -> Flow[Accepted]:
        table, number = round_id(round)
        later = round if is_later(proofs) or self._is_later else None
        body: JsonObject = {"decision": decision, "action": action}
        command = {"act": {"table": table, "round_no": number, **body}}
        at = path("/v1/rounds/{}/actions", round)
        return (yield from self._do("act", at, body, command=command, repeats_by_content=True, later=later))

    def get_shoe(self, table: str, shoe_no: int) -> Flow[ShoeHistory]:
        at = path("/v1/shoes/{}/{}", name(table, "table"), shoe_no)
        shoe: ShoeHistory = yield from self._get("getShoe", ShoeHistory, at)
        for receipt in (shoe["committed"], shoe["revealed"], shoe["sealed"]):
            if receipt is not None:
                yield from self.prove(receipt["index"], receipt["entry"], proof_of(receipt))
        if shoe["shoe_no"] != shoe_no:
            raise NotProven("shoe", f"shoe {shoe['shoe_no']} was shown, not {shoe_no}")
        check_shoe(shoe["committed"], table, shoe)
        return shoe

    def get_disclosure(self, table: str, shoe_no: int) -> Flow[Disclosure]:
        at = path("/v1/shoes/{}/{}/disclosure", name(table, "table"), shoe_no)
        found: Disclosure = yield from self._get("getDisclosure", Disclosure, at)
        receipt = found["receipt"]
        yield from self.prove(receipt["index"], receipt["entry"], proof_of(receipt))
        disclosed = [event.fields for event in events_of(receipt) if event.word == "shoe_disclosed"]
        wanted = {"table": table, "shoe_no": shoe_no}
        if (found["table"], found["shoe_no"]) != (table, shoe_no) or not any(holds(one, wanted) for one in disclosed):
            raise NotProven("shoe", "another shoe was disclosed than was asked for", receipt["index"])
        return found

    def disclose_shoe(
        self, table: str, shoe_no: int, reason: str, *, idempotency_key: str | None = None
    ) -> Flow[Disclosure]:
        at = path("/v1/shoes/{}/{}/disclosure", name(table, "table"), shoe_no)
        key = idempotency_key or new_key()
        call = Call("discloseShoe", "POST", at, body={"reason": reason}, idempotency_key=key, by="auditor:")
        call.is_given_key, call.repeats_by_content = idempotency_key is not None, True
        call.expects = {"disclose_shoe": {"table": table, "shoe_no": shoe_no, "reason": reason}}
        found: Disclosure | None = None
        try:
            since = self._begin(call)
            found = yield from self.ask(call, Disclosure)
            yield from self.check_receipts(call, [found["receipt"]], since)
            if (found["table"], found["shoe_no"]) != (table, shoe_no):
                raise NotProven("shoe", "another shoe was disclosed than was asked for", found["receipt"]["index"])
            return found
        except FairshoeError as error:
            error.idempotency_key, error.reply = key, found
            raise

    # --- Records --------------------------------------------------------------------------------

    def export_rounds(self, *, since: str | None = None, until: str | None = None) -> Flow[list[Recall]]:
        """All rounds whose bets were closed between two times (UTC milliseconds, or RFC 3339 in UTC)."""
        query = {"from": since, "to": until}
        call = Call("exportRounds", "GET", "/v1/export", query, accept="application/x-ndjson", timeout=600.0)
        response = yield from self.send(call)
        return self.read_lines(response, Recall, "exportRounds")

    def list_significant(
        self,
        *,
        since: str | None = None,
        until: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> Flow[SignificantList]:
        query = {"from": since, "to": until, "cursor": cursor, "limit": limit}
        return (yield from self.ask(Call("listSignificant", "GET", "/v1/significant", query), SignificantList))

    def verify_bundle(self, bundle: Bundle) -> Flow[BundleVerdict]:
        """The house's own verdict on a bundle. It is a convenience and proves nothing: `verify_round` checks here."""
        call = Call("verifyBundle", "POST", "/v1/verify", body=dict(bundle), timeout=120.0)
        return (yield from self.ask(call, BundleVerdict))
