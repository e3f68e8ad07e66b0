//! Chips from the operator's wallet and back (spec/wallet.md): each row of its tables, and an independent model.

use crate::common;

use common::rng::Rng;
use common::*;
use fairshoe_house::WalletAnswer::{Accepted, Refused};
use fairshoe_house::WalletCall::{Cancel, Commit, Pay, Reserve};
use fairshoe_house::{Account, Actor, Command, DecideError, Entry, Event, Reference, WalletAnswer, WalletCall};
use std::collections::BTreeMap;

fn code(result: Result<Entry, DecideError>) -> &'static str {
    refusal(result).code()
}

/// 2^52 - 1: above it nothing is taken in for a player.
const COMFORT: u64 = (1 << 52) - 1;

fn house() -> House {
    let mut house = House::new();
    house.add_player("alice", 1_000);
    house
}

fn deposit(house: &mut House, by: &Actor, who: &str, amount: u64) -> Result<Entry, DecideError> {
    house.give(by, Command::WalletDeposit { player: player(who), amount: chips(amount) })
}

fn withdraw(house: &mut House, by: &Actor, who: &str, amount: u64) -> Result<Entry, DecideError> {
    house.give(by, Command::WalletWithdraw { player: player(who), amount: chips(amount) })
}

fn cancel(house: &mut House, by: &Actor, no: u64) -> Result<Entry, DecideError> {
    house.give(by, Command::WalletCancel { no })
}

fn answer(house: &mut House, no: u64, call: WalletCall, answer: WalletAnswer) -> Result<Entry, DecideError> {
    house.give(&Actor::House, Command::WalletAnswer { no, call, answer, reason: None })
}

fn wallet(house: &House) -> i64 {
    house.state.ledger().balance(&Account::Wallet).unwrap()
}

/// What each open operation waits for.
fn waits(house: &House) -> Vec<(u64, WalletCall)> {
    house.state.open_wallet_operations().into_iter().map(|(no, operation)| (no, operation.call)).collect()
}

#[test]
fn a_deposit_is_there_once_the_wallet_holds_it_and_over_once_it_handed_it_over() {
    let mut house = house();
    let asked = deposit(&mut house, &by("alice"), "alice", 500).unwrap();
    assert_eq!(asked.before, vec![(player("alice"), chips(1_000))]);
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (1_000, 0, vec![(0, Reserve)]));
    check_lines(&house);
    let held = answer(&mut house, 0, Reserve, Accepted).unwrap();
    assert_eq!(names_of(&held), ["posted", "wallet_answered", "wallet_asked"]);
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (1_500, -500, vec![(0, Commit)]));
    check_lines(&house);
    // The first answer stands.
    assert_eq!(code(answer(&mut house, 0, Reserve, Refused)), "nothing_to_do");
    let over = answer(&mut house, 0, Commit, Accepted).unwrap();
    assert_eq!((names_of(&over), waits(&house)), (vec!["wallet_answered".to_owned()], vec![]));
    assert_eq!((house.balance("alice"), wallet(&house)), (1_500, -500));
    assert_eq!(code(answer(&mut house, 0, Commit, Accepted)), "unknown_operation");
    check_lines(&house);
}

#[test]
fn a_deposit_that_is_refused_moves_nothing() {
    let mut house = house();
    deposit(&mut house, &Actor::Operator, "alice", 500).unwrap();
    let reason = Reference::parse("insufficient_funds");
    let command = Command::WalletAnswer { no: 0, call: Reserve, answer: Refused, reason: reason.clone() };
    let refused = house.give(&Actor::House, command).unwrap();
    assert_eq!(refused.events, [Event::WalletAnswered { no: 0, call: Reserve, answer: Refused, reason }]);
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (1_000, 0, vec![]));
    // The next one has the next number.
    deposit(&mut house, &Actor::Operator, "alice", 1).unwrap();
    assert_eq!(waits(&house), [(1, Reserve)]);
    check_lines(&house);
}

#[test]
fn a_withdrawal_takes_the_chips_before_the_wallet_is_asked() {
    let mut house = house();
    let asked = withdraw(&mut house, &by("alice"), "alice", 700).unwrap();
    assert_eq!(names_of(&asked), ["posted", "wallet_asked"]);
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (300, 700, vec![(0, Pay)]));
    check_lines(&house);
    assert_eq!(code(withdraw(&mut house, &by("alice"), "alice", 301)), "insufficient_balance");
    answer(&mut house, 0, Pay, Accepted).unwrap();
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (300, 700, vec![]));
    // One that the wallet does not take comes back.
    withdraw(&mut house, &by("alice"), "alice", 300).unwrap();
    let back = answer(&mut house, 1, Pay, Refused).unwrap();
    assert_eq!(names_of(&back), ["posted", "wallet_answered"]);
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (300, 700, vec![]));
    check_lines(&house);
}

#[test]
fn a_deposit_is_cancelled_while_the_wallet_has_not_answered() {
    let mut house = house();
    house.add_player("bob", 0);
    deposit(&mut house, &by("alice"), "alice", 5).unwrap();
    assert_eq!(code(cancel(&mut house, &by("bob"), 0)), "not_allowed");
    assert_eq!(code(cancel(&mut house, &Actor::Anyone, 0)), "not_allowed");
    assert_eq!(code(cancel(&mut house, &by("alice"), 1)), "unknown_operation");
    cancel(&mut house, &by("alice"), 0).unwrap();
    assert_eq!(waits(&house), [(0, Cancel)]);
    check_lines(&house);
    // Whatever the wallet said to `reserve` meanwhile counts no more, and it cannot refuse to let go.
    assert_eq!(code(answer(&mut house, 0, Reserve, Accepted)), "nothing_to_do");
    assert_eq!(code(answer(&mut house, 0, Cancel, Refused)), "malformed");
    assert_eq!(code(cancel(&mut house, &by("alice"), 0)), "nothing_to_do");
    answer(&mut house, 0, Cancel, Accepted).unwrap();
    assert_eq!((house.balance("alice"), wallet(&house), waits(&house)), (1_000, 0, vec![]));
    // What the wallet holds is not cancelled any more, nor is a withdrawal.
    deposit(&mut house, &by("alice"), "alice", 5).unwrap();
    answer(&mut house, 1, Reserve, Accepted).unwrap();
    withdraw(&mut house, &by("alice"), "alice", 5).unwrap();
    assert_eq!(code(cancel(&mut house, &Actor::Operator, 1)), "nothing_to_do");
    assert_eq!(code(cancel(&mut house, &Actor::Operator, 2)), "nothing_to_do");
    check_lines(&house);
}

#[test]
fn who_has_no_room_any_more_for_a_deposit_leaves_it_at_the_wallet() {
    let mut house = House::new();
    house.add_player("rich", COMFORT - 10);
    assert_eq!(code(deposit(&mut house, &by("rich"), "rich", 11)), "amount_out_of_range");
    deposit(&mut house, &by("rich"), "rich", 6).unwrap();
    // What may still come counts as if it had.
    assert_eq!(code(deposit(&mut house, &by("rich"), "rich", 5)), "amount_out_of_range");
    house.credit("rich", 5).unwrap();
    let held = answer(&mut house, 0, Reserve, Accepted).unwrap();
    assert_eq!(names_of(&held), ["wallet_answered", "wallet_asked"]);
    assert_eq!((house.balance("rich"), wallet(&house), waits(&house)), (COMFORT - 5, 0, vec![(0, Cancel)]));
    check_lines(&house);
    answer(&mut house, 0, Cancel, Accepted).unwrap();
    // To the last unit.
    deposit(&mut house, &by("rich"), "rich", 5).unwrap();
    answer(&mut house, 1, Reserve, Accepted).unwrap();
    assert_eq!((house.balance("rich"), waits(&house)), (COMFORT, vec![(1, Commit)]));
    check_lines(&house);
}

#[test]
fn what_is_refused_and_why() {
    let mut house = house();
    house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    for (result, expected) in [
        (deposit(&mut house, &Actor::Operator, "nobody", 5), "unknown_player"),
        (deposit(&mut house, &by("bob"), "alice", 5), "not_allowed"),
        (deposit(&mut house, &Actor::House, "alice", 5), "not_allowed"),
        (deposit(&mut house, &Actor::Operator, "guest.0", 5), "other_chips"),
        (deposit(&mut house, &Actor::Operator, "alice", 0), "amount_out_of_range"),
        (withdraw(&mut house, &Actor::Operator, "nobody", 5), "unknown_player"),
        (withdraw(&mut house, &by("bob"), "alice", 5), "not_allowed"),
        (withdraw(&mut house, &Actor::Operator, "guest.0", 5), "other_chips"),
        (withdraw(&mut house, &Actor::Operator, "alice", 0), "amount_out_of_range"),
        (withdraw(&mut house, &Actor::Operator, "alice", 1_001), "insufficient_balance"),
        (answer(&mut house, 0, Reserve, Accepted), "unknown_operation"),
    ] {
        assert_eq!(code(result), expected);
    }
    deposit(&mut house, &Actor::Operator, "alice", 5).unwrap();
    let by_operator = Command::WalletAnswer { no: 0, call: Reserve, answer: Accepted, reason: None };
    assert_eq!(code(house.give(&Actor::Operator, by_operator)), "not_allowed");
    let reason = Reference::parse("because");
    let with_reason = Command::WalletAnswer { no: 0, call: Reserve, answer: Accepted, reason };
    assert_eq!(code(house.give(&Actor::House, with_reason)), "malformed");
    assert_eq!(code(answer(&mut house, 0, Pay, Accepted)), "nothing_to_do");
    check_lines(&house);
}

#[test]
fn who_has_a_key_withdraws_by_their_signature_alone() {
    let mut house = house();
    let key = house.pen("alice", 7);
    let named = Command::SetKey { player: player("alice"), key: Some(key), reason: None };
    house.give(&by("alice"), named).unwrap();
    assert_eq!(code(withdraw(&mut house, &Actor::Operator, "alice", 5)), "signature_missing");
    let command = Command::WalletWithdraw { player: player("alice"), amount: chips(5) };
    assert_eq!(code(house.give_late(&by("alice"), None, command.clone())), "signature_missing");
    let signed = house.sign("alice", 1, &command);
    house.give_signed(&by("alice"), Some(signed), command).unwrap();
    assert_eq!(waits(&house), [(0, Pay)]);
    check_lines(&house);
}

#[test]
fn a_player_has_eight_open_operations_of_each_kind_at_most() {
    let mut house = house();
    for _ in 0..8 {
        deposit(&mut house, &by("alice"), "alice", 1).unwrap();
        withdraw(&mut house, &by("alice"), "alice", 1).unwrap();
    }
    assert_eq!(code(deposit(&mut house, &by("alice"), "alice", 1)), "too_many_operations");
    assert_eq!(code(withdraw(&mut house, &by("alice"), "alice", 1)), "too_many_operations");
    house.add_player("bob", 0);
    deposit(&mut house, &by("bob"), "bob", 1).unwrap();
    check_lines(&house);
    answer(&mut house, 2, Reserve, Refused).unwrap();
    deposit(&mut house, &by("alice"), "alice", 1).unwrap();
    answer(&mut house, 1, Pay, Accepted).unwrap();
    withdraw(&mut house, &by("alice"), "alice", 1).unwrap();
    // A held one is open until it is handed over.
    answer(&mut house, 0, Reserve, Accepted).unwrap();
    assert_eq!(code(deposit(&mut house, &by("alice"), "alice", 1)), "too_many_operations");
    check_lines(&house);
}

/// The operator asks for eight deposits in alice's name, never answers them, and asks anew before they are old: her own
/// withdrawal has room all the same.
#[test]
fn deposits_that_the_operator_asks_for_do_not_stand_in_the_way_of_a_withdrawal() {
    let mut house = house();
    let key = house.pen("alice", 4);
    house.give(&by("alice"), Command::SetKey { player: player("alice"), key: Some(key), reason: None }).unwrap();
    for _ in 0..8 {
        deposit(&mut house, &Actor::Operator, "alice", 1).unwrap();
    }
    assert_eq!(code(deposit(&mut house, &Actor::Operator, "alice", 1)), "too_many_operations");
    withdraw(&mut house, &by("alice"), "alice", 5).unwrap();
    check_lines(&house);
}

#[test]
fn what_is_no_states_line_is_refused() {
    let mut house = house();
    house.give(&Actor::House, Command::AdmitGuest {}).unwrap();
    for no in 0..8 {
        deposit(&mut house, &by("alice"), "alice", no + 1).unwrap();
    }
    let lines = house.state.lines().unwrap();
    let read = |lines: &[String]| read_lines(&house.log, lines);
    assert!(read(&lines).is_ok());
    let with = |from: &str, to: &str| -> Vec<String> {
        let changed: Vec<String> = lines.iter().map(|line| line.replace(from, to)).collect();
        assert_ne!(changed, lines, "{from}");
        changed
    };
    for (from, to) in [
        ("\"operations\":8", "\"operations\":7"),
        (",\"operations\":8", ""),
        ("\"wallet:7\"", "\"wallet:07\""),
        ("\"wallet:7\"", "\"wallet:8\""),
        ("\"player\":\"alice\",\"amount\":8", "\"player\":\"guest.0\",\"amount\":8"),
        ("\"player\":\"alice\",\"amount\":8", "\"player\":\"bob\",\"amount\":8"),
        ("\"player\":\"alice\",\"amount\":8", "\"player\":\"alice\",\"amount\":0"),
        (
            "\"call\":\"reserve\",\"player\":\"alice\",\"amount\":8",
            "\"call\":\"give\",\"player\":\"alice\",\"amount\":8",
        ),
    ] {
        assert!(read(&with(from, to)).is_err(), "{from} {to}");
    }
    // A ninth deposit of one player; a withdrawal has room beside eight.
    let beside = |call: &str| {
        let mut lines = with("\"operations\":8", "\"operations\":9");
        lines.push(format!("[\"wallet:8\",{{\"call\":\"{call}\",\"player\":\"alice\",\"amount\":1}}]"));
        read(&lines)
    };
    assert!(beside("reserve").is_err() && beside("cancel").is_err() && beside("pay").is_ok());
    let of_others = with("\"operations\":8", "\"operations\":9");
    assert!(read(&of_others).is_ok(), "that alone is a state: the ninth is over");
}

#[test]
fn what_no_house_would_log_is_not_folded() {
    let mut house = house();
    let asked = deposit(&mut house, &by("alice"), "alice", 5).unwrap();
    assert!(house.state.clone().apply(&asked).is_err(), "the number is taken");
    let held = answer(&mut house, 0, Reserve, Accepted).unwrap();
    assert!(house.state.clone().apply(&held).is_err(), "it was answered");
    let over = answer(&mut house, 0, Commit, Accepted).unwrap();
    assert!(house.state.clone().apply(&over).is_err(), "it is over");
}

/// What the operations are by a model that keeps each one for ever, and looks at nothing but the answers.
#[derive(Default)]
struct Model {
    operations: BTreeMap<u64, (String, i64, Answers)>,
}

type Answers = Vec<(WalletCall, WalletAnswer)>;

impl Model {
    fn moved(&self, who: &str) -> i64 {
        let of = self.operations.values().filter(|(player, ..)| player == who);
        let moved = of.map(|(_, amount, answers)| match (amount.signum(), answers.first()) {
            (1, Some((Reserve, Accepted))) if !answers.iter().any(|(call, _)| *call == Cancel) => *amount,
            (-1, Some((Pay, Refused))) => 0,
            (-1, _) => *amount,
            _ => 0,
        });
        moved.sum()
    }
}

#[test]
fn operations_by_chance_move_what_the_answers_say() {
    for seed in 0..20 * effort() {
        let mut rng = Rng(seed * 7_919 + 1);
        let (mut house, mut model) = (house(), Model::default());
        house.add_player("bob", 1_000);
        for _ in 0..120 {
            let who = ["alice", "bob"][rng.below(2)];
            let amount = 1 + rng.below(400) as u64;
            let next = house.state.wallet_operations();
            match rng.below(5) {
                0 if deposit(&mut house, &by(who), who, amount).is_ok() => {
                    model.operations.insert(next, (who.into(), amount as i64, vec![]));
                }
                1 if withdraw(&mut house, &by(who), who, amount).is_ok() => {
                    model.operations.insert(next, (who.into(), -(amount as i64), vec![]));
                }
                2 => drop(cancel(&mut house, &by(who), rng.below(next as usize + 1) as u64)),
                _ => {
                    let open = waits(&house);
                    if open.is_empty() {
                        continue;
                    }
                    let (no, call) = open[rng.below(open.len())];
                    let said = if call.can_be_refused() && rng.one_in(3) { Refused } else { Accepted };
                    answer(&mut house, no, call, said).unwrap();
                    model.operations.get_mut(&no).unwrap().2.push((call, said));
                }
            }
            for who in ["alice", "bob"] {
                assert_eq!(house.balance(who) as i64, 1_000 + model.moved(who), "{who}");
            }
            assert_eq!(wallet(&house), -model.moved("alice") - model.moved("bob"));
        }
        check_lines(&house);
    }
}
