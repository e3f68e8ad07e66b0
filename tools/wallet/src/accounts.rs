//! `account` and `accounts`: the keeper of the accounts adds money and lists balances, directly in the database.

use crate::cli::{AccountArgs, AccountsArgs};
use crate::database::{Account, Away, Database};
use crate::{Unusable, print};
use serde_json::json;
use std::fmt::Write as _;

fn away(why: Away) -> Unusable {
    Unusable::new(format!("the database: {why}"))
}

/// `account PLAYER --add AMOUNT`
///
/// # Errors
/// If the database is away, or the account would exceed the maximum.
pub fn add(args: &AccountArgs) -> Result<(), Unusable> {
    actix_web::rt::System::new().block_on(async {
        let database = Database::open(&args.database.url, 1).await?;
        match database.add(&args.player, args.add).await.map_err(away)? {
            Some(balance) => print(&format!("{} can spend {balance}\n", args.player)),
            None => Err(Unusable::new(format!("{} would have more than there can be: add less", args.player))),
        }
    })
}

/// `accounts`
///
/// # Errors
/// If the database is away.
pub fn list(args: &AccountsArgs) -> Result<(), Unusable> {
    let accounts = actix_web::rt::System::new().block_on(async {
        let database = Database::open(&args.database.url, 1).await?;
        let mut all: Vec<Account> = Vec::new();
        loop {
            let after = all.last().map(|account| account.player.clone()).unwrap_or_default();
            let more = database.accounts(&after).await.map_err(away)?;
            if more.is_empty() {
                return Ok::<_, Unusable>(all);
            }
            all.extend(more);
        }
    })?;
    if args.json {
        return print(&format!("{}\n", json!({ "accounts": accounts })));
    }
    let mut text = format!("{:<40} {:>20} {:>20}\n", "player", "can spend", "held for the house");
    for Account { player, balance, held } in &accounts {
        let _ = writeln!(text, "{player:<40} {balance:>20} {held:>20}");
    }
    print(&text)
}
