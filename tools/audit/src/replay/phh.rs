//! The Poker Hand History format (TOML): one hand a `.phh` file, several under numbered tables in a `.phhs` file.

use super::amount::Amount;
use fairshoe_fairness::Card;
use fairshoe_games::Chips;
use fairshoe_games::poker::{Family, HandRules};
use toml::{Table, Value};

/// Most hands of a file.
const MAX_HANDS: usize = 1_000_000;
/// Most actions of a hand.
const MAX_ACTIONS: usize = 1_000;

/// How much may be bet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// Any amount.
    No,
    /// Up to the pot.
    Pot,
    /// One size a street.
    Fixed,
}

/// The game, as its code says: `NT`, `NS`, `FT`, `PO` and `FO/8` are the format's own; the others are made of the same
/// letters, for games that it does not name and this house deals (`PO/8`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Variant {
    /// N, P or F.
    pub limit: Limit,
    /// T, S or O.
    pub family: Family,
    /// `/8` at the end.
    pub hi_lo: bool,
}

impl Variant {
    fn parse(code: &str) -> Option<Variant> {
        let (code, hi_lo) = code.strip_suffix("/8").map_or((code, false), |code| (code, true));
        let (limit, family) = code.split_at_checked(1)?;
        let limit = match limit {
            "N" => Limit::No,
            "P" => Limit::Pot,
            "F" => Limit::Fixed,
            _ => return None,
        };
        let family = match family {
            "T" => Family::Holdem,
            "S" => Family::ShortDeck,
            "O" => Family::Omaha,
            _ => return None,
        };
        Some(Variant { limit, family, hi_lo }).filter(|_| !(hi_lo && family == Family::ShortDeck))
    }
}

/// What a line of the history says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// Hole cards; an unknown one is none.
    Hole(usize, Vec<Option<Card>>),
    /// Cards of the board.
    Board(Vec<Card>),
    /// Folds.
    Fold(usize),
    /// Checks or calls.
    CheckCall(usize),
    /// Completes, bets or raises to.
    RaiseTo(usize, Amount),
    /// Shows these cards, or those it was dealt where the history names none here.
    Show(usize, Option<Vec<Option<Card>>>),
    /// Gives its hand up unshown.
    Muck(usize),
}

/// A hand as it was written down.
#[derive(Clone, Debug)]
pub struct History {
    /// The game.
    pub variant: Variant,
    /// Whether antes make side pots.
    pub ante_layers: bool,
    /// In the order of the posts.
    pub antes: Vec<Amount>,
    /// Blinds, straddles and, negative, posts of those who come in.
    pub blinds: Vec<Amount>,
    /// Before the posts.
    pub stacks: Vec<Amount>,
    /// The least bet; in limit the small and the big one.
    pub bets: (Amount, Amount),
    /// Each with its text.
    pub actions: Vec<(String, Act)>,
    /// The stacks at the end, where they are recorded.
    pub finishing: Option<Vec<Amount>>,
    /// What this house's own histories say of themselves.
    pub own: Option<OwnFields>,
}

/// User fields of a history that this house wrote (spec/hand-histories.md).
#[derive(Clone, Debug)]
pub struct OwnFields {
    /// By which the hand is bet and paid.
    pub rules: HandRules,
    /// What the house took of all pots.
    pub rake: Chips,
    /// How much of each ante is a dead post.
    pub dead: Vec<Amount>,
}

/// A hand of a file: its name in it, where it has several, and what it says or why it cannot be read.
pub type Named = (Option<String>, Result<History, String>);

/// Reads a file.
pub fn read(text: &str) -> Result<Vec<Named>, String> {
    let file: Table = text.parse().map_err(|e: toml::de::Error| format!("not TOML: {}", e.message()))?;
    if file.contains_key("variant") {
        return Ok(vec![(None, history(&file))]);
    }
    if file.is_empty() || file.len() > MAX_HANDS {
        return Err(format!("a file holds 1 to {MAX_HANDS} hands; {} were found", file.len()));
    }
    let mut hands: Vec<(String, Value)> = file.into_iter().collect();
    hands.sort_by_key(|(name, _)| (name.parse::<u64>().unwrap_or(u64::MAX), name.clone()));
    let hand = |(name, value): (String, Value)| match value {
        Value::Table(table) => Ok((Some(name), history(&table))),
        _ => Err(format!("`{name}` stands where a hand with a `variant` is wanted")),
    };
    hands.into_iter().map(hand).collect()
}

fn history(table: &Table) -> Result<History, String> {
    let code = table.get("variant").and_then(Value::as_str).ok_or("no `variant`")?;
    let variant = Variant::parse(code).ok_or_else(|| {
        format!("variant `{code}` is not dealt here; hold'em, short deck and Omaha are (NT, FT, NS, PO, FO/8 …)")
    })?;
    let stacks = amounts(table, "starting_stacks")?.ok_or("no `starting_stacks`")?;
    let antes = amounts(table, "antes")?.unwrap_or_else(|| vec![Amount::whole(0); stacks.len()]);
    let blinds = amounts(table, "blinds_or_straddles")?.ok_or("no `blinds_or_straddles`")?;
    let finishing = amounts(table, "finishing_stacks")?;
    let counts = [antes.len(), blinds.len(), finishing.as_ref().map_or(stacks.len(), Vec::len)];
    if counts.iter().any(|count| *count != stacks.len()) {
        return Err("antes, blinds and stacks are not of one number of players".into());
    }
    let one = |name: &str| table.get(name).ok_or_else(|| format!("no `{name}`")).and_then(|value| amount(value, name));
    let bets = if variant.limit == Limit::Fixed {
        (one("small_bet")?, one("big_bet")?)
    } else {
        (one("min_bet")?, one("min_bet")?)
    };
    let ante_layers = match table.get("ante_trimming_status") {
        None => false,
        Some(value) => value.as_bool().ok_or("`ante_trimming_status` is true or false")?,
    };
    let actions = table.get("actions").and_then(Value::as_array).ok_or("no `actions`")?;
    if actions.len() > MAX_ACTIONS {
        return Err(format!("more than {MAX_ACTIONS} actions"));
    }
    let action = |value: &Value| {
        let text = value.as_str().ok_or("an action is a text")?;
        let text = text.split('#').next().unwrap_or(text).trim();
        let act = act(text, stacks.len()).ok_or_else(|| format!("`{text}` is not an action of hold'em or Omaha"))?;
        Ok(act.map(|act| (text.to_owned(), act)))
    };
    let actions = actions.iter().filter_map(|value| action(value).transpose()).collect::<Result<Vec<_>, String>>()?;
    let own = own_fields(table, variant, &antes)?;
    Ok(History { variant, ante_layers, antes, blinds, stacks, bets, actions, finishing, own })
}

/// What a history of this house says of its rules; none of others.
fn own_fields(table: &Table, variant: Variant, antes: &[Amount]) -> Result<Option<OwnFields>, String> {
    let Some(rules) = table.get("_hand_rules") else { return Ok(None) };
    let rules: HandRules =
        rules.clone().try_into().map_err(|e: toml::de::Error| format!("`_hand_rules`: {}", e.message()))?;
    if (rules.family, rules.hi_lo) != (variant.family, variant.hi_lo) {
        return Err("`_hand_rules` are of another game than `variant`".into());
    }
    let rake = table.get("_rake").ok_or("no `_rake` beside `_hand_rules`").map_err(str::to_owned)?;
    let rake: Chips = rake.clone().try_into().map_err(|e: toml::de::Error| format!("`_rake`: {}", e.message()))?;
    let dead = amounts(table, "_dead")?.unwrap_or_else(|| vec![Amount::whole(0); antes.len()]);
    if dead.len() != antes.len() {
        return Err("`_dead` and `antes` are not of one number of players".into());
    }
    Ok(Some(OwnFields { rules, rake, dead }))
}

fn amounts(table: &Table, name: &str) -> Result<Option<Vec<Amount>>, String> {
    let Some(value) = table.get(name) else { return Ok(None) };
    let list = value.as_array().ok_or_else(|| format!("`{name}` is a list"))?;
    list.iter().map(|value| amount(value, name)).collect::<Result<_, _>>().map(Some)
}

fn amount(value: &Value, name: &str) -> Result<Amount, String> {
    let written = match value {
        Value::Integer(n) => n.to_string(),
        Value::Float(n) if n.is_infinite() => {
            let why = "which is no amount of chips: write how many there were, or more than were bet";
            return Err(format!("`{name}` holds `inf`, {why}"));
        }
        // The shortest text that reads back as the same number: what was written, to fifteen digits.
        Value::Float(n) => n.to_string(),
        Value::String(text) => text.clone(),
        other => return Err(format!("`{name}` holds a value of the kind `{}`, not an amount", other.type_str())),
    };
    Amount::parse(&written).ok_or_else(|| format!("`{name}` holds `{written}`, which is no amount that can be counted"))
}

/// Reads an action; nothing where it is a remark alone, or a change of what is not played here.
fn act(text: &str, players: usize) -> Option<Option<Act>> {
    let mut words = text.split_ascii_whitespace();
    let Some(who) = words.next() else { return Some(None) };
    let what = words.next()?;
    let rest: Vec<&str> = words.collect();
    let player = |text: &str| {
        let n: usize = text.strip_prefix('p')?.parse().ok()?;
        (1..=players).contains(&n).then(|| n - 1)
    };
    let act = match (who, what, &rest[..]) {
        ("d", "dh", [whose, dealt]) => Act::Hole(player(whose)?, cards(dealt)?),
        ("d", "db", [dealt]) => Act::Board(cards(dealt)?.into_iter().collect::<Option<_>>()?),
        (who, "f", []) => Act::Fold(player(who)?),
        (who, "cc", []) => Act::CheckCall(player(who)?),
        (who, "cbr", [to]) => Act::RaiseTo(player(who)?, Amount::parse(to)?),
        (who, "sm", []) => Act::Muck(player(who)?),
        (who, "sm", ["-"]) => Act::Show(player(who)?, None),
        (who, "sm", [shown]) => Act::Show(player(who)?, Some(cards(shown)?)),
        _ => return None,
    };
    Some(Some(act))
}

/// Cards written together, `??` for an unknown one.
fn cards(text: &str) -> Option<Vec<Option<Card>>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) || bytes.len() > 16 {
        return None;
    }
    let card = |pair: &[u8]| match pair {
        b"??" => Some(None),
        pair => std::str::from_utf8(pair).ok()?.parse().ok().map(Some),
    };
    bytes.chunks(2).map(card).collect()
}
