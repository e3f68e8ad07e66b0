use super::Declined;
use super::accounts::require;
use super::draft::Draft;
use crate::state::IDLE_MS;
use crate::table::Table;
use crate::{Account, Actor, Dealer, Event, Phase, Refusal, ShoeId, State, TABLES_PER_PLAYER, VoidCause};
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::{Ahead, Crash, RuleSet};

impl State {
    /// A new table: the operator's is for everyone, a player's for himself, limited and closed when idle.
    pub(super) fn decide_open_table<'s>(
        &'s self,
        dealer: &'s dyn Dealer,
        time: u64,
        by: &Actor,
        id: &TableId,
        rules: &RuleSet,
    ) -> Result<Draft<'s>, Declined> {
        let owner = match by {
            Actor::Operator => None,
            _ => Some(self.is_player(by).ok_or(Refusal::NotAllowed("the operator or a player opens tables"))?),
        };
        if self.used_tables.contains(id) {
            return Err(Refusal::TableExists(id.clone()).into());
        }
        if owner.as_ref().and_then(|owner| self.owned_tables.get(owner)).is_some_and(|open| *open >= TABLES_PER_PLAYER) {
            return Err(Refusal::TooManyTables(TABLES_PER_PLAYER).into());
        }
        rules.validate().map_err(Refusal::from)?;
        let idle_ms = owner.as_ref().map(|_| IDLE_MS);
        let mut draft = Draft::with(self, dealer, time, Table::new(id.clone(), rules.clone(), owner.clone(), idle_ms));
        draft.events.push(Event::TableOpened { rules: rules.clone(), digest: rules.digest(), owner, idle_ms });
        Ok(draft)
    }
}

impl Draft<'_> {
    pub fn close_table(&mut self, by: &Actor) -> Result<(), Declined> {
        match by {
            Actor::Operator => {}
            Actor::Player(player) if self.table.owner.as_ref() == Some(player) => {}
            Actor::House => {
                let idle_until = self.table.next_deadline().filter(|_| self.table.live_round().is_none());
                match idle_until {
                    Some(deadline) if deadline <= self.time => {}
                    Some(deadline) => return Err(Refusal::DeadlineAhead(deadline).into()),
                    None => return Err(Refusal::NotAllowed("the house closes idle tables alone").into()),
                }
            }
            _ => return Err(Refusal::NotAllowed("the operator or the owner closes a table").into()),
        }
        if let Some(round) = self.table.live_round() {
            return Err(Refusal::RoundInProgress(round.round_no).into());
        }
        self.retire_shoe()?;
        self.push(Event::TableClosed {})
    }

    pub fn commit_shoe(&mut self, by: &Actor) -> Result<(), Declined> {
        require(by, &Actor::House, "the house commits shoes")?;
        if self.table.shoe.is_some() || self.table.live_round().is_some() {
            return Err(Refusal::NothingToDo("a shoe is in use").into());
        }
        let context = self.state.context(&self.table.id).map_err(|e| Declined::Broken(e.to_string()))?;
        self.put_in_use(ShoeId { context, shoe_no: self.table.next_shoe, composition: self.table.rules.composition() })
    }

    /// After a start: an unused shoe is revealed, an open round resumes or is rolled back (spec/recovery.md).
    pub fn recover(&mut self, by: &Actor) -> Result<(), Declined> {
        require(by, &Actor::House, "the house recovers tables")?;
        if !self.table.needs_recovery {
            return Err(Refusal::NothingToDo("the table is recovered already").into());
        }
        self.note_balances();
        let Some(round) = self.table.live_round() else { return self.retire_shoe() };
        let round_no = round.round_no;
        match (self.table.rules.table.crash, round.phase) {
            (Crash::Rollback, _) => self.void(VoidCause::Crash, Vec::new()),
            (Crash::Resume, Phase::Open { settle_by }) => {
                let settle_by = Some(settle_by.saturating_add(self.table.down_ms));
                self.push(Event::RoundResumed { round_no, reveal_by: None, settle_by })
            }
            (Crash::Resume, _) => {
                let reveal_by = Some(self.time.saturating_add(self.table.rules.table.reveal_time_ms));
                self.push(Event::RoundResumed { round_no, reveal_by, settle_by: None })
            }
        }
    }

    pub fn void_by_operator(&mut self, by: &Actor, round_no: u64) -> Result<(), Declined> {
        require(by, &Actor::Operator, "the operator declares a malfunction")?;
        self.live_round(round_no)?;
        self.note_balances();
        self.void(VoidCause::Malfunction, Vec::new())
    }

    /// The round counts for nothing: everything staked in it comes back, what it paid goes back, the shoe is retired (C22).
    pub fn void(&mut self, cause: VoidCause, missing: Vec<PlayerId>) -> Result<(), Declined> {
        let round = self.table.live_round().ok_or_else(|| Declined::Broken("no round to void".into()))?;
        let round_no = round.round_no;
        let ahead = if round.lanes.is_some() { round.game.ahead() } else { Ahead::Nobody };
        let back: Vec<(Account, i64)> = round
            .contributors
            .iter()
            .map(|c| (Account::Player(c.placed.player.clone()), c.staked.signed().saturating_sub(c.ret.signed())))
            .collect();
        let escrow = round.game.pending_stakes().iter().fold(0i64, |sum, (_, stake)| sum.saturating_add(stake.signed()));
        let returned = back.iter().fold(0i64, |sum, (_, amount)| sum.saturating_add(*amount));
        let mut amounts = back;
        amounts.push((self.escrow(), -escrow));
        amounts.push((Account::House, escrow.saturating_sub(returned)));
        self.post(amounts)?;
        self.push(Event::RoundVoided { round_no, cause, missing, ahead })?;
        self.retire_shoe()
    }
}
