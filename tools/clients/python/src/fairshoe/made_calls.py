"""The calls to which nothing is added by hand, each as a flow: made by scripts/generate.py."""

from __future__ import annotations

from .asking import Asking, hex32, round_id, without_none
from .contract import (
    Accepted,
    Bundle,
    ClusterView,
    DecisionList,
    EventTableList,
    JsonObject,
    KnownLogList,
    LimitOf,
    LimitPer,
    Pay,
    PlayerList,
    PlayerRecall,
    PlayerView,
    PlayerWallet,
    Recall,
    RoundList,
    RoundRead,
    RuleSetView,
    Standings,
    StructureView,
    TableList,
    TableView,
    TournamentList,
    TournamentView,
    WalletOperation,
)
from .core import OPERATOR, name, path
from .core import amount as units
from .flow import Flow


class MadeCalls(Asking):
    """The flows of the calls to which nothing is added by hand."""

    def get_cluster(self) -> Flow[ClusterView]:
        return (yield from self._get("getCluster", ClusterView, "/v1/cluster"))

    def list_logs(self) -> Flow[KnownLogList]:
        return (yield from self._get("listLogs", KnownLogList, "/v1/logs"))

    def get_player_wallet(self, player: str) -> Flow[PlayerWallet]:
        return (
            yield from self._get("getPlayerWallet", PlayerWallet, path("/v1/players/{}/wallet", name(player, "player")))
        )

    def get_wallet_operation(self, no: int, *, wait_ms: int | None = None) -> Flow[WalletOperation]:
        return (yield from self._get("getWalletOperation", WalletOperation, path("/v1/wallet/{}", no), wait_ms=wait_ms))

    def get_player(self, player: str) -> Flow[PlayerView]:
        return (yield from self._get("getPlayer", PlayerView, path("/v1/players/{}", name(player, "player"))))

    def list_player_rounds(
        self, player: str, *, cursor: str | None = None, limit: int | None = None
    ) -> Flow[RoundList]:
        return (
            yield from self._get(
                "listPlayerRounds",
                RoundList,
                path("/v1/players/{}/rounds", name(player, "player")),
                cursor=cursor,
                limit=limit,
            )
        )

    def recall_player(self, player: str, *, last: int | None = None) -> Flow[PlayerRecall]:
        return (
            yield from self._get(
                "recallPlayer", PlayerRecall, path("/v1/players/{}/recall", name(player, "player")), last=last
            )
        )

    def list_tables(self, *, cursor: str | None = None, limit: int | None = None) -> Flow[TableList]:
        return (yield from self._get("listTables", TableList, "/v1/tables", cursor=cursor, limit=limit))

    def get_table(self, table: str) -> Flow[TableView]:
        return (yield from self._get("getTable", TableView, path("/v1/tables/{}", name(table, "table"))))

    def close_table(self, table: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {}
        at = path("/v1/tables/{}/close", name(table, "table"))
        command = {"close_table": {"table": table}}
        return (yield from self._do("closeTable", at, body, key=idempotency_key, command=command))

    def leave_seat(self, table: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        at = path("/v1/tables/{}/seat", name(table, "table"))
        command = {"leave_seat": {"table": table}}
        return (yield from self._do("leaveSeat", at, None, key=idempotency_key, command=command, method="DELETE"))

    def sit_out(self, table: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {}
        at = path("/v1/tables/{}/sit_out", name(table, "table"))
        command = {"sit_out": {"table": table}}
        return (yield from self._do("sitOut", at, body, key=idempotency_key, command=command))

    def want_seat(self, table: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {}
        at = path("/v1/tables/{}/waiting", name(table, "table"))
        command = {"want_seat": {"table": table}}
        return (yield from self._do("wantSeat", at, body, key=idempotency_key, command=command))

    def unseat(self, table: str, seat: int, reason: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"reason": reason}
        at = path("/v1/tables/{}/seats/{}/unseat", name(table, "table"), seat)
        command = {"unseat": {"table": table, "reason": reason}}
        return (yield from self._do("unseat", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def add_chips(self, table: str, amount: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"amount": units(amount, "amount")}
        at = path("/v1/tables/{}/chips", name(table, "table"))
        command = {"add_chips": {"table": table, "amount": amount}}
        return (yield from self._do("addChips", at, body, key=idempotency_key, command=command))

    def list_table_rounds(self, table: str, *, cursor: str | None = None, limit: int | None = None) -> Flow[RoundList]:
        return (
            yield from self._get(
                "listTableRounds",
                RoundList,
                path("/v1/tables/{}/rounds", name(table, "table")),
                cursor=cursor,
                limit=limit,
            )
        )

    def get_round(self, round: str) -> Flow[RoundRead]:
        round_id(round)
        return (yield from self._get("getRound", RoundRead, path("/v1/rounds/{}", round)))

    def list_actions(self, round: str) -> Flow[DecisionList]:
        round_id(round)
        return (yield from self._get("listActions", DecisionList, path("/v1/rounds/{}/actions", round)))

    def void_round(self, round: str, reason: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        table, number = round_id(round)
        body: JsonObject = {"reason": reason}
        at = path("/v1/rounds/{}/void", round)
        command = {"void_round": {"table": table, "round_no": number, "reason": reason}}
        return (yield from self._do("voidRound", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def get_bundle(self, round: str) -> Flow[Bundle]:
        round_id(round)
        return (yield from self._get("getBundle", Bundle, path("/v1/rounds/{}/bundle", round)))

    def recall_round(self, round: str) -> Flow[Recall]:
        round_id(round)
        return (yield from self._get("recallRound", Recall, path("/v1/rounds/{}/recall", round)))

    def list_tournaments(self, *, cursor: str | None = None, limit: int | None = None) -> Flow[TournamentList]:
        return (yield from self._get("listTournaments", TournamentList, "/v1/tournaments", cursor=cursor, limit=limit))

    def get_tournament(self, tournament: str) -> Flow[TournamentView]:
        return (
            yield from self._get(
                "getTournament", TournamentView, path("/v1/tournaments/{}", name(tournament, "tournament"))
            )
        )

    def list_standings(
        self, tournament: str, *, cursor: int | None = None, limit: int | None = None
    ) -> Flow[Standings]:
        return (
            yield from self._get(
                "listStandings",
                Standings,
                path("/v1/tournaments/{}/standings", name(tournament, "tournament")),
                cursor=cursor,
                limit=limit,
            )
        )

    def list_tournament_tables(
        self, tournament: str, *, cursor: int | None = None, limit: int | None = None
    ) -> Flow[EventTableList]:
        return (
            yield from self._get(
                "listTournamentTables",
                EventTableList,
                path("/v1/tournaments/{}/tables", name(tournament, "tournament")),
                cursor=cursor,
                limit=limit,
            )
        )

    def unregister(self, tournament: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        command = {"unregister": {"event": tournament}}
        return (
            yield from self._in_event(
                "unregister", tournament, "/registration", None, command, key=idempotency_key, method="DELETE"
            )
        )

    def rebuy(self, tournament: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {}
        command = {"rebuy": {"event": tournament}}
        return (yield from self._in_event("rebuy", tournament, "/rebuy", body, command, key=idempotency_key))

    def decline_rebuy(self, tournament: str, entry_no: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"entry_no": entry_no}
        command = {"decline_rebuy": {"event": tournament, "entry_no": entry_no}}
        return (
            yield from self._in_event("declineRebuy", tournament, "/decline_rebuy", body, command, key=idempotency_key)
        )

    def add_on(self, tournament: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {}
        command = {"add_on": {"event": tournament}}
        return (yield from self._in_event("addOn", tournament, "/add_on", body, command, key=idempotency_key))

    def offer_stake(self, tournament: str, basis_points: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"basis_points": basis_points}
        command = {"offer_stake": {"event": tournament, "basis_points": basis_points}}
        return (yield from self._in_event("offerStake", tournament, "/stakes", body, command, key=idempotency_key))

    def buy_stake(
        self, tournament: str, seller: str, basis_points: int, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"basis_points": basis_points}
        command = {"buy_stake": {"event": tournament, "seller": seller, "basis_points": basis_points}}
        return (
            yield from self._in_event(
                "buyStake", tournament, path("/stakes/{}", name(seller, "seller")), body, command, key=idempotency_key
            )
        )

    def want_deal(self, tournament: str, want: bool, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"want": want}
        command = {"want_deal": {"event": tournament, "want": want}}
        return (yield from self._in_event("wantDeal", tournament, "/deal/wish", body, command, key=idempotency_key))

    def answer_deal(
        self, tournament: str, digest: str, accept: bool, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"digest": hex32(digest, "digest"), "accept": accept}
        command = {"answer_deal": {"event": tournament, "digest": digest, "accept": accept}}
        return (
            yield from self._in_event("answerDeal", tournament, "/deal/answers", body, command, key=idempotency_key)
        )

    def set_bounty(
        self, tournament: str, player: str, has: bool, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"player": name(player, "player"), "has": has}
        command = {"set_bounty": {"event": tournament, "player": player, "has": has}}
        return (
            yield from self._in_event(
                "setBounty", tournament, "/bounties", body, command, key=idempotency_key, by=OPERATOR
            )
        )

    def disqualify(
        self, tournament: str, player: str, reason: str, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"player": name(player, "player"), "reason": reason}
        command = {"disqualify": {"event": tournament, "player": player, "reason": reason}}
        return (
            yield from self._in_event(
                "disqualify", tournament, "/disqualify", body, command, key=idempotency_key, by=OPERATOR
            )
        )

    def change_registration(
        self,
        tournament: str,
        late_levels: int,
        reason: str,
        *,
        unregister_ms: int | None = None,
        idempotency_key: str | None = None,
    ) -> Flow[Accepted]:
        body: JsonObject = without_none(late_levels=late_levels, unregister_ms=unregister_ms, reason=reason)
        command = {
            "change_registration": without_none(
                event=tournament, late_levels=late_levels, unregister_ms=unregister_ms, reason=reason
            )
        }
        return (
            yield from self._in_event(
                "changeRegistration", tournament, "/registration_times", body, command, key=idempotency_key, by=OPERATOR
            )
        )

    def postpone(
        self, tournament: str, starts_at: int, reason: str, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"starts_at": starts_at, "reason": reason}
        command = {"postpone": {"event": tournament, "starts_at": starts_at, "reason": reason}}
        return (
            yield from self._in_event(
                "postpone", tournament, "/postpone", body, command, key=idempotency_key, by=OPERATOR
            )
        )

    def know_log(self, log: str, policy: str | None = None, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = without_none(log=log, policy=policy)
        at = "/v1/logs"
        command = {"know_log": {"log": log}}
        return (yield from self._do("knowLog", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def claim_transfer(self, sender: str, entry: str, proof: str) -> Flow[Accepted]:
        """Hands in a transfer that another log sent; the chips come once, however often it is handed in."""
        body: JsonObject = {"from": sender, "entry": entry, "proof": proof}
        at = "/v1/transfers"
        command = {"transfer_in": {"from": sender, "entry": entry}}
        return (
            yield from self._do("claimTransfer", at, body, key=False, expects=command, by="*", repeats_by_content=True)
        )

    def send_transfer(self, player: str, to: str, amount: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"to": to, "amount": units(amount, "amount")}
        at = path("/v1/players/{}/transfers", name(player, "player"))
        command = {"transfer_out": {"to": to, "player": player, "amount": amount}}
        return (yield from self._do("sendTransfer", at, body, key=idempotency_key, command=command))

    def deposit_from_wallet(self, player: str, amount: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"amount": units(amount, "amount")}
        at = path("/v1/players/{}/wallet/deposits", name(player, "player"))
        command = {"wallet_deposit": {"player": player, "amount": amount}}
        return (yield from self._do("depositFromWallet", at, body, key=idempotency_key, command=command))

    def withdraw_to_wallet(self, player: str, amount: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"amount": units(amount, "amount")}
        at = path("/v1/players/{}/wallet/withdrawals", name(player, "player"))
        command = {"wallet_withdraw": {"player": player, "amount": amount}}
        return (yield from self._do("withdrawToWallet", at, body, key=idempotency_key, command=command))

    def cancel_deposit(self, no: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {}
        at = path("/v1/wallet/{}/cancel", no)
        command = {"wallet_cancel": {"no": no}}
        return (yield from self._do("cancelDeposit", at, body, key=idempotency_key, command=command))

    def list_players(
        self, *, search: str | None = None, cursor: str | None = None, limit: int | None = None
    ) -> Flow[PlayerList]:
        """Players whose names hold `search`. A page may be empty and have a `next` all the same: only null ends."""
        return (
            yield from self._get("listPlayers", PlayerList, "/v1/players", search=search, cursor=cursor, limit=limit)
        )

    def credit_player(
        self, player: str, amount: int, reference: str | None = None, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = without_none(amount=units(amount, "amount"), reference=reference)
        at = path("/v1/players/{}/credit", name(player, "player"))
        command = {"credit": without_none(player=player, amount=amount, reference=reference)}
        return (yield from self._do("creditPlayer", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def correct_player(
        self, player: str, amount: int, reason: str, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"amount": units(amount, "amount"), "reason": reason}
        at = path("/v1/players/{}/correct", name(player, "player"))
        command = {"correct": {"player": player, "amount": amount, "reason": reason}}
        return (yield from self._do("correctPlayer", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def set_limit(
        self, player: str, of: LimitOf, per: LimitPer, most: int | None = None, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        """What a player allows themselves, in minor units, of play time in milliseconds; without `most` no limit.
        What is more than before waits a day."""
        body: JsonObject = without_none(of=of, per=per, most=None if most is None else units(most, "most"))
        at = path("/v1/players/{}/limits", name(player, "player"))
        command = {"set_limit": without_none(player=player, of=of, per=per, most=most)}
        return (yield from self._do("setLimit", at, body, key=idempotency_key, command=command))

    def exclude(self, player: str, until: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        """Shuts a player out until this time, in UTC milliseconds. Nobody shortens it."""
        body: JsonObject = {"until": units(until, "until")}
        at = path("/v1/players/{}/exclusion", name(player, "player"))
        command = {"exclude": {"player": player, "until": until}}
        return (yield from self._do("exclude", at, body, key=idempotency_key, command=command))

    def get_rule_set(self, rules: str) -> Flow[RuleSetView]:
        return (yield from self._get("getRuleSet", RuleSetView, path("/v1/rulesets/{}", name(rules, "rules"))))

    def get_table_bundle(self, table: str) -> Flow[Bundle]:
        """The bundle of the table's latest round; `verify_round` fetches one and checks it."""
        return (yield from self._get("getTableBundle", Bundle, path("/v1/tables/{}/bundle", name(table, "table"))))

    def close_bets(self, table: str, round_no: int, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"round_no": round_no}
        at = path("/v1/tables/{}/close_bets", name(table, "table"))
        command = {
            "close_bets": {"table": table, "round_no": round_no},
            "close_call": {"table": table, "round_no": round_no},
        }
        return (yield from self._do("closeBets", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def shuffle(self, table: str, reason: str, *, idempotency_key: str | None = None) -> Flow[Accepted]:
        body: JsonObject = {"reason": reason}
        at = path("/v1/tables/{}/shuffle", name(table, "table"))
        command = {"retire_shoe": {"table": table, "reason": reason}}
        return (yield from self._do("shuffle", at, body, key=idempotency_key, expects=command, by=OPERATOR))

    def get_structure(self, structure: str) -> Flow[StructureView]:
        return (
            yield from self._get("getStructure", StructureView, path("/v1/structures/{}", name(structure, "structure")))
        )

    def register(
        self, tournament: str, commitment: str, pay: Pay = "cash", *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = {"commitment": hex32(commitment, "commitment"), "pay": pay}
        command = {"register": {"event": tournament, "commitment": commitment, "pay": pay}}
        return (yield from self._in_event("register", tournament, "/registration", body, command, key=idempotency_key))

    def substitute_prize(
        self, tournament: str, place: int, what: str, value: int, *, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        """The operator offers it for a prize; a player who is left accepts it by naming the same."""
        body: JsonObject = {"place": place, "what": what, "value": units(value, "value")}
        command = {"substitute_prize": {"event": tournament, "place": place, "what": what, "value": value}}
        return (
            yield from self._in_event("substitutePrize", tournament, "/substitutes", body, command, key=idempotency_key)
        )

    def cancel_tournament(
        self, tournament: str, reason: str, *, instant: int | None = None, idempotency_key: str | None = None
    ) -> Flow[Accepted]:
        body: JsonObject = without_none(instant=instant, reason=reason)
        command = {"cancel": without_none(event=tournament, instant=instant, reason=reason)}
        return (
            yield from self._in_event(
                "cancelTournament", tournament, "/cancel", body, command, key=idempotency_key, by=OPERATOR
            )
        )
