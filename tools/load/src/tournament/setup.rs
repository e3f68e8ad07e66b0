//! The operator's steps before an event: players with chips, the announcement, and for a satellite its target.

use super::entrant::Entrant;
use super::{Event, now_ms};
use crate::check::Flaw;
use crate::client::{Request, Token};
use crate::failure::Failure;
use crate::link::{parse, problem};
use fairshoe_api::{ErrorCode, LogInfo, Movement, NewPlayer, NewTournament, TournamentView};
use fairshoe_fairness::TableId;
use fairshoe_games::Chips;
use fairshoe_house::Reference;
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::Payouts;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tokio::task::JoinSet;

/// The default time for registration before the start, in milliseconds: a base, and more for each player.
const BEFORE_START: u64 = 4_000;
const BEFORE_START_EACH: u64 = 10;

/// A satellite's target begins so many milliseconds from now; no one waits for it.
const TARGET_AFTER: u64 = 86_400_000;

/// The most that one player may have to pay.
fn most(structure: &Structure) -> Option<u64> {
    let terms = &structure.entry;
    let entry = terms.buy_in.checked_add(terms.fee)?.checked_add(terms.bounty)?;
    let rebuys = structure
        .rebuy
        .as_ref()
        .map_or(Some(0), |terms| terms.price.checked_add(terms.fee)?.checked_mul(u64::from(terms.most)))?;
    let add_on = structure.add_on.as_ref().map_or(Some(0), |terms| terms.price.checked_add(terms.fee))?;
    let each = entry.checked_add(rebuys)?.checked_add(add_on)?;
    each.checked_mul(u64::from(terms.entries_per_player))
}

impl Event {
    /// Creates the players, credits the most that they may have to pay, and reads the log so far.
    pub(super) async fn create_players(&mut self, entrants: &[Arc<Entrant>]) -> Result<(), Failure> {
        let amount = most(&self.structure).and_then(Chips::new).filter(|amount| *amount > Chips::ZERO);
        let amount = amount.ok_or_else(|| Failure::Usage("the structure's prices are too high, or none".into()))?;
        let each = entrants.len().div_ceil(self.crowd.len().max(1));
        let mut tasks = JoinSet::new();
        for (part, asking) in entrants.chunks(each.max(1)).zip(&self.crowd) {
            let (part, asking) = (part.to_vec(), asking.clone());
            tasks.spawn(async move {
                let mut asking = asking.lock().await;
                for entrant in part {
                    create(&mut asking, &entrant, amount).await?;
                }
                Ok::<(), Failure>(())
            });
        }
        while let Some(done) = tasks.join_next().await {
            done.map_err(|e| Failure::Usage(format!("a player broke down: {e}")))??;
        }
        // With a long log that takes a while, during which no clock of the event must run.
        let request = Request::get("/v1/log").token(&self.shared.operator);
        let info: LogInfo = self.asking.link.read(&request).await?;
        self.watch.reach(info.size).await
    }

    /// Announces the event, and registers the players who come in time.
    pub(super) async fn announce(&mut self) -> Result<(), Failure> {
        if let Payouts::Satellite(terms) = &self.structure.payouts {
            let (buy_in, fee) = (terms.buy_in, terms.fee);
            let target = TableId::parse(&format!("{}-target", self.name)).ok();
            let target = target.ok_or_else(|| Failure::Usage("the target's name is too long".into()))?;
            let mut structure = Structure::shipped("freezeout-9")
                .ok_or_else(|| Failure::Usage("there is no structure for the target".into()))?;
            (structure.entry.buy_in, structure.entry.fee, structure.entry.bounty) = (buy_in, fee, 0);
            self.create(&target, &structure, now_ms().saturating_add(TARGET_AFTER)).await?;
            if let Payouts::Satellite(terms) = &mut self.structure.payouts {
                terms.target = target.to_string();
            }
        }
        let ahead = match self.shared.args.starts_in {
            Some(seconds) => seconds.saturating_mul(1_000),
            None => BEFORE_START + BEFORE_START_EACH * u64::from(self.shared.args.players),
        };
        let (name, structure) = (self.name.clone(), self.structure.clone());
        self.create(&name, &structure, now_ms().saturating_add(ahead)).await?;
        self.follow(0).await?;
        let request = Request::get(format!("/v1/tournaments/{name}")).token(&self.shared.operator);
        let view: TournamentView = self.asking.link.read(&request).await?;
        if view.digest != structure.digest() || view.structure != structure {
            return Err(self.flawed(Flaw::differs("the structure's digest", structure.digest(), view.digest)));
        }
        self.carry_out(self.wishes.early()).await
    }

    async fn create(&mut self, name: &TableId, structure: &Structure, starts_at: u64) -> Result<(), Failure> {
        let body = NewTournament {
            tournament: name.clone(),
            structure: serde_json::to_value(structure).unwrap_or_default(),
            options: BTreeMap::new(),
            starts_at,
            registration_from: None,
        };
        let request = Request::post("/v1/tournaments", &body).token(&self.shared.operator).key(name.to_string());
        let answer = self.asking.link.call(&request).await?;
        let code = problem(&answer.reply).code;
        if !answer.reply.is_success() && code == ErrorCode::NotAllowed {
            return Err(Failure::Usage("--token-file must hold the operator's token".into()));
        }
        let accepted = parse(&request, &answer.reply)?;
        self.asking.receipts(&accepted).map(drop)
    }
}

/// A player with a token, a key if they sign, and chips.
async fn create(asking: &mut super::asking::Asking, entrant: &Entrant, amount: Chips) -> Result<(), Failure> {
    let (shared, name) = (asking.shared.clone(), entrant.name.clone());
    asking.watch.with(|check| check.own(&name));
    let mut body = NewPlayer { player: name.clone(), key: None };
    if let Some(pen) = &*entrant.pen.lock().await {
        body.key = Some(pen.key());
    }
    let request = Request::post("/v1/players", &body).token(&shared.operator).key(format!("{name}-create"));
    let accepted = asking.desk(&request).await?;
    let token = accepted.token.as_deref().and_then(Token::new);
    let missing = || Failure::Reply(request.name(), "there is no token in it".into());
    entrant.is_known(token.ok_or_else(missing)?);
    let body = Movement { amount, reference: Reference::parse("fairshoe-load") };
    let request = Request::post(format!("/v1/players/{name}/credit"), &body).token(&shared.operator);
    let accepted = asking.desk(&request.key(format!("{name}-credit"))).await?;
    if accepted.balance != Some(amount) {
        let flaw = Flaw::differs("the balance after a credit", Some(amount), accepted.balance);
        return Err(asking.watch.flawed(flaw));
    }
    entrant.given.store(amount.units(), Ordering::Relaxed);
    Ok(())
}
