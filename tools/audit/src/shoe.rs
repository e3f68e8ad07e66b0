//! `shoe`: one shoe's history found under the log's root, derived from its seed and held against all that was shown
//! (spec/fairness.md, "What a verifier checks").

use crate::cli::ShoeArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::{Source, read_file, trusted};
use crate::whole_log::{LogError, WholeLog};
use fairshoe_fairness::{
    Card, Epoch, HouseShoe, Origin, PlayerId, ServerSeed, Slot, TableContext, TableId, shoe_commitment,
};
use fairshoe_games::{Place, RoundEvent};
use fairshoe_house::{Committed, Entry, Event};
use fairshoe_judge::audit::{Check, Face, Finding};
use fairshoe_judge::bundle::{Bundle, Collector, MAX_BUNDLE_BYTES, Selection, Soundness, Target};
use fairshoe_tlog::{RootAccumulator, VerifierKey, leaf_hash};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::ops::ControlFlow;

#[derive(Serialize)]
struct Shown {
    slot: Slot,
    #[serde(flatten)]
    face: Face,
    entry: u64,
}

#[derive(Default, Serialize)]
struct ShoeReport {
    verdict: Option<Soundness>,
    shoe: String,
    composition: String,
    candidates: Vec<Committed>,
    seeds: Option<Vec<String>>,
    /// The derived order of each candidate, slot by slot.
    orders: Vec<Vec<String>>,
    shown: Vec<Shown>,
    /// The shoe was sealed: its seed is not on the log.
    sealed: bool,
    /// Of a disclosed shoe: whose cards were which, seat by seat in the order of the deal, and the burnt ones.
    dealt: Vec<DealtTo>,
    findings: Vec<Finding>,
}

/// The cards that were dealt to one place.
#[derive(Serialize)]
struct DealtTo {
    to: Place,
    player: Option<PlayerId>,
    cards: Vec<Card>,
}

/// The seeds of a reply to a disclosure.
#[derive(Deserialize)]
struct Disclosed {
    seeds: Vec<ServerSeed>,
}

/// The longest such reply that is read.
const MAX_DISCLOSED: u64 = 1 << 20;

/// `shoe`: finds a shoe's history under the log's root, derives it from its seed and holds it against what was shown.
pub fn run(args: &ShoeArgs) -> Result<Outcome, UnusableInput> {
    let key = trusted(args.common.key.as_deref())?;
    let form = || UnusableInput::new("a shoe is TABLE:NUMBER, as in joy-1:0");
    let (table, number) = args.shoe.rsplit_once(':').ok_or_else(form)?;
    let table = TableId::parse(table).map_err(|_| form())?;
    let shoe_no: u64 = number.parse().map_err(|_| form())?;
    let disclosed = args.disclosed.as_deref().map(|path| {
        let text = read_file(path, MAX_DISCLOSED)?;
        let disclosed: Disclosed = serde_json::from_slice(&text).map_err(|e| {
            UnusableInput::new(format!("{}: not the reply to a disclosure, with its \"seeds\": {e}", path.display()))
        })?;
        Ok(disclosed.seeds)
    });
    let disclosed: Option<Vec<ServerSeed>> = disclosed.transpose()?;
    let mut report = ShoeReport { shoe: args.shoe.clone(), ..ShoeReport::default() };
    let found = match Source::parse(&args.source)? {
        Source::File(path) => in_bundle(&read_file(&path, MAX_BUNDLE_BYTES as u64)?, key.as_ref()),
        source => in_log(source, key, &table, shoe_no),
    };
    let checked = found.and_then(|selection| check(&mut report, &selection, &table, shoe_no, disclosed));
    match checked {
        Ok(()) => {}
        Err(LogError::UnusableInput(why)) => return Err(why),
        Err(LogError::Found(finding)) => report.findings.push(finding),
    }
    let word = match (report.findings.is_empty(), &report.seeds) {
        (false, _) => Soundness::NotSound,
        (true, None) => Soundness::SoundSoFar,
        (true, Some(_)) => Soundness::Sound,
    };
    report.verdict = Some(word);
    if args.common.json {
        say_json(&report)?
    } else {
        say_words(&report, word)
    }
    Ok(Outcome::when(word != Soundness::NotSound))
}

/// A bundle is judged as a whole first: its entries must be under its checkpoint.
fn in_bundle(bytes: &[u8], key: Option<&VerifierKey>) -> Result<Selection, LogError> {
    let bundle = Bundle::parse(bytes).map_err(UnusableInput::new)?;
    if let Some(finding) = bundle.verify(key).findings.into_iter().next() {
        return Err(finding.into());
    }
    let raw = |list: Vec<fairshoe_judge::bundle::Proven>| {
        list.into_iter().map(|proven| (proven.index, proven.entry.into_bytes())).collect()
    };
    Ok(Selection { context: raw(bundle.context), entries: raw(bundle.entries) })
}

fn in_log(source: Source, key: Option<VerifierKey>, table: &TableId, shoe_no: u64) -> Result<Selection, LogError> {
    let log = WholeLog::open(source, key)?;
    let mut collector = Collector::new(Target::Shoe { table: table.clone(), shoe_no });
    let mut root = RootAccumulator::new();
    log.each_from(0, |index, bytes| {
        collector.feed(index, bytes);
        root.append(leaf_hash(bytes));
        ControlFlow::Continue(())
    })?;
    log.check_root(root.root())?;
    collector.finish().ok_or_else(|| UnusableInput::new(format!("the log has no shoe {table}:{shoe_no}")).into())
}

fn decode(raw: &[(u64, Vec<u8>)]) -> Result<Vec<(u64, Entry)>, Finding> {
    let entry = |(index, bytes): &(u64, Vec<u8>)| {
        Entry::decode(bytes)
            .map(|entry| (*index, entry))
            .map_err(|e| Finding::at(Check::EntryForm, *index, None, e.to_string()))
    };
    raw.iter().map(entry).collect()
}

fn check(
    report: &mut ShoeReport,
    selection: &Selection,
    table: &TableId,
    shoe_no: u64,
    disclosed: Option<Vec<ServerSeed>>,
) -> Result<(), LogError> {
    let entries = decode(&selection.entries)?;
    let events = || entries.iter().flat_map(|(index, entry)| entry.events.iter().map(move |event| (*index, event)));
    let committed = events().find_map(|(index, event)| match event {
        Event::ShoeCommitted { shoe_no: found, composition, candidates } if *found == shoe_no => {
            Some((index, composition.clone(), candidates.clone()))
        }
        _ => None,
    });
    let Some((at, composition, candidates)) = committed else {
        return Err(UnusableInput::new(format!("the source does not hold shoe {table}:{shoe_no}")).into());
    };
    report.composition = composition.to_string();
    report.candidates = candidates;
    report.shown = shown_from(shoe_no, events());
    let revealed = events().find_map(|(index, event)| match event {
        Event::ShoeRevealed { shoe_no: found, seeds, .. } if *found == shoe_no => Some((index, seeds.clone())),
        _ => None,
    });
    let sealed_at = events().find_map(|(index, event)| match event {
        Event::ShoeSealed { shoe_no: found, .. } if *found == shoe_no => Some(index),
        _ => None,
    });
    report.sealed = sealed_at.is_some();
    // Nobody signed what is in a file: only seeds that open what was committed say anything.
    let is_signed = revealed.is_some();
    let revealed = revealed.or(sealed_at.zip(disclosed));
    report.seeds = revealed.as_ref().map(|(_, seeds)| seeds.iter().map(ToString::to_string).collect());
    let Some((revealed_at, seeds)) = revealed else { return Ok(()) };
    let (origin, epoch) = start_before(selection, at)?;
    let context = TableContext { origin, table: table.clone(), epoch };
    let pick =
        events().find_map(|(_, event)| if let Event::RoundOpened { pick, .. } = event { Some(*pick) } else { None });
    for (candidate, seed) in (0u8..).zip(&seeds) {
        let house = HouseShoe::derive(seed, &composition);
        check_candidate(report, &context, shoe_no, candidate, seed, &house).map_err(|(check, what)| {
            if check == Check::SeedOpens && !is_signed {
                return LogError::from(UnusableInput::new(format!("the disclosure is not this shoe's: {what}")));
            }
            Finding::at(check, revealed_at, Some(table), what).into()
        })?;
        let face = |slot| match composition.is_wheel() {
            true => house.value(slot).map(|value| value.to_string()),
            false => house.card(slot).map(|card| card.to_string()),
        };
        report.orders.push((0..house.len()).filter_map(|slot| face(Slot(slot))).collect());
        if pick.is_none_or(|pick| pick == candidate) {
            let wrong = report.shown.iter().find(|shown| house.value(shown.slot) != Some(shown.face.value()));
            if let Some(Shown { slot, face, entry }) = wrong {
                let what = format!("slot {slot} was shown as {face}, the seed has something else there");
                return Err(Finding::at(Check::FaceFalse, *entry, Some(table), what).into());
            }
            if report.sealed {
                report.dealt = dealt_from(&house, events().map(|(_, event)| event));
            }
        }
    }
    if seeds.len() < report.candidates.len() {
        return Err(UnusableInput::new(format!(
            "the disclosure holds {} of {} seeds",
            seeds.len(),
            report.candidates.len()
        ))
        .into());
    }
    Ok(())
}

/// What everybody held: the cards dealt face-down, by place, in the order in which the places were first dealt to.
fn dealt_from<'e>(house: &HouseShoe, events: impl Iterator<Item = &'e Event>) -> Vec<DealtTo> {
    let mut players = HashMap::new();
    let mut dealt: Vec<DealtTo> = Vec::new();
    for event in events {
        match event {
            Event::HandBegun { hand, .. } => {
                players = hand.seats.iter().map(|seat| (seat.due.seat, seat.player.clone())).collect();
            }
            Event::Play(RoundEvent::Dealt { slot, to, card: None, .. }) => {
                let Some(card) = house.card(*slot) else { continue };
                match dealt.iter_mut().find(|place| place.to == *to) {
                    Some(place) => place.cards.push(card),
                    None => {
                        let player = if let Place::Hand { spot, .. } = to { players.get(spot).cloned() } else { None };
                        dealt.push(DealtTo { to: *to, player, cards: vec![card] });
                    }
                }
            }
            _ => {}
        }
    }
    dealt
}

/// The faces that the log shows of this shoe. A game of several piles turns cards of earlier ones up later.
fn shown_from<'e>(shoe_no: u64, events: impl Iterator<Item = (u64, &'e Event)>) -> Vec<Shown> {
    let (mut piles, mut in_round): (Vec<u64>, bool) = (Vec::new(), false);
    let mut shown = Vec::new();
    for (entry, event) in events {
        match event {
            Event::ShoeCommitted { shoe_no, .. } if in_round => piles.push(*shoe_no),
            Event::ShoeCommitted { shoe_no, .. } => piles = vec![*shoe_no],
            Event::ShoeRevealed { shoe_no, .. } if in_round => piles.retain(|pile| pile != shoe_no),
            Event::BetsClosed { .. } | Event::HandBegun { .. } => in_round = true,
            Event::RoundSettled { .. } | Event::RoundVoided { .. } => in_round = false,
            Event::Play(play) => {
                let (pile, slot, face) = match play {
                    RoundEvent::Dealt { slot, card: Some(card), .. } => (None, *slot, Face::Card(*card)),
                    RoundEvent::Turned { pile, slot, card } => (*pile, *slot, Face::Card(*card)),
                    RoundEvent::Spun { slot, value, .. } => (None, *slot, Face::Wheel(*value)),
                    _ => continue,
                };
                let from = pile.map_or(piles.last(), |pile| piles.get(usize::from(pile)));
                if from == Some(&shoe_no) {
                    shown.push(Shown { slot, face, entry });
                }
            }
            _ => {}
        }
    }
    shown
}

fn check_candidate(
    report: &ShoeReport,
    context: &TableContext,
    shoe_no: u64,
    candidate: u8,
    seed: &ServerSeed,
    house: &HouseShoe,
) -> Result<(), (Check, String)> {
    let committed = report
        .candidates
        .get(usize::from(candidate))
        .ok_or((Check::ShoeRevealed, format!("there is no candidate {candidate}")))?;
    let commitment = shoe_commitment(context, shoe_no, candidate, seed);
    if commitment != committed.commitment {
        return Err((
            Check::SeedOpens,
            format!("the seed hashes to {commitment}, committed was {}", committed.commitment),
        ));
    }
    if house.root() != committed.root {
        return Err((
            Check::ShoeRoot,
            format!("the seed orders a shoe with root {}, committed was {}", house.root(), committed.root),
        ));
    }
    Ok(())
}

/// The epoch that the shoe's seeds are bound to: the last start before it.
fn start_before(selection: &Selection, at: u64) -> Result<(Origin, Epoch), LogError> {
    let context = decode(&selection.context)?;
    let starts = context.iter().filter(|(index, _)| *index < at).flat_map(|(_, entry)| &entry.events);
    let last = starts
        .filter_map(|event| {
            if let Event::DealerStarted { origin, epoch, .. } = event { Some((origin.clone(), *epoch)) } else { None }
        })
        .next_back();
    last.ok_or_else(|| {
        Finding::at(Check::BundleContext, at, None, "there is no start of the dealer before the shoe").into()
    })
}

fn say_words(report: &ShoeReport, word: Soundness) {
    say(format!("shoe        {} of {}", report.shoe, report.composition));
    for (n, candidate) in report.candidates.iter().enumerate() {
        say(format!("candidate {n} commitment {}, root {}", candidate.commitment, candidate.root));
    }
    for (n, seed) in report.seeds.iter().flatten().enumerate() {
        say(format!("seed {n}      {seed}"));
    }
    for order in &report.orders {
        order.chunks(26).for_each(|row| say(format!("            {}", row.join(" "))));
    }
    let shown: Vec<String> = report.shown.iter().map(|shown| format!("{}@{}", shown.face, shown.slot)).collect();
    say(format!("shown       {}", if shown.is_empty() { "nothing".to_owned() } else { shown.join(" ") }));
    for place in &report.dealt {
        let cards: Vec<String> = place.cards.iter().map(ToString::to_string).collect();
        let who = place.player.as_ref().map_or_else(String::new, |player| format!(" ({player})"));
        say(format!("held        {}{who}: {}", place.to, cards.join(" ")));
    }
    for finding in &report.findings {
        say(format!("NOT SOUND. {finding}"));
    }
    match word {
        Soundness::Sound => say(
            "SOUND. The seed opens the commitment, its order has the committed root, every face shown is in its slot.",
        ),
        Soundness::SoundSoFar if report.sealed => {
            say(
                "SOUND SO FAR. The shoe is sealed: `round` checks what was shown of it; its seed is given to auditors (--disclosed).",
            );
        }
        Soundness::SoundSoFar => say("SOUND SO FAR. The seed is not out yet."),
        Soundness::NotSound => {}
    }
}
