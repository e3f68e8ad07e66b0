//! Operators' acts on tournaments, and what a cancellation left to whom (spec/audit.md, "The report of a book",
//! `events`).
//!
//! Owns: counts of each power, and what an entry came to for those who play. Does not own: chances, or what a small one
//! means.

use super::lean::MILLION;
use super::{Bought, OwnStructure, Sum};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_house::tournament::{CancelCause, Refund};
use fairshoe_house::{Actor, Command, Entry, Event, Tournament, TournamentCommand, TournamentEvent};
use fairshoe_tournament::refund::Case;
use fairshoe_tournament::{EntryNo, SHIPPED_STRUCTURES, Structure};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Acts on the tournaments of a log beyond their structures.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Events {
    /// Events announced.
    pub announced: u64,
    /// Events that began.
    pub begun: u64,
    /// Events that were cancelled, by cause; those before their start among them.
    pub cancelled: BTreeMap<String, u64>,
    /// Those of them that had begun.
    pub cancelled_in_play: u64,
    /// Cancellations as of an instant since which what somebody held has changed.
    pub earlier_instants: u64,
    /// Starts that were postponed.
    pub postponed: u64,
    /// Changes of the times of registration.
    pub times_changed: u64,
    /// Players whom the operator disqualified.
    pub disqualified: u64,
    /// Players for whom the operator said whether they have a bounty.
    pub bounties_set: u64,
    /// Substitutes that were offered for prizes.
    pub substitutes: u64,
    /// Prizes for which players had them, in cents.
    pub substituted: Sum,
    /// Deals that players made.
    pub deals: u64,
    /// The sum that the house added to pools, in cents.
    pub overlay: Sum,
    /// The part of guarantees not added since the paid places were reached while registration was open, in cents.
    pub spared_by_itm: Sum,
    /// The part not added since a crash cancelled the event, in cents.
    pub spared_by_crash: Sum,
    /// The part not added since the event was cancelled before its start, by anybody, in cents.
    pub spared_before_start: Sum,
    /// Seats that became T$, which pay entries and nothing else: won without need of them, or for an event that is over,
    /// in cents.
    pub t_dollars: Sum,
}

impl Events {
    /// Whether the log has no tournament.
    pub fn is_nothing(&self) -> bool {
        *self == Events::default()
    }

    /// Takes in an entry, and what came of it for its event.
    pub(super) fn count(&mut self, entry: &Entry, came: Option<&Came>) {
        let Command::Tournament(command) = &entry.command else { return };
        match command {
            TournamentCommand::Disqualify { .. } => self.disqualified += 1,
            TournamentCommand::ChangeRegistration { .. } => self.times_changed += 1,
            TournamentCommand::SetBounty { .. } => self.bounties_set += 1,
            TournamentCommand::SubstitutePrize { .. } if entry.by == Actor::Operator => self.substitutes += 1,
            _ => {}
        }
        for event in events_of(entry) {
            match event {
                TournamentEvent::Created { .. } => self.announced += 1,
                TournamentEvent::Started { .. } => self.begun += 1,
                TournamentEvent::Postponed { .. } => self.postponed += 1,
                TournamentEvent::DealMade { .. } => self.deals += 1,
                TournamentEvent::PoolFinal { overlay, .. } => self.overlay += signed(*overlay),
                TournamentEvent::PrizePaid { prize, .. } => {
                    self.substituted += signed(prize.substitute);
                    self.t_dollars += signed(prize.t_dollars);
                }
                TournamentEvent::TicketReturned { value, .. } => self.t_dollars += signed(*value),
                TournamentEvent::Cancelled { cause, case, .. } => {
                    *self.cancelled.entry(word(*cause).to_owned()).or_default() += 1;
                    self.cancelled_in_play += u64::from(*case != Case::NotStarted);
                }
                _ => {}
            }
        }
        if let Some(came) = came {
            self.earlier_instants += u64::from(came.is_earlier);
            self.overlay += came.overlay;
            self.spared_by_itm += came.spared_by_itm;
            self.spared_by_crash += came.spared_by_crash;
            self.spared_before_start += came.spared_before_start;
        }
    }
}

/// The effect of a log's entry on its tournament, as far as the entry does not say it.
#[derive(Default)]
pub(super) struct Came {
    /// For a cancellation in play: the sum that each player who had entered got, and the part due to the instant; all
    /// of it, if no earlier instant was named.
    pub got: Vec<(PlayerId, i64, i64)>,
    /// For each disqualification: which of the others who had entered were still in, and share what falls to them: 1 or
    /// 0, and a million or 0.
    pub beside: Vec<Vec<(PlayerId, i64, i64)>>,
    /// By player what they would have got as of the last moment that could be named.
    as_of_last: BTreeMap<PlayerId, i64>,
    /// Whether what somebody held has changed since the instant.
    is_earlier: bool,
    overlay: i64,
    spared_by_itm: i64,
    spared_by_crash: i64,
    spared_before_start: i64,
}

impl Came {
    /// Before the entry is folded in: how its event stands.
    pub(super) fn before(entry: &Entry, event: &Tournament) -> Option<Came> {
        let guarantee = event.structure().guarantee;
        let mut came: Option<Came> = None;
        for said in events_of(entry) {
            match said {
                TournamentEvent::Cancelled { cause, instant, case, .. } if *case != Case::NotStarted => {
                    let came = came.get_or_insert_default();
                    came.is_earlier = event.moments(entry.time).iter().any(|moment| moment > instant);
                    if came.is_earlier {
                        let (_, last) = event.instants(entry.time);
                        let refunds = event.settlement(last, *cause).map(|settled| settled.refunds);
                        came.as_of_last = by_player(event, &refunds.unwrap_or_default());
                    }
                    let collected = event.collected().unwrap_or_default();
                    // The overlay of the end of registration is taken back, or kept, or is still to come.
                    let added = signed(event.pool.map_or(0, |added| added.saturating_sub(collected)));
                    let promised = signed(guarantee.saturating_sub(collected));
                    match (cause, case) {
                        (_, Case::NotStarted | Case::CutShort) => {}
                        (CancelCause::Operator, _) | (_, Case::Paid) => came.overlay = promised.saturating_sub(added),
                        (_, Case::Unpaid) => {
                            (came.overlay, came.spared_by_crash) = (added.saturating_neg(), promised);
                        }
                    }
                }
                TournamentEvent::Cancelled { .. } => {
                    let promised = guarantee.saturating_sub(event.collected().unwrap_or_default());
                    came.get_or_insert_default().spared_before_start = signed(promised);
                }
                TournamentEvent::PlayerDisqualified { entry_no, .. } => {
                    came.get_or_insert_default().beside.push(left_beside(event, *entry_no));
                }
                TournamentEvent::PoolFinal { pool, .. } if *pool < guarantee => {
                    came.get_or_insert_default().spared_by_itm = signed(guarantee.saturating_sub(*pool));
                }
                _ => {}
            }
        }
        came
    }

    /// After it: what a cancellation gives to each who had entered.
    pub(super) fn after(&mut self, entry: &Entry, event: &Tournament) {
        let is_cancelled = |said: &TournamentEvent| match said {
            TournamentEvent::Cancelled { case, .. } => *case != Case::NotStarted,
            _ => false,
        };
        if !events_of(entry).any(is_cancelled) {
            return;
        }
        // An earlier instant gave them the difference; any other gave them all that they had.
        let before = |player: &PlayerId| self.as_of_last.get(player).copied().unwrap_or_default();
        let got = by_player(event, &event.refunds);
        self.got =
            got.into_iter().map(|(player, got)| (player.clone(), got, got.saturating_sub(before(&player)))).collect();
    }
}

/// The sum that each player who had entered gets by a cancellation, without purchases after its instant.
fn by_player(event: &Tournament, refunds: &BTreeMap<EntryNo, Refund>) -> BTreeMap<PlayerId, i64> {
    let mut got: BTreeMap<PlayerId, i64> = event.entries.iter().map(|(_, entry)| (entry.player.clone(), 0)).collect();
    for (entry_no, refund) in refunds {
        let Some(sum) = event.entries.get(entry_no).and_then(|entry| got.get_mut(&entry.player)) else { continue };
        let kept = signed(refund.sum()).saturating_sub(signed(refund.bought.sum()));
        *sum = sum.saturating_add(kept).saturating_sub(signed(refund.owed));
    }
    got
}

/// Which of the others who had entered were still in.
fn left_beside(event: &Tournament, out: EntryNo) -> Vec<(PlayerId, i64, i64)> {
    let mut left: BTreeMap<&PlayerId, i64> = event.entries.iter().map(|(_, entry)| (&entry.player, 0)).collect();
    left.extend(event.left().map(|(_, entry)| (&entry.player, 1)));
    if let Some(entry) = event.entries.get(&out) {
        left.remove(&entry.player);
    }
    left.into_iter().map(|(player, is_left)| (player.clone(), is_left, is_left * MILLION)).collect()
}

fn events_of(entry: &Entry) -> impl Iterator<Item = &TournamentEvent> {
    entry.events.iter().filter_map(|event| match event {
        Event::Tournament(event) => Some(event.as_ref()),
        _ => None,
    })
}

fn signed(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

fn word(cause: CancelCause) -> &'static str {
    match cause {
        CancelCause::Crash => "crash",
        CancelCause::TooFewPlayers => "too_few_players",
        CancelCause::Operator => "operator",
    }
}

/// Events named of each structure.
const EVENTS_NAMED: usize = 10;

static SHIPPED_DIGESTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let shipped = SHIPPED_STRUCTURES.iter().filter_map(|(name, _)| Structure::shipped(name));
    shipped.map(|structure| structure.digest()).collect()
});

/// Structures on a log that are none of the shipped ones, by digest: as they are
/// listed.
#[derive(Default, Serialize, Deserialize)]
#[serde(transparent)]
pub(super) struct OwnStructures(BTreeMap<String, OwnStructure>);

impl OwnStructures {
    /// An event is announced with a structure.
    pub fn announced(&mut self, event: &TableId, structure: &Structure, digest: &str) {
        if SHIPPED_DIGESTS.contains(digest) {
            return;
        }
        let terms = &structure.entry;
        let new = || OwnStructure {
            structure: structure.name.clone(),
            digest: digest.to_owned(),
            has_shipped_name: SHIPPED_STRUCTURES.iter().any(|(shipped, _)| *shipped == structure.name),
            buy_in: terms.buy_in,
            fee: terms.fee,
            bounty: terms.bounty,
            rebuy: structure.rebuy.as_ref().map(|rebuy| Bought { price: rebuy.price, fee: rebuy.fee }),
            add_on: structure.add_on.as_ref().map(|add_on| Bought { price: add_on.price, fee: add_on.fee }),
            of_events: 0,
            events: Vec::new(),
        };
        let own = self.0.entry(digest.to_owned()).or_insert_with(new);
        own.of_events = own.of_events.saturating_add(1);
        if own.events.len() < EVENTS_NAMED {
            own.events.push(event.clone());
        }
    }

    /// How many there are, and the first `most` of them: those with a shipped name first, then those with most events.
    pub fn listed(&self, most: usize) -> (u64, Vec<OwnStructure>) {
        let mut own: Vec<OwnStructure> = self.0.values().cloned().collect();
        own.sort_by_key(|own| std::cmp::Reverse((own.has_shipped_name, own.of_events)));
        own.truncate(most);
        (self.0.len() as u64, own)
    }
}
