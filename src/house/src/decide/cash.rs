use super::Declined;
use super::accounts::require;
use super::draft::Draft;
use crate::cash::{CashSeat, SitOutCause};
use crate::{Account, Actor, Event, Ledger, PlacedBet, Refusal, ShoeId};
use fairshoe_fairness::{PlayerId, SeedCommitment};
use fairshoe_games::poker::{Blinds, ClientKind, Entry, HandSeat, HandStart, PokerRules, next_hand};
use fairshoe_games::{Chips, RoundEvent};

/// What a player asks for with a seat of a cash table.
pub(super) struct SitDown {
    pub buy_in: Option<Chips>,
    pub client: Option<ClientKind>,
    pub entry: Option<Entry>,
}

impl SitDown {
    pub fn is_for_cash(&self) -> bool {
        self.buy_in.is_some() || self.client.is_some() || self.entry.is_some()
    }
}

/// Seats, chips and hands of a cash table (spec/games/poker-table.md).
impl Draft<'_> {
    pub(super) fn cash_rules(&self) -> Result<PokerRules, Refusal> {
        self.table.rules.cash().cloned().ok_or_else(|| Refusal::NotCash(self.table.id.clone()))
    }

    fn seat_account(&self, seat: u8) -> Account {
        Account::Seat(self.table.id.clone(), seat)
    }

    /// A player's seat here.
    fn seated(&self, player: &PlayerId) -> Result<(u8, CashSeat), Refusal> {
        if self.table.cash.is_none() {
            return Err(Refusal::NotCash(self.table.id.clone()));
        }
        self.table.cash_seat(player).map(|(number, seat)| (number, seat.clone())).ok_or_else(|| Refusal::NotSeated(player.clone()))
    }

    /// A stack within the table's buy-ins (R001.12).
    fn require_buy_in(&self, stack: Chips, step_of: Chips) -> Result<(), Refusal> {
        let rules = &self.table.rules.table;
        let (min, max, step) = (rules.stake_min, rules.stake_max, rules.stake_step);
        if (min..=max).contains(&stack) && step_of.units().is_multiple_of(step.units().max(1)) {
            Ok(())
        } else {
            Err(Refusal::BuyIn { given: stack, min, max, step })
        }
    }

    /// All chips of a hand together stay in the range of amounts.
    fn require_room(&self, amount: Chips) -> Result<(), Refusal> {
        let stacks = self.table.cash.iter().flat_map(|cash| cash.seats.values()).map(|seat| seat.stack);
        let all = Chips::sum(stacks.chain([amount])).and_then(|all| all.plus(all));
        if all.is_some_and(|twice| twice <= Ledger::COMFORT) { Ok(()) } else { Err(Refusal::AmountOutOfRange(amount)) }
    }

    /// Chips from the player's account before his seat.
    fn add_chips_now(&mut self, player: &PlayerId, seat: u8, amount: Chips) -> Result<(), Declined> {
        let stack = self.table.cash_seat(player).map(|(_, seat)| seat.stack).unwrap_or_default();
        let stack = stack.plus(amount).ok_or(Refusal::AmountOutOfRange(amount))?;
        let account = self.seat_account(seat);
        self.push(Event::ChipsAdded { player: player.clone(), seat, amount, stack })?;
        self.post(vec![(Account::Player(player.clone()), -amount.signed()), (account, amount.signed())])
    }

    /// A seat with a buy-in (R001.1, R001.12, R001.80, R001.85). The common grounds against a seat have been looked at.
    pub(super) fn sit_down(&mut self, player: PlayerId, seat: u8, asked: &SitDown) -> Result<(), Declined> {
        let rules = self.cash_rules()?;
        let amount = asked.buy_in.ok_or(Refusal::Malformed("a seat of a cash table is taken with chips: name buy_in"))?;
        self.require_buy_in(amount, amount)?;
        let balance = self.funds(&player);
        if amount > balance {
            return Err(Refusal::InsufficientBalance { balance, asked: amount }.into());
        }
        self.require_room(amount)?;
        let most = rules.most_seats.of(asked.client.unwrap_or_default());
        if self.state.cash_seats_of(&player) >= usize::from(most) {
            return Err(Refusal::TooManySeats(most).into());
        }
        let level = rules.blinds.level();
        let (refusals, until) = self.state.ladder.early(&player, &level, self.time);
        if !rules.leave_table.exempt && self.time < until {
            return Err(Refusal::LevelBlocked { level, refusals, until }.into());
        }
        self.before = vec![(player.clone(), balance)];
        self.push(Event::SeatTaken { player: player.clone(), seat })?;
        self.add_chips_now(&player, seat, amount)?;
        self.push(Event::SatIn { player, seat, entry: asked.entry.unwrap_or(Entry::Post), straddle: false })
    }

    /// Back from sitting out, or other wishes for the next hand.
    pub(super) fn sit_in(&mut self, player: PlayerId, entry: Option<Entry>, straddle: Option<bool>) -> Result<(), Declined> {
        let (number, seat) = self.seated(&player)?;
        let entry = entry.unwrap_or(seat.entry);
        let straddle = straddle.unwrap_or(seat.straddle);
        if seat.leaving {
            return Err(Refusal::NothingToDo("you leave after this hand").into());
        }
        if !seat.sitting_out && (entry, straddle) == (seat.entry, seat.straddle) {
            return Err(Refusal::NothingToDo("you play the next hand already").into());
        }
        if seat.stack == Chips::ZERO && seat.top_up == Chips::ZERO {
            return Err(Refusal::ChipsNeeded { least: self.table.rules.table.stake_min, balance: Chips::ZERO }.into());
        }
        self.push(Event::SatIn { player, seat: number, entry, straddle })
    }

    /// No hands from the next one on; a commitment that does not bind yet is taken back.
    pub(super) fn sit_out(&mut self, player: PlayerId) -> Result<(), Declined> {
        let (seat, state) = self.seated(&player)?;
        if state.sitting_out {
            return Err(Refusal::NothingToDo("you sit out already").into());
        }
        self.withdraw_commitment(&player)?;
        self.push(Event::SatOut { player, seat, cause: SitOutCause::Asked })
    }

    fn withdraw_commitment(&mut self, player: &PlayerId) -> Result<(), Declined> {
        match self.table.window.as_ref().is_some_and(|window| window.bet_of(player).is_some()) {
            true => self.push(Event::BetCancelled { player: player.clone() }),
            false => Ok(()),
        }
    }

    /// The player gets up: at once between hands, else when the hand is over; if it is his turn, by default play (R001.8).
    pub(super) fn leave_cash(&mut self, player: &PlayerId, counts: bool) -> Result<(), Declined> {
        let (seat, state) = self.seated(player)?;
        if state.leaving {
            return Err(Refusal::NothingToDo("you leave as soon as this hand is over").into());
        }
        if self.table.is_between_rounds() {
            return self.cash_out(player, seat, counts);
        }
        self.withdraw_commitment(player)?;
        self.note_balances();
        self.push(Event::LeaveAsked { player: player.clone(), seat })?;
        match self.table.live_round().is_some_and(|round| matches!(round.phase, crate::Phase::Open { .. })) {
            true => self.play_on(),
            false => Ok(()),
        }
    }

    /// More chips before a seat: at once between hands, else when the hand is over (R001.12).
    pub(super) fn add_chips(&mut self, player: PlayerId, amount: Chips) -> Result<(), Declined> {
        let (seat, state) = self.seated(&player)?;
        let nothing = amount == Chips::ZERO;
        if nothing && state.top_up == Chips::ZERO {
            return Err(Refusal::NothingToDo("no chips are to be added").into());
        }
        if !nothing {
            let stack = state.stack.plus(amount).ok_or(Refusal::AmountOutOfRange(amount))?;
            self.require_buy_in(stack, amount)?;
            self.require_room(amount)?;
            let balance = self.funds(&player);
            // In a bundle it comes from entries that are not there.
            if amount > balance && !self.state.partial {
                return Err(Refusal::InsufficientBalance { balance, asked: amount }.into());
            }
        }
        if self.table.is_between_rounds() && !nothing {
            self.before = vec![(player.clone(), self.funds(&player))];
            return self.add_chips_now(&player, seat, amount);
        }
        self.push(Event::ChipsAsked { player, seat, amount })
    }

    /// Between rounds idle seats are freed; at a cash table who wanted to leave leaves, chips are added, who was away too long is removed, who has no chips sits out.
    pub(super) fn tidy_seats(&mut self, by: &Actor) -> Result<(), Declined> {
        require(by, &Actor::House, "the house tidies seats")?;
        self.require_shared()?;
        let idle = self.table.idle_seats(self.time);
        let Some(rules) = self.table.rules.cash().cloned() else { return self.free_idle_seats(&idle) };
        let is_untidy = |(number, seat): &(&u8, &CashSeat)| seat.is_untidy(&rules) || idle.contains(number);
        let untidy: Vec<u8> = self.table.cash.iter().flat_map(|cash| &cash.seats).filter(is_untidy).map(|(number, _)| *number).collect();
        if !self.table.is_between_rounds() || untidy.is_empty() {
            return Err(Refusal::NothingToDo("nothing is to be done at the seats now").into());
        }
        let concerned = |seat: &u8| self.table.seats.get(seat).map(|seat| (seat.player.clone(), self.state.funds(&seat.player)));
        let mut before: Vec<_> = untidy.iter().filter_map(concerned).collect();
        before.sort();
        self.before = before;
        for number in untidy {
            let player = self.table.seats.get(&number).map(|seat| seat.player.clone());
            let player = player.ok_or_else(|| Declined::Broken(format!("nobody sits at {number}")))?;
            self.tidy_seat(&rules, &player, number, idle.contains(&number))?;
        }
        Ok(())
    }

    fn tidy_seat(&mut self, rules: &PokerRules, player: &PlayerId, number: u8, idle: bool) -> Result<(), Declined> {
        let (_, seat) = self.seated(player)?;
        if seat.leaving {
            return self.cash_out(player, number, !seat.unseated);
        }
        if seat.away >= rules.leave_table.sit_out_hands || idle {
            return self.cash_out(player, number, rules.leave_table.removal_counts);
        }
        if seat.top_up > Chips::ZERO {
            // What he won since may leave less room, what he spent elsewhere less money.
            let room = self.table.rules.table.stake_max.minus(seat.stack).unwrap_or(Chips::ZERO);
            let amount = seat.top_up.min(room).min(self.funds(player));
            let step = self.table.rules.table.stake_step.units().max(1);
            let amount = Chips::new(amount.units() - amount.units() % step).unwrap_or(Chips::ZERO);
            match amount {
                Chips::ZERO => self.push(Event::ChipsAsked { player: player.clone(), seat: number, amount })?,
                _ => self.add_chips_now(player, number, amount)?,
            }
        }
        let (_, seat) = self.seated(player)?;
        if seat.stack == Chips::ZERO && !seat.sitting_out {
            return self.push(Event::SatOut { player: player.clone(), seat: number, cause: SitOutCause::NoChips });
        }
        Ok(())
    }

    /// A seat's chips back to its player, and the seat is free. Having played, but fewer than ten hands, with others seated,
    /// is a refusal (R001.13 to R001.15, A001.f).
    pub(super) fn cash_out(&mut self, player: &PlayerId, seat: u8, counts: bool) -> Result<(), Declined> {
        let rules = self.cash_rules()?;
        let (_, state) = self.seated(player)?;
        if !self.before.iter().any(|(known, _)| known == player) {
            self.before.push((player.clone(), self.state.funds(player)));
            self.before.sort();
        }
        let alone = self.table.seats.len() == 1;
        let stack = state.stack.signed();
        let account = self.seat_account(seat);
        self.post(vec![(account, -stack), (Account::Player(player.clone()), stack)])?;
        self.push(Event::SeatLeft { player: player.clone(), seat })?;
        if counts && !alone && !rules.leave_table.exempt && (1..HANDS_TO_STAY).contains(&state.hands) {
            let level = rules.blinds.level();
            let (refusals, until) = self.next_early(player, &level);
            self.push(Event::LeftEarly { player: player.clone(), level, refusals, until })?;
        }
        Ok(())
    }

    fn next_early(&self, player: &PlayerId, level: &str) -> (u32, u64) {
        self.state.ladder.next_early(player, level, self.time)
    }

    /// The next hand is called: its deck is committed, and commitments that came before count.
    pub(super) fn call_hand(&mut self) -> Result<(), Declined> {
        if !self.table.is_between_rounds() || self.table.is_untidy() || !self.table.wants_bets() {
            return Err(Refusal::NothingToDo("fewer than two players are ready for a hand").into());
        }
        self.require_no_idle_seat()?;
        let context = self.state.context(&self.table.id).map_err(|e| Declined::Broken(e.to_string()))?;
        let composition = self.table.rules.composition();
        let shoe_no = self.table.next_shoe;
        let carried = self.table.cash.iter().flat_map(|cash| cash.carried.clone());
        // A cooldown from another table came in between (C15).
        let welcome = |player: &PlayerId| self.state.ladder.until(player) <= self.time && self.table.ready().any(|one| one == player);
        let carried: Vec<_> = carried.filter(|(player, _)| welcome(player)).collect();
        let noted = self.table.noted();
        self.put_in_use(ShoeId { context, shoe_no, composition })?;
        self.push(Event::TableNoted(Box::new(noted)))?;
        let closes_at = Some(self.time.saturating_add(self.table.rules.table.bet_time_ms));
        self.push(Event::BetsOpened { round_no: self.table.next_round, shoe_no, closes_at })?;
        for (player, commitment) in carried {
            self.push(Event::BetPlaced { bet: PlacedBet { player, bets: Vec::new(), commitment } })?;
        }
        Ok(())
    }

    /// A commitment for the hand that is being called, or for the one after the hand in progress.
    pub(super) fn commit_for_hand(&mut self, player: PlayerId, round_no: u64, commitment: SeedCommitment) -> Result<(), Declined> {
        let (_, seat) = self.seated(&player)?;
        self.require_no_cooldown(&player)?;
        if !seat.is_ready() {
            return Err(Refusal::SittingOut(player).into());
        }
        match &self.table.window {
            Some(window) if window.round_no == round_no => {
                if let Some(closes_at) = window.closes_at.filter(|closes_at| self.time >= *closes_at) {
                    return Err(Refusal::DeadlinePassed(closes_at).into());
                }
                self.push(Event::BetPlaced { bet: PlacedBet { player, bets: Vec::new(), commitment } })
            }
            None if round_no == self.table.next_round => self.push(Event::NextCommitted { player, commitment }),
            window => {
                let current = window.as_ref().map_or(self.table.next_round, |window| window.round_no);
                Err(Refusal::WrongRound { given: round_no, current }.into())
            }
        }
    }

    /// Who is dealt in of those who committed a seed, and what each posts (spec/games/poker-table.md, "Button, blinds and posts").
    pub(super) fn next_hand_start(&self, rules: &PokerRules) -> Result<Option<HandStart>, Declined> {
        let (Some(window), Some(cash)) = (&self.table.window, &self.table.cash) else { return Ok(None) };
        let seat_of = |bet: &PlacedBet| self.table.cash_seat(&bet.player).filter(|(_, seat)| seat.is_ready()).map(|(number, _)| number);
        let candidates: Vec<_> = window.bets.iter().filter_map(seat_of).filter_map(|number| cash.candidate(number)).collect();
        let blinds: &Blinds = &rules.blinds;
        let Some(next) = next_hand(blinds, cash.positions.as_ref(), &candidates) else { return Ok(None) };
        let seat = |due: fairshoe_games::poker::Due| {
            let player = self.table.seats.get(&due.seat)?.player.clone();
            let stack = cash.seats.get(&due.seat)?.stack;
            Some(HandSeat { player, stack, bank_ms: cash.bank(due.seat, rules), due })
        };
        let seats: Option<Vec<HandSeat>> = next.seats.into_iter().map(seat).collect();
        let seats = seats.ok_or_else(|| Declined::Broken("a seat that is dealt in is empty".into()))?;
        Ok(Some(HandStart { positions: next.positions, seats }))
    }

    /// Those whose commitment was awaited and is missing sit out.
    pub(super) fn sit_out_missing(&mut self, missing: &[PlayerId], cause: SitOutCause) -> Result<(), Declined> {
        for player in missing {
            if let Some((seat, state)) = self.table.cash_seat(player)
                && !state.sitting_out
            {
                self.push(Event::SatOut { player: player.clone(), seat, cause })?;
            }
        }
        Ok(())
    }

    /// The time bank of an open decision's player ran from `bank_from` until now (R001.84).
    pub(super) fn use_bank(&mut self, player: &PlayerId, bank_from: Option<u64>) -> Result<(), Declined> {
        let Some((seat, state)) = self.table.cash_seat(player) else { return Ok(()) };
        let used_ms = self.time.saturating_sub(bank_from.unwrap_or(u64::MAX)).min(state.bank_ms);
        if used_ms == 0 {
            return Ok(());
        }
        let left_ms = state.bank_ms.saturating_sub(used_ms);
        self.push(Event::BankUsed { player: player.clone(), seat, used_ms, left_ms })
    }

    /// The open decision of a player who leaves: he is not waited for.
    pub(super) fn leavers_decision(&self) -> Option<u32> {
        let round = self.table.live_round().filter(|_| self.table.cash.is_some())?;
        let leaves = |player: &PlayerId| self.table.cash_seat(player).is_some_and(|(_, seat)| seat.leaving);
        round.game.open_decisions().into_iter().find(|open| leaves(&open.player)).map(|open| open.number)
    }

    /// The money of a hand that is over: from seat to seat, and the rake (R001.112).
    pub(super) fn hand_amounts(&self, event: &RoundEvent) -> Vec<(Account, i64)> {
        let RoundEvent::Poker(fairshoe_games::poker::PokerEvent::Settled { pots, seats, .. }) = event else { return Vec::new() };
        let result =
            |one: &fairshoe_games::poker::SeatResult| (self.seat_account(one.seat), one.got.signed().saturating_sub(one.put_in.signed()));
        let rake = pots.iter().fold(0i64, |sum, pot| sum.saturating_add(pot.rake.signed()));
        seats.iter().map(result).chain([(Account::Rake, rake)]).collect()
    }
}

/// Whoever has played so many hands leaves as he likes (R001.13).
const HANDS_TO_STAY: u32 = 10;
