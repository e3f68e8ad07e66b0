//! Matches the choices that a script names with the decisions that a round offers, and tells what is wrong if they do
//! not fit.

use super::ScriptError;
use crate::{Action, ActionKind, Dealing, Decision, Inapplicable, Offer, Round, RoundEvent};
use fairshoe_fairness::PlayerId;

/// A choice as the script names it, with its player if the script says so.
#[derive(Clone, Debug)]
pub(super) struct Word {
    pub player: Option<PlayerId>,
    pub action: Action,
}

/// The script's choices, used up in order.
pub(super) struct Choices<'w> {
    words: &'w [Word],
    taken: usize,
    /// If the next word is about something else, a side question gets default play: insurance and even money are
    /// declined, a drawn card is accepted, a face-down hand is left alone.
    side_questions_lapse: bool,
    /// Whether the game may stay undecided where the words end.
    may_end_early: bool,
}

impl<'w> Choices<'w> {
    /// Every question needs an answer, in order.
    pub fn strict(words: &'w [Word]) -> Self {
        Choices { words, taken: 0, side_questions_lapse: false, may_end_early: false }
    }

    /// The script may skip side questions.
    pub fn terse(words: &'w [Word], may_end_early: bool) -> Self {
        Choices { words, taken: 0, side_questions_lapse: true, may_end_early }
    }

    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// Whether the round may end here, undecided.
    pub fn may_stop(&self) -> bool {
        self.may_end_early && self.taken >= self.words.len()
    }

    /// The number of words left, and the first of them.
    pub fn left(&self) -> Option<(usize, Action)> {
        let first = self.words.get(self.taken)?;
        Some((self.words.len().saturating_sub(self.taken), first.action.clone()))
    }

    /// The answer to the first open question; `None` when the words end and the game may end there.
    pub fn next(&mut self, round: &dyn Round, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, ScriptError> {
        let open = round.open_decisions().into_iter().next();
        let open = open.ok_or_else(|| Inapplicable("the round neither moves on nor asks".into()))?;
        let funds = dealing.funds(&open.player);
        let options = round.options(open.number, funds);
        let lapses = self.side_questions_lapse && is_side_question(&options);
        let by_default = || round.default_play(open.number).map(Some).map_err(|e| Inapplicable(e.to_string()).into());
        let Some(word) = self.words.get(self.taken) else {
            return match () {
                () if self.may_end_early && lapses => by_default(),
                () if self.may_end_early => Ok(None),
                () => Err(no_action_left(&open, &options)),
            };
        };
        let is_his = word.player.as_ref().is_none_or(|player| *player == open.player);
        // A player can decline a question even if its option became too dear; then no list of options holds it.
        let is_offered = options.iter().any(|offer| offer.action == word.action.kind());
        let answers = is_his && (is_offered || round.accept(&open.player, open.number, &word.action, funds).is_ok());
        if lapses && !answers {
            return by_default();
        }
        self.taken += 1;
        let (position, action) = (self.taken, word.action.clone());
        match &word.player {
            Some(given) if !is_his => Err(ScriptError::NotAsked {
                position,
                action,
                given: given.clone(),
                asked: open.player,
                possible: spoken(&options),
            }),
            _ => match round.accept(&open.player, open.number, &action, funds) {
                Ok(event) => Ok(Some(event)),
                Err(reason) => Err(ScriptError::Illegal { position, action, reason }),
            },
        }
    }
}

/// Whether only side questions are open: a yes or no beside the play of the hand.
fn is_side_question(options: &[Offer]) -> bool {
    use ActionKind::{Accept, Discard, EvenMoney, Insurance, Open, Pass, Reject};
    options.iter().all(|offer| matches!(offer.action, Accept | Discard | EvenMoney | Insurance | Open | Pass | Reject))
}

fn spoken(options: &[Offer]) -> String {
    options.iter().map(|offer| offer.action.to_string()).collect::<Vec<_>>().join(", ")
}

fn no_action_left(open: &Decision, options: &[Offer]) -> ScriptError {
    ScriptError::NoActionLeft { decision: open.number, place: open.place.to_string(), possible: spoken(options) }
}
