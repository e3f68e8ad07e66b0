//! One player: a table of his own, a secret of his own, one request at a time.

use crate::check::{Bettor, Flaw, OnLog, Progress, RoundCheck, ShoeCheck, hand_of};
use crate::client::{Client, Request, Token};
use crate::failure::Failure;
use crate::link::{Link, parse, refused};
use crate::shared::Shared;
use crate::strategy::{Situation, Strategy};
use crate::wire::{Accepted, Receipt, RoundRead, TableView};
use fairshoe_fairness::{PlayerId, Stream, TableContext, TableId, derive_client_seed};
use fairshoe_games::{Action, Bet, Chips, RuleSet};
use fairshoe_house::Event;
use serde_json::json;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use tokio::time::sleep;

/// Stakes that a credit is worth.
const STAKES_A_CREDIT: u64 = 10_000;

/// Between two looks at a table whose next shoe is not committed yet.
const TABLE_PAUSE: Duration = Duration::from_millis(2);

/// See the module.
pub struct Player {
    name: PlayerId,
    token: Token,
    link: Link,
    shared: Arc<Shared>,
    table: TableId,
    rules: Arc<RuleSet>,
    /// Of the shoe in use; read again after every lost connection, for a restart changes the epoch.
    context: Option<TableContext>,
    next_round: u64,
    /// The table's last entry seen; unknown after a lost connection.
    last_seq: Option<u64>,
    funds: Chips,
    credits: u64,
    secret: [u8; 32],
    random: Stream,
    /// The largest tree size seen.
    known: u64,
}

impl Player {
    /// Creates a player, credits his chips and opens his table.
    ///
    /// # Errors
    /// [`Failure`].
    pub async fn sit_down(number: u16, secret: [u8; 32], client: Arc<Mutex<Client>>, shared: Arc<Shared>) -> Result<Self, Failure> {
        let name = format!("load-{}-{number}", shared.run);
        let name = PlayerId::parse(&name).map_err(|e| Failure::Usage(format!("the player's name {name}: {e}")))?;
        let rules = RuleSet::shipped(&shared.args.game);
        let rules = Arc::new(rules.ok_or_else(|| Failure::Usage(format!("the rule set `{}` is not known here", shared.args.game)))?);
        let table = TableId::parse(name.as_str()).map_err(|e| Failure::Usage(e.to_string()))?;
        let link = Link::new(client, shared.clone());
        let (token, random) = (shared.operator.clone(), Stream::new(secret));
        let (context, funds) = (None, Chips::ZERO);
        let mut player = Player {
            name,
            token,
            link,
            shared,
            table,
            rules,
            context,
            next_round: 0,
            last_seq: None,
            funds,
            credits: 0,
            secret,
            random,
            known: 0,
        };
        player.register().await?;
        player.credit().await?;
        player.open_table().await?;
        Ok(player)
    }

    /// His token and his connection, for measuring.
    pub fn parts(&mut self) -> (Token, &mut Link) {
        (self.token.clone(), &mut self.link)
    }

    /// Plays until the time is up.
    ///
    /// # Errors
    /// [`Failure`]; the first check that fails is one.
    pub async fn play(&mut self) -> Result<(), Failure> {
        while !self.shared.is_over() {
            if self.funds.units() < self.shared.args.stake.saturating_mul(8) {
                self.credit().await?;
            }
            self.round().await?;
        }
        Ok(())
    }

    async fn register(&mut self) -> Result<(), Failure> {
        let request = Request::post("/v1/players", &json!({ "player": self.name })).token(&self.shared.operator).key(self.key("create"));
        let mut accepted = self.command(&request).await?.0;
        if accepted.token.is_none() {
            // A repeat never shows the token again.
            let path = format!("/v1/players/{}/tokens", self.name);
            let request = Request::post(path, &json!({})).token(&self.shared.operator);
            accepted = self.command(&request).await?.0;
        }
        let token = accepted.token.as_deref().and_then(Token::new);
        self.token = token.ok_or_else(|| Failure::Reply { request: request.name(), error: "there is no token in it".into() })?;
        Ok(())
    }

    async fn credit(&mut self) -> Result<(), Failure> {
        let amount = self.shared.args.stake.saturating_mul(STAKES_A_CREDIT);
        let amount = Chips::new(amount).ok_or_else(|| Failure::Usage("the stake is too high".into()))?;
        self.credits += 1;
        let path = format!("/v1/players/{}/credit", self.name);
        let body = json!({ "amount": amount, "reference": "fairshoe-load" });
        let request = Request::post(path, &body).token(&self.shared.operator).key(self.key(&format!("credit-{}", self.credits)));
        let (accepted, _) = self.command(&request).await?;
        let balance = self.funds.plus(amount).ok_or_else(|| self.flawed(Flaw::Overflow))?;
        if accepted.balance != Some(balance) {
            return Err(self.flawed(Flaw::differs("the balance after a credit", Some(balance), accepted.balance)));
        }
        self.funds = balance;
        Ok(())
    }

    async fn open_table(&mut self) -> Result<(), Failure> {
        let rollback = self.shared.args.crash == crate::args::CrashPolicy::Rollback;
        let mut body = json!({ "rules": self.shared.args.game });
        let mut expected = (*self.rules).clone();
        if rollback {
            body["options"] = json!({ "crash": "rollback" });
            expected = expected.with_options([("crash", "rollback")]).map_err(|e| Failure::Usage(e.to_string()))?;
        }
        let by = if rollback { self.shared.operator.clone() } else { self.token.clone() };
        let request = Request::post("/v1/tables", &body).token(&by).key(self.key("table"));
        let (accepted, on_log) = self.command(&request).await?;
        self.table = accepted.table.ok_or_else(|| Failure::Reply { request: request.name(), error: "there is no table in it".into() })?;
        let opened = on_log.iter().flat_map(|on_log| &on_log.entry.events).find_map(|event| match event {
            Event::TableOpened { rules, digest, .. } => Some((rules, digest)),
            _ => None,
        });
        match opened {
            Some((rules, digest)) if *rules == expected && *digest == expected.digest() => self.rules = Arc::new(expected),
            other => return Err(self.flawed(Flaw::differs("the rules on the log", &expected, other))),
        }
        Ok(())
    }

    fn key(&self, what: &str) -> String {
        format!("{}-{what}", self.name)
    }

    fn flawed(&self, flaw: Flaw) -> Failure {
        Failure::Flaw { at: format!("player {}, table {}, round {}", self.name, self.table, self.next_round), flaw }
    }

    /// A call that makes one entry outside of a round.
    async fn command(&mut self, request: &Request) -> Result<(Accepted, Vec<OnLog>), Failure> {
        let answer = self.link.call(request).await?;
        let accepted: Accepted = parse(request, &answer.reply)?;
        let on_log = self.receipts(&accepted, 1)?;
        Ok((accepted, on_log))
    }

    /// Checks the receipts and notes them down, before anything else is asked.
    fn receipts(&mut self, accepted: &Accepted, expected: usize) -> Result<Vec<OnLog>, Failure> {
        if accepted.receipts.len() != expected {
            return Err(self.flawed(Flaw::Receipts { expected, found: accepted.receipts.len() }));
        }
        let on_log: Result<Vec<_>, _> = accepted.receipts.iter().map(|receipt| self.shared.log.receipt(receipt, &mut self.known)).collect();
        let on_log = on_log.map_err(|flaw| self.flawed(flaw))?;
        self.note(&on_log)?;
        Ok(on_log)
    }

    fn note(&self, on_log: &[OnLog]) -> Result<(), Failure> {
        self.shared.totals().entries += u64::try_from(on_log.len()).unwrap_or_default();
        self.shared.acks.as_ref().map_or(Ok(()), |acks| acks.note(on_log))
    }

    async fn round(&mut self) -> Result<(), Failure> {
        let started = Instant::now();
        let mut check = self.bet().await?;
        while check.progress() == Progress::AwaitingReveals {
            self.reveal(&mut check).await?;
        }
        while check.progress() == Progress::Open {
            self.act(&mut check).await?;
        }
        self.funds = check.funds();
        self.next_round += 1;
        let mut totals = self.shared.totals();
        if check.progress() == Progress::Settled {
            totals.rounds += 1;
            totals.round.note(started.elapsed());
        } else {
            totals.voids += 1;
            drop(totals);
            self.context = None;
        }
        Ok(())
    }

    async fn table_view(&mut self) -> Result<TableView, Failure> {
        let request = Request::get(format!("/v1/tables/{}", self.table)).token(&self.token);
        self.link.read(&request).await
    }

    /// Reads the table until it is ready for a bet: context and next round. What the house did there in the meantime, as
    /// after a restart with a shoe without bets, is in no reply: the sequence is taken up anew.
    async fn read_table(&mut self) -> Result<TableContext, Failure> {
        loop {
            let view = self.table_view().await?;
            if view.rules != *self.rules || view.digest != self.rules.digest() {
                return Err(self.flawed(Flaw::differs("the table's rules", &self.rules, view.rules)));
            }
            self.next_round = view.next_round;
            self.last_seq = None;
            if let (Some(_), Some(epoch), None) = (view.shoe, view.epoch, view.round) {
                let context = TableContext { origin: view.origin, table: view.table, epoch };
                self.context = Some(context.clone());
                return Ok(context);
            }
            if self.shared.is_stopped() {
                return Err(Failure::Stopped);
            }
            sleep(TABLE_PAUSE).await;
        }
    }

    /// Bets, and looks what became of it where the connection broke: a bet that is on the log binds, one that is not
    /// needs a new commitment, for the epoch has changed.
    async fn bet(&mut self) -> Result<RoundCheck, Failure> {
        loop {
            let context = match &self.context {
                Some(context) => context.clone(),
                None => self.read_table().await?,
            };
            let seed = derive_client_seed(&self.secret, &context, self.next_round);
            let stake = Chips::new(self.shared.args.stake).ok_or_else(|| Failure::Usage("the stake is too high".into()))?;
            let bets = vec![Bet { spot: "1".into(), stake, chips: None }];
            let (player, rules, round_no, before) = (self.name.clone(), self.rules.clone(), self.next_round, self.funds);
            let bettor = Bettor { player, rules, context, round_no, bets, before, seed };
            let body = json!({ "round_no": round_no, "bets": bettor.bets, "commitment": bettor.commitment() });
            let request = Request::post(format!("/v1/tables/{}/bets", self.table), &body).token(&self.token);
            if let Some(answer) = self.link.call_once(&request).await? {
                let accepted: Accepted = parse(&request, &answer.reply)?;
                self.shared.totals().accepted("bet", answer.took);
                return self.bet_accepted(bettor, &accepted, false);
            }
            self.context = None;
            self.link.refresh();
            if self.table_view().await?.next_round == round_no {
                continue;
            }
            let answer = self.link.call(&request).await?;
            let accepted: Accepted = parse(&request, &answer.reply)?;
            self.shared.totals().accepted("bet", answer.took);
            let mut check = self.bet_accepted(bettor, &accepted, true)?;
            self.catch_up(&mut check).await?;
            return Ok(check);
        }
    }

    fn bet_accepted(&mut self, bettor: Bettor, accepted: &Accepted, interrupted: bool) -> Result<RoundCheck, Failure> {
        let on_log = self.receipts(accepted, 2)?;
        let [bet, shoe] = on_log.as_slice() else { return Err(self.flawed(Flaw::Receipts { expected: 2, found: on_log.len() })) };
        let check = || {
            if bet.checkpoint != shoe.checkpoint {
                return Err(Flaw::TwoCheckpoints);
            }
            if shoe.index >= bet.index {
                return Err(Flaw::CommittedLate { shoe: shoe.index, bet: bet.index });
            }
            let committed = ShoeCheck::committed(&shoe.entry, &bettor.context, &bettor.rules)?;
            let mut check = RoundCheck::new(bettor, committed)?;
            check.apply(bet, &[])?;
            Ok(check)
        };
        let check = check().map_err(|flaw| self.flawed(flaw))?;
        self.in_sequence(shoe)?;
        self.in_sequence(bet)?;
        if !interrupted {
            self.check_reply(&check, accepted)?;
        }
        Ok(check)
    }

    /// A table's entries have no gap, and as long as the connection holds a solo player sees every one of them.
    fn in_sequence(&mut self, on_log: &OnLog) -> Result<(), Failure> {
        let Some(at) = &on_log.entry.at else { return Ok(()) };
        match self.last_seq.map(|last| last + 1) {
            Some(expected) if expected != at.seq => return Err(self.flawed(Flaw::Gap { expected, found: at.seq })),
            _ => self.last_seq = Some(at.seq),
        }
        Ok(())
    }

    fn check_reply(&self, check: &RoundCheck, accepted: &Accepted) -> Result<(), Failure> {
        self.shared.totals().openings += u64::try_from(accepted.openings.len()).unwrap_or_default();
        let round = accepted.round.as_ref().ok_or(Flaw::Differs {
            what: "the reply",
            expected: "one with a round".into(),
            found: "one without".into(),
        });
        round.and_then(|round| check.check_reply(round, &accepted.openings, accepted.balance)).map_err(|flaw| self.flawed(flaw))
    }

    async fn reveal(&mut self, check: &mut RoundCheck) -> Result<(), Failure> {
        let saw = self.shared.log.span().map(|(_, last)| json!({ "size": last.size, "root": last.root.to_string() }));
        let mut body = json!({ "player": self.name, "seed": check.seed() });
        if let Some(saw) = saw {
            body["saw"] = saw;
        }
        let request = Request::post(format!("/v1/rounds/{}/reveals", check.id()), &body).token(&self.token);
        self.step(check, "reveal", &request).await
    }

    async fn act(&mut self, check: &mut RoundCheck) -> Result<(), Failure> {
        let Some((decision, options)) = check.decision() else { return Err(self.flawed(Flaw::Stalled)) };
        let situation = hand_of(decision.place).and_then(|(spot, hand)| Situation::read(&check.view(), spot, hand));
        let strategy: Strategy = self.shared.args.strategy;
        let action = situation.and_then(|situation| strategy.choose(situation, &options, &mut self.random));
        let action: Action = action.ok_or_else(|| Failure::Usage(format!("strategy {strategy:?} knows no move at {}", decision.place)))?;
        check.ask(decision.number, action.clone());
        let body = json!({ "decision": decision.number, "action": action });
        let request = Request::post(format!("/v1/rounds/{}/actions", check.id()), &body).token(&self.token);
        self.step(check, "act", &request).await
    }

    /// Moves the round on by one request. After a lost connection the same request is sent again, and then the round is
    /// read back whole: the service may have resumed it, or rolled it back.
    async fn step(&mut self, check: &mut RoundCheck, call: &'static str, request: &Request) -> Result<(), Failure> {
        let answer = self.link.call(request).await?;
        if answer.reply.is_success() {
            let accepted: Accepted = parse(request, &answer.reply)?;
            self.shared.totals().accepted(call, answer.took);
            let on_log = self.receipts(&accepted, 1)?;
            if answer.interrupted {
                return self.catch_up(check).await;
            }
            for on_log in &on_log {
                self.in_sequence(on_log)?;
                check.apply(on_log, &accepted.openings).map_err(|flaw| self.flawed(flaw))?;
            }
            return self.check_reply(check, &accepted);
        }
        if answer.interrupted && answer.reply.status == 409 {
            self.catch_up(check).await?;
            if check.progress() == Progress::Voided {
                return Ok(());
            }
        }
        Err(refused(request, &answer.reply))
    }

    /// Replays every entry of the round that was not seen yet, each with its proof.
    async fn catch_up(&mut self, check: &mut RoundCheck) -> Result<(), Failure> {
        self.shared.totals().resumed += 1;
        // A restart changes the epoch of the shoes to come.
        self.context = None;
        self.link.refresh();
        let read: RoundRead = self.link.read(&Request::get(format!("/v1/rounds/{}", check.id())).token(&self.token)).await?;
        for index in read.entries {
            if check.knows(index) {
                continue;
            }
            let entry = self.text(&format!("/v1/entries/{index}")).await?;
            let proof = self.text(&format!("/v1/receipts/{index}")).await?;
            let on_log = self.shared.log.receipt(&Receipt { index, entry, proof }, &mut self.known).map_err(|flaw| self.flawed(flaw))?;
            self.note(std::slice::from_ref(&on_log))?;
            self.in_sequence(&on_log)?;
            check.apply(&on_log, &read.openings).map_err(|flaw| self.flawed(flaw))?;
        }
        check.check_reply(&read.round, &read.openings, None).map_err(|flaw| self.flawed(flaw))
    }

    async fn text(&mut self, path: &str) -> Result<String, Failure> {
        let request = Request::get(path).token(&self.token);
        let answer = self.link.call(&request).await?;
        if !answer.reply.is_success() {
            return Err(refused(&request, &answer.reply));
        }
        String::from_utf8(answer.reply.body.to_vec()).map_err(|e| Failure::Reply { request: request.name(), error: e.to_string() })
    }
}
