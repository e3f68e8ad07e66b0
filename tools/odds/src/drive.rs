//! Plays the engines: one loop that steps a round to its settlement and counts stakes and returns.

use crate::UnusableInput;
use fairshoe_games::{Action, Chips, Dealing, Decision, Offer, Round, RoundEvent};

/// A table that a round can be played on.
pub trait Felt: Dealing {
    /// Follows an applied event: a dealt card is no longer available.
    fn follow(&mut self, event: &RoundEvent);
}

/// The player of decisions.
pub trait Chooser {
    /// Follows an applied event.
    fn see(&mut self, event: &RoundEvent);
    /// The choice at an open decision.
    fn choose(&mut self, decision: &Decision, options: &[Offer]) -> Result<Action, UnusableInput>;
}

/// The player of a game without decisions.
pub struct Nobody;

impl Chooser for Nobody {
    fn see(&mut self, _event: &RoundEvent) {}

    fn choose(&mut self, decision: &Decision, _options: &[Offer]) -> Result<Action, UnusableInput> {
        Err(UnusableInput(format!("the engine asks {} at {}, and nobody answers", decision.player, decision.place)))
    }
}

/// Money of one round beyond its opening stakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Flow {
    /// Stakes added by choices, in units.
    pub added: i64,
    /// Returns in units.
    pub returned: i64,
}

/// Plays a round from its present state.
///
/// Stops when the round is settled, or waits for a pile of its own.
pub fn play(round: &mut dyn Round, felt: &mut impl Felt, chooser: &mut impl Chooser) -> Result<Flow, UnusableInput> {
    let mut flow = Flow::default();
    let mut offered: Vec<Offer> = Vec::new();
    loop {
        let event = match round.step(felt).map_err(|e| UnusableInput(format!("the engine cannot go on: {e}")))? {
            Some(event) => event,
            None if round.is_settled() || round.needs_pile().is_some() => return Ok(flow),
            None => {
                let open = round.open_decisions().into_iter().next();
                let open = open.ok_or_else(|| UnusableInput("the engine neither goes on nor asks".into()))?;
                let action = chooser.choose(&open, &offered)?;
                let accepted = round.accept(&open.player, open.number, &action, felt.funds(&open.player));
                accepted.map_err(|e| UnusableInput(format!("the engine refuses {action} at {}: {e}", open.place)))?
            }
        };
        round.apply(&event).map_err(|e| UnusableInput(format!("the engine contradicts itself: {e}")))?;
        felt.follow(&event);
        chooser.see(&event);
        match event {
            RoundEvent::Acted { cost, .. } => flow.added += cost.signed(),
            RoundEvent::Paid { lines } => flow.returned += lines.iter().map(|line| line.returned.signed()).sum::<i64>(),
            RoundEvent::Offered { options, .. } => offered = options,
            _ => {}
        }
    }
}

/// More than the cost of any round here: the balance does not limit the legal choices.
pub fn deep_pocket() -> Chips {
    Chips::MAX
}
