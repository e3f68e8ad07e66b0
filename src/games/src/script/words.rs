//! A round in the words of the command line: cards, bets and actions read with bounds, then played
//! (spec/games/play.md).

use super::choices::{Choices, Word};
use super::played::{Played, played};
use super::table::Table;
use super::{Form, MAX_SCRIPT_LENGTH, ScriptError, run};
use crate::{Action, Bet, Chips, Placed, RuleSet, Spin};
use fairshoe_fairness::{Card, PlayerId, Slot};
use std::collections::BTreeMap;

/// A player's default balance before their bets.
pub const DEFAULT_BALANCE: u64 = 1_000_000_000;

/// The most bets or players a script may name.
const MAX_BETS: usize = 256;

/// A round in the words of the command line. Blanks or commas separate words.
#[derive(Clone, Copy, Debug)]
pub struct Words<'w> {
    /// The rule set of the round.
    pub rules: &'w RuleSet,
    /// The cards in the order in which they are drawn; a new pile's cards follow those of the pile before.
    pub cards: &'w str,
    /// `SPOT=STAKE …`; a stake alone is on box 1, or is each player's entry.
    pub bets: &'w str,
    /// The choices, in the order in which they are asked for; `NAME:ACTION` names the player.
    pub actions: &'w str,
    /// The players in turn order, if all enter alike.
    pub players: &'w str,
    /// Their entry; absent: the rule set's.
    pub entry: Option<u64>,
    /// The pocket in which the ball comes to rest.
    pub pocket: Option<u64>,
    /// Each player's balance before the bets, in minor units.
    pub balance: u64,
}

fn unclear(why: impl Into<String>) -> ScriptError {
    ScriptError::Words(why.into())
}

/// Words separated by blanks or commas, with a limit on their number.
fn split(text: &str, most: usize) -> Result<Vec<&str>, ScriptError> {
    let words: Vec<&str> = text
        .split(|c: char| c.is_whitespace() || c == ',')
        .filter(|word| !word.is_empty())
        .take(most.saturating_add(1))
        .collect();
    if words.len() > most {
        Err(unclear(format!("at most {most} words, not more: `{} …`", words.first().unwrap_or(&""))))
    } else {
        Ok(words)
    }
}

fn id(name: &str) -> Result<PlayerId, ScriptError> {
    PlayerId::parse(&name.to_ascii_lowercase()).map_err(|why| unclear(format!("`{name}` is no player's name: {why}")))
}

fn stake(word: &str, text: &str) -> Result<Chips, ScriptError> {
    let stake = text.parse().ok().and_then(Chips::new);
    stake.ok_or_else(|| unclear(format!("`{word}`: a stake is a whole number of units, as in 1=100")))
}

fn bet(spot: impl Into<String>, stake: Chips) -> Bet {
    Bet { spot: spot.into(), stake, chips: None }
}

/// `A:face-down`, or the action alone.
fn action(word: &str) -> Result<Word, ScriptError> {
    let (player, action) = match word.split_once(':') {
        Some((name, action)) => (Some(id(name)?), action),
        None => (None, word),
    };
    Ok(Word { player, action: action.parse::<Action>().map_err(unclear)? })
}

/// The players' bets, and each player's name in the script.
struct PlacedBets {
    rules: RuleSet,
    placed: Vec<Placed>,
    names: BTreeMap<PlayerId, String>,
}

impl<'w> Words<'w> {
    /// An empty script of these rules.
    pub fn new(rules: &'w RuleSet) -> Self {
        Words {
            rules,
            cards: "",
            bets: "",
            actions: "",
            players: "",
            entry: None,
            pocket: None,
            balance: DEFAULT_BALANCE,
        }
    }

    /// Plays the round. If all enter alike it may end undecided with the words; every other round is played to its
    /// settlement.
    pub fn play(&self) -> Result<Played, ScriptError> {
        let form = self.rules.script();
        self.check_fits(&form)?;
        let may_end_early = matches!(form, Form::Entries);
        let card =
            |word: &str| word.parse::<Card>().map_err(|_| unclear(format!("`{word}` is no card; write As, Td, 7c")));
        let cards = split(self.cards, MAX_SCRIPT_LENGTH)?.into_iter().map(card).collect::<Result<Vec<_>, _>>()?;
        let words = split(self.actions, MAX_SCRIPT_LENGTH)?.into_iter().map(action).collect::<Result<Vec<_>, _>>()?;
        let balance = Chips::new(self.balance).ok_or_else(|| unclear("the balance is out of range"))?;
        let placed = match form {
            Form::Entries => self.read_entries(),
            Form::Cards { player_a_spot: true } => self.read_spots(str::to_owned, |spot| format!("seat{spot}")),
            Form::Cards { player_a_spot: false } => self.read_spots(str::to_owned, |_| "player".to_owned()),
            Form::Pocket { spelled } => self.read_spots(spelled, |_| "player".to_owned()),
            Form::None(instead) => Err(unclear(instead)),
        }?;
        let table = Table::new(&placed.rules, &cards, self.spin()?)?;
        let course = run(&placed.rules, &placed.placed, balance, table, Choices::terse(&words, may_end_early))?;
        let named = |player: &PlayerId| placed.names.get(player).cloned().unwrap_or_else(|| player.to_string());
        played(&placed.placed, course, may_end_early, named)
    }

    /// Whether the words belong to this game; the words that would, if not.
    fn check_fits(&self, form: &Form) -> Result<(), ScriptError> {
        let refuse = |why: &str| Err(unclear(why));
        let (cards, pocket) = (!self.cards.trim().is_empty(), self.pocket.is_some());
        match form {
            Form::Pocket { .. } if cards => refuse("a wheel has no cards; name the pocket: --pocket 17"),
            Form::Pocket { .. } if !pocket => refuse("name the pocket in which the ball comes to rest: --pocket 17"),
            Form::Pocket { .. } => Ok(()),
            _ if pocket => refuse("a pocket is for a wheel; name the cards: --cards 'As 9d …'"),
            _ if !cards => refuse("name the cards in the order in which they are drawn: --cards 'As 9d …'"),
            _ => Ok(()),
        }?;
        match form {
            Form::Entries if self.players.trim().is_empty() => {
                refuse("name the players in turn order: --players A,B,C")
            }
            Form::Entries if self.entry.is_some() && !self.bets.trim().is_empty() => {
                refuse("name the entry once: --entry 100, or --bets 100")
            }
            Form::Entries => Ok(()),
            _ if !self.players.trim().is_empty() => refuse(
                "players are named where all enter alike; in this game the bets say who plays: --bets '1=100 2=50'",
            ),
            _ if self.entry.is_some() => {
                refuse("an entry is for a game that all enter alike; name the stakes: --bets 1=100")
            }
            _ => Ok(()),
        }
    }

    /// The spin of a wheel with a players' offset of 0: value and pocket are the same.
    fn spin(&self) -> Result<Option<Spin>, ScriptError> {
        let Some(pocket) = self.pocket else { return Ok(None) };
        let pockets = self.rules.composition().value_limit();
        let pocket = u8::try_from(pocket).ok().filter(|pocket| *pocket < pockets);
        let pocket =
            pocket.ok_or_else(|| unclear(format!("a pocket is a number from 0 to {}", pockets.saturating_sub(1))))?;
        Ok(Some(Spin { slot: Slot(0), value: pocket, pocket }))
    }

    /// Bets on spots: each spot's name on the log, and `whose` it is.
    fn read_spots(
        &self,
        spelled: impl Fn(&str) -> String,
        whose: impl Fn(&str) -> String,
    ) -> Result<PlacedBets, ScriptError> {
        let mut placed: BTreeMap<PlayerId, Vec<Bet>> = BTreeMap::new();
        for word in split(self.bets, MAX_BETS)? {
            let (spot, amount) = word.rsplit_once('=').unwrap_or(("1", word));
            let stake = stake(word, amount)?;
            let spot = spelled(spot);
            placed.entry(id(&whose(&spot))?).or_default().push(bet(spot, stake));
        }
        if placed.is_empty() {
            return Err(unclear("name the bets: --bets '1=100 2=50', or SPOT=STAKE"));
        }
        let placed = placed.into_iter().map(|(player, bets)| Placed { player, bets }).collect();
        Ok(PlacedBets { rules: self.rules.clone(), placed, names: BTreeMap::new() })
    }

    /// The same entry for every player, seat by seat. A script that names an entry means this kind of game.
    fn read_entries(&self) -> Result<PlacedBets, ScriptError> {
        let entry = match (self.entry, split(self.bets, MAX_BETS)?.as_slice()) {
            (Some(entry), _) => Chips::new(entry).ok_or_else(|| unclear("the entry is out of range"))?,
            (None, []) => self.rules.table.stake_min,
            (None, [word]) => stake(word, word)?,
            (None, _) => return Err(unclear("everyone enters with the same stake: --bets 100")),
        };
        let amount = entry.to_string();
        let rules = self.rules.with_options([("stake_min", amount.as_str()), ("stake_max", amount.as_str())]);
        let rules = rules.map_err(|why| unclear(format!("an entry of {amount}: {why}")))?;
        let mut names = BTreeMap::new();
        let mut placed = Vec::new();
        for (seat, name) in (1u32..).zip(split(self.players, MAX_BETS)?) {
            let player = id(name)?;
            if names.insert(player.clone(), name.to_owned()).is_some() {
                return Err(unclear(format!("`{name}` is named twice")));
            }
            placed.push(Placed { player, bets: vec![bet(seat.to_string(), entry)] });
        }
        placed.sort_by(|a, b| a.player.cmp(&b.player));
        Ok(PlacedBets { rules, placed, names })
    }
}
