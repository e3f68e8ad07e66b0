//! Money at one table as a player follows it: the amounts that each event owes; postings must move exactly these
//! (spec/ledger.md, "Movements").

use super::Flaw;
use super::flaw::same;
use fairshoe_fairness::PlayerId;
use fairshoe_games::Chips;
use fairshoe_house::{Account, Line};
use std::collections::BTreeMap;

/// Money at one table as a player follows it: each event's debts; postings must move exactly these.
#[derive(Clone, Debug)]
pub(super) struct Money {
    me: PlayerId,
    funds: Chips,
    /// The stakes at the table.
    escrow: i64,
    /// The balances during the entry, for each player whose balance it states.
    stated: BTreeMap<PlayerId, Chips>,
    /// The movements that the next posting must make.
    owed: BTreeMap<Account, i64>,
}

impl Money {
    /// Zero stakes and this balance.
    pub fn new(me: PlayerId, funds: Chips) -> Self {
        Money { me, funds, escrow: 0, stated: BTreeMap::new(), owed: BTreeMap::new() }
    }

    /// The player's own balance.
    pub fn funds(&self) -> Chips {
        self.funds
    }

    /// Records chips from elsewhere.
    pub fn credited(&mut self, balance: Chips) {
        self.funds = balance;
    }

    /// Continues as another player, who has no money.
    pub fn become_player(&mut self, me: PlayerId) {
        (self.me, self.funds) = (me, Chips::ZERO);
    }

    /// Begins an entry; `before` is the balances of the players concerned.
    pub fn begin(&mut self, before: &[(PlayerId, Chips)]) -> Result<(), Flaw> {
        self.stated.clear();
        for (player, balance) in before {
            if *player == self.me {
                same("the balance before the entry", &self.funds, balance)?;
            }
            self.stated.insert(player.clone(), *balance);
        }
        Ok(())
    }

    /// A player's balance now; `None` if the entry does not state it.
    pub fn of(&self, player: &PlayerId) -> Chips {
        if *player == self.me { self.funds } else { self.stated.get(player).copied().unwrap_or_default() }
    }

    /// Records a movement that the next posting must make.
    pub fn owe(&mut self, account: Account, amount: i64) -> Result<(), Flaw> {
        let sum = self.owed.get(&account).copied().unwrap_or_default().checked_add(amount).ok_or(Flaw::Overflow)?;
        if sum == 0 {
            self.owed.remove(&account)
        } else {
            self.owed.insert(account, sum)
        };
        Ok(())
    }

    /// Records an amount from a player to the table; negative: back to the player.
    pub fn owe_stake(&mut self, player: &PlayerId, escrow: &Account, amount: i64) -> Result<(), Flaw> {
        self.owe(Account::Player(player.clone()), amount.checked_neg().ok_or(Flaw::Overflow)?)?;
        self.owe(escrow.clone(), amount)
    }

    /// Whether a posting is outstanding.
    pub fn is_owed(&self) -> bool {
        !self.owed.is_empty()
    }

    /// Checks that no posting is outstanding.
    pub fn nothing_owed(&self, what: &'static str) -> Result<(), Flaw> {
        if self.owed.is_empty() { Ok(()) } else { Err(Flaw::differs(what, &self.owed, "none")) }
    }

    /// Checks a posting: it sums to zero, moves exactly the owed amounts, and states each balance after it.
    pub fn posted(&mut self, lines: &[Line]) -> Result<(), Flaw> {
        let sum: i128 = lines.iter().map(|line| i128::from(line.1)).sum();
        same("the sum of the posting", &0, &sum)?;
        let mut posted = BTreeMap::new();
        for Line(account, amount, _) in lines {
            if posted.insert(account.clone(), *amount).is_some() {
                return Err(Flaw::differs("the posting", "one line an account", account));
            }
        }
        same("the amounts posted", &self.owed, &posted)?;
        self.owed.clear();
        lines.iter().try_for_each(|line| self.moved(line))
    }

    fn moved(&mut self, Line(account, amount, after): &Line) -> Result<(), Flaw> {
        match account {
            Account::Player(player) => {
                let before = if *player == self.me { Some(&self.funds) } else { self.stated.get(player) };
                let before = before.ok_or_else(|| {
                    Flaw::differs("the balances before the entry", format!("one of {player}"), "none")
                })?;
                let expected = before.signed().checked_add(*amount).ok_or(Flaw::Overflow)?;
                same("the balance posted", &expected, after)?;
                let balance = u64::try_from(expected).ok().and_then(Chips::new).ok_or(Flaw::Overflow)?;
                if *player == self.me {
                    self.funds = balance;
                }
                self.stated.insert(player.clone(), balance);
            }
            Account::Table(_) => {
                self.escrow = self.escrow.checked_add(*amount).ok_or(Flaw::Overflow)?;
                same("what is staked at the table", &self.escrow, after)?;
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_fairness::TableId;

    fn chips(units: u64) -> Chips {
        Chips::new(units).unwrap()
    }

    #[test]
    fn a_posting_moves_just_what_is_owed() {
        let (alice, bob) = (PlayerId::parse("alice").unwrap(), PlayerId::parse("bob").unwrap());
        let table = Account::Table(TableId::parse("t").unwrap());
        let (a, b) = (Account::Player(alice.clone()), Account::Player(bob.clone()));
        let before = [(alice.clone(), chips(100)), (bob.clone(), chips(50))];
        let owing = || {
            let mut money = Money::new(alice.clone(), chips(100));
            money.begin(&before).unwrap();
            money.owe_stake(&alice, &table, 7).unwrap();
            money.owe_stake(&bob, &table, 5).unwrap();
            money
        };
        let honest = [Line(a.clone(), -7, 93), Line(b.clone(), -5, 45), Line(table.clone(), 12, 12)];
        let mut money = owing();
        assert!(money.is_owed());
        money.posted(&honest).unwrap();
        assert_eq!((money.funds(), money.of(&bob), money.is_owed()), (chips(93), chips(45), false));
        for (what, index, line) in [
            ("another amount", 1, Line(b.clone(), -6, 44)),
            ("another balance", 1, Line(b.clone(), -5, 44)),
            ("my own balance", 0, Line(a.clone(), -7, 94)),
            ("what is staked", 2, Line(table.clone(), 12, 13)),
            ("another account", 1, Line(Account::House, -5, 0)),
        ] {
            let mut lines = honest.clone();
            lines[index] = line;
            assert!(owing().posted(&lines).is_err(), "{what}");
        }
        assert!(owing().nothing_owed("the posting").is_err());
        assert!(Money::new(alice, chips(99)).begin(&before).is_err());
    }

    #[test]
    fn opposite_movements_cancel() {
        let (alice, table) = (PlayerId::parse("alice").unwrap(), Account::Table(TableId::parse("t").unwrap()));
        let mut money = Money::new(alice.clone(), chips(10));
        money.owe_stake(&alice, &table, 7).unwrap();
        money.owe_stake(&alice, &table, -7).unwrap();
        money.nothing_owed("anything").unwrap();
    }
}
