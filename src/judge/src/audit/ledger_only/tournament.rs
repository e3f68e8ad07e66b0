//! Tournaments as far as their money goes: what an event's entries say that was sold, paid and given back, and whether
//! their postings moved just that (spec/ledger.md, "A tournament's postings, by the ledger alone"). Knows no rule by
//! which a prize, a rank or a refund comes about.

use super::scan::Scan;
use super::{Check, EntryFault, fault, list, skip_fields};
use std::collections::{BTreeMap, HashMap};

/// A tournament's own accounts, in the order in which their balances are kept.
pub(super) const OWN: [&str; 4] = ["pool", "fees", "bounties", "stakes"];

/// The prices of an entry and of more chips, as the tournament was announced; cents.
#[derive(Default)]
struct Terms {
    buy_in: u64,
    fee: u64,
    bounty: u64,
    rebuy: (u64, u64),
    add_on: (u64, u64),
    /// A satellite's seat: buy-in and fee of its target.
    seat: (u64, u64),
}

/// An entry that was sold.
struct Sold {
    player: Box<str>,
    cash: u64,
    t_dollars: u64,
    ticket: u64,
    bounty: u64,
    /// The buyers of its stakes, with the prices.
    stakes: Vec<(Box<str>, u64)>,
    /// Its escrow.
    held: i128,
    is_disqualified: bool,
}

/// A tournament.
#[derive(Default)]
pub(super) struct Tournament {
    terms: Terms,
    entries: HashMap<u64, Sold>,
    /// Balances of [`OWN`].
    pub money: [i64; 4],
}

/// Balances by account, as the log names it.
pub(super) type Moves = BTreeMap<String, i128>;

/// The sums that a tournament's entry has to move, by its events.
#[derive(Default)]
pub(super) struct Due {
    moves: Moves,
    /// The sum that each refunded player gets in all forms, less what is taken back; and the sum that all refunds take
    /// out of the tournament's accounts.
    refunds: BTreeMap<Box<str>, i128>,
    refunded: i128,
    is_cancelled: bool,
    /// The entry of which stakes are divided.
    divided: Option<u64>,
    /// The pool's balance, as stated.
    pool: Option<u64>,
    has_ended: bool,
}

impl Due {
    fn add(&mut self, account: &str, amount: impl Into<i128>) {
        *self.moves.entry(account.to_owned()).or_default() += amount.into();
    }

    fn player(&mut self, player: &str, amount: impl Into<i128>) {
        self.add(&format!("player:{player}"), amount);
    }
}

fn minus(amount: u64) -> i128 {
    -i128::from(amount)
}

/// A field and its number.
fn number(scan: &mut Scan<'_>, field: &'static str) -> Result<u64, EntryFault> {
    scan.take(field)?;
    Ok(scan.number()?)
}

/// A field that is left out where it is 0.
fn number_or_none(scan: &mut Scan<'_>, field: &'static str) -> Result<u64, EntryFault> {
    Ok(if scan.takes(field) { scan.number()? } else { 0 })
}

/// The first two amounts of an object, whatever comes after them.
fn price_and_fee(scan: &mut Scan<'_>, first: &'static str, second: &'static str) -> Result<(u64, u64), EntryFault> {
    let prices = (number(scan, first)?, number(scan, second)?);
    scan.take(",")?;
    skip_fields(scan)?;
    Ok(prices)
}

impl Tournament {
    /// Reads what `created` announces.
    pub fn announced(scan: &mut Scan<'_>) -> Result<Tournament, EntryFault> {
        let mut terms = Terms::default();
        scan.take("{\"structure\":{\"name\":")?;
        scan.string()?;
        scan.take(",\"rules\":")?;
        scan.skip()?;
        number(scan, ",\"seats\":")?;
        scan.take(",\"entry\":{")?;
        (terms.buy_in, terms.fee) = (number(scan, "\"buy_in\":")?, number(scan, ",\"fee\":")?);
        terms.bounty = number(scan, ",\"bounty\":")?;
        scan.take(",")?;
        skip_fields(scan)?;
        number(scan, ",\"guarantee\":")?;
        number(scan, ",\"late_levels\":")?;
        number_or_none(scan, ",\"unregister_ms\":")?;
        if scan.takes(",\"rebuy\":{") {
            terms.rebuy = price_and_fee(scan, "\"price\":", ",\"fee\":")?;
        }
        if scan.takes(",\"add_on\":{") {
            terms.add_on = price_and_fee(scan, "\"price\":", ",\"fee\":")?;
        }
        scan.take(",\"levels\":")?;
        scan.skip()?;
        scan.take(",\"breaks\":")?;
        scan.skip()?;
        scan.take(",\"payouts\":{")?;
        if scan.takes("\"satellite\":{\"target\":") {
            scan.string()?;
            terms.seat = price_and_fee(scan, ",\"buy_in\":", ",\"fee\":")?;
            scan.take("}")?;
        } else {
            scan.take("\"rows\":")?;
            scan.skip()?;
            scan.take("}")?;
        }
        // The structure's fields, then the event's.
        for _ in 0..2 {
            scan.take(",")?;
            skip_fields(scan)?;
        }
        Ok(Tournament { terms, ..Tournament::default() })
    }

    fn entry(&mut self, entry_no: u64) -> Result<&mut Sold, EntryFault> {
        match self.entries.get_mut(&entry_no) {
            Some(sold) => Ok(sold),
            None => fault(Check::State, format!("the tournament has no entry {entry_no}")),
        }
    }

    /// Pays the player of an entry; if stakes of it were sold, the sum goes to escrow.
    fn pay(&mut self, entry_no: u64, amount: u64, due: &mut Due) -> Result<(), EntryFault> {
        let sold = self.entry(entry_no)?;
        if sold.stakes.is_empty() {
            due.player(&sold.player, amount);
        } else {
            sold.held += i128::from(amount);
            due.add("stakes", amount);
        }
        Ok(())
    }

    /// Reads an event other than `created`, and adds what it moves to what is due.
    pub fn read(&mut self, scan: &mut Scan<'_>, event: &str, due: &mut Due) -> Result<(), EntryFault> {
        match event {
            "registered" => self.read_registered(scan, due),
            "unregistered" => self.read_unregistered(scan, due),
            "rebought" | "added_on" => self.read_bought(scan, event, due),
            "stake_sold" => self.read_stake(scan, due),
            "stakes_divided" => {
                let entry_no = number(scan, "{\"entry_no\":")?;
                scan.take("}")?;
                self.entry(entry_no)?;
                due.divided = Some(entry_no);
                Ok(())
            }
            "ticket_returned" => self.read_returned(scan, due),
            "pool_final" => {
                let (pool, overlay) = (number(scan, "{\"pool\":")?, number(scan, ",\"overlay\":")?);
                scan.take("}")?;
                due.add("house", minus(overlay));
                due.add("pool", overlay);
                due.pool = Some(pool);
                Ok(())
            }
            "player_disqualified" => {
                let entry_no = number(scan, "{\"entry_no\":")?;
                scan.take(",")?;
                skip_fields(scan)?;
                self.entry(entry_no)?.is_disqualified = true;
                Ok(())
            }
            "prize_paid" => self.read_prize(scan, due),
            "bounty_paid" => {
                let (entry_no, amount) = (number(scan, "{\"entry_no\":")?, number(scan, ",\"amount\":")?);
                scan.take("}")?;
                due.add("bounties", minus(amount));
                self.pay(entry_no, amount, due)
            }
            "deal_made" => {
                scan.take("{\"amounts\":[")?;
                list(scan, |scan| {
                    let (entry_no, amount) = (number(scan, "[")?, number(scan, ",")?);
                    scan.take("]")?;
                    due.add("pool", minus(amount));
                    self.pay(entry_no, amount, due)
                })?;
                Ok(scan.take("}")?)
            }
            "cancelled" => {
                scan.skip()?;
                due.is_cancelled = true;
                Ok(())
            }
            "refunded" => self.read_refund(scan, due),
            "ended" => {
                let residual = number(scan, "{\"residual\":")?;
                scan.take("}")?;
                let fees = self.money[1];
                for (account, amount) in [
                    ("pool", minus(residual)),
                    ("rounding_residual", i128::from(residual)),
                    ("fees", -i128::from(fees)),
                    ("house", i128::from(fees)),
                ] {
                    due.add(account, amount);
                }
                due.has_ended = true;
                Ok(())
            }
            _ => Ok(scan.skip()?),
        }
    }

    fn read_registered(&mut self, scan: &mut Scan<'_>, due: &mut Due) -> Result<(), EntryFault> {
        let entry_no = number(scan, "{\"entry_no\":")?;
        scan.take(",\"player\":")?;
        let player = scan.string()?;
        scan.take(",\"commitment\":")?;
        scan.string()?;
        let cash = number(scan, ",\"paid_by\":{\"cash\":")?;
        let (t_dollars, ticket) = (number(scan, ",\"t_dollars\":")?, number(scan, ",\"ticket\":")?);
        let bounty = number(scan, "},\"bounty\":")?;
        scan.take(",")?;
        skip_fields(scan)?;
        let player = player.into();
        let (stakes, held, is_disqualified) = (Vec::new(), 0, false);
        let sold = Sold { player, cash, t_dollars, ticket, bounty, stakes, held, is_disqualified };
        self.sell(&sold, -1, due);
        if self.entries.insert(entry_no, sold).is_some() {
            return fault(Check::State, format!("the tournament has an entry {entry_no}"));
        }
        Ok(())
    }

    /// A ticket that was not used is worth what an entry costs.
    fn read_returned(&self, scan: &mut Scan<'_>, due: &mut Due) -> Result<(), EntryFault> {
        scan.take("{\"player\":")?;
        let player = scan.string()?;
        let value = number(scan, ",\"value\":")?;
        scan.take("}")?;
        let Terms { buy_in, fee, bounty, .. } = self.terms;
        let worth = buy_in.saturating_add(fee).saturating_add(bounty);
        if value != worth {
            return fault(Check::Payout, format!("a ticket worth {worth} comes back as T$ {value}"));
        }
        due.add("tickets", minus(value));
        due.add(&format!("tdollars:{player}"), value);
        Ok(())
    }

    /// The price of an entry, times −1, or given back.
    fn sell(&self, sold: &Sold, sign: i128, due: &mut Due) {
        due.player(&sold.player, sign * i128::from(sold.cash));
        due.add(&format!("tdollars:{}", sold.player), sign * i128::from(sold.t_dollars));
        due.add("tickets", sign * i128::from(sold.ticket));
        for (account, amount) in [("pool", self.terms.buy_in), ("fees", self.terms.fee), ("bounties", sold.bounty)] {
            due.add(account, -sign * i128::from(amount));
        }
    }

    fn read_unregistered(&mut self, scan: &mut Scan<'_>, due: &mut Due) -> Result<(), EntryFault> {
        let entry_no = number(scan, "{\"entry_no\":")?;
        scan.take("}")?;
        self.entry(entry_no)?;
        let Some(sold) = self.entries.remove(&entry_no) else { return Ok(()) };
        self.sell(&sold, 1, due);
        for (buyer, price) in &sold.stakes {
            due.add("stakes", minus(*price));
            due.player(buyer, *price);
        }
        Ok(())
    }

    fn read_bought(&mut self, scan: &mut Scan<'_>, event: &str, due: &mut Due) -> Result<(), EntryFault> {
        let entry_no = number(scan, "{\"entry_no\":")?;
        number(scan, ",\"chips\":")?;
        scan.take("}")?;
        let (price, fee) = if event == "rebought" { self.terms.rebuy } else { self.terms.add_on };
        due.player(&self.entry(entry_no)?.player, minus(price) - i128::from(fee));
        due.add("pool", price);
        due.add("fees", fee);
        Ok(())
    }

    fn read_stake(&mut self, scan: &mut Scan<'_>, due: &mut Due) -> Result<(), EntryFault> {
        scan.take("{\"seller\":")?;
        let seller = scan.string()?;
        scan.take(",\"buyer\":")?;
        let buyer = scan.string()?;
        number(scan, ",\"basis_points\":")?;
        let price = number(scan, ",\"price\":")?;
        scan.take("}")?;
        due.player(buyer, minus(price));
        due.add("stakes", price);
        // Before the start nobody has two entries.
        match self.entries.values_mut().find(|sold| *sold.player == *seller) {
            Some(sold) => {
                sold.stakes.push((buyer.into(), price));
                sold.held += i128::from(price);
                Ok(())
            }
            None => fault(Check::State, format!("the tournament has no entry of {seller}")),
        }
    }

    fn read_prize(&mut self, scan: &mut Scan<'_>, due: &mut Due) -> Result<(), EntryFault> {
        let entry_no = number(scan, "{\"entry_no\":")?;
        number(scan, ",\"rank\":[")?;
        number(scan, ",")?;
        scan.take("],\"prize\":{")?;
        let (mut prize, mut is_first) = ([0; 4], true);
        let names = ["\"cash\":", "\"ticket\":", "\"t_dollars\":", "\"substitute\":"];
        for (amount, name) in prize.iter_mut().zip(names) {
            if scan.takes(&format!("{}{name}", if is_first { "" } else { "," })) {
                (*amount, is_first) = (scan.number()?, false);
            }
        }
        scan.take("}}")?;
        let ([cash, ticket, t_dollars, substitute], (buy_in, fee)) = (prize, self.terms.seat);
        let worth = buy_in.saturating_add(fee);
        // In place of a ticket there are T$ for the entry, and its fee is the house's or, the target being closed, T$ too.
        if ticket != 0 && ticket != worth || t_dollars != 0 && t_dollars != worth && t_dollars != buy_in {
            return fault(Check::Payout, format!("a seat is worth {buy_in} and {fee}, another sum is paid for one"));
        }
        let seat = if t_dollars == 0 { ticket } else { worth };
        due.add("pool", minus(cash) - i128::from(substitute) - i128::from(seat));
        due.add("tickets", ticket);
        due.add("house", i128::from(substitute) + i128::from(seat) - i128::from(ticket) - i128::from(t_dollars));
        let sold = self.entry(entry_no)?;
        due.add(&format!("tdollars:{}", sold.player), t_dollars);
        match sold.is_disqualified {
            // To all who are left, by way of their bounties.
            true => due.add("bounties", cash),
            false => self.pay(entry_no, cash, due)?,
        }
        Ok(())
    }

    fn read_refund(&mut self, scan: &mut Scan<'_>, due: &mut Due) -> Result<(), EntryFault> {
        let entry_no = number(scan, "{\"entry_no\":")?;
        let mut whole = 0i128;
        for field in [",\"fee\":", ",\"bounty\":", ",\"pool\":"] {
            whole += i128::from(number(scan, field)?);
        }
        for field in [",\"due\":", ",\"bought\":"] {
            whole += i128::from(number_or_none(scan, field)?);
        }
        let taken = number_or_none(scan, ",\"taken\":")?;
        scan.take("}")?;
        let player = self.entry(entry_no)?.player.clone();
        *due.refunds.entry(player).or_default() += whole - i128::from(taken);
        due.refunded += whole;
        due.add("house", taken);
        Ok(())
    }

    /// Whether an entry moved what its events say: what was `moved`, with the tournament's own accounts by their first
    /// word.
    pub fn settle(&mut self, mut due: Due, moved: &Moves) -> Result<(), EntryFault> {
        let of = |account: &str| moved.get(account).copied().unwrap_or_default();
        if due.is_cancelled {
            // The house adds what the accounts lack for the refunds, or gets what they have too much.
            due.add("pool", of("pool"));
            due.add("bounties", of("bounties"));
            due.add("house", -of("pool") - of("bounties"));
        }
        self.settle_refunds(&mut due, of)?;
        if let Some(entry_no) = due.divided {
            self.settle_division(entry_no, &mut due, of)?;
        }
        let house = due.moves.get("house").copied().unwrap_or_default();
        if of("house") != house {
            let what = format!("the house is due {house:+} here, postings give it {:+}", of("house"));
            return fault(Check::LedgerHouse, what);
        }
        for account in due.moves.keys().chain(moved.keys()) {
            let (says, moves) = (due.moves.get(account).copied().unwrap_or_default(), of(account));
            if says != moves {
                return fault(Check::Posting, format!("{account} is due {says:+} here, postings give it {moves:+}"));
            }
        }
        if due.pool.is_some_and(|pool| i64::try_from(pool).ok() != Some(self.money[0])) {
            return fault(Check::Settlement, format!("the pool holds {}, another is said to be final", self.money[0]));
        }
        if due.has_ended {
            if self.money != [0; 4] {
                return fault(
                    Check::Settlement,
                    format!("the tournament is over and its accounts hold {:?}", self.money),
                );
            }
            self.entries.clear();
        }
        Ok(())
    }

    /// Refunds come out of any of the three accounts and in any form; what of a seller's is neither cash nor T$ went to
    /// their escrow.
    fn settle_refunds(&mut self, due: &mut Due, of: impl Fn(&str) -> i128) -> Result<(), EntryFault> {
        if due.refunds.is_empty() {
            return Ok(());
        }
        let sources = ["pool", "fees", "bounties"];
        let out: i128 = sources.iter().map(|account| of(account)).sum();
        if out != -due.refunded {
            let what = format!("refunds of {} are said, {} were taken for them", due.refunded, -out);
            return fault(Check::Posting, what);
        }
        sources.iter().for_each(|account| due.add(account, of(account)));
        for (player, refund) in std::mem::take(&mut due.refunds) {
            let (cash, t_dollars) = (format!("player:{player}"), format!("tdollars:{player}"));
            let escrow = refund - of(&cash) - of(&t_dollars);
            let seller = self.entries.values_mut().find(|sold| sold.player == player && !sold.stakes.is_empty());
            match seller {
                Some(sold) => sold.held += escrow,
                None if escrow == 0 => {}
                None => {
                    let what = format!("{player} is refunded {refund}, postings give them {}", refund - escrow);
                    return fault(Check::Posting, what);
                }
            }
            due.add("stakes", escrow);
            due.add(&cash, of(&cash));
            due.add(&t_dollars, of(&t_dollars));
        }
        Ok(())
    }

    /// All that lies in escrow for an entry goes to its player and to the buyers of its stakes, and nobody pays.
    fn settle_division(&mut self, entry_no: u64, due: &mut Due, of: impl Fn(&str) -> i128) -> Result<(), EntryFault> {
        let sold = self.entry(entry_no)?;
        let (held, buyers) = (std::mem::take(&mut sold.held), sold.stakes.iter().map(|(buyer, _)| buyer));
        let mut accounts: Vec<String> = buyers.chain([&sold.player]).map(|player| format!("player:{player}")).collect();
        accounts.sort_unstable();
        accounts.dedup();
        let shared: i128 = accounts.iter().map(|account| of(account)).sum();
        if shared != held || accounts.iter().any(|account| of(account) < 0) {
            return fault(Check::Posting, format!("{held} lie in escrow for entry {entry_no}, {shared} were divided"));
        }
        due.add("stakes", -held);
        accounts.iter().for_each(|account| due.add(account, of(account)));
        Ok(())
    }
}
