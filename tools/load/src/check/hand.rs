//! A hand of poker, checked from `bets_closed` to the sealed shoe (spec/games/poker-table.md).

use super::flaw::same;
use super::round::{in_time, lapsed, shuffled};
use super::table::text;
use super::{Flaw, Progress, ShoeCheck};
use fairshoe_api::{OwnCards, ShownOpening};
use fairshoe_fairness::{
    ClientSeed, HouseShoe, Lanes, Opening, PlayerId, RoundEntropy, SeedCommitment, ServerSeed, Slot, shoe_commitment,
};
use fairshoe_games::poker::{HandStart, PokerRules, SeatResult};
use fairshoe_games::{ActionKind, Chips, Offer, Round, RoundEvent};
use fairshoe_house::{Command, Entry, Lapsed, Offence, PlayerCommitment};
use std::collections::{BTreeMap, BTreeSet};

/// One player's part in the hand's entropy.
struct Part {
    player: PlayerId,
    commitment: SeedCommitment,
    seed: Option<ClientSeed>,
    /// They sat out or asked to leave before any seed was out.
    went_away: bool,
}

/// A hand as its players check it; see the module.
pub(super) struct HandCheck {
    pub round_no: u64,
    pub shoe_no: u64,
    /// The log index of `bets_closed`.
    pub closed_at: u64,
    pub progress: Progress,
    /// The contributors, ascending by player.
    parts: Vec<Part>,
    pub reveal_by: u64,
    pub entropy: Option<RoundEntropy>,
    lanes: Option<Lanes>,
    pick: u8,
    pub game: Box<dyn Round>,
    /// Milliseconds left in each player's time bank.
    banks: BTreeMap<PlayerId, u64>,
    /// Whether the time bank of the open decision's player was charged in this entry.
    charged: bool,
    /// The number of cards on the board.
    board: usize,
    /// The turned-up slots in order: the sealed shoe must open these.
    turned: Vec<Slot>,
    /// Players' own cards, as shown to them.
    held: BTreeMap<Slot, u8>,
    /// The result of each seat.
    pub result: Option<Vec<SeatResult>>,
    /// The rake that the house took from the pots.
    pub rake: Chips,
}

impl HandCheck {
    /// A hand before its first card.
    pub fn new(
        rules: &PokerRules,
        (round_no, shoe_no): (u64, u64),
        closed_at: u64,
        reveal_by: u64,
        seeds: &[PlayerCommitment],
        start: &HandStart,
    ) -> Result<Self, Flaw> {
        let game = rules.open_hand(start.clone()).map_err(|e| Flaw::differs("the hand", "one the rules take", e))?;
        let part = |one: &PlayerCommitment| Part {
            player: one.player.clone(),
            commitment: one.commitment,
            seed: None,
            went_away: false,
        };
        Ok(HandCheck {
            round_no,
            shoe_no,
            closed_at,
            progress: Progress::AwaitingReveals,
            parts: seeds.iter().map(part).collect(),
            reveal_by,
            entropy: None,
            lanes: None,
            pick: 0,
            game,
            banks: start.seats.iter().map(|seat| (seat.player.clone(), seat.bank_ms)).collect(),
            charged: false,
            board: 0,
            turned: Vec::new(),
            held: BTreeMap::new(),
            result: None,
            rake: Chips::ZERO,
        })
    }

    /// Whether it is neither settled nor void.
    pub fn is_live(&self) -> bool {
        matches!(self.progress, Progress::AwaitingReveals | Progress::Open)
    }

    /// Whether a card left the shoe.
    pub fn was_dealt(&self) -> bool {
        self.lanes.as_ref().is_some_and(|lanes| !lanes.drawn().is_empty())
    }

    /// The players dealt in.
    pub fn players(&self) -> impl Iterator<Item = &PlayerId> {
        self.parts.iter().map(|part| &part.player)
    }

    /// The players whose seeds are missing, ascending.
    pub fn missing(&self) -> Vec<PlayerId> {
        self.parts.iter().filter(|part| part.seed.is_none()).map(|part| part.player.clone()).collect()
    }

    /// A player sits out or asks to leave: before the first seed is out they know nothing of the hand.
    pub fn goes_away(&mut self, player: &PlayerId) {
        if matches!(self.progress, Progress::AwaitingReveals) && self.parts.iter().all(|part| part.seed.is_none()) {
            let own = self.parts.iter_mut().find(|part| part.player == *player);
            own.into_iter().for_each(|part| part.went_away = true);
        }
    }

    /// What those whose seeds are missing did.
    pub fn offences(&self) -> BTreeMap<PlayerId, Offence> {
        let offence = |part: &Part| if part.went_away { Offence::WentAway } else { Offence::RevealMissing };
        let missing = self.parts.iter().filter(|part| part.seed.is_none());
        missing.map(|part| (part.player.clone(), offence(part))).collect()
    }

    /// Another entry begins: no time bank was charged in it yet.
    pub fn begin_entry(&mut self) {
        self.charged = false;
    }

    /// Takes a seed, which must open its commitment.
    pub fn revealed(
        &mut self,
        opens: impl Fn(&SeedCommitment) -> bool,
        player: &PlayerId,
        seed: &ClientSeed,
        time: u64,
    ) -> Result<(), Flaw> {
        let part = self.parts.iter_mut().find(|part| part.player == *player);
        let part = part
            .filter(|part| part.seed.is_none())
            .ok_or_else(|| Flaw::differs("the seed", "one that is awaited", player))?;
        same("whether the seed opens its commitment", &true, &opens(&part.commitment))?;
        part.seed = Some(seed.clone());
        in_time("the reveal", time, self.reveal_by)
    }

    /// The deck that the seeds pick, and its order; the other deck is published and must be the committed one.
    pub fn open(
        &mut self,
        shoe: &mut ShoeCheck,
        entropy: &RoundEntropy,
        pick: u8,
        others: &[ServerSeed],
    ) -> Result<(), Flaw> {
        let seeds: Option<Vec<_>> =
            self.parts.iter().map(|part| Some((part.player.clone(), part.seed.clone()?))).collect();
        self.lanes = Some(shuffled(shoe, self.round_no, seeds, entropy, pick, 1)?);
        let left: Vec<u8> = (0u8..).zip(&shoe.candidates).map(|(k, _)| k).filter(|k| *k != pick).collect();
        same("how many other decks are out", &left.len(), &others.len())?;
        for (k, seed) in left.into_iter().zip(others) {
            let committed = shoe.candidates.get(usize::from(k)).ok_or(Flaw::Overflow)?;
            let flaw = |what: &str| Flaw::Shoe {
                shoe_no: shoe.shoe_no,
                what: format!("the seed of the other deck, {k}, {what}"),
            };
            if shoe_commitment(&shoe.context, shoe.shoe_no, k, seed) != committed.commitment {
                return Err(flaw("is not the committed one"));
            }
            if HouseShoe::derive(seed, &shoe.composition).root() != committed.root {
                return Err(flaw("does not give the committed root"));
            }
        }
        (self.entropy, self.pick, self.progress) = (Some(*entropy), pick, Progress::Open);
        Ok(())
    }

    /// Checks one event of the game: slots from the public order, faces by their openings, the rest by the engine.
    pub fn play(
        &mut self,
        table: &Clocks<'_>,
        shoe: &mut ShoeCheck,
        entry: &Entry,
        play: &RoundEvent,
        openings: &[ShownOpening],
    ) -> Result<(), Flaw> {
        if self.progress != Progress::Open || self.result.is_some() {
            return Err(Flaw::Misplaced { event: text(play) });
        }
        match play {
            RoundEvent::Dealt { slot, card, .. } => {
                let lanes = self.lanes.as_mut().ok_or_else(|| Flaw::Misplaced { event: text(play) })?;
                let next = lanes.draw(0);
                if next != Some(*slot) {
                    return Err(Flaw::WrongSlot {
                        expected: next.map_or("none".into(), |slot| slot.to_string()),
                        found: *slot,
                    });
                }
                if let Some(card) = card {
                    self.board += 1;
                    self.face(shoe, *slot, card.code(), openings)?;
                }
            }
            RoundEvent::Turned { slot, card, .. } => self.face(shoe, *slot, card.code(), openings)?,
            RoundEvent::Offered { player, options, deadline, bank_from, .. } => {
                same(
                    "the clock of the decision",
                    &self.clock(table, entry.time, player, options),
                    &(*bank_from, *deadline),
                )?;
            }
            RoundEvent::Acted { decision, player, default, .. } => {
                self.in_turn(table, entry, *decision, player, *default)?
            }
            _ => {
                if let Some(hand) = play.hand_result() {
                    self.rake = Chips::sum(hand.pots.iter().map(|pot| pot.rake)).ok_or(Flaw::Overflow)?;
                    self.result = Some(hand.seats.to_vec());
                }
            }
        }
        // The engine folds in only events that it would write itself: this checks order, options, costs, pots, shares
        // and stacks.
        Ok(self.game.apply(play)?)
    }

    fn face(&mut self, shoe: &mut ShoeCheck, slot: Slot, code: u8, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let opened = shoe.opened(slot, openings)?;
        same("the face that was turned up", &opened, &code)?;
        if let Some(held) = self.held.get(&slot) {
            same("the face that its player was shown", held, &code)?;
        }
        shoe.turned_up(slot, code);
        self.turned.push(slot);
        Ok(())
    }

    /// The start of the time bank and the time of default play (R001.83, R001.84).
    fn clock(&self, table: &Clocks<'_>, time: u64, player: &PlayerId, options: &[Offer]) -> (Option<u64>, u64) {
        let showdown = options.iter().any(|offer| offer.action == ActionKind::Show);
        let street = self.board.saturating_sub(2).min(3);
        let extra = table.poker.clocks.street_extra_ms.get(street).copied().unwrap_or_default();
        let base = time.saturating_add(table.turn_time_ms).saturating_add(if showdown { 0 } else { extra });
        match self.banks.get(player).copied().unwrap_or_default() {
            bank if bank > 0 && !showdown => (Some(base), base.saturating_add(bank)),
            _ => (None, base),
        }
    }

    fn bank_from(&self, decision: u32) -> Option<u64> {
        self.game.table_stakes()?.bank_from(decision)
    }

    fn own_slots(&self, player: &PlayerId) -> Vec<Slot> {
        self.game.table_stakes().map(|stakes| stakes.own_slots(player)).unwrap_or_default()
    }

    fn in_turn(
        &self,
        table: &Clocks<'_>,
        entry: &Entry,
        decision: u32,
        player: &PlayerId,
        default: bool,
    ) -> Result<(), Flaw> {
        let open =
            self.game.open_decisions().into_iter().find(|open| open.number == decision && open.player == *player);
        let open = open.ok_or_else(|| Flaw::differs("the choice", "one that is open", decision))?;
        if default {
            if table.leaving.contains(player) {
                return Ok(());
            }
            same(
                "who lets a turn lapse",
                &true,
                &matches!(entry.command, Command::Lapse { lapsed: Lapsed::Turn, .. }),
            )?;
            return lapsed("default play", entry.time, open.deadline);
        }
        let late = self.bank_from(decision).is_some_and(|from| entry.time > from);
        same("whether the time bank was charged", &late, &self.charged)?;
        in_time("the choice", entry.time, open.deadline)
    }

    /// Charges a player's time bank (R001.84).
    pub fn bank_used(&mut self, player: &PlayerId, used_ms: u64, left_ms: u64, time: u64) -> Result<(), Flaw> {
        let open = self.game.open_decisions().into_iter().find(|open| open.player == *player);
        let from = open
            .and_then(|open| self.bank_from(open.number))
            .ok_or_else(|| Flaw::differs("a time bank", "one that runs", player))?;
        let bank = self.banks.get(player).copied().unwrap_or_default();
        let used = time.saturating_sub(from).min(bank);
        same("the time bank", &(used, bank.saturating_sub(used)), &(used_ms, left_ms))?;
        self.banks.insert(player.clone(), left_ms);
        self.charged = true;
        Ok(())
    }

    /// The rest of a time bank.
    pub fn bank_of(&self, player: &PlayerId) -> Option<u64> {
        self.banks.get(player).copied()
    }

    /// Checks that the sealed shoe opens exactly the open cards, in order.
    pub fn sealed(&self, shoe: &ShoeCheck, openings: &[Opening]) -> Result<(), Flaw> {
        let slots: Vec<Slot> = openings.iter().map(|opening| opening.slot).collect();
        same("the slots that the sealed shoe opens", &self.turned, &slots)?;
        let fresh: Vec<ShownOpening> =
            openings.iter().map(|opening| ShownOpening { shoe_no: None, opening: opening.clone() }).collect();
        fresh.iter().try_for_each(|shown| self.verify(shoe, &shown.opening))?;
        shoe.nothing_leaked(&fresh)
    }

    fn verify(&self, shoe: &ShoeCheck, opening: &Opening) -> Result<(), Flaw> {
        let slot = opening.slot;
        let committed = shoe.candidates.get(usize::from(self.pick)).ok_or(Flaw::Overflow)?;
        opening.verify(&committed.root, &shoe.composition).map_err(|error| Flaw::Opening { slot, error })
    }

    /// A player's own cards, from a reply to them alone: their slots of the public order, opened against the root that
    /// was committed before any seed was published.
    pub fn own_cards(&mut self, shoe: &ShoeCheck, name: &str, player: &PlayerId, own: &OwnCards) -> Result<(), Flaw> {
        same("the round of own cards", &name, &own.round.as_str())?;
        same("the deck of own cards", &(shoe.shoe_no, self.pick), &(own.shoe_no, own.candidate))?;
        let slots: Vec<Slot> = own.openings.iter().map(|opening| opening.slot).collect();
        same("the slots of own cards", &self.own_slots(player), &slots)?;
        let cards: Vec<_> = own.openings.iter().map(Opening::card).collect();
        same("own cards", &own.cards.iter().copied().map(Some).collect(), &cards)?;
        for opening in &own.openings {
            self.verify(shoe, opening)?;
            self.held.insert(opening.slot, opening.value);
        }
        // There is one deck: no card is in two hands.
        let distinct: BTreeSet<u8> = self.held.values().copied().collect();
        same("how many cards are held", &self.held.len(), &distinct.len())
    }

    /// Whether a player knows their cards.
    pub fn knows_own(&self, player: &PlayerId) -> bool {
        self.own_slots(player).iter().all(|slot| self.held.contains_key(slot))
    }

    /// The sums of chips put in and chips got.
    pub fn sums(&self) -> Option<(Chips, Chips)> {
        let seats = self.result.as_ref()?;
        Some((Chips::sum(seats.iter().map(|seat| seat.put_in))?, Chips::sum(seats.iter().map(|seat| seat.got))?))
    }
}

/// The table's part in a hand's clocks.
pub(super) struct Clocks<'t> {
    pub poker: &'t PokerRules,
    pub turn_time_ms: u64,
    /// The players who leave and are not waited for.
    pub leaving: BTreeSet<PlayerId>,
}
