//! Chips that go to other logs and come from them, by the ledger alone (spec/transfers.md, "Postings"). Receipts are not
//! looked at.

use super::scan::Scan;
use super::{Check, EntryFault, LedgerBook, Reading, fault};
use std::collections::BTreeMap;

impl LedgerBook {
    /// An event about another log.
    pub(super) fn read_between_logs(
        &mut self,
        scan: &mut Scan<'_>,
        event: &str,
        reading: &mut Reading<'_>,
    ) -> Result<(), EntryFault> {
        match event {
            "log_known" => {
                reading.between.require_command("know_log", event)?;
                scan.take("{\"log\":")?;
                self.accounts.know(scan.string()?);
                if scan.takes(",") {
                    scan.take("\"policy\":")?;
                    scan.string()?;
                }
                Ok(scan.take("}")?)
            }
            "transferred_out" => {
                reading.between.require_command("transfer_out", event)?;
                scan.take("{\"to\":")?;
                let (log, no) = (scan.string()?, number_of(scan, ",\"no\":")?);
                if !self.accounts.send(log, no) {
                    return fault(Check::State, format!("transfer {no} to {log} is not the next"));
                }
                reading.between.read_transfer(scan, log, -1)
            }
            _ => {
                reading.between.require_command("transfer_in", event)?;
                scan.take("{\"from\":")?;
                let (log, no) = (scan.string()?, number_of(scan, ",\"no\":")?);
                if !self.accounts.claim(log, no) {
                    return fault(Check::State, format!("transfer {no} of {log} was claimed before"));
                }
                number_of(scan, ",\"index\":")?;
                reading.between.read_transfer(scan, log, 1)
            }
        }
    }
}

/// The facts of an entry about other logs.
#[derive(Default)]
pub(super) struct BetweenLogs<'b> {
    /// Its command, where that is about another log.
    pub command: Option<&'b str>,
    /// The postings of an entry that is filed under no table.
    lines: Vec<(String, i64)>,
    /// It says something of another log, and posts what that moves and nothing else.
    is_said: bool,
    /// The postings that its transfer asks for.
    transferred: Vec<(String, i64)>,
}

impl BetweenLogs<'_> {
    /// A posting's line.
    pub fn note(&mut self, table: Option<&str>, account: &str, amount: i64) {
        if table.is_none() || account.starts_with("transfers:") {
            self.lines.push((account.to_owned(), amount));
        }
    }

    /// An event about another log is what this command causes, once.
    fn require_command(&mut self, command: &str, event: &str) -> Result<(), EntryFault> {
        match self.command.take() {
            Some(asked) if asked == command => {
                self.is_said = true;
                Ok(())
            }
            _ => fault(Check::State, format!("{event} is said where it is not what the command causes")),
        }
    }

    /// The rest of a transfer's event: whose chips, and how many; `sign` is that of the player's line.
    fn read_transfer(&mut self, scan: &mut Scan<'_>, log: &str, sign: i64) -> Result<(), EntryFault> {
        scan.take(",\"player\":")?;
        let player = scan.string()?;
        let amount = i64::try_from(number_of(scan, ",\"amount\":")?).unwrap_or(i64::MAX).saturating_mul(sign);
        scan.take("}")?;
        self.transferred = vec![(format!("player:{player}"), amount), (format!("transfers:{log}"), -amount)];
        Ok(())
    }

    /// Checks that an entry's postings between logs are those of its transfer.
    pub fn close(&self) -> Result<(), EntryFault> {
        let moves = self.is_said || self.lines.iter().any(|(account, _)| account.starts_with("transfers:"));
        if moves && sums(&self.lines) != sums(&self.transferred) {
            return fault(Check::Posting, "what goes to another log, or comes from one, is not what is posted");
        }
        Ok(())
    }
}

/// The movement of each account, without those of 0.
fn sums(lines: &[(String, i64)]) -> BTreeMap<&str, i128> {
    let mut sums: BTreeMap<&str, i128> = BTreeMap::new();
    for (account, amount) in lines {
        *sums.entry(account).or_default() += i128::from(*amount);
    }
    sums.retain(|_, sum| *sum != 0);
    sums
}

fn number_of(scan: &mut Scan<'_>, field: &'static str) -> Result<u64, EntryFault> {
    scan.take(field)?;
    Ok(scan.number()?)
}
