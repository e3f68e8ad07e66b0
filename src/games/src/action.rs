//! What players choose: one set of words for all games, on the log and on the command line. Owns the words' spelling;
//! which of them may be chosen, and when, is each game's own (spec/entries.md, "Commands").

use crate::{Chips, Place};
use fairshoe_fairness::Card;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::str::FromStr;

/// A player's decision. All games share these words, so that each word has one meaning; a game takes the words it
/// needs.
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
    /// Take a blackjack's 1:1 now, or wait for the round's end.
    EvenMoney {
        /// Whether 1:1 is taken.
        take: bool,
    },
    /// Give the hand up for half its stake.
    Surrender,
    /// Draw one card face-down; the hand is then closed.
    FaceDown,
    /// Discard one card of the hand and draw another.
    Change {
        /// The card that goes.
        card: Card,
    },
    /// Take the card that was drawn and shown into the hand.
    Accept,
    /// Refuse the card that was drawn and shown, and hit again.
    Reject,
    /// Open one of the player's own face-down hands.
    Open {
        /// The hand to open; absent: the oldest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hand: Option<Place>,
    },
    /// Discard one of the player's own face-down hands.
    Discard {
        /// The hand to discard; absent: the oldest.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        hand: Option<Place>,
    },
    /// End the turn, or let an optional step go by.
    Pass,
    /// Give the hand up.
    Fold,
    /// Add no chips, if there is nothing to call.
    Check,
    /// Match the bet, or go all-in below it.
    Call,
    /// Bet, if there is no bet yet on this street: so many live chips.
    Bet {
        /// The seat's live chips of this street afterwards.
        to: Chips,
    },
    /// Raise: to so many live chips on this street.
    Raise {
        /// The seat's live chips of this street afterwards.
        to: Chips,
    },
    /// Turn the player's own hole cards up.
    Show,
    /// Give the hand up unseen at the showdown.
    Muck,
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
    /// See [`Action::EvenMoney`].
    EvenMoney,
    /// See [`Action::Surrender`].
    Surrender,
    /// See [`Action::FaceDown`].
    FaceDown,
    /// See [`Action::Change`].
    Change,
    /// See [`Action::Accept`].
    Accept,
    /// See [`Action::Reject`].
    Reject,
    /// See [`Action::Open`].
    Open,
    /// See [`Action::Discard`].
    Discard,
    /// See [`Action::Pass`].
    Pass,
    /// See [`Action::Fold`].
    Fold,
    /// See [`Action::Check`].
    Check,
    /// See [`Action::Call`].
    Call,
    /// See [`Action::Bet`].
    Bet,
    /// See [`Action::Raise`].
    Raise,
    /// See [`Action::Show`].
    Show,
    /// See [`Action::Muck`].
    Muck,
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
            Action::EvenMoney { .. } => ActionKind::EvenMoney,
            Action::Surrender => ActionKind::Surrender,
            Action::FaceDown => ActionKind::FaceDown,
            Action::Change { .. } => ActionKind::Change,
            Action::Accept => ActionKind::Accept,
            Action::Reject => ActionKind::Reject,
            Action::Open { .. } => ActionKind::Open,
            Action::Discard { .. } => ActionKind::Discard,
            Action::Pass => ActionKind::Pass,
            Action::Fold => ActionKind::Fold,
            Action::Check => ActionKind::Check,
            Action::Call => ActionKind::Call,
            Action::Bet { .. } => ActionKind::Bet,
            Action::Raise { .. } => ActionKind::Raise,
            Action::Show => ActionKind::Show,
            Action::Muck => ActionKind::Muck,
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
            ActionKind::EvenMoney => "even_money",
            ActionKind::Surrender => "surrender",
            ActionKind::FaceDown => "face_down",
            ActionKind::Change => "change",
            ActionKind::Accept => "accept",
            ActionKind::Reject => "reject",
            ActionKind::Open => "open",
            ActionKind::Discard => "discard",
            ActionKind::Pass => "pass",
            ActionKind::Fold => "fold",
            ActionKind::Check => "check",
            ActionKind::Call => "call",
            ActionKind::Bet => "bet",
            ActionKind::Raise => "raise",
            ActionKind::Show => "show",
            ActionKind::Muck => "muck",
        })
    }
}

/// The form of the command line: `hit`, `double=30`, `insurance=yes`, `change=Td`, `open=1/2`.
impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = self.kind();
        let yes = |take: &bool| if *take { "yes" } else { "no" };
        match self {
            Action::Double { amount: Some(amount) } => write!(f, "{word}={amount}"),
            Action::Insurance { take } | Action::EvenMoney { take } => write!(f, "{word}={}", yes(take)),
            Action::Bet { to } | Action::Raise { to } => write!(f, "{word}={to}"),
            Action::Change { card } => write!(f, "{word}={card}"),
            Action::Open { hand: Some(hand) } | Action::Discard { hand: Some(hand) } => write!(f, "{word}={hand}"),
            _ => word.fmt(f),
        }
    }
}

/// The amount to which a bet or raise goes.
fn units(to: Option<&str>, text: &str) -> Result<Chips, String> {
    let amount = to.and_then(|to| to.parse().ok()).and_then(Chips::new);
    amount.ok_or_else(|| format!("`{text}`: name the live chips of this street afterwards, as in raise=600"))
}

/// The words of the command line, each with its parameter.
const WORDS: &str = "hit, stand, double[=N], split, surrender, insurance=yes|no, even_money=yes|no, face_down, change=CARD, accept, reject, open[=BOX/HAND], discard[=BOX/HAND], pass, fold, check, call, bet=N, raise=N, show, muck";

impl FromStr for Action {
    type Err = String;

    /// Reads a word of the command line; `-` may stand for `_`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (word, parameter) = match text.split_once('=') {
            Some((word, parameter)) => (word, Some(parameter)),
            None => (text, None),
        };
        let place = |text: &str| serde_json::from_value::<Place>(text.into()).map_err(|e| format!("`{text}`: {e}"));
        match (word.replace('-', "_").as_str(), parameter) {
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
            ("even_money", Some("yes")) => Ok(Action::EvenMoney { take: true }),
            ("even_money", Some("no")) => Ok(Action::EvenMoney { take: false }),
            ("even_money", _) => Err(format!("`{text}`: write even_money=yes or even_money=no")),
            ("surrender", None) => Ok(Action::Surrender),
            ("face_down", None) => Ok(Action::FaceDown),
            ("change", Some(card)) => card
                .parse()
                .map(|card| Action::Change { card })
                .map_err(|_| format!("`{text}`: name the card that goes, as in change=Td")),
            ("change", None) => Err(format!("`{text}`: name the card that goes, as in change=Td")),
            ("accept", None) => Ok(Action::Accept),
            ("reject", None) => Ok(Action::Reject),
            ("open", hand) => Ok(Action::Open { hand: hand.map(place).transpose()? }),
            ("discard", hand) => Ok(Action::Discard { hand: hand.map(place).transpose()? }),
            ("pass", None) => Ok(Action::Pass),
            ("fold", None) => Ok(Action::Fold),
            ("check", None) => Ok(Action::Check),
            ("call", None) => Ok(Action::Call),
            ("bet", to) => units(to, text).map(|to| Action::Bet { to }),
            ("raise", to) => units(to, text).map(|to| Action::Raise { to }),
            ("show", None) => Ok(Action::Show),
            ("muck", None) => Ok(Action::Muck),
            _ => Err(format!("`{text}` is no action; the words are {WORDS}")),
        }
    }
}
