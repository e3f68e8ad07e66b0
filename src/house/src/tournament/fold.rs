//! An event's entries, folded in (spec/games/tournaments.md, "Events"). `hand.rs` has the effects of its tables' hands.

use super::{
    DealTalk, Draws, Entrant, EventClock, EventEntry, EventTables, FieldState, HandForHand, Note, Noted, Proposal,
    SoldStake, Stage, Substitute, Terms, Tournament, Whereabouts, rules,
};
use super::{StandCause, TournamentEvent as E};
use crate::sharded::Sharded;
use crate::{Entry, Misfit};
use fairshoe_fairness::{EventEntropy, TableContext};
use fairshoe_tournament::EntryNo;
use fairshoe_tournament::bounty::Bounty;
use fairshoe_tournament::entry::itm_now;
use fairshoe_tournament::rank::Elimination;
use fairshoe_tournament::seating::{Field, Move};
use fairshoe_tournament::staking::Stake;
use fairshoe_tournament::structure::Payouts;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// An amount as the ledger signs it.
fn cents(amount: u64) -> i64 {
    i64::try_from(amount).unwrap_or(i64::MAX)
}

impl Tournament {
    /// An event that was just announced.
    pub(crate) fn created(context: TableContext, event: &E) -> Result<Tournament, Misfit> {
        let E::Created { structure, digest, rules: named, starts_at, registration_from, epoch, tip } = event else {
            return Err("an event begins with its announcement".into());
        };
        structure.validate()?;
        let table_rules = rules::table_rules(structure, named, 1);
        let table_rules = table_rules.ok_or("the structure's rule set is not poker")?;
        table_rules.validate()?;
        let fits = structure.digest() == *digest && named.digest() == structure.rules.digest && *epoch == context.epoch;
        if !fits {
            return Err("a digest, or the epoch, is not what it is said to be".into());
        }
        Ok(Tournament {
            level_rules: Arc::new(table_rules.clone()),
            next_seq: 0,
            last_used: 0,
            stage: Stage::Registering,
            starts_at: *starts_at,
            earlier_starts: Vec::new(),
            registration_from: *registration_from,
            late_levels: structure.late_levels,
            least_late_levels: structure.late_levels,
            unregister_ms: structure.unregister_ms,
            entries: Sharded::default(),
            next_entry: 0,
            entrants: Sharded::default(),
            sold: Default::default(),
            players: 0,
            remaining: 0,
            waiting: BTreeSet::new(),
            clock: EventClock { level: 1, ..EventClock::default() },
            itm: None,
            itm_at: None,
            registration_ended: None,
            pool: None,
            draws: Draws {
                next: 0,
                link: tip.clone(),
                running: EventEntropy::START,
                open: None,
                had_final: false,
                frozen: None,
            },
            field: FieldState(Field::new(structure.seats, 0)),
            tables: EventTables::default(),
            hands: 0,
            to_settle: BTreeMap::new(),
            rebuying: BTreeSet::new(),
            noted: BTreeMap::new(),
            hand_for_hand: None,
            unranked: Vec::new(),
            unpaid: BTreeSet::new(),
            won: BTreeSet::new(),
            deal: DealTalk::default(),
            deal_made: false,
            sellers: BTreeSet::new(),
            money: Default::default(),
            residual: 0,
            substitutes: BTreeMap::new(),
            refunds: BTreeMap::new(),
            refund_case: None,
            journal: Default::default(),
            dues: Default::default(),
            shape: Default::default(),
            terms: Arc::new(Terms {
                structure: structure.as_ref().clone(),
                digest: digest.clone(),
                rules: named.as_ref().clone(),
                table_rules,
            }),
            context,
        })
    }

    /// Adds to its accounts, or takes from them.
    pub(super) fn hold(&mut self, pool: i64, fees: i64, bounties: i64, stakes: i64) {
        let money = &mut self.money;
        money.pool = money.pool.saturating_add(pool);
        money.fees = money.fees.saturating_add(fees);
        money.bounties = money.bounties.saturating_add(bounties);
        money.stakes = money.stakes.saturating_add(stakes);
    }

    /// The worth of a seat of the target.
    pub(super) fn seat_value(&self) -> u64 {
        match &self.structure().payouts {
            Payouts::Satellite(terms) => terms.value(),
            Payouts::Rows(_) => 0,
        }
    }

    pub(crate) fn entry_mut(&mut self, entry_no: EntryNo) -> Result<&mut EventEntry, Misfit> {
        self.touch(entry_no);
        self.entries.get_mut(&entry_no).ok_or(Misfit::NoEntry(entry_no))
    }

    /// Folds one of its events in. Money is the ledger's.
    ///
    /// # Errors
    /// Why it does not fit the event, which is then no longer to be used.
    pub(crate) fn fold(&mut self, event: &E, time: u64) -> Result<(), Misfit> {
        match event {
            E::Created { .. } => return Err("the event was announced already".into()),
            E::Registered { .. } => self.fold_registered(event)?,
            E::BountySet { player, has } => {
                self.entrants.or_insert(player, Entrant::default()).has_bounty = Some(*has);
            }
            E::Unregistered { entry_no } => self.fold_unregistered(*entry_no)?,
            E::Rebought { entry_no, chips } => {
                let terms = self.structure().rebuy.clone().ok_or("the event has no rebuys")?;
                let entry = self.entry_mut(*entry_no)?;
                entry.rebuys = entry.rebuys.saturating_add(1);
                self.sold.rebuys = self.sold.rebuys.saturating_add(1);
                self.fold_chips(*entry_no, *chips, (terms.price, terms.fee))?;
            }
            E::AddedOn { entry_no, chips } => {
                let terms = self.structure().add_on.clone().ok_or("the event has no add-on")?;
                self.entry_mut(*entry_no)?.added_on = true;
                self.sold.add_ons = self.sold.add_ons.saturating_add(1);
                self.fold_chips(*entry_no, *chips, (terms.price, terms.fee))?;
            }
            E::Noted { entry_no, what, reason } => {
                let note = match (what, reason) {
                    (Noted::Rebuy, None) => Note::Rebuy,
                    (Noted::AddOn, None) => Note::AddOn,
                    (Noted::Disqualification, Some(reason)) => Note::Disqualification(reason.clone()),
                    _ => return Err("a disqualification has a reason, and nothing else has".into()),
                };
                // A player to be disqualified can buy no more chips.
                self.noted.insert(*entry_no, note);
                self.shape.take();
            }
            E::NoteDropped { entry_no, .. } => self.carried_out(*entry_no)?,
            E::StakeOffered { player, basis_points } => {
                let (entry_no, _) = self.in_play(player).ok_or("nobody's entry is for sale")?;
                self.entry_mut(entry_no)?.offered = *basis_points;
            }
            E::StakesDivided { entry_no } => {
                if !self.sellers.remove(entry_no) {
                    return Err(Misfit::NothingToDivide(*entry_no));
                }
                let entry = self.entry_mut(*entry_no)?;
                let escrow: u64 = entry.stakes.iter().map(|sold| sold.stake.price).sum();
                let all = std::mem::take(&mut entry.won).saturating_add(escrow);
                self.hold(0, 0, 0, -cents(all));
            }
            E::TicketReturned { value, .. } => {
                if self.takes_entries(time) || *value != self.ticket_value() {
                    return Err(Misfit::TicketWorth(*value));
                }
            }
            E::StakeSold { seller, buyer, basis_points, price } => {
                let (entry_no, _) = self.in_play(seller).ok_or("nobody's entry was sold")?;
                let stake = Stake { basis_points: *basis_points, price: *price };
                self.entry_mut(entry_no)?.stakes.push(SoldStake { buyer: buyer.clone(), stake });
                self.sellers.insert(entry_no);
                self.hold(0, 0, 0, cents(*price));
            }
            E::Started { players } => {
                if self.stage != Stage::Registering || *players != self.remaining {
                    return Err("it does not start so".into());
                }
                self.stage = Stage::Running;
                self.clock = EventClock { started: time, level: 1, ..EventClock::default() };
            }
            E::DrawCalled { .. } => self.fold_draw_called(event)?,
            E::SeatSeedRevealed { draw_no, entry_no, seed, next } => {
                let called = self.tables.called;
                let open = self.draws.open.as_mut().filter(|_| *draw_no == self.draws.next);
                let open = open.ok_or("no such draw is open")?;
                if !open.awaited.remove(entry_no) {
                    return Err(Misfit::SeedNotAwaited(*entry_no));
                }
                open.seeds.insert(*entry_no, seed.clone());
                let player = self.entry_mut(*entry_no)?.player.clone();
                let uses = self.use_of(&player, next.is_some());
                self.entry_mut(*entry_no)?.commitment = next.map(|next| (next, uses, called));
            }
            E::SeatsDrawn { draw_no, link, entropy, withheld } => {
                self.fold_seats_drawn(*draw_no, link.clone(), *entropy, *withheld)?
            }
            E::PlayerMoved { entry_no, from, to } => {
                self.fold_moved(Move { entry_no: *entry_no, from: *from, to: *to })?
            }
            E::LevelBegun { level } => {
                let level_rules = rules::table_rules(self.structure(), &self.terms.rules, *level);
                self.level_rules = Arc::new(level_rules.ok_or("there is no such level")?);
                self.clock.level = *level;
                self.tables.dirty.extend(self.tables.open.iter().copied());
            }
            E::BreakBegun { .. } => self.clock.in_break = true,
            E::BreakEnded {} => self.clock.in_break = false,
            E::PlayerEliminated { entry_no, hand, table, stack, distance } => self.fold_eliminated(Elimination {
                entry_no: *entry_no,
                hand: *hand,
                table: *table,
                stack: *stack,
                distance: *distance,
            })?,
            E::RebuyAwaited { entry_no, until } => {
                self.entry_mut(*entry_no)?.rebuy_until = Some(*until);
                self.rebuying.insert((*until, *entry_no));
                self.is_settled(*entry_no);
            }
            E::BountyWon { entry_no, winners } => {
                let left = self.entry_mut(*entry_no)?;
                // The divided part of their own total is in the winners' parts.
                let divided: u64 = winners.iter().map(|won| won.to_total.saturating_add(won.onto_head)).sum();
                left.bounty.won = left.bounty.won.saturating_sub(divided.saturating_sub(left.bounty.head));
                left.bounty.head = 0;
                if left.bounty.won == 0 {
                    self.won.remove(entry_no);
                }
                for won in winners {
                    let winner = self.entry_mut(won.entry_no)?;
                    winner.bounty.head = winner.bounty.head.saturating_add(won.onto_head);
                    winner.bounty.won = winner.bounty.won.saturating_add(won.to_total);
                    if won.to_total > 0 {
                        self.won.insert(won.entry_no);
                    }
                }
            }
            E::HandForHand { round } => {
                // A round that is over counts as one hand.
                if self.hand_for_hand.take().is_some() {
                    self.hands = self.hands.saturating_add(1);
                }
                self.hand_for_hand =
                    (*round > 0).then_some(HandForHand { round: *round, hand: self.hands, played: BTreeSet::new() });
            }
            E::RegistrationEnded { cause, .. } => self.registration_ended = Some(*cause),
            E::PoolFinal { pool, overlay } => {
                self.hold(cents(*overlay), 0, 0, 0);
                self.pool = Some(*pool);
                let places = self.places()?;
                let ranked = self.entries.iter().filter_map(|(entry_no, entry)| Some((entry.rank?, *entry_no)));
                let unpaid: Vec<_> = ranked.filter(|((first, _), _)| *first <= places).collect();
                self.unpaid.extend(unpaid.into_iter().map(|((first, _), entry_no)| (Reverse(first), entry_no)));
            }
            E::PrizePaid { entry_no, prize, rank } => {
                let entry = self.entry_mut(*entry_no)?;
                entry.is_paid = true;
                let (forfeited, is_seller) = (entry.at == Whereabouts::Disqualified, !entry.stakes.is_empty());
                let seat = if prize.t_dollars > 0 { self.seat_value() } else { prize.ticket };
                let of_pool = prize.cash.saturating_add(prize.substitute).saturating_add(seat);
                let entry = self.entry_mut(*entry_no)?;
                entry.from_pool = of_pool;
                if !forfeited {
                    entry.received = entry.received.saturating_add(prize.cash);
                }
                self.hold(-cents(of_pool), 0, 0, 0);
                if is_seller && !forfeited {
                    self.hold(0, 0, 0, cents(prize.cash));
                    let entry = self.entry_mut(*entry_no)?;
                    entry.won = entry.won.saturating_add(prize.cash);
                }
                if forfeited {
                    self.hold(0, 0, cents(prize.cash), 0);
                    self.divide_among_left(prize.cash)?;
                }
                if !self.unpaid.remove(&(Reverse(rank.0), *entry_no)) {
                    return Err(Misfit::NoPaidPlace(*entry_no));
                }
            }
            E::BountyPaid { entry_no, amount } => {
                let over = self.is_over();
                let entry = self.entry_mut(*entry_no)?;
                let due = if over { Bounty { head: 0, won: 0 } } else { Bounty { won: 0, ..entry.bounty } };
                let before = entry.bounty.current()?;
                let after = due.current()?;
                if before.checked_sub(after) != Some(*amount) {
                    return Err(Misfit::NotPaid(*entry_no, *amount));
                }
                entry.bounty = due;
                entry.received = entry.received.saturating_add(*amount);
                let is_seller = !entry.stakes.is_empty();
                if is_seller {
                    entry.won = entry.won.saturating_add(*amount);
                }
                self.hold(0, 0, -cents(*amount), if is_seller { cents(*amount) } else { 0 });
                self.won.remove(entry_no);
            }
            E::DealWanted { entry_no, want } => {
                if *want {
                    self.deal.wanted.insert(*entry_no);
                } else {
                    self.deal.wanted.remove(entry_no);
                }
            }
            E::DealProposed { digest, amounts, answer_by, .. } => {
                self.deal.proposal = Some(Proposal {
                    digest: digest.clone(),
                    amounts: amounts.clone(),
                    accepted: BTreeSet::new(),
                    answer_by: *answer_by,
                });
            }
            E::DealAnswered { entry_no, accept } => {
                let proposal = self.deal.proposal.as_mut().ok_or("no proposal stands")?;
                if *accept {
                    proposal.accepted.insert(*entry_no);
                }
            }
            E::DealMade { amounts } => self.fold_deal(amounts)?,
            E::DealOff {} => self.deal = DealTalk::default(),
            E::PlayerDisqualified { entry_no, .. } => self.fold_disqualified(*entry_no)?,
            E::PrizeSubstituted { place, what, value } => {
                let offered = Substitute { what: what.clone(), value: *value, accepted: BTreeSet::new() };
                self.substitutes.insert(*place, offered);
            }
            E::SubstituteAccepted { entry_no, place } => {
                let offered = self.substitutes.get_mut(place).ok_or("nothing is offered for that place")?;
                offered.accepted.insert(*entry_no);
            }
            E::RegistrationChanged { late_levels, unregister_ms } => {
                self.late_levels = *late_levels;
                self.least_late_levels = self.least_late_levels.min(*late_levels);
                self.unregister_ms = *unregister_ms;
            }
            E::Postponed { starts_at } => self.earlier_starts.push(std::mem::replace(&mut self.starts_at, *starts_at)),
            E::ClockStopped { cause } => {
                if self.clock.stands.replace((time, *cause)).is_some() {
                    return Err("the clock stands already".into());
                }
                if *cause == StandCause::Deal {
                    self.deal.since = Some(time);
                }
            }
            E::ClockStarted { cause } => {
                let stood = self.clock.stands.take().filter(|(_, why)| why == cause);
                let (from, _) = stood.ok_or("the clock does not stand for that")?;
                self.clock.stops.push((from, time));
                self.give_time_back(time.saturating_sub(from));
            }
            E::Cancelled { .. } => self.fold_cancelled(event, time)?,
            E::Refunded { .. } => self.fold_refunded(event)?,
            E::Ended { residual } => {
                self.stage = Stage::Ended;
                self.hold(-cents(*residual), -self.money.fees, 0, 0);
                if self.refund_case.is_some() && self.money != Default::default() {
                    return Err("an event that is off ends with something in its accounts".into());
                }
                self.residual = *residual;
                // A draw that was not made when the event was over never is.
                (self.draws.open, self.draws.frozen) = (None, None);
            }
        }
        Ok(())
    }

    /// So many are left from now on: late in the event hands have other clocks.
    fn count_remaining(&mut self, remaining: u64) {
        let before = self.late_extra_ms();
        self.remaining = remaining;
        if self.late_extra_ms() != before {
            self.tables.dirty.extend(self.tables.open.iter().copied());
        }
    }

    /// A commitment's use: how many the player gave in this event before. `taken`: this is another one.
    fn use_of(&mut self, player: &fairshoe_fairness::PlayerId, taken: bool) -> u16 {
        let entrant = self.entrants.or_insert(player, Entrant::default());
        let before = entrant.uses;
        entrant.uses = before.saturating_add(u16::from(taken));
        before
    }

    fn fold_registered(&mut self, event: &E) -> Result<(), Misfit> {
        let E::Registered { entry_no, player, commitment, paid_by, bounty, non_unregisterable } = event else {
            return Err("this is no registration".into());
        };
        if entry_no.0 != self.next_entry || self.in_play(player).is_some() {
            return Err(Misfit::EntryNotNext(*entry_no, player.clone()));
        }
        self.next_entry = self.next_entry.saturating_add(1);
        let uses = self.use_of(player, true);
        let entrant = self.entrants.or_insert(player, Entrant::default());
        let re_entry = !entrant.entries.is_empty();
        entrant.entries.push(*entry_no);
        entrant.registered = entrant.registered.saturating_add(1);
        let terms = self.structure().entry.clone();
        let bank_ms = self.structure().clocks.bank_ms;
        self.sold.entries = self.sold.entries.saturating_add(1);
        self.sold.with_bounty = self.sold.with_bounty.saturating_add(u64::from(*bounty > 0));
        self.players = self.players.saturating_add(u64::from(!re_entry));
        self.hold(cents(terms.buy_in), cents(terms.fee), cents(*bounty), 0);
        self.count_remaining(self.remaining.saturating_add(1));
        self.waiting.insert(*entry_no);
        // A player who enters again has no place for the entry before.
        let before: BTreeSet<EntryNo> =
            self.entrants.get(player).into_iter().flat_map(|entrant| entrant.entries.iter().copied()).collect();
        self.unranked.retain(|out| !before.contains(&out.entry_no));
        let entry = EventEntry {
            player: player.clone(),
            at: Whereabouts::Waiting,
            chips: terms.stack,
            bounty: Bounty { head: *bounty, won: 0 },
            paid_by: *paid_by,
            to_pool: terms.buy_in,
            fees: terms.fee,
            re_entry,
            non_unregisterable: *non_unregisterable,
            rebuys: 0,
            added_on: false,
            rebuy_until: None,
            falls: None,
            bank_ms,
            cut_off: None,
            commitment: Some((*commitment, uses, self.tables.called)),
            offered: 0,
            stakes: Vec::new(),
            won: 0,
            t_dollars_won: 0,
            received: 0,
            from_pool: 0,
            out: None,
            rank: None,
            is_paid: false,
        };
        self.touch(*entry_no);
        self.entries.insert(*entry_no, entry);
        Ok(())
    }

    /// An entry that was given back leaves nothing but its number, which is not used again: whoever enters and leaves for
    /// ever does not fill the state.
    fn fold_unregistered(&mut self, entry_no: EntryNo) -> Result<(), Misfit> {
        if !self.waiting.remove(&entry_no) {
            return Err(Misfit::NotGivenBack(entry_no));
        }
        let entry = self.entries.remove(&entry_no).ok_or("there is no such entry")?;
        if let Some(entrant) = self.entrants.get_mut(&entry.player) {
            entrant.entries.retain(|of| *of != entry_no);
        }
        let (bounty, escrow) = (entry.bounty.head, entry.stakes.iter().map(|sold| sold.stake.price).sum::<u64>());
        self.sellers.remove(&entry_no);
        self.hold(-cents(entry.to_pool), -cents(entry.fees), -cents(bounty), -cents(escrow));
        self.sold.entries = self.sold.entries.saturating_sub(1);
        self.sold.with_bounty = self.sold.with_bounty.saturating_sub(u64::from(bounty > 0));
        self.players = self.players.saturating_sub(1);
        self.count_remaining(self.remaining.saturating_sub(1));
        Ok(())
    }

    /// Chips that were bought.
    fn fold_chips(&mut self, entry_no: EntryNo, chips: u64, (price, fee): (u64, u64)) -> Result<(), Misfit> {
        if self.noted.contains_key(&entry_no) {
            self.carried_out(entry_no)?;
        }
        let entry = self.entry_mut(entry_no)?;
        entry.chips = chips;
        entry.to_pool = entry.to_pool.saturating_add(price);
        entry.fees = entry.fees.saturating_add(fee);
        entry.falls = None;
        let (pool, fees) = (cents(price), cents(fee));
        let until = entry.rebuy_until.take();
        let table = entry.table();
        if let Some(until) = until {
            self.rebuying.remove(&(until, entry_no));
        }
        self.hold(pool, fees, 0, 0);
        self.is_settled(entry_no);
        self.tables.dirty.extend(table);
        Ok(())
    }

    /// Marks the last hand's effect on an entry as settled.
    fn is_settled(&mut self, entry_no: EntryNo) {
        self.to_settle.retain(|_, entries| {
            entries.retain(|of| *of != entry_no);
            !entries.is_empty()
        });
    }

    fn fold_moved(&mut self, moved: Move) -> Result<(), Misfit> {
        let (from, to) = (moved.from, moved.to);
        let left = self.field_mut().tables.get_mut(&from.0).and_then(|table| table.players.remove(&from.1));
        if left != Some(moved.entry_no) || self.field.0.tables.get(&to.0).is_none_or(|t| t.players.contains_key(&to.1))
        {
            return Err(Misfit::OtherMove(moved.entry_no));
        }
        self.field_mut().sit(to.0, to.1, moved.entry_no);
        self.entry_mut(moved.entry_no)?.at = Whereabouts::Seated(to.0, to.1);
        self.tables.dirty.extend([from.0, to.0]);
        Ok(())
    }

    /// Every wait has as much time left as when the clock stopped: else a house that is down for a while would leave
    /// the strangers' seeds out of a draw, and their rebuys out of the event.
    fn give_time_back(&mut self, ms: u64) {
        if let Some(open) = &mut self.draws.open {
            open.reveal_by = open.reveal_by.saturating_add(ms);
        }
        for (until, entry_no) in std::mem::take(&mut self.rebuying) {
            let until = until.saturating_add(ms);
            if let Some(entry) = self.entries.get_mut(&entry_no) {
                entry.rebuy_until = Some(until);
            }
            self.rebuying.insert((until, entry_no));
        }
    }

    /// A player leaves their seat for good.
    fn leave_seat(&mut self, entry_no: EntryNo, at: Whereabouts) -> Result<(), Misfit> {
        let entry = self.entry_mut(entry_no)?;
        let seat = entry.at;
        (entry.at, entry.chips) = (at, 0);
        let until = entry.rebuy_until.take();
        if let Some(until) = until {
            self.rebuying.remove(&(until, entry_no));
        }
        if let Whereabouts::Seated(table, seat) = seat {
            let here = self.field_mut().tables.get_mut(&table);
            let is_empty = here.is_some_and(|here| here.players.remove(&seat).is_some() && here.players.is_empty());
            self.tables.dirty.insert(table);
            // It breaks without a draw, there being nobody to seat (6.1).
            if is_empty {
                self.field_mut().tables.remove(&table);
            }
        }
        self.waiting.remove(&entry_no);
        // A player declines a rebuy, or lets its time pass, while their broken table's seats are drawn.
        if let Some(open) = &mut self.draws.open {
            open.entrants.remove(&entry_no);
            open.awaited.remove(&entry_no);
            open.seeds.remove(&entry_no);
        }
        self.count_remaining(self.remaining.saturating_sub(1));
        self.deal.wanted.remove(&entry_no);
        self.is_settled(entry_no);
        Ok(())
    }

    fn fold_eliminated(&mut self, out: Elimination) -> Result<(), Misfit> {
        let falls = self.entry_mut(out.entry_no)?.falls.take();
        let same = falls.is_some_and(|fall| {
            (fall.hand, fall.table, fall.stack, fall.distance) == (out.hand, out.table, out.stack, out.distance)
        });
        if !same {
            return Err(Misfit::OtherElimination(out.entry_no));
        }
        self.leave_seat(out.entry_no, Whereabouts::Out)?;
        self.entry_mut(out.entry_no)?.out = Some(out);
        self.unranked.push(out);
        Ok(())
    }

    fn fold_disqualified(&mut self, entry_no: EntryNo) -> Result<(), Misfit> {
        if self.noted.contains_key(&entry_no) {
            self.carried_out(entry_no)?;
        }
        let table = self.entries.get(&entry_no).and_then(EventEntry::table).unwrap_or_default();
        let entry = self.entry_mut(entry_no)?;
        let player = entry.player.clone();
        let bounty = std::mem::take(&mut entry.bounty).current()?;
        let is_out = entry.at == Whereabouts::Out;
        self.won.remove(&entry_no);
        match is_out {
            true => self.entry_mut(entry_no)?.at = Whereabouts::Disqualified,
            false => self.leave_seat(entry_no, Whereabouts::Disqualified)?,
        }
        self.divide_among_left(bounty)?;
        self.entrants.or_insert(&player, Entrant::default()).is_barred = true;
        // A player who was out by the hand in which it was noted keeps the place that this was.
        if is_out {
            return Ok(());
        }
        // The place of one eliminated at that moment.
        let out = Elimination { entry_no, hand: self.hands, table, stack: 0, distance: 0 };
        self.entry_mut(entry_no)?.out = Some(out);
        self.unranked.push(out);
        if self.hand_for_hand.is_none() {
            self.hands = self.hands.saturating_add(1);
        }
        Ok(())
    }

    /// Adds a disqualified player's money to the totals of all who are left, ascending by entry (7.6, 10.7).
    fn divide_among_left(&mut self, amount: u64) -> Result<(), Misfit> {
        if amount == 0 {
            return Ok(());
        }
        let mut left: Vec<EntryNo> = self.left().map(|(entry_no, _)| *entry_no).collect();
        left.sort_unstable();
        let parts = fairshoe_tournament::prize::forfeited(amount, left.len());
        for (entry_no, part) in left.into_iter().zip(parts) {
            let entry = self.entry_mut(entry_no)?;
            entry.bounty.won = entry.bounty.won.saturating_add(part);
            self.won.insert(entry_no);
        }
        Ok(())
    }

    fn fold_deal(&mut self, amounts: &[(EntryNo, u64)]) -> Result<(), Misfit> {
        let mut order: Vec<(Reverse<u64>, EntryNo)> = Vec::with_capacity(amounts.len());
        for (entry_no, amount) in amounts {
            let entry = self.entry_mut(*entry_no)?;
            order.push((Reverse(entry.chips), *entry_no));
            entry.is_paid = true;
            let is_seller = !entry.stakes.is_empty();
            if is_seller {
                entry.won = entry.won.saturating_add(*amount);
            }
            self.hold(-cents(*amount), 0, 0, if is_seller { cents(*amount) } else { 0 });
        }
        order.sort_unstable();
        for (place, (_, entry_no)) in (1..).zip(order) {
            self.entry_mut(entry_no)?.rank = Some((place, place));
        }
        self.deal = DealTalk::default();
        self.deal_made = true;
        Ok(())
    }

    /// An entry of the event, or of one of its tables, is folded in: what follows from it by itself, and what is due.
    pub(crate) fn end_entry(&mut self, entry: &Entry) -> Result<(), Misfit> {
        let time = entry.time;
        self.last_used = time;
        if self.is_over() {
            // A round of it is over with its event.
            self.hand_for_hand = None;
        }
        if self.stage == Stage::Running {
            if self.itm.is_none() {
                let structure = self.scheduled(self.least_late_levels);
                let asked = self.asked(time);
                let cuts = fairshoe_tournament::entry::would_cut_short(
                    &structure,
                    self.players,
                    asked.running.unwrap_or_default(),
                );
                if itm_now(&structure, &asked)? {
                    (self.itm, self.itm_at) = (Some(cuts), Some(time));
                }
            }
            self.fix_ranks()?;
            let stands = self.clock.stands.is_some();
            self.clock.next_change = if stands { None } else { self.next_change(time) };
            self.freeze();
            self.end_journal(time);
        }
        let (duty, deadline) = (self.duty(), self.next_deadline());
        self.dues = self.dues.after(entry, duty, deadline);
        Ok(())
    }

    /// When the clock next comes to another level or break, if it goes on; UTC milliseconds.
    fn next_change(&self, now: u64) -> Option<u64> {
        let position = self.position(now)?;
        // The clock is behind: the house has yet to say so.
        if (position.level, position.in_break) != (self.clock.level, self.clock.in_break) {
            return Some(now);
        }
        let ahead = [position.to_next_level.filter(|_| !self.is_synchronised_break(&position)), position.to_break];
        ahead.into_iter().flatten().min().map(|ms| now.saturating_add(ms))
    }

    /// In a synchronised break running time stands, so that no level ends.
    fn is_synchronised_break(&self, position: &fairshoe_tournament::clock::Position) -> bool {
        use fairshoe_tournament::structure::Breaks;
        position.in_break && matches!(self.structure().breaks, Breaks::Synchronised { .. })
    }

    fn fix_ranks(&mut self) -> Result<(), Misfit> {
        let mut ranks = self.ranks_now();
        if self.registration_ended.is_some() && !ranks.is_empty() {
            self.unranked.clear();
        }
        if self.is_over() && !self.deal_made {
            let left: Vec<EntryNo> =
                self.left().filter(|(_, entry)| entry.rank.is_none()).map(|(entry_no, _)| *entry_no).collect();
            let last = self.remaining;
            ranks.extend(left.into_iter().map(|entry_no| fairshoe_tournament::rank::Rank { entry_no, first: 1, last }));
        }
        let places = self.places()?;
        for rank in ranks {
            let is_final = self.pool.is_some();
            self.entry_mut(rank.entry_no)?.rank = Some((rank.first, rank.last));
            if is_final && rank.first <= places {
                self.unpaid.insert((Reverse(rank.first), rank.entry_no));
            }
        }
        Ok(())
    }
}
