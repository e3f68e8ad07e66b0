//! An open decision without its times. The service tells them, and they are checked once they are over.

use fairshoe_api::DecisionView;
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Offer, Place};

/// The parts of an open decision that follow from the log. The times are told by the service, and checked once they are
/// over.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Offered {
    pub player: PlayerId,
    pub place: Place,
    pub options: Vec<Offer>,
}

impl From<&DecisionView> for Offered {
    fn from(view: &DecisionView) -> Self {
        Offered { player: view.player.clone(), place: view.place, options: view.options.clone() }
    }
}
