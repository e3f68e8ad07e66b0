//! A betting table's commands: windows, and the bets in them.

use crate::decide::{DecideError, PendingEntry, require};
use crate::{Account, Actor, Event, LapseCause, Ledger, MAX_CHIPS_LISTED, Offence, Phase, PlacedBet, Refusal};
use fairshoe_fairness::{PlayerId, SeedCommitment};
use fairshoe_games::{Bet, BetRefusal, Chips};

/// The most bytes of listed chips of one player at a solo table: three times that and three times 200 bets fit an
/// entry.
const MAX_LISTED_SOLO: usize = 6_000;

/// The same of all players of a shared table together.
const MAX_LISTED_SHARED: usize = 20_000;

/// A chip's length in a list: its digits and a comma.
fn text_length(units: u64) -> usize {
    units.checked_ilog10().unwrap_or_default() as usize + 2
}

/// Bets: at a solo table they bind as they are placed, at a shared one when the window closes (C14, R001.115).
impl PendingEntry<'_> {
    /// A player's bets for a round.
    pub fn bet(
        &mut self,
        player: PlayerId,
        round_no: u64,
        bets: &[Bet],
        commitment: &SeedCommitment,
    ) -> Result<(), DecideError> {
        if self.table.owner.as_ref().is_some_and(|owner| *owner != player) {
            return Err(Refusal::NotAllowed("this table is another player's own").into());
        }
        self.require_short_lists(bets)?;
        let placed = PlacedBet { player, bets: bets.to_vec(), commitment: *commitment };
        if self.table.is_shared() { self.bet_in_window(round_no, placed) } else { self.bet_alone(round_no, placed) }
    }

    /// The chips listed stand in an entry up to three times over, at a shared table once more with everybody else's,
    /// and an entry is bounded (spec/log.md).
    fn require_short_lists(&self, bets: &[Bet]) -> Result<(), Refusal> {
        let lists = || bets.iter().filter_map(|bet| bet.chips.as_ref());
        if lists().any(|chips| chips.len() > MAX_CHIPS_LISTED) {
            return Err(Refusal::Malformed("a bet lists at most 1000 chips"));
        }
        let most = if self.table.is_shared() { MAX_LISTED_SHARED } else { MAX_LISTED_SOLO }
            / usize::from(self.table.rules.table.seats.max(1));
        // Each list has one comma fewer than chips.
        let commas_over = lists().filter(|chips| !chips.is_empty()).count();
        let bytes = lists()
            .flatten()
            .fold(0usize, |sum, chip| sum.saturating_add(text_length(chip.units())))
            .saturating_sub(commas_over);
        if bytes > most {
            Err(Refusal::Malformed("the chips listed are too many for one entry; use larger ones, or list none"))
        } else {
            Ok(())
        }
    }

    /// At a solo table a window is opened and closed in one entry (spec/fairness.md, "The order on the log").
    fn bet_alone(&mut self, round_no: u64, placed: PlacedBet) -> Result<(), DecideError> {
        if let Some(round) = self.table.live_round() {
            let refusal = match round.phase {
                Phase::AwaitingReveals { reveal_by: until } | Phase::Open { settle_by: Some(until) } => {
                    let rules = self.table.rules.name.clone();
                    Refusal::RoundHoldsTable { round_no: round.round_no, until, rules }
                }
                _ => Refusal::RoundInProgress(round.round_no),
            };
            return Err(refusal.into());
        }
        if round_no != self.table.next_round {
            return Err(Refusal::WrongRound { given: round_no, current: self.table.next_round }.into());
        }
        let shoe_no = self.table.shoe.as_ref().ok_or(Refusal::NoShoe)?.id.shoe_no;
        let player = placed.player.clone();
        let funds = self.funds(&player);
        let staked = self.affordable(&placed, funds)?;
        self.before = vec![(player.clone(), funds)];
        self.push(Event::BetsOpened { round_no, shoe_no, closes_at: None })?;
        self.push(Event::BetPlaced { bet: placed })?;
        self.post(vec![(Account::Player(player), -staked.signed()), (self.escrow(), staked.signed())])?;
        self.close_window(false)
    }

    fn bet_in_window(&mut self, round_no: u64, placed: PlacedBet) -> Result<(), DecideError> {
        let player = placed.player.clone();
        let window = self.window_of(round_no)?;
        self.require_welcome(&player)?;
        if !self.table.may_bet_on_shoe(&player) {
            return Err(Refusal::NewcomerWaits.into());
        }
        // C16: before the timer's end, not at it; the service's receive time decides (A001.mm).
        if let Some(closes_at) = window.closes_at.filter(|closes_at| self.time >= *closes_at) {
            return Err(Refusal::DeadlinePassed(closes_at).into());
        }
        let before = window.bet_of(&player).and_then(PlacedBet::staked).unwrap_or_default();
        let others = window.bets.iter().filter(|bet| bet.player != player).map(PlacedBet::placed);
        let mut together: Vec<_> = others.chain([placed.placed()]).collect();
        let funds = self.funds(&player);
        let staked = self.affordable(&placed, funds.plus(before).unwrap_or(Chips::MAX))?;
        self.require_own_spots(&placed)?;
        together.sort_by(|a, b| a.player.cmp(&b.player));
        // Whether they may stand side by side; until the game has its players there is nothing to ask it.
        if together.len() >= self.table.rules.least_players() {
            self.table.rules.open_round(&together).map_err(Refusal::from)?;
        }
        self.before = vec![(player.clone(), funds)];
        self.push(Event::BetPlaced { bet: placed })?;
        let more = staked.signed().saturating_sub(before.signed());
        self.post(vec![(Account::Player(player), -more), (self.escrow(), more)])
    }

    /// The sum of the stakes, which these funds cover (C2).
    fn affordable(&self, placed: &PlacedBet, funds: Chips) -> Result<Chips, DecideError> {
        self.table.rules.check_bets(&placed.bets, funds).map_err(Refusal::from)?;
        let staked = placed.staked().filter(|sum| *sum <= funds);
        let staked = staked.ok_or_else(|| DecideError::Broken("bets beyond the balance were let through".into()))?;
        let others =
            self.table.window().into_iter().flat_map(|window| &window.bets).filter(|bet| bet.player != placed.player);
        let together = Chips::sum(others.filter_map(PlacedBet::staked).chain([staked]));
        let fits = together.is_some_and(|together| together <= Ledger::MOST_STAKED);
        if !fits || !self.state.ledger.can_pay_out(funds, &self.house(), self.state.partial) {
            return Err(Refusal::AmountOutOfRange(staked).into());
        }
        Ok(staked)
    }

    /// If spots are seats, only its player may bet on a taken seat's spot.
    fn require_own_spots(&self, placed: &PlacedBet) -> Result<(), Refusal> {
        if !self.table.rules.spots_are_seats() {
            return Ok(());
        }
        let taken = |bet: &&Bet| {
            let seat = bet.spot.parse().ok().and_then(|seat: u8| self.table.seats.get(&seat));
            seat.is_some_and(|seat| seat.player != placed.player)
        };
        match placed.bets.iter().find(taken) {
            Some(bet) => {
                let own = self.table.seats.iter().find(|(_, seat)| seat.player == placed.player);
                Err(BetRefusal::SpotTaken { spot: bet.spot.clone(), own: own.map(|(number, _)| *number) }.into())
            }
            None => Ok(()),
        }
    }

    fn window_of(&self, round_no: u64) -> Result<&crate::Window, Refusal> {
        self.require_shared()?;
        match (self.table.window(), self.table.live_round()) {
            (Some(window), _) if window.round_no == round_no => Ok(window),
            (Some(window), _) => Err(Refusal::WrongRound { given: round_no, current: window.round_no }),
            (None, Some(round)) => Err(Refusal::RoundInProgress(round.round_no)),
            (None, None) => Err(Refusal::BetsNotOpen),
        }
    }

    /// The player's bets come back before they bind.
    pub fn cancel_bet(&mut self, player: &PlayerId, round_no: u64) -> Result<(), DecideError> {
        let window = self.window_of(round_no)?;
        if window.bet_of(player).is_none() {
            return Err(Refusal::NoBet(player.clone()).into());
        }
        if let Some(closes_at) = window.closes_at.filter(|closes_at| self.time >= *closes_at) {
            return Err(Refusal::DeadlinePassed(closes_at).into());
        }
        self.before = vec![(player.clone(), self.funds(player))];
        self.take_bet_back(player)
    }

    pub(crate) fn take_bet_back(&mut self, player: &PlayerId) -> Result<(), DecideError> {
        let staked = self
            .table
            .window()
            .and_then(|window| window.bet_of(player))
            .and_then(PlacedBet::staked)
            .unwrap_or_default();
        self.push(Event::BetCancelled { player: player.clone() })?;
        self.post(vec![(Account::Player(player.clone()), staked.signed()), (self.escrow(), -staked.signed())])
    }

    /// The house opens the betting window when somebody wants to play.
    pub fn open_bets(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house opens bets")?;
        self.require_shared()?;
        let shoe_no = self.table.shoe.as_ref().ok_or(Refusal::NoShoe)?.id.shoe_no;
        if !self.table.is_between_rounds() || !self.table.wants_bets() {
            return Err(Refusal::NothingToDo("nobody waits for bets to open").into());
        }
        self.require_no_pause()?;
        self.require_no_idle_seat()?;
        // C11: the house must not keep a shoe that is good for it while a newcomer waits for the next one.
        if self.table.newcomer_asks() {
            return Err(Refusal::NothingToDo("the shoe is changed for a newcomer first").into());
        }
        if self.table.shoe_is_full(self.table.next_seq) || self.table.shoe_is_idle(self.time) {
            return Err(Refusal::NothingToDo("the shoe is full or idle and is changed first").into());
        }
        let closes_at = Some(self.time.saturating_add(self.table.rules.table.bet_time_ms));
        self.push(Event::BetsOpened { round_no: self.table.next_round, shoe_no, closes_at })
    }

    /// "No more bets": the house at the window's end, or as soon as all who are expected have bet; the operator when
    /// they announce it (R001.140).
    pub fn close_bets(&mut self, by: &Actor, round_no: u64) -> Result<(), DecideError> {
        let window = self.window_of(round_no)?;
        let enough = window.bets.len() >= self.table.rules.least_players();
        let early = self.table.rules.table.close_early && window.is_complete() && enough;
        match (by, window.closes_at) {
            (Actor::Operator, _) => {}
            (Actor::House, Some(closes_at)) if self.time < closes_at && !early => {
                return Err(Refusal::DeadlineAhead(closes_at).into());
            }
            (Actor::House, _) => {}
            _ => return Err(Refusal::NotAllowed("the house closes bets, the operator may announce it").into()),
        }
        // A player whose time the operator cut short, or who may not bet for another reason, did not let it pass.
        let announced = *by == Actor::Operator && window.closes_at.is_some_and(|closes_at| self.time < closes_at);
        let held = |player: &&PlayerId| {
            !announced && window.bet_of(player).is_none() && self.state.conduct.until(player) <= self.time
        };
        let late: Vec<PlayerId> =
            self.table.betting().into_iter().flat_map(|betting| &betting.newcomers).filter(held).cloned().collect();
        let bets = window.bets.len();
        self.note_balances();
        match bets {
            0 => self.lapse_window(LapseCause::NoBets, announced)?,
            few if few < self.table.rules.least_players() => self.lapse_window(LapseCause::TooFewPlayers, announced)?,
            _ => self.close_window(announced)?,
        }
        self.cool_down(&late, Offence::NoBet)?;
        self.unseat_absent()
    }

    /// Bets bind.
    fn close_window(&mut self, announced: bool) -> Result<(), DecideError> {
        let window = self.table.window().ok_or_else(|| DecideError::Broken("no window to close".into()))?;
        let (round_no, shoe_no, contributors) = (window.round_no, window.shoe_no, window.bets.clone());
        let lanes = self.table.rules.open_round(&window.placed()).map_err(Refusal::from)?.lanes();
        let reveal_by = self.time.saturating_add(self.table.reveal_time_ms());
        self.push(Event::BetsClosed { round_no, shoe_no, contributors, lanes, reveal_by, announced })
    }

    /// The window closes without a round: every bet comes back.
    pub fn lapse_window(&mut self, cause: LapseCause, announced: bool) -> Result<(), DecideError> {
        let window = self.table.window().ok_or_else(|| DecideError::Broken("no window to close".into()))?;
        let round_no = window.round_no;
        let staked = |bet: &PlacedBet| bet.staked().unwrap_or_default().signed();
        let mut amounts: Vec<(Account, i64)> =
            window.bets.iter().map(|bet| (Account::Player(bet.player.clone()), staked(bet))).collect();
        let all = amounts.iter().fold(0i64, |sum, (_, amount)| sum.saturating_add(*amount));
        amounts.push((self.escrow(), -all));
        self.post(amounts)?;
        self.push(Event::BetsLapsed { round_no, cause, announced })
    }
}
