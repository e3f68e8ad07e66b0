//! The players' seats: each player's game and table.

use crate::args::{Args, CrashPolicy};
use crate::client::Request;
use crate::failure::Failure;
use crate::link::{Link, parse, problem, refused};
use crate::shared::Shared;
use crate::strategy::is_shared;
use fairshoe_api::Accepted;
use fairshoe_api::ErrorCode;
use fairshoe_fairness::TableId;
use fairshoe_games::{Reshuffle, RuleSet, SHIPPED_RULE_SETS};
use serde_json::json;
use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

/// All table games, in the order of `mixed`; cash tables are played separately. Games for two come first, then games
/// for several; one rule set of every game comes before the second of any.
fn mixed() -> Vec<&'static str> {
    let mut of_game: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    let named = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).filter(|name| !name.ends_with("-own"));
    let rules =
        named.filter_map(|name| Some((name, RuleSet::shipped(name)?))).filter(|(_, rules)| rules.cash().is_none());
    let mut ranked: Vec<_> = rules
        .map(|(name, rules)| {
            let count = of_game.entry((rules.game.word(), is_shared(&rules))).or_default();
            *count += 1;
            ((Reverse(rules.least_players()), !is_shared(&rules), *count), name)
        })
        .collect();
    ranked.sort_by_key(|(rank, _)| *rank);
    ranked.into_iter().map(|(_, name)| name).collect()
}

/// The clocks of the tables that a run opens, in milliseconds: programs need little time, and those who let it run out
/// are to hold up nobody for long. Nobody looks at how a round ended.
const CLOCKS: &[(&str, u64)] =
    &[("bet_time_ms", 2_000), ("reveal_time_ms", 2_000), ("turn_time_ms", 1_500), ("between_hands_ms", 0)];

/// A player's seat.
#[derive(Clone, Debug)]
pub struct Seating {
    /// The rule set's name.
    pub game: String,
    /// The table's rules.
    pub rules: Arc<RuleSet>,
    /// The shared table; at a solo game the player opens their own.
    pub table: Option<TableId>,
}

/// The clocks of a cash table, in milliseconds: nobody lets them run out here, and a busy machine must not.
const CASH_CLOCKS: &[(&str, u64)] =
    &[("bet_time_ms", 15_000), ("reveal_time_ms", 15_000), ("turn_time_ms", 15_000), ("between_hands_ms", 0)];

/// Whether these rules are a cash table's.
fn is_cash(name: &str) -> bool {
    RuleSet::shipped(name).is_some_and(|rules| rules.cash().is_some())
}

/// Whether the run is one of poker: then all its games are poker.
///
/// # Errors
/// [`Failure::Usage`] for options that cash tables and other games do not share.
pub fn is_poker(args: &Args) -> Result<bool, Failure> {
    let games = games(args)?;
    let cash = games.iter().filter(|name| is_cash(name)).count();
    if cash == 0 {
        return Ok(false);
    }
    if cash < games.len() {
        return Err(Failure::Usage(
            "cash tables of poker are played on their own: name only games of poker, or none".into(),
        ));
    }
    if args.withhold > 0 || args.sleepers > 0 {
        return Err(Failure::Usage(
            "--withhold and --sleepers are for the other shared games: at a cash table of poker nobody neglects anything".into(),
        ));
    }
    if args.connections.is_some() {
        return Err(Failure::Usage("--connections is for solo games: each cash table has one connection".into()));
    }
    Ok(true)
}

/// The seating at cash tables: the players' numbers, and the table that the operator opens for them.
///
/// # Errors
/// [`Failure`].
pub async fn cash_tables(shared: &Arc<Shared>, link: &mut Link) -> Result<Vec<(Vec<u16>, Seating)>, Failure> {
    let games = games(&shared.args)?;
    let mut cash_tables = Vec::new();
    for (first, game) in (0u16..).zip(&games) {
        let shipped = RuleSet::shipped(game).ok_or_else(|| Failure::Usage(format!("there is no game `{game}`")))?;
        let mut numbers: Vec<u16> = (first..shared.args.players).step_by(games.len()).collect();
        if numbers.len() < 2 {
            return Err(Failure::Usage(format!("{game} needs at least 2 players; say --players")));
        }
        for (number, count) in (1..).zip(spread(numbers.len(), usize::from(shipped.table.seats))) {
            let seating = open(shared, link, game, &shipped, number, cash_options()).await?;
            cash_tables.push((numbers.drain(..count.min(numbers.len())).collect(), seating));
        }
    }
    Ok(cash_tables)
}

fn cash_options() -> BTreeMap<String, serde_json::Value> {
    let clocks = CASH_CLOCKS.iter().map(|(name, ms)| ((*name).to_owned(), json!(ms)));
    // All players get up when the time is up, after any number of hands.
    let leaves = json!({ "exempt": true, "removal_counts": false, "sit_out_hands": 1_000 });
    clocks.chain([("leave_table".to_owned(), leaves)]).collect()
}

fn short_options() -> BTreeMap<String, serde_json::Value> {
    let clocks = CLOCKS.iter().map(|(name, ms)| ((*name).to_owned(), json!(ms)));
    clocks.chain([("close_early".to_owned(), json!(true))]).collect()
}

/// The games of the command line, each as often as it is named.
///
/// # Errors
/// [`Failure::Usage`] for an unknown game.
pub fn games(args: &Args) -> Result<Vec<String>, Failure> {
    let players = usize::from(args.players);
    if args.game == "mixed" {
        // Two players for each game, so that no one is alone where two are needed.
        let mixed = mixed();
        let count = (players / 2).clamp(1, mixed.len());
        return Ok(mixed.into_iter().take(count).map(str::to_owned).collect());
    }
    let names: Vec<String> = args.game.split(',').map(|name| name.trim().to_owned()).collect();
    for name in &names {
        if RuleSet::shipped(name).is_none() {
            let known: Vec<&str> = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect();
            return Err(Failure::Usage(format!(
                "there is no game `{name}`; the games are {}, and mixed for all but poker's cash tables",
                known.join(", ")
            )));
        }
    }
    Ok(names)
}

/// A seating for each player, by number. Opens the shared tables that are needed: at the service's own people look at
/// how each round ended.
///
/// # Errors
/// [`Failure`].
pub async fn seatings(shared: &Arc<Shared>, link: &mut Link) -> Result<Vec<Seating>, Failure> {
    let games = games(&shared.args)?;
    let players = usize::from(shared.args.players);
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let dealt: Vec<&str> = games.iter().map(String::as_str).cycle().take(players).collect();
    for game in &dealt {
        *counts.entry(game).or_default() += 1;
    }
    let mut seats: BTreeMap<&str, std::vec::IntoIter<Seating>> = BTreeMap::new();
    for (game, count) in &counts {
        seats.insert(*game, seats_of(shared, link, game, *count).await?.into_iter());
    }
    let mut seatings = Vec::with_capacity(players);
    for game in dealt {
        seatings.extend(seats.get_mut(game).and_then(Iterator::next));
    }
    Ok(seatings)
}

async fn seats_of(shared: &Arc<Shared>, link: &mut Link, game: &str, count: usize) -> Result<Vec<Seating>, Failure> {
    let shipped = RuleSet::shipped(game).ok_or_else(|| Failure::Usage(format!("there is no game `{game}`")))?;
    if count < shipped.least_players() {
        return Err(Failure::Usage(format!(
            "{game} needs at least {} players; say --players",
            shipped.least_players()
        )));
    }
    let rollback = shared.args.crash == CrashPolicy::Rollback;
    if !is_shared(&shipped) {
        let lasts = shipped.table.reshuffle != Reshuffle::EveryRound && !shipped.composition().is_wheel();
        if rollback && (lasts || game.ends_with("-own")) {
            let why = "its shoe lasts over rounds or its rounds wait for a day, so that its tables are the players' own, and options are the operator's";
            return Err(Failure::Usage(format!("{game} cannot be played with --crash rollback: {why}")));
        }
        let rules =
            if rollback { with_options(&shipped, &[("crash".to_owned(), "rollback".to_owned())])? } else { shipped };
        let seating = Seating { game: game.to_owned(), rules: Arc::new(rules), table: None };
        return Ok(vec![seating; count]);
    }
    let mut seatings = Vec::with_capacity(count);
    for (number, count) in (1..).zip(spread(count, usize::from(shipped.table.seats))) {
        let seating = open(shared, link, game, &shipped, number, short_options()).await?;
        seatings.extend(vec![seating; count]);
    }
    Ok(seatings)
}

/// How many sit at each table: at as few as hold them, as evenly as it goes.
fn spread(count: usize, seats: usize) -> impl Iterator<Item = usize> {
    let tables = count.div_ceil(seats.max(1)).max(1);
    (0..tables).map(move |table| count / tables + usize::from(table < count % tables))
}

async fn open(
    shared: &Arc<Shared>,
    link: &mut Link,
    game: &str,
    shipped: &RuleSet,
    number: u32,
    mut options: BTreeMap<String, serde_json::Value>,
) -> Result<Seating, Failure> {
    if shared.args.crash == CrashPolicy::Rollback {
        options.insert("crash".into(), json!("rollback"));
    }
    let texts: Vec<(String, String)> = options.iter().map(|(name, value)| (name.clone(), value.to_string())).collect();
    let rules = with_options(shipped, &texts)?;
    let name = format!("load-{}-{game}-{number}", shared.run);
    let body = json!({ "table": name, "rules": game, "options": options });
    let request = Request::post("/v1/tables", &body).token(&shared.operator).key(name.clone());
    let answer = link.call(&request).await?;
    if !answer.reply.is_success() {
        let code = problem(&answer.reply).code;
        let failure = refused(&request, &answer.reply);
        return Err(if code == ErrorCode::NotAllowed {
            Failure::Usage(format!("{failure}; --token-file must hold the operator's token"))
        } else {
            failure
        });
    }
    let accepted: Accepted = parse(&request, &answer.reply)?;
    let table = accepted.table.ok_or_else(|| Failure::Reply(request.name(), "there is no table in it".into()))?;
    Ok(Seating { game: game.to_owned(), rules: Arc::new(rules), table: Some(table) })
}

fn with_options(rules: &RuleSet, options: &[(String, String)]) -> Result<RuleSet, Failure> {
    let options = options.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    rules.with_options(options).map_err(|e| Failure::Usage(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser as _;

    #[test]
    fn players_are_spread_evenly_over_as_few_tables_as_hold_them() {
        let spread = |count, seats| spread(count, seats).collect::<Vec<_>>();
        assert_eq!(spread(5, 7), [5]);
        assert_eq!(spread(16, 7), [6, 5, 5]);
        assert_eq!(spread(64, 7).iter().sum::<usize>(), 64);
        assert!(spread(64, 7).into_iter().all(|count| count <= 7));
    }

    #[test]
    fn mixed_is_every_table_game_that_ships() {
        let args =
            |players: &str, game: &str| Args::parse_from(["fairshoe-load", "--players", players, "--game", game]);
        let mut all = games(&args("64", "mixed")).unwrap();
        assert_eq!(games(&args("4", "mixed")).unwrap(), ["safe", "live-blackjack"]);
        // One rule set of each game before the second of any.
        assert_eq!(games(&args("10", "mixed")).unwrap()[2..], ["baccarat", "roulette", "dragon-tiger"]);
        assert_eq!(games(&args("4", "joy, roulette")).unwrap(), ["joy", "roulette"]);
        assert!(games(&args("4", "poker")).unwrap_err().is_usage());
        all.sort();
        // Rule sets that differ only in time are not separate games.
        let names = SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).filter(|name| !name.ends_with("-own"));
        let (poker, mut shipped): (Vec<&str>, Vec<&str>) = names.partition(|name| is_cash(name));
        shipped.sort_unstable();
        assert_eq!(all, shipped);
        assert!(!is_poker(&args("4", "mixed")).unwrap());
        assert!(is_poker(&args("8", &poker.join(","))).unwrap());
        for game in poker {
            assert!(is_poker(&args("4", &format!("{game},joy"))).unwrap_err().is_usage());
            let options: Vec<(String, String)> =
                cash_options().into_iter().map(|(name, value)| (name, value.to_string())).collect();
            with_options(&RuleSet::shipped(game).unwrap(), &options).unwrap();
        }
    }

    #[test]
    fn the_short_clocks_suit_every_shared_game() {
        for (name, _) in SHIPPED_RULE_SETS {
            if is_cash(name) {
                continue;
            }
            let shipped = RuleSet::shipped(name).unwrap();
            let options: Vec<(String, String)> =
                CLOCKS.iter().map(|(name, ms)| ((*name).to_owned(), ms.to_string())).collect();
            assert_eq!(with_options(&shipped, &options).is_ok(), is_shared(&shipped), "{name}");
        }
    }
}
