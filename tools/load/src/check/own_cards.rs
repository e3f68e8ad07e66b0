//! A player's own cards, from a reply to them alone (spec/games/poker-table.md).

use super::Flaw;
use super::flaw::same;
use fairshoe_api::OwnCards;
use fairshoe_fairness::{Opening, PlayerId, Slot};
use fairshoe_house::Table;

/// Checks that the cards are those of the player's slots in the public order, opened against the root that was
/// committed before any seed was published. `false` if the table has gone on, so that they cannot be checked.
pub(super) fn own_cards(table: &Table, player: &PlayerId, own: &OwnCards) -> Result<bool, Flaw> {
    let Some((round, shoe)) = table.live_round().zip(table.shoe.as_ref()) else { return Ok(false) };
    let Some(stakes) = round.game.table_stakes() else { return Ok(false) };
    if round.entropy.is_none() || own.round != format!("{}:{}", table.id, round.round_no) {
        return Ok(false);
    }
    same("the deck of own cards", &(round.shoe_no, round.pick), &(own.shoe_no, own.candidate))?;
    let slots: Vec<Slot> = own.openings.iter().map(|opening| opening.slot).collect();
    same("the slots of own cards", &stakes.own_slots(player), &slots)?;
    let cards: Vec<_> = own.openings.iter().map(Opening::card).collect();
    same("own cards", &own.cards.iter().copied().map(Some).collect(), &cards)?;
    let root = shoe.candidates.get(usize::from(round.pick)).map(|committed| committed.root);
    let root = root.ok_or(Flaw::Overflow)?;
    for opening in &own.openings {
        let slot = opening.slot;
        opening.verify(&root, &shoe.id.composition).map_err(|error| Flaw::Opening(slot, error))?;
    }
    Ok(true)
}
