//! What a request is about: the round it names, or what is placed for that round: bets, or commitments for a hand.

use fairshoe_api::RoundView;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_games::Chips;
use fairshoe_house::{Call, Command, OpenRound, State, Window};

/// See the module.
pub enum RoundStage {
    Round(Box<OpenRound>),
    Window(Window),
    Call(Call),
}

impl RoundStage {
    /// What the command's round is at its table now. A round is also named by the numbers of its shuffles (A002.m).
    pub fn of(state: &State, command: &Command) -> Option<RoundStage> {
        let (table, round_no) = (state.table(command.table()?)?, command.round_no()?);
        if let Some(window) = table.window().filter(|window| window.round_no == round_no) {
            return Some(RoundStage::Window(window.clone()));
        }
        if let Some(call) = table.call().filter(|call| call.round_no == round_no) {
            return Some(RoundStage::Call(call.clone()));
        }
        let round = table.round.as_ref().filter(|round| (round.round_no..table.next_round).contains(&round_no))?;
        Some(RoundStage::Round(Box::new(round.clone())))
    }

    /// Everyone with a bet in it, with what each could still stake.
    pub fn funds(&self, state: &State) -> Vec<(PlayerId, Chips)> {
        let players: Vec<&PlayerId> = match self {
            RoundStage::Round(round) => round.contributors.iter().map(|c| &c.placed.player).collect(),
            RoundStage::Window(_) | RoundStage::Call(_) => Vec::new(),
        };
        players.into_iter().map(|player| (player.clone(), state.funds(player))).collect()
    }

    /// It as everyone may see it.
    pub fn view(&self, table: &TableId, funds: &[(PlayerId, Chips)]) -> RoundView {
        match self {
            RoundStage::Round(round) => RoundView::of(round, table, |player| funds_of(funds, player)),
            RoundStage::Window(window) => RoundView::of_window(window, table),
            RoundStage::Call(call) => RoundView::of_call(call, table),
        }
    }

    /// The round, once its bets are closed.
    pub fn round(&self) -> Option<&OpenRound> {
        if let RoundStage::Round(round) = self { Some(round) } else { None }
    }

    /// The shoe that it was begun with.
    pub fn shoe_no(&self) -> u64 {
        match self {
            RoundStage::Round(round) => round.shoe_no,
            RoundStage::Window(window) => window.shoe_no,
            RoundStage::Call(call) => call.shoe_no,
        }
    }
}

fn funds_of(funds: &[(PlayerId, Chips)], player: &PlayerId) -> Chips {
    funds.iter().find(|(name, _)| name == player).map(|(_, funds)| *funds).unwrap_or_default()
}
