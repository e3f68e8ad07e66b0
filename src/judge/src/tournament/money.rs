//! Every cent of an event: its postings by account and by what they were for, and each player's part of them, held
//! against what the event's own words say that they paid and were paid.

use fairshoe_fairness::PlayerId;
use fairshoe_house::tournament::{Stage, Whereabouts};
use fairshoe_house::{Account, Command, Entry, Event, Line, Tournament, TournamentCommand as C, TournamentEvent as E};
use fairshoe_tournament::EntryNo;
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

/// The purpose of an event's posting.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Reason {
    /// Buy-ins, fees and bounties of entries.
    Entries,
    /// Entries that were given back, and the stakes of them.
    GivenBack,
    /// More chips.
    Rebuys,
    /// Add-ons.
    AddOns,
    /// Stakes that were sold.
    StakesSold,
    /// The house's addition to the pool.
    Overlay,
    /// Prizes: cash, tickets, T$, substitutes.
    Prizes,
    /// A deal.
    Deal,
    /// Won bounties.
    Bounties,
    /// The sums that a cancellation adds to the accounts, or takes out of them, so that they hold the refunds.
    Cancellation,
    /// Refunds.
    Refunds,
    /// Tickets that were not used, as T$.
    TicketsReturned,
    /// The end: stakes divided, fees to the house, fractions to the residual.
    End,
}

/// The purpose for which an entry's command, or else its events, move money.
fn reason(command: &C, events: &[Event]) -> Option<Reason> {
    let says = |is: fn(&E) -> bool| events.iter().any(|event| matches!(event, Event::Tournament(event) if is(event)));
    Some(match command {
        C::CarryOut { .. } if says(|event| matches!(event, E::Rebought { .. })) => Reason::Rebuys,
        C::CarryOut { .. } if says(|event| matches!(event, E::AddedOn { .. })) => Reason::AddOns,
        C::End { .. } if says(|event| matches!(event, E::TicketReturned { .. })) => Reason::TicketsReturned,
        C::Register { .. } => Reason::Entries,
        C::Unregister { .. } => Reason::GivenBack,
        C::Rebuy { .. } => Reason::Rebuys,
        C::AddOn { .. } => Reason::AddOns,
        C::BuyStake { .. } => Reason::StakesSold,
        C::EndRegistration { .. } => Reason::Overlay,
        C::PayPlaces { .. } => Reason::Prizes,
        C::AnswerDeal { .. } => Reason::Deal,
        C::PayBounties { .. } => Reason::Bounties,
        C::Cancel { .. } | C::Start { .. } => Reason::Cancellation,
        C::PayRefunds { .. } => Reason::Refunds,
        C::End { .. } => Reason::End,
        _ => return None,
    })
}

/// Cents by account; credits are positive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Columns {
    /// All players' balances.
    pub players: i128,
    /// All players' T$.
    pub t_dollars: i128,
    /// Tickets.
    pub tickets: i128,
    /// The event's pool.
    pub pool: i128,
    /// Its fees.
    pub fees: i128,
    /// Heads and won totals.
    pub bounties: i128,
    /// The escrow of stakes.
    pub stakes: i128,
    /// The house.
    pub house: i128,
    /// Cut fractions.
    pub residual: i128,
    /// Any other account: none, by the rules.
    pub other: i128,
}

impl Columns {
    /// By column, with its name.
    pub fn named(&self) -> [(&'static str, i128); 10] {
        [
            ("players", self.players),
            ("T$", self.t_dollars),
            ("tickets", self.tickets),
            ("pool", self.pool),
            ("fees", self.fees),
            ("bounties", self.bounties),
            ("escrow", self.stakes),
            ("house", self.house),
            ("residual", self.residual),
            ("other", self.other),
        ]
    }

    /// All of them together: 0, since each posting is.
    pub fn sum(&self) -> i128 {
        self.named().iter().map(|(_, amount)| amount).sum()
    }

    fn of(&mut self, account: &Account) -> &mut i128 {
        match account {
            Account::Player(_) => &mut self.players,
            Account::TDollars(_) => &mut self.t_dollars,
            Account::Tickets => &mut self.tickets,
            Account::Pool(_) => &mut self.pool,
            Account::Fees(_) => &mut self.fees,
            Account::Bounties(_) => &mut self.bounties,
            Account::Stakes(_) => &mut self.stakes,
            Account::House => &mut self.house,
            Account::RoundingResidual => &mut self.residual,
            _ => &mut self.other,
        }
    }

    fn add(&mut self, more: &Columns) {
        self.players += more.players;
        self.t_dollars += more.t_dollars;
        self.tickets += more.tickets;
        self.pool += more.pool;
        self.fees += more.fees;
        self.bounties += more.bounties;
        self.stakes += more.stakes;
        self.house += more.house;
        self.residual += more.residual;
        self.other += more.other;
    }
}

/// A row of the account table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct AccountRow {
    /// The purpose of the movements.
    pub reason: Reason,
    /// Cents.
    pub amounts: Columns,
}

/// The account table of an event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Accounts {
    /// The movements, by purpose.
    pub rows: Vec<AccountRow>,
    /// All rows together; of an event that is over, its own four accounts are at 0.
    pub total: Columns,
    /// The first sum that does not add up, if there is one: a sound log has none.
    pub difference: Option<String>,
}

/// An amount by form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Forms {
    /// Cents.
    pub cash: u64,
    /// T$.
    pub t_dollars: u64,
    /// The worth of tickets.
    pub ticket: u64,
}

impl Forms {
    /// Together.
    pub fn sum(&self) -> u64 {
        self.cash.saturating_add(self.t_dollars).saturating_add(self.ticket)
    }

    fn add(&mut self, cash: u64, t_dollars: u64, ticket: u64) {
        self.cash = self.cash.saturating_add(cash);
        self.t_dollars = self.t_dollars.saturating_add(t_dollars);
        self.ticket = self.ticket.saturating_add(ticket);
    }
}

/// A player's standing at the log's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// Not out.
    InPlay,
    /// Eliminated.
    Out,
    /// Disqualified.
    Disqualified,
    /// In play when the event was cancelled.
    Refunded,
    /// Every entry was given back, or a ticket that was not used.
    GivenBack,
    /// Bought stakes of others' entries, and entered none.
    Buyer,
}

/// A player's payments to an event, and from it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EntrantAccount {
    /// The player.
    pub player: PlayerId,
    /// Their entries that were not given back, ascending.
    pub entries: Vec<EntryNo>,
    /// Rebuys of all of them.
    pub rebuys: u64,
    /// Add-ons.
    pub add_ons: u64,
    /// Their standing.
    pub standing: Standing,
    /// The place, or the first and the last of those that are shared.
    pub rank: Option<(u64, u64)>,
    /// Chips at the log's end, or at the event's.
    pub chips: u64,
    /// For entries, rebuys and add-ons, and a ticket that was not used.
    pub paid_in: Forms,
    /// Entries that were given back, and the T$ for a ticket that was not used.
    pub given_back: Forms,
    /// Prizes and a deal.
    pub prize: Forms,
    /// Won bounties.
    pub bounty: u64,
    /// Refunds, less what was taken back.
    pub refund: i128,
    /// Income from stakes: shares of others' winnings, prices of one's own stakes; less payments and shares passed on.
    pub stakes: i128,
    /// Everything that came, less everything that went.
    pub net: i128,
}

impl EntrantAccount {
    /// Everything that the event gave them, stakes apart.
    pub fn paid_out(&self) -> i128 {
        i128::from(self.given_back.sum()) + i128::from(self.prize.sum()) + i128::from(self.bounty) + self.refund
    }
}

/// A player's part as it comes.
#[derive(Default)]
struct Part {
    /// Lines of the balance and of the T$, together.
    lines: i128,
    paid_in: Forms,
    given_back: Forms,
    prize: Forms,
    bounty: u64,
    refund: i128,
    rebuys: u64,
    add_ons: u64,
    has_stakes: bool,
}

#[derive(Default)]
pub(super) struct Money {
    rows: BTreeMap<Reason, Columns>,
    parts: BTreeMap<PlayerId, Part>,
    /// For entries that were never made: the rules allow none.
    nobody: Part,
    /// The player of each entry, those given back among them.
    owners: HashMap<EntryNo, PlayerId>,
    /// The price paid for each entry.
    paid: HashMap<EntryNo, Forms>,
    difference: Option<String>,
}

impl Money {
    /// Takes in an entry's postings.
    pub fn post(&mut self, entry: &Entry) {
        let Command::Tournament(command) = &entry.command else { return };
        for Line(account, amount, _) in entry.events.iter().flat_map(lines) {
            let amount = i128::from(*amount);
            match reason(command, &entry.events) {
                Some(reason) => *self.rows.entry(reason).or_default().of(account) += amount,
                None => self.differs("an entry that moves nothing posts a line"),
            }
            if let Account::Player(player) | Account::TDollars(player) = account {
                self.parts.entry(player.clone()).or_default().lines += amount;
            }
        }
    }

    fn differs(&mut self, what: &str) {
        self.difference.get_or_insert_with(|| what.to_owned());
    }

    fn part(&mut self, entry_no: EntryNo) -> &mut Part {
        match self.owners.get(&entry_no) {
            Some(owner) => self.parts.entry(owner.clone()).or_default(),
            None => {
                self.difference.get_or_insert_with(|| format!("entry {entry_no} was never made"));
                &mut self.nobody
            }
        }
    }

    /// Takes in the payments that the event's words state.
    pub fn happened(&mut self, happened: &E, event: &Tournament) {
        let terms = event.structure();
        match happened {
            E::Registered { entry_no, player, paid_by, .. } => {
                self.owners.insert(*entry_no, player.clone());
                let paid = Forms { cash: paid_by.cash, t_dollars: paid_by.t_dollars, ticket: paid_by.ticket };
                self.paid.insert(*entry_no, paid);
                self.part(*entry_no).paid_in.add(paid.cash, paid.t_dollars, paid.ticket);
            }
            E::Unregistered { entry_no } => {
                let Forms { cash, t_dollars, ticket } = self.paid.remove(entry_no).unwrap_or_default();
                self.part(*entry_no).given_back.add(cash, t_dollars, ticket);
            }
            E::Rebought { entry_no, .. } => {
                let price = terms.rebuy.as_ref().map_or(0, |terms| terms.price.saturating_add(terms.fee));
                let part = self.part(*entry_no);
                part.rebuys = part.rebuys.saturating_add(1);
                part.paid_in.add(price, 0, 0);
            }
            E::AddedOn { entry_no, .. } => {
                let price = terms.add_on.as_ref().map_or(0, |terms| terms.price.saturating_add(terms.fee));
                let part = self.part(*entry_no);
                part.add_ons = part.add_ons.saturating_add(1);
                part.paid_in.add(price, 0, 0);
            }
            // A ticket won elsewhere is what they bring, T$ what they take away.
            E::TicketReturned { player, value } => {
                let part = self.parts.entry(player.clone()).or_default();
                part.paid_in.add(0, 0, *value);
                part.given_back.add(0, *value, 0);
            }
            E::StakeSold { seller, buyer, .. } => {
                for player in [seller, buyer] {
                    self.parts.entry(player.clone()).or_default().has_stakes = true;
                }
            }
            E::PrizePaid { entry_no, prize, .. } => {
                // A disqualified player's goes to those who are left.
                let is_out = event.entries.get(entry_no).is_some_and(|entry| entry.at == Whereabouts::Disqualified);
                if !is_out {
                    self.part(*entry_no).prize.add(prize.cash, prize.t_dollars, prize.ticket);
                }
            }
            E::DealMade { amounts } => {
                for (entry_no, amount) in amounts {
                    self.part(*entry_no).prize.add(*amount, 0, 0);
                }
            }
            E::BountyPaid { entry_no, amount } => {
                let part = self.part(*entry_no);
                part.bounty = part.bounty.saturating_add(*amount);
            }
            E::Refunded { entry_no, fee, bounty, pool, due, bought, taken } => {
                let back: i128 = [fee, bounty, pool, due, bought].into_iter().map(|amount| i128::from(*amount)).sum();
                self.part(*entry_no).refund += back - i128::from(*taken);
            }
            _ => {}
        }
    }

    pub fn finish(mut self, event: &Tournament) -> (Vec<EntrantAccount>, Accounts) {
        let mut total = Columns::default();
        self.rows.values().for_each(|row| total.add(row));
        if total.other != 0 || self.rows.values().any(|row| row.sum() != 0) {
            self.differs("a row of the accounts does not sum to zero");
        }
        let (pool, fees, bounties, stakes) = event.money();
        let held = [pool, fees, bounties, stakes].map(i128::from);
        if held != [total.pool, total.fees, total.bounties, total.stakes] {
            self.differs("the postings leave something else in the event's accounts than its state holds");
        }
        if event.stage == Stage::Ended && held != [0; 4] {
            self.differs("an event that is over holds money");
        }
        let parts = std::mem::take(&mut self.parts);
        let (mut of_stakes, mut entrants) = (0, Vec::with_capacity(parts.len()));
        for (player, part) in parts {
            let account = entrant(event, player, &part);
            if account.stakes != 0 && !part.has_stakes {
                self.differs(&format!("{} was posted {} that no word explains", account.player, account.stakes));
            }
            of_stakes += account.stakes;
            entrants.push(account);
        }
        if of_stakes + total.stakes != 0 {
            self.differs("what stakes brought is not what the escrow paid");
        }
        // Players who are not out come first, by chips; then by place; those without an entry last.
        entrants.sort_by_key(|account| {
            let place = account.rank.map_or(u64::MAX, |(first, _)| first);
            let is_first = account.standing == Standing::InPlay && account.rank.is_none();
            (!is_first, account.entries.is_empty(), place, Reverse(account.chips))
        });
        let rows = self.rows.into_iter().map(|(reason, amounts)| AccountRow { reason, amounts }).collect();
        (entrants, Accounts { rows, total, difference: self.difference })
    }
}

fn lines(event: &Event) -> &[Line] {
    if let Event::Posted { lines } = event { lines } else { &[] }
}

fn entrant(event: &Tournament, player: PlayerId, part: &Part) -> EntrantAccount {
    let entries = event.entrants.get(&player).map(|entrant| entrant.entries.clone()).unwrap_or_default();
    let last = entries.last().and_then(|entry_no| event.entries.get(entry_no));
    let standing = match last.map(|entry| entry.at) {
        Some(Whereabouts::Out) => Standing::Out,
        Some(Whereabouts::Disqualified) => Standing::Disqualified,
        Some(_) if event.refund_case.is_some() => Standing::Refunded,
        Some(_) => Standing::InPlay,
        None if part.given_back.sum() > 0 => Standing::GivenBack,
        None => Standing::Buyer,
    };
    let tickets = i128::from(part.prize.ticket) + i128::from(part.given_back.ticket) - i128::from(part.paid_in.ticket);
    let net = part.lines + tickets;
    let mut account = EntrantAccount {
        rank: last.and_then(|entry| entry.rank),
        chips: last.map_or(0, |entry| entry.chips),
        player,
        entries,
        standing,
        rebuys: part.rebuys,
        add_ons: part.add_ons,
        paid_in: part.paid_in,
        given_back: part.given_back,
        prize: part.prize,
        bounty: part.bounty,
        refund: part.refund,
        stakes: 0,
        net,
    };
    account.stakes = net - account.paid_out() + i128::from(part.paid_in.sum());
    account
}
