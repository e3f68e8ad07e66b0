//! Poker and Safe, where players win from each other and the house has friends; and what an operator does with keys and
//! books.

use crate::common::play::liked_action;
use crate::common::rng::Rng;
use crate::common::*;
use crate::crook::*;
use crate::judged::{Evidence, received};
use crate::list::Played;
use crate::worth::Worth;
use fairshoe_fairness::{Origin, ServerSeed};
use fairshoe_games::poker::PokerEvent;
use fairshoe_games::{Action, ActionKind, RoundEvent};
use fairshoe_house::{
    Actor, Command, Dealer, Entry, Event, Lapsed, PileStage, PlainText, Reference, ShoeId, TableKind, WalletAnswer,
    WalletCall,
};
use fairshoe_judge::audit::{Book, Limits};
use fairshoe_tlog::{Signer, base64_encode};

const TABLE: [&str; 3] = ["alice", "bob", "friend"];
const HEADS_UP: [&str; 2] = ["alice", "friend"];
const VICTIMS: [&str; 2] = ["alice", "bob"];

fn played(crook: Crook, honest: f64) -> Played {
    let worth = Worth::of(&crook.house.log, &VICTIMS, honest);
    let worth = if crook.gained > 0 { worth.knowing(crook.gained) } else { worth };
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// What the house gives to every auditor: the hands that it ended.
pub fn disclosed(log: &[Vec<u8>], dealer: &dyn Dealer) -> Vec<(String, Vec<u8>)> {
    let mut book = Book::new(Limits::default());
    for (index, entry) in (0..).zip(log) {
        book.feed(index, entry).unwrap();
        for check in book.take_checks() {
            book.give_back(check.run()).unwrap();
        }
    }
    let reply = |id: &ShoeId| {
        let reply = serde_json::json!({ "seeds": [dealer.seed(id, 0).unwrap(), dealer.seed(id, 1).unwrap()] });
        (format!("/v1/shoes/{}/{}/disclosure", id.context.table, id.shoe_no), reply.to_string().into_bytes())
    };
    book.take_owed().into_iter().map(|hand| reply(&hand.shoe().id)).collect()
}

/// The same, for an auditor to whom the house gives the hands that it ended, as it must.
fn played_and_disclosed(crook: Crook) -> Played {
    let disclosed = disclosed(&crook.house.log, crook.house.dealer.as_ref());
    let Played { evidence, worth } = played(crook, 0.0);
    Played { evidence: Evidence { disclosed, ..evidence }, worth }
}

/// What a player gets out of an entry that ends a round, less what they put in; `None` if it ends none.
pub fn net_of(entry: &Entry, who: &str) -> Option<i64> {
    entry.events.iter().find_map(|event| match event {
        Event::Play(RoundEvent::Paid { lines }) => Some(
            lines
                .iter()
                .filter(|line| line.player.as_str() == who)
                .map(|line| line.returned.signed() - line.stake.signed())
                .sum(),
        ),
        Event::Play(RoundEvent::Poker(PokerEvent::Settled { seats, .. })) => {
            let own = seats.iter().filter(|seat| seat.player.as_str() == who);
            Some(own.map(|seat| seat.got.signed() - seat.put_in.signed()).sum())
        }
        _ => None,
    })
}

/// How a hand that the friend is about to lose is ended.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Crash,
    Malfunction,
}

fn end(crook: &mut Crook, at: &str, how: Ends) {
    crook.pass(SECOND);
    match how {
        Ends::Crash => crook.restart(),
        Ends::Malfunction => assert!(crook.malfunction(at)),
    }
    crook.work(at);
}

/// Everybody does what a new pile waits for.
fn help_pile(crook: &mut Crook, at: &str, stage: PileStage) {
    match stage {
        PileStage::Commitments(_) => {
            for who in crook.house.awaited(at) {
                commit(crook, at, &who);
            }
        }
        PileStage::Seeds(_) => crook.seeds_but(at, ""),
    }
}

/// Games of Safe, played by chance; of those that the friend is about to lose two in three end before.
fn saves_a_friend_at_safe(rounds: usize, how: Ends) -> Played {
    let mut crook = Crook::honest(&TABLE, 1_000_000);
    crook.open("safe-1", "safe", &[]);
    let mut rng = Rng(5);
    let mut lost = 0;
    for _ in 0..rounds {
        crook.ready("safe-1", &TABLE);
        crook.bets_on_seats("safe-1", &TABLE, 100);
        crook.seeds_but("safe-1", "");
        let mut spared = false;
        while let Some(round) = crook.house.table("safe-1").live_round() {
            match round.pile.as_ref().map(|pile| pile.stage) {
                Some(stage) => help_pile(&mut crook, "safe-1", stage),
                None => {
                    let open = crook.house.open_decisions("safe-1").remove(0);
                    let funds = crook.house.state.funds(&open.player);
                    let liked = [ActionKind::Stand, ActionKind::Accept, ActionKind::Pass];
                    let action = liked_action(
                        &mut rng,
                        round.game.as_ref(),
                        &open,
                        funds,
                        if open.number.is_multiple_of(3) { &[] } else { &liked },
                    );
                    let act = Command::Act {
                        table: table("safe-1"),
                        round_no: round.round_no,
                        decision: open.number,
                        action,
                    };
                    let who = Actor::Player(open.player);
                    let net = net_of(&crook.peek(&who, &act), "friend").unwrap_or_default();
                    if !spared && net < 0 {
                        lost += 1;
                        spared = true;
                        if lost % 3 != 0 {
                            crook.gained -= net;
                            end(&mut crook, "safe-1", how);
                            continue;
                        }
                    }
                    crook.pass(200);
                    crook.give(&who, act).unwrap();
                }
            }
        }
        crook.pass(2 * SECOND);
    }
    played(crook, 0.0)
}

pub fn crashes_for_a_friend_at_safe(rounds: usize) -> Played {
    saves_a_friend_at_safe(rounds, Ends::Crash)
}

/// A cash table of hold'em without rake, and everybody's chips on it.
fn cash_table(crook: &mut Crook, at: &str, players: &[&str]) {
    let hand = r#"{"family":"holdem","hi_lo":false,"betting":{"no_limit":{"min_bet":200}},"full_blind":true,"ante_layers":true}"#;
    crook.open(
        at,
        "holdem",
        &[
            ("hand", hand),
            ("stake_min", "200"),
            ("stake_max", "1000000"),
            ("most_seats", r#"{"desktop":255,"mobile":4,"browser":6}"#),
        ],
    );
    for (seat, who) in (1..).zip(players) {
        buy_in(crook, at, who, seat);
    }
    crook.work(at);
}

fn buy_in(crook: &mut Crook, at: &str, who: &str, seat: u8) {
    let entry = Some(fairshoe_games::poker::EntryChoice::Post);
    let sit = Command::SitDown { table: table(at), seat, buy_in: chips(20_000), client: None, entry };
    crook.give(&by(who), sit).unwrap();
}

fn commit(crook: &mut Crook, at: &str, who: &str) {
    let (round_no, commitment) = (crook.house.seed_number(at), crook.house.commitment_for(at, who));
    let command = match crook.house.table(at).kind() {
        TableKind::Cash => Command::CommitHandSeed { table: table(at), round_no, commitment },
        TableKind::Betting => Command::CommitSeed { table: table(at), round_no, commitment },
    };
    crook.give(&by(who), command).unwrap();
}

/// Everybody has chips and wants to play, all have committed, and the hand's seeds are awaited.
fn call_hand(crook: &mut Crook, at: &str) {
    crook.work(at);
    let seated: Vec<String> = crook.house.table(at).seats.values().map(|seat| seat.player.to_string()).collect();
    for who in &seated {
        if crook.house.stack(at, who) < 10_000 {
            let _ = crook.give(&by(who), Command::AddChips { table: table(at), amount: chips(20_000) });
        }
        let _ = crook.ask(at, who);
    }
    crook.work(at);
    let call = crook.house.table(at).call().cloned().unwrap();
    for who in call.awaited.iter().filter(|who| !call.seeds.contains_key(*who)) {
        commit(crook, at, who.as_str());
    }
    crook.work(at);
}

fn act(crook: &Crook, at: &str, action: Action) -> Command {
    act_in(&crook.house, at, action)
}

fn act_in(house: &House, at: &str, action: Action) -> Command {
    let round = house.table(at).live_round().unwrap();
    Command::Act { table: table(at), round_no: round.round_no, decision: round.game.open_decisions()[0].number, action }
}

/// Hands played by chance; of those that the friend is about to lose dearly two in three end before.
fn saves_a_friend_at_poker(rounds: usize, how: Ends) -> Played {
    saves_a_friend(Crook::honest(&TABLE, 100_000_000), rounds, how, |_| {})
}

/// The same in a log that has begun, with something else that is done after each such hand.
fn saves_a_friend(mut crook: Crook, rounds: usize, how: Ends, beside: fn(&mut Crook)) -> Played {
    cash_table(&mut crook, "t1", &TABLE);
    let mut rng = Rng(7);
    let mut lost = 0;
    for _ in 0..rounds {
        call_hand(&mut crook, "t1");
        crook.seeds_but("t1", "");
        let mut spared = false;
        while let Some((who, action)) = crook.house.some_action("t1", &mut rng) {
            let command = act(&crook, "t1", action);
            let net = net_of(&crook.peek(&by(&who), &command), "friend").unwrap_or_default();
            if !spared && net < -1_000 {
                lost += 1;
                spared = true;
                if lost % 3 != 0 {
                    crook.gained -= net;
                    end(&mut crook, "t1", how);
                    beside(&mut crook);
                    continue;
                }
            }
            crook.pass(200);
            crook.give(&by(&who), command).unwrap();
        }
        crook.work("t1");
        crook.pass(2 * SECOND);
    }
    played_and_disclosed(crook)
}

pub fn camera_fails_in(crook: Crook, rounds: usize) -> Played {
    saves_a_friend(crook, rounds, Ends::Malfunction, |_| {})
}

/// The camera fails as often in hands that the friend would win of a shill of the house's own, at stakes so large that
/// nothing else counts beside them.
pub fn hides_voids_behind_larger_ones(rounds: usize) -> Played {
    saves_a_friend(Crook::honest(&TABLE, 100_000_000), rounds, Ends::Malfunction, |crook| {
        if crook.house.state.table(&table("own")).is_some() {
            return;
        }
        crook.add_player("shill", 10_000_000);
        cash_table(crook, "own", &[]);
        for (seat, who) in [(1, "friend"), (2, "shill")] {
            let entry = Some(fairshoe_games::poker::EntryChoice::Post);
            let sit = Command::SitDown { table: table("own"), seat, buy_in: chips(1_000_000), client: None, entry };
            crook.give(&by(who), sit).unwrap();
        }
        // Hand by hand, until one comes that the friend would win.
        for _ in 0..20 {
            call_hand(crook, "own");
            crook.seeds_but("own", "");
            // All chips go in at the first turn, and the hand is ended before they are called.
            let mut fork = crook.fork();
            let mut wins = false;
            while let Some((who, action)) = all_in(&fork, "own") {
                let command = act_in(&fork, "own", action);
                let entry = give(&mut fork, &by(&who), command).unwrap();
                wins |= net_of(&entry, "friend").is_some_and(|net| net > 0);
            }
            let (who, action) = all_in(&crook.house, "own").unwrap();
            let command = act(crook, "own", if wins { action } else { Action::Fold });
            crook.pass(200);
            crook.give(&by(&who), command).unwrap();
            if wins {
                assert!(crook.malfunction("own"));
            }
            crook.work("own");
            if wins {
                return;
            }
        }
    })
}

pub fn crashes_for_a_friend_at_poker(rounds: usize) -> Played {
    saves_a_friend_at_poker(rounds, Ends::Crash)
}

pub fn camera_fails_for_a_friend(rounds: usize) -> Played {
    saves_a_friend_at_poker(rounds, Ends::Malfunction)
}

/// What everybody does who neither bets nor folds.
fn calls(house: &House, at: &str) -> Option<(String, Action)> {
    let (who, offers) = house.offers(at)?;
    let known =
        [(ActionKind::Check, Action::Check), (ActionKind::Call, Action::Call), (ActionKind::Muck, Action::Muck)];
    let action = known.into_iter().find(|(kind, _)| offers.iter().any(|offer| offer.action == *kind));
    Some((who, action.unwrap().1))
}

/// What everybody does who puts in all that they have.
fn all_in(house: &House, at: &str) -> Option<(String, Action)> {
    let (who, offers) = house.offers(at)?;
    let action = match offers.iter().find_map(|offer| Some((offer.action, offer.to?.1))) {
        Some((ActionKind::Bet, to)) => Action::Bet { to },
        Some((_, to)) => Action::Raise { to },
        None => Action::Call,
    };
    Some((who, action))
}

/// Whether somebody has the best hand, if nobody folds from here on.
fn has_the_best(crook: &Crook, at: &str, who: &str) -> bool {
    let mut house = crook.fork();
    loop {
        let (next, action) = calls(&house, at).unwrap();
        let round = house.table(at).live_round().unwrap();
        let decision = round.game.open_decisions()[0].number;
        let act = Command::Act { table: table(at), round_no: round.round_no, decision, action };
        // A hand in which a card comes twice cannot be finished.
        let Ok(entry) = give(&mut house, &by(&next), act) else { return false };
        let seats = entry.events.iter().find_map(|event| match event {
            Event::Play(RoundEvent::Poker(PokerEvent::Settled { seats, .. })) => Some(seats.clone()),
            _ => None,
        });
        if let Some(seats) = seats {
            return seats.iter().any(|seat| seat.player.as_str() == who && seat.got > seat.put_in);
        }
    }
}

/// The friend knows every card and plays by it; the others call, or bet by chance. Whether the hand could be finished:
/// one in which a card comes twice cannot.
fn plays_knowingly(crook: &mut Crook, at: &str, rng: &mut Rng) -> bool {
    while let Some((who, mut action)) = crook.house.some_action(at, rng) {
        if matches!(action, Action::Fold | Action::Muck) || who == "friend" {
            action = calls(&crook.house, at).unwrap().1;
        }
        if who == "friend" {
            let (_, offers) = crook.house.offers(at).unwrap();
            let best = has_the_best(crook, at, "friend");
            let raise = offers.iter().find(|offer| offer.to.is_some());
            action = match (best, raise) {
                (true, Some(offer)) if offer.action == ActionKind::Bet => Action::Bet { to: offer.to.unwrap().0 },
                (true, Some(offer)) => Action::Raise { to: offer.to.unwrap().0 },
                (false, _)
                    if offers.iter().any(|offer| offer.action == ActionKind::Fold)
                        && !matches!(action, Action::Check) =>
                {
                    Action::Fold
                }
                _ => action,
            };
        }
        let command = act(crook, at, action);
        crook.pass(200);
        if crook.give(&by(&who), command).is_err() {
            return false;
        }
    }
    crook.work(at);
    true
}

fn plays_by_chance(crook: &mut Crook, at: &str, rng: &mut Rng) {
    while let Some((who, action)) = crook.house.some_action(at, rng) {
        let command = act(crook, at, action);
        crook.pass(200);
        crook.give(&by(&who), command).unwrap();
    }
    crook.work(at);
}

/// A table whose friend is told every hand's cards when `is_told`: by shoe number and the candidate dealt.
fn told_friend(rounds: usize, liar: Liar, is_told: fn(u64, u8) -> bool) -> Played {
    let mut crook = Crook::new(liar, &TABLE, 100_000_000);
    cash_table(&mut crook, "t1", &HEADS_UP);
    let mut rng = Rng(9);
    for _ in 0..rounds {
        call_hand(&mut crook, "t1");
        let shoe_no = crook.house.table("t1").shoe.as_ref().unwrap().id.shoe_no;
        crook.seeds_but("t1", "");
        let pick = crook.house.table("t1").live_round().unwrap().pick;
        match is_told(shoe_no, pick) {
            true => assert!(plays_knowingly(&mut crook, "t1", &mut rng)),
            false => plays_by_chance(&mut crook, "t1", &mut rng),
        }
        crook.pass(2 * SECOND);
    }
    played(crook, 0.0)
}

/// One seed is candidate 0 of every hand: once it was published, whoever reads the log knows every card that it deals.
pub fn one_seed_for_every_hand(rounds: usize) -> Played {
    let other_seed: OtherSeed = |_, candidate| (candidate == 0).then(|| ServerSeed::from_bytes([0x1d; 32]));
    told_friend(rounds, Liar { other_seed: Some(other_seed), ..Liar::default() }, |shoe_no, pick| {
        shoe_no > 1 && pick == 0
    })
}

/// Both candidates of a hand are one deck: the one that is published is the one that is dealt.
pub fn both_candidates_alike(rounds: usize) -> Played {
    let other_seed: OtherSeed = |id, _| {
        let mut seed = [0x2e; 32];
        seed[..8].copy_from_slice(&id.shoe_no.to_be_bytes());
        Some(ServerSeed::from_bytes(seed))
    };
    told_friend(rounds, Liar { other_seed: Some(other_seed), ..Liar::default() }, |_, _| true)
}

/// The dealer tells a friend everybody's cards; the log is that of an honest house.
pub fn friend_is_told_the_cards(rounds: usize) -> Played {
    told_friend(rounds, Liar::default(), |_, _| true)
}

/// What a player gets out of the hand in play, less what they put in, if the seed that is kept back comes and everybody
/// plays as the generator will have them.
fn would_get(crook: &Crook, at: &str, who: &str, kept_back: &str, mut rng: Rng) -> i64 {
    let mut fork = crook.fork();
    show(&mut fork, at, kept_back).unwrap();
    while let Some((next, action)) = fork.some_action(at, &mut rng) {
        let round = fork.table(at).live_round().unwrap();
        let act = Command::Act {
            table: table(at),
            round_no: round.round_no,
            decision: round.game.open_decisions()[0].number,
            action,
        };
        give(&mut fork, &by(&next), act).unwrap();
    }
    let settled = entries(&fork.log).iter().rev().find_map(|entry| net_of(entry, who));
    settled.unwrap()
}

/// A shill under a fresh name each time holds their seed back at two in three of alice's big wins: the house knows the
/// hand from the other seeds and the shill's before it deals.
pub fn shills_withhold(rounds: usize) -> Played {
    let mut crook = Crook::honest(&TABLE, 100_000_000);
    cash_table(&mut crook, "t1", &HEADS_UP);
    let mut rng = Rng(11);
    let (mut wins, mut shill) = (0, String::new());
    for _ in 0..rounds {
        if shill.is_empty() {
            shill = crook.fresh_shill(1_000_000);
            buy_in(&mut crook, "t1", &shill, 3);
        }
        call_hand(&mut crook, "t1");
        crook.seeds_but("t1", &shill);
        let is_in = crook.house.awaited("t1").contains(&shill);
        let net = if is_in { would_get(&crook, "t1", "alice", &shill, Rng(rng.0)) } else { 0 };
        wins += usize::from(net > 1_000);
        if net > 1_000 && wins % 3 != 0 {
            crook.gained += net;
            // They give the seat up beforehand, so that it is free when the hand is over.
            crook.leave("t1", &shill).unwrap();
            crook.lapse("t1", Lapsed::Reveal);
            shill.clear();
        } else {
            crook.seeds_but("t1", "");
            plays_by_chance(&mut crook, "t1", &mut rng);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, 0.0)
}

pub fn honest_poker(rounds: usize) -> Played {
    told_friend(rounds, Liar::default(), |_, _| false)
}

/// Candidate 0 is a deck with two aces of spades; when it would be published, or both would be seen, the hand stays
/// where it is, and the next table opens.
fn two_aces(_: &ShoeId, candidate: u8, _: u16, value: u8) -> u8 {
    if candidate == 0 && value == 1 { 39 } else { value }
}

pub fn bad_deck_is_never_shown(rounds: usize) -> Played {
    let mut crook =
        Crook::new(Liar { lie: Some(two_aces), commits_to_lie: true, ..Liar::default() }, &TABLE, 100_000_000);
    let mut rng = Rng(9);
    let (mut nth, mut done) = (1, 0);
    cash_table(&mut crook, "t1", &HEADS_UP);
    while done < rounds {
        let at = &format!("t{nth}");
        call_hand(&mut crook, at);
        crook.seeds_but(at, "friend");
        let last = crook.house.seed_for(at, "friend");
        let round_no = crook.house.seed_number(at);
        let reveal =
            Command::Reveal { table: table(at), round_no, player: player("friend"), seed: last, saw: None, next: None };
        let pick = crook.peek(&Actor::Anyone, &reveal).events.iter().find_map(|event| match event {
            Event::RoundOpened { pick, .. } => Some(*pick),
            _ => None,
        });
        if pick == Some(1) {
            nth += 1;
            crook.frozen.insert(at.clone());
            cash_table(&mut crook, &format!("t{nth}"), &HEADS_UP);
            continue;
        }
        crook.give(&Actor::Anyone, reveal).unwrap();
        done += 1;
        if !plays_knowingly(&mut crook, at, &mut rng) {
            nth += 1;
            crook.frozen.insert(at.clone());
            cash_table(&mut crook, &format!("t{nth}"), &HEADS_UP);
        }
        crook.pass(2 * SECOND);
    }
    // The deck of the hand that is called is not shown either.
    crook.frozen.insert(format!("t{nth}"));
    crook.pass(DAY);
    crook.credit("alice", 1);
    played(crook, 0.0)
}

/// The player who has the best hand against the friend is not heard: their turn runs out, and they fold.
pub fn swallows_the_winners_calls(rounds: usize) -> Played {
    swallows_calls(rounds, false)
}

/// The same, but the players ask for the note, and keep what they got.
pub fn swallows_calls_signed_for(rounds: usize) -> Played {
    swallows_calls(rounds, true)
}

fn swallows_calls(rounds: usize, signs: bool) -> Played {
    let mut note = None;
    let mut crook = Crook::honest(&TABLE, 100_000_000);
    cash_table(&mut crook, "t1", &HEADS_UP);
    let mut rng = Rng(6);
    for round in 0..rounds {
        call_hand(&mut crook, "t1");
        crook.seeds_but("t1", "");
        while let Some((who, action)) = crook.house.some_action("t1", &mut rng) {
            let (_, offers) = crook.house.offers("t1").unwrap();
            let faces_a_bet = offers.iter().any(|offer| offer.action == ActionKind::Call);
            if round % 2 == 0 && who != "friend" && faces_a_bet && !has_the_best(&crook, "t1", "friend") {
                if signs && note.is_none() {
                    note = Some(received(crook.house.now + 500, &player(&who), act(&crook, "t1", Action::Call)));
                }
                crook.lapse("t1", Lapsed::Turn);
                continue;
            }
            let command = act(&crook, "t1", action);
            crook.pass(200);
            crook.give(&by(&who), command).unwrap();
        }
        crook.work("t1");
        crook.pass(2 * SECOND);
    }
    let mut played = played(crook, 0.0);
    played.evidence.files.extend(note.map(|note| ("received.note", note)));
    played
}

/// The operator gives alice, who is away, a key of the operator's own, plays her chips into the friend's pots, and
/// takes the rest out.
pub fn borrowed_key(rounds: usize) -> Played {
    let mut crook = Crook::honest(&TABLE, 0);
    let pen = crook.house.pen("alice", 5);
    crook.give(&by("alice"), Command::SetKey { player: player("alice"), key: Some(pen), reason: None }).unwrap();
    for who in TABLE {
        crook.credit(who, 1_000_000);
    }
    crook.pass(HOUR);
    let borrowed = crook.house.pen("alice", 6);
    let reason = || Reference::parse("key lost");
    crook
        .give(&Actor::Operator, Command::SetKey { player: player("alice"), key: Some(borrowed), reason: reason() })
        .unwrap();
    crook.pass(25 * HOUR);
    let before = crook.house.balance("alice") as i64;
    cash_table(&mut crook, "t1", &HEADS_UP);
    let mut rng = Rng(13);
    for _ in 0..rounds {
        call_hand(&mut crook, "t1");
        crook.seeds_but("t1", "");
        while let Some((who, mut action)) = crook.house.some_action("t1", &mut rng) {
            // In her name every hand is paid off and none is won.
            let (_, offers) = crook.house.offers("t1").unwrap();
            let can_fold =
                offers.iter().any(|offer| offer.action == ActionKind::Fold) && !matches!(action, Action::Check);
            if who == "alice" && can_fold && rng.one_in(2) {
                action = Action::Fold;
            }
            let command = act(&crook, "t1", action);
            crook.pass(200);
            crook.give(&by(&who), command).unwrap();
        }
        crook.work("t1");
    }
    crook.leave("t1", "alice").unwrap();
    let left = crook.house.balance("alice");
    let withdraw = Command::Withdraw { player: player("alice"), amount: chips(left), reference: None };
    let taken = [Actor::Operator, by("alice")].iter().any(|by| crook.try_give(by, withdraw.clone()));
    let pen = crook.house.pen("alice", 5);
    crook.try_give(&Actor::Operator, Command::SetKey { player: player("alice"), key: Some(pen), reason: reason() });
    let worth = Worth::of(&crook.house.log, &["alice"], 0.0).knowing(before - if taken { 0 } else { left as i64 });
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// A tenth of every win is taken back as a correction.
pub fn corrects_wins(rounds: usize) -> Played {
    takes_back(rounds, 10, |crook, amount| {
        let reason = Reference::parse("payout error").unwrap();
        crook.give(&Actor::Operator, Command::Correct { player: player("alice"), amount, reason }).unwrap();
    })
}

/// A tenth of every win is paid out to somebody else: the log says that alice took it.
pub fn withdraws_for_her(rounds: usize) -> Played {
    takes_back(rounds, 10, |crook, amount| {
        let withdraw = Command::Withdraw { player: player("alice"), amount, reference: None };
        crook.give(&Actor::Operator, withdraw).unwrap();
    })
}

/// A fifth of every win goes to the operator's wallet, where somebody else has it: nothing is paid out by hand.
pub fn wallet_takes_for_her(rounds: usize) -> Played {
    takes_back(rounds, 5, |crook, amount| {
        let no = crook.house.state.wallet_operations();
        crook.give(&Actor::Operator, Command::WalletWithdraw { player: player("alice"), amount }).unwrap();
        let (call, answer) = (WalletCall::Pay, WalletAnswer::Accepted);
        crook.give(&Actor::House, Command::WalletAnswer { no, call, answer, reason: None }).unwrap();
    })
}

/// A fifth of every win goes to another log of the operator's.
pub fn sends_away_for_her(rounds: usize) -> Played {
    takes_back(rounds, 5, |crook, amount| {
        let to = Origin::parse("fairshoe.example/elsewhere").unwrap();
        if crook.house.state.known_logs().next().is_none() {
            let signer = Signer::new(to.as_str(), &[3; 32]).unwrap();
            let key = signer.verifier_key();
            let policy = base64_encode(format!("log {key}\nquorum none\n").as_bytes());
            let policy = PlainText::try_from(policy).unwrap();
            crook.give(&Actor::Operator, Command::KnowLog { log: to.clone(), policy: Some(policy) }).unwrap();
        }
        crook.give(&Actor::Operator, Command::TransferOut { to, player: player("alice"), amount }).unwrap();
    })
}

/// One part in so many of each win is taken.
fn takes_back(rounds: usize, part: u64, take: fn(&mut Crook, fairshoe_games::Chips)) -> Played {
    let mut crook = Crook::honest(&["alice"], 1_000_000);
    crook.open("joy-1", "joy", &[]);
    let mut taken = 0;
    for _ in 0..rounds {
        let before = crook.house.balance("alice");
        crook.place_bets("joy-1", "alice", &[("1", 100)]).unwrap();
        crook.show("joy-1", "alice").unwrap();
        crook.play_out("joy-1", copies_dealer);
        let won = crook.house.balance("alice").saturating_sub(before);
        if won > 0 {
            take(&mut crook, chips(won / part));
            taken += won / part;
        }
        crook.pass(2 * SECOND);
    }
    let worth = Worth::of(&crook.house.log, &["alice"], 5.5690).knowing(taken as i64);
    Played { evidence: Evidence::of(crook.house.log), worth }
}

pub fn honest_safe(rounds: usize) -> Played {
    let mut crook = Crook::honest(&TABLE, 1_000_000);
    crook.open("safe-1", "safe", &[]);
    for _ in 0..rounds {
        crook.ready("safe-1", &TABLE);
        crook.bets_on_seats("safe-1", &TABLE, 100);
        crook.seeds_but("safe-1", "");
        while let Some(round) = crook.house.table("safe-1").live_round() {
            match round.pile.as_ref().map(|pile| pile.stage) {
                Some(stage) => help_pile(&mut crook, "safe-1", stage),
                None => crook.house.play_out("safe-1"),
            }
        }
        crook.work("safe-1");
        crook.pass(2 * SECOND);
    }
    played(crook, 0.0)
}
