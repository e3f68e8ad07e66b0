//! Hands of poker that tell two readings of a page apart: a table for each case, with the stacks that it takes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use super::poker::{bet, raise};
use crate::common::shared::rules;
use crate::common::*;
use fairshoe_games::Action::{self, Call, Check, Fold};
use fairshoe_games::ActionKind;
use fairshoe_games::poker::EntryChoice;
use fairshoe_house::{Actor, Command};

pub const FILE: &str = "entries-hands.json";

const PLAYERS: [&str; 4] = ["alice", "bob", "carol", "dave"];
const DEEP: u64 = 20_000;

/// Options of a table; of those that a case does not name, no limit, no ante, no straddle, no rake.
struct Options {
    betting: &'static str,
    full_blind: bool,
    ante_layers: bool,
    reopening: &'static str,
    blinds: &'static str,
    more: &'static [(&'static str, &'static str)],
}

const PLAIN: Options = Options {
    betting: r#"{"no_limit":{"min_bet":200}}"#,
    full_blind: true,
    ante_layers: true,
    reopening: "full",
    blinds: r#"{"small":100,"big":200,"ante":0,"straddle":false,"entry_post":"small"}"#,
    more: &[],
};
const LIMIT: Options = Options { betting: r#"{"fixed_limit":{"small_bet":200,"big_bet":400,"cap":4}}"#, ..PLAIN };
const ANTE: &str = r#"{"small":100,"big":200,"ante":100,"straddle":false,"entry_post":"small"}"#;
const STRADDLE: &str = r#"{"small":100,"big":200,"ante":50,"straddle":true,"entry_post":"small"}"#;

impl Writer {
    /// A table of these options, with these players on seats 1, 2 …; the first hand is called. The button is on the
    /// first of these seats, the blinds are on the next.
    fn cash(&mut self, at: &str, options: &Options, stacks: &[u64]) {
        let seats: Vec<_> = (1..).zip(PLAYERS).zip(stacks).map(|((seat, who), stack)| (seat, who, *stack)).collect();
        self.cash_at(at, options, &seats);
    }

    fn cash_at(&mut self, at: &str, options: &Options, seats: &[(u8, &str, u64)]) {
        let Options { betting, full_blind, ante_layers, reopening, blinds, more } = options;
        let hand = format!(
            "{{\"family\":\"holdem\",\"hi_lo\":false,\"betting\":{betting},\"full_blind\":{full_blind},\
             \"ante_layers\":{ante_layers},\"reopening\":\"{reopening}\",\"odd_chips\":\"one_each\"}}"
        );
        let options = [("hand", hand.as_str()), ("blinds", blinds), ("stake_min", "200"), ("bet_time_ms", "30000")];
        self.tick().open_rules(at, rules("holdem", &[&options, *more].concat()));
        for (seat, who, stack) in seats {
            self.tick().buy_in(at, who, *seat, *stack).unwrap();
        }
    }

    /// The hand is called if it was not; these commit, and show their seeds. The others let the time pass.
    fn deal_hand(&mut self, at: &str, players: &[&str]) {
        self.duties();
        self.commit(at, players);
        if self.house.table(at).call().is_some() {
            self.house.now = self.house.table(at).next_deadline().unwrap();
            self.duties();
        }
        let dealt: Vec<_> = self.last_hand().seats.iter().map(|seat| seat.player.to_string()).collect();
        self.reveal_hand(at, &dealt.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
    }

    /// The same, dealt so that of these, from the left of the button, one beats another.
    fn deal_so(&mut self, at: &str, players: &[&str], best: usize, than: usize) {
        self.duties();
        self.wish_hand(at, players, |deal| deal.beats(best, than));
        self.deal_hand(at, players);
    }

    /// Whether the player whose turn it is may raise or bet, and to how much.
    fn raises(&self, at: &str, who: &str) -> Option<(u64, u64)> {
        let (turn, offers) = self.house.offers(at).unwrap();
        assert_eq!(turn, who);
        let offer = offers.iter().find(|offer| matches!(offer.action, ActionKind::Bet | ActionKind::Raise))?;
        offer.to.map(|(least, most)| (least.units(), most.units()))
    }

    fn stand_up(&mut self, at: &str, who: &str) {
        self.tick().give(&by(who), Command::LeaveSeat { table: table(at) }).unwrap();
    }

    fn close(&mut self, at: &str) {
        self.play_on(at);
        self.tick().give(&Actor::Operator, Command::CloseTable { table: table(at) }).unwrap();
    }
}

/// The file's text.
pub fn text() -> String {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in PLAYERS.into_iter().chain(["erin"]) {
        w.house.add_player(who, 100_000);
    }
    w.house.add_player("frank", 1_000);
    caps(&mut w);
    half_bets(&mut w);
    opened_again(&mut w);
    callable(&mut w);
    short_bets(&mut w);
    pot_limit(&mut w);
    flat_chips(&mut w);
    posts_in_order(&mut w);
    equal_blinds(&mut w);
    straddles(&mut w);
    two_dealt_in(&mut w);
    short_blinds(&mut w);
    rivers(&mut w);
    leavers(&mut w);
    top_ups(&mut w);
    calls(&mut w);
    debts(&mut w);
    pauses(&mut w);
    away(&mut w);
    let accounts =
        ["cage", "house", "rake", "player:alice", "player:bob", "player:carol", "player:dave", "player:frank"];
    w.text(
        FILE,
        "Hands that tell two readings apart; spec/games/poker.md, poker-table.md. Fields as in entries-joy.json.",
        "",
        &accounts,
    )
}

/// The blind counts as one of the bets of a capped street, and of the first alone; no fold lifts the cap, and a street
/// of two has it.
fn caps(w: &mut Writer) {
    let (at, three) = ("cap", ["alice", "bob", "carol"]);
    w.cash(at, &LIMIT, &[DEEP; 3]);
    w.deal_hand(at, &three);
    w.choose(at, &[("alice", raise(400)), ("bob", raise(600)), ("carol", raise(800))]);
    assert_eq!(w.raises(at, "alice"), None);
    w.choose(at, &[("alice", Call), ("bob", Call)]);
    w.choose(at, &[("bob", bet(200)), ("carol", raise(400)), ("alice", raise(600)), ("bob", raise(800))]);
    assert_eq!(w.raises(at, "carol"), None);
    w.choose(at, &[("carol", Fold)]);
    assert_eq!(w.raises(at, "alice"), None);
    w.choose(at, &[("alice", Call)]);
    w.choose(at, &[("bob", bet(400)), ("alice", raise(800)), ("bob", raise(1_200)), ("alice", raise(1_600))]);
    assert_eq!(w.raises(at, "bob"), None);
    w.choose(at, &[("bob", Call)]);
    w.close(at);
}

/// In limit an all-in of half a bet opens betting again, one of less does not; it counts for the cap, and whoever is
/// all-in is in the hand.
fn half_bets(w: &mut Writer) {
    let three = ["alice", "bob", "carol"];
    w.cash("half", &LIMIT, &[DEEP, DEEP, 300]);
    w.deal_hand("half", &three);
    w.choose("half", &[("alice", Call), ("bob", Call), ("carol", raise(300))]);
    assert_eq!(w.raises("half", "alice"), Some((500, 500)));
    w.choose("half", &[("alice", raise(500)), ("bob", raise(700))]);
    assert_eq!(w.raises("half", "alice"), None);
    w.close("half");
    w.cash("less", &LIMIT, &[DEEP, DEEP, 299]);
    w.deal_hand("less", &three);
    w.choose("less", &[("alice", Call), ("bob", Call), ("carol", raise(299))]);
    assert_eq!(w.raises("less", "alice"), None);
    w.close("less");
}

/// Two all-ins that come to a full raise together open betting again; one alone does where the rule set says `any`.
fn opened_again(w: &mut Writer) {
    w.cash("again", &PLAIN, &[800, 1_000, DEEP, DEEP]);
    w.deal_hand("again", &PLAYERS);
    w.choose("again", &[("dave", raise(600)), ("alice", raise(800)), ("bob", raise(1_000)), ("carol", Fold)]);
    assert_eq!(w.raises("again", "dave"), None, "nobody else has chips");
    w.close("again");
    w.cash("both", &PLAIN, &[800, 1_000, DEEP, DEEP]);
    w.deal_hand("both", &PLAYERS);
    w.choose("both", &[("dave", raise(600)), ("alice", raise(800)), ("bob", raise(1_000)), ("carol", Call)]);
    assert_eq!(w.raises("both", "dave"), Some((1_400, DEEP)));
    w.close("both");
    for (at, reopening, raises) in [("one", "full", None), ("any", "any", Some((1_100, DEEP)))] {
        w.cash(at, &Options { reopening, ..PLAIN }, &[700, DEEP, DEEP, DEEP]);
        w.deal_hand(at, &PLAYERS);
        w.choose(at, &[("dave", raise(600)), ("alice", raise(700)), ("bob", Fold), ("carol", Call)]);
        assert_eq!(w.raises(at, "dave"), raises);
        w.close(at);
    }
}

/// Chips that nobody could call are not bet, but for a least raise; where nobody could match more than the level there
/// is no raise.
fn callable(w: &mut Writer) {
    let (at, stacks) = ("above", [2_500, DEEP, 250, DEEP]);
    w.cash(at, &PLAIN, &stacks);
    w.deal_hand(at, &PLAYERS);
    w.choose(at, &[("dave", Fold)]);
    w.choose(at, &[("alice", raise(2_500))]);
    assert_eq!(w.raises(at, "bob"), None, "carol has 50 left, and 250 in all");
    w.close(at);
    let at = "most";
    w.cash(at, &PLAIN, &stacks);
    w.deal_hand(at, &PLAYERS);
    w.choose(at, &[("dave", Call), ("alice", Fold), ("bob", Fold)]);
    assert_eq!(w.raises(at, "carol"), Some((250, 250)));
    w.choose(at, &[("carol", Check), ("carol", Check)]);
    assert_eq!(w.raises(at, "dave"), Some((200, 200)), "carol could call 50");
    w.choose(at, &[("dave", bet(200)), ("carol", Call)]);
    w.close(at);
}

/// An all-in bet below the bet size leaves the least raise as it is.
fn short_bets(w: &mut Writer) {
    let at = "short";
    w.cash(at, &PLAIN, &[DEEP, 250, DEEP]);
    w.deal_hand(at, &["alice", "bob", "carol"]);
    w.choose(at, &[("alice", Call), ("bob", Call), ("carol", Check), ("bob", bet(50))]);
    assert_eq!(w.raises(at, "carol").unwrap().0, 250);
    w.close(at);
}

/// The pot that bounds a raise holds antes too, and what the call takes.
fn pot_limit(w: &mut Writer) {
    let at = "pot";
    let betting = r#"{"pot_limit":{"min_bet":200}}"#;
    w.cash(at, &Options { betting, ante_layers: false, blinds: ANTE, ..PLAIN }, &[DEEP; 3]);
    w.deal_hand(at, &["alice", "bob", "carol"]);
    assert_eq!(w.raises(at, "alice"), Some((400, 1_000)));
    w.choose(at, &[("alice", raise(1_000)), ("bob", Call), ("carol", Fold)]);
    w.close(at);
}

/// A player who is all-in on an ante that makes no side pots contests what lies there; what a blind that was not
/// posted in full is called in.
fn flat_chips(w: &mut Writer) {
    for (at, full_blind) in [("flat", true), ("owed", false)] {
        w.cash(at, &Options { full_blind, ante_layers: false, blinds: ANTE, ..PLAIN }, &[DEEP, DEEP, DEEP, 650]);
        // From the left of the button: bob, carol, dave, alice.
        w.deal_so(at, &["bob", "carol", "dave", "alice"], 3, 2);
        w.choose(at, &[("dave", raise(500)), ("alice", Call), ("bob", Fold), ("carol", Fold)]);
        w.play_on(at);
        assert_eq!(w.house.stack(at, "dave"), 50);
        // Carol, dave, alice, bob: dave has the big blind, and half an ante.
        w.duties();
        w.wish_hand(at, &["carol", "dave", "alice", "bob"], |deal| [0, 2, 3].iter().all(|other| deal.beats(1, *other)));
        w.deal_hand(at, &PLAYERS);
        w.close(at);
    }
}

/// The ante comes before dead chips, and these before live ones.
fn posts_in_order(w: &mut Writer) {
    let (at, three) = ("order", ["alice", "bob", "carol"]);
    w.cash(at, &Options { blinds: ANTE, ..PLAIN }, &[DEEP, DEEP, DEEP, 750]);
    w.deal_so(at, &["bob", "carol", "dave", "alice"], 3, 2);
    w.choose(at, &[("dave", raise(500)), ("alice", Call), ("bob", Fold), ("carol", Fold)]);
    w.play_on(at);
    assert_eq!(w.house.stack(at, "dave"), 150);
    w.sit_out(at, "dave");
    for _ in 0..2 {
        w.deal_hand(at, &three);
        w.play_on(at);
    }
    w.tick().give(&by("dave"), Command::SitIn { table: table(at), entry: None, straddle: None }).unwrap();
    w.deal_hand(at, &PLAYERS);
    let due = w.last_hand().seats.iter().find(|seat| seat.player == player("dave")).unwrap().due;
    assert_eq!([due.ante, due.dead, due.live].map(|chips| chips.units()), [100, 100, 200]);
    w.close(at);
}

/// Of two blinds of the same height the first turn is behind the last.
fn equal_blinds(w: &mut Writer) {
    let at = "equal";
    let blinds = r#"{"small":200,"big":200,"ante":0,"straddle":false,"entry_post":"small"}"#;
    w.cash(at, &Options { blinds, ..PLAIN }, &[DEEP; 3]);
    w.deal_hand(at, &["alice", "bob", "carol"]);
    assert_eq!(w.house.offers(at).unwrap().0, "alice");
    w.close(at);
}

/// A straddle takes twice the largest blind and the ante, no more; three dealt in are enough.
fn straddles(w: &mut Writer) {
    let third = r#"{"small":50,"big":100,"third":200,"ante":0,"straddle":true,"entry_post":"small"}"#;
    let cases: [(&str, &str, &[u64], &str, u64); 4] = [
        ("enough", STRADDLE, &[DEEP, DEEP, DEEP, 450], "dave", 400),
        ("nearly", STRADDLE, &[DEEP, DEEP, DEEP, 449], "dave", 0),
        ("three", STRADDLE, &[450, DEEP, DEEP], "alice", 400),
        ("third", third, &[400, DEEP, DEEP, DEEP], "alice", 400),
    ];
    for (at, blinds, stacks, who, live) in cases {
        w.cash(at, &Options { blinds, ..PLAIN }, stacks);
        w.tick().give(&by(who), Command::SitIn { table: table(at), entry: None, straddle: Some(true) }).unwrap();
        w.deal_hand(at, &PLAYERS[..stacks.len()]);
        let due = w.last_hand().seats.iter().find(|seat| seat.player == player(who)).unwrap().due;
        assert_eq!(due.live.units(), live);
        w.close(at);
    }
}

/// Two dealt in: the player who had the big blind gets the button, and whoever owes waits behind it; then one settled
/// candidate, who is not enough, and a player who did not commit and still owes their entry.
fn two_dealt_in(w: &mut Writer) {
    let at = "two";
    w.cash_at(at, &PLAIN, &[(1, "alice", DEEP), (3, "bob", DEEP), (5, "carol", DEEP)]);
    w.deal_hand(at, &["alice", "bob", "carol"]);
    w.play_on(at);
    w.sit_out(at, "alice");
    w.tick().buy_in(at, "dave", 4, DEEP).unwrap();
    w.deal_hand(at, &["bob", "carol", "dave"]);
    let hand = w.last_hand();
    assert_eq!((hand.seats.len(), hand.positions.button, hand.positions.big), (2, 5, 3));
    w.play_on(at);
    w.sit_out(at, "bob");
    w.tick()
        .give(&by("alice"), Command::SitIn { table: table(at), entry: Some(EntryChoice::Post), straddle: None })
        .unwrap();
    w.deal_hand(at, &["alice", "carol", "dave"]);
    w.close(at);
    let at = "late";
    w.cash(at, &PLAIN, &[DEEP; 4]);
    w.deal_hand(at, &["alice", "bob", "carol"]);
    w.close(at);
}

/// A blind that was not posted in full, between two: what nobody put in is not called.
fn short_blinds(w: &mut Writer) {
    let (at, two) = ("blind", ["alice", "bob"]);
    w.cash(at, &PLAIN, &[DEEP, 250]);
    // From the left of the button: bob, alice.
    w.deal_so(at, &["bob", "alice"], 1, 0);
    w.choose(at, &[("alice", Call), ("bob", Check)]);
    w.play_on(at);
    assert_eq!(w.house.stack(at, "bob"), 50);
    w.deal_so(at, &["alice", "bob"], 1, 0);
    w.play_on(at);
    assert_eq!(w.house.stack(at, "bob"), 100);
    w.deal_hand(at, &two);
    w.close(at);
}

/// With a player all-in on the river all hands are turned up, though two could still bet.
fn rivers(w: &mut Writer) {
    let (at, three) = ("river", ["alice", "bob", "carol"]);
    w.cash(at, &PLAIN, &[DEEP, DEEP, 600]);
    w.deal_hand(at, &three);
    w.choose(at, &[("alice", Call), ("bob", Call), ("carol", Check)]);
    for _ in 0..2 {
        w.choose(at, &[("bob", Check), ("carol", Check), ("alice", Check)]);
    }
    w.choose(at, &[("bob", Check), ("carol", bet(400)), ("alice", Call), ("bob", Call)]);
    assert!(w.house.offers(at).is_none());
    w.close(at);
}

/// Players who leave after no hand, nine hands and ten, and the last one.
fn leavers(w: &mut Writer) {
    let at = "leave";
    w.cash(at, &PLAIN, &[DEEP; 2]);
    for _ in 0..9 {
        w.deal_hand(at, &["alice", "bob"]);
        fold(w, at);
    }
    w.sit_out(at, "bob");
    w.tick().buy_in(at, "carol", 3, DEEP).unwrap();
    w.deal_hand(at, &["alice", "carol"]);
    fold(w, at);
    w.tick().buy_in(at, "dave", 4, DEEP).unwrap();
    for who in ["dave", "bob", "alice", "carol"] {
        w.stand_up(at, who);
    }
    w.close(at);
}

/// A top-up that finds a stack above the most adds nothing; one that the player cannot pay in full adds what they have.
fn top_ups(w: &mut Writer) {
    let (at, two) = ("more", ["alice", "frank"]);
    w.cash_at(at, &PLAIN, &[(1, "alice", 19_900), (2, "frank", 500)]);
    w.deal_hand(at, &two);
    for (who, amount) in [("alice", 100), ("frank", 400)] {
        w.tick().give(&by(who), Command::AddChips { table: table(at), amount: chips(amount) }).unwrap();
    }
    w.choose(at, &[("alice", raise(400)), ("frank", Fold)]);
    w.tick().withdraw("frank", 300).unwrap();
    w.duties();
    assert_eq!((w.house.stack(at, "alice"), w.house.stack(at, "frank")), (20_100, 500));
    w.close(at);
}

/// Commitments are taken before the call's end, not at it; the house closes a call early with two, not with one.
fn calls(w: &mut Writer) {
    let at = "call";
    w.cash(at, &PLAIN, &[DEEP, DEEP]);
    w.duties();
    w.tick().commit_hand(at, "alice").unwrap();
    w.sit_out(at, "bob");
    let call = w.house.table(at).call().unwrap();
    let (round_no, closes_at) = (call.round_no, call.closes_at);
    w.refuse(&Actor::House, Command::CloseCall { table: table(at), round_no });
    w.tick().give(&by("bob"), Command::SitIn { table: table(at), entry: None, straddle: None }).unwrap();
    w.house.now = closes_at;
    let commitment = w.house.commitment_for(at, "bob");
    w.refuse(&by("bob"), Command::CommitHandSeed { table: table(at), round_no, commitment });
    w.duties();
    w.close(at);
}

/// Three blinds: with three dealt in the button posts the third; the big one waits for a settled player; whoever
/// missed all three posts the third live. An entry that costs the big blind.
fn debts(w: &mut Writer) {
    let blinds = r#"{"small":50,"big":100,"third":200,"ante":0,"straddle":false,"entry_post":"small"}"#;
    let options = Options { blinds, ..PLAIN };
    w.cash("button", &options, &[DEEP; 3]);
    w.deal_hand("button", &PLAYERS[..3]);
    assert_eq!(w.last_hand().positions.third, Some(1));
    w.close("button");
    let (at, others) = ("thirds", ["alice", "bob", "carol", "erin"]);
    let seats = [(1, "alice", DEEP), (2, "bob", DEEP), (3, "carol", DEEP), (4, "dave", DEEP), (5, "erin", DEEP)];
    w.cash_at(at, &options, &seats);
    w.deal_hand(at, &["alice", "bob", "carol", "dave", "erin"]);
    fold_all(w, at);
    w.sit_out(at, "dave");
    w.deal_hand(at, &others);
    fold_all(w, at);
    while w.last_hand().positions.button != 1 {
        w.deal_hand(at, &others);
        fold_all(w, at);
    }
    w.tick().give(&by("dave"), Command::SitIn { table: table(at), entry: None, straddle: None }).unwrap();
    let due = |w: &Writer| {
        let due = w.last_hand().seats.iter().find(|seat| seat.player == player("dave"))?.due;
        Some([due.dead.units(), due.live.units()])
    };
    while due(w).is_none() {
        w.deal_hand(at, &["alice", "bob", "carol", "dave", "erin"]);
        fold_all(w, at);
    }
    assert_eq!(due(w), Some([150, 200]));
    w.close(at);
    let at = "enter";
    let blinds = r#"{"small":100,"big":200,"ante":0,"straddle":false,"entry_post":"big"}"#;
    w.cash(at, &Options { blinds, ..PLAIN }, &[DEEP; 3]);
    for _ in 0..3 {
        w.deal_hand(at, &PLAYERS[..3]);
        fold_all(w, at);
    }
    w.tick().buy_in(at, "dave", 4, DEEP).unwrap();
    w.deal_hand(at, &PLAYERS);
    assert_eq!(due(w), Some([0, 200]));
    w.close(at);
}

/// No hand is called before the pause is over; the seat of a player who is away is free in the rule set's time while
/// another waits for it.
fn pauses(w: &mut Writer) {
    let at = "pause";
    let more = &[("between_hands_ms", "4000"), ("away_ms", "60000"), ("seats", "2")];
    w.cash(at, &Options { more, ..PLAIN }, &[DEEP; 2]);
    w.deal_hand(at, &["alice", "bob"]);
    fold(w, at);
    let ended = w.house.now;
    let call = Command::CallHand { table: table(at) };
    w.house.now = ended + 3_999;
    assert!(w.house.run_due().is_empty());
    w.refuse(&Actor::House, call.clone());
    w.house.now = ended + 4_000;
    assert_eq!(w.house.run_due()[0].command, call);
    w.sit_out(at, "bob");
    w.tick().give(&by("carol"), Command::WantSeat { table: table(at) }).unwrap();
    w.house.now = ended + 34_000;
    w.house.run_due();
    assert!(w.house.table(at).call().is_none());
    w.house.now = ended + 59_999;
    w.refuse(&Actor::House, Command::TidySeats { table: table(at) });
    w.house.now = ended + 60_000;
    w.house.run_due();
    assert_eq!(w.house.table(at).seat_of(&player("bob")), None);
    w.close(at);
}

/// A player who sits out before any seed of a hand is out went away from it; one who does later withholds theirs.
fn away(w: &mut Writer) {
    for (at, is_seed_out) in [("gone", false), ("held", true)] {
        w.cash(at, &PLAIN, &[DEEP; 3]);
        w.duties();
        w.commit(at, &["alice", "bob", "carol"]);
        assert!(w.house.table(at).live_round().is_some());
        if is_seed_out {
            w.reveal_hand(at, &["alice"], &[]);
        }
        w.sit_out(at, "carol");
        w.reveal_hand(at, if is_seed_out { &["bob"][..] } else { &["alice", "bob"] }, &[]);
        // For an hour after the void its late seed could come.
        let until = w.house.table(at).next_deadline().unwrap() + 3_600_000;
        while let Some(deadline) = w.house.state.next_deadline().filter(|deadline| *deadline <= until) {
            w.house.now = w.house.now.max(deadline);
            w.house.run_due();
        }
        w.house.now = until;
        w.close(at);
    }
}

/// All but one give the hand up.
fn fold_all(w: &mut Writer, at: &str) {
    while w.house.offers(at).is_some() {
        fold(w, at);
    }
    w.duties();
}

/// Whose turn it is gives the hand up.
fn fold(w: &mut Writer, at: &str) {
    let (who, _) = w.house.offers(at).unwrap();
    w.choose(at, &[(&who, Action::Fold)]);
}
