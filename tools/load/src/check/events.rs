//! The parts of a table's entries outside the game itself: seats, windows, shoes, rounds, piles.

use super::answers::answers;
use super::flaw::same;
use super::round::{PileCheck, RoundCheck, lapsed};
use super::table::{Window, misplaced};
use super::{Flaw, OnLog, Progress, ShoeCheck, TableCheck};
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Composition, PlayerId, ServerSeed};
use fairshoe_games::{Ahead, Limit};
use fairshoe_house::{
    Actor, Command, Committed, Entry, Event, LapseCause, Lapsed, PlacedBet, PlayerCommitment, RetireCause, VoidCause,
};

impl TableCheck {
    /// Checks one event of an entry; `next` is the following event.
    pub(super) fn event(
        &mut self,
        on_log: &OnLog,
        event: &Event,
        next: Option<&Event>,
        openings: &[ShownOpening],
    ) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        if let Event::Posted { lines } = event {
            if !self.money.is_owed() {
                self.owe_back(next)?;
                self.prepaid = true;
            }
            return self.money.posted(lines);
        }
        self.money.nothing_owed("the posting")?;
        if self.last_hand_due && !matches!(event, Event::LastHand { .. }) {
            return Err(Flaw::differs("the event after the cut card's draw", "last_hand", event));
        }
        let time = entry.time;
        match event {
            Event::TableOpened { rules, digest, .. } => {
                same("the rules on the log", &*self.rules, rules)?;
                same("the rules' digest", &self.rules.digest(), digest)?;
                if answers(entry, event) && self.next_seq() == 0 { Ok(()) } else { Err(misplaced(event)) }
            }
            Event::TableClosed {} => {
                self.closed = true;
                if answers(entry, event) && self.live_round().is_none() && self.window.is_none() {
                    Ok(())
                } else {
                    Err(misplaced(event))
                }
            }
            Event::SeatTaken { player, seat } if answers(entry, event) => {
                self.seats.take(player, *seat, self.rules.table.seats)
            }
            Event::PlayAsked { player } if self.asks(entry, player) => {
                self.seats.ask(player);
                let may_bet = self.may_bet_on_shoe(player);
                if let Some(window) = self.window.as_mut().filter(|_| may_bet) {
                    window.expected.insert(player.clone());
                }
                Ok(())
            }
            Event::SeatLeft { player, seat } => self.seat_left(entry, event, player, *seat),
            Event::SeatWanted { .. } if answers(entry, event) => Ok(()),
            Event::Cooldown { player, offence, offences, until } => {
                self.seats.cooldown(player, *offence, *offences, time, *until)
            }
            Event::ShoeCommitted { shoe_no, composition, candidates } => {
                self.shoe_committed(on_log, event, *shoe_no, composition, candidates)
            }
            Event::TableNoted(noted) if self.live_round().is_none() => {
                same("the number of the next round", &self.next_round.unwrap_or(noted.next_round), &noted.next_round)?;
                if self.last_time > 0 {
                    same("the time of the table's last entry", &self.last_time, &noted.last_used)?;
                }
                same("whether seats are stated", &self.is_shared(), &noted.betting.is_some())?;
                noted.betting.as_ref().map_or(Ok(()), |betting| self.seats.are_noted(betting))
            }
            Event::ShoeRevealed { shoe_no, seeds, cause } => self.shoe_revealed(entry, event, *shoe_no, seeds, *cause),
            Event::BetsOpened { round_no, shoe_no, closes_at } => {
                self.bets_opened(entry, event, (*round_no, *shoe_no), *closes_at)
            }
            Event::BetPlaced { bet } if answers(entry, event) => self.bet_placed(entry, event, bet),
            Event::BetCancelled { player } => self.bet_cancelled(entry, event, player),
            Event::BetsLapsed { round_no, cause, announced } => {
                self.bets_lapsed(entry, event, (*round_no, *cause), *announced)
            }
            Event::BetsClosed { round_no, shoe_no, contributors, lanes, reveal_by, announced, .. } => {
                self.bets_closed(on_log, event, (*round_no, *shoe_no), contributors, (*lanes, *reveal_by), *announced)
            }
            Event::ShuffleAsked {} if answers(entry, event) && self.rules.table.house_shuffle => {
                self.shuffle_asked = true;
                if self.live_round().is_some() || self.window.is_some() { Ok(()) } else { Err(misplaced(event)) }
            }
            Event::SeedRevealed { player, seed } if answers(entry, event) => {
                let round_no = entry.command.round_no().unwrap_or_default();
                let context = self.shoe.as_ref().map(|shoe| shoe.context.clone()).ok_or_else(|| misplaced(event))?;
                self.live_mut(event)?.revealed(&context, round_no, player, seed, time)
            }
            // A late seed of a void round: it deals no card any more.
            Event::SeedLate { .. } if answers(entry, event) => Ok(()),
            Event::RoundOpened { entropy, pick, others, settle_by } => {
                let settles = (!self.is_shared()).then(|| time.saturating_add(self.round_time_ms()));
                same("the settlement deadline", &settles, settle_by)?;
                let awaits = |round: &&mut RoundCheck| round.is_live() && round.progress == Progress::AwaitingReveals;
                let (Some(round), Some(shoe)) = (self.round.as_mut().filter(awaits), &mut self.shoe) else {
                    return Err(misplaced(event));
                };
                same("the number of other candidates", &shoe.candidates.len().saturating_sub(1), &others.len())?;
                round.settle_by = *settle_by;
                round.open(shoe, entropy, *pick)
            }
            Event::LastHand { shoe_no } if self.last_hand_due => {
                same("the shoe of the last hand", &self.shoe.as_ref().map(|shoe| shoe.shoe_no), &Some(*shoe_no))?;
                (self.last_hand, self.last_hand_due) = (true, false);
                Ok(())
            }
            Event::Play(play) => self.play(entry, play, openings),
            Event::RoundSettled { round_no, staked, returned, players } => {
                let round = self.live_mut(event)?;
                same("whether the game is over", &true, &round.game.is_settled())?;
                same("the settled round", &round.round_no, round_no)?;
                same("the sums settled", &(round.staked(), round.returned()), &(Some(*staked), Some(*returned)))?;
                same("what the round was to its players", &round.results().as_ref(), &Some(players))?;
                round.progress = Progress::Settled;
                self.round_over(None)
            }
            Event::RoundVoided { round_no, cause, missing, ahead, players, refunds, retained_winnings, .. } => {
                self.round_voided(entry, event, (*round_no, *cause), missing, *ahead, *refunds)?;
                // A part of the early payment is spent and stays the player's: the posting told the player and the
                // amount.
                let told: Vec<_> =
                    retained_winnings.iter().map(|winnings| (winnings.player.clone(), winnings.amount)).collect();
                let round = self.round.as_ref().ok_or_else(|| misplaced(event))?;
                same("the winnings retained of a void round", &round.retained_winnings, &told)?;
                same("what the void is to its players", &round.results().as_ref(), &Some(players))
            }
            Event::RoundResumed { round_no, reveal_by, settle_by, turn_by } => {
                self.round_resumed(entry, event, *round_no, [*reveal_by, *settle_by, *turn_by])
            }
            Event::PileOpened { round_no, shoe_no, players, commit_by } => {
                same("the pile's round", &self.next_round.unwrap_or(*round_no), round_no)?;
                same("the pile's deadline", &time.saturating_add(self.reveal_time_ms()), commit_by)?;
                same("the pile's shoe", &self.shoe.as_ref().map(|shoe| shoe.shoe_no), &Some(*shoe_no))?;
                let round = self.live_mut(event)?;
                let needed =
                    round.game.needs_pile().filter(|_| round.pile.is_none()).ok_or_else(|| misplaced(event))?;
                same("the players of the pile", &needed.players, players)?;
                round.pile = Some(PileCheck::new(*round_no, *shoe_no, players, *commit_by));
                self.absent.clear();
                self.next_round = round_no.checked_add(1);
                Ok(())
            }
            Event::SeedCommitted { player, commitment } if answers(entry, event) => {
                let round_no = entry.command.round_no().unwrap_or_default();
                let pile = self
                    .live_mut(event)?
                    .pile
                    .as_mut()
                    .filter(|pile| pile.closed_at.is_none())
                    .ok_or_else(|| misplaced(event))?;
                pile.committed(round_no, player, commitment, time)
            }
            Event::PileClosed { round_no, shoe_no, contributors, reveal_by } => {
                self.pile_closed(on_log, event, (*round_no, *shoe_no), contributors, *reveal_by)
            }
            Event::PileShuffled { round_no, entropy, pick } => {
                let number = |round: &RoundCheck| {
                    round.pile.as_ref().filter(|pile| pile.closed_at.is_some()).map(|pile| pile.round_no)
                };
                let (Some(round), Some(shoe)) = (&mut self.round, &mut self.shoe) else { return Err(misplaced(event)) };
                same("the shuffled pile", &number(round), &Some(*round_no))?;
                round.shuffle_pile(shoe, entropy, *pick)
            }
            Event::PileFailed { round_no, missing } if answers(entry, event) => {
                let pile = self.live_mut(event)?.pile.take().ok_or_else(|| misplaced(event))?;
                same("the failed shuffle", &pile.round_no, round_no)?;
                same("who is missing from the shuffle", &pile.missing(), missing)?;
                self.absent = missing.clone();
                lapsed("the shuffle's deadline", time, pile.deadline())
            }
            _ => Err(misplaced(event)),
        }
    }

    fn asks(&self, entry: &Entry, player: &PlayerId) -> bool {
        let asks = matches!(entry.command, Command::TakeSeat { .. } | Command::AskToPlay { .. });
        asks && entry.by == Actor::Player(player.clone())
    }

    /// A player leaves by their own wish, for a withheld seed, or after windows without their bet.
    fn seat_left(&mut self, entry: &Entry, event: &Event, player: &PlayerId, seat: u8) -> Result<(), Flaw> {
        let by_house =
            matches!(entry.command, Command::CloseBets { .. } | Command::Lapse { lapsed: Lapsed::Reveal, .. });
        if !by_house && !answers(entry, event) {
            return Err(misplaced(event));
        }
        if let Some(window) = &mut self.window {
            window.expected.remove(player);
        }
        self.seats.leave(player, seat, by_house)
    }

    fn shoe_committed(
        &mut self,
        on_log: &OnLog,
        event: &Event,
        shoe_no: u64,
        composition: &Composition,
        candidates: &[Committed],
    ) -> Result<(), Flaw> {
        let pile = self.live_round().and_then(|round| round.game.needs_pile().filter(|_| round.pile.is_none()));
        let between = self.live_round().is_none() && self.shoe.is_none() && self.window.is_none();
        if pile.is_none() && !(between && answers(&on_log.entry, event)) {
            return Err(misplaced(event));
        }
        same("the shoe's number", &self.next_shoe.unwrap_or(shoe_no), &shoe_no)?;
        let expected = pile.as_ref().map_or_else(|| self.rules.composition(), |pile| pile.composition.clone());
        same("the composition", &expected, composition)?;
        same("the number of candidates", &usize::from(self.rules.candidates()), &candidates.len())?;
        let shoe = ShoeCheck::new(self.new_context()?, shoe_no, composition.clone(), candidates.to_vec());
        self.next_shoe = shoe_no.checked_add(1);
        self.shoe_at = on_log.index;
        let before = self.shoe.replace(shoe);
        match self.round.as_mut().filter(|_| pile.is_some()) {
            Some(round) => round.piles.extend(before),
            None => (self.bettors, self.last_hand, self.shuffle_asked) = (None, false, false),
        }
        Ok(())
    }

    fn shoe_revealed(
        &mut self,
        entry: &Entry,
        event: &Event,
        shoe_no: u64,
        seeds: &[ServerSeed],
        cause: Option<RetireCause>,
    ) -> Result<(), Flaw> {
        if let Some(round) = self.round.as_mut().filter(|round| !round.is_live())
            && let Some(at) = round.piles.iter().position(|pile| pile.shoe_no == shoe_no)
        {
            same("why the pile is revealed", &Some(RetireCause::PileUsed), &cause)?;
            return round.piles.remove(at).revealed(seeds);
        }
        let every_round = self.rules.table.reshuffle == fairshoe_games::Reshuffle::EveryRound;
        let expected = match (&entry.command, self.ended) {
            (_, Some(None)) if cause == Some(RetireCause::Full) => cause,
            (_, Some(due)) => due.ok_or_else(|| misplaced(event))?,
            (Command::Lapse { lapsed: Lapsed::Pile, .. }, None) if self.unused_pile() => Some(RetireCause::PileUnused),
            _ if self.live_round().is_some() || self.window.is_some() => return Err(misplaced(event)),
            (Command::Recover { .. }, None) => {
                self.seats.no_newcomers();
                (!every_round).then_some(RetireCause::Restart)
            }
            (Command::CloseTable { .. }, None) => (!every_round).then_some(RetireCause::Closed),
            // The audit of the whole log finds whether the shoe is full or idle; a shoe that is removed here is checked
            // like any other.
            (Command::RetireShoe { .. }, None) if entry.by == Actor::House => match cause {
                Some(RetireCause::Full | RetireCause::Idle) if !every_round => cause,
                None if every_round => None,
                _ => Some(RetireCause::Newcomer),
            },
            (Command::RetireShoe { .. }, None) if entry.by == Actor::Operator && self.rules.table.house_shuffle => {
                (!every_round).then_some(RetireCause::HouseShuffle)
            }
            _ => return Err(misplaced(event)),
        };
        same("why the shoe is revealed", &expected, &cause)?;
        if matches!(cause, Some(RetireCause::Newcomer | RetireCause::HouseShuffle)) {
            let waiting = self.seats.newcomers_shoe(&self.waits_for_shoe());
            same(
                "whether a newcomer asks for the shoe",
                &true,
                &(waiting || cause == Some(RetireCause::HouseShuffle)),
            )?;
        }
        let shoe = self.shoe.take().ok_or_else(|| misplaced(event))?;
        same("the revealed shoe", &shoe.shoe_no, &shoe_no)?;
        shoe.revealed(seeds)
    }

    /// The players who asked to play and may not bet on the shoe in use.
    fn waits_for_shoe(&self) -> std::collections::BTreeSet<PlayerId> {
        self.seats.asking().filter(|player| self.is_shared() && !self.may_bet_on_shoe(player)).cloned().collect()
    }

    /// Whether a pile's shuffle has just failed.
    fn unused_pile(&self) -> bool {
        self.live_round().is_some_and(|round| round.pile.is_none() && round.game.needs_pile().is_some())
    }

    fn bets_opened(
        &mut self,
        entry: &Entry,
        event: &Event,
        of: (u64, u64),
        closes_at: Option<u64>,
    ) -> Result<(), Flaw> {
        let alone = !self.is_shared() && matches!(entry.command, Command::Bet { .. });
        if self.live_round().is_some() || self.window.is_some() || !(alone || self.is_shared() && answers(entry, event))
        {
            return Err(misplaced(event));
        }
        let (round_no, shoe_no) = of;
        let shoe = self.shoe.as_ref().ok_or_else(|| misplaced(event))?;
        same(
            "the round for which bets open",
            &(self.next_round.unwrap_or(round_no), shoe.shoe_no),
            &(round_no, shoe_no),
        )?;
        let closes = self.is_shared().then(|| entry.time.saturating_add(self.rules.table.bet_time_ms));
        same("when bets close", &closes, &closes_at)?;
        // Otherwise the house could keep a shoe that favours it while a player waits for the next one (C11).
        same("who waits for a new shoe", &std::collections::BTreeSet::new(), &self.waits_for_shoe())?;
        // The players who asked, and those who bet in the last round and still sit.
        let mut expected = self.seats.bets_opened();
        let last = self.round.iter().flat_map(|round| &round.parts).map(|part| &part.placed.player);
        expected.extend(last.filter(|player| self.seats.of(player).is_some()).cloned());
        self.window = Some(Window { round_no, closes_at, bets: Vec::new(), expected });
        self.next_round = Some(round_no);
        Ok(())
    }

    fn bet_placed(&mut self, entry: &Entry, event: &Event, bet: &PlacedBet) -> Result<(), Flaw> {
        if self.is_shared() && !self.may_bet_on_shoe(&bet.player) {
            return Err(Flaw::differs("the bettor", "one who bet in the shoe's last round", &bet.player));
        }
        let funds = self.money.of(&bet.player);
        let escrow = self.escrow();
        let window = self.window.as_mut().ok_or_else(|| misplaced(event))?;
        same("the round of the bet", &Some(window.round_no), &entry.command.round_no())?;
        if let Some(closes_at) = window.closes_at {
            super::round::in_time("the bet", entry.time, closes_at)?;
        }
        let before = window.of(&bet.player).and_then(PlacedBet::staked).unwrap_or_default();
        let staked = bet.staked().ok_or(Flaw::Overflow)?;
        let most = funds.plus(before).ok_or(Flaw::Overflow)?;
        self.rules
            .check_bets(&bet.bets, most)
            .map_err(|e| Flaw::differs("the bet", "one the rules take", e.to_string()))?;
        window.put(bet.clone());
        self.money.owe_stake(&bet.player, &escrow, staked.signed() - before.signed())
    }

    fn bet_cancelled(&mut self, entry: &Entry, event: &Event, player: &PlayerId) -> Result<(), Flaw> {
        let leaves = matches!(entry.command, Command::LeaveSeat { .. }) && entry.by == Actor::Player(player.clone());
        let unseated = matches!(&entry.command, Command::Unseat { player: who, .. } if who == player);
        if !leaves && !unseated && !answers(entry, event) {
            return Err(misplaced(event));
        }
        let escrow = self.escrow();
        let window = self.window.as_mut().ok_or_else(|| misplaced(event))?;
        let before = window.of(player).and_then(PlacedBet::staked).ok_or_else(|| misplaced(event))?;
        window.bets.retain(|bet| bet.player != *player);
        self.money.owe_stake(player, &escrow, -before.signed())
    }

    fn bets_lapsed(
        &mut self,
        entry: &Entry,
        event: &Event,
        of: (u64, LapseCause),
        announced: bool,
    ) -> Result<(), Flaw> {
        let (round_no, cause) = of;
        if !std::mem::take(&mut self.prepaid) {
            self.owe_back(Some(event))?;
            self.money.nothing_owed("what comes back when bets lapse")?;
        }
        let window = self.window.take().ok_or_else(|| misplaced(event))?;
        same("the round whose bets lapse", &window.round_no, &round_no)?;
        let expected = match &entry.command {
            Command::CloseBets { .. } if window.bets.is_empty() => LapseCause::NoBets,
            Command::CloseBets { .. } if window.bets.len() < self.rules.least_players() => LapseCause::TooFewPlayers,
            Command::Recover { .. } => LapseCause::Restart,
            Command::VoidRound { .. } => LapseCause::Malfunction,
            Command::CloseTable { .. } => LapseCause::Closed,
            _ => return Err(misplaced(event)),
        };
        same("why bets lapse", &expected, &cause)?;
        let by_players = matches!(entry.command, Command::CloseBets { .. });
        if by_players {
            self.closed_in_time(entry, &window)?;
        }
        same("whether the close was announced", &(by_players && is_announced(entry, &window)), &announced)?;
        if by_players && !announced {
            self.seats.window_over(|player| window.of(player).is_some());
        } else if cause != LapseCause::Closed {
            // Not the players' doing: players who were asked, or had bet, are asked again.
            let again = window.bets.iter().map(|bet| &bet.player).chain(&window.expected);
            let again: Vec<_> = again.filter(|player| self.seats.of(player).is_some()).cloned().collect();
            again.iter().for_each(|player| self.seats.ask(player));
        }
        Ok(())
    }

    /// Bets close at their time, on the operator's order, or once all players who were asked have bet.
    fn closed_in_time(&self, entry: &Entry, window: &Window) -> Result<(), Flaw> {
        let Some(closes_at) = window.closes_at.filter(|_| entry.by == Actor::House) else { return Ok(()) };
        let waits = window.expected.iter().any(|player| window.of(player).is_none());
        let enough = !window.bets.is_empty() && window.bets.len() >= self.rules.least_players();
        let early = self.rules.table.close_early && enough && !waits;
        if early { Ok(()) } else { lapsed("the close of bets", entry.time, closes_at) }
    }

    fn bets_closed(
        &mut self,
        on_log: &OnLog,
        event: &Event,
        of: (u64, u64),
        contributors: &[PlacedBet],
        (lanes, reveal_by): (u16, u64),
        announced: bool,
    ) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        let alone = !self.is_shared() && matches!(entry.command, Command::Bet { .. });
        let window = self.window.take().filter(|_| alone || self.is_shared() && answers(entry, event));
        let window = window.ok_or_else(|| misplaced(event))?;
        let shoe_no = self.shoe.as_ref().map(|shoe| shoe.shoe_no).ok_or_else(|| misplaced(event))?;
        same("bets_closed", &(window.round_no, shoe_no), &of)?;
        same("the contributors", &window.bets.as_slice(), &contributors)?;
        same("the reveal deadline", &entry.time.saturating_add(self.reveal_time_ms()), &reveal_by)?;
        let enough = contributors.len() >= self.rules.least_players();
        same("whether enough players bet", &true, &enough)?;
        self.closed_in_time(entry, &window)?;
        same("whether the close was announced", &is_announced(entry, &window), &announced)?;
        let mut round = RoundCheck::new(&self.rules, of.0, shoe_no, on_log.index, contributors)?;
        same("the lanes", &round.game.lanes(), &lanes)?;
        round.reveal_by = reveal_by;
        self.round = Some(round);
        self.bettors = Some(contributors.iter().map(|bet| bet.player.clone()).collect());
        if !announced {
            self.seats.window_over(|player| window.of(player).is_some());
        }
        self.seats.bets_closed(|player| window.of(player).is_some());
        self.absent.clear();
        self.next_round = of.0.checked_add(1);
        Ok(())
    }

    fn pile_closed(
        &mut self,
        on_log: &OnLog,
        event: &Event,
        of: (u64, u64),
        contributors: &[PlayerCommitment],
        reveal_by: u64,
    ) -> Result<(), Flaw> {
        let closes = on_log.entry.time.saturating_add(self.reveal_time_ms());
        same("the pile's reveal deadline", &closes, &reveal_by)?;
        let open = self.live_mut(event)?.pile.as_mut().filter(|pile| pile.closed_at.is_none());
        let pile = open.ok_or_else(|| misplaced(event))?;
        same("the pile that closes", &(pile.round_no, pile.shoe_no), &of)?;
        pile.closed(contributors, on_log.index, reveal_by)
    }

    fn round_over(&mut self, void: Option<VoidCause>) -> Result<(), Flaw> {
        // No card of a pile has been drawn while it is being shuffled.
        let drawn = self.round.as_ref().filter(|round| round.pile.is_none());
        if let (Some(shoe), Some(round)) = (&mut self.shoe, drawn) {
            shoe.burn(round.lanes.as_ref());
        }
        self.ended = Some(self.retirement(void));
        Ok(())
    }

    fn round_voided(
        &mut self,
        entry: &Entry,
        event: &Event,
        (round_no, cause): (u64, VoidCause),
        missing: &[PlayerId],
        ahead: Ahead,
        refunds: Option<u32>,
    ) -> Result<(), Flaw> {
        if !std::mem::take(&mut self.prepaid) {
            self.owe_back(Some(event))?;
            self.money.nothing_owed("what comes back of a void round")?;
        }
        let cap = self.rules.table.abandon_refunds;
        let exhausted = cause == VoidCause::ShoeExhausted && self.is_exhausted();
        let resumes = self.resumes();
        let round = self.live_mut(event)?;
        same("the voided round", &round.round_no, &round_no)?;
        let withheld = if cause == VoidCause::RevealMissing { round.missing() } else { Vec::new() };
        same("whose seeds are missing", &withheld.as_slice(), &missing)?;
        let leads = if round.exposed { round.game.ahead() } else { Ahead::Nobody };
        same("who was ahead", &leads, &ahead)?;
        match (&entry.command, cause, round.progress) {
            (Command::Lapse { lapsed: Lapsed::Reveal, .. }, VoidCause::RevealMissing, Progress::AwaitingReveals) => {
                lapsed("the reveal deadline", entry.time, round.reveal_by)?;
            }
            (Command::Lapse { lapsed: Lapsed::Round, .. }, VoidCause::Abandoned, Progress::Open) => {
                lapsed("the settlement deadline", entry.time, round.settle_by.unwrap_or(u64::MAX))?;
                same("whether the refund counts", &round.exposed, &refunds.is_some())?;
                if let (Some(refunds), Limit::AtMost(most)) = (refunds, cap)
                    && !(1..=most).contains(&refunds)
                {
                    return Err(Flaw::differs("the refunds in 30 days", format!("1 to {most}"), refunds));
                }
            }
            (Command::VoidRound { .. }, VoidCause::Malfunction, _) if entry.by == Actor::Operator => {}
            (Command::Recover { .. }, VoidCause::Crash, _) if !resumes => {}
            (_, VoidCause::ShoeExhausted, Progress::Open) if exhausted => {}
            _ => return Err(misplaced(event)),
        }
        if cause != VoidCause::Abandoned {
            same("the refunds counted", &None, &refunds)?;
        }
        round.progress = Progress::Voided(cause);
        if cause == VoidCause::RevealMissing && self.is_shared() {
            self.seats.withheld(missing);
        }
        self.round_over(Some(cause))
    }

    fn round_resumed(&mut self, entry: &Entry, event: &Event, round_no: u64, by: [Option<u64>; 3]) -> Result<(), Flaw> {
        let (reveal, turn) = (self.reveal_time_ms(), self.rules.table.turn_time_ms);
        if !self.resumes() || !answers(entry, event) {
            return Err(misplaced(event));
        }
        let round = self.live_mut(event)?;
        same("the resumed round", &round.round_no, &round_no)?;
        // The full time again once; then the house's absence, for which a table's entries only give a bound.
        let wait = Some(round.wait());
        let is_again = std::mem::replace(&mut round.resumed_in, wait) == wait;
        let time_again = |what: &'static str, full: u64, before: u64, by: u64| {
            let most = entry.time.saturating_add(full);
            if is_again && (before..=most).contains(&by) { Ok(()) } else { same(what, &most, &by) }
        };
        match (round.progress, &mut round.pile, round.settle_by, by) {
            (Progress::AwaitingReveals, _, _, [Some(by), None, None]) => {
                time_again("the new reveal deadline", reveal, round.reveal_by, by)?;
                round.reveal_by = by;
            }
            (Progress::Open, Some(pile), _, [Some(by), None, None]) => {
                time_again("the pile's new deadline", reveal, pile.deadline(), by)?;
                if pile.closed_at.is_some() { pile.reveal_by = by } else { pile.commit_by = by }
            }
            (Progress::Open, None, Some(before), [None, Some(by), None]) if by >= before => round.settle_by = Some(by),
            (Progress::Open, None, None, [None, None, Some(by)]) => {
                let ends = round
                    .game
                    .open_decisions()
                    .iter()
                    .map(|open| open.deadline.max(round.turn_floor))
                    .max()
                    .unwrap_or_default();
                time_again("the new turn", turn, ends, by)?;
                round.turn_floor = by;
            }
            _ => return Err(misplaced(event)),
        }
        Ok(())
    }
}

/// The operator closed bets before the window's time was up: it does not count as a missed window for any player
/// (R001.140).
fn is_announced(entry: &Entry, window: &Window) -> bool {
    entry.by == Actor::Operator && window.closes_at.is_some_and(|closes_at| entry.time < closes_at)
}
