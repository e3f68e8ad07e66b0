"""The methods that both clients have, listed once: each is a flow, which `Client` returns from and `AsyncClient`
awaits."""

from __future__ import annotations

import functools
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from typing import Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar, overload

from .contract import PartInRound, Transaction
from .drivers import AsyncDriver, PlainDriver
from .flow import Flow
from .stream import Streams, TableEvent

P = ParamSpec("P")
T = TypeVar("T")


class call(Generic[P, T]):
    """A flow as a method."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[T]]) -> None:
        self._flow = flow
        functools.update_wrapper(self, flow)

    def __call__(self, *args: P.args, **options: P.kwargs) -> NoReturn:
        """Of a class, where `help()` tells of it, there is no service to ask."""
        raise TypeError(f"{self._flow.__name__} is a method of a client: make one first")

    @overload
    def __get__(self, client: None, owner: type) -> call[P, T]: ...
    @overload
    def __get__(self, client: PlainDriver, owner: type) -> Callable[P, T]: ...
    @overload
    def __get__(self, client: AsyncDriver, owner: type) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(self, client: PlainDriver | AsyncDriver | None, owner: type) -> Any:
        if client is None:
            return self

        @functools.wraps(self._flow)
        def method(*args: P.args, **options: P.kwargs) -> Any:
            return client._carry_out(self._flow(client._flows, *args, **options))

        return method


class stream(Generic[P, T]):
    """A flow that emits values of a kind, as a method that returns an iterator."""

    def __init__(self, flow: Callable[Concatenate[Any, P], Flow[None]], kind: type[T]) -> None:
        self._flow = flow
        functools.update_wrapper(self, flow)

    def __call__(self, *args: P.args, **options: P.kwargs) -> NoReturn:
        """Of a class, where `help()` tells of it, there is no service to ask."""
        raise TypeError(f"{self._flow.__name__} is a method of a client: make one first")

    @overload
    def __get__(self, client: None, owner: type) -> stream[P, T]: ...
    @overload
    def __get__(self, client: PlainDriver, owner: type) -> Callable[P, Iterator[T]]: ...
    @overload
    def __get__(self, client: AsyncDriver, owner: type) -> Callable[P, AsyncIterator[T]]: ...
    def __get__(self, client: PlainDriver | AsyncDriver | None, owner: type) -> Any:
        if client is None:
            return self

        @functools.wraps(self._flow)
        def method(*args: P.args, **options: P.kwargs) -> Any:
            return client._iterate(self._flow(client._flows, *args, **options))

        return method


class Methods:
    """What can be asked of a service: the calls of openapi.yaml by their operationId, rounds played whole, checks."""

    # Service
    get_health = call(Streams.get_health)
    get_ready = call(Streams.get_ready)
    get_cluster = call(Streams.get_cluster)
    get_metrics = call(Streams.get_metrics)
    get_contract = call(Streams.get_contract)

    # The log
    get_checkpoint = call(Streams.get_checkpoint)
    get_witnessed_checkpoint = call(Streams.get_witnessed_checkpoint)
    get_tile = call(Streams.get_tile)
    get_entry_bundle = call(Streams.get_entry_bundle)
    get_state = call(Streams.get_state)
    get_log = call(Streams.get_log)
    get_names = call(Streams.get_names)
    get_receipt = call(Streams.get_receipt)
    get_entry = call(Streams.get_entry)
    prove_entry = call(Streams.prove_entry)
    prove_owed = call(Streams.prove_owed)

    # Transfers and the wallet
    list_logs = call(Streams.list_logs)
    know_log = call(Streams.know_log)
    claim_transfer = call(Streams.claim_transfer)
    send_transfer = call(Streams.send_transfer)
    get_player_wallet = call(Streams.get_player_wallet)
    deposit_from_wallet = call(Streams.deposit_from_wallet)
    withdraw_to_wallet = call(Streams.withdraw_to_wallet)
    get_wallet_operation = call(Streams.get_wallet_operation)
    cancel_deposit = call(Streams.cancel_deposit)

    # Players
    admit_guest = call(Streams.admit_guest)
    create_player = call(Streams.create_player)
    list_players = call(Streams.list_players)
    get_player = call(Streams.get_player)
    list_transactions = stream(Streams.list_transactions, Transaction)
    list_transactions_csv = stream(Streams.list_transactions_csv, str)
    credit_player = call(Streams.credit_player)
    withdraw_chips = call(Streams.withdraw_chips)
    sign_withdrawal = call(Streams.sign_withdrawal)
    signs = call(Streams.signs)
    key_state = call(Streams.key_state)
    key_file = call(Streams.key_file)
    take_key_file = call(Streams.take_key_file)
    next_key = call(Streams.next_key)
    correct_player = call(Streams.correct_player)
    set_key = call(Streams.set_key)
    set_limit = call(Streams.set_limit)
    exclude = call(Streams.exclude)
    issue_token = call(Streams.issue_token)
    issue_ticket = call(Streams.issue_ticket)
    exchange_ticket = call(Streams.exchange_ticket)
    create_auditor = call(Streams.create_auditor)
    list_player_rounds = call(Streams.list_player_rounds)
    recall_player = call(Streams.recall_player)

    # Tables
    list_rule_sets = call(Streams.list_rule_sets)
    get_rule_set = call(Streams.get_rule_set)
    list_tables = call(Streams.list_tables)
    open_table = call(Streams.open_table)
    get_table = call(Streams.get_table)
    get_table_shoe = call(Streams.get_table_shoe)
    get_table_bundle = call(Streams.get_table_bundle)
    close_table = call(Streams.close_table)
    take_seat = call(Streams.take_seat)
    leave_seat = call(Streams.leave_seat)
    sit_out = call(Streams.sit_out)
    want_seat = call(Streams.want_seat)
    unseat = call(Streams.unseat)
    add_chips = call(Streams.add_chips)
    close_bets = call(Streams.close_bets)
    shuffle = call(Streams.shuffle)
    list_table_rounds = call(Streams.list_table_rounds)
    list_table_entries = call(Streams.list_table_entries)

    # Rounds
    try_commitment = call(Streams.try_commitment)
    place_bet = call(Streams.place_bet)
    cancel_bet = call(Streams.cancel_bet)
    get_round = call(Streams.get_round)
    commit_seed = call(Streams.commit_seed)
    reveal_seed = call(Streams.reveal_seed)
    hand_in_late_seed = call(Streams.hand_in_late_seed)
    list_actions = call(Streams.list_actions)
    act = call(Streams.act)
    void_round = call(Streams.void_round)
    get_bundle = call(Streams.get_bundle)
    recall_round = call(Streams.recall_round)
    get_shoe = call(Streams.get_shoe)
    get_disclosure = call(Streams.get_disclosure)
    disclose_shoe = call(Streams.disclose_shoe)

    # Records
    find_rounds = stream(Streams.find_rounds, PartInRound)
    find_rounds_csv = stream(Streams.find_rounds_csv, str)
    export_rounds = call(Streams.export_rounds)
    list_significant = call(Streams.list_significant)
    verify_bundle = call(Streams.verify_bundle)
    list_structures = call(Streams.list_structures)
    get_structure = call(Streams.get_structure)
    list_tournaments = call(Streams.list_tournaments)
    create_tournament = call(Streams.create_tournament)
    get_tournament = call(Streams.get_tournament)
    list_standings = call(Streams.list_standings)
    list_tournament_tables = call(Streams.list_tournament_tables)
    list_tournament_entries = call(Streams.list_tournament_entries)
    register = call(Streams.register)
    unregister = call(Streams.unregister)
    reveal_seat_seed = call(Streams.reveal_seat_seed)
    rebuy = call(Streams.rebuy)
    decline_rebuy = call(Streams.decline_rebuy)
    add_on = call(Streams.add_on)
    offer_stake = call(Streams.offer_stake)
    buy_stake = call(Streams.buy_stake)
    want_deal = call(Streams.want_deal)
    propose_deal = call(Streams.propose_deal)
    answer_deal = call(Streams.answer_deal)

    # The operator's
    set_bounty = call(Streams.set_bounty)
    disqualify = call(Streams.disqualify)
    substitute_prize = call(Streams.substitute_prize)
    change_registration = call(Streams.change_registration)
    postpone = call(Streams.postpone)
    cancel_tournament = call(Streams.cancel_tournament)

    # Rounds played whole, and checks
    play_round = call(Streams.play_round)
    play_hand = call(Streams.play_hand)
    sit = call(Streams.sit)
    leave = call(Streams.leave)
    verify_round = call(Streams.verify_round)

    house_note = call(Streams.house_note)
    kept_notes = call(Streams.kept_notes)

    # Streams
    stream_table = stream(Streams.stream_table, TableEvent)
    stream_tournament = stream(Streams.stream_tournament, TableEvent)
