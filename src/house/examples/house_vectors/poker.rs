//! The log of two cash tables of poker: hold'em without a limit, and Omaha high and low.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use super::book::Writer;
use crate::common::shared::rules;
use crate::common::*;
use fairshoe_fairness::{Card, PublicShuffle, derive_client_seed, round_entropy, seed_commitment};
use fairshoe_games::Action;
use fairshoe_games::poker::rank::{high, low};
use fairshoe_games::poker::{EntryChoice, Family, HandStart};
use fairshoe_house::{Actor, Command, Event, Lapsed, Reference};

pub const FILE: &str = "entries-poker.json";
const H: &str = "holdem";
const O: &str = "omaha";

fn label(text: &str) -> Reference {
    Reference::parse(text).unwrap()
}

/// What the players of a hand get, and its board, if `order` is dealt to `n` seats from the left of the button.
pub(super) struct Deal {
    hole: Vec<Vec<Card>>,
    board: Vec<Card>,
}

impl Deal {
    fn new(cards: &[Card], n: usize, each: usize) -> Deal {
        let hole = (0..n).map(|seat| (0..each).map(|round| cards[round * n + seat]).collect()).collect();
        // A card is burnt before each street.
        let board = [1, 2, 3, 5, 7].map(|i| cards[n * each + i]).to_vec();
        Deal { hole, board }
    }

    fn family(&self) -> Family {
        if self.hole[0].len() == 4 { Family::Omaha } else { Family::Holdem }
    }

    fn ties(&self, a: usize, b: usize) -> bool {
        let [a, b] = [a, b].map(|i| high(self.family(), &self.hole[i], &self.board));
        a == b
    }

    fn has_low(&self, i: usize) -> bool {
        low(self.family(), &self.hole[i], &self.board).is_some()
    }

    pub(super) fn beats(&self, a: usize, b: usize) -> bool {
        high(self.family(), &self.hole[a], &self.board) > high(self.family(), &self.hole[b], &self.board)
    }
}

impl Writer {
    /// Chooses the last of these contributors' seed so that the hand is dealt as wished; before that one commits.
    pub(super) fn wish_hand(&mut self, at: &str, players: &[&str], want: impl Fn(&Deal) -> bool) {
        let each = if at == O { 4 } else { 2 };
        let shoe = self.house.table(at).shoe.clone().unwrap();
        let decks = [0, 1].map(|candidate| self.house.seeds.derive(&shoe.id, candidate).1);
        let roots = [0, 1].map(|candidate| shoe.candidates[candidate].root);
        let number = self.house.seed_number(at);
        let last = *players.last().unwrap();
        let mut seeds: Vec<_> = players.iter().map(|who| (player(who), self.house.seed_for(at, who))).collect();
        seeds.sort_by(|a, b| a.0.cmp(&b.0));
        for n in 0..200_000u32 {
            let mut secret = [0x77; 32];
            secret[..4].copy_from_slice(&n.to_be_bytes());
            let seed = derive_client_seed(&secret, &shoe.id.context, number);
            seeds.iter_mut().find(|(who, _)| *who == player(last)).unwrap().1 = seed;
            let entropy = round_entropy(&shoe.id.context, shoe.id.shoe_no, &roots, number, &seeds).unwrap();
            let shuffle = PublicShuffle::new(&entropy, 2, &shoe.undrawn);
            let faces = &decks[usize::from(shuffle.pick)];
            let cards: Vec<Card> = shuffle.order.iter().map(|slot| faces.card(*slot).unwrap()).collect();
            if want(&Deal::new(&cards, players.len(), each)) {
                self.house.secrets.insert(last.to_owned(), secret);
                return;
            }
        }
        panic!("no such deal in 200,000");
    }

    pub(super) fn commit(&mut self, at: &str, players: &[&str]) {
        for who in players {
            self.tick().commit_hand(at, who).unwrap();
        }
        self.duties();
    }

    /// Their seeds come out, with the commitments for the next hand of those in `next`.
    pub(super) fn reveal_hand(&mut self, at: &str, players: &[&str], next: &[&str]) {
        for who in players {
            let house = self.tick();
            let (round_no, seed, context) = (house.seed_number(at), house.seed_for(at, who), house.context(at));
            let next = next.contains(who).then(|| {
                let seed = house.seed_of(at, who, round_no + 1);
                seed_commitment(&context, round_no + 1, &player(who), &seed)
            });
            house
                .give(
                    &by(who),
                    Command::Reveal { table: table(at), round_no, player: player(who), seed, saw: None, next },
                )
                .unwrap();
        }
    }

    pub(super) fn choose(&mut self, at: &str, choices: &[(&str, Action)]) {
        for (who, action) in choices {
            self.tick().choose(at, who, action.clone()).unwrap();
        }
    }

    /// All who are asked take the cheapest way through; at the showdown they show.
    pub(super) fn play_on(&mut self, at: &str) {
        while let Some((who, offers)) = self.house.offers(at) {
            let action = match offers[if offers.len() == 2 && offers[0].cost == offers[1].cost { 0 } else { 1 }].action
            {
                fairshoe_games::ActionKind::Fold => Action::Check,
                fairshoe_games::ActionKind::Show => Action::Show,
                fairshoe_games::ActionKind::Call => Action::Call,
                _ => Action::Check,
            };
            self.tick().choose(at, &who, action).unwrap();
        }
        self.duties();
    }

    fn ask(&mut self, at: &str, who: &str, entry: Option<EntryChoice>, straddle: Option<bool>) {
        self.tick().give(&by(who), Command::SitIn { table: table(at), entry, straddle }).unwrap();
        self.duties();
    }

    pub(super) fn sit_out(&mut self, at: &str, who: &str) {
        self.tick().give(&by(who), Command::SitOut { table: table(at) }).unwrap();
    }

    fn leave_table(&mut self, at: &str, who: &str) {
        self.tick().give(&by(who), Command::LeaveSeat { table: table(at) }).unwrap();
        self.duties();
    }

    fn wait(&mut self, ms: u64) {
        self.house.now += ms;
        self.house.run_due();
    }
}

pub(super) fn bet(amount: u64) -> Action {
    Action::Bet { to: chips(amount) }
}

pub(super) fn raise(amount: u64) -> Action {
    Action::Raise { to: chips(amount) }
}

fn take(at: &str, seat: u8, amount: u64) -> Command {
    Command::SitDown { table: table(at), seat, buy_in: chips(amount), client: None, entry: Some(EntryChoice::Post) }
}

/// The file's text.
pub fn text() -> String {
    let mut w = Writer::new();
    w.house.start().unwrap();
    for who in ["alice", "bob", "carol", "dave"] {
        w.house.add_player(who, 100_000);
    }
    let blinds = r#"{"small":100,"big":200,"ante":0,"straddle":true,"entry_post":"small"}"#;
    w.tick().open_rules(H, rules("holdem", &[("blinds", blinds), ("stake_min", "2000")]));
    w.refuse(&by("alice"), take(H, 1, 1_999));
    w.refuse(&by("alice"), Command::AddChips { table: table(H), amount: chips(1) });
    w.tick().give(&by("alice"), take(H, 1, 10_000)).unwrap();
    w.tick().give(&by("bob"), take(H, 2, 10_000)).unwrap();
    w.refuse(&by("carol"), take(H, 2, 3_001));
    w.tick().give(&by("carol"), take(H, 3, 3_001)).unwrap();
    w.duties();
    showdowns(&mut w);
    all_in(&mut w);
    clocks(&mut w);
    posts(&mut w);
    voids(&mut w);
    omaha(&mut w);
    let reason = || label("Dispute 12: \"who showed first?\" (seat 2; a\\c 9)");
    let disclose = |shoe_no| Command::DiscloseShoe { table: table(H), shoe_no, reason: reason() };
    let auditor: Actor = serde_json::from_value("auditor:desk".into()).unwrap();
    w.refuse(&auditor, disclose(1_000));
    w.refuse(&Actor::Operator, disclose(0));
    w.tick().give(&auditor, disclose(0)).unwrap();
    for at in [H, O] {
        let close = Command::CloseTable { table: table(at) };
        // Seeds that are missing at a void keep the table open for an hour, or until they come.
        if w.house.table(at).late_seeds_at(w.house.now).is_some() {
            w.refuse(&Actor::Operator, close.clone());
        }
        for voided in w.house.table(at).voided.clone() {
            let origin = w.house.state.origin().unwrap().clone();
            let context = fairshoe_fairness::TableContext { origin, table: table(at), epoch: voided.epoch };
            for missing in voided.missing.iter().filter(|missing| !missing.out) {
                let seed = w.house.seed_in(&context, missing.player.as_str(), voided.round_no);
                let late = Command::LateSeed {
                    table: table(at),
                    round_no: voided.round_no,
                    player: missing.player.clone(),
                    seed,
                };
                w.tick().give(&Actor::Anyone, late).unwrap();
            }
        }
        w.tick().give(&Actor::Operator, close).unwrap();
    }
    w.tick().give(&auditor, disclose(1)).unwrap();
    w.text(
        FILE,
        "A whole log of two cash tables of poker; spec/games/poker-table.md. Fields as in entries-joy.json.",
        "",
        &["cage", "house", "rake", "player:alice", "player:bob", "player:carol", "player:dave"],
    )
}

/// Hands 0 to 2: shown, mucked, folded out.
fn showdowns(w: &mut Writer) {
    let all = ["alice", "bob", "carol"];
    w.refuse(&Actor::House, Command::CloseCall { table: table(H), round_no: 0 });
    w.commit(H, &all);
    w.refuse(
        &by("alice"),
        Command::CommitHandSeed { table: table(H), round_no: 7, commitment: w.house.commitment_for(H, "alice") },
    );
    w.reveal_hand(H, &all, &["alice", "carol"]);
    w.refuse(&by("alice"), Command::Act { table: table(H), round_no: 0, decision: 0, action: raise(399) });
    w.refuse(&by("alice"), Command::Act { table: table(H), round_no: 0, decision: 0, action: Action::Check });
    w.refuse(&by("bob"), Command::Act { table: table(H), round_no: 0, decision: 0, action: Action::Fold });
    w.choose(H, &[("alice", Action::Call), ("bob", Action::Call), ("carol", Action::Check)]);
    for _ in 0..2 {
        w.choose(H, &[("bob", Action::Check), ("carol", Action::Check), ("alice", Action::Check)]);
    }
    w.choose(H, &[("bob", Action::Check), ("carol", bet(201)), ("alice", Action::Call), ("bob", Action::Call)]);
    // Carol shows first, since she bet; each of the others shows or does not.
    w.choose(H, &[("alice", Action::Show), ("bob", Action::Muck)]);
    w.duties();
    // Hand 1: alice's and carol's commitments were carried; alice has a straddle in mind, and bob sends bob's during
    // the next hand.
    w.ask(H, "carol", None, Some(true));
    w.commit(H, &["bob"]);
    w.reveal_hand(H, &all, &[]);
    let next = w.house.seed_of(H, "bob", 2);
    let commitment = seed_commitment(&w.house.context(H), 2, &player("bob"), &next);
    w.tick().give(&by("bob"), Command::CommitHandSeed { table: table(H), round_no: 2, commitment }).unwrap();
    w.choose(H, &[("bob", raise(600)), ("carol", Action::Fold), ("alice", Action::Fold)]);
    w.duties();
    // Hand 2: a commitment that was carried is taken back by sitting out, and given again.
    w.sit_out(H, "bob");
    w.refuse(&by("bob"), Command::SitOut { table: table(H) });
    w.ask(H, "bob", None, None);
    w.commit(H, &all);
    w.reveal_hand(H, &all, &[]);
    w.play_on(H);
}

/// Hand 3: three all-in, a side pot, a tie; the cards are tabled before the board.
fn all_in(w: &mut Writer) {
    let players = ["alice", "bob", "carol"];
    // Button carol's left is alice: see the order of the seats in hand_begun.
    let button = w.house.table(H).next_round % 3;
    assert_eq!(button, 0, "alice has the button, bob the small blind");
    // From the left of the button: bob, carol, alice.
    w.wish_hand(H, &players, |deal| deal.ties(0, 2) && deal.beats(0, 1));
    w.commit(H, &players);
    w.reveal_hand(H, &players, &[]);
    w.tick().give(&by("alice"), Command::AddChips { table: table(H), amount: chips(777) }).unwrap_or_else(|_| {
        panic!("alice has {}", w.house.stack(H, "alice"));
    });
    let most = |w: &Writer| {
        let (_, offers) = w.house.offers(H).unwrap();
        offers.last().unwrap().to.map_or(Action::Call, |(_, most)| Action::Raise { to: most })
    };
    for who in ["alice", "bob"] {
        let action = most(w);
        w.choose(H, &[(who, action)]);
    }
    w.choose(H, &[("carol", Action::Call)]);
    if w.house.offers(H).is_some() {
        w.choose(H, &[("alice", Action::Call)]);
    }
    w.duties();
    assert_eq!(w.house.stack(H, "carol"), 0);
}

/// Hands 4 and 5 of two players: a time bank, a turn that runs out.
fn clocks(w: &mut Writer) {
    w.refuse(&by("carol"), Command::AskToPlay { table: table(H) });
    w.commit(H, &["alice", "bob"]);
    w.reveal_hand(H, &["alice", "bob"], &[]);
    let (who, _) = w.house.offers(H).unwrap();
    w.house.now += 23_000;
    w.choose(H, &[(&who, Action::Call)]);
    let round_no = w.house.table(H).live_round().unwrap().round_no;
    w.refuse(&Actor::House, Command::Lapse { table: table(H), round_no, lapsed: Lapsed::Turn });
    w.wait(60_000);
    w.duties();
    // The player who timed out sits out; without them nobody calls a hand. Carol comes back with more chips.
    w.tick().give(&by("carol"), Command::AddChips { table: table(H), amount: chips(5_000) }).unwrap();
    w.ask(H, "carol", Some(EntryChoice::Post), None);
    let out = if who == "alice" { "bob" } else { "alice" };
    w.ask(H, out, Some(EntryChoice::Post), None);
    w.commit(H, &["alice", "bob", "carol"]);
    w.reveal_hand(H, &["alice", "bob", "carol"], &[]);
    w.play_on(H);
}

impl Writer {
    /// The hand that was dealt last.
    pub(super) fn last_hand(&self) -> HandStart {
        let hands = entries(&self.house.log).into_iter().flat_map(|entry| entry.events);
        hands
            .filter_map(|event| if let Event::HandBegun { hand, .. } = event { Some(hand) } else { None })
            .last()
            .unwrap()
    }

    /// A hand among these; a player who commits and is not dealt in yet has no seed to show. `leaves` does so before
    /// the first turn.
    fn whole_hand(&mut self, players: &[&str], leaves: Option<&str>) {
        self.commit(H, players);
        let dealt: Vec<String> = self.last_hand().seats.iter().map(|seat| seat.player.to_string()).collect();
        self.reveal_hand(H, &dealt.iter().map(String::as_str).collect::<Vec<_>>(), &[]);
        if let Some(who) = leaves {
            self.leave_table(H, who);
        }
        self.play_on(H);
    }

    /// What dave posted in the hand that was dealt last, dead and live.
    fn posted_by_dave(&self) -> (u64, u64) {
        let hand = self.last_hand();
        let due = hand.seats.iter().find(|seat| seat.player == player("dave")).unwrap().due;
        assert!(!due.opens);
        (due.dead.units(), due.live.units())
    }
}

/// Dave comes, misses the blinds, and posts them dead and live; leaves early, twice, and is blocked.
fn posts(w: &mut Writer) {
    let (three, four) = (["alice", "bob", "carol"], ["alice", "bob", "carol", "dave"]);
    w.tick().give(&by("dave"), take(H, 4, 4_000)).unwrap();
    w.duties();
    while w.house.table(H).cash_seat(&player("dave")).unwrap().1.hands == 0 || w.last_hand().positions.big != 4 {
        w.whole_hand(&four, None);
    }
    // The small blind passes dave, the big one does not.
    w.sit_out(H, "dave");
    w.whole_hand(&three, None);
    w.ask(H, "dave", Some(EntryChoice::Post), Some(true));
    w.whole_hand(&four, None);
    assert_eq!(w.posted_by_dave(), (100, 0));
    // Both pass dave.
    w.sit_out(H, "dave");
    for _ in 0..3 {
        w.whole_hand(&three, None);
    }
    while w.last_hand().positions.button != 3 {
        w.whole_hand(&three, None);
    }
    w.ask(H, "dave", None, None);
    w.whole_hand(&four, None);
    assert_eq!(w.posted_by_dave(), (100, 200));
    w.whole_hand(&four, Some("dave"));
    assert!(w.house.table(H).cash_seat(&player("dave")).is_none());
    w.tick().give(&by("dave"), take(H, 4, 4_000)).unwrap();
    w.duties();
    while w.house.table(H).cash_seat(&player("dave")).unwrap().1.hands == 0 {
        w.whole_hand(&four, None);
    }
    w.leave_table(H, "dave");
    w.wait(11_000);
    w.refuse(&by("dave"), take(H, 4, 4_000));
}

/// Everybody at the hold'em table wants to be dealt in again.
fn ready_all(w: &mut Writer) {
    for who in ["alice", "bob", "carol"] {
        if w.house.table(H).cash_seat(&player(who)).unwrap().1.sitting_out {
            w.ask(H, who, Some(EntryChoice::Post), None);
        }
    }
}

/// A withheld seed, calls that lapse, a malfunction, a crash with two hands open, a crash before the seeds.
fn voids(w: &mut Writer) {
    let all = ["alice", "bob", "carol"];
    ready_all(w);
    w.commit(H, &all);
    w.reveal_hand(H, &["alice", "carol"], &[]);
    w.wait(11_000);
    w.duties();
    // The operator announces the end of a call: nobody sits out for it. Another ends without any commitment.
    w.commit(H, &["carol"]);
    let close = announce(w);
    w.tick().give(&Actor::Operator, close).unwrap();
    w.duties();
    w.wait(11_000);
    // Bob does not commit, and the others play without bob.
    ready_all(w);
    w.commit(H, &["alice", "carol"]);
    w.wait(11_000);
    w.reveal_hand(H, &["alice", "carol"], &[]);
    w.play_on(H);
    ready_all(w);
    w.commit(H, &all);
    w.reveal_hand(H, &all, &[]);
    let (who, _) = w.house.offers(H).unwrap();
    w.choose(H, &[(&who, raise(1_000))]);
    let round_no = w.house.table(H).live_round().unwrap().round_no;
    w.tick()
        .give(&Actor::Operator, Command::VoidRound { table: table(H), round_no, reason: label("power supply") })
        .unwrap();
    w.duties();
    w.commit(H, &all);
    w.reveal_hand(H, &all, &["bob"]);
    while let Some((who, offers)) =
        w.house.offers(H).filter(|(_, offers)| offers[0].action != fairshoe_games::ActionKind::Show)
    {
        let action = if offers[1].action == fairshoe_games::ActionKind::Call { Action::Call } else { Action::Check };
        w.choose(H, &[(&who, action)]);
    }
    let (who, _) = w.house.offers(H).unwrap();
    w.choose(H, &[(&who, Action::Show)]);
    w.tick().crash();
    w.duties();
    // A crash while a call stands, with one commitment in.
    w.tick().commit_hand(H, "alice").unwrap();
    w.tick().crash();
    w.duties();
    let round_no = w.house.table(H).call().unwrap().round_no;
    w.tick().give(&Actor::Operator, Command::VoidRound { table: table(H), round_no, reason: label("again") }).unwrap();
    w.duties();
    // A hand that is over before the end of the log, another that stands open is closed by the operator's next act.
    w.commit(H, &all);
    w.reveal_hand(H, &all, &[]);
    w.play_on(H);
    for who in all {
        w.sit_out(H, who);
    }
    w.wait(11_000);
}

fn announce(w: &Writer) -> Command {
    Command::CloseCall { table: table(H), round_no: w.house.table(H).call().unwrap().round_no }
}

/// Two hands of Omaha: a low that halves the pot, with an odd chip; three all-in.
fn omaha(w: &mut Writer) {
    let all = ["alice", "bob", "carol"];
    w.tick().open_rules(O, rules("omaha-hi-lo", &[("stake_min", "1000"), ("turn_time_ms", "15000")]));
    for (seat, who, amount) in [(2, "alice", 3_333), (5, "bob", 1_111), (7, "carol", 2_222)] {
        w.tick().give(&by(who), take(O, seat, amount)).unwrap();
    }
    w.duties();
    // From the left of the button: bob, carol, alice.
    w.wish_hand(O, &all, |deal| {
        deal.has_low(0) && !deal.has_low(1) && deal.has_low(2) && deal.beats(1, 2) && deal.beats(1, 0)
    });
    w.commit(O, &all);
    w.reveal_hand(O, &all, &all);
    w.choose(O, &[("alice", raise(601)), ("bob", Action::Call), ("carol", Action::Call)]);
    w.play_on(O);
    w.reveal_hand(O, &all, &[]);
    while let Some((who, offers)) = w.house.offers(O) {
        let action = offers.last().unwrap().to.map_or(Action::Call, |(_, most)| {
            if offers.last().unwrap().action == fairshoe_games::ActionKind::Bet {
                Action::Bet { to: most }
            } else {
                Action::Raise { to: most }
            }
        });
        let action = if offers[0].action == fairshoe_games::ActionKind::Show { Action::Show } else { action };
        w.choose(O, &[(&who, action)]);
    }
    w.duties();
}
