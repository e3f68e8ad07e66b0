//! What a book counts so that somebody can ask whether it leans (spec/audit.md, "Statistics of a log"): each count made
//! a second time, from balances, from the list of voids, or from the events alone.

use crate::audit_common;
use crate::common;

use audit_common::audit;
use common::rng::Rng;
use common::shared::*;
use common::*;
use fairshoe_fairness::{Card, TableId};
use fairshoe_games::{Action, Ahead, RoundEvent};
use fairshoe_house::{Actor, Command, Event, Reference, VoidCause};
use fairshoe_judge::audit::{
    AuditReport, CostOfVoids, Count, Draws, Leans, Missed, Results, Staked, StakedBy, Standings,
};
use std::collections::BTreeMap;

fn sound(house: &House) -> AuditReport {
    let report = audit(&house.log);
    assert_eq!(report.first_failure, None);
    report
}

fn leans(house: &House) -> Leans {
    sound(house).leans
}

/// The bets of a round, which closes as everyone who is expected has bet.
fn place_round(house: &mut House, bets: &[(&str, &[(&str, u64)])]) {
    for (who, spots) in bets {
        house.place_bets("t1", who, spots).unwrap();
    }
    house.run_due();
}

/// These show no seed; the round is void.
fn withhold(house: &mut House, missing: &[&str]) {
    for who in house.awaited("t1") {
        if !missing.contains(&who.as_str()) {
            house.show("t1", &who).unwrap();
        }
    }
    house.now = house.state.next_deadline().unwrap();
    house.run_due();
}

fn void(house: &mut House, at: &str) {
    let round_no = house.table(at).live_round().unwrap().round_no;
    let reason = Reference::parse("table camera failed").unwrap();
    house.give(&Actor::Operator, Command::VoidRound { table: table(at), round_no, reason }).unwrap();
    house.run_due();
}

fn count(results: &mut Results, net: i64) {
    let of = if net > 0 { &mut results.players } else { &mut results.house };
    *(if net == 0 { &mut results.level } else { of }) += 1;
}

#[test]
fn stakes_count_as_bets_close_and_what_the_others_could_have_won_where_a_seed_is_missing() {
    let mut house = House::shared("roulette", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    place_round(&mut house, &[("alice", &[("straight:0", 100), ("red", 200)]), ("bob", &[("column:1", 300)])]);
    house.show_all("t1");
    house.run_due();
    place_round(&mut house, &[("alice", &[("straight:0", 100), ("corner:0-1-2-3", 300)]), ("bob", &[("red", 700)])]);
    withhold(&mut house, &["bob"]);
    house.sit("t1", "bob", 2).unwrap();
    house.run_due();
    place_round(&mut house, &[("alice", &[("red", 100)]), ("bob", &[("red", 100)])]);
    withhold(&mut house, &["alice", "bob"]);
    let leans = leans(&house);
    // 35 to 1 on a number, 8 to 1 on a corner.
    let most = 100 * 35 + 300 * 8;
    let all = Staked { rounds: 3, staked: 1_900, withheld: 2, staked_by_others: 400, most };
    assert_eq!(leans.staked, BTreeMap::from([("roulette".to_owned(), all)]));
    let alice = StakedBy { rounds: 3, staked: 800, withheld: 1, most };
    let bob = StakedBy { rounds: 3, staked: 1_100, withheld: 0, most: 0 };
    assert_eq!(leans.staked_by, BTreeMap::from([(player("alice"), alice), (player("bob"), bob)]));
}

#[test]
fn the_most_that_a_bet_can_win_is_a_ties_pay_a_doubled_hand_or_what_the_others_put_in() {
    let on_box: &[(&str, u64)] = &[("1", 100)];
    let cases = [
        ("baccarat", [("tie", 100), ("player", 500)].as_slice(), "banker", 100 * 8 + 500),
        ("live-blackjack", on_box, "", 200),
        ("safe", on_box, "", 300),
    ];
    for (name, bets, other, most) in cases {
        let players: &[&str] = if name == "safe" { &NAMES[..4] } else { &NAMES[..2] };
        let mut house = House::shared(name, &[], players);
        house.sit_all("t1", players);
        house.place_bets("t1", "alice", bets).unwrap();
        match other {
            "" => house.place_all("t1", &players[1..], 100),
            spot => drop(house.place_bets("t1", "bob", &[(spot, 100)]).unwrap()),
        }
        house.run_due();
        withhold(&mut house, &players[1..]);
        let by = leans(&house).staked_by[&player("alice")];
        assert_eq!((by.withheld, by.most), (1, most), "{name}");
    }
}

/// Several wagers of a player are one result, a win and a loss together; so are the wins and losses of many rounds.
#[test]
fn a_settled_round_is_won_lost_or_level_for_each_player_by_all_their_wagers_together() {
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    let mut expected: BTreeMap<&str, Results> = BTreeMap::new();
    for _ in 0..40 {
        let had = [house.balance("alice"), house.balance("bob")];
        place_round(
            &mut house,
            &[("alice", &[("player", 100), ("tie", 300)]), ("bob", &[("banker", 100), ("player", 100)])],
        );
        house.show_all("t1");
        for (who, had) in ["alice", "bob"].into_iter().zip(had) {
            count(expected.entry(who).or_default(), house.balance(who) as i64 - had as i64);
        }
        house.run_due();
    }
    let leans = leans(&house);
    assert!(expected["alice"].players > 0 && expected["alice"].house > 20 && expected["bob"].level > 0, "{expected:?}");
    for (who, settled) in expected {
        assert_eq!(leans.costs[&player(who)], CostOfVoids { settled, ..CostOfVoids::default() });
    }
    assert!(leans.pots.is_empty());
}

/// Books with voids of every kind: malfunctions and crashes at solo tables and a shared one, late seeds, walks away.
fn with_voids() -> Vec<House> {
    let mut houses: Vec<House> = (1..=3).map(|seed| audit_common::book(seed, 150)).collect();
    let mut house = House::shared("live-blackjack", &[], &["alice", "bob"]);
    house.sit_all("t1", &["alice", "bob"]);
    for _ in 0..12 {
        house.deal_all("t1", &["alice", "bob"], 100);
        house.run_due();
        if house.table("t1").live_round().is_some() {
            void(&mut house, "t1");
        }
    }
    house.wait(HOUR);
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    houses.push(house);
    let mut house = House::shared("baccarat", &[], &["alice", "bob"]);
    for _ in 0..8 {
        for (seat, who) in [(1, "alice"), (2, "bob")] {
            house.sit("t1", who, seat).unwrap();
        }
        house.run_due();
        let number = house.seed_number("t1");
        place_round(&mut house, &[("alice", &[("player", 500)]), ("bob", &[("banker", 100), ("player", 100)])]);
        withhold(&mut house, &["alice", "bob"]);
        for who in ["alice", "bob"] {
            let seed = house.seed_of("t1", who, number);
            let late = Command::LateSeed { table: table("t1"), round_no: number, player: player(who), seed };
            house.give(&Actor::Anyone, late).unwrap();
        }
        house.wait(DAY);
    }
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    houses.push(house);
    let mut house = House::new();
    house.add_player("alice", 100_000);
    for n in 0..6 {
        let at = format!("own{n}");
        house.open_own("alice", &at, rules("rng-blackjack", &[("abandon_refunds", "unlimited")]));
        house.place_bets(&at, "alice", &[("1", 1000)]).unwrap();
        house.run_due();
        house.show(&at, "alice").unwrap();
        house.wait(2 * DAY);
        // By then the house itself may have closed a table that nobody used.
        if house.state.table(&table(&at)).is_some() {
            house.give(&by("alice"), Command::CloseTable { table: table(&at) }).unwrap();
        }
    }
    houses.push(house);
    houses
}

fn by_house(cause: VoidCause) -> bool {
    matches!(cause, VoidCause::Crash | VoidCause::Malfunction | VoidCause::ShoeExhausted)
}

#[test]
fn the_report_says_who_would_have_won_the_voids_of_each_kind() {
    for house in with_voids() {
        let voids = sound(&house).voids;
        let sums = |kind: fn(VoidCause) -> bool| {
            let mut results = Results::default();
            let nets = voids.listed.iter().filter(|void| kind(void.cause)).filter_map(|void| void.default_play_net);
            nets.for_each(|net| count(&mut results, net));
            results
        };
        assert_eq!(voids.by_house, sums(by_house));
        assert_eq!(voids.by_late_seeds, sums(|cause| cause == VoidCause::RevealMissing));
        assert_eq!(voids.by_abandonment, sums(|cause| cause == VoidCause::Abandoned));
        let nets: Vec<i64> = voids.listed.iter().filter_map(|void| void.default_play_net).collect();
        assert_eq!((voids.computable, voids.default_play_net), (nets.len() as u64, nets.iter().sum::<i64>().into()));
        for void in &voids.listed {
            let sum: i64 = void.nets.iter().map(|(_, net)| net).sum();
            assert_eq!(void.default_play_net.unwrap_or_default(), sum);
        }
    }
}

#[test]
fn a_void_counts_for_each_player_as_they_would_have_won_or_lost() {
    let mut kinds = [Missed::default(); 3];
    for house in with_voids() {
        let report = sound(&house);
        let mut expected: BTreeMap<_, [Missed; 3]> = BTreeMap::new();
        for void in &report.voids.listed {
            let kind = match void.cause {
                VoidCause::RevealMissing => 1,
                VoidCause::Abandoned => 2,
                _ => 0,
            };
            for (who, net) in &void.nets {
                for missed in [&mut expected.entry(who.clone()).or_default()[kind], &mut kinds[kind]] {
                    count(&mut missed.voided, *net);
                    missed.cost += net.max(&0);
                    missed.saved += -net.min(&0);
                }
            }
        }
        for (who, costs) in &report.leans.costs {
            let [by_house, late_seeds, abandoned] = expected.remove(who).unwrap_or_default();
            assert_eq!((costs.by_house, costs.late_seeds, costs.abandoned), (by_house, late_seeds, abandoned), "{who}");
        }
        assert!(expected.is_empty(), "{expected:?}");
    }
    assert!(
        kinds.iter().all(|missed| missed.saved > 0) && kinds[..2].iter().all(|missed| missed.cost > 0),
        "{kinds:?}"
    );
}

/// Poker's pots are not the house's: its tables are named, and their hands are in no list of rounds.
#[test]
fn a_hand_of_poker_counts_against_no_house() {
    let players = ["alice", "bob"];
    let mut house = House::poker("holdem", &[], &players);
    house.buy_in_all("t1", &players, 20_000);
    let mut rng = Rng(4);
    house.deal_hand("t1");
    let preflop = leans(&house);
    while let Some((who, action)) = house.some_action("t1", &mut rng) {
        house.choose("t1", &who, action).unwrap();
    }
    let leans = leans(&house);
    assert!(preflop.tables.is_empty(), "a hand without a board has no face out");
    assert_eq!(leans.pots.iter().map(TableId::as_str).collect::<Vec<_>>(), ["t1"]);
    assert!(leans.costs.is_empty() && leans.hands.is_empty());
}

fn stand(standings: &mut Standings, ahead: Ahead) {
    match ahead {
        Ahead::Players => standings.players += 1,
        Ahead::House => standings.house += 1,
        Ahead::Level | Ahead::Nobody => standings.level += 1,
    }
}

#[test]
fn rounds_with_a_face_out_count_by_who_is_ahead_after_each_of_their_entries_and_at_each_restart() {
    let mut house = House::with_table(&[], 10_000);
    house.open("t2", &[]);
    let (mut stood, mut at_restarts) = (Standings::default(), Standings::default());
    for number in 0..60 {
        house.now += 1_000;
        let seed = house.any_seed("t1");
        house.bet("t1", "alice", 10, &seed).unwrap();
        if number == 0 {
            // A round whose seeds are awaited has no face out: it stands for nobody, nor does a table without a round.
            house.crash();
            house.run_due();
        }
        house.reveal("t1", "alice", &seed).unwrap();
        while let Some(round) = house.table("t1").live_round() {
            let ahead = round.game.ahead();
            stand(&mut stood, ahead);
            if number % 2 == 0 {
                house.crash();
                stand(&mut at_restarts, ahead);
                house.run_due();
                // The recovery is an entry of the table, too.
                stand(&mut stood, house.table("t1").live_round().unwrap().game.ahead());
            }
            let insured = house.offered("t1").contains(&fairshoe_games::ActionKind::Insurance);
            house.act("t1", "alice", if insured { Action::Insurance { take: false } } else { Action::Stand }).unwrap();
        }
        house.run_due();
    }
    let leans = leans(&house);
    assert!(
        [stood.players, stood.house, at_restarts.players, at_restarts.house].iter().all(|count| *count > 0),
        "{stood:?} {at_restarts:?}"
    );
    let tables: Vec<_> = leans.tables.iter().map(|(id, at)| (id.as_str(), at.stood, at.at_restarts)).collect();
    assert_eq!(tables, [("t1", stood, at_restarts)]);
}

fn tag(card: Card) -> i64 {
    match card.rank() {
        2..=6 => 1,
        7..=9 => 0,
        _ => -1,
    }
}

/// What the faces of a table say of its shoes, from its events alone.
#[derive(Default)]
struct Shoes {
    at_rounds: Count,
    by_cause: BTreeMap<String, Count>,
    draws: Draws,
}

fn rich(count: &mut Count, shown: i64) {
    let of = if shown > 0 { &mut count.rich } else { &mut count.poor };
    *(if shown == 0 { &mut count.even } else { of }) += 1;
}

fn shoes_of(house: &House, decks: i64) -> Shoes {
    let (mut all, mut left, mut shown, mut acted) = (Shoes::default(), Vec::new(), 0, false);
    let log = entries(&house.log);
    for (nth, event) in log.iter().flat_map(|entry| (0..).zip(&entry.events)) {
        acted &= nth > 0;
        let (card, to_hand) = match event {
            Event::ShoeCommitted { .. } => {
                let cards = (0..decks).flat_map(|_| (0..Card::COUNT).filter_map(Card::from_code));
                (left, shown) = (cards.map(tag).collect(), 0);
                continue;
            }
            Event::RoundSettled { .. } => {
                rich(&mut all.at_rounds, shown);
                continue;
            }
            Event::ShoeRevealed { cause: Some(cause), .. } => {
                let cause = serde_json::to_value(cause).unwrap().as_str().unwrap().to_owned();
                if left.len() as i64 != decks * 52 {
                    rich(all.by_cause.entry(cause).or_default(), shown);
                }
                continue;
            }
            Event::Play(RoundEvent::Acted { .. }) => {
                acted = true;
                continue;
            }
            Event::Play(RoundEvent::Dealt { to, card: Some(card), .. }) => {
                (*card, matches!(to, fairshoe_games::Place::Hand { .. }))
            }
            Event::Play(RoundEvent::Turned { card, .. }) => (*card, false),
            _ => continue,
        };
        // The first card dealt face-up after a choice is the choice's, if it goes to a hand.
        let drawn = acted && to_hand;
        acted &= matches!(event, Event::Play(RoundEvent::Turned { .. }));
        if drawn {
            let (cards, sum) = (left.len() as i64, left.iter().sum::<i64>());
            let squares: i64 = left.iter().map(|tag| tag * tag).sum();
            let mean = sum * 1_000_000 / cards;
            all.draws.cards += 1;
            all.draws.excess += tag(card) * 1_000_000 - mean;
            all.draws.variance += squares * 1_000_000 / cards - mean * mean / 1_000_000;
        }
        let at = left.iter().position(|left| *left == tag(card)).unwrap();
        left.swap_remove(at);
        shown += tag(card);
    }
    all
}

#[test]
fn shoes_that_last_are_rich_or_poor_at_each_round_s_end_and_as_they_go_and_choices_draw_from_what_is_left() {
    let players = ["alice", "bob"];
    let mut house = House::shared("live-blackjack", &[("reshuffle", r#"{"cut_back":300}"#)], &players);
    house.sit_all("t1", &players);
    let mut rng = Rng(8);
    for _ in 0..70 {
        house.deal_all("t1", &players, 100);
        while let Some(who) = house.asked("t1").first().cloned() {
            let open = house.open_decisions("t1").remove(0);
            let offers = house.table("t1").live_round().unwrap().game.options(open.number, chips(1_000_000));
            let can = |kind| offers.iter().any(|offer| offer.action == kind);
            let action = match () {
                () if can(fairshoe_games::ActionKind::Insurance) => Action::Insurance { take: rng.one_in(2) },
                () if can(fairshoe_games::ActionKind::Hit) && rng.one_in(2) => Action::Hit,
                () => Action::Stand,
            };
            house.choose("t1", &who, action).unwrap();
        }
        house.run_due();
    }
    house.wait(HOUR);
    house.give(&Actor::Operator, Command::CloseTable { table: table("t1") }).unwrap();
    let (leans, expected) = (leans(&house), shoes_of(&house, 8));
    let Count { rich, poor, .. } = expected.at_rounds;
    assert!(
        rich > 0 && poor > 0 && expected.draws.cards > 60 && expected.by_cause.len() > 1,
        "{:?} {:?}",
        expected.at_rounds,
        expected.by_cause
    );
    assert_eq!((leans.left_at_rounds, &leans.left_by_cause), (expected.at_rounds, &expected.by_cause));
    let sum = leans.draws.values().fold(Draws::default(), |sum, one| Draws {
        cards: sum.cards + one.cards,
        excess: sum.excess + one.excess,
        variance: sum.variance + one.variance,
    });
    assert_eq!(sum, expected.draws);
    assert_eq!(leans.draws.len(), 2);
}

/// A shoe of one round says nothing to whoever would change it, and a shoe of another game is rich in nothing.
#[test]
fn neither_a_shoe_of_one_round_nor_one_of_baccarat_is_rich_or_poor() {
    let mut solo = House::with_table(&[], 10_000);
    for _ in 0..5 {
        solo.deal("t1", "alice", 10, |_| true);
        solo.finish("t1", "alice");
        solo.run_due();
    }
    let mut baccarat = House::shared("baccarat", &[], &["alice"]);
    baccarat.sit_all("t1", &["alice"]);
    for _ in 0..5 {
        baccarat.whole_round_on("t1", &[("alice", "player")]);
    }
    let mut roulette = House::shared("roulette", &[], &["alice"]);
    roulette.sit_all("t1", &["alice"]);
    roulette.whole_round_on("t1", &[("alice", "red")]);
    for house in [solo, baccarat, roulette] {
        let leans = leans(&house);
        assert_eq!((leans.left_at_rounds, leans.left_by_cause.len(), leans.draws.len()), (Count::default(), 0, 0));
    }
}
