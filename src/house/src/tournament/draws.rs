//! Draws of seats (spec/games/tournaments.md, 3): which one is due, what of it is fixed and when, whom it seats and where.
//! The arithmetic is `fairshoe_tournament::draw`'s.

use super::{DrawKind, TournamentEvent as E};
use super::{FixedDraw, OpenDraw, Stage, Tournament, Whereabouts};
use crate::Misfit;
use fairshoe_fairness::{
    ClientSeed, DrawLink, EventEntropy, PlayerId, SeatSeed, draw_entropy, link_before, seat_seed_commitment,
};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::draw::{first_seats, later_seats};
use fairshoe_tournament::seating::Due;
use std::collections::{BTreeMap, BTreeSet};

impl Tournament {
    /// The draw that is due: what for, and which table it empties. One whose X is fixed comes before any other.
    pub(crate) fn due_draw(&self) -> Option<(DrawKind, Option<u16>)> {
        match &self.draws.frozen {
            Some(FixedDraw(kind, table, ..)) if self.draws.open.is_none() => {
                (self.stage == Stage::Running && self.clock.stands.is_none() && !self.is_over())
                    .then_some((*kind, *table))
            }
            _ => self.due_beside_fixed(),
        }
    }

    /// Whether a draw that was fixed and is not called yet has anybody to be seated.
    pub(super) fn is_still_due(&self, FixedDraw(_, table, _, entrants): &FixedDraw) -> bool {
        table.map_or(!entrants.is_empty(), |number| self.field.0.tables.contains_key(&number))
    }

    /// The table that a draw which is fixed is about to empty.
    pub(super) fn fixed_table(&self) -> Option<u16> {
        self.draws.frozen.as_ref().filter(|_| self.draws.open.is_none()).and_then(|FixedDraw(_, table, ..)| *table)
    }

    /// The draw that is due by what stands now.
    pub(super) fn due_beside_fixed(&self) -> Option<(DrawKind, Option<u16>)> {
        if self.stage != Stage::Running || self.draws.open.is_some() || self.clock.stands.is_some() || self.is_over() {
            return None;
        }
        if self.field.0.last_table == 0 {
            return (!self.waiting.is_empty()).then_some((DrawKind::First, None));
        }
        if let Some(Due::Break(number)) = self.shape().due {
            return self.is_idle(number).then_some((DrawKind::Break, Some(number)));
        }
        let last = self.field.0.tables.keys().next().copied().filter(|_| self.field.0.tables.len() == 1);
        if let Some(number) = last
            && self.structure().final_redraw
            && !self.draws.had_final
            && self.registration_ended.is_some()
            && self.field.0.last_table > 1
            && self.remaining > 1
            && self.is_idle(number)
        {
            return Some((DrawKind::Final, Some(number)));
        }
        (!self.waiting.is_empty()).then_some((DrawKind::Late, None))
    }

    /// Whether the draw that is open, or due, has its hands (3.7).
    pub(super) fn has_hands(&self) -> bool {
        let (kind, newest, without) = match (&self.draws.open, self.due_beside_fixed()) {
            (Some(open), _) => (open.kind, open.committed_at, None),
            (None, Some((kind, Some(number)))) => {
                let players = self.field.0.tables.get(&number).map(|table| &table.players);
                let players = players.into_iter().flat_map(|players| players.values());
                (kind, self.newest_commitment(players), Some(number))
            }
            (None, Some((kind, None))) => (kind, self.newest_commitment(&self.waiting), None),
            (None, None) => return false,
        };
        if matches!(kind, DrawKind::First | DrawKind::Final) {
            return true;
        }
        let plays = |number: &&u16| Some(**number) != without && self.could_play(**number);
        let needed = self.field.0.tables.keys().filter(plays).count().min(self.structure().draw_hands.into());
        self.tables.calls.values().filter(|calls| calls.opened > newest).count() >= needed
    }

    /// How many hands the event had called before the newest commitment of these entries; 0 where none has any.
    pub(super) fn newest_commitment<'e>(&self, entries: impl IntoIterator<Item = &'e EntryNo>) -> u64 {
        let called = |entry_no| self.entries.get(entry_no)?.commitment.as_ref().map(|(_, _, called)| *called);
        entries.into_iter().filter_map(called).max().unwrap_or_default()
    }

    /// When the seats of an open draw are drawn without the seeds that are not out, UTC milliseconds: known once the
    /// draw has its hands.
    pub fn draw_ends(&self, draw_no: u16) -> Option<u64> {
        self.draws.frozen.as_ref()?;
        self.draws.open.as_ref().filter(|_| draw_no == self.draws.next).map(|open| open.reveal_by)
    }

    /// The entrant whose seed this is, if the open draw awaits it.
    pub fn awaits_seed(&self, draw_no: u16, entry_no: EntryNo, seed: &ClientSeed) -> Option<&PlayerId> {
        let open = self.draws.open.as_ref().filter(|_| draw_no == self.draws.next)?;
        let entry = self.entries.get(&entry_no).filter(|_| open.awaited.contains(&entry_no))?;
        let (commitment, seat_use, _) = entry.commitment?;
        let opens = seat_seed_commitment(&self.context, seat_use, &entry.player, seed) == commitment;
        opens.then_some(&entry.player)
    }

    pub(super) fn fold_draw_called(&mut self, event: &E) -> Result<(), Misfit> {
        let E::DrawCalled { draw_no, kind, table, reveal_by } = event else { return Err("this calls no draw".into()) };
        if *draw_no != self.draws.next || self.draws.open.is_some() {
            return Err(Misfit::DrawNotNext(*draw_no));
        }
        let entrants: BTreeSet<EntryNo> = match table {
            Some(number) => {
                let broken = self.field_mut().tables.remove(number).ok_or("there is no such table")?;
                broken.players.into_values().collect()
            }
            // A player who came after X was fixed waits for the next draw: else a house that knows the seats tries
            // entries of its own until it likes them.
            None => match &mut self.draws.frozen {
                Some(FixedDraw(_, _, _, entrants)) => {
                    let entrants = std::mem::take(entrants);
                    self.waiting.retain(|entry_no| !entrants.contains(entry_no));
                    entrants
                }
                None => std::mem::take(&mut self.waiting),
            },
        };
        for entry_no in &entrants {
            self.entry_mut(*entry_no)?.at = Whereabouts::Waiting;
        }
        let has_committed =
            |entry_no: &&EntryNo| self.entries.get(entry_no).is_some_and(|entry| entry.commitment.is_some());
        let awaited = entrants.iter().filter(has_committed).copied().collect();
        self.draws.had_final |= *kind == DrawKind::Final;
        // A commitment that comes with a reveal is for the next draw.
        let committed_at = self.newest_commitment(&entrants);
        self.draws.open = Some(OpenDraw {
            kind: *kind,
            table: *table,
            awaited,
            entrants,
            committed_at,
            seeds: BTreeMap::new(),
            reveal_by: *reveal_by,
        });
        Ok(())
    }

    /// The entropy of the open draw with this link of the chain.
    pub(crate) fn entropy_of_draw(&self, link: &DrawLink) -> Result<EventEntropy, Misfit> {
        let open = self.draws.open.as_ref().ok_or("no draw is open")?;
        let seed = |(entry_no, seed): (&EntryNo, &ClientSeed)| {
            let player = self.entries.get(entry_no)?.player.clone();
            Some(SeatSeed { entry_no: entry_no.0, player, seed: seed.clone() })
        };
        let seeds: Vec<SeatSeed> = open.seeds.iter().filter_map(seed).collect();
        let running = self.draws.frozen.as_ref().map_or(self.draws.running, |FixedDraw(_, _, running, _)| *running);
        draw_entropy(&self.context, self.draws.next, link, &running, &seeds).map_err(Misfit::from)
    }

    pub(super) fn fold_seats_drawn(
        &mut self,
        draw_no: u16,
        link: DrawLink,
        entropy: EventEntropy,
        withheld: u64,
    ) -> Result<(), Misfit> {
        if draw_no != self.draws.next || link_before(&self.context, draw_no, &link) != self.draws.link {
            return Err(Misfit::DrawNumber(draw_no));
        }
        if self.entropy_of_draw(&link)? != entropy {
            return Err(Misfit::DrawEntropy(draw_no));
        }
        let open = self.draws.open.take().ok_or("no draw is open")?;
        let without = open.entrants.len().saturating_sub(open.seeds.len());
        if u64::try_from(without).unwrap_or(u64::MAX) != withheld {
            return Err(Misfit::Withheld(without, draw_no, withheld));
        }
        let entrants: Vec<EntryNo> = open.entrants.into_iter().collect();
        let field = self.field_mut();
        let mut seats: Vec<(EntryNo, u16, u8)> = Vec::with_capacity(entrants.len());
        match open.kind {
            _ if entrants.is_empty() => {}
            DrawKind::First | DrawKind::Final => {
                let drawn = first_seats(&entropy, &entrants, field.seats, field.last_table)?;
                for (number, table) in &drawn.tables {
                    seats.extend(table.players.iter().map(|(seat, entry_no)| (*entry_no, *number, *seat)));
                }
                *field = drawn;
            }
            DrawKind::Late | DrawKind::Break => {
                let seated = later_seats(&entropy, &entrants, field)?;
                seats.extend(seated.into_iter().map(|one| (one.entry_no, one.table, one.seat)));
            }
        }
        for (entry_no, table, seat) in seats {
            self.entry_mut(entry_no)?.at = Whereabouts::Seated(table, seat);
            self.tables.dirty.insert(table);
        }
        self.draws.link = link;
        self.draws.running = entropy;
        self.draws.frozen = None;
        self.draws.next = draw_no.checked_add(1).ok_or("there are no more draws")?;
        Ok(())
    }

    /// A draw takes X as it stands when it is first due, or open, with its hands, whenever it is called; what is fixed
    /// stays fixed, over stops of the clock and starts of the dealer too (3.6).
    pub(super) fn freeze(&mut self) {
        let fixed = match (&self.draws.open, &self.draws.frozen) {
            (Some(_), Some(_)) => return,
            (None, Some(fixed)) if self.is_still_due(fixed) => return,
            (Some(open), None) => Some((open.kind, open.table)),
            (None, _) => self.due_beside_fixed(),
        };
        self.draws.frozen = fixed.filter(|_| self.has_hands()).map(|(kind, table)| {
            let is_called = self.draws.open.is_some();
            let entrants = if table.is_some() || is_called { BTreeSet::new() } else { self.waiting.clone() };
            FixedDraw(kind, table, self.draws.running, entrants)
        });
    }

    /// Whether a fixed draw is none: another than the open one, or of nobody.
    pub(super) fn is_no_draw(&self, fixed: &FixedDraw) -> bool {
        let FixedDraw(kind, table, _, entrants) = fixed;
        let of_table = matches!(kind, DrawKind::Break | DrawKind::Final);
        let fits = match &self.draws.open {
            Some(open) => (open.kind, open.table) == (*kind, *table) && entrants.is_empty(),
            None => self.is_still_due(fixed) && (table.is_none() || entrants.is_empty()),
        };
        !fits || table.is_some() != of_table
    }
}
