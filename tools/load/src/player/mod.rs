//! One player: a name, a secret, a seat, one request at a time. They follow their table entry by entry and check all of
//! it.

mod play;

use crate::check::{Flaw, OnLog, TableCheck};
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::limits::Connected;
use crate::link::{Link, parse};
use crate::pen::Pen;
use crate::seating::Seating;
use crate::shared::Shared;
use crate::strategy::base_stake;
use fairshoe_api::{Accepted, Movement, NewPlayer, NewTable, NewToken, TableEntries, TableView};
use fairshoe_fairness::{PlayerId, Stream, TableId};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::{Command, Reference};
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
    name: PlayerId,
    token: Token,
    /// Their signing key, if they sign.
    pen: Option<Pen>,
    link: Link,
    shared: Arc<Shared>,
    seating: Seating,
    rules: Arc<RuleSet>,
    check: TableCheck,
    credits: u64,
    secret: [u8; 32],
    random: Stream,
    /// The largest tree size seen.
    known: u64,
    /// The last round that was counted.
    counted: Option<u64>,
    /// The time of the bet of the round in play.
    bet_at: Option<Instant>,
    /// The entry that committed the shoe in use, and the last entry that made bets binding: a reveal needs both.
    shoe: Option<OnLog>,
    bound: Option<OnLog>,
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
    /// Creates a player, credits their chips, and opens their table or finds the one where they sit.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn sit_down(
        number: u16,
        secret: [u8; 32],
        client: Arc<Mutex<Client>>,
        seating: Seating,
        shared: Arc<Shared>,
    ) -> Result<Self, Failure> {
        let name = name_of(&shared, number, 0)?;
        let own = TableId::parse(name.as_str()).map_err(|e| Failure::Usage(e.to_string()))?;
        let table = seating.table.clone().unwrap_or(own);
        let rules = seating.rules.clone();
        let check = TableCheck::new(name.clone(), Chips::ZERO, table, rules.clone(), shared.origin.clone(), 0);
        let mut player = Player {
            number,
            life: 0,
            name,
            token: shared.operator.clone(),
            pen: None,
            link: Link::new(client, shared.clone()),
            seating,
            rules,
            check,
            credits: 0,
            secret,
            random: Stream::new(secret),
            known: 0,
            counted: None,
            bet_at: None,
            shoe: None,
            bound: None,
            leaves: false,
            put_off: None,
            away_until: None,
            cooldown: 0,
            shared,
        };
        player.heed_signatures();
        player.register().await?;
        player.credit().await?;
        match player.seating.table.clone() {
            None => player.open_table().await?,
            Some(table) => player.follow_table(&table),
        }
        Ok(player)
    }

    /// If the run's players sign, commands in their names must be signed.
    fn heed_signatures(&mut self) {
        if self.shared.args.sign {
            self.check.signed_by(self.shared.signers.clone());
        }
    }

    async fn register(&mut self) -> Result<(), Failure> {
        let mut body = NewPlayer { player: self.name.clone(), key: None };
        if self.shared.args.sign {
            let pen = Pen::fresh()?;
            let (named, key) = pen.key()?;
            body.key = Some(named);
            // Recorded before it is on the log: others may see their first entry before they hear of it.
            self.shared.signers.name(self.name.clone(), key);
            self.pen = Some(pen);
        }
        let request = Request::post("/v1/players", &body).token(&self.shared.operator).key(self.key("create"));
        let mut accepted = self.command(&request).await?.0;
        if accepted.token.is_none() {
            // A repeated reply never shows the token again.
            let path = format!("/v1/players/{}/tokens", self.name);
            let request = Request::post(path, &NewToken::default()).token(&self.shared.operator);
            accepted = self.command(&request).await?.0;
        }
        let token = accepted.token.as_deref().and_then(Token::new);
        self.token =
            token.ok_or_else(|| Failure::Reply { request: request.name(), error: "there is no token in it".into() })?;
        Ok(())
    }

    fn stakes(&self, count: u64) -> Result<Chips, Failure> {
        let stake = base_stake(&self.rules, self.shared.args.stake).units();
        let sum = stake.checked_mul(count).and_then(Chips::new);
        sum.ok_or_else(|| Failure::Usage(format!("--stake {} is too high", self.shared.args.stake)))
    }

    /// Credits chips for more rounds. Only while they have no round in play, so that the balance does not change
    /// otherwise.
    async fn credit_if_low(&mut self) -> Result<(), Failure> {
        if self.check.is_in_play() || self.check.funds() >= self.stakes(STAKES_A_ROUND)? {
            Ok(())
        } else {
            self.credit().await
        }
    }

    async fn credit(&mut self) -> Result<(), Failure> {
        let amount = self.stakes(STAKES_A_CREDIT)?;
        self.credits += 1;
        let path = format!("/v1/players/{}/credit", self.name);
        let body = Movement { amount, reference: Reference::parse("fairshoe-load") };
        let request =
            Request::post(path, &body).token(&self.shared.operator).key(self.key(&format!("credit-{}", self.credits)));
        let (accepted, _) = self.command(&request).await?;
        let balance = self.check.funds().plus(amount).ok_or_else(|| self.flawed(Flaw::Overflow))?;
        if accepted.balance != Some(balance) {
            return Err(self.flawed(Flaw::differs("the balance after a credit", Some(balance), accepted.balance)));
        }
        self.check.credited(balance);
        Ok(())
    }

    async fn open_table(&mut self) -> Result<(), Failure> {
        let rollback = self.shared.args.crash == crate::args::CrashPolicy::Rollback;
        let mut body = NewTable {
            table: Some(self.check.table().clone()),
            rules: self.seating.game.clone(),
            replaces: None,
            options: BTreeMap::new(),
        };
        if rollback {
            body.options.insert("crash".into(), "rollback".into());
        }
        let by = if rollback { self.shared.operator.clone() } else { self.token.clone() };
        let mut request = Request::post("/v1/tables", &body).token(&by).key(self.key("table"));
        if !rollback {
            request = self.promise(
                Command::OpenTable { table: self.check.table().clone(), rules: (*self.rules).clone(), replaces: None },
                request,
            )?;
        }
        let (accepted, on_log) = self.command(&request).await?;
        if accepted.table.as_ref() != Some(self.check.table()) {
            return Err(self.flawed(Flaw::differs("the table opened", self.check.table(), &accepted.table)));
        }
        for on_log in &on_log {
            self.check.apply(on_log, &[]).map_err(|flaw| self.flawed(flaw))?;
            let epoch = self.epoch_of(on_log.index).await?;
            self.check.epoch_is(epoch);
        }
        Ok(())
    }

    /// A shared table is followed from its first entry.
    fn follow_table(&mut self, table: &TableId) {
        let (name, funds, origin) = (self.name.clone(), self.check.funds(), self.shared.origin.clone());
        self.check = TableCheck::new(name, funds, table.clone(), self.rules.clone(), origin, 0);
        self.heed_signatures();
    }

    async fn table_view(&mut self) -> Result<TableView, Failure> {
        let request = Request::get(format!("/v1/tables/{}", self.check.table())).token(&self.token);
        self.link.read(&request).await
    }

    fn key(&self, what: &str) -> String {
        format!("{}-{what}", self.name)
    }

    fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw {
            at: format!("player {}, table {}, entry {}", self.name, self.check.table(), self.check.next_seq()),
            flaw,
        }
    }

    async fn epoch_of(&mut self, index: u64) -> Result<fairshoe_fairness::Epoch, Failure> {
        let shared = self.shared.clone();
        shared.epochs.of(&mut self.link, &self.token, &shared.log, index).await
    }

    /// Records a command before it is sent in the player's name, and signs it if they have a key.
    fn promise(&mut self, command: Command, request: Request) -> Result<Request, Failure> {
        let signed = self.pen.as_mut().map(|pen| pen.sign(&self.shared.origin, &self.name, &command)).transpose()?;
        self.check.send_signed(command, signed);
        Ok(match &signed {
            Some(signed) => request.signed(signed),
            None => request,
        })
    }

    /// A call that makes one entry outside of a table.
    async fn command(&mut self, request: &Request) -> Result<(Accepted, Vec<OnLog>), Failure> {
        let answer = self.link.call(request).await?;
        let accepted: Accepted = parse(request, &answer.reply)?;
        let on_log = self.receipts(&accepted, 1)?;
        Ok((accepted, on_log))
    }

    /// Checks and records the receipts before the next request.
    fn receipts(&mut self, accepted: &Accepted, expected: usize) -> Result<Vec<OnLog>, Failure> {
        if accepted.receipts.len() != expected {
            return Err(self.flawed(Flaw::Receipts { expected, found: accepted.receipts.len() }));
        }
        let on_log: Result<Vec<_>, _> =
            accepted.receipts.iter().map(|receipt| self.shared.log.receipt(receipt, &mut self.known)).collect();
        let on_log = on_log.map_err(|flaw| self.flawed(flaw))?;
        self.shared.note(&on_log)?;
        Ok(on_log)
    }

    /// A page of a table's entries, each with its proof and its openings.
    async fn page(
        &mut self,
        table: &TableId,
        query: &str,
    ) -> Result<Vec<(OnLog, Vec<fairshoe_api::ShownOpening>)>, Failure> {
        let request = Request::get(format!("/v1/tables/{table}/entries?{query}")).token(&self.token);
        let page: TableEntries = self.link.read(&request).await?;
        let checkpoint = self.shared.log.newer(&page.checkpoint, &mut self.known).map_err(|flaw| self.flawed(flaw))?;
        let mut entries = Vec::with_capacity(page.entries.len());
        for entry in page.entries {
            let on_log = self.shared.log.page_entry(&entry, &checkpoint).map_err(|flaw| self.flawed(flaw))?;
            entries.push((on_log, entry.openings));
        }
        Ok(entries)
    }

    /// Continues reading the table and replays its entries; waits for a new one if `wait_ms` is not 0.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    async fn follow(&mut self, wait_ms: u64) -> Result<(), Failure> {
        let table = self.check.table().clone();
        let query = format!("from_seq={}&proofs=true&wait_ms={wait_ms}", self.check.next_seq());
        let page = self.page(&table, &query).await?;
        // An unanswered duty may be tried again after a new entry, or after a quiet time.
        if !page.is_empty() || wait_ms > 0 {
            self.put_off.take_if(|put_off| put_off.until_next);
        }
        self.shared.follows(&table, page.iter().map(|(on_log, _)| on_log))?;
        for (on_log, openings) in page {
            self.replay(&on_log, &openings).await?;
        }
        self.link.refresh();
        Ok(())
    }

    async fn replay(&mut self, on_log: &OnLog, openings: &[fairshoe_api::ShownOpening]) -> Result<(), Failure> {
        if self.check.needs_epoch(&on_log.entry) {
            let epoch = self.epoch_of(on_log.index).await?;
            self.check.epoch_is(epoch);
        }
        self.shared.totals().openings += u64::try_from(openings.len()).unwrap_or_default();
        self.check.apply(on_log, openings).map_err(|flaw| self.flawed(flaw))?;
        self.heed(on_log);
        Ok(())
    }
}

impl Connected for Player {
    fn parts(&mut self) -> Option<(Token, &mut Link)> {
        Some((self.token.clone(), &mut self.link))
    }
}

fn name_of(shared: &Shared, number: u16, life: u32) -> Result<PlayerId, Failure> {
    let name = if life == 0 {
        format!("load-{}-{number}", shared.run)
    } else {
        format!("load-{}-{number}-{life}", shared.run)
    };
    PlayerId::parse(&name).map_err(|e| Failure::Usage(format!("the player's name {name}: {e}")))
}
