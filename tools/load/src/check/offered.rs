//! An open decision without its times, which are told by the service and checked when they are over.

use fairshoe_api::DecisionView;
use fairshoe_fairness::PlayerId;
use fairshoe_games::{Offer, Place};

/// What of an open decision follows from the log: its times are told, and checked when they are over.
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
