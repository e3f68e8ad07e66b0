use crate::cli::PlayArgs;
use crate::outcome::{Outcome, Unusable, say, say_json};
use crate::source::read_file;
use fairshoe_fairness::{Card, PlayerId};
use fairshoe_games::script::{Course, Script};
use fairshoe_games::{Action, Bet, Chips, Place, Placed, RoundEvent, RuleSet};
use fairshoe_house::{Event, Narrator};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The longest rule set file, in bytes.
const MAX_RULES: u64 = 16 * 1024;

/// The most boxes or seats a script may name.
const MAX_BETS: usize = 256;

#[derive(Serialize)]
struct Played<'c> {
    staked: Chips,
    ret: Chips,
    net: i64,
    seats: Vec<Seat>,
    events: &'c [RoundEvent],
}

#[derive(Serialize)]
struct Seat {
    seat: u8,
    player: String,
    staked: Chips,
    ret: Chips,
    net: i64,
}

/// `play`: a round from given cards.
pub fn run(args: &PlayArgs) -> Result<Outcome, Unusable> {
    let rules = rules(args)?;
    let cards = words(&args.cards)
        .map(|word| word.parse::<Card>().map_err(|_| Unusable::new(format!("`{word}` is no card; write As, Td, 7c"))))
        .collect::<Result<Vec<_>, _>>()?;
    let actions = words(&args.actions).map(|word| word.parse::<Action>().map_err(Unusable::new)).collect::<Result<Vec<_>, _>>()?;
    let player = PlayerId::parse("player").map_err(Unusable::new)?;
    let bets = bets(&args.bets)?;
    let placed = [Placed { player: player.clone(), bets: bets.clone() }];
    let balance = Chips::new(args.balance).ok_or_else(|| Unusable::new("the balance is out of range"))?;
    let script = Script { rules: &rules, placed: &placed, balance, cards: &cards, actions: &actions };
    let course = script.play().map_err(Unusable::new)?;
    let seats = seats(&course, &bets, &player)?;
    let net = course.ret.signed().saturating_sub(course.staked.signed());
    let played = Played { staked: course.staked, ret: course.ret, net, seats, events: &course.events };
    if args.json {
        say_json(&played)?
    } else {
        say_words(&played)
    }
    Ok(Outcome::Sound)
}

/// Words parted by blanks or commas.
fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty())
}

fn rules(args: &PlayArgs) -> Result<RuleSet, Unusable> {
    let path = Path::new(&args.ruleset);
    let base = match RuleSet::shipped(&args.ruleset) {
        Some(rules) => rules,
        None if path.is_file() => {
            let text =
                String::from_utf8(read_file(path, MAX_RULES)?).map_err(|_| Unusable::new(format!("{} is not UTF-8", args.ruleset)))?;
            RuleSet::from_json(&text).map_err(|e| Unusable::new(format!("{}: {e}", args.ruleset)))?
        }
        None => {
            let shipped: Vec<&str> = fairshoe_games::SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect();
            return Err(Unusable::new(format!("`{}` is neither a shipped rule set ({}) nor a file", args.ruleset, shipped.join(", "))));
        }
    };
    let option = |text: &'_ String| -> Result<(String, String), Unusable> {
        let (name, value) = text.split_once('=').ok_or_else(|| Unusable::new(format!("`--set {text}`: write OPTION=VALUE")))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let options = args.set.iter().map(option).collect::<Result<Vec<_>, _>>()?;
    base.with_options(options.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map_err(Unusable::new)
}

fn bets(text: &str) -> Result<Vec<Bet>, Unusable> {
    let bet = |word: &str| {
        let (spot, stake) = word.split_once('=').unwrap_or(("1", word));
        let stake = stake.parse().ok().and_then(Chips::new);
        let stake = stake.ok_or_else(|| Unusable::new(format!("`{word}`: a stake is a whole number of units, as in 1=100")))?;
        Ok(Bet { spot: spot.to_owned(), stake, chips: None })
    };
    let all = words(text).take(MAX_BETS + 1).map(bet).collect::<Result<Vec<_>, _>>()?;
    if all.len() > MAX_BETS { Err(Unusable::new(format!("at most {MAX_BETS} bets"))) } else { Ok(all) }
}

/// The money by box: opening stakes, what actions cost at the box that was asked, what its wagers return.
fn seats(course: &Course, bets: &[Bet], player: &PlayerId) -> Result<Vec<Seat>, Unusable> {
    let out_of_range = || Unusable::new("an amount is out of range");
    let mut money: BTreeMap<u8, (Chips, Chips)> = BTreeMap::new();
    let mut asked: BTreeMap<u32, Place> = BTreeMap::new();
    let mut add = |spot: u8, staked: Chips, ret: Chips| {
        let line = money.entry(spot).or_default();
        *line = (line.0.plus(staked)?, line.1.plus(ret)?);
        Some(())
    };
    for bet in bets {
        if let Ok(spot) = bet.spot.parse() {
            add(spot, bet.stake, Chips::ZERO).ok_or_else(out_of_range)?;
        }
    }
    for event in &course.events {
        let done = match event {
            RoundEvent::Offered { decision, place, .. } => {
                asked.insert(*decision, *place);
                Some(())
            }
            RoundEvent::Acted { decision, cost, .. } => match asked.get(decision) {
                Some(Place::Hand { spot, .. }) => add(*spot, *cost, Chips::ZERO),
                _ => Some(()),
            },
            RoundEvent::Paid { lines } => lines.iter().try_for_each(|line| match line.place {
                Place::Hand { spot, .. } => add(spot, Chips::ZERO, line.ret),
                Place::Dealer => Some(()),
            }),
            _ => Some(()),
        };
        done.ok_or_else(out_of_range)?;
    }
    let seat = |(seat, (staked, ret)): (u8, (Chips, Chips))| Seat {
        seat,
        player: player.to_string(),
        staked,
        ret,
        net: ret.signed().saturating_sub(staked.signed()),
    };
    Ok(money.into_iter().map(seat).collect())
}

fn say_words(played: &Played<'_>) {
    let mut narrator = Narrator::default();
    for event in played.events {
        say(narrator.event(&Event::Play(event.clone())));
    }
    for seat in &played.seats {
        say(format!("box {}: staked {}, returned {}, net {:+}", seat.seat, seat.staked, seat.ret, seat.net));
    }
    say(format!("staked {}, returned {}, net {:+}", played.staked, played.ret, played.net));
}
