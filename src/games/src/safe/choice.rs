//! A Safe player's legal choices, the rule that forbids each other choice, and the event of a choice
//! (spec/games/safe.md). `fold.rs` changes the state.

use super::round::{OpenDecision, SafeRound};
use super::{HitChange, Pass};
use crate::{Action, ActionKind, Illegal, Offer};
use serde::{Deserialize, Serialize};

/// The question of a decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Question {
    /// The next operation of a turn.
    Turn,
    /// Whether the card that was drawn and shown enters the hand (A002.t).
    Shown,
    /// Whether a face-down hand is opened before the turn ends (A002.v).
    AfterFaceDown,
    /// Whether a face-down hand is given up on a 21 (R002.18).
    MadeHighScore,
}

/// The words in the order in which they are offered.
const WORDS: [ActionKind; 9] = [
    ActionKind::Hit,
    ActionKind::Stand,
    ActionKind::Change,
    ActionKind::FaceDown,
    ActionKind::Accept,
    ActionKind::Reject,
    ActionKind::Open,
    ActionKind::Discard,
    ActionKind::Pass,
];

const RIGHT_USED: &str = "Change and Hit-change share one right a round, and it is used (R002.10, R002.11)";

impl SafeRound {
    pub(super) fn open_decision(&self, decision: u32) -> Result<&OpenDecision, Illegal> {
        let not_open =
            || Illegal::NotOpen { given: decision, open: self.open.as_ref().map(|open| open.decision.number) };
        self.open.as_ref().filter(|open| open.decision.number == decision).ok_or_else(not_open)
    }

    pub(super) fn offers(&self, question: Question, seat: usize) -> Vec<Offer> {
        let possible = WORDS.into_iter().filter(|word| self.against(question, seat, *word).is_none());
        possible.map(Offer::free).collect()
    }

    /// Whether the choice is legal: its word and its parameters.
    pub(super) fn judge(&self, open: &OpenDecision, action: &Action) -> Result<(), Illegal> {
        let refuse = |why| Err(Illegal::NotOffered { action: action.kind(), why });
        if let Some(why) = self.against(open.question, open.seat, action.kind()) {
            return refuse(why);
        }
        match action {
            Action::Change { card }
                if !self.hand(open.seat).is_some_and(|hand| hand.faces().any(|face| face == *card)) =>
            {
                refuse("that card is not in the hand (R002.10)")
            }
            Action::Open { hand } if self.face_down_at(open.seat, *hand).is_none() => {
                refuse("that is no face-down hand of yours (R002.17)")
            }
            Action::Discard { hand } if self.face_down_at(open.seat, *hand).is_none() => {
                refuse("that is no face-down hand of yours (R002.18)")
            }
            _ => Ok(()),
        }
    }

    /// The rule that forbids a word; `None` if it may be chosen.
    fn against(&self, question: Question, seat: usize, word: ActionKind) -> Option<&'static str> {
        use ActionKind::{Accept, Discard, Open, Pass, Reject};
        match (question, word) {
            (Question::Turn, word) => self.against_in_turn(seat, word),
            (Question::Shown, Accept | Reject) => None,
            (Question::Shown, _) => Some("a card is drawn and shown: accept or reject it (A002.t)"),
            (Question::AfterFaceDown, Open | Pass) => None,
            (Question::AfterFaceDown, _) => {
                Some("the hand is face-down: open a face-down hand, or pass (R002.13, A002.v)")
            }
            (Question::MadeHighScore, Discard | Pass) => None,
            (Question::MadeHighScore, _) => Some("a hand is 21: discard a face-down hand, or pass (R002.6, R002.18)"),
        }
    }

    fn against_in_turn(&self, seat: usize, word: ActionKind) -> Option<&'static str> {
        let safe = self.hand(seat).is_some_and(|hand| hand.is_safe());
        let right_used = self.seats.get(seat).is_none_or(|owner| owner.change_used);
        let turn = self.current_turn();
        let acted = turn.is_some_and(|turn| turn.acted);
        match word {
            ActionKind::Hit | ActionKind::FaceDown => None,
            ActionKind::Stand if !safe => Some("only a safe hand, 17 to 21, stands (R002.9)"),
            ActionKind::Stand => None,
            ActionKind::Change => right_used.then_some(RIGHT_USED),
            ActionKind::Reject if self.rules.hit_change == HitChange::Seen => {
                Some("no card is shown: hit, and refuse the card when you see it (A002.t)")
            }
            ActionKind::Reject => right_used.then_some(RIGHT_USED),
            ActionKind::Accept => Some("no card is shown (A002.t)"),
            ActionKind::Open if !self.is_holder(seat) => Some("you hold no face-down hand (R002.17)"),
            ActionKind::Open => {
                acted.then_some("face-down hands are opened before the turn's first operation (A002.v)")
            }
            ActionKind::Discard => Some("a face-down hand is discarded when a hand of yours becomes 21 (R002.18)"),
            ActionKind::Pass if self.rules.pass == Pass::Never => Some("this table has no pass (A002.b)"),
            ActionKind::Pass if safe => Some("a safe hand is not passed: stand (A002.b)"),
            ActionKind::Pass if !acted => Some("16 or less asks for a Hit, a Change or a Face-down first (R002.12)"),
            ActionKind::Pass if turn.is_some_and(|turn| turn.changed) => {
                Some("16 or less after a Change or Hit-change asks for one more operation (R002.12, A002.b)")
            }
            ActionKind::Pass => None,
            _ => Some("Safe has no such choice (R002.8 to R002.18)"),
        }
    }

    /// The clock's choice (A002.x): it takes no player's card away, opens no hand and risks no more than R002.12
    /// requires.
    pub(super) fn default_choice(&self, question: Question, seat: usize) -> Action {
        let may = |word| self.against(question, seat, word).is_none();
        match question {
            Question::Shown => Action::Accept,
            Question::AfterFaceDown | Question::MadeHighScore => Action::Pass,
            Question::Turn if may(ActionKind::Stand) => Action::Stand,
            Question::Turn if may(ActionKind::Pass) => Action::Pass,
            Question::Turn => Action::Hit,
        }
    }
}
