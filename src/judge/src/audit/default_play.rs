//! The result of a void round by default play, once its faces are known (spec/audit.md, "Voids"). A count for readers;
//! it makes no finding.

use fairshoe_fairness::{Card, HouseShoe, Lanes, PlayerId, Slot, TableId, pocket, spin};
use fairshoe_games::{Action, ActionKind, Ahead, Chips, Dealing, FaceUnknown, Peek, Round, RoundEvent, Spin};
use fairshoe_house::{Contributor, OpenRound, VoidCause};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// Most events a round may still take; far above any game's.
const MAX_EVENTS: usize = 10_000;

/// A voided round as it stood, waiting for its shoe's faces.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct UnjudgedVoid {
    pub entry: u64,
    pub table: TableId,
    pub cause: VoidCause,
    pub ahead: Ahead,
    pub round: OpenRound,
    /// A wheel's next slot.
    pub next_spin: Option<Slot>,
    pub funds: Vec<(PlayerId, Chips)>,
}

/// A voided round and what default play would have made of it (spec/audit.md, "Voids").
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VoidResult {
    /// The log index of the entry that voided it.
    pub entry: u64,
    /// The table of the void round.
    pub table: TableId,
    /// The round's number at that table.
    pub round_no: u64,
    /// Why.
    pub cause: VoidCause,
    /// The side that was ahead by public faces.
    pub ahead: Ahead,
    /// The sum that the players would have won (or, negative, lost) if default play had finished the round on the
    /// committed cards; absent if that cannot be computed.
    pub default_play_net: Option<i64>,
    /// The same for each contributor, ascending by name: whom the void saved, and whom it cost; minor units. Empty
    /// where it cannot be computed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub nets: Vec<(PlayerId, i64)>,
    /// The players who would have shown down for the main pot of a hand of poker, ascending by name.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub contested_by: Vec<PlayerId>,
    /// Why there is no such result.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_computable: Option<Cow<'static, str>>,
}

impl UnjudgedVoid {
    /// The result that stands without the faces: none.
    pub fn without_faces(&self, why: &'static str) -> VoidResult {
        self.result(Err(why))
    }

    fn result(&self, finished: Result<Finished, &'static str>) -> VoidResult {
        let (finished, why_not) = finished.map_or_else(|why| (None, Some(why)), |finished| (Some(finished), None));
        let sum = |finished: &Finished| finished.nets.iter().fold(0i64, |sum, (_, net)| sum.saturating_add(*net));
        let default_play_net = finished.as_ref().map(sum);
        let Finished { nets, contested_by } = finished.unwrap_or_default();
        VoidResult {
            entry: self.entry,
            table: self.table.clone(),
            round_no: self.round.round_no,
            cause: self.cause,
            ahead: self.ahead,
            default_play_net,
            nets,
            contested_by,
            not_computable: why_not.map(Cow::Borrowed),
        }
    }

    /// Finishes the round on this candidate's true faces; `None` if another candidate was dealt.
    pub fn by_default_play(&self, candidate: u8, house: &HouseShoe) -> Option<VoidResult> {
        (candidate == self.round.pick).then(|| self.result(self.finish(house)))
    }

    /// The round's end by default play on these faces.
    fn finish(&self, house: &HouseShoe) -> Result<Finished, &'static str> {
        let lanes = self.round.lanes.clone().ok_or("the round never opened")?;
        if self.round.game.needs_pile().is_some() || !self.round.piles.is_empty() {
            return Err("the game's piles are shuffled by its players");
        }
        let entropy = self.round.entropy.as_ref();
        let spin = self.next_spin.zip(entropy).and_then(|(slot, entropy)| {
            let value = house.value(slot)?;
            let pockets = house.value_limit();
            Some(Spin { slot, value, pocket: pocket(value, spin(entropy, 1, pockets), pockets) })
        });
        let mut table = Finishing { lanes, house, spin, funds: &self.funds };
        let mut game = self.round.game.boxed_clone();
        let so_far = |c: &Contributor| (c.placed.player.clone(), c.returned.signed().saturating_sub(c.staked.signed()));
        let mut end = Finished { nets: self.round.contributors.iter().map(so_far).collect(), contested_by: Vec::new() };
        for _ in 0..MAX_EVENTS {
            let event = match game.step(&table).map_err(|_| "the shoe holds no card for the next draw")? {
                Some(event) => event,
                None if game.is_settled() => return Ok(end),
                None if game.needs_pile().is_some() => {
                    return Err("the game needs a new pile, which its players would shuffle");
                }
                None => {
                    let open = game.open_decisions().into_iter().next().ok_or("the round neither moves on nor asks")?;
                    let action = if game.table_stakes().is_some() { call(game.as_ref(), open.number) } else { None };
                    let played = match action {
                        Some(action) => game.accept(&open.player, open.number, &action, Chips::ZERO),
                        None => game.default_play(open.number),
                    };
                    played.map_err(|_| "default play is not defined here")?
                }
            };
            game.apply(&event).map_err(|_| "the engine contradicts itself")?;
            match &event {
                RoundEvent::Dealt { lane, .. } => {
                    table.lanes.draw(*lane);
                }
                // At table stakes nothing moves before the hand is over (R001.112).
                RoundEvent::Acted { player, cost, .. } if game.table_stakes().is_none() => {
                    end.add(player, -cost.signed())
                }
                RoundEvent::Paid { lines } => {
                    lines.iter().for_each(|line| end.add(&line.player, line.returned.signed()))
                }
                _ => {
                    if let Some(hand) = event.hand_result() {
                        let main_pot = hand.pots.first().map_or(&[][..], |pot| &pot.seats);
                        for seat in hand.seats {
                            end.add(&seat.player, seat.got.signed().saturating_sub(seat.put_in.signed()));
                            if main_pot.contains(&seat.seat) {
                                end.contested_by.push(seat.player.clone());
                            }
                        }
                        end.contested_by.sort_unstable();
                    }
                }
            }
        }
        Err("default play does not end")
    }
}

/// At poker everybody checks or calls to the end, and shows (spec/audit.md, "Voids"): default play there is a fold, so
/// that whoever was asked last would have lost, whatever they held.
fn call(game: &dyn Round, decision: u32) -> Option<Action> {
    let offers = game.options(decision, Chips::ZERO);
    let known =
        [(ActionKind::Check, Action::Check), (ActionKind::Call, Action::Call), (ActionKind::Show, Action::Show)];
    known.into_iter().find(|(kind, _)| offers.iter().any(|offer| offer.action == *kind)).map(|(_, action)| action)
}

/// A round on its way to its end.
#[derive(Default)]
struct Finished {
    /// Each contributor's net win so far, ascending by name.
    nets: Vec<(PlayerId, i64)>,
    /// The players who showed down for the main pot, ascending by name.
    contested_by: Vec<PlayerId>,
}

impl Finished {
    fn add(&mut self, player: &PlayerId, amount: i64) {
        if let Some((_, net)) = self.nets.iter_mut().find(|(name, _)| name == player) {
            *net = net.saturating_add(amount);
        }
    }
}

struct Finishing<'h> {
    lanes: Lanes,
    house: &'h HouseShoe,
    spin: Option<Spin>,
    funds: &'h [(PlayerId, Chips)],
}

impl Dealing for Finishing<'_> {
    fn next_slot(&self, lane: u16) -> Option<Slot> {
        self.lanes.next(lane)
    }

    fn card(&self, slot: Slot) -> Result<Card, FaceUnknown> {
        self.house.card(slot).ok_or(FaceUnknown(slot))
    }

    fn peek(&self, slot: Slot, question: Peek) -> Result<bool, FaceUnknown> {
        self.card(slot).map(|card| question.answer(card))
    }

    fn spin(&self) -> Result<Option<Spin>, FaceUnknown> {
        Ok(self.spin)
    }

    fn funds(&self, player: &PlayerId) -> Chips {
        self.funds.iter().find(|(name, _)| name == player).map(|(_, funds)| *funds).unwrap_or_default()
    }

    fn deadline(&self) -> u64 {
        0
    }
}
