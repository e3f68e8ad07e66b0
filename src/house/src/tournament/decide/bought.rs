//! What players buy: entries, rebuys, add-ons; and entries that are given back (spec/games/tournaments.md, 4).

use super::{EventPending, broken, signed};
use crate::decide::{DecideError, require};
use crate::tournament::{
    DropCause, EventEntry, LATE_DRAWS, MOST_ENTRIES, MOST_OF_PLAYER, Note, Noted, PaidBy, Pay, Stage,
    TournamentCommand as C, TournamentEvent,
};
use crate::{Account, Actor, Refusal};
use fairshoe_fairness::{PlayerId, SeedCommitment};
use fairshoe_tournament::clock::within_levels;
use fairshoe_tournament::entry::{Closed, Collected, Sold, collected, may_unregister};
use fairshoe_tournament::structure::{BountyOn, Breaks};
use fairshoe_tournament::{EntryNo, MAX_AMOUNT};

/// The most cents, or chips, that an event may come to hold (2.6).
const MOST_HELD: u64 = MAX_AMOUNT / 2;

impl EventPending<'_> {
    /// An entry, or another one after an elimination (4.1, 4.3).
    pub(super) fn register(&mut self, by: &Actor, commitment: SeedCommitment, pay: Pay) -> Result<(), DecideError> {
        let player = self.player(by)?;
        let event = self.event;
        self.require_open(&player)?;
        if event.in_play(&player).is_some() {
            return Err(Refusal::NothingToDo("you are registered already").into());
        }
        let terms = event.structure().entry.clone();
        let entrant = event.entrants.get(&player).cloned().unwrap_or_default();
        let noted = |entry_no| matches!(event.noted.get(entry_no), Some(Note::Disqualification(_)));
        if entrant.is_barred || entrant.entries.iter().any(noted) {
            return Err(Refusal::NotAllowed("you were disqualified from this event").into());
        }
        if entrant.entries.len() >= usize::from(terms.entries_per_player) {
            return Err(Refusal::NotAllowed("you have no entry left in this event").into());
        }
        if entrant.registered >= MOST_OF_PLAYER {
            return Err(Refusal::FieldFull("you registered for this event as often as anybody may: 1,000 times").into());
        }
        let has_bounty = match event.structure().bounty_on {
            BountyOn::All => true,
            BountyOn::Some => entrant.has_bounty == Some(true),
        };
        let bounty = if has_bounty { terms.bounty } else { 0 };
        self.require_room(|sold| {
            sold.entries = sold.entries.saturating_add(1);
            sold.with_bounty = sold.with_bounty.saturating_add(u64::from(bounty > 0));
        })?;
        let price = terms.buy_in.saturating_add(terms.fee).saturating_add(bounty);
        self.note_before(&player);
        let mut lines = self.payers(&player, price, pay)?;
        let entry_no = EntryNo(event.next_entry);
        let non_unregisterable = pay == Pay::Ticket && self.state.ticket_is_bound(event.name(), &player);
        let paid_by = paid_by(&lines);
        lines.extend([
            (self.pool(), signed(terms.buy_in)),
            (self.fees(), signed(terms.fee)),
            (self.bounties(), signed(bounty)),
        ]);
        self.push(TournamentEvent::Registered { entry_no, player, commitment, paid_by, bounty, non_unregisterable });
        self.post(lines)
    }

    /// Whether players register now.
    fn require_open(&self, player: &PlayerId) -> Result<(), DecideError> {
        let event = self.event;
        if !matches!(event.stage, Stage::Registering | Stage::Running) {
            return Err(Refusal::RegistrationClosed("the event is over, or off").into());
        }
        if self.time < event.registration_from {
            return Err(Refusal::DeadlineAhead(event.registration_from).into());
        }
        // A player who enters again counts already, and a full field is closed to them as well (4.7).
        let _ = player;
        match event.closed(self.time).map_err(broken)? {
            None => Ok(()),
            Some(Closed::Full) => Err(Refusal::FieldFull("the field is full").into()),
            Some(Closed::Schedule) => Err(Refusal::RegistrationClosed("late registration is over").into()),
            Some(Closed::Itm) => Err(Refusal::RegistrationClosed("the paid places are reached").into()),
        }
    }

    /// Refuses what would exceed an event's bounds (2.6).
    fn require_room(&self, more: impl Fn(&mut Sold)) -> Result<(), DecideError> {
        let mut sold = self.event.sold;
        more(&mut sold);
        let all = collected(self.event.structure(), &sold);
        let fits = |all: &Collected| {
            let cents = all.pool.saturating_add(all.fees).saturating_add(all.bounties);
            cents <= MOST_HELD && all.chips <= MOST_HELD
        };
        let fits =
            all.is_ok_and(|all| fits(&all)) && sold.entries <= MOST_ENTRIES && self.event.draws.next < LATE_DRAWS;
        if fits { Ok(()) } else { Err(Refusal::AmountOutOfRange(fairshoe_games::Chips::MAX).into()) }
    }

    /// The accounts that pay a price, and how much each.
    fn payers(&self, player: &PlayerId, price: u64, pay: Pay) -> Result<Vec<(Account, i64)>, DecideError> {
        let funds = self.funds(player);
        let cash = match pay {
            Pay::Cash => price,
            Pay::TDollars => price.saturating_sub(self.t_dollars(player)),
            Pay::Ticket if self.state.has_ticket(self.event.name(), player) => {
                return Ok(vec![(Account::Tickets, -signed(price))]);
            }
            Pay::Ticket => return Err(Refusal::NotAllowed("you have no ticket for this event").into()),
        };
        if cash > funds {
            let (balance, asked) = (Self::chips(funds), Self::chips(cash));
            return Err(Refusal::InsufficientBalance { balance, asked }.into());
        }
        Ok(vec![
            (Account::Player(player.clone()), -signed(cash)),
            (Account::TDollars(player.clone()), -signed(price.saturating_sub(cash))),
        ])
    }

    /// An entry is given back, in the form paid, and its stakes (4.2, 12.3).
    pub(super) fn unregister(&mut self, by: &Actor) -> Result<(), DecideError> {
        let player = self.player(by)?;
        let (entry_no, entry) = self.own_entry(&player)?;
        let entry = entry.clone();
        if entry.non_unregisterable {
            return Err(Refusal::NotAllowed("this entry cannot be given back").into());
        }
        let (starts_at, ms) = (self.event.starts_at, self.event.unregister_in_force());
        let Some(ms) = ms else {
            return Err(Refusal::NotAllowed("in this event no entry can be given back").into());
        };
        let structure = self.event.structure().clone();
        let structure = fairshoe_tournament::Structure { unregister_ms: Some(ms), ..structure };
        if self.event.stage != Stage::Registering || !may_unregister(&structure, starts_at, self.time, false) {
            return Err(Refusal::DeadlinePassed(starts_at.saturating_sub(ms)).into());
        }
        self.note_before(&player);
        let back = entry.stakes.clone();
        for stake in &back {
            self.note_before(&stake.buyer);
        }
        self.push(TournamentEvent::Unregistered { entry_no });
        let mut lines = self.form_paid(&entry);
        lines.extend([
            (self.pool(), -signed(entry.to_pool)),
            (self.fees(), -signed(entry.fees)),
            (self.bounties(), -signed(entry.bounty.head)),
        ]);
        let escrow = self.escrow();
        lines.extend(back.iter().flat_map(|sold| {
            let price = signed(sold.stake.price);
            [(escrow.clone(), -price), (Account::Player(sold.buyer.clone()), price)]
        }));
        self.post(lines)
    }

    /// All that was paid for an entry, back to where it came from.
    pub(super) fn form_paid(&self, entry: &EventEntry) -> Vec<(Account, i64)> {
        vec![
            (Account::Player(entry.player.clone()), signed(entry.paid_by.cash)),
            (Account::TDollars(entry.player.clone()), signed(entry.paid_by.t_dollars)),
            (Account::Tickets, signed(entry.paid_by.ticket)),
        ]
    }

    /// More chips in the first levels (4.4). In a hand of the player's table it is noted: the level counts as of now, what
    /// they have when the hand is over.
    pub(super) fn rebuy(&mut self, by: &Actor) -> Result<(), DecideError> {
        let player = self.player(by)?;
        let (entry_no, entry) = self.own_entry(&player)?;
        let entry = entry.clone();
        let terms = self.event.structure().rebuy.clone();
        let terms = terms.ok_or(Refusal::NotAllowed("this event has no rebuys"))?;
        let running = self.running()?;
        if !within_levels(self.event.structure(), terms.levels, running) {
            return Err(Refusal::RegistrationClosed("the levels with rebuys are over").into());
        }
        if let Some(until) = entry.rebuy_until.filter(|until| self.time >= *until) {
            return Err(Refusal::DeadlinePassed(until).into());
        }
        self.require_nothing_noted(entry_no)?;
        if entry.rebuys >= terms.most {
            return Err(Refusal::NotAllowed("you have no rebuy left").into());
        }
        if self.is_in_hand(&entry) {
            return self.note_purchase(entry_no, Noted::Rebuy);
        }
        if entry.chips > terms.stack_at_most {
            return Err(Refusal::NotAllowed("you have too many chips for a rebuy").into());
        }
        self.buy_chips(entry_no, Noted::Rebuy)
    }

    /// The add-on, in the break that is for it (4.4).
    pub(super) fn add_on(&mut self, by: &Actor) -> Result<(), DecideError> {
        let player = self.player(by)?;
        let (entry_no, entry) = self.own_entry(&player)?;
        let entry = entry.clone();
        let terms = self.event.structure().add_on.clone();
        let terms = terms.ok_or(Refusal::NotAllowed("this event has no add-on"))?;
        let position = self.event.position(self.time).filter(|_| self.event.clock.stands.is_none());
        let is_open = matches!(self.event.structure().breaks, Breaks::After(_))
            && position.is_some_and(|position| position.in_break && position.level == terms.after_level);
        if !is_open {
            return Err(Refusal::RegistrationClosed("the add-on is for the break that the structure names").into());
        }
        self.require_nothing_noted(entry_no)?;
        if entry.added_on {
            return Err(Refusal::NothingToDo("you have the add-on already").into());
        }
        match self.is_in_hand(&entry) {
            true => self.note_purchase(entry_no, Noted::AddOn),
            false => self.buy_chips(entry_no, Noted::AddOn),
        }
    }

    fn running(&self) -> Result<u64, DecideError> {
        let running = self.event.running(self.time).filter(|_| self.event.stage == Stage::Running);
        Ok(running.ok_or(Refusal::NotAllowed("the event is not being played"))?)
    }

    /// Whether an entry's chips are those of a hand: one is called or played at its table. A player without chips who
    /// may rebuy plays no hand.
    fn is_in_hand(&self, entry: &EventEntry) -> bool {
        entry.rebuy_until.is_none() && entry.table().is_some_and(|table| !self.event.rests_at(table))
    }

    /// One thing at a time is noted of an entry.
    fn require_nothing_noted(&self, entry_no: EntryNo) -> Result<(), DecideError> {
        match self.event.noted.get(&entry_no) {
            None => Ok(()),
            Some(Note::Disqualification(_)) => Err(Refusal::NotAllowed("you are disqualified").into()),
            Some(_) => Err(Refusal::NothingToDo("what you asked for before is done when the hand is over").into()),
        }
    }

    /// The price of one of them, and its chips.
    fn terms(&self, what: Noted) -> Result<Purchase, DecideError> {
        let structure = self.event.structure();
        let rebuy = structure.rebuy.as_ref().map(|terms| (terms.price, terms.fee, terms.chips));
        let add_on = structure.add_on.as_ref().map(|terms| (terms.price, terms.fee, terms.chips));
        let terms = match what {
            Noted::Rebuy => rebuy,
            Noted::AddOn => add_on,
            Noted::Disqualification => None,
        };
        let (price, fee, chips) = terms.ok_or_else(|| DecideError::Broken("nothing of that kind is sold".into()))?;
        Ok(Purchase { price, fee, chips })
    }

    /// Whether chips could be bought now: until the pool is final, within what the event may hold, by who can pay.
    fn require_purchase(&self, player: &PlayerId, what: Noted) -> Result<Vec<(Account, i64)>, DecideError> {
        if self.event.pool.is_some() {
            return Err(Refusal::RegistrationClosed("the pool is final").into());
        }
        self.require_room(|sold| match what {
            Noted::AddOn => sold.add_ons = sold.add_ons.saturating_add(1),
            _ => sold.rebuys = sold.rebuys.saturating_add(1),
        })?;
        let terms = self.terms(what)?;
        let mut lines = self.payers(player, terms.price.saturating_add(terms.fee), Pay::Cash)?;
        lines.extend([(self.pool(), signed(terms.price)), (self.fees(), signed(terms.fee))]);
        Ok(lines)
    }

    /// It is carried out when the hand is over, and costs nothing before.
    fn note_purchase(&mut self, entry_no: EntryNo, what: Noted) -> Result<(), DecideError> {
        let player = self.entry(entry_no)?.player.clone();
        self.require_purchase(&player, what)?;
        self.push(TournamentEvent::Noted { entry_no, what, reason: None });
        Ok(())
    }

    fn buy_chips(&mut self, entry_no: EntryNo, what: Noted) -> Result<(), DecideError> {
        let entry = self.entry(entry_no)?.clone();
        let lines = self.require_purchase(&entry.player, what)?;
        self.note_before(&entry.player);
        let chips = entry.chips.saturating_add(self.terms(what)?.chips);
        self.push(match what {
            Noted::AddOn => TournamentEvent::AddedOn { entry_no, chips },
            _ => TournamentEvent::Rebought { entry_no, chips },
        });
        self.post(lines)
    }

    /// Carries out an entry's note, or drops it if that is impossible (4.4, 7.6).
    pub(super) fn carry_out(&mut self, by: &Actor, entry_no: EntryNo) -> Result<(), DecideError> {
        self.require_duty(by, &C::CarryOut { event: self.event.name().clone(), entry_no })?;
        let note = self.event.noted.get(&entry_no).cloned();
        let note = note.ok_or_else(|| DecideError::Broken("nothing was noted of that entry".into()))?;
        let what = note.what();
        let why = match note {
            Note::Disqualification(reason) => return self.carry_disqualification_out(entry_no, reason),
            Note::Rebuy | Note::AddOn => self.why_not_bought(entry_no, what)?,
        };
        match why {
            None => self.buy_chips(entry_no, what),
            Some(why) => {
                self.push(TournamentEvent::NoteDropped { entry_no, what, why });
                Ok(())
            }
        }
    }

    /// Why what was asked for in a hand cannot be bought when it is over.
    fn why_not_bought(&self, entry_no: EntryNo, what: Noted) -> Result<Option<DropCause>, DecideError> {
        let entry = self.entry(entry_no)?;
        let most = self.event.structure().rebuy.as_ref().map_or(0, |terms| terms.stack_at_most);
        if what == Noted::Rebuy && entry.chips > most {
            return Ok(Some(DropCause::Stack));
        }
        match self.require_purchase(&entry.player, what) {
            Ok(_) => Ok(None),
            Err(DecideError::Refused(Refusal::RegistrationClosed(_))) => Ok(Some(DropCause::Over)),
            Err(DecideError::Refused(Refusal::AmountOutOfRange(_))) => Ok(Some(DropCause::Room)),
            Err(DecideError::Refused(Refusal::InsufficientBalance { .. })) => Ok(Some(DropCause::Balance)),
            Err(error) => Err(error),
        }
    }

    /// Whether a player's entries have a bounty, where only some have (R001.106).
    pub(super) fn set_bounty(&mut self, by: &Actor, player: &PlayerId, has: bool) -> Result<(), DecideError> {
        require(by, &Actor::Operator, "the operator says who has a bounty")?;
        if self.event.structure().bounty_on != BountyOn::Some {
            return Err(Refusal::NotAllowed("in this event every entry has a bounty").into());
        }
        if self.state.ledger.player(player).is_none() {
            return Err(Refusal::UnknownPlayer(player.clone()).into());
        }
        let entrant = self.event.entrants.get(player);
        if entrant.is_some_and(|entrant| entrant.registered > 0) {
            return Err(Refusal::NotAllowed("that is said before the player registers").into());
        }
        if entrant.is_some_and(|entrant| entrant.has_bounty == Some(has)) {
            return Err(Refusal::NothingToDo("that is so already").into());
        }
        self.push(TournamentEvent::BountySet { player: player.clone(), has });
        Ok(())
    }
}

/// The sum that payers paid, by form.
fn paid_by(payers: &[(Account, i64)]) -> PaidBy {
    let mut paid = PaidBy::default();
    for (account, amount) in payers {
        let form = match account {
            Account::TDollars(_) => &mut paid.t_dollars,
            Account::Tickets => &mut paid.ticket,
            _ => &mut paid.cash,
        };
        *form = form.saturating_add(amount.unsigned_abs());
    }
    paid
}

/// The price of more chips, and their number.
struct Purchase {
    price: u64,
    fee: u64,
    chips: u64,
}
