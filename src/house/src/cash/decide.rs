//! A cash table's commands: seats, chips, the call of a hand and its commitments (spec/games/poker-table.md).
//! `apply.rs` has the changes that each event makes; the play of the hand is `decide/play.rs`.

use crate::cash::{Call, CashSeat};
use crate::decide::{DecideError, PendingEntry, require};
use crate::{Account, Actor, CutOff, Event, LapseCause, Ledger, Refusal, ShoeId, SitOutCause, is_for_play};
use fairshoe_fairness::{PlayerId, SeedCommitment};
use fairshoe_games::poker::{
    Blinds, ClientKind, EntryChoice, HandSeat, HandStart, PokerRules, SeatResult, TournamentSeat, next_hand,
    tournament_hand,
};
use fairshoe_games::{Chips, RoundEvent};

/// A player's request for a seat of a cash table.
pub(crate) struct SitDown {
    pub buy_in: Chips,
    pub client: Option<ClientKind>,
    pub entry: Option<EntryChoice>,
}

/// Seats, chips and hands of a cash table (spec/games/poker-table.md).
impl PendingEntry<'_> {
    pub(crate) fn cash_rules(&self) -> Result<PokerRules, Refusal> {
        self.table.rules.cash().cloned().ok_or_else(|| Refusal::NotCash(self.table.id.clone()))
    }

    fn seat_account(&self, seat: u8) -> Account {
        Account::Seat(self.table.id.clone(), seat)
    }

    /// A player's seat here.
    fn seated(&self, player: &PlayerId) -> Result<(u8, CashSeat), Refusal> {
        if self.table.cash().is_none() {
            return Err(Refusal::NotCash(self.table.id.clone()));
        }
        self.table
            .cash_seat(player)
            .map(|(number, seat)| (number, seat.clone()))
            .ok_or_else(|| Refusal::NotSeated(player.clone()))
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
        let stacks = self.table.cash().into_iter().flat_map(|cash| cash.seats.values()).map(|seat| seat.stack);
        let all = Chips::sum(stacks.chain([amount])).and_then(|all| all.plus(all));
        if all.is_some_and(|twice| twice <= Ledger::COMFORT) { Ok(()) } else { Err(Refusal::AmountOutOfRange(amount)) }
    }

    /// Chips from the player's account before their seat.
    fn add_chips_now(&mut self, player: &PlayerId, seat: u8, amount: Chips) -> Result<(), DecideError> {
        let stack = self.table.cash_seat(player).map(|(_, seat)| seat.stack).unwrap_or_default();
        let stack = stack.plus(amount).ok_or(Refusal::AmountOutOfRange(amount))?;
        let account = self.seat_account(seat);
        self.push(Event::ChipsAdded { player: player.clone(), seat, amount, stack })?;
        self.post(vec![(Account::Player(player.clone()), -amount.signed()), (account, amount.signed())])
    }

    /// A seat with a buy-in (R001.1, R001.12, R001.80, R001.85).
    pub(crate) fn sit_down(&mut self, player: PlayerId, seat: u8, asked: &SitDown) -> Result<(), DecideError> {
        self.require_free_seat(&player, seat)?;
        let rules = self.cash_rules()?;
        let amount = asked.buy_in;
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
        let (refusals, until) = self.state.conduct.early(&player, &level, self.time);
        if !rules.leave_table.exempt && self.time < until {
            return Err(Refusal::LevelBlocked { level, refusals, until }.into());
        }
        self.before = vec![(player.clone(), balance)];
        self.push(Event::SeatTaken { player: player.clone(), seat })?;
        self.add_chips_now(&player, seat, amount)?;
        self.push(Event::SatIn { player, seat, entry: asked.entry.unwrap_or(EntryChoice::Post), straddle: false })
    }

    /// Back from sitting out, or other wishes for the next hand.
    pub(crate) fn sit_in(
        &mut self,
        player: PlayerId,
        entry: Option<EntryChoice>,
        straddle: Option<bool>,
    ) -> Result<(), DecideError> {
        self.require_welcome(&player)?;
        let (number, seat) = self.seated(&player)?;
        let entry = entry.unwrap_or(seat.entry);
        let straddle = straddle.unwrap_or(seat.straddle);
        if seat.leaving {
            return Err(Refusal::NothingToDo("you leave after this hand").into());
        }
        if !seat.sitting_out && (entry, straddle) == (seat.entry, seat.straddle) {
            return Err(Refusal::PlaysAlready("you play the next hand already").into());
        }
        if seat.stack == Chips::ZERO && seat.top_up == Chips::ZERO {
            return Err(Refusal::ChipsNeeded { least: self.table.rules.table.stake_min, balance: Chips::ZERO }.into());
        }
        self.push(Event::SatIn { player, seat: number, entry, straddle })
    }

    /// No hands from the next one on; a commitment that does not bind yet is taken back.
    pub(crate) fn sit_out(&mut self, player: PlayerId) -> Result<(), DecideError> {
        let (seat, state) = self.seated(&player)?;
        if state.sitting_out {
            return Err(Refusal::NothingToDo("you sit out already").into());
        }
        self.drop_commitment(&player)?;
        self.push(Event::SatOut { player, seat, cause: SitOutCause::Asked })
    }

    /// A player who does not play the hand that is being called has no commitment for it.
    fn drop_commitment(&mut self, player: &PlayerId) -> Result<(), DecideError> {
        match self.table.call().is_some_and(|call| call.seeds.contains_key(player)) {
            true => self.push(Event::HandSeedWithdrawn { player: player.clone() }),
            false => Ok(()),
        }
    }

    fn call_of(&self, round_no: u64) -> Result<&Call, Refusal> {
        match (self.table.call(), self.table.live_round()) {
            (Some(call), _) if call.round_no == round_no => Ok(call),
            (Some(call), _) => Err(Refusal::WrongRound { given: round_no, current: call.round_no }),
            (None, Some(round)) => Err(Refusal::RoundInProgress(round.round_no)),
            (None, None) => Err(Refusal::HandNotCalled),
        }
    }

    /// A commitment for the hand that is being called is taken back.
    pub(crate) fn withdraw_hand_seed(&mut self, player: &PlayerId, round_no: u64) -> Result<(), DecideError> {
        let call = self.call_of(round_no)?;
        if !call.seeds.contains_key(player) {
            return Err(Refusal::NoBet(player.clone()).into());
        }
        if self.time >= call.closes_at {
            return Err(Refusal::DeadlinePassed(call.closes_at).into());
        }
        self.before = vec![(player.clone(), self.funds(player))];
        self.drop_commitment(player)
    }

    /// The player gets up: at once between hands, else when the hand is over; if it is their turn, by default play
    /// (R001.8).
    pub(crate) fn leave_cash(&mut self, player: &PlayerId, counts: bool) -> Result<(), DecideError> {
        let (seat, state) = self.seated(player)?;
        if state.leaving {
            return Err(Refusal::NothingToDo("you leave as soon as this hand is over").into());
        }
        if self.table.is_between_rounds() {
            return self.cash_out(player, seat, counts);
        }
        self.drop_commitment(player)?;
        self.note_balances();
        self.push(Event::LeaveAsked { player: player.clone(), seat })?;
        match self.table.live_round().is_some_and(|round| matches!(round.phase, crate::Phase::Open { .. })) {
            true => self.play_on(),
            false => Ok(()),
        }
    }

    /// More chips before a seat: at once between hands, else when the hand is over (R001.12).
    pub(crate) fn add_chips(&mut self, player: PlayerId, amount: Chips) -> Result<(), DecideError> {
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

    /// Between rounds idle seats are freed; at a cash table who wanted to leave leaves, chips are added, who was away
    /// too long is removed, who has no chips sits out.
    pub(crate) fn tidy_seats(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house tidies seats")?;
        self.require_shared()?;
        let idle = self.table.idle_seats(self.time);
        let Some(rules) = self.table.rules.cash().cloned() else { return self.free_idle_seats(&idle) };
        let is_untidy = |(number, seat): &(&u8, &CashSeat)| seat.is_untidy(&rules) || idle.contains(number);
        let untidy: Vec<u8> = self
            .table
            .cash()
            .into_iter()
            .flat_map(|cash| &cash.seats)
            .filter(is_untidy)
            .map(|(number, _)| *number)
            .collect();
        if !self.table.is_between_rounds() || untidy.is_empty() {
            return Err(Refusal::NothingToDo("nothing is to be done at the seats now").into());
        }
        let concerned =
            |seat: &u8| self.table.seats.get(seat).map(|seat| (seat.player.clone(), self.state.funds(&seat.player)));
        let mut before: Vec<_> = untidy.iter().filter_map(concerned).collect();
        before.sort();
        self.before = before;
        for number in untidy {
            let player = self.table.seats.get(&number).map(|seat| seat.player.clone());
            let player = player.ok_or_else(|| DecideError::Broken(format!("nobody sits at {number}")))?;
            self.tidy_seat(&rules, &player, number, idle.contains(&number))?;
        }
        Ok(())
    }

    fn tidy_seat(&mut self, rules: &PokerRules, player: &PlayerId, number: u8, idle: bool) -> Result<(), DecideError> {
        let (_, seat) = self.seated(player)?;
        if seat.leaving {
            return self.cash_out(player, number, !seat.unseated);
        }
        if seat.away >= rules.leave_table.sit_out_hands || idle {
            return self.cash_out(player, number, rules.leave_table.removal_counts);
        }
        if seat.top_up > Chips::ZERO {
            // They may have won since, so that there is less room, or spent elsewhere, so that there is less money.
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

    /// A seat's chips back to its player, and the seat is free. Having played, but fewer than ten hands, with others
    /// seated, is a refusal (R001.13 to R001.15, A001.f).
    pub(crate) fn cash_out(&mut self, player: &PlayerId, seat: u8, counts: bool) -> Result<(), DecideError> {
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
        self.state.conduct.next_early(player, level, self.time)
    }

    /// The next hand is called: its deck is committed, and commitments that came before count.
    pub(crate) fn call_hand(&mut self, by: &Actor) -> Result<(), DecideError> {
        require(by, &Actor::House, "the house calls hands")?;
        if let Some(event) = self.table.event.as_ref().filter(|_| !self.state.partial) {
            let event = self.state.tournament(event);
            if !event.is_some_and(|event| event.is_call_due(&self.table.id, self.time)) {
                return Err(Refusal::NothingToDo("the tournament calls no hand at this table now").into());
            }
        }
        let untidy = self.table.event.is_none() && self.table.is_untidy();
        if !self.table.is_between_rounds() || untidy || !self.table.wants_bets() {
            return Err(Refusal::NothingToDo("fewer than two players are ready for a hand").into());
        }
        self.require_no_pause()?;
        self.require_no_idle_seat()?;
        let context = self.state.context(&self.table.id).map_err(|e| DecideError::Broken(e.to_string()))?;
        let composition = self.table.rules.composition();
        let shoe_no = self.table.next_shoe;
        let carried = self.table.cash().into_iter().flat_map(|cash| cash.carried.clone());
        // A cooldown from another table came in between (C15), or what the player allows themselves is used up
        // (spec/limits.md); a tournament that they are in goes on.
        let welcome = |player: &PlayerId| {
            self.state.conduct.until(player) <= self.time
                && (self.table.event.is_some() || self.state.may_play_on(player, self.time))
                && self.table.ready().any(|one| one == player)
        };
        let carried: Vec<_> = carried.filter(|(player, _)| welcome(player)).collect();
        let noted = self.table.noted();
        self.put_in_use(ShoeId { context, shoe_no, composition })?;
        self.push(Event::TableNoted(Box::new(noted)))?;
        let closes_at = self.time.saturating_add(self.table.rules.table.bet_time_ms);
        self.push(Event::HandCalled { round_no: self.table.next_round, shoe_no, closes_at })?;
        for (player, commitment) in carried {
            self.push(Event::HandSeedCommitted { player, commitment })?;
        }
        Ok(())
    }

    /// A commitment for the hand that is being called, or for the one after the hand in progress.
    pub(crate) fn commit_hand_seed(
        &mut self,
        player: PlayerId,
        round_no: u64,
        commitment: SeedCommitment,
    ) -> Result<(), DecideError> {
        let (number, seat) = self.seated(&player)?;
        self.require_no_cooldown(&player)?;
        // At a tournament's table a player comes back by a commitment.
        let back = self.table.event.is_some() && seat.sitting_out && seat.stack > Chips::ZERO;
        if !seat.is_ready() && !back {
            return Err(Refusal::SittingOut(player).into());
        }
        match self.table.call() {
            Some(call) if call.round_no == round_no && self.time >= call.closes_at => {
                Err(Refusal::DeadlinePassed(call.closes_at).into())
            }
            Some(call) if call.round_no == round_no => {
                self.come_back(back, &player, number)?;
                self.push(Event::HandSeedCommitted { player, commitment })
            }
            None if round_no == self.table.next_round => {
                self.come_back(back, &player, number)?;
                self.push(Event::NextCommitted { player, commitment })
            }
            call => {
                let current = call.map_or(self.table.next_round, |call| call.round_no);
                Err(Refusal::WrongRound { given: round_no, current }.into())
            }
        }
    }

    fn come_back(&mut self, back: bool, player: &PlayerId, seat: u8) -> Result<(), DecideError> {
        let came = Event::SatIn { player: player.clone(), seat, entry: EntryChoice::Post, straddle: false };
        if back { self.push(came) } else { Ok(()) }
    }

    /// The call is over: the hand begins with those who committed a seed and are dealt in; whoever was awaited and did
    /// not sits out.
    pub(crate) fn close_call(&mut self, by: &Actor, round_no: u64) -> Result<(), DecideError> {
        let call = self.call_of(round_no)?;
        let early = self.table.call_may_end_early(call);
        let time_is_up = self.time >= call.closes_at;
        match by {
            Actor::Operator if self.table.event.is_some() => {
                return Err(Refusal::OfTournament(self.table.id.clone()).into());
            }
            Actor::Operator => {}
            Actor::House if time_is_up || early => {}
            Actor::House => return Err(Refusal::DeadlineAhead(call.closes_at).into()),
            _ => {
                return Err(
                    Refusal::NotAllowed("the house ends the call for a hand, the operator may announce it").into()
                );
            }
        }
        // A player whose time the operator cut short did not let it pass.
        let announced = *by == Actor::Operator && !time_is_up;
        let missing: Vec<PlayerId> =
            call.awaited.iter().filter(|player| !announced && !call.seeds.contains_key(*player)).cloned().collect();
        let shoe_no = call.shoe_no;
        self.note_balances();
        if self.table.event.is_some() {
            self.begin_event_hand(round_no, shoe_no)?;
            return self.sit_out_missing(&missing, SitOutCause::NoCommitment);
        }
        match self.next_hand_start(&self.cash_rules()?)? {
            None => self.lapse_call(LapseCause::TooFewPlayers, announced)?,
            Some(hand) => {
                let contributors = self.call_of(round_no)?.of(&hand);
                let reveal_by = self.time.saturating_add(self.table.reveal_time_ms());
                self.push(Event::HandBegun { round_no, shoe_no, contributors, reveal_by, announced, hand })?;
            }
        }
        self.sit_out_missing(&missing, SitOutCause::NoCommitment)
    }

    /// The call ends without a hand. A deck of poker is for one hand: it was not played, and both candidates are shown.
    pub(crate) fn lapse_call(&mut self, cause: LapseCause, announced: bool) -> Result<(), DecideError> {
        let round_no = self.table.call().ok_or_else(|| DecideError::Broken("no call to end".into()))?.round_no;
        self.push(Event::CallLapsed { round_no, cause, announced })?;
        self.retire_shoe(None)
    }

    /// The players dealt in, of those who committed a seed, with their posts (spec/games/poker-table.md, "Button,
    /// blinds and posts").
    fn next_hand_start(&self, rules: &PokerRules) -> Result<Option<HandStart>, DecideError> {
        let (Some(call), Some(cash)) = (self.table.call(), self.table.cash()) else { return Ok(None) };
        let seat_of = |player: &PlayerId| {
            self.table.cash_seat(player).filter(|(_, seat)| seat.is_ready()).map(|(number, _)| number)
        };
        let candidates: Vec<_> =
            call.seeds.keys().filter_map(seat_of).filter_map(|number| cash.candidate(number)).collect();
        let blinds: &Blinds = &rules.blinds;
        let Some(next) = next_hand(blinds, cash.positions.as_ref(), &candidates) else { return Ok(None) };
        let seat = |due: fairshoe_games::poker::Due| {
            let player = self.table.seats.get(&due.seat)?.player.clone();
            let stack = cash.seats.get(&due.seat)?.stack;
            Some(HandSeat { player, stack, bank_ms: cash.bank(due.seat, rules), due })
        };
        let seats: Option<Vec<HandSeat>> = next.seats.into_iter().map(seat).collect();
        let seats = seats.ok_or_else(|| DecideError::Broken("a seat that is dealt in is empty".into()))?;
        Ok(Some(HandStart { positions: next.positions, seats }))
    }

    /// A hand of a tournament: everybody with chips is dealt in; where nobody committed a seed no card is, and the big
    /// blind takes what is posted (spec/games/tournaments.md, 6.8).
    fn begin_event_hand(&mut self, round_no: u64, shoe_no: u64) -> Result<(), DecideError> {
        let broken = |what: &str| DecideError::Broken(what.to_owned());
        let rules = self.cash_rules()?;
        let cash = self.table.cash().ok_or_else(|| broken("a tournament's table has no stacks"))?;
        let place = cash.event.ok_or_else(|| broken("a tournament's table without seats has a call"))?;
        let seats: Vec<TournamentSeat> = cash
            .seats
            .iter()
            .filter(|(_, seat)| seat.stack > Chips::ZERO)
            .map(|(number, seat)| TournamentSeat { seat: *number, is_new: seat.owes.entry })
            .collect();
        let drawn = place.button.or(seats.first().map(|one| one.seat)).unwrap_or(1);
        let next = tournament_hand(&rules.blinds, cash.positions.as_ref(), drawn, &seats);
        let Some(next) = next else { return self.lapse_call(LapseCause::TooFewPlayers, false) };
        let seat = |due: fairshoe_games::poker::Due| {
            let player = self.table.seats.get(&due.seat)?.player.clone();
            let stack = cash.seats.get(&due.seat)?.stack;
            Some(HandSeat { player, stack, bank_ms: cash.bank(due.seat, &rules), due })
        };
        let seats: Option<Vec<HandSeat>> = next.seats.into_iter().map(seat).collect();
        let seats = seats.ok_or_else(|| broken("a seat that is dealt in is empty"))?;
        let hand = HandStart { positions: next.positions, seats };
        let contributors = self.call_of(round_no)?.of(&hand);
        if contributors.is_empty() {
            self.lapse_call(LapseCause::NoSeeds, false)?;
            let seats = posts_taken(&hand, place.doubled).ok_or_else(|| broken("posts are out of range"))?;
            return self.push(Event::PostsTaken { positions: hand.positions, seats });
        }
        let reveal_by = self.time.saturating_add(self.table.reveal_time_ms());
        self.push(Event::HandBegun { round_no, shoe_no, contributors, reveal_by, announced: false, hand })
    }

    /// Those whose commitment was awaited and is missing sit out.
    pub(crate) fn sit_out_missing(&mut self, missing: &[PlayerId], cause: SitOutCause) -> Result<(), DecideError> {
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
    pub(crate) fn use_bank(&mut self, player: &PlayerId, bank_from: Option<u64>) -> Result<(), DecideError> {
        let Some((seat, state)) = self.table.cash_seat(player) else { return Ok(()) };
        let used_ms = self.time.saturating_sub(bank_from.unwrap_or(u64::MAX)).min(state.bank_ms);
        if used_ms == 0 {
            return Ok(());
        }
        let left_ms = state.bank_ms.saturating_sub(used_ms);
        self.push(Event::BankUsed { player: player.clone(), seat, used_ms, left_ms })
    }

    /// The extra time of a player who was cut off late in a tournament, for their next turn (R001.104).
    pub(crate) fn late_extra_ms(&self, player: &PlayerId) -> u64 {
        let place = self.table.cash().and_then(|cash| cash.event);
        let seat = self.table.cash_seat(player).filter(|(_, seat)| seat.cut_off == Some(CutOff::Due));
        let round = self.table.live_round();
        let plays = round.is_some_and(|round| round.contributors.iter().any(|one| one.placed.player == *player));
        place.filter(|_| plays && seat.is_some()).map_or(0, |place| place.late_extra_ms)
    }

    /// The open decision of a player who leaves: they are not waited for.
    pub(crate) fn leavers_decision(&self) -> Option<u32> {
        let round = self.table.live_round().filter(|_| self.table.cash().is_some())?;
        let leaves = |player: &PlayerId| match self.table.event {
            // A player who committed no seed is dealt in and takes no decision.
            Some(_) => !round.contributors.iter().any(|one| one.placed.player == *player),
            None => self.table.cash_seat(player).is_some_and(|(_, seat)| seat.leaving),
        };
        round.game.open_decisions().into_iter().find(|open| leaves(&open.player)).map(|open| open.number)
    }

    /// The money of a hand that is over: from seat to seat, and the rake (R001.112).
    pub(crate) fn hand_amounts(&self, event: &RoundEvent) -> Vec<(Account, i64)> {
        // A tournament's chips are no money.
        let Some(hand) = event.hand_result().filter(|_| self.table.event.is_none()) else { return Vec::new() };
        let result = |one: &fairshoe_games::poker::SeatResult| {
            (self.seat_account(one.seat), one.got.signed().saturating_sub(one.put_in.signed()))
        };
        let rake = hand.pots.iter().fold(0i64, |sum, pot| sum.saturating_add(pot.rake.signed()));
        // Play chips have no rake of their own.
        let rake_to = if is_for_play(&self.table.id) { Account::Play } else { Account::Rake };
        hand.seats.iter().map(result).chain([(rake_to, rake)]).collect()
    }
}

/// The result of a tournament's hand to which nobody committed: the big blind gets of each post as much as their own
/// could match, and the rest goes back; if posts are doubled they get all. From the left of the button.
fn posts_taken(hand: &HandStart, doubled: u64) -> Option<Vec<SeatResult>> {
    let factor = u32::try_from(doubled).ok().and_then(|times| 1u64.checked_shl(times)).unwrap_or(u64::MAX);
    let posted = |seat: &HandSeat| {
        let post = seat.due.ante.plus(seat.due.live)?;
        Some(Chips::new(post.units().saturating_mul(factor)).map_or(seat.stack, |post| post.min(seat.stack)))
    };
    let big = hand.seats.iter().find(|seat| seat.due.seat == hand.positions.big).and_then(posted)?;
    let matched = if doubled > 0 { Chips::MAX } else { big };
    let all = hand.seats.iter().try_fold(Chips::ZERO, |all, seat| all.plus(posted(seat)?.min(matched)))?;
    let result = |seat: &HandSeat| {
        let put_in = posted(seat)?;
        let is_big = seat.due.seat == hand.positions.big;
        let got = if is_big { all } else { put_in.minus(matched).unwrap_or_default() };
        let stack = seat.stack.minus(put_in)?.plus(got)?;
        Some(SeatResult { seat: seat.due.seat, player: seat.player.clone(), put_in, got, stack })
    };
    hand.seats.iter().map(result).collect()
}

/// A player who has played so many hands leaves as they like (R001.13).
const HANDS_TO_STAY: u32 = 10;
