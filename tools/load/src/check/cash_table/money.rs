//! Why players sit out, and the postings at a cash table.

use super::CashTableCheck;
use crate::check::Flaw;
use crate::check::flaw::same;
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_house::{Account, Actor, Command, Entry, Lapsed, Line, SitOutCause};
use std::collections::BTreeMap;

impl CashTableCheck {
    pub(super) fn sat_out(
        &mut self,
        entry: &Entry,
        player: &PlayerId,
        seat: u8,
        cause: SitOutCause,
    ) -> Result<(), Flaw> {
        let broke = self.seat_mut(player, seat)?.stack == Chips::ZERO;
        let holds = match cause {
            SitOutCause::Asked => entry.by == Actor::Player(player.clone()),
            SitOutCause::NoCommitment => self.absent.remove(player),
            SitOutCause::TimedOut => matches!(entry.command, Command::Lapse { lapsed: Lapsed::Turn, .. }),
            SitOutCause::RevealMissing => matches!(entry.command, Command::Lapse { lapsed: Lapsed::Reveal, .. }),
            SitOutCause::NoChips => broke,
        };
        same("whether he had to be put out", &true, &holds)?;
        if cause == SitOutCause::Asked {
            self.hand.iter_mut().for_each(|hand| hand.goes_away(player));
        }
        self.seat_mut(player, seat)?.out = true;
        self.carried.remove(player);
        Ok(())
    }

    /// Checks that each balance of seats and players follows, that only owed money moves, and that a seat is paid out
    /// whole.
    pub(super) fn posted(&mut self, lines: &[Line]) -> Result<(), Flaw> {
        let sum: i128 = lines.iter().map(|line| i128::from(line.1)).sum();
        same("the sum of the posting", &0, &sum)?;
        if let ([Line(Account::Seat(_, number), out, _), Line(Account::Player(player), back, _)], true) =
            (lines, self.owed.is_empty())
        {
            let stack = self.seat_mut(player, *number)?.stack.signed();
            same("what a seat is paid out", &(-stack, stack), &(*out, *back))?;
            self.owe(self.account(*number), *out)?;
            self.owe(Account::Player(player.clone()), *back)?;
            self.seat_mut(player, *number)?.stack = Chips::ZERO;
            self.paid_out = Some(*number);
        }
        let moved: BTreeMap<Account, i64> =
            lines.iter().map(|Line(account, amount, _)| (account.clone(), *amount)).collect();
        same("one line an account", &lines.len(), &moved.len())?;
        same("the amounts posted", &self.owed, &moved)?;
        self.owed.clear();
        for Line(account, amount, after) in lines {
            match account {
                Account::Player(player) => {
                    let balance = self.balance(player).signed().checked_add(*amount).ok_or(Flaw::Overflow)?;
                    same("the balance posted", &balance, after)?;
                    let balance = u64::try_from(balance).ok().and_then(Chips::new).ok_or(Flaw::Overflow)?;
                    self.balances.insert(player.clone(), balance);
                }
                Account::Seat(table, seat) => {
                    same("the seat's table", &self.table, table)?;
                    same("the stack posted", &self.seats.get(seat).map(|seat| seat.stack.signed()), &Some(*after))?;
                }
                // Other tables' rake goes to the same account.
                Account::Rake => {
                    same("whether the house takes and does not give", &true, &(*amount > 0 && after >= amount))?
                }
                other => return Err(Flaw::differs("the account", "one of the table", other)),
            }
        }
        Ok(())
    }
}
