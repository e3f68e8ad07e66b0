//! The Open Hand History format (hh-specs.handhistory.org), JSON.

use super::{Announced, BountyTaken, EventHand, HandHistory, HandStep, HistoryError, Posted};
use crate::utc;
use fairshoe_fairness::{Card, PlayerId};
use fairshoe_games::poker::{BettingRule, Family, PotPaid};
use fairshoe_games::{Action, Chips};
use fairshoe_tournament::structure::{OntoHead, Payouts};
use serde_json::{Map, Value, json};

/// The version of the format that is written.
pub const OHH_VERSION: &str = "1.4.7";

/// A street with its actions, as they come.
struct Street {
    name: &'static str,
    cards: Vec<Card>,
    actions: Vec<Value>,
}

impl Street {
    fn new(name: &'static str, cards: Vec<Card>) -> Street {
        Street { name, cards, actions: Vec::new() }
    }

    fn act(&mut self, seat: u8, action: &str, more: Value) {
        let mut fields = Map::new();
        fields.insert("player_id".into(), json!(seat));
        fields.insert("action".into(), json!(action));
        if let Value::Object(more) = more {
            fields.extend(more);
        }
        self.actions.push(Value::Object(fields));
    }

    fn pay(&mut self, seat: u8, action: &str, amount: Chips, all_in: bool) {
        if amount > Chips::ZERO {
            self.act(seat, action, json!({ "amount": amount, "is_allin": all_in }));
        }
    }
}

impl HandHistory {
    /// The hand as an Open Hand History object, `{"ohh": …}` (spec/hand-histories.md, "Open Hand History"). A player's
    /// id there is their seat.
    ///
    /// # Errors
    /// [`HistoryError::NoWord`] for games that the format does not know, [`HistoryError::Broken`] where the table is no
    /// poker table.
    pub fn to_ohh(&self) -> Result<Value, HistoryError> {
        let poker = self.poker().ok_or_else(|| HistoryError::Broken {
            round: self.round.clone(),
            what: "its table plays no poker".into(),
        })?;
        let game = match (poker.hand.family, poker.hand.hi_lo) {
            (Family::Holdem, false) => "Holdem",
            (Family::Omaha, false) => "Omaha",
            (Family::Omaha, true) => "OmahaHiLo",
            _ => return Err(HistoryError::NoWord("Open Hand History has no word for this game: export it as PHH")),
        };
        let limit = match poker.hand.betting {
            BettingRule::NoLimit { .. } => "NL",
            BettingRule::PotLimit { .. } => "PL",
            BettingRule::FixedLimit { .. } => "FL",
        };
        let own = self.own.as_ref().and_then(|own| self.seats.get(own.place)).map(|seat| seat.due.seat);
        let players = self.seats.iter().map(|seat| {
            let mut player = json!({
                "id": seat.due.seat, "seat": seat.due.seat, "name": seat.player, "starting_stack": seat.stack
            });
            if let Some(head) = self.head(&seat.player) {
                player["player_bounty"] = json!(head);
            }
            player
        });
        let mut number = 0u64;
        let rounds = self.streets().into_iter().enumerate().map(|(id, street)| {
            let actions = street.actions.into_iter().map(|mut action| {
                action["action_number"] = json!(number);
                number = number.saturating_add(1);
                action
            });
            json!({ "id": id, "street": street.name, "cards": cards(&street.cards), "actions": actions.collect::<Vec<_>>() })
        });
        let rounds: Vec<Value> = rounds.collect();
        let started = utc(self.started);
        let name = self.log.as_ref().map_or_else(|| "fairshoe".to_owned(), ToString::to_string);
        let mut ohh = json!({
            "spec_version": OHH_VERSION,
            "site_name": name,
            "network_name": name,
            "internal_version": env!("CARGO_PKG_VERSION"),
            "tournament": self.event.is_some(),
            "game_number": self.round,
            "start_date_utc": format!("{}Z", started.get(..19).unwrap_or_default()),
            "table_name": self.round.table,
            "game_type": game,
            "bet_limit": { "bet_type": limit, "bet_cap": 0 },
            "table_size": self.rules.table.seats,
            // The log knows chips, not what they are worth: the format's own word for that.
            "currency": "XPM",
            "dealer_seat": self.positions.button,
            "small_blind_amount": poker.blinds.small,
            "big_blind_amount": poker.blinds.big,
            "ante_amount": poker.blinds.ante,
            "hero_player_id": own,
            "flags": if own.is_none() { json!(["Observed"]) } else { json!([]) },
            "players": players.collect::<Vec<_>>(),
            "rounds": rounds,
            "pots": self.pots.iter().enumerate().map(|(number, pot)| pot_object(number, pot)).collect::<Vec<_>>(),
        });
        if let Some(event) = &self.event {
            ohh["tournament_info"] = tournament_info(event);
            if !event.heads.is_empty() {
                ohh["tournament_bounties"] = json!(self.bounties(event));
            }
        }
        Ok(json!({ "ohh": ohh }))
    }

    fn head(&self, player: &PlayerId) -> Option<u64> {
        let heads = &self.event.as_ref()?.heads;
        heads.iter().find(|(of, _)| of == player).map(|(_, head)| *head)
    }

    /// The heads that fell by this hand, to those who won the last pot of their owners.
    fn bounties(&self, event: &EventHand) -> Vec<Value> {
        let id = |player: &PlayerId| self.seats.iter().find(|seat| seat.player == *player).map(|seat| seat.due.seat);
        let one = |taken: &BountyTaken| {
            let (winner, of) = (id(&taken.player)?, id(&taken.of)?);
            Some(json!({ "player_id": winner, "bounty_won": taken.amount, "defeated_player_id": of }))
        };
        event.bounties.iter().filter_map(one).collect()
    }

    fn streets(&self) -> Vec<Street> {
        let mut streets = vec![self.preflop()];
        let mut showdown = Street::new("Showdown", Vec::new());
        let mut names = ["Flop", "Turn", "River"].into_iter();
        let mut level = Chips::MAX;
        for step in &self.steps {
            match step {
                HandStep::Board(cards) => {
                    streets.push(Street::new(names.next().unwrap_or("River"), cards.clone()));
                    level = Chips::ZERO;
                }
                HandStep::Acted { place, action, cost, all_in, .. } => {
                    let (Some(seat), Some(street)) = (self.seats.get(*place), streets.last_mut()) else { continue };
                    match action {
                        Action::Fold => street.act(seat.due.seat, "Fold", Value::Null),
                        Action::Check => street.act(seat.due.seat, "Check", Value::Null),
                        Action::Call => street.pay(seat.due.seat, "Call", *cost, *all_in),
                        _ => {
                            let first = std::mem::replace(&mut level, Chips::MAX) == Chips::ZERO;
                            street.pay(seat.due.seat, if first { "Bet" } else { "Raise" }, *cost, *all_in);
                        }
                    }
                }
                HandStep::Shown { place } => {
                    if let Some(seat) = self.seats.get(*place) {
                        showdown.act(seat.due.seat, "Shows Cards", json!({ "cards": cards(&seat.shown) }));
                    }
                }
                HandStep::Mucked { place } => {
                    if let Some(seat) = self.seats.get(*place) {
                        showdown.act(seat.due.seat, "Mucks Cards", Value::Null);
                    }
                }
            }
        }
        if !showdown.actions.is_empty() {
            streets.push(showdown);
        }
        streets
    }

    /// Posts and hole cards, in the order in which chips are taken.
    fn preflop(&self) -> Street {
        let mut street = Street::new("Preflop", Vec::new());
        let at = self.positions;
        let paid: Vec<Posted> = self.seats.iter().map(super::DealtIn::posted).collect();
        let seats = || self.seats.iter().zip(&paid);
        for (seat, paid) in seats() {
            street.pay(seat.due.seat, "Post Ante", paid.ante, paid.ante == seat.stack);
        }
        for (seat, paid) in seats() {
            street.pay(seat.due.seat, "Post Dead", paid.dead, paid.ante.plus(paid.dead) == Some(seat.stack));
        }
        for (seat, paid) in seats() {
            let number = seat.due.seat;
            let what = match number {
                _ if number == at.small => "Post SB",
                _ if number == at.big => "Post BB",
                _ if seat.due.opens && at.third != Some(number) => "Straddle",
                _ => "Post Extra Blind",
            };
            let all = Chips::sum([paid.ante, paid.dead, paid.live]);
            street.pay(number, what, paid.live, all == Some(seat.stack));
        }
        for (place, seat) in self.seats.iter().enumerate() {
            let known = self.dealt_cards(place).map(|known| cards(&known));
            street.act(seat.due.seat, "Dealt Cards", json!({ "cards": known }));
        }
        street
    }
}

/// The tournament: what is known of it where its announcement is at hand, else its name.
fn tournament_info(event: &EventHand) -> Value {
    let mut info = json!({ "tournament_number": event.name, "name": event.name });
    let Some(Announced { structure, starts_at }) = &event.announced else { return info };
    let terms = &structure.entry;
    let is_single = terms.players_max <= u64::from(structure.seats);
    let is_progressive = structure.bounty_onto_head != OntoHead::None;
    let flags = [
        ("Bounty", terms.bounty > 0 && !is_progressive),
        ("Progressive-Bounty", terms.bounty > 0 && is_progressive),
        ("Rebuy", structure.rebuy.is_some()),
        ("Re-Entry", terms.entries_per_player > 1),
        ("Satellite", matches!(structure.payouts, Payouts::Satellite(_))),
    ];
    let flags: Vec<&str> = flags.into_iter().filter(|(_, is)| *is).map(|(flag, _)| flag).collect();
    let started = utc(*starts_at);
    info["start_date_utc"] = json!(format!("{}Z", started.get(..19).unwrap_or_default()));
    // The log knows cents of the house's own money, and no currency.
    info["currency"] = json!("XPM");
    info["buyin_amount"] = json!(terms.buy_in);
    info["fee_amount"] = json!(terms.fee);
    info["bounty_fee_amount"] = json!(terms.bounty);
    info["initial_stack"] = json!(terms.stack);
    info["type"] = json!(if is_single { "STT" } else { "MTT" });
    info["flags"] = json!(flags);
    // How quick a structure is called is its operator's word; how long the hand's level lasts is on the log.
    let level = usize::from(event.level).checked_sub(1).and_then(|at| structure.levels.get(at));
    info["speed"] = json!({ "type": "Normal", "round_time": level.map_or(0, |level| level.ms / 1_000) });
    info
}

fn cards(cards: &[Card]) -> Vec<String> {
    cards.iter().map(ToString::to_string).collect()
}

/// A pot. High and low halves that one player won are one win there.
fn pot_object(number: usize, pot: &PotPaid) -> Value {
    let mut wins: Vec<(u8, Chips)> = Vec::new();
    for share in &pot.won {
        match wins.iter_mut().find(|(seat, _)| *seat == share.seat) {
            Some((_, amount)) => *amount = amount.plus(share.amount).unwrap_or(*amount),
            None => wins.push((share.seat, share.amount)),
        }
    }
    let wins: Vec<Value> =
        wins.into_iter().map(|(seat, amount)| json!({ "player_id": seat, "win_amount": amount })).collect();
    json!({ "number": number, "amount": pot.amount, "rake": pot.rake, "player_wins": wins })
}
