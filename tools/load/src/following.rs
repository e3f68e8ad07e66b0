//! A table followed over one connection: each page and each reply is proven, checked and counted.

use crate::check::{Flaw, OnLog, TableCheck, opens_only, sealed_in};
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::link::{Link, parse};
use crate::member::Member;
use crate::pen::Pen;
use crate::seating::Seating;
use crate::shared::Shared;
use fairshoe_api::{Accepted, Movement, NewPlayer, NewToken, ShownOpening, TableEntries};
use fairshoe_fairness::TableId;
use fairshoe_games::{Chips, RuleSet};
use fairshoe_house::{Reference, SeenCheckpoint};
use std::sync::Arc;
use tokio::sync::Mutex;

/// A table followed over one connection; see the module.
pub struct Following {
    /// The run.
    pub shared: Arc<Shared>,
    /// The connection.
    pub link: Link,
    /// The name of the game in reports.
    pub game: String,
    /// What the table is played by.
    pub rules: Arc<RuleSet>,
    /// The table so far.
    pub check: TableCheck,
    /// The largest tree size seen.
    known: u64,
}

impl Following {
    /// A table before its first entry.
    pub fn new(shared: Arc<Shared>, client: Arc<Mutex<Client>>, seating: Seating, table: TableId) -> Self {
        let (origin, epoch, signers) = (shared.origin.clone(), shared.starts.first(), shared.signers.clone());
        let check = TableCheck::new(origin, epoch, table, seating.rules.clone(), signers);
        let link = Link::new(client, shared.clone());
        Following { shared, link, game: seating.game, rules: seating.rules, check, known: 0 }
    }

    /// The failure for a flaw here.
    pub fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw(format!("table {}, entry {}", self.check.table(), self.check.next_seq()), flaw)
    }

    /// Creates a player.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn register(&mut self, member: &mut Member) -> Result<(), Failure> {
        let (shared, name) = (self.shared.clone(), member.name.clone());
        let key = member.pen.as_ref().map(Pen::key);
        // Recorded before it is on the log: others may see their first entry before they hear of it.
        key.into_iter().for_each(|key| shared.signers.name(name.clone(), key));
        let body = NewPlayer { player: name.clone(), key };
        let request = Request::post("/v1/players", &body).token(&shared.operator).key(format!("{name}-create"));
        let mut accepted = self.desk(&request).await?.0;
        if accepted.token.is_none() {
            // A repeated reply never shows the token again.
            let path = format!("/v1/players/{name}/tokens");
            let request = Request::post(path, &NewToken::default()).token(&shared.operator);
            accepted = self.desk(&request).await?.0;
        }
        let missing = || Failure::Reply(request.name(), "there is no token in it".into());
        member.token = accepted.token.as_deref().and_then(Token::new).ok_or_else(missing)?;
        Ok(())
    }

    /// Credits a player chips. Only while they have nothing in play, so that their balance does not change otherwise.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn credit(&mut self, member: &mut Member, amount: Chips) -> Result<(), Failure> {
        member.credits += 1;
        let (name, key) = (&member.name, format!("{}-credit-{}", member.name, member.credits));
        let body = Movement { amount, reference: Reference::parse("fairshoe-load") };
        let request = Request::post(format!("/v1/players/{name}/credit"), &body).token(&self.shared.operator).key(key);
        let accepted = self.desk(&request).await?.0;
        let balance = self.check.funds(name).plus(amount).ok_or_else(|| self.flawed(Flaw::Overflow))?;
        if accepted.balance != Some(balance) {
            return Err(self.flawed(Flaw::differs("the balance after a credit", Some(balance), accepted.balance)));
        }
        self.check.credited(name, balance);
        Ok(())
    }

    /// A call that makes one entry.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn desk(&mut self, request: &Request) -> Result<(Accepted, Vec<OnLog>), Failure> {
        let answer = self.link.call(request).await?;
        let accepted: Accepted = parse(request, &answer.reply)?;
        let on_log = self.receipts(&accepted, 1)?;
        Ok((accepted, on_log))
    }

    /// Checks and records the receipts before the next request.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn receipts(&mut self, accepted: &Accepted, expected: usize) -> Result<Vec<OnLog>, Failure> {
        if accepted.receipts.len() != expected {
            return Err(self.flawed(Flaw::Receipts(expected, accepted.receipts.len())));
        }
        let on_log: Result<Vec<_>, _> =
            accepted.receipts.iter().map(|receipt| self.shared.log.receipt(receipt, &mut self.known)).collect();
        let on_log = on_log.map_err(|flaw| self.flawed(flaw))?;
        self.shared.note(&on_log)?;
        Ok(on_log)
    }

    /// Continues reading the table and replays its entries; waits for a new one if `wait_ms` is not 0.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn follow(&mut self, token: &Token, wait_ms: u64) -> Result<Vec<OnLog>, Failure> {
        let table = self.check.table().clone();
        let query = format!("from_seq={}&proofs=true&wait_ms={wait_ms}", self.check.next_seq());
        let request = Request::get(format!("/v1/tables/{table}/entries?{query}")).token(token);
        let answer = self.link.call(&request).await?;
        let page: TableEntries = parse(&request, &answer.reply)?;
        let checkpoint = self.shared.log.newer(&page.checkpoint, &mut self.known).map_err(|flaw| self.flawed(flaw))?;
        let (mut entries, mut shown) = (Vec::with_capacity(page.entries.len()), Vec::with_capacity(page.entries.len()));
        for entry in page.entries {
            entries.push(self.shared.log.page_entry(&entry, &checkpoint).map_err(|flaw| self.flawed(flaw))?);
            shown.push(entry.openings);
        }
        let told = shown.iter().map(Vec::len).sum::<usize>() + entries.iter().map(sealed_in).sum::<usize>();
        opens_only(&answer.reply.body, told).map_err(|flaw| self.flawed(flaw))?;
        self.shared.follows(&table, entries.iter())?;
        for (on_log, openings) in entries.iter().zip(&shown) {
            self.replay(on_log, openings).await?;
        }
        self.link.refresh();
        Ok(entries)
    }

    /// Takes the table's next entry.
    ///
    /// # Errors
    /// [`Failure`]; the first failed check is one.
    pub async fn replay(&mut self, on_log: &OnLog, openings: &[ShownOpening]) -> Result<(), Failure> {
        if self.check.needs_starts(&on_log.entry) {
            let shared = self.shared.clone();
            let starts = shared.starts.before(on_log.index, &mut self.link, &shared.operator, &shared.log).await?;
            self.check.started(&starts, on_log.index).map_err(|flaw| self.flawed(flaw))?;
        }
        self.shared.totals().openings += u64::try_from(openings.len()).unwrap_or_default();
        self.check.apply(on_log, openings).map_err(|flaw| self.flawed(flaw))
    }

    /// Both proofs that a player needs before they reveal, under one signed checkpoint, which is returned.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn hold_proofs(&mut self, token: &Token) -> Result<SeenCheckpoint, Failure> {
        let missing = || {
            Failure::Usage(format!("shoe_committed and bets_closed of table {} were never proven", self.check.table()))
        };
        let (mut shoe, bound) = self.check.proofs().map(|(s, b)| (s.clone(), b.clone())).ok_or_else(missing)?;
        if shoe.checkpoint != bound.checkpoint {
            let shared = self.shared.clone();
            shoe = shared.tiles.prove_entry(&mut self.link, token, &shoe, &bound.checkpoint).await?;
            self.check.shoe_is_proven(shoe.clone());
        }
        bound.binds_on(&shoe).map_err(|flaw| self.flawed(flaw))?;
        Ok(SeenCheckpoint { size: bound.checkpoint.size, root: bound.checkpoint.root.to_string() })
    }
}
