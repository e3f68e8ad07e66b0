//! The parts of every table: rules, seats, shoe, round, and how each event changes them. `betting/` and `cash/` have
//! the parts of one kind of table alone.

mod late;
mod shoe_use;

use crate::betting::{BettingTable, Window};
use crate::cash::{Call, CashSeat, CashTable};
use crate::dues::Dues;
use crate::pile::{PileContributor, PileShuffle, PileStage};
use crate::round::{OpenRound, Phase};
use crate::shoe_use::Shoe;
use crate::{Event, Misfit, RetireCause, ShoeUse, TableKind, VoidCause, VoidedRound, snapshot_serde, waits_ms};
use fairshoe_fairness::{Epoch, Lanes, PlayerId, PublicShuffle, TableId, pocket, spin};
use fairshoe_games::{Chips, Mode, RoundEvent, RuleSet};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A seated player who let so many betting windows pass loses the seat.
pub(crate) const MISSES_ALLOWED: u8 = 3;

/// So many of a table's last rounds are looked at for withheld reveals.
const WATCHED_ROUNDS: u32 = 100;

/// A seat that is taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Seat {
    /// The player.
    pub player: PlayerId,
    /// How many betting windows in a row passed without their bet.
    pub misses: u8,
}

/// The parts of a table's kind.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum KindState {
    Betting(BettingTable),
    Cash(CashTable),
}

impl KindState {
    pub fn betting_mut(&mut self) -> Option<&mut BettingTable> {
        if let KindState::Betting(betting) = self { Some(betting) } else { None }
    }

    pub fn cash_mut(&mut self) -> Option<&mut CashTable> {
        if let KindState::Cash(cash) = self { Some(cash) } else { None }
    }
}

/// A table as it was when it rested last, and what it had since.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rest {
    #[serde(with = "crate::snapshot_serde::shared")]
    pub table: Arc<Table>,
    pub epoch: Option<Epoch>,
    /// The log's indices of its entries, and of the dealer's starts.
    pub since: Vec<u64>,
}

/// A table: its rules, its seats, its shoe, its round.
#[derive(Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Its name.
    pub id: TableId,
    /// The rule set that it is played by; tables of the same rules share it.
    #[serde(with = "snapshot_serde::elsewhere")]
    pub rules: Arc<RuleSet>,
    /// The tournament whose table it is.
    #[serde(default)]
    pub event: Option<TableId>,
    /// The only player who may bet; `None`: everyone.
    pub owner: Option<PlayerId>,
    /// Milliseconds without a round after which it is closed; `None`: never.
    pub idle_ms: Option<u64>,
    /// The number its next entry takes.
    pub next_seq: u64,
    /// The number its next shoe takes.
    pub next_shoe: u64,
    /// The number its next round takes.
    pub next_round: u64,
    /// The shoe in use.
    #[serde(with = "snapshot_serde::shared_or_none")]
    pub shoe: Option<Arc<Shoe>>,
    /// The round in play, or the last one.
    pub round: Option<OpenRound>,
    /// The seats that are taken, by number from 1; none at a solo table.
    pub seats: BTreeMap<u8, Seat>,
    /// When each seated player last used the seat, UTC milliseconds.
    pub(crate) used: BTreeMap<PlayerId, u64>,
    /// Players who wait for a seat, and since when, UTC milliseconds; wishes that are over may still stand here.
    pub(crate) waiting: BTreeMap<PlayerId, u64>,
    /// Whether a withheld reveal voided each of the last rounds, the newest in the lowest bit.
    pub withheld: u128,
    /// The parts that only its kind of table has.
    pub(crate) kind: KindState,
    /// A restart has not been dealt with yet.
    pub needs_recovery: bool,
    /// Since when the house has been away for it, UTC milliseconds: what passes until its recovery is added to the
    /// settlement deadline (C21).
    pub down_since: Option<u64>,
    /// No more rounds.
    pub closed: bool,
    /// When it was last used, UTC milliseconds.
    pub last_used: u64,
    /// The time until which no next round is called after the last one's end, UTC milliseconds.
    pub(crate) pause_until: u64,
    /// The use of the present shoe so far.
    pub shoe_use: Option<ShoeUse>,
    /// The last rounds that were void for want of seeds, oldest first.
    pub voided: Vec<VoidedRound>,
    /// The house's duties here, and since when.
    pub(crate) dues: Dues,
    /// While it does not rest, how it was when it rested last (spec/state.md); never in a bundle.
    pub(crate) rest: Option<Box<Rest>>,
    /// In a bundle, the number of the first round that it may hold: of rounds before it the log is believed.
    pub(crate) stated_rounds: u64,
    /// In a bundle, the late seeds of those rounds that it holds.
    pub(crate) stated_late: BTreeSet<(u64, PlayerId)>,
}

impl Table {
    /// A new table without a shoe.
    pub(crate) fn new(id: TableId, rules: Arc<RuleSet>, owner: Option<PlayerId>, idle_ms: Option<u64>) -> Self {
        let kind = match rules.cash() {
            Some(_) => KindState::Cash(CashTable::default()),
            None => KindState::Betting(BettingTable::default()),
        };
        Table {
            id,
            kind,
            rules,
            event: None,
            owner,
            idle_ms,
            next_seq: 0,
            next_shoe: 0,
            next_round: 0,
            shoe: None,
            round: None,
            seats: BTreeMap::new(),
            used: BTreeMap::new(),
            waiting: BTreeMap::new(),
            withheld: 0,
            needs_recovery: false,
            down_since: None,
            closed: false,
            last_used: 0,
            pause_until: 0,
            shoe_use: None,
            voided: Vec::new(),
            dues: Dues::default(),
            rest: None,
            stated_rounds: 0,
            stated_late: BTreeSet::new(),
        }
    }

    /// How long seeds and commitments are awaited here.
    pub(crate) fn reveal_time_ms(&self) -> u64 {
        waits_ms(&self.id, self.rules.table.reveal_time_ms)
    }

    /// How long a solo table's round may take.
    pub(crate) fn round_time_ms(&self) -> u64 {
        waits_ms(&self.id, self.rules.table.round_time_ms)
    }

    /// The round that is neither settled nor void.
    pub fn live_round(&self) -> Option<&OpenRound> {
        self.round.as_ref().filter(|round| round.is_live())
    }

    /// Which of the two kinds of table it is.
    pub fn kind(&self) -> TableKind {
        match self.kind {
            KindState::Betting(_) => TableKind::Betting,
            KindState::Cash(_) => TableKind::Cash,
        }
    }

    /// The parts of a betting table; `None` at a cash table.
    pub fn betting(&self) -> Option<&BettingTable> {
        if let KindState::Betting(betting) = &self.kind { Some(betting) } else { None }
    }

    /// The parts of a cash table; `None` at a betting table.
    pub fn cash(&self) -> Option<&CashTable> {
        if let KindState::Cash(cash) = &self.kind { Some(cash) } else { None }
    }

    /// The betting window, while it is open.
    pub fn window(&self) -> Option<&Window> {
        self.betting()?.window.as_ref()
    }

    /// Whether several players play here.
    pub fn is_shared(&self) -> bool {
        self.rules.table.mode == Mode::Shared
    }

    /// Whether a player may bet on the shoe in use: within a shoe bettors may only leave (C11). A wheel's slots are
    /// independent, so that there everyone may.
    pub fn may_bet_on_shoe(&self, player: &PlayerId) -> bool {
        let bettors = self.betting().and_then(|betting| betting.bettors.as_ref());
        self.rules.composition().is_wheel() || bettors.is_none_or(|bettors| bettors.contains(player))
    }

    /// Whether the operator asked for a shuffle after the hand in progress.
    pub fn is_shuffle_asked(&self) -> bool {
        self.betting().is_some_and(|betting| betting.shuffle_asked)
    }

    /// Whether a player for whom the shoe must be changed asked to play.
    pub fn newcomer_asks(&self) -> bool {
        self.betting().is_some_and(|betting| betting.asked.iter().any(|player| !self.may_bet_on_shoe(player)))
    }

    /// The seated players who bet in the last round.
    pub fn regulars(&self) -> impl Iterator<Item = &PlayerId> {
        self.betting().into_iter().flat_map(|betting| &betting.last_bettors).filter(|player| self.sits(player))
    }

    /// Whether bets are to be opened: somebody asked to play, or a bettor of the last round still sits.
    pub fn wants_bets(&self) -> bool {
        match &self.kind {
            KindState::Cash(cash) if self.event.is_some() => {
                cash.seats.values().filter(|seat| seat.stack > Chips::ZERO).nth(1).is_some()
            }
            KindState::Cash(_) => self.ready().nth(1).is_some(),
            KindState::Betting(betting) => {
                !betting.asked.is_empty() || betting.goes_on && self.regulars().next().is_some()
            }
        }
    }

    /// The players of a cash table who may be dealt in, by seat number.
    pub fn ready(&self) -> impl Iterator<Item = &PlayerId> {
        let ready = self.cash().into_iter().flat_map(|cash| &cash.seats).filter(|(_, seat)| seat.is_ready());
        ready.filter_map(|(number, _)| self.seats.get(number)).map(|seat| &seat.player)
    }

    /// The call for the next hand of a cash table, while it is open.
    pub fn call(&self) -> Option<&Call> {
        self.cash()?.call.as_ref()
    }

    /// Whether a call is over before its time: everybody who is awaited has committed, and that is enough for a hand.
    pub(crate) fn call_may_end_early(&self, call: &Call) -> bool {
        let enough = self.event.is_some() || call.seeds.len() >= self.rules.least_players();
        self.rules.table.close_early && call.is_complete() && enough
    }

    /// A player's seat at a cash table.
    pub fn cash_seat(&self, player: &PlayerId) -> Option<(u8, &CashSeat)> {
        let number = self.seat_of(player)?;
        Some((number, self.cash()?.seats.get(&number)?))
    }

    /// Whether something is to be done at a cash table's seats before the next hand.
    pub(crate) fn is_untidy(&self) -> bool {
        let (Some(cash), Some(rules)) = (self.cash(), self.rules.cash()) else { return false };
        cash.seats.values().any(|seat| seat.is_untidy(rules))
    }

    /// Whether nothing is in play and no bets are open.
    pub fn is_between_rounds(&self) -> bool {
        self.live_round().is_none() && self.window().is_none() && self.call().is_none()
    }

    /// In how many of the last hundred rounds a seed was withheld.
    pub fn withheld_lately(&self) -> u32 {
        (self.withheld & ((1 << WATCHED_ROUNDS) - 1)).count_ones()
    }

    /// When something is to happen here by itself, UTC milliseconds.
    pub fn next_deadline(&self) -> Option<u64> {
        if let Some(round) = self.live_round() {
            return round.next_deadline();
        }
        match self.window() {
            Some(window) => window.closes_at,
            None if self.closed => None,
            None if self.call().is_some() => self.call().map(|call| call.closes_at),
            None => {
                let seats = self.seats_deadline().into_iter().chain(self.pause_deadline());
                self.shoe_idle_at().into_iter().chain(self.closes_idle_at()).chain(seats).min()
            }
        }
    }

    /// The time until which the table pauses, as of its last entry; `None` where it does not.
    pub(crate) fn pauses_until(&self) -> Option<u64> {
        Some(self.pause_until).filter(|until| *until > self.last_used)
    }

    /// When the pause ends that keeps the next round from being called, UTC milliseconds.
    pub(crate) fn pause_deadline(&self) -> Option<u64> {
        self.pauses_until().filter(|_| self.next_round_due().is_some())
    }

    /// When a player's own table is closed if nothing happens there, UTC milliseconds.
    pub(crate) fn closes_idle_at(&self) -> Option<u64> {
        self.idle_ms.map(|idle| self.last_used.saturating_add(idle))
    }

    fn live(&mut self, round_no: Option<u64>) -> Result<&mut OpenRound, Misfit> {
        let round = self.round.as_mut().filter(|round| round.is_live()).ok_or("no round is in progress")?;
        match round_no {
            Some(given) if given != round.round_no => Err(Misfit::OtherRound(given, round.round_no)),
            _ => Ok(round),
        }
    }

    /// Folds one of the table's events in. Money is the ledger's.
    ///
    /// # Errors
    /// Why the event does not fit the table, which is then no longer to be used.
    pub fn apply(&mut self, event: &Event) -> Result<(), Misfit> {
        match event {
            Event::ShoeCommitted { shoe_no, composition, candidates } => {
                let _ = (shoe_no, composition, candidates);
                return Err("a shoe is put in use with its context".into());
            }
            Event::SeatTaken { player, seat } => {
                if self.seat_of(player).is_some()
                    || self.seats.contains_key(seat)
                    || !(1..=self.rules.table.seats).contains(seat)
                {
                    return Err(Misfit::SeatRefused(player.clone(), *seat));
                }
                self.seats.insert(*seat, Seat { player: player.clone(), misses: 0 });
                if let (KindState::Cash(cash), Some(rules)) = (&mut self.kind, self.rules.cash()) {
                    cash.sit(*seat, rules);
                }
            }
            Event::SeatLeft { player, seat } => {
                let left = self
                    .seats
                    .remove(seat)
                    .filter(|left| left.player == *player && (1..=self.rules.table.seats).contains(seat));
                left.ok_or_else(|| Misfit::NotAt(player.clone(), *seat))?;
                match &mut self.kind {
                    KindState::Betting(betting) => betting.leave(player),
                    KindState::Cash(cash) => cash.leave(*seat, player),
                }
            }
            Event::PlayAsked { .. }
            | Event::BetsOpened { .. }
            | Event::BetPlaced { .. }
            | Event::BetCancelled { .. }
            | Event::BetsLapsed { .. }
            | Event::BetsClosed { .. }
            | Event::LastHand { .. }
            | Event::ShuffleAsked {} => self.apply_betting(event)?,
            Event::SeedRevealed { player, seed } => {
                let round = self.live(None)?;
                match &mut round.pile {
                    Some(pile) => pile.of_mut(player)?.seed = Some(seed.clone()),
                    None => round.contributor(player)?.seed = Some(seed.clone()),
                }
            }
            Event::PileOpened { .. }
            | Event::SeedCommitted { .. }
            | Event::PileClosed { .. }
            | Event::PileShuffled { .. }
            | Event::PileFailed { .. } => self.apply_pile(event)?,
            Event::RoundOpened { entropy, pick, settle_by, .. } => {
                let undrawn = self.shoe.as_ref().map(|shoe| shoe.undrawn.clone()).ok_or("there is no shoe")?;
                let candidates = self.rules.candidates();
                let is_wheel = self.rules.composition().is_wheel();
                let round = self.live(None)?;
                if !matches!(round.phase, Phase::AwaitingReveals { .. })
                    || round.contributors.iter().any(|c| c.seed.is_none())
                {
                    return Err("the round cannot open now".into());
                }
                // A wheel is not shuffled: its next slot is the spin's (spec/fairness.md, "Wheel").
                let shuffle = PublicShuffle::new(entropy, candidates, if is_wheel { &[] } else { &undrawn });
                round.lanes = Some(Lanes::new(shuffle.order, round.game.lanes()));
                round.entropy = Some(*entropy);
                round.pick = *pick;
                round.phase = Phase::Open { settle_by: *settle_by };
            }
            Event::Play(play) => self.apply_play(play)?,
            Event::RoundSettled { round_no, staked, returned, players } => {
                let round = self.live(Some(*round_no))?;
                if !round.game.is_settled()
                    || round.staked() != *staked
                    || round.returned() != *returned
                    || round.results() != *players
                {
                    return Err(Misfit::Settled(*round_no, *staked, *returned));
                }
                round.phase = Phase::Settled;
                self.round_is_over(false);
            }
            Event::RoundVoided { round_no, cause, ahead, retained_winnings, players, .. } => {
                let round = self.live(Some(*round_no))?;
                if round.results_of_void(*cause, retained_winnings).as_ref() != Some(players) {
                    return Err(Misfit::Voided(*round_no));
                }
                round.phase = Phase::Voided { cause: *cause, ahead: *ahead };
                round.take_results(players);
                self.round_is_over(*cause == VoidCause::RevealMissing);
                if let KindState::Cash(cash) = &mut self.kind {
                    cash.undo_hand();
                }
            }
            Event::RoundResumed { round_no, reveal_by, settle_by, turn_by } => {
                let round = self.live(Some(*round_no))?;
                round.resumed_in = Some(round.wait());
                match (round.phase, &mut round.pile, reveal_by, settle_by, turn_by) {
                    (Phase::AwaitingReveals { .. }, _, Some(by), None, None) => {
                        round.phase = Phase::AwaitingReveals { reveal_by: *by }
                    }
                    (Phase::Open { .. }, Some(pile), Some(by), None, None) => pile.stage = pile.stage.moved_to(*by),
                    (Phase::Open { settle_by: Some(_) }, None, None, Some(by), None) => {
                        round.phase = Phase::Open { settle_by: Some(*by) }
                    }
                    (Phase::Open { settle_by: None }, None, None, None, Some(by)) => round.turn_floor = *by,
                    _ => return Err("the deadline given is not the one the round has".into()),
                }
            }
            Event::SeedLate { round_no, player, .. } => self.apply_seed_late(*round_no, player)?,
            // Its statement was compared with the table before it was applied.
            Event::TableNoted(_) => {}
            // A disclosure of a sealed shoe changes nothing at the table.
            Event::ShoeDisclosed { table, auditor: None, .. } if *table == self.id && self.rules.is_private() => {}
            Event::ShoeRevealed { shoe_no, cause, .. } => self.take_out(*shoe_no, *cause)?,
            Event::ShoeSealed { shoe_no, .. } => {
                if !self.rules.is_private()
                    || !self.round.as_ref().is_some_and(|round| round.shoe_no == *shoe_no && round.was_dealt())
                {
                    return Err(Misfit::ToBeRevealed(*shoe_no));
                }
                self.take_out(*shoe_no, None)?;
            }
            // A player who waits is noted with the time.
            Event::SeatWanted { .. } => {}
            Event::TableClosed {} => self.closed = true,
            // Money is the ledger's, the cooldown ladder the house's.
            Event::Posted { .. } | Event::Cooldown { .. } | Event::LeftEarly { .. } => {}
            event => self.apply_cash(event)?,
        }
        Ok(())
    }

    fn apply_pile(&mut self, event: &Event) -> Result<(), Misfit> {
        let next_round = self.next_round;
        let shoe = self.shoe.clone();
        let candidates = self.rules.candidates();
        let round = self.live(None)?;
        let shoe_is = |number: u64| shoe.as_ref().is_some_and(|shoe| shoe.id.shoe_no == number);
        let in_shuffle =
            |round: &OpenRound, number: u64| round.pile.as_ref().is_some_and(|pile| pile.round_no == number);
        match event {
            Event::PileOpened { round_no, shoe_no, players, commit_by } => {
                let asked = round.game.needs_pile().is_some_and(|pile| pile.players == *players);
                if *round_no != next_round || !shoe_is(*shoe_no) || !asked || round.pile.is_some() {
                    return Err(Misfit::ShuffleNotNext(*round_no, *shoe_no));
                }
                let contributor =
                    |player: &PlayerId| PileContributor { player: player.clone(), commitment: None, seed: None };
                let contributors = players.iter().map(contributor).collect();
                let stage = PileStage::Commitments(*commit_by);
                round.absent.clear();
                round.pile = Some(PileShuffle { round_no: *round_no, shoe_no: *shoe_no, stage, contributors });
                self.next_round = round_no.checked_add(1).ok_or("too many rounds")?;
            }
            Event::SeedCommitted { player, commitment } => {
                let pile = round.pile.as_mut().ok_or("no pile is being shuffled")?;
                pile.of_mut(player)?.commitment = Some(*commitment);
            }
            Event::PileClosed { round_no, contributors, reveal_by, .. } => {
                let pile = round.pile.as_mut().filter(|pile| pile.round_no == *round_no && pile.missing().is_empty());
                let pile = pile.ok_or(Misfit::ShuffleNotClosing(*round_no))?;
                let same = pile.contributors.len() == contributors.len()
                    && pile
                        .contributors
                        .iter()
                        .zip(contributors)
                        .all(|(a, b)| a.player == b.player && a.commitment == Some(b.commitment));
                if !same {
                    return Err(Misfit::ShuffleCommitments(*round_no));
                }
                pile.stage = PileStage::Seeds(*reveal_by);
            }
            Event::PileShuffled { round_no, entropy, pick } => {
                let seeds_out = round
                    .pile
                    .as_ref()
                    .is_some_and(|pile| matches!(pile.stage, PileStage::Seeds(_)) && pile.missing().is_empty());
                if !in_shuffle(round, *round_no) || !seeds_out {
                    return Err(Misfit::ShuffleNotDone(*round_no));
                }
                let undrawn = shoe.map(|shoe| shoe.undrawn.clone()).ok_or("there is no pile")?;
                round.lanes =
                    Some(Lanes::new(PublicShuffle::new(entropy, candidates, &undrawn).order, round.game.lanes()));
                round.pick = *pick;
                round.shoes.extend(round.pile.take().map(|pile| pile.shoe_no));
            }
            Event::PileFailed { round_no, missing } => {
                if !in_shuffle(round, *round_no) {
                    return Err(Misfit::NoShuffle(*round_no));
                }
                round.pile = None;
                round.absent.clone_from(missing);
            }
            _ => return Err("this event is not a pile's".into()),
        }
        Ok(())
    }

    /// Takes a shoe out whose seeds are published: never while one of its drawn slots is hidden in play.
    fn take_out(&mut self, shoe_no: u64, cause: Option<RetireCause>) -> Result<(), Misfit> {
        let unused_pile = |round: &OpenRound| round.pile.is_none() && round.game.needs_pile().is_some();
        if let Some(round) = self.live_round()
            && !(cause == Some(RetireCause::PileUnused) && unused_pile(round))
        {
            return Err(Misfit::CardsHidden(round.round_no));
        }
        self.note_retired(cause);
        if let Some(round) = &mut self.round
            && let Some(at) = round.piles.iter().position(|pile| pile.id.shoe_no == shoe_no)
        {
            round.piles.remove(at);
            return Ok(());
        }
        let in_use = self.shoe.take().filter(|shoe| shoe.id.shoe_no == shoe_no);
        in_use.map(drop).ok_or(Misfit::ShoeNotInUse(shoe_no))
    }

    /// Puts a shoe in use. Its context is the log's and the epoch's, which the event need not repeat.
    pub(crate) fn put_in_use(&mut self, shoe: Shoe) -> Result<(), Misfit> {
        let shoe_no = shoe.id.shoe_no;
        let pile = self.live_round().and_then(|round| round.game.needs_pile());
        let between_games = self.shoe.is_none() && self.live_round().is_none();
        if shoe_no != self.next_shoe || (!between_games && pile.is_none()) || self.window().is_some() {
            return Err(Misfit::ShoeNotNext(shoe_no));
        }
        let composition = pile.map_or_else(|| self.rules.composition(), |pile| pile.composition);
        if shoe.id.composition != composition || shoe.candidates.len() != usize::from(self.rules.candidates()) {
            return Err(Misfit::ShoeOfOtherRules(shoe_no));
        }
        self.next_shoe = shoe_no.checked_add(1).ok_or("too many shoes")?;
        let before = self.shoe.replace(Arc::new(shoe));
        match self.round.as_mut().filter(|round| round.is_live()) {
            Some(round) => round.piles.extend(before),
            None => self.begin_shoe(),
        }
        Ok(())
    }

    pub(crate) fn charge_opening_stakes(&mut self) -> Result<(), Misfit> {
        let round = self.live(None)?;
        for contributor in &mut round.contributors {
            contributor.staked =
                Chips::sum(contributor.placed.bets.iter().map(|bet| bet.stake)).ok_or("the stakes are out of range")?;
        }
        Ok(())
    }

    fn apply_play(&mut self, play: &RoundEvent) -> Result<(), Misfit> {
        let next_spin = self.shoe.as_ref().and_then(|shoe| shoe.undrawn.first().copied());
        let pockets = self.shoe.as_ref().map_or(0, |shoe| shoe.id.composition.value_limit());
        let candidates = self.rules.candidates();
        let is_of_tournament = self.event.is_some();
        let round = self.live(None)?;
        round.game.apply(play)?;
        let out_of_range = "an amount is out of range";
        match play {
            RoundEvent::Dealt { lane, slot, .. } => {
                let drawn = round.lanes.as_mut().and_then(|lanes| lanes.draw(*lane));
                if drawn != Some(*slot) {
                    return Err(Misfit::OtherSlot(*lane, *slot));
                }
            }
            RoundEvent::Acted { .. } if round.game.table_stakes().is_some() => {}
            RoundEvent::Acted { player, cost, .. } => {
                let contributor = round.contributor(player)?;
                contributor.staked = contributor.staked.plus(*cost).ok_or(out_of_range)?;
            }
            RoundEvent::Paid { lines } => {
                for line in lines {
                    let contributor = round.contributor(&line.player)?;
                    contributor.returned = contributor.returned.plus(line.returned).ok_or(out_of_range)?;
                }
            }
            RoundEvent::Spun { slot, value, pocket: stated } => {
                let offset = round
                    .entropy
                    .as_ref()
                    .map(|entropy| spin(entropy, candidates, pockets))
                    .ok_or("the round has no entropy")?;
                if next_spin != Some(*slot) || pocket(*value, offset, pockets) != *stated {
                    return Err(Misfit::OtherSpin(*slot, offset));
                }
            }
            _ => {
                for result in play.hand_result().iter().flat_map(|hand| hand.seats) {
                    let contributor = match round.contributor(&result.player) {
                        // Players are dealt in there who committed no seed.
                        Err(_) if is_of_tournament => continue,
                        contributor => contributor?,
                    };
                    (contributor.staked, contributor.returned) = (result.put_in, result.got);
                }
            }
        }
        if candidates > 1
            && let RoundEvent::Dealt { slot, card: Some(_), .. } | RoundEvent::Turned { slot, .. } = play
        {
            round.shown.push(*slot);
        }
        round.exposed |= matches!(
            play,
            RoundEvent::Dealt { card: Some(_), .. } | RoundEvent::Turned { .. } | RoundEvent::Spun { .. }
        );
        if let RoundEvent::Offered { player, .. } | RoundEvent::Acted { player, .. } = play
            && let Some(number) = self.seat_of(player).filter(|_| is_of_tournament)
            && let KindState::Cash(cash) = &mut self.kind
        {
            cash.note_cut_off(number, play);
        }
        if let (Some(hand), KindState::Cash(cash)) = (play.hand_result(), &mut self.kind) {
            cash.end_hand(hand.seats);
        }
        Ok(())
    }

    fn round_is_over(&mut self, withheld: bool) {
        self.withheld = self.withheld << 1 | u128::from(withheld);
        self.discard_drawn();
        if let KindState::Betting(betting) = &mut self.kind {
            betting.goes_on = true;
        }
    }

    /// Slots that the round drew never come back, void or not (C10, C22). A wheel's slot is the round's, spun or not.
    fn discard_drawn(&mut self) {
        let is_wheel = self.rules.composition().is_wheel();
        // While a game's next pile is being shuffled, the shoe in use is that pile, of which nothing was drawn.
        let shuffling = self.round.as_ref().is_some_and(|round| round.pile.is_some());
        let Some(shoe) = self.shoe.as_mut().filter(|_| !shuffling) else { return };
        if is_wheel {
            let shoe = Arc::make_mut(shoe);
            shoe.undrawn.drain(..shoe.undrawn.len().min(1));
        } else if let Some(left) =
            self.round.as_ref().and_then(|round| round.lanes.as_ref()).map(Lanes::undrawn_ascending)
        {
            Arc::make_mut(shoe).undrawn = left;
        }
    }
}
