//! The players' wishes in a running event: seeds for draws, late entries, entries after an elimination, rebuys, the
//! add-on. They are decided by chance, each once.

use super::Players;
use super::asking::Asking;
use super::entrant::Entrant;
use crate::args::Args;
use crate::client::Request;
use crate::failure::Failure;
use crate::strategy::{chance, one_of};
use fairshoe_api::{NoRebuy, Nothing, Registration, SeatReveal};
use fairshoe_fairness::{PlayerId, Stream, TableId};
use fairshoe_house::tournament::{EventEntry, Pay, Stage, Whereabouts};
use fairshoe_house::{Command, Tournament, TournamentCommand as C};
use fairshoe_tournament::{EntryNo, Structure};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// Per cent of players who come late, if late registration lasts some levels.
const LATE: u8 = 10;

/// Per cent of eliminated players who enter again if they may, of players without chips who rebuy, and of all players
/// who take the add-on.
const AGAIN: u8 = 50;
const REBUYS: u8 = 60;
const ADD_ONS: u8 = 50;
/// Per cent of players with few chips who ask for more while the hand is played.
const IN_HAND: u8 = 15;

/// A request refused because of a hand is repeated after this time.
const AGAIN_AFTER: Duration = Duration::from_millis(250);

/// A player's request to the event.
#[derive(Clone, Debug)]
pub(super) enum Wish {
    Enter { player: PlayerId },
    Reveal { player: PlayerId, entry_no: EntryNo, draw_no: u16, seat_use: u16 },
    Rebuy { player: PlayerId },
    Decline { player: PlayerId, entry_no: EntryNo },
    AddOn { player: PlayerId },
}

/// A question that is decided once.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Question {
    Reveal(u16, EntryNo),
    Late(PlayerId),
    Again(EntryNo),
    Rebuy(EntryNo, u8),
    Decline(EntryNo, u8),
    InHand(EntryNo, u8),
    AddOn(EntryNo),
}

/// The players' wishes; see the module.
pub(super) struct Wishes {
    /// The players who register before the start, and those who register in each level after it.
    in_time: Vec<PlayerId>,
    late: BTreeMap<PlayerId, u16>,
    withhold: u8,
    random: Stream,
    /// The decisions, with the time of the last action for each.
    decided: BTreeMap<Question, (bool, Option<Instant>)>,
}

impl Wishes {
    /// The wishes before the first decision.
    pub fn new(structure: &Structure, entrants: &[Arc<Entrant>], args: &Args, mut random: Stream) -> Self {
        let (mut in_time, mut late) = (Vec::new(), BTreeMap::new());
        for entrant in entrants {
            let name = entrant.name.clone();
            let enough = u64::try_from(in_time.len()).unwrap_or(u64::MAX) >= structure.entry.players_min;
            if enough && structure.late_levels > 0 && chance(LATE, &mut random) {
                let level = one_of(usize::from(structure.late_levels), &mut random).saturating_add(1);
                late.insert(name, u16::try_from(level).unwrap_or(1));
            } else {
                in_time.push(name);
            }
        }
        Wishes { in_time, late, withhold: args.withhold, random, decided: BTreeMap::new() }
    }

    /// The wishes of players who register before the start.
    pub fn early(&self) -> Vec<Wish> {
        self.in_time.iter().map(|player| Wish::Enter { player: player.clone() }).collect()
    }

    /// Whether to act on a question now; chance decides the question when it first comes up.
    fn says(&mut self, question: Question, percent: u8) -> bool {
        let random = &mut self.random;
        let (yes, last) = self.decided.entry(question).or_insert_with(|| (chance(percent, random), None));
        let due = *yes && last.is_none_or(|last| last.elapsed() >= AGAIN_AFTER);
        if due {
            *last = Some(Instant::now());
        }
        due
    }

    /// The wishes in the event's present state.
    pub fn of(&mut self, event: &Tournament, now: u64) -> Vec<Wish> {
        let mut wishes = Vec::new();
        self.reveals(event, &mut wishes);
        if event.stage != Stage::Running {
            return wishes;
        }
        for (_, entry_no) in &event.rebuying {
            let Some(entry) = event.entries.get(entry_no) else { continue };
            let (player, entry_no) = (entry.player.clone(), *entry_no);
            let rebuy = Question::Rebuy(entry_no, entry.rebuys);
            if self.says(rebuy.clone(), REBUYS) {
                wishes.push(Wish::Rebuy { player });
            } else if self.decided.get(&rebuy).is_some_and(|(yes, _)| !yes)
                && self.says(Question::Decline(entry_no, entry.rebuys), 100)
            {
                wishes.push(Wish::Decline { player, entry_no });
            }
        }
        self.in_hands(event, &mut wishes);
        let add_on = event.structure().add_on.as_ref().map(|terms| terms.after_level);
        if event.clock.in_break && add_on == Some(event.clock.level) {
            let takes =
                event.left().filter(|(_, entry)| !entry.added_on && matches!(entry.at, Whereabouts::Seated(..)));
            for (entry_no, entry) in takes {
                if self.says(Question::AddOn(*entry_no), ADD_ONS) {
                    wishes.push(Wish::AddOn { player: entry.player.clone() });
                }
            }
        }
        if matches!(event.closed(now), Ok(None)) {
            self.entries(event, &mut wishes);
        }
        wishes
    }

    /// A request during a hand is noted, and carried out or dropped after the hand.
    fn in_hands(&mut self, event: &Tournament, wishes: &mut Vec<Wish>) {
        let Some(terms) = event.structure().rebuy.as_ref().filter(|terms| event.clock.level <= terms.levels) else {
            return;
        };
        let may_rebuy = |(entry_no, entry): &(&EntryNo, &EventEntry)| {
            let few = (1..=terms.stack_at_most).contains(&entry.chips) && entry.rebuys < terms.most;
            few && matches!(entry.at, Whereabouts::Seated(..)) && !event.noted.contains_key(entry_no)
        };
        for (entry_no, entry) in event.left().filter(may_rebuy) {
            if self.says(Question::InHand(*entry_no, entry.rebuys), IN_HAND) {
                wishes.push(Wish::Rebuy { player: entry.player.clone() });
            }
        }
    }

    fn reveals(&mut self, event: &Tournament, wishes: &mut Vec<Wish>) {
        let Some(open) = &event.draws.open else { return };
        let draw_no = event.draws.next;
        for entry_no in &open.awaited {
            let Some(entry) = event.entries.get(entry_no) else { continue };
            let Some((_, seat_use, _)) = &entry.commitment else { continue };
            if self.says(Question::Reveal(draw_no, *entry_no), 100u8.saturating_sub(self.withhold)) {
                let player = entry.player.clone();
                wishes.push(Wish::Reveal { player, entry_no: *entry_no, draw_no, seat_use: *seat_use });
            }
        }
    }

    fn entries(&mut self, event: &Tournament, wishes: &mut Vec<Wish>) {
        let level = event.clock.level;
        let come: Vec<PlayerId> =
            self.late.iter().filter(|(_, from)| **from <= level).map(|(player, _)| player.clone()).collect();
        for player in come {
            if event.entrants.get(&player).is_some_and(|entrant| !entrant.entries.is_empty()) {
                self.late.remove(&player);
            } else if self.says(Question::Late(player.clone()), 100) {
                wishes.push(Wish::Enter { player });
            }
        }
        let most = usize::from(event.structure().entry.entries_per_player);
        if most < 2 {
            return;
        }
        for (player, entrant) in event.entrants.iter() {
            let Some(last) = entrant.entries.last().filter(|_| entrant.entries.len() < most) else { continue };
            let is_out = event.entries.get(last).is_some_and(|entry| entry.at == Whereabouts::Out);
            if is_out && self.says(Question::Again(*last), AGAIN) {
                wishes.push(Wish::Enter { player: player.clone() });
            }
        }
    }
}

impl Wish {
    /// The player.
    fn player(&self) -> &PlayerId {
        match self {
            Wish::Enter { player }
            | Wish::Reveal { player, .. }
            | Wish::Rebuy { player }
            | Wish::Decline { player, .. }
            | Wish::AddOn { player } => player,
        }
    }

    /// Sends it. If a clock was faster, the log has the result.
    pub async fn carry_out(
        self,
        asking: &mut Asking,
        players: &Players,
        name: &TableId,
        structure: &Structure,
    ) -> Result<(), Failure> {
        // Strangers decide their own seeds, rebuys and entries.
        if !players.has(self.player()) {
            return Ok(());
        }
        let entrant = players.of(self.player())?;
        let event = name.clone();
        let known = asking.watch.event(|_, event| {
            let uses = event.entrants.get(&entrant.name).map_or(0, |entrant| entrant.uses);
            (event.context.clone(), uses)
        });
        let Some((context, uses)) = known else { return Ok(()) };
        let path = |call: &str| format!("/v1/tournaments/{name}/{call}");
        let terms = &structure.entry;
        let (call, cost, command, request) = match self {
            Wish::Enter { .. } => {
                let body = Registration { commitment: entrant.seat_commitment(&context, uses), pay: Pay::Cash };
                let command = C::Register { event, commitment: body.commitment, pay: body.pay };
                let cost = terms.buy_in.saturating_add(terms.fee).saturating_add(terms.bounty);
                ("register", cost, command, Request::post(path("registration"), &body))
            }
            Wish::Reveal { entry_no, draw_no, seat_use, .. } => {
                let seed = entrant.seat_seed(&context, seat_use);
                let next = Some(entrant.seat_commitment(&context, uses));
                let body = SeatReveal { entry_no, seed: seed.clone(), next };
                let command = C::RevealSeatSeed { event, draw_no, entry_no, seed, next };
                ("reveal_seat", 0, command, Request::post(path(&format!("draws/{draw_no}/reveals")), &body))
            }
            Wish::Rebuy { .. } => {
                let cost = structure.rebuy.as_ref().map_or(0, |terms| terms.price.saturating_add(terms.fee));
                ("rebuy", cost, C::Rebuy { event }, Request::post(path("rebuy"), &Nothing {}))
            }
            Wish::Decline { entry_no, .. } => {
                let body = NoRebuy { entry_no };
                let command = C::DeclineRebuy { event, entry_no };
                ("decline_rebuy", 0, command, Request::post(path("decline_rebuy"), &body))
            }
            Wish::AddOn { .. } => {
                let cost = structure.add_on.as_ref().map_or(0, |terms| terms.price.saturating_add(terms.fee));
                ("add_on", cost, C::AddOn { event }, Request::post(path("add_on"), &Nothing {}))
            }
        };
        let accepted = asking.ask(entrant, call, Command::Tournament(command), request).await?;
        if let Some(accepted) = accepted {
            entrant.spent.fetch_add(cost, Ordering::Relaxed);
            // The next request in this player's name waits until this one is folded in.
            if let Some(last) = accepted.receipts.iter().map(|receipt| receipt.index).max() {
                asking.watch.clone().reach(last.saturating_add(1)).await?;
            }
        }
        Ok(())
    }
}
