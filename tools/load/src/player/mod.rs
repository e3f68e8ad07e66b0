//! One player: a name, a secret, a seat, one request at a time. They follow their table entry by entry and check all of
//! it.

mod play;

use crate::args::CrashPolicy;
use crate::check::Flaw;
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::following::Following;
use crate::limits::Connected;
use crate::link::Link;
use crate::member::Member;
use crate::seating::Seating;
use crate::shared::Shared;
use crate::strategy::base_stake;
use fairshoe_api::NewTable;
use fairshoe_fairness::{Stream, TableId};
use fairshoe_games::Chips;
use fairshoe_house::Command;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;
use tokio::sync::Mutex;

/// A credit is worth so many least stakes.
const STAKES_A_CREDIT: u64 = 10_000;

/// The most least stakes that a round may cost: bets on several spots, doubles, splits, insurance.
const STAKES_A_ROUND: u64 = 200;

/// One player; see the module.
pub struct Player {
    number: u16,
    /// The number of their earlier names: a player with a cooldown comes back under another name.
    life: u32,
    member: Member,
    at: Following,
    random: Stream,
    /// The last round that was counted.
    counted: Option<u64>,
    /// The time of the bet of the round in play.
    bet_at: Option<Instant>,
    /// Whether they are about to get up.
    leaves: bool,
    /// A refused or neglected duty; it is not tried again before a new entry.
    put_off: Option<play::PutOff>,
    /// The time until which they stay away from the table after getting up.
    away_until: Option<Instant>,
    /// UTC milliseconds before which they may not sit.
    cooldown: u64,
}

impl Player {
    /// Creates a player, credits their chips, and opens their table, if they do not sit at one of others.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn sit_down(
        number: u16,
        seed: [u8; 32],
        client: Arc<Mutex<Client>>,
        seating: Seating,
        shared: Arc<Shared>,
    ) -> Result<Self, Failure> {
        let member = Member::new(&shared, number, 0)?;
        let own = TableId::parse(member.name.as_str()).map_err(|e| Failure::Usage(e.to_string()))?;
        let table = seating.table.clone();
        let mut player = Player {
            number,
            life: 0,
            member,
            at: Following::new(shared, client, seating, table.clone().unwrap_or(own)),
            random: Stream::new(seed),
            counted: None,
            bet_at: None,
            leaves: false,
            put_off: None,
            away_until: None,
            cooldown: 0,
        };
        player.register().await?;
        if table.is_none() {
            player.open_table().await?;
        }
        Ok(player)
    }

    async fn register(&mut self) -> Result<(), Failure> {
        self.at.register(&mut self.member).await?;
        self.credit().await
    }

    fn stakes(&self, count: u64) -> Result<Chips, Failure> {
        let stake = base_stake(&self.at.rules, self.at.shared.args.stake).units();
        let sum = stake.checked_mul(count).and_then(Chips::new);
        sum.ok_or_else(|| Failure::Usage(format!("--stake {} is too high", self.at.shared.args.stake)))
    }

    /// Credits chips for more rounds.
    async fn credit_if_low(&mut self) -> Result<(), Failure> {
        let name = &self.member.name;
        if self.at.check.is_in_play(name) || self.at.check.funds(name) >= self.stakes(STAKES_A_ROUND)? {
            Ok(())
        } else {
            self.credit().await
        }
    }

    async fn credit(&mut self) -> Result<(), Failure> {
        let amount = self.stakes(STAKES_A_CREDIT)?;
        self.at.credit(&mut self.member, amount).await
    }

    async fn open_table(&mut self) -> Result<(), Failure> {
        let (table, rules) = (self.at.check.table().clone(), (*self.at.rules).clone());
        let rollback = self.at.shared.args.crash == CrashPolicy::Rollback;
        let options = rollback.then(|| ("crash".to_owned(), "rollback".into()));
        let options: BTreeMap<_, _> = options.into_iter().collect();
        let body = NewTable { table: Some(table.clone()), rules: self.at.game.clone(), replaces: None, options };
        let request = Request::post("/v1/tables", &body).key(format!("{table}-table"));
        let request = if rollback {
            request.token(&self.at.shared.operator)
        } else {
            self.promise(Command::OpenTable { table: table.clone(), rules, replaces: None }, request)?
        };
        let (accepted, on_log) = self.at.desk(&request).await?;
        if accepted.table.as_ref() != Some(&table) {
            return Err(self.at.flawed(Flaw::differs("the table opened", &table, &accepted.table)));
        }
        for on_log in &on_log {
            self.at.replay(on_log, &[]).await?;
        }
        Ok(())
    }

    /// Records a command before it is sent in the player's name, and signs it if they have a key.
    fn promise(&mut self, command: Command, request: Request) -> Result<Request, Failure> {
        let (request, signed) = self.member.sign(&self.at.shared, &command, request)?;
        self.at.check.send(&self.member.name, command, signed);
        Ok(request)
    }

    /// Continues reading the table and replays its entries; waits for a new one if `wait_ms` is not 0.
    async fn follow(&mut self, wait_ms: u64) -> Result<(), Failure> {
        let page = self.at.follow(&self.member.token, wait_ms).await?;
        // An unanswered duty may be tried again after a new entry, or after a quiet time.
        if !page.is_empty() || wait_ms > 0 {
            self.put_off.take_if(|put_off| put_off.until_next);
        }
        page.iter().for_each(|on_log| self.heed(&on_log.entry));
        Ok(())
    }
}

impl Connected for Player {
    fn parts(&mut self) -> Option<(Token, &mut Link)> {
        Some((self.member.token.clone(), &mut self.at.link))
    }
}
