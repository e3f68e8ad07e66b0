//! Cheats at cash tables of poker: each caught by the check named, at the entry at fault, and by whoever holds the
//! bundle of that hand alone. What fits in one entry and shows in the log alone is in `lies`.

use crate::audit_common;
use crate::common;

use audit_common::edit::*;
use audit_common::{audit, bundle, signer, verify};
use common::poker::action;
use common::*;
use fairshoe_fairness::{SeedCommitment, ServerSeed, Slot};
use fairshoe_games::poker::{EntryChoice, PokerEvent};
use fairshoe_games::{ActionKind, Place, RoundEvent};
use fairshoe_house::{Actor, Command, Entry, Event, Reference, ShoeId, SitOutCause, VoidCause};
use fairshoe_judge::audit::Check;
use fairshoe_judge::bundle::Soundness;
use std::sync::OnceLock;

const PLAYERS: [&str; 4] = ["alice", "bob", "carol", "dave"];

/// Each choice by this word, where it is offered; else a check or a call.
fn choose_all(house: &mut House, words: impl Fn(usize, &str) -> Option<&'static str>) {
    for nth in 0.. {
        let Some((who, offers)) = house.offers("t1") else { break };
        let usual = match offers[1].action {
            ActionKind::Muck => "muck",
            ActionKind::Call => "call",
            _ => "check",
        };
        house.choose("t1", &who, action(words(nth, &who).unwrap_or(usual))).unwrap();
    }
    house.run_due();
}

/// An honest book. Hand 0 is checked down, and two hands are mucked; dave sits down meanwhile; 1 ends on the flop after
/// a time bank ran; in 2 dave is all-in; 3 is left by carol, early; 4 goes on without bob's commitment, and a turn
/// lapses; 5 is void for a withheld seed; 6 is void for a crash on the flop; an auditor looks at hand 0.
fn book() -> House {
    static BOOK: OnceLock<Vec<Vec<u8>>> = OnceLock::new();
    let log = BOOK.get_or_init(|| honest().log).clone();
    let state = fold(&log);
    House { state, log, ..House::unstarted() }
}

fn honest() -> House {
    let mut house = House::poker("holdem", &[("stake_min", "1000"), ("stake_max", "100000")], &PLAYERS);
    house.buy_in_all("t1", &PLAYERS[..3], 20_000);
    house.deal_hand("t1");
    let sit = Command::SitDown {
        table: table("t1"),
        seat: 4,
        buy_in: chips(3_000),
        client: None,
        entry: Some(EntryChoice::Post),
    };
    house.give(&by("dave"), sit).unwrap();
    house.add_chips("bob", 5_000).unwrap();
    choose_all(&mut house, |_, _| None);
    house.deal_hand("t1");
    for word in ["call", "call", "call", "check", "bet 400"] {
        let (who, _) = house.offers("t1").unwrap();
        house.choose("t1", &who, action(word)).unwrap();
    }
    house.now += 23_000;
    choose_all(&mut house, |_, _| Some("fold"));
    house.deal_hand("t1");
    choose_all(&mut house, |nth, _| if nth == 0 { Some("raise 3000") } else { None });
    house.add_chips("dave", 5_000).unwrap();
    let _ = house.ask("t1", "dave");
    house.deal_hand("t1");
    house.leave("t1", "carol").unwrap();
    choose_all(&mut house, |_, _| Some("fold"));
    for who in ["alice", "dave"] {
        house.commit_hand("t1", who).unwrap();
    }
    house.now += 11_000;
    house.run_due();
    house.show_all("t1");
    // A turn lapses without a bank.
    house.now += MINUTE;
    house.run_due();
    for who in ["alice", "bob", "dave"] {
        let _ = house.ask("t1", who);
    }
    house.run_due();
    for who in ["alice", "bob", "dave"] {
        house.commit_hand("t1", who).unwrap();
    }
    house.run_due();
    house.show("t1", "alice").unwrap();
    house.show("t1", "dave").unwrap();
    house.now += 11_000;
    house.run_due();
    for who in ["alice", "dave"] {
        house.commit_hand("t1", who).unwrap();
    }
    house.run_due();
    house.show_all("t1");
    for word in ["call", "check"] {
        let (who, _) = house.offers("t1").unwrap();
        house.choose("t1", &who, action(word)).unwrap();
    }
    house.crash();
    house.run_due();
    let reason = Reference::parse("dispute 7").unwrap();
    house
        .give(&Actor::Auditor(player("olga")), Command::DiscloseShoe { table: table("t1"), shoe_no: 0, reason })
        .unwrap();
    house
}

/// The entry that ends round `round`, settled or void.
fn ends(book: &[Entry], round: u64) -> usize {
    let over = |event: &Event| matches!(event, Event::RoundSettled { round_no, .. } | Event::RoundVoided { round_no, .. } if *round_no == round);
    book.iter().position(|entry| entry.events.iter().any(over)).unwrap()
}

fn deals_hand(entry: &Entry) -> bool {
    opens(entry)
}

fn closes(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::HandBegun { .. }))
}

fn settles(entry: &Entry) -> bool {
    plays(entry).any(|play| matches!(play, RoundEvent::Poker(_)))
}

fn seals(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::ShoeSealed { .. }))
}

fn withheld(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::RoundVoided { cause: VoidCause::RevealMissing, .. }))
}

fn crashed(entry: &Entry) -> bool {
    has(entry, |e| matches!(e, Event::RoundVoided { cause: VoidCause::Crash, .. }))
}

fn with_hand(book: &mut [Entry], change: fn(&mut fairshoe_games::poker::HandStart)) -> usize {
    let at = find(book, closes);
    if let Event::HandBegun { hand, .. } = event_mut(&mut book[at], |e| matches!(e, Event::HandBegun { .. })) {
        change(hand);
    }
    at
}

type Settled<'e> = (&'e mut Vec<fairshoe_games::poker::PotPaid>, &'e mut Vec<fairshoe_games::poker::SeatResult>);

fn with_settled(book: &mut [Entry], round: u64, change: fn(Settled<'_>)) -> usize {
    let at = ends(book, round);
    if let RoundEvent::Poker(PokerEvent::Settled { pots, seats, .. }) =
        play_mut(&mut book[at], |p| matches!(p, RoundEvent::Poker(_)))
    {
        change((pots, seats));
    }
    at
}

fn with_openings(book: &mut [Entry], change: fn(&mut Vec<fairshoe_fairness::Opening>)) -> usize {
    let at = find(book, seals);
    if let Event::ShoeSealed { openings, .. } = event_mut(&mut book[at], |e| matches!(e, Event::ShoeSealed { .. })) {
        change(openings);
    }
    at
}

/// The opening of a card of hand 0 that nobody was shown.
fn folded_card(book: &[Entry]) -> (Slot, fairshoe_fairness::Opening) {
    let dealt: Vec<Slot> = book[find(book, deals_hand)]
        .events
        .iter()
        .filter_map(
            |e| if let Event::Play(RoundEvent::Dealt { slot, card: None, .. }) = e { Some(*slot) } else { None },
        )
        .collect();
    let sealed = &book[find(book, seals)];
    let openings = common::shared::the(sealed, |e| {
        if let Event::ShoeSealed { openings, .. } = e { Some(openings.clone()) } else { None }
    });
    let slot = *dealt.iter().find(|slot| openings.iter().all(|opening| opening.slot != **slot)).unwrap();
    let pick = common::shared::the(&book[find(book, deals_hand)], |e| {
        if let Event::RoundOpened { pick, .. } = e { Some(*pick) } else { None }
    });
    let context = first_context();
    let shoe = ShoeId { context, shoe_no: 0, composition: fairshoe_fairness::Composition::parse("52x1").unwrap() };
    let seeds = fairshoe_house::SeedDealer::new(fairshoe_fairness::Master::from_bytes(MASTER));
    (slot, seeds.derive(&shoe, pick).1.open(slot).unwrap())
}

fn first_context() -> fairshoe_fairness::TableContext {
    fairshoe_fairness::TableContext {
        origin: fairshoe_fairness::Origin::parse(ORIGIN).unwrap(),
        table: table("t1"),
        epoch: fairshoe_fairness::Epoch::from_bytes([1; 32]),
    }
}

fn drop_event(book: &mut [Entry], what: Find, which: fn(&Event) -> bool) -> usize {
    let at = find(book, what);
    let place = book[at].events.iter().position(which).expect("no such event");
    book[at].events.remove(place);
    at
}

/// Leaves an entry of the table out and closes the gap in its numbers; the table's next entry.
fn leave_out(book: &mut Vec<Entry>, what: Find) -> usize {
    let place = find(book, what);
    book.remove(place);
    for entry in &mut book[place..] {
        if let Some(at) = &mut entry.at {
            at.seq -= 1;
        }
    }
    (place..book.len()).find(|n| book[*n].at.is_some()).unwrap()
}

fn instead_of(book: &mut [Entry], at: usize, old: fn(&Event) -> bool, new: Event) -> usize {
    *event_mut(&mut book[at], old) = new;
    at
}

/// The hand to which it belongs, where its bundle alone gives it away.
type Hand = Option<u64>;

#[rustfmt::skip]
const CHEATS: &[(&str, Check, Hand, Change)] = &[
    ("lays another card on the board", Check::FaceFalse, Some(1), |book| {
        let end = ends(book, 1);
        let at = (0..end).rev().find(|n| plays(&book[*n]).any(|p| matches!(p, RoundEvent::Dealt { card: Some(_), .. }))).unwrap();
        if let RoundEvent::Dealt { card: Some(face), .. } = play_mut(&mut book[at], |p| matches!(p, RoundEvent::Dealt { card: Some(_), .. })) {
            *face = fairshoe_fairness::Card::from_code((face.code() + 17) % 52).unwrap();
        }
        at
    }),
    ("opens a card with another salt", Check::Opening, Some(0), |book| with_openings(book, |openings| openings[0].salt[3] ^= 1)),
    ("opens a card as another", Check::Opening, Some(0), |book| with_openings(book, |openings| openings[2].value ^= 1)),
    ("opens a card along another path", Check::Opening, Some(0), |book| with_openings(book, |openings| openings[1].path.truncate(1))),
    ("leaves an opening out", Check::OpeningMissing, Some(0), |book| with_openings(book, |openings| drop(openings.pop()))),
    ("opens none", Check::OpeningMissing, Some(0), |book| with_openings(book, Vec::clear)),
    ("opens the cards in another order", Check::FaceFalse, Some(0), |book| {
        with_openings(book, |openings| openings.swap(0, 1));
        // The first card shown is not the one that is opened first.
        find(book, |entry| plays(entry).any(|play| matches!(play, RoundEvent::Dealt { card: Some(_), .. } | RoundEvent::Turned { .. })))
    }),
    ("opens a hand that was mucked", Check::OpeningExtra, Some(0), |book| {
        let (_, opening) = folded_card(book);
        let at = find(book, seals);
        if let Event::ShoeSealed { openings, .. } = event_mut(&mut book[at], |e| matches!(e, Event::ShoeSealed { .. })) { openings.push(opening); }
        at
    }),
    ("picks the other deck", Check::RoundOpened, Some(0), |book| edit(book, deals_hand, |entry| {
        if let Event::RoundOpened { pick, .. } = event_mut(entry, |e| matches!(e, Event::RoundOpened { .. })) { *pick ^= 1; }
    })),
    ("shows another seed for the deck that was not picked", Check::SeedOpens, Some(0), |book| edit(book, deals_hand, |entry| {
        if let Event::RoundOpened { others, .. } = event_mut(entry, |e| matches!(e, Event::RoundOpened { .. })) { others[0] = ServerSeed::from_bytes([9; 32]); }
    })),
    ("shows no seed for the deck that was not picked", Check::RoundOpened, Some(0), |book| edit(book, deals_hand, |entry| {
        if let Event::RoundOpened { others, .. } = event_mut(entry, |e| matches!(e, Event::RoundOpened { .. })) { others.clear(); }
    })),
    ("moves the button to the big blind", Check::Bets, Some(0), |book| with_hand(book, |hand| hand.positions.button = hand.positions.big)),
    ("deals to a seat that the table does not have", Check::Bets, Some(0), |book| with_hand(book, |hand| hand.seats[2].due.seat = 200)),
    ("takes a unit more rake", Check::Payout, Some(0), |book| with_settled(book, 0, |(pots, _)| pots[0].rake = pots[0].rake.plus(chips(1)).unwrap())),
    ("takes no rake", Check::Payout, Some(0), |book| with_settled(book, 0, |(pots, _)| pots[0].rake = chips(0))),
    ("pays the pot to another seat", Check::Payout, Some(0), |book| with_settled(book, 0, |(pots, _)| pots[0].won[0].seat = pots[0].won[0].seat % 3 + 1)),
    ("states another stack after the hand", Check::Payout, Some(0), |book| with_settled(book, 0, |(_, seats)| seats[0].stack = seats[0].stack.plus(chips(1)).unwrap())),
    ("lets somebody else contest a pot", Check::Payout, Some(2), |book| with_settled(book, 2, |(pots, _)| pots[0].seats.truncate(1))),
    ("posts other amounts than the pots are", Check::Posting, Some(0), |book| {
        let at = ends(book, 0);
        if let Event::Posted { lines } = event_mut(&mut book[at], |e| matches!(e, Event::Posted { .. })) { lines[0].1 -= 1; lines[0].2 -= 1; lines[1].1 += 1; lines[1].2 += 1; }
        at
    }),
    ("reveals a deck that is to be sealed", Check::ShoeRevealed, Some(0), |book| {
        let at = find(book, seals);
        instead_of(book, at, |e| matches!(e, Event::ShoeSealed { .. }), Event::ShoeRevealed { shoe_no: 0, seeds: vec![ServerSeed::from_bytes([1; 32]); 2], cause: None })
    }),
    ("seals a deck that is to be revealed", Check::ShoeRevealed, Some(5), |book| {
        let at = find(book, withheld);
        instead_of(book, at, |e| matches!(e, Event::ShoeRevealed { .. }), Event::ShoeSealed { shoe_no: 5, openings: Vec::new() })
    }),
    ("reveals one seed of two", Check::ShoeRevealed, Some(5), |book| edit(book, withheld, |entry| {
        if let Event::ShoeRevealed { seeds, .. } = event_mut(entry, |e| matches!(e, Event::ShoeRevealed { .. })) { seeds.pop(); }
    })),
    ("reveals another seed", Check::SeedOpens, Some(5), |book| edit(book, withheld, |entry| {
        if let Event::ShoeRevealed { seeds, .. } = event_mut(entry, |e| matches!(e, Event::ShoeRevealed { .. })) { seeds[1] = ServerSeed::from_bytes([4; 32]); }
    })),
    ("shows a hole card as it is dealt", Check::FaceLeaked, Some(0), |book| edit(book, deals_hand, |entry| {
        if let RoundEvent::Dealt { card: face, .. } = play_mut(entry, |p| matches!(p, RoundEvent::Dealt { .. })) { *face = Some(card("As")); }
    })),
    ("deals a hole card to another seat", Check::DealtPlace, Some(0), |book| edit(book, deals_hand, |entry| {
        if let RoundEvent::Dealt { to, .. } = play_mut(entry, |p| matches!(p, RoundEvent::Dealt { .. })) { *to = Place::Hand { spot: 1, hand: 1 }; }
    })),
    ("turns the last hand up though all others folded", Check::FaceLeaked, Some(1), |book| {
        let at = ends(book, 1);
        let slot = plays(&book[find_round(book, 1)]).find_map(|p| if let RoundEvent::Dealt { slot, .. } = p { Some(*slot) } else { None }).unwrap();
        let place = book[at].events.iter().position(|e| matches!(e, Event::Play(RoundEvent::Poker(_)))).unwrap();
        book[at].events.insert(place, Event::Play(RoundEvent::Turned { pile: None, slot, card: card("As") }));
        at
    }),
    ("turns a mucked hand up", Check::FaceLeaked, Some(0), |book| {
        let (slot, opening) = folded_card(book);
        let at = ends(book, 0);
        let place = book[at].events.iter().position(|e| matches!(e, Event::Play(RoundEvent::Poker(_)))).unwrap();
        book[at].events.insert(place, Event::Play(RoundEvent::Turned { pile: None, slot, card: opening.card().unwrap() }));
        at
    }),
    ("takes a millisecond more from a time bank", Check::Deadline, Some(1), |book| edit(book, |e| has(e, |e| matches!(e, Event::BankUsed { .. })), |entry| {
        if let Event::BankUsed { used_ms, left_ms, .. } = event_mut(entry, |e| matches!(e, Event::BankUsed { .. })) { *used_ms += 1; *left_ms -= 1; }
    })),
    ("takes nothing from a time bank", Check::EventOrder, Some(1), |book| drop_event(book, |e| has(e, |e| matches!(e, Event::BankUsed { .. })), |e| matches!(e, Event::BankUsed { .. }))),
    ("starts a time bank early", Check::Offer, Some(0), |book| edit(book, deals_hand, |entry| {
        if let RoundEvent::Offered { bank_from, .. } = play_mut(entry, |p| matches!(p, RoundEvent::Offered { .. })) { *bank_from = bank_from.map(|from| from - 1); }
    })),
    ("offers a larger least raise", Check::Offer, Some(0), |book| edit(book, deals_hand, |entry| {
        if let RoundEvent::Offered { options, .. } = play_mut(entry, |p| matches!(p, RoundEvent::Offered { .. })) { options[2].to = options[2].to.map(|(least, most)| (least.plus(chips(1)).unwrap(), most)); }
    })),
    ("lets a player play on who let his turn lapse", Check::EventOrder, Some(4), |book| drop_event(book, |e| has(e, |e| matches!(e, Event::SatOut { cause: SitOutCause::TimedOut, .. })), |e| matches!(e, Event::SatOut { .. }))),
    ("names another cause for sitting out", Check::Seat, Some(4), |book| edit(book, |e| has(e, |e| matches!(e, Event::SatOut { cause: SitOutCause::TimedOut, .. })), |entry| {
        if let Event::SatOut { cause, .. } = event_mut(entry, |e| matches!(e, Event::SatOut { .. })) { *cause = SitOutCause::Asked; }
    })),
    ("calls a hand over untidy seats", Check::Refused, None, |book| leave_out(book, |e| matches!(e.command, Command::TidySeats { .. }))),
    ("swallows a commitment and its number", Check::Refused, None, |book| leave_out(book, |e| matches!(e.command, Command::CommitHandSeed { .. }) && e.by == by("carol"))),
    ("writes another commitment than came", Check::Bets, Some(0), |book| edit(book, |e| matches!(e.command, Command::CommitHandSeed { .. }), |entry| {
        if let Event::HandSeedCommitted { commitment, .. } = &mut entry.events[0] { *commitment = SeedCommitment::from_bytes([1; 32]); }
    })),
    ("changes what lay in the pot of a void hand", Check::Void, Some(6), |book| edit(book, crashed, |entry| {
        if let Event::RoundVoided { standing: Some(standing), .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { standing.put_in[0].amount = chips(1); }
    })),
    ("says who led in a void hand that nobody showed", Check::Void, Some(6), |book| edit(book, crashed, |entry| {
        if let Event::RoundVoided { standing: Some(standing), .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { standing.leading.push(1); }
    })),
    ("leaves the standing of a void hand out", Check::Void, Some(6), |book| edit(book, crashed, |entry| {
        if let Event::RoundVoided { standing, .. } = event_mut(entry, |e| matches!(e, Event::RoundVoided { .. })) { *standing = None; }
    })),
    ("folds a hand that was checked", Check::Action, Some(0), |book| {
        let at = find(book, |e| matches!(&e.command, Command::Act { action: fairshoe_games::Action::Check, .. }));
        if let RoundEvent::Acted { action, .. } = play_mut(&mut book[at], |p| matches!(p, RoundEvent::Acted { .. })) { *action = fairshoe_games::Action::Fold; }
        at
    }),
];

/// The entry that deals a round.
fn find_round(book: &[Entry], round: u64) -> usize {
    let closed = |entry: &Entry| {
        entry.events.iter().any(|e| matches!(e, Event::HandBegun { round_no, .. } if *round_no == round))
    };
    let from = book.iter().position(closed).unwrap();
    (from..book.len()).find(|n| deals_hand(&book[*n])).unwrap()
}

fn encode(book: &[Entry]) -> Vec<Vec<u8>> {
    book.iter().map(|entry| entry.encode().unwrap()).collect()
}

#[test]
fn the_honest_book_and_its_bundles_are_sound() {
    let house = book();
    assert_eq!(audit(&house.log).first_failure, None);
    for round in 0..7 {
        let verdict = verify(
            bundle(&house, &house.log, &format!("t1:{round}")).to_json().unwrap().as_bytes(),
            Some(signer().verifier_key()),
        );
        assert_eq!(verdict.verdict, Soundness::Sound, "{round}: {:?}", verdict.findings);
    }
    let book = entries(&house.log);
    let all =
        |what: fn(&Event) -> bool| book.iter().flat_map(|entry| &entry.events).filter(|event| what(event)).count();
    assert_eq!(all(|e| matches!(e, Event::RoundSettled { .. })), 5);
    assert!(book.iter().any(settles));
    assert!(all(|e| matches!(e, Event::Play(RoundEvent::Acted { action: fairshoe_games::Action::Muck, .. }))) >= 2);
}

#[test]
fn each_cheat_is_caught_by_its_check() {
    let mut missed = Vec::new();
    for (name, check, _, change) in CHEATS {
        let mut book = entries(&book().log);
        let at = change(&mut book);
        let Some(finding) = audit(&encode(&book)).first_failure else {
            missed.push(format!("{name}: nothing found"));
            continue;
        };
        if (finding.check, finding.entry) != (*check, Some(at as u64)) {
            missed.push(format!("{name}: wanted {check} at {at}: {finding}"));
        }
        assert!(finding.message.len() > 20, "{name}: {finding}");
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn whoever_has_the_bundle_of_the_hand_sees_the_cheat() {
    let house = book();
    let mut missed = Vec::new();
    for (name, _, hand, change) in CHEATS {
        let Some(round) = hand else { continue };
        let mut book = entries(&house.log);
        change(&mut book);
        let log = encode(&book);
        let bundle = bundle(&house, &log, &format!("t1:{round}")).to_json().unwrap();
        let verdict = verify(bundle.as_bytes(), Some(signer().verifier_key()));
        if verdict.verdict != Soundness::NotSound {
            missed.push(format!("{name}: {:?}", verdict.verdict));
        }
    }
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}
