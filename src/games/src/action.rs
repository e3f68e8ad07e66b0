use crate::Chips;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// What a player decides. Games that come later add their words; a word keeps its meaning in every game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Action {
    /// Draw one card.
    Hit,
    /// Play this hand no further.
    Stand,
    /// Raise the stake by `amount` (absent: by exactly the opening stake), draw one card, stand.
    Double {
        /// The extra stake in minor units.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        amount: Option<Chips>,
    },
    /// Play two equal cards as two hands, for a second stake equal to the first.
    Split,
    /// Take the insurance offered, or not.
    Insurance {
        /// Whether the premium is paid.
        take: bool,
    },
}

/// The word of an [`Action`], without its parameters: what an offer lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ActionKind {
    /// See [`Action::Hit`].
    Hit,
    /// See [`Action::Stand`].
    Stand,
    /// See [`Action::Double`].
    Double,
    /// See [`Action::Split`].
    Split,
    /// See [`Action::Insurance`].
    Insurance,
}

impl Action {
    /// The action's word.
    pub fn kind(&self) -> ActionKind {
        match self {
            Action::Hit => ActionKind::Hit,
            Action::Stand => ActionKind::Stand,
            Action::Double { .. } => ActionKind::Double,
            Action::Split => ActionKind::Split,
            Action::Insurance { .. } => ActionKind::Insurance,
        }
    }
}

impl fmt::Display for ActionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ActionKind::Hit => "hit",
            ActionKind::Stand => "stand",
            ActionKind::Double => "double",
            ActionKind::Split => "split",
            ActionKind::Insurance => "insurance",
        })
    }
}

/// The form of the command line: `hit`, `double=30`, `insurance=yes`.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Action::Double { amount: Some(amount) } => write!(f, "double={amount}"),
            Action::Insurance { take } => write!(f, "insurance={}", if *take { "yes" } else { "no" }),
            plain => plain.kind().fmt(f),
        }
    }
}

impl FromStr for Action {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (word, parameter) = match text.split_once('=') {
            Some((word, parameter)) => (word, Some(parameter)),
            None => (text, None),
        };
        match (word, parameter) {
            ("hit", None) => Ok(Action::Hit),
            ("stand", None) => Ok(Action::Stand),
            ("split", None) => Ok(Action::Split),
            ("double", None) => Ok(Action::Double { amount: None }),
            ("double", Some(amount)) => amount
                .parse()
                .ok()
                .and_then(Chips::new)
                .map(|amount| Action::Double { amount: Some(amount) })
                .ok_or_else(|| format!("`{text}`: the extra stake is a whole number of units, as in double=30")),
            ("insurance", Some("yes")) => Ok(Action::Insurance { take: true }),
            ("insurance", Some("no")) => Ok(Action::Insurance { take: false }),
            ("insurance", _) => Err(format!("`{text}`: write insurance=yes or insurance=no")),
            _ => Err(format!("`{text}` is no action; the words are hit, stand, double[=N], split, insurance=yes|no")),
        }
    }
}
