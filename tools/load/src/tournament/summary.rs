//! The result of an event: compared with the service's view, with each player's balance and with itself, and then
//! summed up.

use super::{Event, Players};
use crate::check::{EventCounts, Flaw};
use crate::client::Request;
use crate::failure::Failure;
use crate::limits::per_second;
use fairshoe_api::{EntryView, EventTableList, PlayerView, Standings, TournamentView};
use fairshoe_games::Chips;
use fairshoe_house::{Account, Tournament};
use serde::Serialize;
use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tokio::task::JoinSet;

/// The number of places listed.
const LISTED: usize = 10;

/// Entries in a page of the standings.
const PAGE: usize = 50;

/// An entry's place in the list.
#[derive(Clone, Debug, Serialize)]
pub struct Placed {
    /// The place, or the first and last of shared places.
    pub rank: (u64, u64),
    /// The player.
    pub player: String,
    /// Prizes and bounties, cents.
    pub received: u64,
}

/// The result of an event; amounts are cents.
#[derive(Clone, Debug, Serialize)]
pub struct EventReport {
    /// Its name.
    pub event: String,
    /// Its structure's name.
    pub structure: String,
    /// The structure's digest.
    pub digest: String,
    /// From the first seats to the end.
    pub played_ms: u64,
    /// The players who entered.
    pub players: u64,
    /// Entries, including re-entries.
    pub entries: u64,
    /// Rebuys.
    pub rebuys: u64,
    /// Add-ons.
    pub add_ons: u64,
    /// Tables that were opened.
    pub tables: usize,
    /// What its check counted.
    #[serde(flatten)]
    pub counts: EventCounts,
    /// Hands a second, in hundredths.
    pub hands_per_100_seconds: u64,
    /// The level in which it ended.
    pub level: u16,
    /// Cents collected for prizes.
    pub collected: u64,
    /// Fees.
    pub fees: u64,
    /// The number of paid places.
    pub places: u64,
    /// The first places.
    pub standings: Vec<Placed>,
}

impl Event {
    /// Compares the service's view of the finished event with the log.
    pub(super) async fn come_to_an_end(&mut self) -> Result<(), Failure> {
        let called_off =
            || Failure::Usage("the event was called off, too few being registered in time; say --starts-in".into());
        let played = self.started.ok_or_else(called_off)?.elapsed();
        while self.follow_once().await? > 0 {}
        self.hold_standings().await?;
        self.hold_view().await?;
        self.hold_balances().await?;
        let tables = self.followed.len();
        let report = self.watch.with(|check| {
            let Some(event) = check.event() else { return Err(Flaw::differs("the event", "announced", "none")) };
            ranks_are_whole(event)?;
            let report = EventReport::of(event, check.counts(), tables, played)?;
            let ledger = check.state().ledger();
            let name = event.name();
            for account in [Account::Pool, Account::Fees, Account::Bounties, Account::Stakes] {
                let left = ledger.balance(&account(name.clone()));
                if left != Some(0) {
                    return Err(Flaw::differs("what is left in an account of the event", Some(0), left));
                }
            }
            if ledger.total() == 0 {
                Ok(report)
            } else {
                Err(Flaw::differs("the sum of the ledger", 0, ledger.total()))
            }
        });
        let report = report.map_err(|flaw| self.flawed(flaw))?;
        self.shared.totals().event = Some(report);
        Ok(())
    }

    async fn follow_once(&mut self) -> Result<usize, Failure> {
        let page = self.asking.follow("tournaments", &self.name, &mut self.next, 0, |_, _| Ok(())).await?;
        let Some(page) = page else { return Ok(0) };
        self.watch.reach(page.checkpoint.size).await?;
        Ok(page.new)
    }

    /// Reads every page of the standings, and the tables, which must be gone.
    async fn hold_standings(&mut self) -> Result<(), Failure> {
        let mut from = 0;
        loop {
            let path = format!("/v1/tournaments/{}/standings?limit={PAGE}&cursor={from}", self.name);
            let request = Request::get(path).token(&self.shared.operator);
            let said: Standings = self.asking.link.read(&request).await?;
            let own = self.watch.event(|_, event| Standings::of(event, from, PAGE));
            let own = own.ok_or_else(|| Failure::Usage("the event was never announced".into()))?;
            self.same("a page of the standings", &own, &said)?;
            if own.next.is_none() {
                break;
            }
            from = from.saturating_add(PAGE);
        }
        let request =
            Request::get(format!("/v1/tournaments/{}/tables?limit={PAGE}", self.name)).token(&self.shared.operator);
        let said: EventTableList = self.asking.link.read(&request).await?;
        let own = self.watch.event(|_, event| EventTableList::of(event, None, PAGE));
        own.map_or(Ok(()), |own| self.same("the event's tables", &own, &said))
    }

    async fn hold_view(&mut self) -> Result<(), Failure> {
        let request = Request::get(format!("/v1/tournaments/{}", self.name)).token(&self.shared.operator);
        let said: TournamentView = self.asking.link.read(&request).await?;
        let own = self.watch.event(|_, event| TournamentView::of(event, None, super::now_ms()));
        // In a finished event no value depends on the time.
        match own {
            Some(Ok(own)) => self.same("the event as the lobby shows it", &own, &said),
            _ => Err(self.flawed(Flaw::Overflow)),
        }
    }

    fn same<T: Serialize>(&self, what: &'static str, own: &T, said: &T) -> Result<(), Failure> {
        let (own, said) = (serde_json::to_string(own), serde_json::to_string(said));
        let (own, said) = (own.unwrap_or_default(), said.unwrap_or_default());
        if own == said { Ok(()) } else { Err(self.flawed(Flaw::Differs { what, expected: own, found: said })) }
    }

    /// Checks that each player has, to the cent, their credit minus their payments plus the event's payments.
    async fn hold_balances(&mut self) -> Result<(), Failure> {
        let names: Vec<_> = self.players.0.keys().cloned().collect();
        let each = names.len().div_ceil(self.crowd.len().max(1));
        let mut tasks = JoinSet::new();
        for (part, asking) in names.chunks(each.max(1)).zip(&self.crowd) {
            let (part, asking, players) = (part.to_vec(), asking.clone(), self.players.clone());
            tasks.spawn(async move {
                let mut asking = asking.lock().await;
                for name in part {
                    let request = Request::get(format!("/v1/players/{name}")).token(players.of(&name)?.token()?);
                    let view: PlayerView = asking.link.read(&request).await?;
                    let logged = asking.watch.with(|check| check.state().ledger().player(&name));
                    let own = owned(&players, &name, asking.watch.with(|check| check.received(&name)))?;
                    if (Some(own), logged) != (Some(view.balance), Some(view.balance)) {
                        let flaw =
                            Flaw::differs("a player's balance: as paid, and on the log", (own, logged), view.balance);
                        return Err(asking.watch.flawed(flaw));
                    }
                }
                Ok::<(), Failure>(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.map_err(|e| Failure::Usage(format!("a player broke down: {e}")))??;
        }
        Ok(())
    }
}

/// A player's expected chips, from their own requests.
fn owned(players: &Players, name: &fairshoe_fairness::PlayerId, received: u64) -> Result<Chips, Failure> {
    let entrant = players.of(name)?;
    let (given, spent) = (entrant.given.load(Ordering::Relaxed), entrant.spent.load(Ordering::Relaxed));
    let own = given.checked_sub(spent).and_then(|left| left.checked_add(received)).and_then(Chips::new);
    own.ok_or_else(|| Failure::Usage(format!("{name} has paid more than they had")))
}

/// Checks that every player has one place, that no place is missing, and that the number of sharers of a place is its
/// span.
fn ranks_are_whole(event: &Tournament) -> Result<(), Flaw> {
    let mut ranks: Vec<(u64, u64)> = event.entries.iter().filter_map(|(_, entry)| entry.rank).collect();
    ranks.sort_unstable();
    let mut next = 1u64;
    for together in ranks.chunk_by(|a, b| a == b) {
        let count = u64::try_from(together.len()).unwrap_or(u64::MAX);
        let expected = (next, next.saturating_add(count).saturating_sub(1));
        if together.first() != Some(&expected) {
            return Err(Flaw::differs("a place", expected, together.first()));
        }
        next = next.saturating_add(count);
    }
    if next == event.players.saturating_add(1) {
        Ok(())
    } else {
        Err(Flaw::differs("how many places were taken", event.players, next.saturating_sub(1)))
    }
}

impl EventReport {
    /// The result of a finished event, with every cent accounted for.
    fn of(event: &Tournament, counts: &EventCounts, tables: usize, played: Duration) -> Result<EventReport, Flaw> {
        let structure = event.structure();
        let collected = event.collected().map_err(|_| Flaw::Overflow)?;
        let sum = |amounts: &[u64]| amounts.iter().try_fold(0u64, |sum, amount| sum.checked_add(*amount));
        let paid = sum(&[counts.prizes, counts.seats, counts.residual]);
        if sum(&[collected, counts.overlay]) != paid {
            return Err(Flaw::differs("what was paid of the pool", sum(&[collected, counts.overlay]), paid));
        }
        let heads = event.sold.with_bounty.checked_mul(structure.entry.bounty);
        if heads != Some(counts.bounties) {
            return Err(Flaw::differs("what was paid of the bounties", heads, counts.bounties));
        }
        let all = Standings::of(event, 0, LISTED).entries;
        let placed = |entry: EntryView| {
            Some(Placed { rank: entry.rank?, player: entry.player.to_string(), received: entry.received })
        };
        let mut standings: Vec<Placed> = all.into_iter().filter_map(placed).collect();
        standings.sort_by_key(|placed| placed.rank);
        let fees = event.entries.iter().map(|(_, entry)| entry.fees).sum();
        Ok(EventReport {
            event: event.name().to_string(),
            structure: structure.name.clone(),
            digest: event.terms.digest.clone(),
            played_ms: u64::try_from(played.as_millis()).unwrap_or(u64::MAX),
            players: event.players,
            entries: event.sold.entries,
            rebuys: event.sold.rebuys,
            add_ons: event.sold.add_ons,
            tables,
            counts: counts.clone(),
            hands_per_100_seconds: per_second(counts.hands.saturating_mul(100), played),
            level: event.clock.level,
            collected,
            fees,
            places: event.places().map_err(|_| Flaw::Overflow)?,
            standings,
        })
    }

    /// In words.
    pub(crate) fn write(&self, out: &mut String) -> std::fmt::Result {
        let (whole, rest) = (self.hands_per_100_seconds / 100, self.hands_per_100_seconds % 100);
        let ms = self.played_ms;
        writeln!(out, "  event      {} by structure {}, {ms} ms from its first seats", self.event, self.structure)?;
        let EventReport { players, entries, rebuys, add_ons, tables, level, collected, fees, places, .. } = self;
        let EventCounts { hands, voids, draws, withheld, moves, breaks, rounds, noted, dropped, .. } = &self.counts;
        let EventCounts { prizes, seats, bounties, overlay, residual, .. } = &self.counts;
        writeln!(
            out,
            "             {players} players, {entries} entries, {rebuys} rebuys, {add_ons} add-ons ({noted} asked for in a hand, {dropped} dropped after it)"
        )?;
        writeln!(
            out,
            "             {hands} hands, {whole}.{rest:02} a second, {voids} void, at {tables} tables, to level {level}"
        )?;
        writeln!(
            out,
            "             {draws} draws of seats ({withheld} seeds withheld), {breaks} tables broken, {moves} players moved, {rounds} rounds of hand-for-hand"
        )?;
        writeln!(
            out,
            "  cents      {collected} collected + {overlay} overlay = {prizes} prizes + {seats} in seats + {residual} residual; {bounties} bounties, {fees} fees"
        )?;
        writeln!(out, "  places     {places} paid; every player's balance is what they had, paid and got")?;
        for placed in &self.standings {
            let (first, last) = placed.rank;
            let rank = if first == last { first.to_string() } else { format!("{first}-{last}") };
            writeln!(out, "    {rank:>7}  {:<28} {:>12}", placed.player, placed.received)?;
        }
        Ok(())
    }
}
