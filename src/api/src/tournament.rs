//! Tournaments as everyone may see them, with requests about them (openapi.yaml, "Tournaments"). All values come from
//! the log's own state: amounts are minor units, times UTC milliseconds.

use fairshoe_fairness::{ClientSeed, DrawLink, Epoch, PlayerId, SeedCommitment, TableId};
use fairshoe_games::RuleSet;
use fairshoe_house::Reference;
use fairshoe_house::tournament::{
    DealMethod, DrawKind, EventEntry, Note, Noted, Pay, Proposal, Stage, StandCause, Tournament, Whereabouts,
};
use fairshoe_tournament::entry::Closed;
use fairshoe_tournament::prize::Prize;
use fairshoe_tournament::structure::Level;
use fairshoe_tournament::{EntryNo, OutOfRange, Structure};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// `POST /v1/tournaments`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NewTournament {
    /// Its name, never used before by a tournament or a table.
    pub tournament: TableId,
    /// The name of a structure that the product ships, or a structure.
    pub structure: Value,
    /// Differences from the rule set that the structure names; the structure's digest covers the changed one.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub options: BTreeMap<String, Value>,
    /// The start.
    pub starts_at: u64,
    /// The start of registration; absent: at once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub registration_from: Option<u64>,
}

/// `POST /v1/tournaments/{tournament}/registration`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Registration {
    /// The hash of a fresh seed for the next draw of their seat.
    pub commitment: SeedCommitment,
    /// How the entry is paid.
    pub pay: Pay,
}

/// `POST /v1/tournaments/{tournament}/decline_rebuy`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoRebuy {
    /// The entry without chips.
    pub entry_no: EntryNo,
}

/// `POST /v1/tournaments/{tournament}/stakes`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StakeOffer {
    /// The part of the entry that is for sale, including the part already sold, in hundredths of a percent.
    pub basis_points: u64,
}

/// `POST /v1/tournaments/{tournament}/stakes/{seller}`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StakePurchase {
    /// The part of the seller's entry, in hundredths of a percent.
    pub basis_points: u64,
}

/// `POST /v1/tournaments/{tournament}/draws/{draw_no}/reveals`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SeatReveal {
    /// The entry.
    pub entry_no: EntryNo,
    /// The seed; refused unless it opens the entry's commitment.
    pub seed: ClientSeed,
    /// From the player alone: the commitment for the entry's next draw.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next: Option<SeedCommitment>,
}

/// `POST /v1/tournaments/{tournament}/deal/wish`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealWish {
    /// Whether the player wants a deal.
    pub want: bool,
}

/// `POST /v1/tournaments/{tournament}/deal/proposals`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealProposal {
    /// The method of the amounts.
    pub method: DealMethod,
    /// For the method `amounts` only: the amounts, ascending by entry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub amounts: Option<Vec<(EntryNo, u64)>>,
}

/// `POST /v1/tournaments/{tournament}/deal/answers`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DealAnswer {
    /// The digest of the proposal.
    pub digest: String,
    /// Whether the player accepts it.
    pub accept: bool,
}

/// `POST /v1/tournaments/{tournament}/bounties`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BountyOf {
    /// The player of the entries.
    pub player: PlayerId,
    /// Whether they have a bounty.
    pub has: bool,
}

/// `POST /v1/tournaments/{tournament}/disqualify`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Disqualification {
    /// The player.
    pub player: PlayerId,
    /// The reason; it goes on the log.
    pub reason: Reference,
}

/// `POST /v1/tournaments/{tournament}/substitutes`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Substitute {
    /// The place.
    pub place: u64,
    /// The substitute offered for the prize.
    pub what: Reference,
    /// Its value: at least the prize (R001.108).
    pub value: u64,
}

/// `POST /v1/tournaments/{tournament}/registration_times`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RegistrationTimes {
    /// The number of levels with late registration.
    pub late_levels: u16,
    /// Milliseconds before the start at which unregistering ends; absent: unregistering is off.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unregister_ms: Option<u64>,
    /// The reason; it goes on the log.
    pub reason: Reference,
}

/// `POST /v1/tournaments/{tournament}/postpone`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Postponement {
    /// The later start.
    pub starts_at: u64,
    /// The reason; it goes on the log.
    pub reason: Reference,
}

/// `POST /v1/tournaments/{tournament}/cancel`.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Cancellation {
    /// The reference instant; absent: now.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instant: Option<u64>,
    /// The reason; it goes on the log.
    pub reason: Reference,
}

/// A structure with its digest (openapi.yaml, `StructureView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct StructureView {
    /// Its digest, as the log has it.
    pub digest: String,
    /// Its name.
    pub name: String,
    /// The whole structure.
    pub structure: Structure,
}

/// A page of the lobby (openapi.yaml, `TournamentList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TournamentList {
    /// The cursor of the next page; null on the last page.
    pub next: Option<TableId>,
    /// The tournaments by name.
    pub tournaments: Vec<TournamentSummary>,
}

/// A tournament in the lobby (openapi.yaml, `TournamentSummary`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TournamentSummary {
    /// The part of an entry that goes onto its player's head.
    pub bounty: u64,
    /// The part of an entry that goes to the pool.
    pub buy_in: u64,
    /// The number of entries, including re-entries.
    pub entries: u64,
    /// The part of an entry that goes to the house.
    pub fee: u64,
    /// The least pool; 0: none.
    pub guarantee: u64,
    /// The level; 0 before the start.
    pub level: u16,
    /// Whether registration is open now.
    pub open: bool,
    /// The number of players who entered.
    pub players: u64,
    /// With so many players the field is full.
    pub players_max: u64,
    /// The prize pool now.
    pub pool: u64,
    /// The number of players who are not out.
    pub remaining: u64,
    /// The rule set of its hands.
    pub rules: String,
    /// The most players at a table.
    pub seats: u8,
    /// Its stage.
    pub stage: Stage,
    /// The start.
    pub starts_at: u64,
    /// Its structure's name.
    pub structure: String,
    /// Its name.
    pub tournament: TableId,
}

/// A tournament (openapi.yaml, `TournamentView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TournamentView {
    /// The average stack in play; 0 if no player is in play.
    pub average_stack: u64,
    /// The clock; null before the start.
    pub clock: Option<ClockView>,
    /// The talks about a deal; null if no player wants one.
    pub deal: Option<DealView>,
    /// The structure's digest.
    pub digest: String,
    /// The open draw.
    pub draw: Option<DrawView>,
    /// The epoch in which it was announced; its draws are bound to it.
    pub epoch: Epoch,
    /// The current round of hand-for-hand; null if there is none.
    pub hand_for_hand: Option<u64>,
    /// The caller's own standing; null without a player's token.
    pub own: Option<OwnStanding>,
    /// The log's name.
    pub origin: String,
    /// The payouts from the first place on, as of now.
    pub payouts: Vec<PayoutView>,
    /// The number of paid places, as of now.
    pub places: u64,
    /// The prize pool.
    pub prizes: PoolView,
    /// The conditions and times of registration.
    pub registration: RegistrationView,
    /// Its structure.
    pub structure: Structure,
    /// The lobby's summary of it.
    pub summary: TournamentSummary,
    /// The number of tables with players.
    pub tables: u64,
    /// The rule set of its tables at the first level.
    pub table_rules: RuleSet,
}

/// The clock of a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClockView {
    /// The level's blinds and antes.
    pub blinds: Option<Level>,
    /// Whether it is a break.
    pub in_break: bool,
    /// The level, from 1; in a break the level before it.
    pub level: u16,
    /// The start of the next break, or the end of this one, if the clock runs on; null if no more breaks come, and
    /// while the clock stands.
    pub next_break: Option<u64>,
    /// The time of the next level or break, if the clock runs on.
    pub next_change: Option<u64>,
    /// The playing time so far, in milliseconds.
    pub running_ms: u64,
    /// Why the clock stands; null while it runs.
    pub stands: Option<StandsView>,
}

/// A clock that stands.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct StandsView {
    /// The cause.
    pub cause: StandCause,
    /// The time when it stopped.
    pub since: u64,
    /// The time at which the tournament is cancelled if play has not continued; null in a deal.
    pub until: Option<u64>,
}

/// The talks about a deal.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DealView {
    /// The current proposal.
    pub proposal: Option<ProposalView>,
    /// The time since which the clock stands for the deal.
    pub since: Option<u64>,
    /// The entries that want a deal.
    pub wanted: Vec<EntryNo>,
}

/// A proposed deal that players answer.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProposalView {
    /// The entries that accepted.
    pub accepted: Vec<EntryNo>,
    /// The amounts, ascending by entry.
    pub amounts: Vec<(EntryNo, u64)>,
    /// The deadline for answers.
    pub answer_by: u64,
    /// The digest for answers.
    pub digest: String,
}

/// An open draw of seats.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct DrawView {
    /// The number of seeds awaited.
    pub awaited: u64,
    /// Its number.
    pub draw_no: u16,
    /// The number of entrants to be seated.
    pub entrants: u64,
    /// The kind of draw.
    pub kind: DrawKind,
    /// The link that the house's number must lead to.
    pub link: DrawLink,
    /// The deadline for seeds.
    pub reveal_by: u64,
    /// The table that breaks.
    pub table: Option<TableId>,
}

/// A range of places that are paid alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PayoutView {
    /// The cash for each place.
    pub cash: u64,
    /// The first place.
    pub first: u64,
    /// The last place.
    pub last: u64,
    /// Whether each prize is a seat in the satellite's target.
    pub seat: bool,
}

/// The prize pool and its sources.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct PoolView {
    /// The amount from entries, rebuys and add-ons.
    pub collected: u64,
    /// Whether it is final.
    pub is_final: bool,
    /// The amount that the house adds to reach the guarantee.
    pub overlay: u64,
    /// The amount for prizes.
    pub pool: u64,
}

/// The conditions and times of registration.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct RegistrationView {
    /// Why registration is closed; null if it is open or has not begun.
    pub closed: Option<Closed>,
    /// The start of registration.
    pub from: u64,
    /// The number of levels after the start with registration.
    pub late_levels: u16,
    /// The time until which an entry can be taken back; null if it cannot.
    pub unregister_until: Option<u64>,
}

/// A player's own standing in a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OwnStanding {
    /// The player's newest entry; null if there is none.
    pub entry: Option<EntryView>,
    /// The number to which the player's next commitment is bound.
    pub next_use: u16,
    /// The deadline for a rebuy; null if none is awaited.
    pub rebuy_until: Option<u64>,
    /// The use of the seed that the open draw awaits; null if it awaits none of the player's.
    pub reveals_use: Option<u16>,
    /// The player's T$.
    pub t_dollars: u64,
    /// Whether the player has a ticket for it.
    pub ticket: bool,
}

/// The state of an entry (openapi.yaml, `EntryView`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum EntryAt {
    /// It is registered and waits for a seat.
    Waiting,
    /// It is at a table.
    Seated,
    /// It is eliminated.
    Out,
    /// It is disqualified.
    Disqualified,
}

/// An entry in the standings (openapi.yaml, `EntryView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EntryView {
    /// Its state.
    pub at: EntryAt,
    /// The bounty for eliminating its player, before halving.
    pub bounty: u64,
    /// Bounties won and not paid yet.
    pub bounty_won: u64,
    /// Its chips; during a hand, the chips at the start.
    pub chips: u64,
    /// Its number.
    pub entry_no: EntryNo,
    /// The request that was made during a hand or a draw, and is done after it; null if there is none.
    pub noted: Option<Noted>,
    /// The part for sale or sold, in hundredths of a percent.
    pub offered: u64,
    /// The player.
    pub player: PlayerId,
    /// The place, or the first and last of shared places; null while it may change.
    pub rank: Option<(u64, u64)>,
    /// Whether its player had entered before.
    pub re_entry: bool,
    /// Rebuys so far.
    pub rebuys: u8,
    /// Prizes and bounties paid to it.
    pub received: u64,
    /// Its seat.
    pub seat: Option<u8>,
    /// The part sold, in hundredths of a percent.
    pub sold: u64,
    /// Its table.
    pub table: Option<TableId>,
}

/// A page of the standings (openapi.yaml, `Standings`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Standings {
    /// Players in play by chips, then eliminated players by place.
    pub entries: Vec<EntryView>,
    /// The cursor of the next page; null on the last page.
    pub next: Option<String>,
}

/// A page of a tournament's tables (openapi.yaml, `EventTableList`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventTableList {
    /// The cursor of the next page; null on the last page.
    pub next: Option<String>,
    /// The tables by number.
    pub tables: Vec<EventTableView>,
}

/// A table of a tournament.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventTableView {
    /// Its number in the tournament.
    pub number: u16,
    /// Whether its log has begun.
    pub open: bool,
    /// The players by seat.
    pub seats: Vec<EventSeatView>,
    /// Its name.
    pub table: Option<TableId>,
}

/// A seat at a tournament's table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct EventSeatView {
    /// Its chips; during a hand, the chips at the start.
    pub chips: u64,
    /// The entry.
    pub entry_no: EntryNo,
    /// The player.
    pub player: PlayerId,
    /// Its number, from 1.
    pub seat: u8,
}

/// The tournament part of a table's view.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct OfTournament {
    /// The level of its hands, from 1; 0 before the first.
    pub level: u16,
    /// The tournament's name.
    pub tournament: TableId,
}

impl TournamentSummary {
    /// The lobby's summary of a tournament at a time.
    ///
    /// # Errors
    /// If an amount is out of range.
    pub fn of(event: &Tournament, now: u64) -> Result<Self, OutOfRange> {
        let structure = event.structure();
        let is_early = now < event.registration_from;
        let takes = matches!(event.stage, Stage::Registering | Stage::Running) && event.closed(now)?.is_none();
        Ok(TournamentSummary {
            bounty: structure.entry.bounty,
            buy_in: structure.entry.buy_in,
            entries: event.sold.entries,
            fee: structure.entry.fee,
            guarantee: structure.guarantee,
            level: event.clock.level,
            open: takes && !is_early,
            players: event.players,
            players_max: structure.entry.players_max,
            pool: event.pool.map_or_else(|| event.pool_now().map(|pool| pool.pool), Ok)?,
            remaining: event.remaining,
            rules: structure.rules.name.clone(),
            seats: structure.seats,
            stage: event.stage,
            starts_at: event.starts_at,
            structure: structure.name.clone(),
            tournament: event.name().clone(),
        })
    }
}

impl TournamentView {
    /// A tournament at a time, as the caller may see it.
    ///
    /// # Errors
    /// If an amount is out of range.
    pub fn of(event: &Tournament, own: Option<OwnStanding>, now: u64) -> Result<Self, OutOfRange> {
        let structure = event.structure();
        let closed = match event.stage {
            Stage::Registering | Stage::Running => event.closed(now)?,
            Stage::Cancelled | Stage::Ended => event.registration_ended.or(Some(Closed::Schedule)),
        };
        let before_start = event.stage == Stage::Registering;
        let unregister_until =
            event.unregister_in_force().and_then(|ms| event.starts_at.checked_sub(ms)).filter(|_| before_start);
        let (in_play, chips) =
            event.left().fold((0u64, 0u64), |(count, sum), (_, entry)| (count + 1, sum.saturating_add(entry.chips)));
        Ok(TournamentView {
            average_stack: chips.checked_div(in_play).unwrap_or_default(),
            clock: ClockView::of(event, now),
            deal: DealView::of(event),
            digest: event.terms.digest.clone(),
            draw: DrawView::of(event),
            epoch: event.context.epoch,
            hand_for_hand: event.hand_for_hand.as_ref().map(|played| played.round),
            own,
            origin: event.context.origin.to_string(),
            payouts: payouts(&event.prizes()?.prizes),
            places: event.places()?,
            prizes: PoolView::of(event)?,
            registration: RegistrationView {
                closed,
                from: event.registration_from,
                late_levels: event.late_levels,
                unregister_until,
            },
            structure: structure.clone(),
            summary: TournamentSummary::of(event, now)?,
            tables: u64::try_from(event.field().tables.len()).unwrap_or(u64::MAX),
            table_rules: event.terms.table_rules.clone(),
        })
    }
}

impl ClockView {
    fn of(event: &Tournament, now: u64) -> Option<Self> {
        if event.stage == Stage::Registering {
            return None;
        }
        let clock = &event.clock;
        let position = event.position(now);
        let level = usize::from(clock.level).checked_sub(1)?;
        let until = |cause: StandCause, since: u64| {
            (cause == StandCause::Crash).then(|| since.saturating_add(event.structure().cancel_after_ms))
        };
        let next_break = position.and_then(|position| position.to_break).filter(|_| clock.stands.is_none());
        Some(ClockView {
            blinds: event.structure().levels.get(level).cloned(),
            in_break: clock.in_break,
            level: clock.level,
            next_break: next_break.map(|wait| now.saturating_add(wait)),
            next_change: clock.next_change.filter(|_| clock.stands.is_none()),
            running_ms: event.running(now).unwrap_or_default(),
            stands: clock.stands.map(|(since, cause)| StandsView { cause, since, until: until(cause, since) }),
        })
    }
}

impl DealView {
    fn of(event: &Tournament) -> Option<Self> {
        let deal = &event.deal;
        let proposal = |standing: &Proposal| ProposalView {
            accepted: standing.accepted.iter().copied().collect(),
            amounts: standing.amounts.clone(),
            answer_by: standing.answer_by,
            digest: standing.digest.clone(),
        };
        (!deal.wanted.is_empty()).then(|| DealView {
            proposal: deal.proposal.as_ref().map(proposal),
            since: deal.since,
            wanted: deal.wanted.iter().copied().collect(),
        })
    }
}

impl DrawView {
    fn of(event: &Tournament) -> Option<Self> {
        let open = event.draws.open.as_ref()?;
        Some(DrawView {
            awaited: u64::try_from(open.awaited.len()).unwrap_or(u64::MAX),
            draw_no: event.draws.next,
            entrants: u64::try_from(open.entrants.len()).unwrap_or(u64::MAX),
            kind: open.kind,
            link: event.draws.link.clone(),
            reveal_by: open.reveal_by,
            table: open.table.and_then(|number| event.table_name(number)),
        })
    }
}

impl PoolView {
    fn of(event: &Tournament) -> Result<Self, OutOfRange> {
        let collected = event.collected()?;
        let now = event.pool_now()?;
        // The accounts may no longer hold a paid deal or paid places, but the prize pool still counts them.
        let pool = event.pool.unwrap_or(now.pool);
        let overlay = event.pool.map_or(now.overlay, |pool| pool.saturating_sub(collected));
        Ok(PoolView { collected, is_final: event.pool.is_some(), overlay, pool })
    }
}

impl OwnStanding {
    /// A player's standing in a tournament, with T$ and ticket from the house's ledger.
    pub fn of(event: &Tournament, player: &PlayerId, t_dollars: u64, ticket: bool) -> Self {
        let entrant = event.entrants.get(player);
        let newest = entrant.and_then(|entrant| entrant.entries.last().copied());
        let entry = newest.and_then(|entry_no| Some((entry_no, event.entries.get(&entry_no)?)));
        let awaited = |entry_no| event.draws.open.as_ref().is_some_and(|open| open.awaited.contains(&entry_no));
        let reveals_use = entry
            .filter(|(entry_no, _)| awaited(*entry_no))
            .and_then(|(_, entry)| entry.commitment.as_ref().map(|(_, seat_use, _)| *seat_use));
        OwnStanding {
            entry: entry.map(|(entry_no, entry)| EntryView::of(event, entry_no, entry)),
            next_use: entrant.map_or(0, |entrant| entrant.uses),
            rebuy_until: entry.and_then(|(_, entry)| entry.rebuy_until),
            reveals_use,
            t_dollars,
            ticket,
        }
    }
}

impl EntryView {
    /// An entry as everyone may see it.
    pub fn of(event: &Tournament, entry_no: EntryNo, entry: &EventEntry) -> Self {
        let (at, place) = match entry.at {
            Whereabouts::Waiting => (EntryAt::Waiting, None),
            Whereabouts::Seated(table, seat) => (EntryAt::Seated, Some((table, seat))),
            Whereabouts::Out => (EntryAt::Out, None),
            Whereabouts::Disqualified => (EntryAt::Disqualified, None),
        };
        EntryView {
            at,
            bounty: entry.bounty.head,
            bounty_won: entry.bounty.won,
            chips: entry.chips,
            entry_no,
            noted: event.noted.get(&entry_no).map(Note::what),
            offered: entry.offered,
            player: entry.player.clone(),
            rank: entry.rank,
            re_entry: entry.re_entry,
            rebuys: entry.rebuys,
            received: entry.received,
            seat: place.map(|(_, seat)| seat),
            sold: entry.stakes.iter().map(|sold| sold.stake.basis_points).sum(),
            table: place.and_then(|(table, _)| event.table_name(table)),
        }
    }
}

impl Standings {
    /// A page of entries, from a place of the order on.
    pub fn of(event: &Tournament, from: usize, limit: usize) -> Self {
        let mut order: Vec<(EntryNo, &EventEntry)> =
            event.entries.iter().map(|(entry_no, entry)| (*entry_no, entry)).collect();
        // A player who went out later finished higher; this also holds before places are certain.
        order.sort_by_key(|(entry_no, entry)| {
            let fell = entry.out.as_ref().map(|out| (out.hand, out.stack));
            (!entry.is_in_play(), entry.rank, Reverse(entry.chips), Reverse(fell), *entry_no)
        });
        let more = order.len() > from.saturating_add(limit);
        let rows = order.into_iter().skip(from).take(limit);
        Standings {
            entries: rows.map(|(entry_no, entry)| EntryView::of(event, entry_no, entry)).collect(),
            next: more.then(|| from.saturating_add(limit).to_string()),
        }
    }
}

impl EventTableList {
    /// A page of tables after this number.
    pub fn of(event: &Tournament, after: Option<u16>, limit: usize) -> Self {
        let from = after.map_or(0, |after| after.saturating_add(1));
        let mut tables = event.field().tables.range(from..);
        let seat = |(seat, entry_no): (&u8, &EntryNo)| {
            let entry = event.entries.get(entry_no)?;
            Some(EventSeatView { chips: entry.chips, entry_no: *entry_no, player: entry.player.clone(), seat: *seat })
        };
        let page: Vec<EventTableView> = tables
            .by_ref()
            .take(limit)
            .map(|(number, table)| EventTableView {
                number: *number,
                open: event.tables.open.contains(number),
                seats: table.players.iter().filter_map(seat).collect(),
                table: event.table_name(*number),
            })
            .collect();
        let next = page.last().filter(|_| tables.next().is_some()).map(|last| last.number.to_string());
        EventTableList { next, tables: page }
    }
}

/// The payouts, with equal prizes grouped.
fn payouts(prizes: &[Prize]) -> Vec<PayoutView> {
    let mut ranges: Vec<PayoutView> = Vec::new();
    for (prize, place) in prizes.iter().zip(1u64..) {
        match ranges.last_mut().filter(|range| (range.cash, range.seat) == (prize.cash, prize.seat)) {
            Some(range) => range.last = place,
            None => ranges.push(PayoutView { cash: prize.cash, first: place, last: place, seat: prize.seat }),
        }
    }
    ranges
}
