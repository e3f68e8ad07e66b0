//! A log of what the other logs leave open: limits beside the wallet, in hands and in tournaments, the most that a player
//! may have, starts at any moment, and what a start may not be.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::rng::Rng;
use crate::common::safe::{PLAYERS, commit_all, play_on, shuffling};
use crate::common::shared::rules;
use crate::common::*;
use crate::tournament_play::structure;
use fairshoe_fairness::Master;
use fairshoe_house::{
    Actor, Command, LimitOf, LimitPeriod, Reference, SITTING_GAP_MS, TournamentCommand as C, WalletAnswer, WalletCall,
};
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::Breaks;

pub const FILE: &str = "entries-more.json";

fn set(who: &str, of: LimitOf, per: LimitPeriod, most: u64) -> Command {
    Command::SetLimit { player: player(who), of, per, most: Some(most) }
}

fn add_chips(amount: u64) -> Command {
    Command::AddChips { table: table("poker"), amount: chips(amount) }
}

/// The dealer starts, twice before anything is put in order, and puts it in order a while later.
fn start_twice(w: &mut Writer) {
    w.tick().crash();
    w.house.now += 10_000;
    w.house.crash();
    w.house.now += 5_000;
    w.house.run_due();
}

fn starts(w: &mut Writer) {
    let (number, house) = (w.house.starts, Actor::House);
    w.refuse(&house, w.house.start_command(number));
    let mut other = w.house.start_command(number + 1);
    if let Command::StartDealer { master_id, .. } = &mut other {
        *master_id = Master::from_bytes([9; 32]).id();
    }
    w.refuse(&house, other);
    // In a round of a solo table: it was away since before the first of the two starts, until it was put in order.
    let seed = w.house.wish("joy", "alice", |v| v[..3] == [10, 6, 6]);
    w.tick().bet("joy", "alice", 7, &seed).unwrap();
    w.tick().reveal("joy", "alice", &seed).unwrap();
    start_twice(w);
    w.tick().finish("joy", "alice");
    w.duties();
}

/// A limit is reached at its number, order is the page's, and money of the wallet is no deposit.
fn limits(w: &mut Writer) {
    let operator = Actor::Operator;
    // While a key waits the operator does not loosen.
    let (key, reason) = (w.house.pen("grace", 0xd1), Reference::parse("card lost"));
    w.tick().give(&operator, set("grace", LimitOf::Loss, LimitPeriod::Week, 50)).unwrap();
    w.tick().give(&operator, Command::SetKey { player: player("grace"), key: Some(key), reason }).unwrap();
    w.refuse(&operator, set("grace", LimitOf::Loss, LimitPeriod::Week, 60));

    w.tick().give(&by("erin"), set("erin", LimitOf::Loss, LimitPeriod::Month, 1_000)).unwrap();
    w.tick().give(&by("erin"), set("erin", LimitOf::Deposit, LimitPeriod::Day, 100)).unwrap();
    let deposit = Command::WalletDeposit { player: player("erin"), amount: chips(500) };
    w.tick().give(&by("erin"), deposit).unwrap();
    for call in [WalletCall::Reserve, WalletCall::Commit] {
        let command = Command::WalletAnswer { no: 0, call, answer: WalletAnswer::Accepted, reason: None };
        w.tick().give(&Actor::House, command).unwrap();
    }
    w.tick().credit("erin", 100).unwrap();

    // Of a loss beyond its limit what takes nothing is not refused.
    let seed = w.house.wish("joy", "erin", |v| v[..3] == [10, 6, 6]);
    w.tick().bet("joy", "erin", 7, &seed).unwrap();
    w.tick().give(&by("erin"), set("erin", LimitOf::Loss, LimitPeriod::Month, 5)).unwrap();
    w.tick().sit("wheel", "erin", 1).unwrap();
    w.tick().leave("wheel", "erin").unwrap();
    w.tick().reveal("joy", "erin", &seed).unwrap();
    w.house.finish("joy", "erin");
    w.duties();

    w.tick().give(&by("frank"), set("frank", LimitOf::PlayTime, LimitPeriod::Day, 5_000)).unwrap();
    w.tick().sit("wheel", "frank", 1).unwrap();
    w.house.now += 5_000;
    w.house.leave("wheel", "frank").unwrap();
    w.refuse(&by("frank"), Command::TakeSeat { table: table("wheel"), seat: 1 });
    // Exactly ten minutes later it is still told when they played, and a moment later it is not.
    let last = w.house.now;
    w.house.wait(SITTING_GAP_MS);
    assert_eq!(w.house.now, last + SITTING_GAP_MS);
    w.house.credit("alice", 1).unwrap();
    w.house.now += 1;
    w.house.credit("alice", 1).unwrap();
}

/// What a player asks to withdraw is not there any more, and leaves room.
fn most(w: &mut Writer) {
    const COMFORT: u64 = (1 << 52) - 1;
    let heidi = || player("heidi");
    w.tick().add_player("heidi", COMFORT - 10);
    w.tick().give(&by("heidi"), Command::WalletWithdraw { player: heidi(), amount: chips(5) }).unwrap();
    w.refuse(&by("heidi"), Command::WalletDeposit { player: heidi(), amount: chips(16) });
    w.tick().give(&by("heidi"), Command::WalletDeposit { player: heidi(), amount: chips(15) }).unwrap();
}

/// A turn with a time bank in which the dealer starts twice; and chips that are asked for in a hand.
fn in_a_hand(w: &mut Writer) {
    w.tick().open_rules("poker", rules("holdem", &[]));
    for (seat, who) in [(1, "alice"), (2, "bob")] {
        let buy_in = w.house.least_buy_in("poker");
        w.tick().buy_in("poker", who, seat, buy_in).unwrap();
        w.duties();
    }
    for who in ["alice", "bob"] {
        w.tick().commit_hand("poker", who).unwrap();
    }
    w.duties();
    w.tick().show_all("poker");
    w.duties();
    for _ in 0..2 {
        w.tick().crash();
        w.house.run_due();
    }
    w.tick().give(&by("alice"), set("alice", LimitOf::Loss, LimitPeriod::Day, 500)).unwrap();
    w.refuse(&by("alice"), add_chips(501));
    w.tick().give(&by("alice"), add_chips(500)).unwrap();
    while let Some((who, offers)) = w.house.offers("poker") {
        let fold = offers.iter().any(|offer| offer.action == fairshoe_games::ActionKind::Fold);
        let action = if fold { fairshoe_games::Action::Fold } else { fairshoe_games::Action::Check };
        w.tick().choose("poker", &who, action).unwrap();
    }
    w.duties();
    for who in ["alice", "bob"] {
        w.tick().leave("poker", who).unwrap();
        w.duties();
    }
}

/// Each stage of a pile's shuffle is a wait of its own.
fn pile(w: &mut Writer) {
    w.tick().open_rules("t1", rules("safe", &[("crash", "resume"), ("pass", "never"), ("hit_change", "declared")]));
    w.house.sit_all("t1", &PLAYERS);
    let mut rng = Rng(7);
    while !shuffling(&w.house) {
        w.house.deal_all("t1", &PLAYERS, 100);
        play_on(&mut w.house, &mut rng);
        w.house.run_due();
    }
    for stage in 0..2 {
        // The house is up for a while in the stage.
        w.tick().credit("alice", 1).unwrap();
        w.tick().crash();
        w.house.run_due();
        if stage == 0 {
            commit_all(&mut w.house);
            w.house.run_due();
        }
    }
    while w.house.table("t1").live_round().is_some() {
        w.house.now = w.house.table("t1").next_deadline().unwrap();
        w.duties();
    }
    for who in PLAYERS {
        drop(w.tick().leave("t1", who));
        w.duties();
    }
}

fn quick(structure: &mut Structure) {
    structure.entry.stack = 800;
    structure.entry.players_min = 2;
    structure.levels.iter_mut().for_each(|level| level.ms = 30_000);
}

/// Whoever is shut out plays on where they have entered, and sells of it, but buys nothing.
fn shut_out(w: &mut Writer) {
    let duel = structure("freezeout-6", |structure| {
        quick(structure);
        structure.staking = true;
    });
    w.tick().announce("duel", &duel).unwrap();
    let offer = || C::OfferStake { event: table("duel"), basis_points: 5_000 };
    for who in ["bob", "carol"] {
        w.tick().register("duel", who).unwrap();
    }
    let until = w.house.now + DAY;
    w.tick().give(&by("carol"), Command::Exclude { player: player("carol"), until }).unwrap();
    for who in ["bob", "carol"] {
        w.tick().in_event(who, offer()).unwrap();
    }
    let buy = C::BuyStake { event: table("duel"), seller: player("bob"), basis_points: 2_500 };
    w.refuse(&by("carol"), Command::Tournament(buy));
    w.house.wait(HOUR);
    w.house.reveal_seats("duel", &mut Rng(1), 0);
    w.duties();
    w.tick().commit_hand("duel.1", "carol").unwrap();
    w.house.wait(HOUR);
}

/// A rebuy that is noted in a hand costs price and fee.
fn rebuy(w: &mut Writer) {
    let rebuys = structure("rebuy", |structure| {
        quick(structure);
        (structure.breaks, structure.add_on) = (Breaks::After(Vec::new()), None);
    });
    let terms = rebuys.rebuy.clone().unwrap();
    w.tick().announce("again", &rebuys).unwrap();
    for who in ["alice", "bob"] {
        w.tick().register("again", who).unwrap();
    }
    w.house.wait(HOUR);
    w.house.reveal_seats("again", &mut Rng(1), 0);
    w.duties();
    for who in ["alice", "bob"] {
        w.tick().commit_hand("again.1", who).unwrap();
    }
    w.duties();
    let limit = terms.price + terms.fee - 1;
    w.tick().give(&by("bob"), set("bob", LimitOf::Loss, LimitPeriod::Week, limit)).unwrap();
    w.refuse(&by("bob"), Command::Tournament(C::Rebuy { event: table("again") }));
}

fn write() -> Writer {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in ["alice", "bob", "carol", "dave", "erin", "frank", "grace"] {
        w.house.add_player(who, 1_000_000);
    }
    w.house.open("joy", &[]);
    w.tick().open_rules("wheel", rules("roulette", &[]));
    w.duties();
    starts(&mut w);
    limits(&mut w);
    most(&mut w);
    in_a_hand(&mut w);
    pile(&mut w);
    shut_out(&mut w);
    rebuy(&mut w);
    w
}

/// The file's text.
pub fn text() -> String {
    let about = "A whole log of what the others leave open; spec/limits.md, spec/wallet.md, spec/recovery.md. Fields as in entries-joy.json.";
    write().text(
        FILE,
        about,
        "",
        &["cage", "house", "wallet", "player:alice", "player:bob", "player:erin", "table:joy"],
    )
}
