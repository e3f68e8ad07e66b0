"""Which fields each command and event has, in the order of an entry: made by scripts/generate.py.

One line a word: the word, then its fields; `?` marks those that may be left out.
"""

from __future__ import annotations


def _forms(text: str) -> dict[str, tuple[tuple[str, ...], frozenset[str]]]:
    """word -> (all fields in order, those that may be left out)."""
    forms = {}
    for line in text.split("\n"):
        if words := line.split():
            fields = tuple(field.rstrip("?") for field in words[1:])
            forms[words[0]] = (fields, frozenset(field[:-1] for field in words[1:] if field.endswith("?")))
    return forms


COMMANDS = _forms(
    """
    start_dealer origin epoch master_id software
    create_player player key?
    admit_guest
    dismiss_guest player
    set_key player key? reason?
    set_limit player of per most?
    exclude player until
    issue_token holder revoke
    credit player amount reference?
    withdraw player amount reference?
    open_table table rules replaces?
    close_table table
    commit_shoe table
    bet table round_no bets commitment
    reveal table round_no player seed saw? next?
    late_seed table round_no player seed
    act table round_no decision action
    lapse table round_no lapsed
    void_round table round_no reason
    recover table
    correct player amount reason
    stop_dealer
    know_log log policy?
    transfer_out to player amount
    transfer_in from entry receipt
    wallet_deposit player amount
    wallet_withdraw player amount
    wallet_cancel no
    wallet_answer no call answer reason?
    continue_log origin key size root new_key signature
    end_log origin key
    note_refused_start at reason
    note_state size root
    take_seat table seat
    sit_down table seat buy_in client? entry?
    sit_out table
    add_chips table amount
    tidy_seats table
    disclose_shoe table shoe_no reason
    ask_to_play table
    sit_in table entry? straddle?
    want_seat table
    unseat table player reason
    leave_seat table
    open_bets table
    cancel_bet table round_no
    close_bets table round_no
    call_hand table
    commit_hand_seed table round_no commitment
    withdraw_hand_seed table round_no
    close_call table round_no
    retire_shoe table reason?
    commit_seed table round_no commitment
    open_event_table table rules
    set_seats table
    """
)

EVENTS = _forms(
    """
    dealer_started origin epoch master_id down_ms
    player_created player
    guest_admitted player
    guest_dismissed player
    key_set player key? from? old?
    limit_set player of per most? from?
    excluded player until
    token_issued holder revoked
    table_opened rules digest owner? idle_ms? replaces? event?
    table_closed
    shoe_committed shoe_no composition candidates
    table_noted next_round last_used pause_until? betting? cash?
    bets_opened round_no shoe_no closes_at?
    bet_placed bet
    bets_closed round_no shoe_no contributors lanes reveal_by announced?
    hand_called round_no shoe_no closes_at
    hand_seed_committed player commitment
    hand_seed_withdrawn player
    call_lapsed round_no cause announced?
    hand_begun round_no shoe_no contributors reveal_by announced? hand
    seed_late round_no player seed
    seed_revealed player seed
    round_opened entropy pick others settle_by?
    posted lines
    round_settled round_no staked returned players
    round_voided round_no cause missing ahead players refunds? kept? standing?
    round_resumed round_no reveal_by? settle_by? turn_by?
    shoe_revealed shoe_no seeds cause?
    dealer_stopped
    log_known log policy?
    transferred_out to no player amount
    transferred_in from no index player amount
    wallet_asked no call player amount
    wallet_answered no call answer reason?
    log_continues origin key size root new_key
    log_ended origin key
    start_refused at reason
    state_noted size root
    seat_taken player seat
    seat_wanted player
    seat_left player seat
    play_asked player
    cooldown player offence offences until
    bet_cancelled player
    bets_lapsed round_no cause announced?
    last_hand shoe_no
    pile_opened round_no shoe_no players commit_by
    seed_committed player commitment
    pile_closed round_no shoe_no contributors reveal_by
    pile_shuffled round_no entropy pick
    pile_failed round_no missing
    shuffle_asked
    shoe_sealed shoe_no openings
    shoe_disclosed table shoe_no auditor?
    chips_added player seat amount stack
    chips_asked player seat amount
    sat_in player seat entry straddle
    sat_out player seat cause
    leave_asked player seat
    bank_used player seat used_ms left_ms
    left_early player level refusals until
    next_committed player commitment
    set_seats level blinds button? doubled? late_extra_ms? seats
    posts_taken positions seats
    """
)

PLAY_EVENTS = _forms(
    """
    dealt lane slot to card?
    turned pile? slot card
    peeked slot blackjack
    offered decision player place options deadline bank_from? extra_ms?
    acted decision player action cost default
    paid lines
    spun slot value pocket
    shuffled pile
    absent player
    """
)
