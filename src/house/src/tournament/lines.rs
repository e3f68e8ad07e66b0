//! A tournament in the state's lines, and which lines are one (spec/state.md, "Tournaments").

use super::{Entrant, FixedDraw, Stage, Tournament, Whereabouts, table_rules};
use crate::Misfit;
use crate::ledger::EventMoney;
use crate::parts::line;
use crate::sharded::Sharded;
use fairshoe_fairness::PlayerId;
use fairshoe_tournament::EntryNo;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

impl Tournament {
    /// Its lines: one for itself, one for each entry, one for each player.
    pub(crate) fn lines(&self, lines: &mut BTreeMap<String, String>) -> Result<(), serde_json::Error> {
        let name = self.name();
        let alone = Tournament { entries: Sharded::default(), entrants: Sharded::default(), ..self.clone() };
        let mut put = |key: String, text: Result<String, serde_json::Error>| text.map(|text| lines.insert(key, text));
        let key = format!("event:{name}");
        put(key.clone(), line(&key, &alone))?;
        for (entry_no, entry) in self.entries.iter() {
            let key = format!("entry:{name}/{entry_no}");
            put(key.clone(), line(&key, entry))?;
        }
        for (player, entrant) in self.entrants.iter() {
            let key = format!("entrant:{name}/{player}");
            put(key.clone(), line(&key, entrant))?;
        }
        Ok(())
    }

    /// Whether a tournament that a noted state has is one: what follows from the rest is what is said of it.
    ///
    /// # Errors
    /// What does not follow.
    pub(crate) fn check(&self) -> Result<(), Misfit> {
        let terms = &self.terms;
        terms.structure.validate()?;
        let level = |level| table_rules(&terms.structure, &terms.rules, level);
        let rules = level(1).as_ref() == Some(&terms.table_rules);
        if !rules || level(self.clock.level).as_ref() != Some(self.level_rules.as_ref()) {
            return Err("the rule set of its tables is another than its structure's".into());
        }
        if terms.digest != terms.structure.digest() {
            return Err("its structure's digest is wrong".into());
        }
        let left = u64::try_from(self.left().count()).unwrap_or(u64::MAX);
        let players = self.entrants.values().filter(|entrant| !entrant.entries.is_empty()).count();
        if self.remaining != left || self.players != u64::try_from(players).unwrap_or(u64::MAX) {
            return Err("it has not as many players as it says".into());
        }
        let seated = self.field.0.tables.iter().flat_map(|(number, table)| {
            table.players.iter().map(move |(seat, entry_no)| (*entry_no, Whereabouts::Seated(*number, *seat)))
        });
        let mut seats = 0;
        for (entry_no, at) in seated {
            if self.entries.get(&entry_no).is_none_or(|entry| entry.at != at) {
                return Err(Misfit::SitsElsewhere(entry_no));
            }
            seats += 1;
        }
        if self.left().filter(|(_, entry)| entry.table().is_some()).count() != seats {
            return Err("somebody sits at no seat".into());
        }
        if terms.rules.digest() != terms.structure.rules.digest {
            return Err("its rule set is another than its structure names".into());
        }
        let own = |(player, entrant): (&PlayerId, &Entrant)| {
            let theirs = |entry_no: &EntryNo| self.entries.get(entry_no).is_some_and(|entry| entry.player == *player);
            entrant.entries.is_sorted_by(|one, next| one < next) && entrant.entries.iter().all(theirs)
        };
        let of_players: usize = self.entrants.values().map(|entrant| entrant.entries.len()).sum();
        if !self.entrants.iter().all(own) || of_players != self.entries.iter().count() {
            return Err("its entries are not those of its players".into());
        }
        self.check_named()?;
        let EventMoney { pool, fees, bounties, stakes } = self.money;
        if [pool, fees, bounties, stakes].iter().any(|balance| *balance < 0) {
            return Err("an account of it is below zero".into());
        }
        let clock = &self.clock;
        let stopped = clock.stops.iter().flat_map(|(from, until)| [*from, *until]);
        let stands = clock.stands.iter().map(|(since, _)| *since);
        if !std::iter::once(clock.started).chain(stopped).chain(stands).chain([self.last_used]).is_sorted() {
            return Err("its clock began, stopped or went on in another order, or after its last entry".into());
        }
        if !self.dues.fits(self.last_used, self.duty().as_ref(), self.next_deadline()) {
            return Err("what is due there, or since when, is not what follows from how it stands".into());
        }
        Ok(())
    }

    /// Whether the entries that it names are there, and lists that follow from others do.
    fn check_named(&self) -> Result<(), Misfit> {
        let open =
            self.draws.open.iter().flat_map(|open| open.entrants.iter().chain(&open.awaited).chain(open.seeds.keys()));
        let proposal = self.deal.proposal.iter();
        let proposal = proposal.flat_map(|one| one.amounts.iter().map(|(entry_no, _)| entry_no).chain(&one.accepted));
        let fixed = self.draws.frozen.iter().flat_map(|FixedDraw(.., entrants)| entrants);
        // An entrant that is fixed waits until the draw is called.
        if let Some(entry_no) = fixed.clone().find(|entry_no| !self.waiting.contains(entry_no)) {
            return Err(Misfit::DoesNotWait(*entry_no));
        }
        let is_off = matches!(self.stage, Stage::Cancelled | Stage::Ended);
        if self.draws.frozen.as_ref().is_some_and(|fixed| self.is_no_draw(fixed)) && !is_off {
            return Err("what is fixed is no draw that is due or open".into());
        }
        if let Some((entry_no, _)) = self.noted.iter().find(|(entry_no, note)| !self.can_be_noted(**entry_no, note)) {
            return Err(Misfit::CannotBeNoted(*entry_no));
        }
        let named = self.waiting.iter().chain(&self.won).chain(&self.sellers).chain(&self.deal.wanted).chain(open);
        let named = named.chain(self.to_settle.values().flatten()).chain(self.unranked.iter().map(|out| &out.entry_no));
        let named = named.chain(self.refunds.keys()).chain(self.journal.named()).chain(proposal);
        if let Some(entry_no) = named.into_iter().find(|entry_no| !self.entries.contains_key(entry_no)) {
            return Err(Misfit::NoEntry(*entry_no));
        }
        // Once it is off nobody rebuys, whatever time they had.
        let rebuying = self.entries.iter().filter_map(|(entry_no, entry)| Some((entry.rebuy_until?, *entry_no)));
        if self.rebuying != rebuying.filter(|_| !is_off).collect() {
            return Err("who may rebuy is not who its entries say".into());
        }
        let is_unpaid = |(place, entry_no): &(Reverse<u64>, EntryNo)| {
            let entry = self.entries.get(entry_no);
            entry.is_some_and(|entry| !entry.is_paid && entry.rank.is_some_and(|(first, _)| first == place.0))
        };
        if !self.unpaid.iter().all(is_unpaid) {
            return Err("a place that is not paid is not its entry's".into());
        }
        let calls = self.tables.calls.iter();
        let idle: BTreeSet<(u64, u16)> =
            calls.filter_map(|(number, calls)| Some((calls.idle_since?, *number))).collect();
        if self.tables.idle != idle {
            return Err("its tables between hands are others than their calls say".into());
        }
        let unseeded = self.tables.calls.values().any(|calls| calls.unseeded > 0);
        if unseeded && usize::from(self.clock.level) < self.structure().levels.len() {
            return Err("hands without a seed are counted at the last level".into());
        }
        if self.field.0.seats != self.structure().seats {
            return Err("its tables have other seats than its structure says".into());
        }
        Ok(())
    }
}
