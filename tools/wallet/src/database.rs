//! Accounts and operations in PostgreSQL: each call is one transaction, committed before the answer.
//!
//! The primary key puts two calls of one name in order: the second one to insert the operation waits until the first
//! one's transaction is over, and then sees its result (spec/wallet.md, "The wallet's side", 2). Locks are taken in one
//! order, first the operation, then the account, so that two transactions never block each other.

use crate::Unusable;
use crate::operation::{Asked, Call, Kind, MOST_OF_PAGE, Operation, Page, State};
use deadpool_postgres::{
    ClientWrapper, Hook, HookError, Manager, ManagerConfig, Metrics, Object, Pool, RecyclingMethod, Runtime,
    Transaction,
};
use std::error::Error as _;
use std::fmt;
use std::time::Duration;
use tokio::time::timeout;
use tokio_postgres::error::SqlState;
use tokio_postgres::{IsolationLevel, NoTls, Row};

/// The tables. They repeat the code's limits on money: a mistake in the code then causes an error instead of a wrong
/// balance.
const TABLES: &str = "
BEGIN;
-- Several that start at once would make the same table twice.
SELECT pg_advisory_xact_lock(6144115012);
CREATE TABLE IF NOT EXISTS accounts (
    player text COLLATE \"C\" PRIMARY KEY CHECK (player ~ '^[a-z0-9_-][a-z0-9._-]{0,63}$'),
    -- What the player can spend.
    balance bigint NOT NULL CHECK (balance >= 0),
    -- What is reserved for the house: the player's no more, and not yet the house's.
    held bigint NOT NULL DEFAULT 0 CHECK (held >= 0),
    CHECK (balance <= 9007199254740991 - held)
);
CREATE TABLE IF NOT EXISTS operations (
    log text COLLATE \"C\" NOT NULL CHECK (length(log) BETWEEN 1 AND 255),
    no bigint NOT NULL CHECK (no BETWEEN 0 AND 9007199254740991),
    kind text NOT NULL,
    -- No reference to accounts: that there was none is an answer, too, and stands for ever.
    player text COLLATE \"C\" NOT NULL,
    amount bigint NOT NULL CHECK (amount BETWEEN 1 AND 9007199254740991),
    state text NOT NULL,
    reason text CHECK (reason ~ '^[ -~]{1,200}$'),
    at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (log, no),
    CHECK (kind = 'deposit' AND state IN ('reserved', 'committed', 'cancelled', 'refused')
        OR kind = 'withdrawal' AND state IN ('paid', 'refused')),
    CHECK (reason IS NULL OR state = 'refused')
);
COMMIT;
";

/// The settings of every connection, even if the database's own settings change: an answered commit is on the disk, and
/// no statement waits longer than the house waits for a reply.
const SESSION: &str = "
SET synchronous_commit = on;
SET statement_timeout = '3s';
SET lock_timeout = '2500ms';
SET idle_in_transaction_session_timeout = '10s';
";

const INSERT: &str = "INSERT INTO operations (log, no, kind, player, amount, state) VALUES ($1, $2, $3, $4, $5, $6) \
     ON CONFLICT (log, no) DO NOTHING";
const READ: &str = "SELECT log, no, kind, player, amount, state, reason FROM operations \
     WHERE log = $1 AND no = $2 FOR UPDATE";
const CHANGE: &str = "UPDATE operations SET state = $3, reason = $4, at = now() WHERE log = $1 AND no = $2";
const PAGE: &str = "SELECT log, no, kind, player, amount, state, reason FROM operations \
     WHERE log = $1 AND no >= $2 ORDER BY no LIMIT $3";
const KNOWN: &str = "SELECT 1 FROM accounts WHERE player = $1";
const HOLD: &str = "UPDATE accounts SET balance = balance - $2, held = held + $2 WHERE player = $1 AND balance >= $2";
const LET_GO: &str = "UPDATE accounts SET balance = balance + $2, held = held - $2 WHERE player = $1";
const HAND_OVER: &str = "UPDATE accounts SET held = held - $2 WHERE player = $1";
/// Held money counts, too: it may come back.
const TAKE: &str = "UPDATE accounts SET balance = balance + $2 \
     WHERE player = $1 AND balance <= 9007199254740991 - held - $2";
const ADD: &str = "INSERT INTO accounts (player, balance) VALUES ($1, $2) \
     ON CONFLICT (player) DO UPDATE SET balance = accounts.balance + excluded.balance \
     WHERE accounts.balance <= 9007199254740991 - accounts.held - excluded.balance \
     RETURNING balance";
const ACCOUNTS: &str = "SELECT player, balance, held FROM accounts WHERE player > $1 ORDER BY player LIMIT 1000";

/// The longest time to get a new or free connection.
const CONNECT: Duration = Duration::from_secs(2);

/// The longest time of a transaction: after five seconds without a reply the house assumes no answer.
const LIMIT: Duration = Duration::from_secs(4);

/// How often a transaction is tried if the database itself aborts it.
const TRIES: u32 = 5;

/// Accounts and operations.
#[derive(Clone)]
pub struct Database {
    pool: Pool,
}

/// The result of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// The operation in its stored state.
    Stands(Operation),
    /// The name belongs to another operation: another player, amount or kind.
    Other,
    /// The call is not allowed in this state; `None`: the name is unknown.
    OutOfOrder(Option<State>),
}

/// The content of an account.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Account {
    /// The player.
    pub player: String,
    /// Their spendable money in minor units.
    pub balance: i64,
    /// The money reserved for the house.
    pub held: i64,
}

/// The database did not do it, as far as is known: asking again shows whether it did.
#[derive(Debug)]
pub struct Away {
    words: String,
    /// The database aborted the transaction because of another one: a new try may succeed.
    gave_up: bool,
}

impl Away {
    fn new(words: impl Into<String>) -> Away {
        Away { words: words.into(), gave_up: false }
    }
}

impl fmt::Display for Away {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.words)
    }
}

impl std::error::Error for Away {}

impl From<tokio_postgres::Error> for Away {
    fn from(error: tokio_postgres::Error) -> Away {
        let given_up = [SqlState::T_R_SERIALIZATION_FAILURE, SqlState::T_R_DEADLOCK_DETECTED];
        Away { words: words(&error), gave_up: error.code().is_some_and(|code| given_up.contains(code)) }
    }
}

/// An error with its causes; its own text alone is "db error".
fn words(error: &tokio_postgres::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let more = cause.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = cause.source();
    }
    text
}

impl Database {
    /// Connects to the database, refuses one that could lose stored data, and makes the tables if they are missing.
    ///
    /// # Errors
    /// The fault of the address or the database, and what to do about it.
    pub async fn open(url: &str, connections: usize) -> Result<Database, Unusable> {
        let mut config: tokio_postgres::Config = url.parse().map_err(|e: tokio_postgres::Error| {
            Unusable::new(format!("--database is to be postgres://USER:PASSWORD@HOST/NAME: {}", words(&e)))
        })?;
        config.connect_timeout(CONNECT).tcp_user_timeout(LIMIT).application_name("fairshoe-wallet");
        prepare(&config).await?;
        let manager = Manager::from_config(config, NoTls, ManagerConfig { recycling_method: RecyclingMethod::Fast });
        let session = Hook::async_fn(|client: &mut ClientWrapper, _: &Metrics| {
            Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
        });
        let pool = Pool::builder(manager)
            .max_size(connections)
            .runtime(Runtime::Tokio1)
            .wait_timeout(Some(CONNECT))
            .create_timeout(Some(CONNECT))
            .recycle_timeout(Some(CONNECT))
            .post_create(session)
            .build()
            .map_err(Unusable::new)?;
        Ok(Database { pool })
    }

    async fn connection(&self) -> Result<Object, Away> {
        self.pool.get().await.map_err(|e| match e {
            deadpool_postgres::PoolError::Backend(e) => e.into(),
            other => Away::new(other.to_string()),
        })
    }

    /// Carries a call out once, however often it comes; the result was committed before.
    ///
    /// # Errors
    /// If the database is away or failed: the result is then unknown, and the call must be repeated.
    pub async fn call(&self, call: Call, asked: &Asked) -> Result<Outcome, Away> {
        let mut tried = 0;
        loop {
            let mut client = self.connection().await?;
            let error = match timeout(LIMIT, carry_out(&mut client, call, asked)).await {
                Ok(Ok(outcome)) => return Ok(outcome),
                Ok(Err(error)) => error,
                Err(_) => {
                    drop(Object::take(client));
                    return Err(Away::new(format!("no end of the transaction within {} s", LIMIT.as_secs())));
                }
            };
            tried += 1;
            if tried == TRIES || !error.gave_up {
                // Such a connection's remaining work need not be waited for.
                drop(Object::take(client));
                return Err(error);
            }
            drop(client);
            tokio::time::sleep(Duration::from_millis(5) * tried).await;
        }
    }

    /// A page of a statement: the operations of a log from a number on.
    ///
    /// # Errors
    /// If the database is away.
    pub async fn page(&self, log: &str, from: i64) -> Result<Page, Away> {
        let client = self.connection().await?;
        // One more than a page holds, to see whether there are more.
        let most = i64::try_from(MOST_OF_PAGE).unwrap_or(i64::MAX).saturating_add(1);
        let asked = async {
            let statement = client.prepare_cached(PAGE).await?;
            client.query(&statement, &[&log, &from, &most]).await
        };
        let rows = timeout(LIMIT, asked).await.map_err(|_| Away::new("no page in time"))??;
        let mut operations = rows.iter().map(operation).collect::<Result<Vec<_>, _>>()?;
        let has_more = operations.len() > MOST_OF_PAGE;
        operations.truncate(MOST_OF_PAGE);
        let next = operations.last().filter(|_| has_more).map(|last| last.no.saturating_add(1));
        Ok(Page { log: log.to_owned(), operations, next })
    }

    /// Whether the database answers.
    pub async fn answers(&self) -> bool {
        let asked = async {
            let client = self.connection().await?;
            client.simple_query("SELECT 1").await.map_err(Away::from)
        };
        timeout(CONNECT, asked).await.is_ok_and(|answer| answer.is_ok())
    }

    /// Puts money into an account, which is made if missing; returns the spendable money. `None`: it would exceed the
    /// maximum.
    ///
    /// # Errors
    /// If the database is away.
    pub async fn add(&self, player: &str, amount: i64) -> Result<Option<i64>, Away> {
        let row = self.connection().await?.query_opt(ADD, &[&player, &amount]).await?;
        Ok(row.map(|row| row.try_get(0)).transpose()?)
    }

    /// The accounts after this name, ascending, at most a thousand.
    ///
    /// # Errors
    /// If the database is away.
    pub async fn accounts(&self, after: &str) -> Result<Vec<Account>, Away> {
        let rows = self.connection().await?.query(ACCOUNTS, &[&after]).await?;
        let account = |row: &Row| -> Result<Account, Away> {
            Ok(Account { player: row.try_get(0)?, balance: row.try_get(1)?, held: row.try_get(2)? })
        };
        rows.iter().map(account).collect()
    }
}

/// Checks, over a connection with the database's own settings, that it keeps data safely, and makes missing tables.
async fn prepare(config: &tokio_postgres::Config) -> Result<(), Unusable> {
    let failed = |e: tokio_postgres::Error| Unusable::new(format!("the database: {}", words(&e)));
    let (client, connection) = timeout(CONNECT.saturating_mul(2), config.connect(NoTls))
        .await
        .map_err(|_| Unusable::new("the database does not answer: is it running, and reached from here?"))?
        .map_err(|e| Unusable::new(format!("the database cannot be used: {}", words(&e))))?;
    let connection = tokio::spawn(async move {
        // The caller sees its end.
        let _ = connection.await;
    });
    for (setting, allowed, why) in [
        ("synchronous_commit", ["on", "remote_apply"], "what a wallet answers must have been stored before"),
        ("fsync", ["on", "on"], "a power cut would lose what was answered"),
        ("full_page_writes", ["on", "on"], "a power cut could leave half a page"),
    ] {
        let row = client.query_one("SELECT current_setting($1)", &[&setting]).await.map_err(failed)?;
        let value: String = row.try_get(0).map_err(failed)?;
        if !allowed.contains(&value.as_str()) {
            return Err(Unusable::new(format!(
                "the database has {setting} = {value}, and {why}: set {setting} = on (ALTER SYSTEM, ALTER DATABASE or \
                 ALTER ROLE … SET)"
            )));
        }
    }
    client.batch_execute(TABLES).await.map_err(|e| {
        Unusable::new(format!("the tables cannot be made: {}: does the user own the database?", words(&e)))
    })?;
    drop(client);
    let _ = connection.await;
    Ok(())
}

async fn carry_out(client: &mut Object, call: Call, asked: &Asked) -> Result<Outcome, Away> {
    // At a stricter level a call that waited for a name would fail instead of seeing the other call's result.
    let transaction = client.build_transaction().isolation_level(IsolationLevel::ReadCommitted).start().await?;
    let outcome = decide(&transaction, call, asked).await?;
    transaction.commit().await?;
    Ok(outcome)
}

/// The table of spec/wallet.md, "The wallet's side".
async fn decide(on: &Transaction<'_>, call: Call, asked: &Asked) -> Result<Outcome, Away> {
    let begins_as = match call {
        Call::Reserve => Some(State::Reserved),
        Call::Cancel => Some(State::Cancelled),
        Call::Pay => Some(State::Paid),
        Call::Commit => None,
    };
    if let Some(state) = begins_as {
        let statement = on.prepare_cached(INSERT).await?;
        let (kind, state_name) = (call.kind().name(), state.name());
        let row: [&(dyn tokio_postgres::types::ToSql + Sync); 6] =
            [&asked.log, &asked.no, &kind, &asked.player, &asked.amount, &state_name];
        if on.execute(&statement, &row).await? == 1 {
            return begin(on, call, asked, state).await;
        }
    }
    let statement = on.prepare_cached(READ).await?;
    let Some(row) = on.query_opt(&statement, &[&asked.log, &asked.no]).await? else {
        return Ok(Outcome::OutOfOrder(None));
    };
    let known = operation(&row)?;
    if !known.is_of(call, asked) {
        return Ok(Outcome::Other);
    }
    match (call, known.state) {
        (Call::Commit, State::Reserved) => {
            require(move_money(on, HAND_OVER, asked).await?, asked)?;
            change(on, call, asked, State::Committed, None).await
        }
        (Call::Cancel, State::Reserved) => {
            require(move_money(on, LET_GO, asked).await?, asked)?;
            change(on, call, asked, State::Cancelled, None).await
        }
        (Call::Commit, State::Cancelled | State::Refused) | (Call::Cancel, State::Committed) => {
            Ok(Outcome::OutOfOrder(Some(known.state)))
        }
        _ => Ok(Outcome::Stands(known)),
    }
}

/// A name that was unknown: it is accepted, and its effect on the account is decided.
async fn begin(on: &Transaction<'_>, call: Call, asked: &Asked, state: State) -> Result<Outcome, Away> {
    let (moves, too_little) = match state {
        State::Reserved => (HOLD, "insufficient_funds"),
        State::Paid => (TAKE, "account_full"),
        _ => return Ok(Outcome::Stands(Operation::of(call, asked, state))),
    };
    if move_money(on, moves, asked).await? {
        return Ok(Outcome::Stands(Operation::of(call, asked, state)));
    }
    let statement = on.prepare_cached(KNOWN).await?;
    let is_known = on.query_opt(&statement, &[&asked.player]).await?.is_some();
    change(on, call, asked, State::Refused, Some(if is_known { too_little } else { "unknown_account" })).await
}

/// Reserved money needs its account: if it was deleted by hand, it must be restored.
fn require(moved: bool, asked: &Asked) -> Result<(), Away> {
    if moved {
        return Ok(());
    }
    Err(Away::new(format!("the account {} is gone, and {} of it were reserved", asked.player, asked.amount)))
}

/// Moves the money; returns whether the account changed.
async fn move_money(on: &Transaction<'_>, moves: &str, asked: &Asked) -> Result<bool, Away> {
    let statement = on.prepare_cached(moves).await?;
    Ok(on.execute(&statement, &[&asked.player, &asked.amount]).await? == 1)
}

async fn change(
    on: &Transaction<'_>,
    call: Call,
    asked: &Asked,
    state: State,
    reason: Option<&str>,
) -> Result<Outcome, Away> {
    let statement = on.prepare_cached(CHANGE).await?;
    on.execute(&statement, &[&asked.log, &asked.no, &state.name(), &reason]).await?;
    Ok(Outcome::Stands(Operation { reason: reason.map(str::to_owned), ..Operation::of(call, asked, state) }))
}

fn operation(row: &Row) -> Result<Operation, Away> {
    let (kind, state): (&str, &str) = (row.try_get(2)?, row.try_get(5)?);
    // The table's checks allow only these words.
    let kind = if kind == Kind::Deposit.name() { Kind::Deposit } else { Kind::Withdrawal };
    let state = State::ALL.into_iter().find(|known| known.name() == state).unwrap_or(State::Refused);
    Ok(Operation {
        log: row.try_get(0)?,
        no: row.try_get(1)?,
        kind,
        player: row.try_get(3)?,
        amount: row.try_get(4)?,
        state,
        reason: row.try_get(6)?,
    })
}
