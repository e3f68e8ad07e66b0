//! Malfunctions declared by the operator: the round is void, all its wagers come back (A001.nn, R001.48, R001.142).

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::shared::*;
use common::*;
use fairshoe_games::{Action, Ahead};
use fairshoe_house::{Actor, Command, DecideError, Entry, Event, Reference, VoidCause};

fn void(house: &mut House, round_no: u64) -> Result<Entry, DecideError> {
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table("t1"), round_no, reason })
}

fn ahead(entry: &Entry) -> (VoidCause, Ahead) {
    the(entry, |e| if let Event::RoundVoided { cause, ahead, .. } = e { Some((*cause, *ahead)) } else { None })
}

#[test]
fn a001_nn_all_wagers_of_the_round_come_back_and_completed_rounds_stand() {
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.whole_round("t1", &["alice", "bob"], 1000);
    let stand = (house.balance("alice"), house.balance("bob"), house.house_balance());
    house.wish_for("t1", &["alice", "bob"], 3, |d| {
        d.value(2, 0) == 1
            && d.value(2, 1) < 10
            && d.value(0, 0) == 8
            && d.value(0, 1) == 8
            && d.value(1, 0) + d.value(1, 1) < 11
    });
    house.deal_all("t1", &["alice", "bob"], 1000);
    house.choose("t1", "alice", Action::Insurance { take: true }).unwrap();
    house.choose("t1", "bob", Action::Insurance { take: true }).unwrap();
    house.choose("t1", "alice", Action::Split).unwrap();
    // Two premiums are lost already, a split and two bets are placed: all of it comes back.
    assert_eq!(house.house_balance(), stand.2 + 1000);
    assert_eq!(house.escrow("t1"), 3000);
    let entry = void(&mut house, 1).unwrap();
    assert_eq!(ahead(&entry).0, VoidCause::Malfunction);
    assert_eq!((house.balance("alice"), house.balance("bob"), house.house_balance()), stand);
    assert_eq!(refusal(void(&mut house, 1)).code(), "wrong_round", "once");
    assert_eq!(refusal(void(&mut house, 0)).code(), "wrong_round", "a completed round stands");
    // It is never dealt again with other cards: its number is used up, its slots are burnt.
    house.run_due();
    assert_eq!(house.table("t1").window().unwrap().round_no, 2);
    let drawn = house.lanes("t1").drawn().to_vec();
    assert!(drawn.iter().all(|slot| !house.table("t1").shoe.as_ref().unwrap().undrawn.contains(slot)));
    house.whole_round("t1", &["alice", "bob"], 100);
    let report = audit(&house.log);
    assert_eq!((report.first_failure, report.voids.total, report.voids.by_cause["malfunction"]), (None, 1, 1));
}

#[test]
fn r001_48_a_baccarat_round_whose_cards_are_not_dealt_is_void_without_its_seeds_alone() {
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_bets("t1", "alice", &[("player", 5000), ("tie", 500)]).unwrap();
    house.place_bets("t1", "bob", &[("banker", 1001)]).unwrap();
    house.run_due();
    house.show("t1", "alice").unwrap();
    // Not by the operator's word: the house could know by now what would be dealt.
    assert_eq!(refusal(void(&mut house, 0)).code(), "awaiting_reveals");
    house.now += 10 * SECOND;
    let entry = house.run_due().remove(0);
    assert_eq!(ahead(&entry), (VoidCause::RevealMissing, Ahead::Nobody));
    assert_eq!((house.balance("alice"), house.balance("bob"), house.escrow("t1")), (1_000_000, 1_000_000, 0));
    assert_eq!(house.table("t1").shoe.as_ref().unwrap().undrawn.len(), 416, "no card was chosen");
    assert!(house.show("t1", "bob").is_err());
}

#[test]
fn r001_142_gro_5_a_spin_that_is_none_returns_its_bets_and_its_slot_is_burnt() {
    let mut house = House::shared("roulette", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house
        .place_bets("t1", "alice", &[("straight:0", 100), ("corner:0-1-2-3", 200), ("red", 1000), ("column:1", 500)])
        .unwrap();
    house.run_due();
    assert_eq!(house.balance("alice"), 998_200);
    assert_eq!(refusal(void(&mut house, 0)).code(), "awaiting_reveals");
    house.now += 10 * SECOND;
    house.run_due();
    assert_eq!(house.balance("alice"), 1_000_000);
    house.sit("t1", "alice", 1).unwrap();
    house.run_due();
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    let entry = house.show_all("t1");
    let spun = course([&entry])
        .into_iter()
        .find_map(|e| if let fairshoe_games::RoundEvent::Spun { slot, .. } = e { Some(slot.0) } else { None });
    assert_eq!(spun, Some(1), "slot 0 was the void spin's");
    assert_eq!(audit(&house.log).first_failure, None);
}

#[test]
fn only_the_operator_declares_a_malfunction_and_names_it() {
    let mut house = House::shared("roulette", &[], &["alice"]);
    house.sit_all("t1", &["alice"]);
    house.place_bets("t1", "alice", &[("red", 100)]).unwrap();
    house.run_due();
    let command = Command::VoidRound { table: table("t1"), round_no: 0, reason: Reference::parse("x").unwrap() };
    for by in [Actor::House, Actor::Anyone, by("alice")] {
        assert_eq!(refusal(house.give(&by, command.clone())).code(), "not_allowed");
    }
}

#[test]
fn c22_the_default_play_of_a_void_is_computed_for_every_game_that_has_one() {
    for name in ["live-blackjack", "six-deck", "study-group"] {
        let mut house = House::shared(name, &[], &["alice", "bob"]);
        house.sit_all("t1", &["alice", "bob"]);
        while house.table("t1").live_round().is_none() {
            house.deal_all("t1", &["alice", "bob"], 100);
            house.run_due();
        }
        let round_no = house.table("t1").live_round().unwrap().round_no;
        void(&mut house, round_no).unwrap();
        assert_eq!(
            audit(&house.log).voids.listed[0].not_computable.as_deref(),
            Some("the shoe's seed is not out yet"),
            "{name}"
        );
        // The window is open again; without bets it lapses, and the table is closed: the seed comes out.
        house.run_due();
        house.now += HOUR;
        house.run_due();
        house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
        let report = audit(&house.log);
        assert_eq!(report.first_failure, None);
        let void = &report.voids.listed[0];
        assert!(void.default_play_net.is_some(), "{name}: {void:?}");
        assert_eq!(report.voids.computable, 1);
    }
}

/// What a round had paid at once and its player has taken away cannot be taken back: a void that tried stopped the
/// house.
#[test]
fn c22_winnings_paid_early_and_spent_since_stay_at_the_houses_cost() {
    for spent in [0u64, 40, 150, 250] {
        let mut house = House::shared("study-group", &[], &["bob"]);
        house.add_player("alice", 100);
        house.sit("t1", "alice", 1).unwrap();
        house.sit("t1", "bob", 2).unwrap();
        house.run_due();
        house.wish_for("t1", &["bob", "alice"], 3, |d| {
            (d.value(0, 0), d.value(0, 1)) == (1, 10) && d.value(2, 0) == 6 && d.value(1, 0) == 5 && d.value(1, 1) < 9
        });
        house.deal_all("t1", &["alice", "bob"], 100);
        assert_eq!((house.balance("alice"), house.house_balance()), (250, -150), "R004.6: paid at once");
        if spent > 0 {
            house.withdraw("alice", spent).unwrap();
        }
        let entry = void(&mut house, 0).unwrap();
        let retained = the(&entry, |e| {
            if let Event::RoundVoided { retained_winnings, .. } = e { Some(retained_winnings.clone()) } else { None }
        });
        let missing = spent.saturating_sub(100);
        assert_eq!(
            retained.iter().map(|winnings| (winnings.player.to_string(), winnings.amount.units())).collect::<Vec<_>>(),
            match missing {
                0 => vec![],
                amount => vec![("alice".to_owned(), amount)],
            }
        );
        assert_eq!(house.balance("alice"), (100 + missing) - spent.min(100 + missing));
        assert_eq!((house.balance("bob"), house.escrow("t1")), (1_000_000, 0));
        assert_eq!(house.house_balance(), -i64::try_from(missing).unwrap());
        assert_eq!(audit(&house.log).first_failure, None);
        house.assert_conserved();
    }
}

#[test]
fn a_round_that_awaits_seeds_is_not_void_by_a_word_of_the_operator() {
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    house.place_bets("t1", "alice", &[("player", 5000)]).unwrap();
    house.place_bets("t1", "bob", &[("banker", 1000)]).unwrap();
    house.run_due();
    assert_eq!(refusal(void(&mut house, 0)).code(), "awaiting_reveals");
    house.show("t1", "alice").unwrap();
    assert_eq!(refusal(void(&mut house, 0)).code(), "awaiting_reveals", "nor when the last seed is on its way");
    let mut house = common::safe::at_pile_like(&[], 1, |_| true);
    let round_no = house.table("t1").live_round().unwrap().round_no;
    assert_eq!(refusal(void(&mut house, round_no)).code(), "awaiting_reveals", "commitments are awaited");
    common::safe::commit_all(&mut house);
    assert_eq!(refusal(void(&mut house, round_no)).code(), "awaiting_reveals", "seeds are awaited");
}
