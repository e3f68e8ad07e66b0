//! The events of a round as the log holds them, common to all games, with the places and outcomes they name
//! (spec/entries.md, "Events"). Each game's own events are in its folder.

use crate::{Chips, SpotName};
use fairshoe_fairness::PlayerId;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;

/// For serde: whether a time field is left out.
pub(crate) fn no_time(ms: &u64) -> bool {
    *ms == 0
}

/// Where a card or a wager lies: a hand of a box, the dealer's hand, a named spot of the layout. Text: `1/2` (box 1,
/// hand 2, both from 1), `dealer`, `banker`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A hand of a box (or seat), both counted from 1.
    Hand {
        /// The box or seat.
        spot: u8,
        /// The hand within the box; 1 unless the box was split.
        hand: u8,
    },
    /// The dealer's hand.
    Dealer,
    /// A named spot of the layout.
    Spot(SpotName),
}

impl Place {
    /// A named spot; `None` if the name is malformed or belongs to another kind of place.
    pub fn spot(name: &str) -> Option<Place> {
        SpotName::parse(name).filter(|_| name != "dealer").map(Place::Spot)
    }

    /// The place in plain English: `box 1 hand 2`.
    pub fn words(&self) -> String {
        match self {
            Place::Dealer => "dealer".into(),
            Place::Hand { spot, hand } => format!("box {spot} hand {hand}"),
            Place::Spot(name) => name.to_string(),
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Place::Hand { spot, hand } => write!(f, "{spot}/{hand}"),
            Place::Dealer => f.write_str("dealer"),
            Place::Spot(name) => name.fmt(f),
        }
    }
}

impl Serialize for Place {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Place {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = <std::borrow::Cow<'de, str>>::deserialize(deserializer)?;
        if text == "dealer" {
            return Ok(Place::Dealer);
        }
        if let Some(place) = Place::spot(&text) {
            return Ok(place);
        }
        let number = |text: &str| text.parse().ok().filter(|number: &u8| *number > 0);
        let parsed = text
            .split_once('/')
            .and_then(|(spot, hand)| Some(Place::Hand { spot: number(spot)?, hand: number(hand)? }));
        match parsed {
            // A place has one spelling: no sign, no leading zero.
            Some(place) if place.to_string() == text => Ok(place),
            _ => Err(serde::de::Error::custom("a place is `dealer`, `BOX/HAND` or a spot of the layout")),
        }
    }
}

/// The kind of wager that was settled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wager {
    /// A hand's opening stake with its double, if any.
    Hand,
    /// An insurance premium.
    Insurance,
    /// A bet on a spot of the layout.
    Bet,
    /// An entry fee held for the winner.
    Entry,
}

/// The result of a wager.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Won with a blackjack.
    Blackjack,
    /// Won.
    Win,
    /// Equal strength.
    Draw,
    /// Lost to a stronger hand.
    Loss,
    /// Lost by more than 21.
    Bust,
    /// Given up for half the stake.
    Surrender,
    /// A blackjack paid 1:1 before the dealer's hand was known.
    EvenMoney,
}

/// One wager settled: `stake` leaves the round's escrow, `returned` (which contains it, rule C5) goes to the player.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Settlement {
    /// The player of the wager.
    pub player: PlayerId,
    /// The hand it lay on.
    pub place: Place,
    /// The kind of wager.
    pub wager: Wager,
    /// Its outcome.
    pub outcome: Outcome,
    /// The whole stake on it.
    pub stake: Chips,
    /// The whole return.
    pub returned: Chips,
}

/// The events of a round. The events that several games share stand here; each game's own come with its line in the
/// registry.
macro_rules! round_events {
    ($($(#[$doc:meta])* $Name:ident($Event:ty) = $word:ident,)*) => {
        use crate::{Action, Chips, Offer, Settlement};
        use fairshoe_fairness::{PlayerId, Slot};

        /// The events of an open round, in order. The state of a round is the fold of these.
        #[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
        #[serde(rename_all = "snake_case", deny_unknown_fields)]
        pub enum RoundEvent {
            /// A card left the shoe. Without `card` it lies face-down: only the dealer knows it.
            Dealt {
                /// The lane that drew it.
                lane: u16,
                /// Its slot in the shoe.
                slot: Slot,
                /// The place where it lies.
                to: Place,
                /// Its face, if it lies face-up.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                card: Option<Card>,
            },
            /// A face-down card was turned up.
            Turned {
                /// Its pile, if the game is on a later one; 0 is the pile of the game's first deal.
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pile: Option<u16>,
                /// Its slot in that pile's shoe.
                slot: Slot,
                /// Its face.
                card: Card,
            },
            /// The dealer looked at their face-down card and announced only whether they have a blackjack.
            Peeked {
                /// The face-down card's slot.
                slot: Slot,
                /// Whether it makes a blackjack.
                blackjack: bool,
            },
            /// A decision is asked of a player.
            Offered {
                /// Its number: from 0 in each round, no gap.
                decision: u32,
                /// The player who decides.
                player: PlayerId,
                /// The hand it is about.
                place: Place,
                /// The options, each with its cost now.
                options: Vec<Offer>,
                /// UTC milliseconds at which default play decides instead.
                deadline: u64,
                /// UTC milliseconds from which the player's time bank runs (R001.84).
                #[serde(default, skip_serializing_if = "Option::is_none")]
                bank_from: Option<u64>,
                /// Milliseconds of the turn given to a player because they were cut off late in a tournament
                /// (R001.104).
                #[serde(default, skip_serializing_if = "crate::event::no_time")]
                extra_ms: u64,
            },
            /// A decision was taken.
            Acted {
                /// The decision's number.
                decision: u32,
                /// The player who took it.
                player: PlayerId,
                /// The choice.
                action: Action,
                /// Its cost; moved from the player to the round's escrow.
                cost: Chips,
                /// Whether default play chose (rule C18).
                default: bool,
            },
            /// Wagers were settled.
            Paid {
                /// One line for each wager.
                lines: Vec<Settlement>,
            },
            /// The wheel stopped: the committed value of its slot, moved by the players' offset, is the pocket
            /// (R001.143).
            Spun {
                /// The slot of this spin.
                slot: Slot,
                /// The committed value, 0 to 36.
                value: u8,
                /// `(value + offset) mod 37`.
                pocket: u8,
            },
            /// A new pile is in place: the cards that [`crate::Round::needs_pile`] named, freshly committed and
            /// shuffled.
            Shuffled {
                /// Which pile of the game; the first deal's is 0.
                pile: u16,
            },
            /// A player did not take part in the shuffle of a new pile and is out by the game's rule (R002.19, A002.m).
            Absent {
                /// The player.
                player: PlayerId,
            },
            $($(#[$doc])* $Name($Event),)*
        }

        impl RoundEvent {
            /// The event's word in the log, such as `dealt` or `turned`; for a game's own event, that game's word.
            pub fn word(&self) -> &'static str {
                match self {
                    RoundEvent::Dealt { .. } => "dealt",
                    RoundEvent::Turned { .. } => "turned",
                    RoundEvent::Peeked { .. } => "peeked",
                    RoundEvent::Offered { .. } => "offered",
                    RoundEvent::Acted { .. } => "acted",
                    RoundEvent::Paid { .. } => "paid",
                    RoundEvent::Spun { .. } => "spun",
                    RoundEvent::Shuffled { .. } => "shuffled",
                    RoundEvent::Absent { .. } => "absent",
                    $(RoundEvent::$Name(_) => stringify!($word),)*
                }
            }

            /// A game's own event in plain English, with amounts written by `sum`; `None` for an event that several
            /// games share.
            pub fn own_words(&self, sum: &dyn Fn(Chips) -> String) -> Option<String> {
                match self {
                    $(RoundEvent::$Name(event) => Some(event.words(sum)),)*
                    _ => None,
                }
            }

            /// Whether the event says who won or lost, and why.
            pub fn decides(&self) -> bool {
                match self {
                    RoundEvent::Paid { .. } => true,
                    $(RoundEvent::$Name(event) => event.decides(),)*
                    _ => false,
                }
            }
        }
    };
}
pub(crate) use round_events;
