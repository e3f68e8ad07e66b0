//! The cheats, in the order of the promise: a house that does this is caught, by that, with these words.

use crate::audit_common::checkpoint;
use crate::audit_common::crooked::{Trick, crooked_book};
use crate::audit_common::edit::*;
use crate::common::*;
use crate::evidence::*;
use crate::money;
use fairshoe_fairness::{ClientSeed, Composition, SeedCommitment, Slot};
use fairshoe_games::RoundEvent;
use fairshoe_house::{Account, Actor, Command, Entry, Event, Lapsed};
use fairshoe_judge::audit::Check;

/// What it takes to see a cheat.
#[derive(Clone, Copy, PartialEq)]
pub enum With {
    /// The log, whoever holds it.
    TheLog,
    /// A receipt that a player kept.
    Receipt,
    /// A note of the service that a player kept.
    Note,
    /// The auditor's own clock.
    Clock,
    /// A signed checkpoint that anybody kept.
    Checkpoint,
    /// The time that a witness put to a checkpoint.
    Witness,
    /// The log's own time on a checkpoint that anybody kept.
    OwnTime,
    /// Nothing shows it; counts that are unlikely in an honest house are reported.
    Statistics,
}

impl With {
    pub fn words(self) -> &'static str {
        match self {
            With::TheLog => "the log",
            With::Receipt => "the player's receipt",
            With::Note => "the service's signed note",
            With::Clock => "the auditor's clock",
            With::Checkpoint => "a checkpoint kept",
            With::Witness => "a witness's time",
            With::OwnTime => "the log's own time",
            With::Statistics => "a statistic, no proof",
        }
    }
}

pub struct Cheat {
    /// What the house does.
    pub does: &'static str,
    pub with: With,
    /// The check that fails; of a statistic, where in the report it stands.
    pub caught: Result<Check, &'static str>,
    pub run: fn() -> Evidence,
}

const fn log(does: &'static str, check: Check, run: fn() -> Evidence) -> Cheat {
    Cheat { does, with: With::TheLog, caught: Ok(check), run }
}

fn slots(entry: &mut Entry) -> Vec<&mut Slot> {
    let slots = entry.events.iter_mut().filter_map(|event| match event {
        Event::Play(RoundEvent::Dealt { slot, .. }) => Some(slot),
        _ => None,
    });
    slots.collect()
}

fn change(what: Find, with: fn(&mut Entry)) -> Evidence {
    Evidence::edited(|book| {
        edit(book, what, with);
    })
}

fn alice() -> Account {
    Account::Player(player("alice"))
}

fn reveals(entry: &Entry) -> bool {
    has(entry, |event| matches!(event, Event::ShoeRevealed { .. }))
}

/// Pays a hand of alice's at a solo table that returned something.
fn pays_alice(entry: &Entry) -> bool {
    let lines =
        entry.events.iter().find_map(|event| if let Event::Posted { lines } = event { Some(lines) } else { None });
    let of = |account: &Account| lines.is_some_and(|lines| lines.iter().any(|line| line.0 == *account));
    pays(entry) && !on(entry, "live") && of(&alice()) && of(&Account::House)
}

#[rustfmt::skip]
pub const CHEATS: &[Cheat] = &[
    log("swaps a card at deal", Check::FaceFalse, || Evidence::of(crooked_book(Trick::SwapsAtDeal))),
    log("deals from another slot", Check::DealtSlot, || change(deals, |entry| {
        let used: Vec<u16> = slots(entry).iter().map(|slot| slot.0).collect();
        *slots(entry)[2] = Slot((0..52).find(|slot| !used.contains(slot)).unwrap());
    })),
    log("deals the right slots in another order", Check::DealtSlot, || change(deals, |entry| {
        let (first, second) = (*slots(entry)[0], *slots(entry)[1]);
        (*slots(entry)[0], *slots(entry)[1]) = (second, first);
    })),
    log("skips a slot", Check::DealtSlot, || change(deals, |entry| {
        let drawn: Vec<Slot> = slots(entry).iter().map(|slot| **slot).collect();
        for (slot, next) in slots(entry).into_iter().zip(&drawn[1..]) { *slot = *next; }
    })),
    log("commits to a shoe with five aces of spades", Check::ShoeRoot, || Evidence::of(crooked_book(Trick::FiveAces))),
    log("shows a card once more than its shoe holds it", Check::CardTooOften, shows_a_card_twice),
    log("re-uses a seed", Check::RootReused, || Evidence::of(crooked_book(Trick::OneSeed))),
    log("re-uses a seed for another pack", Check::SeedReused, || Evidence::of(crooked_book(Trick::OneSeedTwoPacks))),
    log("re-uses an epoch", Check::EpochReused, || Evidence::edited(|book| {
        let Command::StartDealer { epoch: first, .. } = book[0].command else { unreachable!() };
        let again = book.iter_mut().skip(1).find(|entry| matches!(entry.command, Command::StartDealer { .. })).unwrap();
        if let Command::StartDealer { epoch, .. } = &mut again.command { *epoch = first; }
        if let Event::DealerStarted { epoch, .. } = &mut again.events[0] { *epoch = first; }
    })),
    log("changes the shoe after `bets_closed`", Check::Refused, || Evidence::edited(|book| {
        let at = find(book, closes) + 1;
        let committed = book.iter().flat_map(|entry| &entry.events).find(|event| matches!(event, Event::ShoeCommitted { .. })).unwrap().clone();
        let entry = like(book, at, Actor::House, Command::CommitShoe { table: table("live") }, vec![committed]);
        insert(book, at, entry);
    })),
    log("changes a contributor's seed after `bets_closed`", Check::Refused, || Evidence::edited(|book| {
        let at = find(book, closes) + 1;
        let mut bet = book[..at].iter().rev().find(|entry| on(entry, "live") && matches!(entry.command, Command::Bet { .. })).unwrap().clone();
        if let Command::Bet { commitment, .. } = &mut bet.command { *commitment = SeedCommitment::from_bytes([1; 32]); }
        bet.time = book[at].time;
        insert(book, at, bet);
    })),
    log("ignores a contribution", Check::RoundOpened, || Evidence::edited(|book| {
        let without = entropy_of_the_first_alone(book);
        edit_last(book, opens_live, |event| if let Event::RoundOpened { entropy, .. } = event { *entropy = without; });
    })),
    log("alters a contribution", Check::Refused, || change(opens_live, |entry| {
        let other = ClientSeed::from_bytes([8; 32]);
        if let Command::Reveal { seed, .. } = &mut entry.command { *seed = other.clone(); }
        if let Event::SeedRevealed { seed, .. } = &mut entry.events[0] { *seed = other; }
    })),
    log("invents a contribution", Check::Bets, || change(closes, |entry| {
        if let Event::BetsClosed { contributors, .. } = event_mut(entry, |event| matches!(event, Event::BetsClosed { .. })) {
            let mut shill = contributors[0].clone();
            shill.player = player("zoe");
            contributors.push(shill);
        }
    })),
    Cheat { does: "swallows a reveal that it acknowledged", with: With::Receipt, caught: Ok(Check::AckDiffers), run: swallows_an_acknowledged_reveal },
    Cheat { does: "throws a seed away that it signed to have received", with: With::Note, caught: Ok(Check::ReceivedIgnored), run: || throws_a_seed_away("reply.note", received) },
    Cheat { does: "refuses a seed that came in time", with: With::Note, caught: Ok(Check::RefusedWrongly), run: || throws_a_seed_away("problem.note", refused) },
    Cheat { does: "draws seats without a seed that it signed to have received", with: With::Note, caught: Ok(Check::ReceivedIgnored), run: || draws_without_a_seed("reply.note", received) },
    Cheat { does: "refuses a seed for a draw that came in time", with: With::Note, caught: Ok(Check::RefusedWrongly), run: || draws_without_a_seed("problem.note", refused) },
    Cheat { does: "leaves a late seed lying that it signed to have received", with: With::Note, caught: Ok(Check::ReceivedIgnored), run: leaves_a_late_seed_out },
    Cheat { does: "refuses a commitment for a hand that came in time", with: With::Note, caught: Ok(Check::RefusedWrongly), run: refuses_a_commitment },
    Cheat { does: "lets a turn lapse although it signed to have received the choice", with: With::Note, caught: Ok(Check::ReceivedIgnored), run: || lets_a_turn_lapse(false) },
    Cheat { does: "the same with a player who has a key, and signed", with: With::Note, caught: Ok(Check::ReceivedIgnored), run: || lets_a_turn_lapse(true) },
    Cheat { does: "swallows reveals unseen, at one table", with: With::Statistics, caught: Err("/leaning/withheld/0/p"), run: swallows_reveals },
    log("has an improper candidate: a deck without aces", Check::ShoeRoot, || Evidence::of(crooked_book(Trick::NoAces))),
    log("has an improper candidate: of another composition", Check::ShoeCommitted, || change(|entry| matches!(entry.command, Command::CommitShoe { .. }), |entry| {
        if let Event::ShoeCommitted { composition, .. } = &mut entry.events[0] { *composition = Composition::parse("52x6").unwrap(); }
    })),
    log("times a player out early", Check::Refused, || Evidence::edited(|book| {
        let at = find(book, |entry| matches!(entry.command, Command::Lapse { lapsed: Lapsed::Round, .. }));
        book[at].time = book[at - 1].time;
    })),
    log("pays one unit too little, and books it so", Check::Payout, || change(pays_alice, |entry| {
        if let RoundEvent::Paid { lines } = play_mut(entry, |play| matches!(play, RoundEvent::Paid { .. })) { lines[0].returned = lines[0].returned.minus(chips(1)).unwrap(); }
        divert(entry, &alice(), &Account::House, 1);
    })),
    log("books one unit less than it pays", Check::Posting, || change(pays_alice, |entry| divert(entry, &alice(), &Account::House, 1))),
    Cheat { does: "takes a bet, acknowledges it, and logs none", with: With::Receipt, caught: Ok(Check::AckDiffers), run: forgets_an_acknowledged_bet },
    log("settles twice in one entry", Check::EventExtra, || change(pays, |entry| {
        let again: Vec<Event> = entry.events.iter().filter(|event| matches!(event, Event::Posted { .. })).cloned().collect();
        entry.events.extend(again);
    })),
    log("settles twice, in two entries", Check::Refused, || Evidence::edited(|book| {
        let at = find(book, |entry| pays(entry) && matches!(entry.command, Command::Act { .. }));
        let again = book[at].clone();
        insert(book, at + 1, again);
    })),
    log("refunds wrongly after a void", Check::Posting, || change(|entry| voids(entry) && on(entry, "live"), |entry| divert(entry, &alice(), &Account::Player(player("bob")), 1))),
    Cheat { does: "voids only losing hands", with: With::Statistics, caught: Err("/leaning/voids/p"), run: voids_losing_hands },
    log("re-deals a voided hand's cards", Check::DealtSlot, || Evidence::edited(|book| {
        let void = find(book, |entry| voids(entry) && on(entry, "live"));
        let dealt = |entry: &Entry| on(entry, "live") && deals(entry);
        let before = (0..void).rev().find(|at| dealt(&book[*at])).unwrap();
        let after = (void..book.len()).find(|at| dealt(&book[*at])).unwrap();
        let burnt: Vec<Slot> = slots(&mut book[before]).iter().map(|slot| **slot).collect();
        for (slot, again) in slots(&mut book[after]).into_iter().zip(burnt) { *slot = again; }
    })),
    log("never reveals a shoe", Check::EventMissing, || change(reveals, |entry| entry.events.retain(|event| !matches!(event, Event::ShoeRevealed { .. })))),
    log("reveals another seed than the committed one", Check::SeedOpens, || Evidence::of(crooked_book(Trick::OtherSeed))),
    Cheat { does: "rewrites an entry and all that follows", with: With::Checkpoint, caught: Ok(Check::Fork), run: || {
        let (told, written) = two_histories();
        Evidence::of(written.log).keeping("seen.txt", checkpoint(&told.log))
    } },
    Cheat { does: "truncates the log", with: With::Checkpoint, caught: Ok(Check::Truncated), run: || {
        let (told, _) = two_histories();
        let cut = told.log[..told.log.len() - 3].to_vec();
        Evidence::of(cut).keeping("seen.txt", checkpoint(&told.log))
    } },
    Cheat { does: "truncates the log below an acknowledged entry", with: With::Receipt, caught: Ok(Check::AckMissing), run: || {
        let (told, _) = two_histories();
        let cut = told.log[..told.log.len() - 3].to_vec();
        Evidence::of(cut).with_receipt(&told.log)
    } },
    Cheat { does: "forks: shows a monitor another log", with: With::Checkpoint, caught: Ok(Check::Fork), run: || {
        let (told, written) = two_histories();
        let seen = [&told.log[..10], &told.log[..told.log.len() - 1]].map(checkpoint);
        Evidence::of(written.log).keeping("seen.jsonl", history(seen.iter().map(|note| (T0 / 1_000, note.as_str()))))
    } },
    Cheat { does: "signs two checkpoints of one size", with: With::Checkpoint, caught: Ok(Check::Fork), run: || {
        let (told, written) = two_histories();
        let size = told.log.len().min(written.log.len()) - 1;
        let seen = [&told.log[..size], &written.log[..size]].map(checkpoint);
        Evidence::of(written.log).keeping("seen.jsonl", history(seen.iter().map(|note| (T0 / 1_000, note.as_str()))))
    } },
    log("back-dates an entry before the one ahead of it", Check::Time, || change(deals, |entry| entry.time -= 10_000)),
    Cheat { does: "back-dates all it writes by two hours", with: With::OwnTime, caught: Ok(Check::TimeWitnessed), run: || dated(0, 7_200) },
    Cheat { does: "post-dates an entry by an hour", with: With::Witness, caught: Ok(Check::TimeWitnessed), run: || dated(0, -3_600) },
    Cheat { does: "runs a deadline down ahead of its time", with: With::Witness, caught: Ok(Check::TimeWitnessed), run: runs_a_clock_ahead },
    Cheat { does: "dates its log a century ahead, past a deadline", with: With::Clock, caught: Ok(Check::TimeAhead), run: dated_ahead },
    log("edits a rule set in flight: opens the table again", Check::Refused, || Evidence::edited(|book| {
        let at = find(book, closes) + 1;
        let other = shared::rules("six-deck", &[]);
        let event = Event::TableOpened { digest: other.digest(), rules: other.clone(), owner: None, idle_ms: None, replaces: None, event: None };
        let entry = like(book, at, Actor::Operator, Command::OpenTable { table: table("live"), rules: other, replaces: None }, vec![event]);
        insert(book, at, entry);
    })),
    log("edits a rule set in flight: keeps the old digest", Check::RuleSet, || change(|entry| matches!(entry.command, Command::OpenTable { .. }), |entry| {
        if let Command::OpenTable { rules, .. } = &mut entry.command { rules.table.stake_max = chips(7); }
        if let Event::TableOpened { rules, .. } = &mut entry.events[0] { rules.table.stake_max = chips(7); }
    })),
    log("creates chips from nothing", Check::Posting, || change(|entry| matches!(entry.command, Command::Credit { .. }), |entry| {
        if let Event::Posted { lines } = &mut entry.events[0] { lines[1].1 += 1; lines[1].2 += 1; }
    })),
    log("claims the chips of one receipt twice", Check::Refused, money::claims_twice),
    log("claims more than the receipt's entry sends", Check::Refused, money::claims_more),
    log("sends chips to another log, and leaves them with the player", Check::EventOrder, money::sends_without_taking),
    log("gives the chips of a deposit before the wallet holds them", Check::EventOrder, money::gives_before_it_is_held),
    log("gives the chips of a deposit twice", Check::Refused, money::gives_a_deposit_twice),
    log("keeps the chips of a withdrawal that the wallet refused", Check::EventOrder, money::keeps_what_the_wallet_refused),
    log("leaks the hole card as it is dealt", Check::FaceLeaked, || change(deals, |entry| {
        if let RoundEvent::Dealt { card, .. } = play_mut(entry, |play| matches!(play, RoundEvent::Dealt { card: None, .. })) { *card = Some(card_of("2c")); }
    })),
    log("leaks a hidden face at the end of an entry", Check::FaceLeaked, || change(|entry| deals(entry) && offers(entry), |entry| {
        let hole = plays(entry).find_map(|play| match play { RoundEvent::Dealt { slot, card: None, .. } => Some(*slot), _ => None }).unwrap();
        entry.events.push(Event::Play(RoundEvent::Turned { pile: None, slot: hole, card: card_of("2c") }));
    })),
];

fn card_of(text: &str) -> fairshoe_fairness::Card {
    card(text)
}

fn edit_last(book: &mut [Entry], what: Find, change: impl Fn(&mut Event)) {
    let at = find(book, what);
    book[at].events.iter_mut().for_each(change);
}

/// Of two open cards of one rank the first is shown as the second: the hand plays the same, and one card lies there
/// twice.
fn shows_a_card_twice() -> Evidence {
    Evidence::edited(|book| {
        let open = |entry: &Entry| -> Vec<fairshoe_fairness::Card> {
            plays(entry)
                .filter_map(|play| if let RoundEvent::Dealt { card, .. } = play { *card } else { None })
                .collect()
        };
        let twice = |entry: &Entry| {
            let cards = open(entry);
            (0..cards.len())
                .flat_map(|a| (a + 1..cards.len()).map(move |b| (a, b)))
                .find(|(a, b)| cards[*a].rank() == cards[*b].rank())
        };
        let entry =
            book.iter_mut().find(|entry| deals(entry) && on(entry, "resume") && twice(entry).is_some()).unwrap();
        let (first, second) = twice(entry).unwrap();
        let shown = open(entry)[second];
        let mut cards = entry.events.iter_mut().filter_map(|event| match event {
            Event::Play(RoundEvent::Dealt { card: Some(card), .. }) => Some(card),
            _ => None,
        });
        *cards.nth(first).unwrap() = shown;
    })
}
