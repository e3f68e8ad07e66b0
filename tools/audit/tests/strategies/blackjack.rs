//! Blackjack: shoes that never come out, shoes that are changed when they favour the players, shills, swallowed
//! messages.

use crate::common::*;
use crate::crook::*;
use crate::judged::{Evidence, received, witness};
use crate::list::Played;
use crate::worth::Worth;
use fairshoe_games::{Action, Decision};
use fairshoe_house::{Actor, Command, Lapsed, Phase, Reference, ShoeId};
use fairshoe_tlog::Checkpoint;

/// What copying the dealer costs, per cent: spec/games/odds.md.
const LIVE: f64 = 5.6754;
pub const JOY: f64 = 5.5690;
const SIX_DECK: f64 = 5.6756;

const VICTIMS: [&str; 2] = ["alice", "bob"];

fn played(crook: Crook, victims: &[&str], honest: f64) -> Played {
    let worth = Worth::of(&crook.house.log, victims, honest);
    let worth = if crook.gained > 0 { worth.knowing(crook.gained) } else { worth };
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// Each ace is some other card of its suit, by its slot.
fn no_aces(_: &ShoeId, _: u8, slot: u16, value: u8) -> u8 {
    if value.is_multiple_of(13) { value + 1 + (slot % 12) as u8 } else { value }
}

/// Everybody's bets are closed upon, and a shill's seed is neither handed in nor missed: the shoe stays in use for
/// ever.
fn freeze(crook: &mut Crook, at: &str, players: &[&str], shill: &str) {
    crook.bets_on_seats(at, players, 100);
    crook.seeds_but(at, shill);
    crook.frozen.insert(at.to_owned());
}

/// A shoe without aces; before its cut card the round waits for ever for a shill's seed, and the next table opens.
pub fn shoes_without_aces(rounds: usize) -> Played {
    let players = ["alice", "bob", "shill"];
    let mut crook = Crook::new(Liar { lie: Some(no_aces), ..Liar::default() }, &players, 10_000_000);
    let mut done = 0;
    for nth in 1.. {
        let at = format!("live-{nth}");
        crook.open(&at, "live-blackjack", &[]);
        crook.sit_all(&at, &players);
        while crook.house.table(&at).shoe.as_ref().unwrap().undrawn.len() > 240 {
            crook.round(&at, &players, 100, copies_dealer);
            done += 1;
        }
        freeze(&mut crook, &at, &players, "shill");
        crook.pass(MINUTE);
        if done >= rounds {
            break;
        }
    }
    for _ in 0..3 {
        crook.pass(10 * DAY);
        crook.restart();
    }
    crook.pass(MINUTE);
    crook.credit("alice", 1);
    played(crook, &VICTIMS, LIVE)
}

/// The same shoe, and everybody leaves before its cut card; a year later the house still deals, at another table.
pub fn shoe_left_idle(rounds: usize) -> Played {
    let mut crook = Crook::new(Liar { lie: Some(no_aces), ..Liar::default() }, &VICTIMS, 10_000_000);
    let mut done = 0;
    for nth in 1.. {
        let at = format!("live-{nth}");
        crook.open(&at, "live-blackjack", &[]);
        crook.sit_all(&at, &VICTIMS);
        while crook.house.table(&at).shoe.as_ref().unwrap().undrawn.len() > 230 {
            crook.round(&at, &VICTIMS, 100, copies_dealer);
            done += 1;
        }
        for who in VICTIMS {
            crook.leave(&at, who).unwrap();
        }
        // The window that was open lapses without bets.
        crook.pass(MINUTE);
        crook.work(&at);
        crook.frozen.insert(at);
        if done >= rounds {
            break;
        }
    }
    for _ in 0..12 {
        crook.pass(30 * DAY);
        crook.credit("alice", 1);
    }
    played(crook, &VICTIMS, LIVE)
}

/// A hand of joy whose player copies the dealer.
fn hand(crook: &mut Crook, at: &str, who: &str) {
    crook.place_bets(at, who, &[("1", 10)]).unwrap();
    crook.pass(400);
    crook.show(at, who).unwrap();
    crook.play_out(at, copies_dealer);
    crook.pass(2 * SECOND);
}

/// What the player would win in the round that waits for their seed.
fn would_win(crook: &Crook, at: &str, who: &str) -> i64 {
    let mut house = crook.fork();
    let before = house.balance(who) as i64 + 10;
    show(&mut house, at, who).unwrap();
    play_out(&mut house, at, copies_dealer);
    house.balance(who) as i64 - before
}

#[derive(Clone, Copy, PartialEq)]
enum Drops {
    /// The operator declares a malfunction before the seed is on the log.
    Void,
    /// The seed is never logged, and missing at the deadline.
    Seed,
    /// The same, and the player's client hands it in later.
    SeedThatComesLate,
    /// The same, and for each a shill's that loses.
    SeedThatComesLateAndShills,
}

/// A seed is missing at the deadline, and handed in then.
fn seed_comes_late(crook: &mut Crook, at: &str, who: &str) {
    let (round_no, seed) = (crook.house.seed_number(at), crook.house.seed_for(at, who));
    crook.lapse(at, Lapsed::Reveal);
    let late = serde_json::json!({ "late_seed": { "table": at, "round_no": round_no, "player": who, "seed": seed } });
    crook.give(&by(who), serde_json::from_value(late).unwrap()).unwrap();
}

/// Of the hands that players would win, every `nth` is dropped when the seed has been read and before it is logged.
fn drops_wins(rounds: usize, nth: usize, how: Drops) -> Played {
    let players = ["alice", "bob", "carol"];
    let mut crook = Crook::honest(&players, 1_000_000);
    for at in ["t1", "t2", "t3", "t4"].into_iter().take(if how == Drops::SeedThatComesLateAndShills { 4 } else { 3 }) {
        crook.open(at, "joy", &[("reveal_time_ms", "60000"), ("round_time_ms", "600000")]);
    }
    let mut wins = 0;
    for round in 0..rounds {
        let (who, at) = (players[round % 3], ["t1", "t2", "t3"][round % 3]);
        crook.place_bets(at, who, &[("1", 10)]).unwrap();
        crook.pass(400);
        let net = would_win(&crook, at, who);
        wins += usize::from(net > 0);
        let drop = net > 0 && wins.is_multiple_of(nth);
        crook.gained += if drop { net } else { 0 };
        match how {
            Drops::Void if drop => crook.void_before_reveal(at),
            Drops::Seed if drop => crook.lapse(at, Lapsed::Reveal),
            Drops::SeedThatComesLate if drop => seed_comes_late(&mut crook, at, who),
            Drops::SeedThatComesLateAndShills if drop => {
                seed_comes_late(&mut crook, at, who);
                loop {
                    let shill = crook.fresh_shill(1_000);
                    crook.place_bets("t4", &shill, &[("1", 10)]).unwrap();
                    if would_win(&crook, "t4", &shill) < 0 {
                        seed_comes_late(&mut crook, "t4", &shill);
                        break;
                    }
                    crook.show("t4", &shill).unwrap();
                    crook.play_out("t4", copies_dealer);
                }
                crook.work("t4");
            }
            _ => {
                crook.show(at, who).unwrap();
                crook.play_out(at, copies_dealer);
            }
        }
        crook.work(at);
        crook.pass(2 * SECOND);
    }
    played(crook, &players, JOY)
}

pub fn voids_before_the_seed(rounds: usize) -> Played {
    drops_wins(rounds, 1, Drops::Void)
}

pub fn voids_every_fifth_win(rounds: usize) -> Played {
    drops_wins(rounds, 5, Drops::Void)
}

pub fn swallows_every_fifth_win(rounds: usize) -> Played {
    drops_wins(rounds, 5, Drops::Seed)
}

pub fn swallows_and_seeds_come_late(rounds: usize) -> Played {
    drops_wins(rounds, 5, Drops::SeedThatComesLate)
}

/// One player, and beside each of her dropped wins a shill's seed that is dropped from a round they lose: in the whole
/// log as many losses are void as wins.
pub fn swallows_and_shills_lose_as_much(rounds: usize) -> Played {
    drops_wins(rounds, 5, Drops::SeedThatComesLateAndShills)
}

/// Default play: whatever is asked, the hand stands.
fn stands(house: &House, at: &str, open: &Decision) -> Action {
    match copies_dealer(house, at, open) {
        Action::Hit => Action::Stand,
        other => other,
    }
}

/// At a table that refunds abandoned rounds without a limit every fourth hand that default play would win is not heard:
/// the player is said to have walked away from it.
pub fn does_not_hear_winners(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 1_000_000);
    crook.open("joy-1", "joy", &[("abandon", "refund"), ("abandon_refunds", "unlimited")]);
    let mut wins = 0;
    for _ in 0..rounds {
        crook.place_bets("joy-1", "alice", &[("1", 10)]).unwrap();
        crook.pass(400);
        crook.show("joy-1", "alice").unwrap();
        let before = crook.house.balance("alice") as i64 + 10;
        let net = [stands, copies_dealer].map(|way: Way| {
            let mut fork = crook.fork();
            play_out(&mut fork, "joy-1", way);
            fork.balance("alice") as i64 - before
        });
        let lost = crook.house.table("joy-1").live_round().is_some() && net[0] > 0;
        wins += usize::from(lost);
        if lost && wins % 4 == 0 {
            crook.gained += net[1];
            crook.lapse("joy-1", Lapsed::Round);
        } else {
            crook.play_out("joy-1", copies_dealer);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], JOY)
}

/// The hands of these players at a table of joy, until one that is in play ends as wanted; what it gives is the net
/// result.
fn hand_that(crook: &mut Crook, at: &str, who: &str, stake: u64, wanted: fn(i64) -> bool) -> Option<i64> {
    crook.place_bets(at, who, &[("1", stake)]).unwrap();
    crook.pass(400);
    let before = crook.house.balance(who) as i64 + stake as i64;
    crook.show(at, who).unwrap();
    crook.house.table(at).live_round()?;
    let mut fork = crook.fork();
    play_out(&mut fork, at, copies_dealer);
    Some(fork.balance(who) as i64 - before).filter(|net| wanted(*net))
}

/// A fresh name plays at a table of their own until they are about to lose: that round is for the house to end.
fn shill_loses(crook: &mut Crook, at: &str) -> String {
    loop {
        let shill = crook.fresh_shill(1_000);
        if hand_that(crook, at, &shill, 100, |net| net < 0).is_some() {
            return shill;
        }
        crook.play_out(at, copies_dealer);
        crook.pass(2 * SECOND);
    }
}

/// One player in eight rounds bets much; the camera fails at most of those that she would win, and at as many that
/// shills lose.
pub fn camera_fails_at_big_wins_and_for_shills(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    let mut wins = 0;
    for at in ["joy-1", "joy-2"] {
        crook.open(at, "joy", &[]);
    }
    for round in 0..rounds {
        let stake = if round % 8 == 0 { 500 } else { 10 };
        let net = hand_that(&mut crook, "joy-1", "alice", stake, |net| net > 0);
        wins += usize::from(stake == 500 && net.is_some());
        match net.filter(|_| stake == 500 && wins % 4 != 0) {
            Some(net) if crook.malfunction("joy-1") => {
                crook.gained += net;
                shill_loses(&mut crook, "joy-2");
                assert!(crook.malfunction("joy-2"));
                crook.work("joy-2");
                crook.work("joy-1");
            }
            _ => crook.play_out("joy-1", copies_dealer),
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], JOY)
}

/// Among the hands that are in play, the operator's camera fails at every third one that the players would win.
pub fn camera_fails(rounds: usize) -> Played {
    let mut crook = Crook::honest(&VICTIMS, 10_000_000);
    crook.open("live-1", "live-blackjack", &[]);
    crook.sit_all("live-1", &VICTIMS);
    let mut wins = 0;
    for _ in 0..rounds {
        crook.ready("live-1", &VICTIMS);
        crook.bets_on_seats("live-1", &VICTIMS, 100);
        crook.seeds_but("live-1", "");
        let in_play = crook.house.table("live-1").live_round().is_some();
        let mut fork = crook.fork();
        let before = fork.house_balance();
        play_out(&mut fork, "live-1", copies_dealer);
        let loses = before - fork.house_balance();
        let lost = in_play && loses > 0;
        wins += usize::from(lost);
        if lost && wins % 3 == 0 && crook.malfunction("live-1") {
            crook.gained += loses;
            crook.work("live-1");
        } else {
            crook.play_out("live-1", copies_dealer);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &VICTIMS, LIVE)
}

/// A table that publishes `crash: rollback`: the service dies whenever the last seed would make the players win.
pub fn dies_before_it_loses(rounds: usize) -> Played {
    let mut crook = Crook::honest(&VICTIMS, 10_000_000);
    crook.open("live-1", "live-blackjack", &[("crash", "rollback")]);
    crook.sit_all("live-1", &VICTIMS);
    let mut wins = 0;
    for _ in 0..rounds {
        crook.ready("live-1", &VICTIMS);
        crook.bets_on_seats("live-1", &VICTIMS, 100);
        crook.seeds_but("live-1", "bob");
        let mut fork = crook.fork();
        let before = fork.house_balance();
        show(&mut fork, "live-1", "bob").unwrap();
        play_out(&mut fork, "live-1", copies_dealer);
        let loses = before - fork.house_balance();
        wins += usize::from(loses > 0);
        if loses > 0 && wins % 4 == 0 {
            crook.gained += loses;
            crook.pass(5 * SECOND);
            crook.restart();
        } else {
            crook.show("live-1", "bob").unwrap();
            crook.play_out("live-1", copies_dealer);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &VICTIMS, LIVE)
}

/// How a shoe that favours the players is got rid of.
#[derive(Clone, Copy, PartialEq)]
enum Change {
    Newcomers,
    Restart,
    HouseShuffle,
    AnotherTable,
    Unseat,
}

/// From this true count on a shoe is changed, in hundredths.
const RICH: i64 = 100;

fn changes_rich_shoes(rounds: usize, how: Change) -> Played {
    let everyone = ["alice", "bob", "shill-a", "shill-b"];
    let mut crook = Crook::honest(&everyone, 10_000_000);
    let options: &[(&str, &str)] = if how == Change::HouseShuffle { &[("house_shuffle", "on")] } else { &[] };
    let (mut nth, mut at) = (1, "live-1".to_owned());
    crook.open(&at, "live-blackjack", options);
    crook.sit_all(&at, &VICTIMS);
    let mut shills = ["shill-a", "shill-b"].into_iter().cycle();
    let mut shill: Option<&str> = None;
    for _ in 0..rounds {
        let mut players: Vec<&str> = VICTIMS.to_vec();
        players.extend(shill.take());
        crook.ready(&at, &players);
        crook.round(&at, &players, 100, copies_dealer);
        for one in &players[2..] {
            crook.leave(&at, one).unwrap();
        }
        crook.pass(2 * SECOND);
        if crook.house.table(&at).shoe.is_none() || crook.true_count(&at) < RICH {
            continue;
        }
        match how {
            Change::Newcomers => shill = shills.next(),
            Change::Restart => crook.restart(),
            Change::HouseShuffle => {
                end_window(&mut crook, &at);
                let reason = Reference::parse("worn cards");
                crook.give(&Actor::Operator, Command::RetireShoe { table: table(&at), reason }).unwrap();
            }
            Change::AnotherTable => {
                crook.give(&Actor::Operator, Command::CloseTable { table: table(&at) }).unwrap();
                nth += 1;
                at = format!("live-{nth}");
                crook.open(&at, "live-blackjack", options);
            }
            Change::Unseat => {
                for who in VICTIMS {
                    let reason = Reference::parse("seat is needed").unwrap();
                    let unseat = Command::Unseat { table: table(&at), player: player(who), reason };
                    crook.give(&Actor::Operator, unseat).unwrap();
                }
            }
        }
    }
    played(crook, &VICTIMS, LIVE)
}

/// An open window ends by the operator's announcement.
fn end_window(crook: &mut Crook, at: &str) {
    if let Some(window) = crook.house.table(at).window() {
        let round_no = window.round_no;
        crook.give(&Actor::Operator, Command::CloseBets { table: table(at), round_no }).unwrap();
    }
}

pub fn shills_ask_for_new_shoes(rounds: usize) -> Played {
    changes_rich_shoes(rounds, Change::Newcomers)
}

pub fn restarts_when_rich(rounds: usize) -> Played {
    changes_rich_shoes(rounds, Change::Restart)
}

pub fn shuffles_when_rich(rounds: usize) -> Played {
    changes_rich_shoes(rounds, Change::HouseShuffle)
}

pub fn unseats_when_rich(rounds: usize) -> Played {
    changes_rich_shoes(rounds, Change::Unseat)
}

pub fn closes_rich_tables(rounds: usize) -> Played {
    changes_rich_shoes(rounds, Change::AnotherTable)
}

/// Shills who know the next card of their lanes draw tens and aces out of the shoe, and leave low cards in it.
fn draws_high(house: &House, at: &str, open: &Decision) -> Action {
    if !open.player.as_str().starts_with("shill") {
        return copies_dealer(house, at, open);
    }
    let usual = copies_dealer(house, at, open);
    if !matches!(usual, Action::Hit | Action::Stand) {
        return usual;
    }
    let round_no = house.table(at).live_round().unwrap().round_no;
    let act = |action| Command::Act { table: table(at), round_no, decision: open.number, action };
    let by = Actor::Player(open.player.clone());
    let drawn = house.state.decide(house.dealer.as_ref(), house.now, &by, &act(Action::Hit)).ok().and_then(|entry| {
        entry.events.iter().find_map(|event| match event {
            fairshoe_house::Event::Play(fairshoe_games::RoundEvent::Dealt { card, .. }) => *card,
            _ => None,
        })
    });
    match drawn.map(|card| card.code() % 13) {
        Some(0 | 9..=12) => Action::Hit,
        _ => Action::Stand,
    }
}

pub fn shills_draw_the_high_cards(rounds: usize) -> Played {
    let everyone = ["alice", "shill-a", "shill-b", "shill-c", "shill-d", "shill-e", "shill-f"];
    let mut crook = Crook::honest(&everyone, 10_000_000);
    crook.open("live-1", "live-blackjack", &[]);
    crook.sit_all("live-1", &everyone);
    for _ in 0..rounds {
        crook.round("live-1", &everyone, 100, draws_high);
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], LIVE)
}

/// A shill under a fresh name each time holds their seed back at a third of alice's wins.
pub fn shills_withhold(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    crook.open("live-1", "live-blackjack", &[]);
    let (mut wins, mut shill) = (0, String::new());
    for _ in 0..rounds {
        if shill.is_empty() {
            shill = crook.fresh_shill(100_000);
        }
        let players = ["alice", shill.as_str()];
        crook.ready("live-1", &players);
        crook.bets_on_seats("live-1", &players, 100);
        crook.seeds_but("live-1", &shill);
        let mut fork = crook.fork();
        let before = fork.balance("alice") as i64 + 100;
        show(&mut fork, "live-1", &shill).unwrap();
        play_out(&mut fork, "live-1", copies_dealer);
        let net = fork.balance("alice") as i64 - before;
        wins += usize::from(net > 0);
        if net > 0 && wins % 3 == 0 {
            crook.gained += net;
            crook.lapse("live-1", Lapsed::Reveal);
            shill.clear();
        } else {
            crook.show("live-1", &shill).unwrap();
            crook.play_out("live-1", copies_dealer);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], LIVE)
}

/// A player's hit that would help them never arrives; their turn runs out and they stand.
pub fn swallows_hits(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::Unheard)
}

/// The same, but the players ask for the note, and the house signs before it knows what the hit is worth: they keep
/// what they got.
pub fn swallows_hits_signed_for(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::SignedFor)
}

/// The log's clock runs ahead: a turn is said to be over half a second after it was offered, and the time is waited for
/// later.
pub fn turns_end_at_once(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::ClockAhead)
}

/// A player's hit that would help them is a stand on the log: they have no key.
pub fn logs_other_choices(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::OtherChoice)
}

/// The same, and they keep the note of the first hit.
pub fn logs_other_choices_signed_for(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::OtherChoiceSignedFor)
}

/// The house signs that a hit came, dies before it writes it down, and does not hear it again.
pub fn signs_and_dies(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::SignedForAndDied)
}

/// The note says that the hit came in a hundred years.
pub fn signs_for_another_time(rounds: usize) -> Played {
    lapsed_turns(rounds, Lapses::SignedForLater)
}

/// How it comes that a player's turn lapses, or is another than theirs.
#[derive(PartialEq)]
enum Lapses {
    Unheard,
    SignedFor,
    SignedForAndDied,
    SignedForLater,
    OtherChoice,
    OtherChoiceSignedFor,
    ClockAhead,
}

fn lapsed_turns(rounds: usize, how: Lapses) -> Played {
    let mut crook = Crook::honest(&VICTIMS, 10_000_000);
    crook.open("live-1", "live-blackjack", &[]);
    crook.sit_all("live-1", &VICTIMS);
    let (mut seen, mut note) = (Vec::new(), None);
    for _ in 0..rounds {
        crook.ready("live-1", &VICTIMS);
        crook.bets_on_seats("live-1", &VICTIMS, 100);
        crook.seeds_but("live-1", "");
        while let Some(open) = crook.house.open_decisions("live-1").into_iter().next() {
            let action = copies_dealer(&crook.house, "live-1", &open);
            let mut fork = crook.fork();
            play_out(&mut fork, "live-1", copies_dealer);
            let with_hit = fork.house_balance();
            let mut fork = crook.fork();
            let round_no = fork.table("live-1").live_round().unwrap().round_no;
            let stand = Command::Act { table: table("live-1"), round_no, decision: open.number, action: Action::Stand };
            let standing =
                if action == Action::Hit && give(&mut fork, &Actor::Player(open.player.clone()), stand).is_ok() {
                    play_out(&mut fork, "live-1", copies_dealer);
                    fork.house_balance()
                } else {
                    with_hit
                };
            if standing > with_hit {
                crook.gained += standing - with_hit;
                // The true time is half a second later; what the log says is the deadline.
                let true_time = crook.house.now + 500;
                let act = |action: &Action| {
                    let action = action.clone();
                    Command::Act { table: table("live-1"), round_no, decision: open.number, action }
                };
                if matches!(how, Lapses::SignedFor | Lapses::OtherChoiceSignedFor) && note.is_none() {
                    note = Some(received(true_time, &open.player, act(&action)));
                }
                if how == Lapses::SignedForLater && note.is_none() {
                    note = Some(received(true_time + 100 * 365 * DAY, &open.player, act(&action)));
                }
                if how == Lapses::SignedForAndDied {
                    note.get_or_insert_with(|| received(true_time, &open.player, act(&action)));
                    crook.pass(SECOND);
                    crook.restart();
                }
                if matches!(how, Lapses::OtherChoice | Lapses::OtherChoiceSignedFor) {
                    crook.pass(SECOND);
                    crook.give(&Actor::Player(open.player.clone()), act(&Action::Stand)).unwrap();
                    continue;
                }
                crook.lapse("live-1", Lapsed::Turn);
                if how == Lapses::ClockAhead && seen.len() < 40 {
                    seen.push((crook.house.log.len(), true_time / 1_000 + 1));
                }
            } else {
                let round_no = crook.house.table("live-1").live_round().unwrap().round_no;
                let act = Command::Act { table: table("live-1"), round_no, decision: open.number, action };
                crook.pass(200);
                crook.give(&Actor::Player(open.player), act).unwrap();
            }
        }
        crook.work("live-1");
        crook.pass(30 * SECOND);
    }
    let mut played = played(crook, &VICTIMS, LIVE);
    played.evidence.files.extend(note.map(|note| ("received.note", note)));
    if how == Lapses::ClockAhead {
        let lines = seen.into_iter().map(|(size, time)| {
            let note = cosigned(&played.evidence.log[..size], time);
            serde_json::json!({ "time": time, "note": note }).to_string() + "\n"
        });
        played.evidence.files.push(("seen.jsonl", lines.collect::<String>().into_bytes()));
        played.evidence.witnessed = true;
    }
    played
}

/// A log's checkpoint with the witness's cosignature of that time, in seconds.
fn cosigned(log: &[Vec<u8>], time: u64) -> String {
    let (tree, _) = crate::audit_common::tree_of(log);
    let text =
        Checkpoint { origin: ORIGIN.into(), size: tree.size(), root: tree.root(), extensions: Vec::new() }.text();
    crate::audit_common::checkpoint(log) + &witness().cosign(&text, time).unwrap()
}

/// The log is dated seventy years ahead, where a deadline can pass at once: seeds go missing on the log, and nobody
/// waits on earth.
pub fn dated_ahead(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 1_000_000);
    crook.house.now += 70 * 365 * DAY;
    crook.open("joy-1", "joy", &[]);
    let mut wins = 0;
    for _ in 0..rounds {
        crook.place_bets("joy-1", "alice", &[("1", 10)]).unwrap();
        let net = would_win(&crook, "joy-1", "alice");
        wins += usize::from(net > 0);
        if net > 0 && wins % 5 == 0 {
            crook.gained += net;
            crook.lapse("joy-1", Lapsed::Reveal);
        } else {
            crook.show("joy-1", "alice").unwrap();
            crook.play_out("joy-1", copies_dealer);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], JOY)
}

/// "No more bets" is announced before alice has bet whenever the shoe favours her: she is a newcomer in the next round,
/// and the shoe is changed for her.
pub fn announces_when_rich(rounds: usize) -> Played {
    let players = ["alice", "shill"];
    let mut crook = Crook::honest(&players, 10_000_000);
    crook.open("live-1", "live-blackjack", &[]);
    crook.sit_all("live-1", &players);
    for _ in 0..rounds {
        crook.ready("live-1", &players);
        if crook.true_count("live-1") >= RICH {
            let seat = crook.house.table("live-1").seat_of(&player("shill")).unwrap().to_string();
            crook.place_bets("live-1", "shill", &[(&seat, 100)]).unwrap();
            end_window(&mut crook, "live-1");
            crook.seeds_but("live-1", "");
            crook.play_out("live-1", copies_dealer);
        } else {
            crook.round("live-1", &players, 100, copies_dealer);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], LIVE)
}

/// Nothing at all: what the verifiers say of an honest house whose players play so.
pub fn honest_joy(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 1_000_000);
    crook.open("joy-1", "joy", &[]);
    for _ in 0..rounds {
        hand(&mut crook, "joy-1", "alice");
    }
    played(crook, &["alice"], JOY)
}

pub fn honest_live(rounds: usize) -> Played {
    let mut crook = Crook::honest(&VICTIMS, 10_000_000);
    crook.open("live-1", "live-blackjack", &[]);
    crook.sit_all("live-1", &VICTIMS);
    for _ in 0..rounds {
        crook.round("live-1", &VICTIMS, 100, copies_dealer);
        crook.pass(2 * SECOND);
    }
    assert!(!matches!(crook.house.phase("live-1"), Some(Phase::Open { .. })));
    played(crook, &VICTIMS, LIVE)
}

pub fn honest_six_deck(rounds: usize) -> Played {
    let mut crook = Crook::honest(&VICTIMS, 10_000_000);
    crook.open("six-1", "six-deck", &[]);
    crook.sit_all("six-1", &VICTIMS);
    for _ in 0..rounds {
        crook.round("six-1", &VICTIMS, 10, copies_dealer);
        crook.pass(2 * SECOND);
    }
    played(crook, &VICTIMS, SIX_DECK)
}
