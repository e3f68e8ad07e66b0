//! A hand of poker as the fold of its events, from the deal to the settlement (spec/games/poker-table.md). The
//! betting, the pots and the showdown are modules of their own; seats and stacks between hands are the house's.

use crate::claims::admit;
use crate::poker::posts::between;
use crate::poker::rank::high_so_far;
use crate::poker::{
    Betting, CashTimeout, Choice, HandStart, IllegalChoice, PokerEvent, PokerRules, Positions, Post, PotPaid, PotShare,
    SeatResult, Shown, Step, layer, settle,
};
use crate::{
    Action, ActionKind, Ahead, Chips, Dealing, Decision, Illegal, Inapplicable, Offer, Place, Round, RoundEvent,
    SavedRound, SeatChips, Standing, StepError, TableStakes, TurnClock,
};
use fairshoe_fairness::{Card, PlayerId, Slot};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

/// A player in the hand.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Holder {
    pub seat: u8,
    pub player: PlayerId,
    /// Their chips at the start of the hand.
    pub stack: Chips,
    /// Their hole cards, as slots: only they know the faces.
    pub hole: Vec<Slot>,
    /// The faces of the cards that were turned up, in the same order.
    pub faces: Vec<Card>,
    /// They are turning their cards up, at the showdown or because all are all-in.
    pub shows: bool,
}

impl Holder {
    fn has_shown(&self) -> bool {
        !self.hole.is_empty() && self.faces.len() == self.hole.len()
    }
}

/// The subject of an open decision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Question {
    /// Fold, check, call, bet or raise.
    Turn,
    /// Show the hand at the showdown, or give it up unseen.
    Showdown,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct OpenTurn {
    pub decision: Decision,
    pub bank_from: Option<u64>,
    pub question: Question,
    /// The place in the order from the left of the button.
    pub index: usize,
}

/// A hand of poker at a cash table: the fold of its events (spec/games/poker-table.md).
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PokerRound {
    pub(super) rules: PokerRules,
    pub(super) positions: Positions,
    /// From the left of the button.
    pub(super) holders: Vec<Holder>,
    pub(super) betting: Betting,
    pub(super) board: Vec<(Slot, Card)>,
    pub(super) burnt: Vec<Slot>,
    pub(super) open: Option<OpenTurn>,
    pub(super) next_decision: u32,
    /// The pots and each seat's result, once the hand is over.
    pub(super) result: Option<PokerEvent>,
}

/// The name of a spot of the layout.
fn spot(name: &str) -> Result<Place, StepError> {
    Place::spot(name).ok_or(StepError::Overflow)
}

impl PokerRound {
    /// A hand before its first card.
    ///
    /// # Errors
    /// In words, if the posts do not make a hand.
    pub(super) fn new(mut rules: PokerRules, start: HandStart) -> Result<PokerRound, String> {
        rules.hand = rules.hand_of(start.seats.len());
        let post = |seat: &crate::poker::HandSeat| {
            let due = seat.due;
            Post { stack: seat.stack, ante: due.ante, live: due.live, dead: due.dead, opens: due.opens }
        };
        let posts: Vec<Post> = start.seats.iter().map(post).collect();
        let betting = Betting::begin(rules.hand, &posts).map_err(|e| e.to_string())?;
        let holder = |seat: crate::poker::HandSeat| Holder {
            seat: seat.due.seat,
            player: seat.player,
            stack: seat.stack,
            hole: Vec::new(),
            faces: Vec::new(),
            shows: false,
        };
        let holders: Vec<Holder> = start.seats.into_iter().map(holder).collect();
        let twice = |a: usize| {
            holders.iter().skip(a + 1).any(|b| holders.get(a).is_some_and(|a| a.seat == b.seat || a.player == b.player))
        };
        if (0..holders.len()).any(twice) {
            return Err("a seat or a player is dealt in twice".into());
        }
        let from_button = |holder: &Holder| between(start.positions.button, holder.seat);
        if !holders.is_sorted_by_key(from_button) {
            return Err("the seats are not in order from the left of the button".into());
        }
        Ok(PokerRound {
            rules,
            positions: start.positions,
            holders,
            betting,
            board: Vec::new(),
            burnt: Vec::new(),
            open: None,
            next_decision: 0,
            result: None,
        })
    }

    /// The players still in the hand, in order from the left of the button.
    pub(super) fn in_hand(&self) -> impl Iterator<Item = usize> + '_ {
        self.betting.seats().iter().enumerate().filter(|(_, seat)| !seat.folded).map(|(index, _)| index)
    }

    /// Everything in the pot.
    pub(super) fn pot(&self) -> Chips {
        Chips::sum(self.betting.seats().iter().map(crate::poker::BettingSeat::put_in)).unwrap_or_default()
    }

    fn draw(&self, dealing: &dyn Dealing, to: Place, face_up: bool) -> Result<RoundEvent, StepError> {
        let slot = dealing.next_slot(0).ok_or(StepError::ShoeExhausted)?;
        let card = if face_up { Some(dealing.card(slot)?) } else { None };
        Ok(RoundEvent::Dealt { lane: 0, slot, to, card })
    }

    /// The next hole card: one each from the left of the button, as many rounds as the game has hole cards.
    fn next_to_be_dealt(&self) -> Option<&Holder> {
        let fewest = self.holders.iter().map(|holder| holder.hole.len()).min()?;
        let whole = self.rules.hand.family.hole_cards();
        self.holders.iter().find(|holder| holder.hole.len() == fewest && fewest < whole)
    }

    /// Turns up the next card of a player who shows, if there is one left.
    fn turn_up(&self, dealing: &dyn Dealing) -> Option<Result<RoundEvent, StepError>> {
        let holder = self.holders.iter().find(|holder| holder.shows && !holder.has_shown())?;
        let slot = *holder.hole.get(holder.faces.len())?;
        Some(dealing.card(slot).map(|card| RoundEvent::Turned { pile: None, slot, card }).map_err(Into::into))
    }

    fn turn(&self, dealing: &dyn Dealing, index: usize, question: Question) -> Result<RoundEvent, StepError> {
        let holder = self.holders.get(index).ok_or(StepError::Overflow)?;
        let clock = match question {
            Question::Turn => {
                let extra =
                    self.rules.clocks.street_extra_ms.get(self.betting.street() as usize).copied().unwrap_or_default();
                dealing.turn_clock(&holder.player, extra)
            }
            Question::Showdown => TurnClock { bank_from: None, deadline: dealing.deadline(), extra_ms: 0 },
        };
        Ok(RoundEvent::Offered {
            decision: self.next_decision,
            player: holder.player.clone(),
            place: Place::Hand { spot: holder.seat, hand: 1 },
            options: self.offers(question),
            deadline: clock.deadline,
            bank_from: clock.bank_from,
            extra_ms: clock.extra_ms,
        })
    }

    /// The options now.
    fn offers(&self, question: Question) -> Vec<Offer> {
        if question == Question::Showdown {
            return [ActionKind::Show, ActionKind::Muck].map(Offer::free).into();
        }
        let Step::Choose(options) = self.betting.step() else { return Vec::new() };
        let mut offers = vec![Offer::free(ActionKind::Fold)];
        offers.push(match options.call {
            Chips::ZERO => Offer::free(ActionKind::Check),
            call => Offer::costing(ActionKind::Call, call),
        });
        if let Some((least, most)) = options.raise {
            let bet = self.betting.seats().get(options.seat).map(|seat| seat.bet).unwrap_or_default();
            let cost = most.minus(bet).unwrap_or_default();
            offers.push(Offer { action: self.raising(), cost, to: Some((least, most)) });
        }
        offers
    }

    /// The word for adding more than the bet to match: a bet if there is none yet, else a raise.
    fn raising(&self) -> ActionKind {
        if self.betting.level() == Chips::ZERO { ActionKind::Bet } else { ActionKind::Raise }
    }

    /// The next seat to be asked or to show at the showdown: from the last to bet or raise on the river, else from the
    /// left of the button.
    fn showdown(&self, dealing: &dyn Dealing, first: usize) -> Result<RoundEvent, StepError> {
        let order = (first..self.holders.len()).chain(0..first);
        let mut waiting = order.filter(|index| self.in_hand().any(|one| one == *index));
        match waiting.find(|index| self.holders.get(*index).is_some_and(|holder| !holder.has_shown())) {
            None => self.settled(),
            Some(index) => self.turn(dealing, index, Question::Showdown),
        }
    }

    /// The pots, each seat's result, and the rake: the one entry of the hand's money (R001.112).
    fn settled(&self) -> Result<RoundEvent, StepError> {
        let layers = self.betting.contributions().and_then(|all| layer(&all)).ok_or(StepError::Overflow)?;
        let board: Vec<Card> = self.board.iter().map(|(_, card)| *card).collect();
        let shown: Vec<Option<Shown>> =
            self.holders.iter().map(|holder| Shown::rank(&self.rules.hand, &holder.faces, &board)).collect();
        let paid = settle(&self.rules.hand, &layers, &shown, board.len() >= 3).map_err(|_| StepError::Overflow)?;
        let seat_of = |index: usize| self.holders.get(index).map(|holder| holder.seat).ok_or(StepError::Overflow);
        let mut pots = Vec::with_capacity(layers.pots.len());
        for (number, pot) in layers.pots.iter().enumerate() {
            let share = |award: &crate::poker::Award| {
                Ok::<_, StepError>(PotShare { seat: seat_of(award.seat)?, amount: award.amount, low: award.low })
            };
            let won = paid.awards.iter().filter(|award| award.pot == number && award.amount > Chips::ZERO).map(share);
            pots.push(PotPaid {
                amount: pot.amount,
                rake: paid.rake.get(number).copied().unwrap_or_default(),
                seats: pot.seats.iter().map(|index| seat_of(*index)).collect::<Result<_, _>>()?,
                won: won.collect::<Result<_, _>>()?,
            });
        }
        let uncalled = layers
            .uncalled
            .map(|(index, amount)| Ok::<_, StepError>(SeatChips { seat: seat_of(index)?, amount }))
            .transpose()?;
        let mut seats = Vec::with_capacity(self.holders.len());
        for (index, holder) in self.holders.iter().enumerate() {
            let chips = self.betting.seats().get(index).ok_or(StepError::Overflow)?;
            let awards = paid.awards.iter().filter(|award| award.seat == index).map(|award| award.amount);
            let back = layers.uncalled.filter(|(one, _)| *one == index).map(|(_, amount)| amount);
            let got = Chips::sum(awards.chain(back)).ok_or(StepError::Overflow)?;
            let stack = chips.stack.plus(got).ok_or(StepError::Overflow)?;
            seats.push(SeatResult {
                seat: holder.seat,
                player: holder.player.clone(),
                put_in: chips.put_in(),
                got,
                stack,
            });
        }
        Ok(RoundEvent::Poker(PokerEvent::Settled { pots, uncalled, seats }))
    }

    fn open_decision(&self, decision: u32) -> Result<&OpenTurn, Illegal> {
        let open = self.open.as_ref();
        open.filter(|open| open.decision.number == decision)
            .ok_or_else(|| Illegal::NotOpen { given: decision, open: open.map(|open| open.decision.number) })
    }

    fn choice(&self, action: &Action) -> Result<Choice, Illegal> {
        let refused = |why| Err(Illegal::NotOffered { action: action.kind(), why });
        match action {
            Action::Fold => Ok(Choice::Fold),
            Action::Check => Ok(Choice::Check),
            Action::Call => Ok(Choice::Call),
            Action::Bet { to } | Action::Raise { to } if action.kind() == self.raising() => Ok(Choice::RaiseTo(*to)),
            Action::Bet { .. } => refused("there is a bet already: raise"),
            Action::Raise { .. } => refused("there is no bet yet: bet"),
            Action::Show | Action::Muck => refused("hands are shown at the showdown"),
            _ => refused("this is no action of poker"),
        }
    }

    /// The cost of an action at an open decision, if it is allowed.
    fn judge(&self, open: &OpenTurn, action: &Action) -> Result<Chips, Illegal> {
        if open.question == Question::Showdown {
            return match action {
                Action::Show | Action::Muck => Ok(Chips::ZERO),
                _ => Err(Illegal::NotOffered {
                    action: action.kind(),
                    why: "at the showdown the hand is shown or given up",
                }),
            };
        }
        let mut after = self.betting.clone();
        after.choose(open.index, self.choice(action)?).map_err(|illegal| {
            let refused = |why| Illegal::NotOffered { action: action.kind(), why };
            match (illegal, action) {
                (IllegalChoice::Amount { min, max }, Action::Bet { to } | Action::Raise { to }) => {
                    Illegal::RaiseRange { given: *to, min, max }
                }
                (IllegalChoice::SomethingToCall(_), _) => refused("there is something to call"),
                (IllegalChoice::NothingToCall, _) => refused("there is nothing to call: check"),
                _ => refused(
                    "no bet or raise is open to you: it was not opened again (A001.qq), is capped, or nobody could call it",
                ),
            }
        })?;
        let chips = |betting: &Betting| betting.seats().get(open.index).map(|seat| seat.stack).unwrap_or_default();
        Ok(chips(&self.betting).minus(chips(&after)).unwrap_or_default())
    }

    fn acted(&self, open: &OpenTurn, action: Action, default: bool) -> Result<RoundEvent, Illegal> {
        let cost = self.judge(open, &action)?;
        Ok(RoundEvent::Acted {
            decision: open.decision.number,
            player: open.decision.player.clone(),
            action,
            cost,
            default,
        })
    }

    fn fold_event(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        let broken = |what: &str| Inapplicable(what.to_owned());
        match event {
            RoundEvent::Dealt { slot, card: Some(card), .. } => {
                self.board.push((*slot, *card));
                if let Step::Deal(street) = self.betting.step()
                    && self.board.len() == street.board_cards()
                {
                    self.betting.deal();
                }
            }
            RoundEvent::Dealt { slot, card: None, to: Place::Hand { spot, .. }, .. } => {
                let holder = self
                    .holders
                    .iter_mut()
                    .find(|holder| holder.seat == *spot)
                    .ok_or_else(|| broken("nobody has that seat"))?;
                holder.hole.push(*slot);
            }
            RoundEvent::Dealt { slot, .. } => self.burnt.push(*slot),
            RoundEvent::Turned { slot, card, .. } => {
                let holder = self.holders.iter_mut().find(|holder| holder.hole.get(holder.faces.len()) == Some(slot));
                holder.ok_or_else(|| broken("that card is nobody's next"))?.faces.push(*card);
            }
            RoundEvent::Offered { decision, player, place, deadline, bank_from, .. } => {
                let index = self
                    .holders
                    .iter()
                    .position(|holder| holder.player == *player)
                    .ok_or_else(|| broken("nobody is asked"))?;
                let question =
                    if matches!(self.betting.step(), Step::Choose(_)) { Question::Turn } else { Question::Showdown };
                let decision =
                    Decision { number: *decision, player: player.clone(), place: *place, deadline: *deadline };
                self.next_decision = decision.number.checked_add(1).ok_or_else(|| broken("too many decisions"))?;
                self.open = Some(OpenTurn { decision, bank_from: *bank_from, question, index });
            }
            RoundEvent::Acted { action, .. } => {
                let open = self.open.take().ok_or_else(|| broken("nobody was asked"))?;
                match (open.question, action) {
                    (Question::Showdown, Action::Muck) => {
                        if !self.betting.muck(open.index) {
                            return Err(broken("this hand cannot be given up"));
                        }
                    }
                    (Question::Showdown, _) => {
                        self.holders.get_mut(open.index).ok_or_else(|| broken("nobody shows"))?.shows = true;
                    }
                    (Question::Turn, _) => {
                        let choice = self.choice(action).map_err(|e| Inapplicable(e.to_string()))?;
                        self.betting.choose(open.index, choice).map_err(|e| Inapplicable(e.to_string()))?;
                    }
                }
            }
            RoundEvent::Poker(settled @ PokerEvent::Settled { .. }) => self.result = Some(settled.clone()),
            _ => return Err(broken("this is no event of poker")),
        }
        self.table_hands();
        Ok(())
    }

    /// The hands that must be turned up: all of them once a player is all-in and all choices are made (TDA practice);
    /// at the showdown the hand of the player who shows first.
    fn table_hands(&mut self) {
        let step = self.betting.step();
        let Some(first) = (match step {
            Step::Showdown { first } => Some(first),
            Step::Deal(_) if self.betting.is_all_in() => Some(0),
            _ => None,
        }) else {
            return;
        };
        let all_in =
            self.in_hand().any(|index| self.betting.seats().get(index).is_some_and(|seat| seat.stack == Chips::ZERO));
        let showing: Vec<usize> = if all_in { self.in_hand().collect() } else { vec![first] };
        for index in showing {
            if let Some(holder) = self.holders.get_mut(index) {
                holder.shows = true;
            }
        }
    }

    /// The seats with the best of the open hands.
    fn leading(&self) -> Vec<u8> {
        let board: Vec<Card> = self.board.iter().map(|(_, card)| *card).collect();
        let open = self.in_hand().filter_map(|index| self.holders.get(index)).filter(|holder| holder.has_shown());
        let ranked: Vec<_> = open
            .filter_map(|holder| Some((holder.seat, high_so_far(self.rules.hand.family, &holder.faces, &board)?)))
            .collect();
        let best = ranked.iter().map(|(_, high)| *high).max();
        if ranked.len() < 2 {
            return Vec::new();
        }
        ranked.into_iter().filter(|(_, high)| Some(*high) == best).map(|(seat, _)| seat).collect()
    }
}

impl Round for PokerRound {
    fn boxed_clone(&self) -> Box<dyn Round> {
        Box::new(self.clone())
    }

    fn saved(&self) -> SavedRound<'_> {
        self.into()
    }

    fn lanes(&self) -> u16 {
        1
    }

    fn step(&self, dealing: &dyn Dealing) -> Result<Option<RoundEvent>, StepError> {
        if self.result.is_some() || self.open.is_some() {
            return Ok(None);
        }
        if let Some(holder) = self.next_to_be_dealt() {
            return self.draw(dealing, Place::Hand { spot: holder.seat, hand: 1 }, false).map(Some);
        }
        if let Some(turned) = self.turn_up(dealing) {
            return turned.map(Some);
        }
        let event = match self.betting.step() {
            Step::Choose(options) => self.turn(dealing, options.seat, Question::Turn)?,
            // One card is burnt before each street: three in a hand.
            Step::Deal(street) if self.burnt.len() < street as usize => self.draw(dealing, spot("burn")?, false)?,
            Step::Deal(_) => self.draw(dealing, spot("board")?, true)?,
            Step::Showdown { first } => self.showdown(dealing, first)?,
            Step::Won { .. } => self.settled()?,
        };
        Ok(Some(event))
    }

    fn accept(&self, player: &PlayerId, decision: u32, action: &Action, _funds: Chips) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        if open.decision.player != *player {
            return Err(Illegal::NotYours { decision });
        }
        self.acted(open, action.clone(), false)
    }

    fn default_play(&self, decision: u32) -> Result<RoundEvent, Illegal> {
        let open = self.open_decision(decision)?;
        let free = matches!(self.betting.step(), Step::Choose(options) if options.call == Chips::ZERO);
        let action = match (open.question, self.rules.cash_timeout) {
            // A player who does not answer keeps the value of their cards.
            (Question::Showdown, _) => Action::Show,
            (Question::Turn, CashTimeout::CheckIfFree) if free => Action::Check,
            (Question::Turn, _) => Action::Fold,
        };
        self.acted(open, action, true)
    }

    fn apply(&mut self, event: &RoundEvent) -> Result<(), Inapplicable> {
        admit(self, event)?;
        self.fold_event(event)
    }

    fn open_decisions(&self) -> Vec<Decision> {
        self.open.iter().map(|open| open.decision.clone()).collect()
    }

    fn options(&self, decision: u32, _funds: Chips) -> Vec<Offer> {
        self.open_decision(decision).map(|open| self.offers(open.question)).unwrap_or_default()
    }

    fn table_stakes(&self) -> Option<&dyn TableStakes> {
        Some(self)
    }

    fn is_settled(&self) -> bool {
        self.result.is_some()
    }

    /// The chips of a hand stay in the seats' accounts until its end; the table's account holds none.
    fn pending_stakes(&self) -> Vec<(PlayerId, Chips)> {
        Vec::new()
    }

    /// The house is no party to the pot (C22); [`TableStakes::standing`] tells which player is ahead.
    fn ahead(&self) -> Ahead {
        if self.board.is_empty() { Ahead::Nobody } else { Ahead::Level }
    }

    fn view_json(&self) -> Box<RawValue> {
        serde_json::value::to_raw_value(&self.table_view()).unwrap_or_default()
    }
}

impl TableStakes for PokerRound {
    fn bank_from(&self, decision: u32) -> Option<u64> {
        self.open_decision(decision).ok().and_then(|open| open.bank_from)
    }

    fn own_slots(&self, player: &PlayerId) -> Vec<Slot> {
        self.holders
            .iter()
            .find(|holder| holder.player == *player)
            .map(|holder| holder.hole.clone())
            .unwrap_or_default()
    }

    fn standing(&self) -> Standing {
        let chips = |(holder, seat): (&Holder, &crate::poker::BettingSeat)| SeatChips {
            seat: holder.seat,
            amount: seat.put_in(),
        };
        Standing { put_in: self.holders.iter().zip(self.betting.seats()).map(chips).collect(), leading: self.leading() }
    }

    fn put_in(&self) -> Vec<(PlayerId, Chips)> {
        self.holders
            .iter()
            .zip(self.betting.seats())
            .map(|(holder, seat)| (holder.player.clone(), seat.put_in()))
            .collect()
    }
}
