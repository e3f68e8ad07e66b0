//! The money of a log and the form of its entries, without the rules of the games: one pass, nothing copied
//! (spec/audit.md, "The ledger alone").

mod accounts;
mod fault;
mod scan;
mod tournament;
mod transfers;
mod wallet;

use super::{Check, Finding, LedgerTotals, Sum};
use accounts::{Accounts, GUEST_CHIPS, Kind, is_for_play, is_guest, is_of_play, unbalanced};
use fairshoe_fairness::TableId;
use fairshoe_house::{ENTRY_VERSION, LAST_TIME, MAX_ENTRY_BYTES};
use fault::{EntryFault, fault};
use scan::{Scan, list, read_results, skip_fields};
use serde::Serialize;
use std::cmp::Ordering;
use tournament::{Due, Tournament};
use transfers::BetweenLogs;
use wallet::OfWallet;

/// The report of a [`LedgerBook`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct LedgerReport {
    /// Entries read and found right.
    pub entries: u64,
    /// UTC milliseconds of the last entry.
    pub last_time: u64,
    /// Players created.
    pub players: u64,
    /// Tables opened, ever.
    pub tables: u64,
    /// Postings, each of which sums to zero.
    pub postings: u64,
    /// Rounds settled.
    pub settled: u64,
    /// Rounds voided.
    pub voided: u64,
    /// Staked in settled rounds, minor units.
    pub staked: Sum,
    /// Returned in settled rounds, minor units.
    pub returned: Sum,
    /// The sums of the accounts.
    pub ledger: LedgerTotals,
    /// The first entry that does not hold, if any.
    pub first_failure: Option<Finding>,
}

/// The facts of an entry that is being read, so far.
struct Reading<'b> {
    /// The entry's table and its place among the accounts.
    table: Option<&'b str>,
    here: Option<usize>,
    /// The sums that its command lets the cage lose, and the house gain, outside any round.
    from_cage: i64,
    to_house: i64,
    cage_before: i64,
    house_before: i64,
    rake_before: i64,
    play_before: i64,
    /// The sum that its command lets the play chips' account give.
    issued: i64,
    /// It admits a guest, or dismisses this one.
    admits: bool,
    dismisses: Option<&'b str>,
    /// Its table's chips are play chips.
    is_play: bool,
    /// The rake of the pots paid in it.
    raked: i64,
    /// A round or a window ended in it: no chips may be left on the table.
    ends: bool,
    /// A table was opened or closed in it.
    opens: bool,
    closes: bool,
    /// It opens a tournament's table.
    of_event: bool,
    /// The sums that a tournament's entry moves, by its events.
    due: Due,
    /// Chips that go to another log, or come from one.
    between: BetweenLogs<'b>,
    /// Chips that come from the wallet, or go there.
    wallet: OfWallet,
}

/// Adds up a log's money: each posting balanced, no balance below zero, each balance as stated, chips in and out by the
/// operator's commands alone, each round's result to the house as its wagers were paid. It decides nothing again:
/// whether the wagers were paid as the rules say is for [`super::Book`].
#[derive(Default)]
pub struct LedgerBook {
    next: u64,
    origin: Option<String>,
    accounts: Accounts,
    report: LedgerReport,
}

impl LedgerBook {
    /// An empty book; `origin` is the log's name, where it is known.
    pub fn new(origin: Option<String>) -> Self {
        LedgerBook { origin, ..LedgerBook::default() }
    }

    /// Checks the next entry. After a finding the book is closed: every further call gives it again.
    pub fn feed(&mut self, index: u64, bytes: &[u8]) -> Result<(), Finding> {
        if let Some(finding) = &self.report.first_failure {
            return Err(finding.clone());
        }
        let mut table = None;
        let checked = self.check(index, bytes, &mut table);
        checked.map_err(|fault| {
            let table = table.and_then(|name| TableId::parse(name).ok());
            let finding = match fault {
                EntryFault::Form(non_canonical) => {
                    Finding::at(Check::EntryForm, index, table.as_ref(), non_canonical.to_string())
                }
                EntryFault::Check(check, what) => Finding::at(check, index, table.as_ref(), what),
            };
            self.report.first_failure = Some(finding.clone());
            finding
        })
    }

    fn check<'b>(&mut self, index: u64, bytes: &'b [u8], table: &mut Option<&'b str>) -> Result<(), EntryFault> {
        if index != self.next {
            return fault(Check::EntryOrder, format!("entry {} comes next, entry {index} is given", self.next));
        }
        if bytes.len() > MAX_ENTRY_BYTES {
            return fault(
                Check::EntryForm,
                format!("an entry is at most {MAX_ENTRY_BYTES} bytes, not {}", bytes.len()),
            );
        }
        let mut scan = Scan::new(bytes);
        scan.take("{\"v\":")?;
        let version = scan.number()?;
        if version != u64::from(ENTRY_VERSION) {
            return fault(Check::EntryForm, format!("entry version {version} is not known here"));
        }
        scan.take(",\"time\":")?;
        let time = scan.number()?;
        if time > LAST_TIME {
            return fault(Check::EntryForm, format!("the entry's time {time} is past what an entry can say"));
        }
        let last = self.report.last_time;
        if time < last {
            return fault(
                Check::Time,
                format!("the entry's time {time} is before {last}, the time of the entry before it"),
            );
        }
        scan.take(",\"by\":")?;
        scan.string()?;
        let seq = self.read_place(&mut scan, table)?;
        if scan.takes(",\"before\":[") {
            self.read_before(&mut scan)?;
        }
        let mut reading = Reading {
            table: *table,
            here: table.and_then(|name| self.accounts.find_table(name)),
            from_cage: 0,
            to_house: 0,
            cage_before: self.accounts.cage,
            house_before: self.accounts.house,
            rake_before: self.accounts.rake,
            play_before: self.accounts.play,
            issued: 0,
            admits: false,
            dismisses: None,
            is_play: table.is_some_and(is_for_play),
            raked: 0,
            ends: false,
            opens: false,
            closes: false,
            of_event: false,
            due: Due::default(),
            between: BetweenLogs::default(),
            wallet: OfWallet::default(),
        };
        self.read_command(&mut scan, index, &mut reading)?;
        if scan.takes(",\"signed\":") {
            scan.skip()?;
        }
        self.read_events(&mut scan, &mut reading)?;
        scan.end()?;
        self.close_entry(&mut reading, seq)?;
        self.next += 1;
        self.report.entries = self.next;
        self.report.last_time = time;
        Ok(())
    }

    /// `"at"`, where there is one: the table and the entry's number there.
    fn read_place<'b>(&self, scan: &mut Scan<'b>, table: &mut Option<&'b str>) -> Result<Option<u64>, EntryFault> {
        if !scan.takes(",\"at\":{\"table\":") {
            return Ok(None);
        }
        *table = Some(scan.string()?);
        scan.take(",\"seq\":")?;
        let seq = scan.number()?;
        scan.take("}")?;
        Ok(Some(seq))
    }

    /// The balances stated before the entry are the book's.
    fn read_before(&self, scan: &mut Scan<'_>) -> Result<(), EntryFault> {
        loop {
            scan.take("[")?;
            let player = scan.string()?;
            scan.take(",")?;
            let stated = scan.amount()?;
            scan.take("]")?;
            match self.accounts.player(player) {
                Some(balance) if balance == stated => {}
                Some(balance) => {
                    return fault(
                        Check::BalanceBefore,
                        format!("{player} had {balance} before the entry, it states {stated}"),
                    );
                }
                None => {
                    return fault(
                        Check::BalanceBefore,
                        format!("the entry states what {player} had; there is no such player"),
                    );
                }
            }
            if !scan.takes(",") {
                return Ok(scan.take("]")?);
            }
        }
    }

    fn read_command<'b>(
        &mut self,
        scan: &mut Scan<'b>,
        index: u64,
        reading: &mut Reading<'b>,
    ) -> Result<(), EntryFault> {
        scan.take(",\"command\":{")?;
        let command = scan.string()?;
        scan.take(":")?;
        if index == 0 && command != "start_dealer" {
            return fault(Check::FirstEntry, "a log begins with the dealer's start; this one does not");
        }
        match command {
            "start_dealer" => {
                scan.take("{\"origin\":")?;
                let origin = scan.string()?;
                let origin = unescaped(origin);
                let known = self.origin.get_or_insert_with(|| origin.clone());
                if *known != origin {
                    let what = format!("the dealer starts on the log `{origin}`, this log's key is of `{known}`");
                    return fault(Check::Origin, what);
                }
                scan.take(",")?;
                skip_fields(scan)?;
            }
            "admit_guest" => {
                scan.take("{}")?;
                (reading.admits, reading.issued) = (true, GUEST_CHIPS);
            }
            "dismiss_guest" => {
                scan.take("{\"player\":")?;
                let player = scan.string()?;
                scan.take("}")?;
                reading.dismisses = Some(player);
                reading.issued = self.accounts.player(player).unwrap_or_default().saturating_neg();
            }
            "credit" | "withdraw" | "correct" => {
                scan.take("{\"player\":")?;
                scan.string()?;
                scan.take(",\"amount\":")?;
                let amount = scan.amount()?;
                let totals = &mut self.report.ledger;
                let total = match command {
                    "credit" => {
                        reading.from_cage = amount;
                        &mut totals.credited
                    }
                    "withdraw" => {
                        reading.from_cage = -amount;
                        &mut totals.withdrawn
                    }
                    _ => {
                        reading.to_house = amount;
                        &mut totals.corrected
                    }
                };
                *total += amount;
                if scan.takes(",") {
                    skip_fields(scan)?;
                } else {
                    scan.take("}")?;
                }
            }
            "know_log" | "transfer_out" | "transfer_in" => {
                reading.between.command = Some(command);
                scan.skip()?;
            }
            "wallet_deposit" | "wallet_withdraw" | "wallet_cancel" | "wallet_answer" => {
                reading.wallet.read_command(scan, command, &self.accounts)?;
            }
            _ => {
                reading.of_event = command == "open_event_table";
                scan.skip()?;
            }
        }
        scan.take("}")?;
        Ok(())
    }

    fn read_events(&mut self, scan: &mut Scan<'_>, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        scan.take(",\"events\":[")?;
        if !scan.takes("]") {
            loop {
                scan.take("{")?;
                let event = scan.string()?;
                scan.take(":")?;
                reading.wallet.begin_event(event);
                self.read_event(scan, event, reading)?;
                scan.take("}")?;
                if !scan.takes(",") {
                    break;
                }
            }
            scan.take("]")?;
        }
        Ok(scan.take("}")?)
    }

    fn read_event(&mut self, scan: &mut Scan<'_>, event: &str, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        match event {
            "play" if scan.takes("{\"paid\":{\"lines\":[") => {
                self.read_paid(scan, reading)?;
                scan.take("}}")?;
            }
            "play" if scan.takes("{\"poker\":{\"settled\":{\"pots\":[") => {
                self.read_hand(scan, reading)?;
                scan.take("}}}")?;
            }
            "posted" => {
                scan.take("{\"lines\":[")?;
                self.read_posting(scan, reading)?;
                scan.take("}")?;
            }
            "player_created" => {
                scan.take("{\"player\":")?;
                let player = scan.string()?;
                scan.take("}")?;
                if is_guest(player) {
                    return fault(Check::State, format!("{player} is the name of a guest"));
                }
                if !self.accounts.open_player(player) {
                    return fault(Check::State, format!("the player {player} exists"));
                }
            }
            "guest_admitted" => {
                scan.take("{\"player\":")?;
                let player = scan.string()?;
                scan.take("}")?;
                let next = self.accounts.admitted;
                if !reading.admits || !self.accounts.admit(player) {
                    return fault(Check::State, format!("{player} is not the next guest, guest.{next}"));
                }
            }
            "guest_dismissed" => {
                scan.take("{\"player\":")?;
                let player = scan.string()?;
                scan.take("}")?;
                if reading.dismisses != Some(player) || !self.accounts.dismiss(player) {
                    return fault(Check::State, format!("{player} is no guest who goes here"));
                }
            }
            "log_known" | "transferred_out" | "transferred_in" => self.read_between_logs(scan, event, reading)?,
            "wallet_asked" | "wallet_answered" => reading.wallet.read_event(scan, event)?,
            "table_opened" => {
                scan.skip()?;
                self.open(reading, if reading.of_event { Kind::OfEvent } else { Kind::Table })?;
            }
            "table_closed" => {
                scan.take("{}")?;
                (reading.ends, reading.closes) = (true, true);
            }
            "bets_lapsed" => {
                scan.skip()?;
                reading.ends = true;
            }
            "round_settled" => self.read_settled(scan, reading)?,
            "round_voided" => self.read_voided(scan, reading)?,
            "tournament" => self.read_tournament(scan, reading)?,
            _ => scan.skip()?,
        }
        Ok(())
    }

    fn read_tournament(&mut self, scan: &mut Scan<'_>, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        scan.take("{")?;
        let event = scan.string()?;
        scan.take(":")?;
        if event == "created" {
            let announced = Tournament::announced(scan)?;
            self.open(reading, Kind::Event(Box::new(announced)))?;
        } else if let Some(tournament) = self.accounts.event(reading.here) {
            tournament.read(scan, event, &mut reading.due)?;
        } else {
            return fault(Check::State, format!("{event} is said in no tournament's entry"));
        }
        Ok(scan.take("}")?)
    }

    fn open(&mut self, reading: &mut Reading<'_>, kind: Kind) -> Result<(), EntryFault> {
        let Some(name) = reading.table else {
            return fault(Check::TableSeq, "a table is opened in an entry that is filed under none");
        };
        if reading.opens || !self.accounts.open(name, kind) {
            return fault(Check::State, format!("the table name {name} was used before"));
        }
        reading.here = self.accounts.find_table(name);
        reading.opens = true;
        Ok(())
    }

    /// Lines of `[account, amount, balance after]` that sum to zero.
    fn read_posting(&mut self, scan: &mut Scan<'_>, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        let (mut sum, mut first) = (0i128, None);
        loop {
            scan.take("[")?;
            let account = scan.string()?;
            let kind = (account, is_of_play(account));
            let (before, first) = *first.get_or_insert(kind);
            if kind.1.is_some() && kind.1 != first {
                return fault(Check::Posting, format!("{account} holds chips of another kind than {before}"));
            }
            scan.take(",")?;
            let amount = scan.amount()?;
            scan.take(",")?;
            let stated = scan.amount()?;
            scan.take("]")?;
            self.accounts.post(reading.here, account, amount, stated).or_else(|what| fault(Check::Posting, what))?;
            reading.between.note(reading.table, account, amount);
            reading.wallet.note(account, amount);
            sum += i128::from(amount);
            if !scan.takes(",") {
                break;
            }
        }
        scan.take("]")?;
        if sum != 0 {
            return fault(Check::LedgerTotal, unbalanced(sum));
        }
        self.report.postings += 1;
        Ok(())
    }

    /// Reads the paid wagers: the house's gain in the round.
    fn read_paid(&mut self, scan: &mut Scan<'_>, reading: &Reading<'_>) -> Result<(), EntryFault> {
        let (mut staked, mut returned) = (0u64, 0u64);
        let mut more = !scan.takes("]");
        while more {
            for field in ["{\"player\":", ",\"place\":", ",\"wager\":", ",\"outcome\":"] {
                scan.take(field)?;
                scan.string()?;
            }
            scan.take(",\"stake\":")?;
            staked = staked.saturating_add(scan.number()?);
            scan.take(",\"returned\":")?;
            returned = returned.saturating_add(scan.number()?);
            scan.take("}")?;
            more = scan.takes(",");
            if !more {
                scan.take("]")?;
            }
        }
        let Some(table) = self.accounts.table(reading.here) else {
            return fault(Check::State, "wagers are paid at no table");
        };
        table.staked = table.staked.saturating_add(staked);
        table.returned = table.returned.saturating_add(returned);
        table.paid_house = i64::try_from(i128::from(table.staked) - i128::from(table.returned)).unwrap_or(i64::MAX);
        Ok(())
    }

    /// Reads the result of a hand of poker: each pot is its shares and its rake, and all chips put in are in pots or
    /// went back.
    fn read_hand(&mut self, scan: &mut Scan<'_>, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        let (mut pots, mut rakes, mut won) = (0u64, 0u64, 0u64);
        list(scan, |scan| {
            scan.take("{\"amount\":")?;
            let amount = scan.number()?;
            scan.take(",\"rake\":")?;
            let rake = scan.number()?;
            scan.take(",\"seats\":")?;
            scan.skip()?;
            scan.take(",\"won\":[")?;
            let mut shares = 0u64;
            list(scan, |scan| {
                scan.take("{\"seat\":")?;
                scan.number()?;
                scan.take(",\"amount\":")?;
                shares = shares.saturating_add(scan.number()?);
                scan.takes(",\"low\":true");
                Ok(scan.take("}")?)
            })?;
            scan.take("}")?;
            if shares.saturating_add(rake) != amount {
                return fault(Check::Payout, format!("a pot of {amount} pays {shares} and a rake of {rake}"));
            }
            (pots, rakes, won) = (pots.saturating_add(amount), rakes.saturating_add(rake), won.saturating_add(shares));
            Ok(())
        })?;
        let mut back = 0;
        if scan.takes(",\"uncalled\":{\"seat\":") {
            scan.number()?;
            scan.take(",\"amount\":")?;
            back = scan.number()?;
            scan.take("}")?;
        }
        scan.take(",\"seats\":[")?;
        let (mut put_in, mut got) = (0u64, 0u64);
        list(scan, |scan| {
            scan.take("{\"seat\":")?;
            scan.number()?;
            scan.take(",\"player\":")?;
            scan.string()?;
            scan.take(",\"put_in\":")?;
            put_in = put_in.saturating_add(scan.number()?);
            scan.take(",\"got\":")?;
            got = got.saturating_add(scan.number()?);
            scan.take(",\"stack\":")?;
            scan.number()?;
            Ok(scan.take("}")?)
        })?;
        if (put_in, got) != (pots.saturating_add(back), won.saturating_add(back)) {
            let what = format!(
                "{put_in} were put in and {got} got, the pots are {pots}, their shares {won}, and {back} went back"
            );
            return fault(Check::Payout, what);
        }
        reading.raked = reading.raked.saturating_add(i64::try_from(rakes).unwrap_or(i64::MAX));
        let Some(table) = self.accounts.table(reading.here) else {
            return fault(Check::State, "a hand is paid at no table");
        };
        (table.staked, table.returned) = (table.staked.saturating_add(put_in), table.returned.saturating_add(got));
        Ok(())
    }

    fn read_settled(&mut self, scan: &mut Scan<'_>, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        scan.take("{\"round_no\":")?;
        scan.number()?;
        scan.take(",\"staked\":")?;
        let staked = scan.number()?;
        scan.take(",\"returned\":")?;
        let returned = scan.number()?;
        let (by_players, to_players) = read_results(scan)?;
        scan.take("}")?;
        if (by_players, to_players) != (staked, returned) {
            let what = format!(
                "its players staked {by_players} and got back {to_players}, the log settles {staked} and {returned}"
            );
            return fault(Check::Settlement, what);
        }
        let Some(table) = self.accounts.table(reading.here) else {
            return fault(Check::State, "a round is settled at no table");
        };
        // In a tournament's hand there may be players without a seed, whom the round does not name; it moves no money.
        let is_money = !matches!(table.kind, Kind::OfEvent);
        if is_money && (table.staked, table.returned) != (staked, returned) {
            let (paid_in, paid_out) = (table.staked, table.returned);
            return fault(
                Check::Settlement,
                format!(
                    "the round's wagers were {paid_in} and returned {paid_out}, the log settles {staked} and {returned}"
                ),
            );
        }
        self.report.settled += 1;
        // Play chips are no money, and neither are a tournament's.
        if is_money && !reading.is_play {
            self.report.staked += staked;
            self.report.returned += returned;
        }
        reading.ends = true;
        self.close_round(reading, None)
    }

    fn read_voided(&mut self, scan: &mut Scan<'_>, reading: &mut Reading<'_>) -> Result<(), EntryFault> {
        scan.take("{\"round_no\":")?;
        scan.number()?;
        scan.take(",\"cause\":")?;
        let cause = scan.string()?;
        scan.take(",\"missing\":")?;
        scan.skip()?;
        scan.take(",\"ahead\":")?;
        scan.skip()?;
        read_results(scan)?;
        if scan.takes(",\"refunds\":") {
            scan.number()?;
        }
        let mut retained = 0i64;
        if scan.takes(",\"kept\":[") {
            loop {
                scan.take("{\"player\":")?;
                scan.string()?;
                scan.take(",\"amount\":")?;
                retained = retained.saturating_add(scan.amount()?);
                scan.take("}")?;
                if !scan.takes(",") {
                    break;
                }
            }
            scan.take("]")?;
        }
        if scan.takes(",\"standing\":") {
            scan.skip()?;
        }
        scan.take("}")?;
        self.report.voided += 1;
        reading.ends = true;
        // A void takes back what the round had paid, but for what is spent; an abandoned one does not (A001.u).
        self.close_round(reading, (cause != "abandoned").then_some(-retained))
    }

    /// The round's postings gave the house what its wagers did, or what its void says.
    fn close_round(&mut self, reading: &mut Reading<'_>, void: Option<i64>) -> Result<(), EntryFault> {
        let moved = self.moved(reading);
        let Some(table) = self.accounts.table(reading.here) else {
            return fault(Check::State, "a round ends at no table");
        };
        let (posted, due) = (table.house.saturating_add(moved), void.unwrap_or(table.paid_house));
        table.end_round();
        // If the rake is in play chips, that account gets no more.
        match reading.is_play {
            true => reading.play_before = self.accounts.play.saturating_sub(reading.raked),
            false => reading.house_before = self.accounts.house,
        }
        same_result(due, posted)
    }

    /// The entry's gain for the account against which its table's rounds settle; in play chips beside the rake.
    fn moved(&self, reading: &Reading<'_>) -> i64 {
        match reading.is_play {
            true => (self.accounts.play - reading.play_before).saturating_sub(reading.raked),
            false => self.accounts.house - reading.house_before,
        }
    }

    /// Checks an entry as a whole: chips come and go by the operator's word alone, a round's money is the house's as
    /// its wagers were paid, and no chips are left on a table without a round or a window.
    fn close_entry(&mut self, reading: &mut Reading<'_>, seq: Option<u64>) -> Result<(), EntryFault> {
        let out = reading.cage_before - self.accounts.cage;
        if out != reading.from_cage {
            let what = format!("the command lets the cage give {}, its postings take {out} from it", reading.from_cage);
            return fault(Check::LedgerCage, what);
        }
        let given = reading.play_before - self.accounts.play;
        if !reading.is_play && given != reading.issued {
            let what = format!("the command lets {} play chips out, its postings take {given}", reading.issued);
            return fault(Check::LedgerCage, what);
        }
        reading.between.close()?;
        let (raked, due) = (self.accounts.rake - reading.rake_before, if reading.is_play { 0 } else { reading.raked });
        if raked != due {
            return fault(Check::Settlement, format!("the pots give a rake of {due} here, postings give {raked}"));
        }
        reading.wallet.close(&mut self.accounts)?;
        if reading.is_play {
            same_result(0, self.accounts.house - reading.house_before)?;
        }
        let moved = self.moved(reading);
        let (Some(name), Some(seq)) = (reading.table, seq) else { return same_result(reading.to_house, moved) };
        let moves = std::mem::take(&mut self.accounts.moved);
        let Some(table) = self.accounts.table(reading.here) else {
            return fault(Check::TableSeq, format!("there is no open table {name}"));
        };
        let next = table.next_seq;
        let out_of_place = |what| {
            fault(
                Check::TableSeq,
                format!("the entry is number {seq} of table {name}, number {next} comes next: {what}"),
            )
        };
        match seq.cmp(&next) {
            Ordering::Equal => {}
            Ordering::Greater => return out_of_place("entries before it are missing"),
            Ordering::Less => return out_of_place("its place is taken already"),
        }
        table.next_seq = seq.saturating_add(1);
        if let Kind::Event(tournament) = &mut table.kind {
            return tournament.settle(std::mem::take(&mut reading.due), &moves);
        }
        table.house = table.house.saturating_add(moved);
        let (posted, paid) = (table.house, table.paid_house);
        if reading.ends && table.balance != 0 {
            let what = format!("no round and no bets are open, and {} chips are left on table {name}", table.balance);
            return fault(Check::State, what);
        }
        if reading.closes && table.seats.iter().any(|chips| *chips != 0) {
            return fault(Check::State, format!("table {name} is closed, and chips lie before its seats"));
        }
        table.closed |= reading.closes;
        same_result(paid.saturating_add(reading.to_house), posted)
    }

    /// Closes the book.
    pub fn finish(mut self) -> LedgerReport {
        let (players, tables, seats) = self.accounts.totals(false);
        let (guests, at_play, before_play) = self.accounts.totals(true);
        let play_total = guests + at_play + before_play + i128::from(self.accounts.play);
        let narrow = |sum: i128| i64::try_from(sum).unwrap_or(i64::MAX);
        let of_house = i128::from(self.accounts.house) + i128::from(self.accounts.rake);
        let tournaments = self.accounts.of_tournaments();
        let transfers = self.accounts.transfers();
        let outside = i128::from(self.accounts.cage) + i128::from(self.accounts.wallet);
        let total = players + tables + seats + tournaments + transfers + of_house + outside;
        let report = &mut self.report;
        let totals = &mut report.ledger;
        (totals.players, totals.tables, totals.house, totals.cage) =
            (narrow(players), narrow(tables), self.accounts.house, self.accounts.cage);
        (totals.seats, totals.rake, totals.tournaments) = (narrow(seats), self.accounts.rake, narrow(tournaments));
        (totals.transfers, totals.wallet) = (narrow(transfers), self.accounts.wallet);
        totals.play = self.accounts.play.saturating_neg();
        // Both follow from what was checked at each entry; they are added up all the same, by another road.
        let paid_in = totals.credited - totals.withdrawn;
        let finding = if total != 0 {
            Some(Finding::new(Check::LedgerTotal, format!("all accounts together stand at {total}, not at zero")))
        } else if play_total != 0 {
            let what = format!("the accounts of play chips together stand at {play_total}, not at zero");
            Some(Finding::new(Check::LedgerTotal, what))
        } else if paid_in.value() != -i128::from(totals.cage) {
            let what = format!("{paid_in} were paid in and not out again, the cage stands at {}", totals.cage);
            Some(Finding::new(Check::LedgerCage, what))
        } else {
            None
        };
        report.first_failure = report.first_failure.take().or(finding);
        (report.players, report.tables) = (self.accounts.player_count(), self.accounts.table_count());
        self.report
    }
}

/// An origin may hold a quote or a backslash, which the log escapes.
fn unescaped(text: &str) -> String {
    let mut chars = text.chars();
    std::iter::from_fn(|| chars.next().and_then(|next| if next == '\\' { chars.next() } else { Some(next) })).collect()
}

fn same_result(due: i64, posted: i64) -> Result<(), EntryFault> {
    if due == posted {
        Ok(())
    } else {
        fault(Check::LedgerHouse, format!("the house is due {due:+} here, postings give it {posted:+}"))
    }
}
