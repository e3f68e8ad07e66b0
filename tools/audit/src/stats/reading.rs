//! A log read once for its statistics, audited on the way: rounds and shoes are counted only where the log is sound.
//! The tests on the counts are `judge.rs`.

use super::rounds::{Drawn, Rounds};
use super::shoes::{Receiver, Shoes};
use crate::acks::Acks;
use crate::log::{BATCH, IN_FLIGHT, progress_bar, read_and_hash};
use crate::once::Spool;
use crate::outcome::UnusableInput;
use crate::saved_evidence::SavedEvidence;
use crate::saw_check::SawCheck;
use crate::whole_log::{LogError, WholeLog};
use fairshoe_fairness::{HouseShoe, Slot, TableId};
use fairshoe_games::Ahead;
use fairshoe_house::{Phase, is_for_play};
use fairshoe_judge::audit::{AuditReport, Book, Finding, Limits, Reading, ShoeCheck, ShoeVerdict};
use fairshoe_tlog::Tree;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver as Inbox, Sender, SyncSender, channel, sync_channel};
use std::thread;

/// What was counted on the way through a log, and whether the log is sound.
pub(super) struct Counted {
    pub shoes: Shoes,
    pub rounds: Rounds,
    pub book: AuditReport,
    pub finding: Option<Finding>,
}

/// A shoe to derive, with what was drawn of it.
type Work = (ShoeCheck, Option<Drawn>);

/// Reads the log once, on three threads as the audit does: reading and hashing, deciding and counting rounds, deriving
/// and counting shoes.
pub(super) fn count(log: &WholeLog) -> Result<Counted, UnusableInput> {
    let bar = progress_bar(log.checkpoint.size);
    let (to_book, entries) = sync_channel::<Vec<Reading>>(IN_FLIGHT);
    let (to_shoes, shoes) = sync_channel::<Vec<Work>>(IN_FLIGHT);
    let (from_shoes, verdicts) = channel::<ShoeVerdict>();
    // The book derives no shoe itself: each is to be seen.
    let origin = Some(log.checkpoint.origin.clone());
    let limits = Limits { waiting_checks: usize::MAX, once_apart: true, origin, listed: crate::log::MOST_NAMED };
    let mut once = Spool::new(None);
    let (mut acks, mut saved, mut tree, mut seen) =
        (Acks::default(), SavedEvidence::default(), Tree::new(), SawCheck::default());
    let never = AtomicBool::new(false);
    thread::scope(|scope| {
        let reading =
            scope.spawn(|| read_and_hash(log, (&mut acks, &mut saved), (&mut tree, &mut seen), to_book, &bar, &never));
        let deriving = scope.spawn(move || derive(shoes, from_shoes));
        let (mut book, mut rounds) = decide(limits, &mut once, entries, to_shoes, &verdicts);
        let read = reading.join().map_err(|_| UnusableInput::new("the reading thread failed"))?;
        let shoes = deriving.join().map_err(|_| UnusableInput::new("the deriving thread failed"))?;
        bar.finish_and_clear();
        let found = match read {
            Ok(()) => None,
            Err(LogError::Found(finding)) => Some(finding),
            Err(LogError::UnusableInput(why)) => return Err(why),
        };
        if let Some(finding) = once.again()? {
            book.came_again(finding);
        }
        let mut book = book.finish();
        rounds.leans = std::mem::take(&mut book.leans);
        Ok(Counted { shoes, rounds, finding: book.first_failure.clone().or(found), book })
    })
}

fn decide(
    limits: Limits,
    once: &mut Spool,
    entries: Inbox<Vec<Reading>>,
    to_shoes: SyncSender<Vec<Work>>,
    verdicts: &Inbox<ShoeVerdict>,
) -> (Book, Rounds) {
    let mut book = Book::new(limits);
    let mut rounds = Rounds::default();
    for batch in entries {
        let mut work = Vec::with_capacity(BATCH);
        let mut sound = true;
        for reading in batch {
            let table = reading.entry().and_then(|entry| entry.command.table().cloned());
            if let Some(entry) = reading.entry() {
                rounds.note(entry);
            }
            sound = book.feed_read(reading).is_ok();
            if !sound {
                break;
            }
            let table = table.filter(|table| !is_for_play(table));
            if let Some(ahead) = table.and_then(|table| standing(&book, &table)) {
                rounds.stands(ahead);
            }
            work.extend(book.take_checks().into_iter().map(|check| {
                let shoe = &check.shoe().id;
                let drawn = rounds.take_drawn(&shoe.context.table, shoe.shoe_no);
                (check, drawn)
            }));
        }
        once.note(book.take_once());
        let sent = to_shoes.send(work).is_ok();
        if !sent || !sound || verdicts.try_iter().any(|verdict| !accept(&mut book, &mut rounds, verdict)) {
            break;
        }
    }
    // Every shoe before the end, or before the first finding, has its verdict: the earliest entry at fault is named.
    drop(to_shoes);
    for verdict in verdicts {
        accept(&mut book, &mut rounds, verdict);
    }
    (book, rounds)
}

/// Takes a shoe's verdict in; whether it holds.
fn accept(book: &mut Book, rounds: &mut Rounds, verdict: ShoeVerdict) -> bool {
    verdict.voids().iter().filter(|void| !is_for_play(&void.table)).for_each(|void| rounds.void_finished(void));
    book.give_back(verdict).is_ok()
}

/// Who is ahead in the table's round, if one is open and a face is out.
fn standing(book: &Book, table: &TableId) -> Option<Ahead> {
    let round =
        book.table(table)?.live_round().filter(|round| round.exposed && matches!(round.phase, Phase::Open { .. }))?;
    Some(round.game.ahead())
}

fn derive(work: Inbox<Vec<Work>>, verdicts: Sender<ShoeVerdict>) -> Shoes {
    let mut shoes = Shoes::default();
    for (check, drawn) in work.into_iter().flatten() {
        let verdict = check.run_and_show(|shoe, candidate, house| {
            if is_for_play(&shoe.id.context.table) {
                return;
            }
            let composition = &shoe.id.composition;
            shoes.committed(
                composition,
                &(0..house.len()).filter_map(|slot| house.value(Slot(slot))).collect::<Vec<_>>(),
            );
            if let Some(drawn) = drawn.as_ref().filter(|drawn| drawn.pick == candidate && !composition.is_wheel()) {
                shoes.drawn(composition, cards(drawn, house));
            }
        });
        if verdicts.send(verdict).is_err() {
            break;
        }
    }
    shoes
}

fn cards<'d>(drawn: &'d Drawn, house: &'d HouseShoe) -> impl Iterator<Item = (u8, Receiver)> + 'd {
    drawn.slots.iter().filter_map(|(slot, receiver)| Some((house.value(*slot)?, *receiver)))
}
