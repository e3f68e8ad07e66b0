//! `play`: a round from given cards, by the engine that deals for money (spec/games/play.md). Audits nothing.

use crate::cli::PlayArgs;
use crate::outcome::{Outcome, UnusableInput, say, say_json};
use crate::source::read_file;
use fairshoe_games::RuleSet;
use fairshoe_games::script::{Played, Words};
use fairshoe_house::Event;
use fairshoe_judge::Narrator;
use std::path::Path;

/// The longest rule set file, in bytes.
const MAX_RULES: u64 = 16 * 1024;

/// `play`: a round from given cards.
pub fn run(args: &PlayArgs) -> Result<Outcome, UnusableInput> {
    let rules = rules(args)?;
    let words = Words {
        rules: &rules,
        cards: &args.cards,
        bets: &args.bets,
        actions: &args.actions,
        players: &args.players,
        entry: args.entry,
        pocket: args.pocket,
        balance: args.balance,
    };
    let played = words.play().map_err(UnusableInput::new)?;
    if args.json {
        say_json(&played)?
    } else {
        say_words(&played, &rules)
    }
    Ok(Outcome::Sound)
}

fn rules(args: &PlayArgs) -> Result<RuleSet, UnusableInput> {
    let path = Path::new(&args.ruleset);
    let base = match RuleSet::shipped(&args.ruleset) {
        Some(rules) => rules,
        None if path.is_file() => {
            let text = String::from_utf8(read_file(path, MAX_RULES)?)
                .map_err(|_| UnusableInput::new(format!("{} is not UTF-8", args.ruleset)))?;
            RuleSet::from_json(&text).map_err(|e| UnusableInput::new(format!("{}: {e}", args.ruleset)))?
        }
        None => {
            let shipped: Vec<&str> = fairshoe_games::SHIPPED_RULE_SETS.iter().map(|(name, _)| *name).collect();
            return Err(UnusableInput::new(format!(
                "`{}` is neither a shipped rule set ({}) nor a file",
                args.ruleset,
                shipped.join(", ")
            )));
        }
    };
    let option = |text: &'_ String| -> Result<(String, String), UnusableInput> {
        let (name, value) =
            text.split_once('=').ok_or_else(|| UnusableInput::new(format!("`--set {text}`: write OPTION=VALUE")))?;
        Ok((name.to_owned(), value.to_owned()))
    };
    let options = args.set.iter().map(option).collect::<Result<Vec<_>, _>>()?;
    base.with_options(options.iter().map(|(name, value)| (name.as_str(), value.as_str()))).map_err(UnusableInput::new)
}

fn say_words(played: &Played, rules: &RuleSet) {
    let mut narrator = Narrator::of(rules);
    for event in &played.events {
        say(narrator.event(&Event::Play(event.clone())));
    }
    let is_box = |spot: &str| spot.bytes().all(|b| b.is_ascii_digit());
    match &played.winner {
        Some(winner) => {
            for seat in &played.seats {
                say(format!("{}: staked {}, returned {}, net {:+}", seat.player, seat.staked, seat.returned, seat.net));
            }
            say(winner.as_ref().map_or_else(|| "undecided".to_owned(), |winner| format!("{winner} wins")));
        }
        None => {
            for bet in &played.bets {
                let label = if is_box(&bet.spot) { format!("box {}", bet.spot) } else { bet.spot.clone() };
                say(format!("{label}: staked {}, returned {}, net {:+}", bet.staked, bet.returned, bet.net));
            }
        }
    }
    say(format!("staked {}, returned {}, net {:+}", played.staked, played.returned, played.net));
}
