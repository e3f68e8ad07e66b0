//! Shared tables: seats, windows, several players' seeds, cards wished for by lane.

use super::*;
use fairshoe_fairness::{Lanes, SeedCommitment};
use fairshoe_games::{Decision, Limit};
use fairshoe_house::{OpenRound, TableKind};

pub const SECOND: u64 = 1_000;

/// No pause between rounds, and five minutes for a seat: what tests play at, unless they say otherwise.
const UNHURRIED: [(&str, &str); 2] = [("between_hands_ms", "null"), ("away_ms", "null")];

/// A shipped rule set with options, rounds following each other at once.
pub fn rules(name: &str, options: &[(&str, &str)]) -> RuleSet {
    RuleSet::shipped(name).unwrap().with_options(UNHURRIED.iter().chain(options).copied()).unwrap()
}

/// The cards that lie before each lane: `deck.card(lane, t)` is draw t of that lane, as long as no lane runs over.
pub struct Deck<'d> {
    order: &'d [fairshoe_fairness::Slot],
    lanes: usize,
    faces: &'d HouseShoe,
}

impl Deck<'_> {
    pub fn card(&self, lane: usize, t: usize) -> Card {
        self.faces.card(self.order[t * self.lanes + lane]).unwrap()
    }

    /// The card's value, an ace being 1.
    pub fn value(&self, lane: usize, t: usize) -> u16 {
        card_value(self.card(lane, t))
    }
}

impl House {
    /// A started house with `t1` of these rules, and these players with a million each.
    pub fn shared(name: &str, options: &[(&str, &str)], players: &[&str]) -> House {
        let mut house = House::new();
        for who in players {
            house.add_player(who, 1_000_000);
        }
        house.open_rules("t1", rules(name, options));
        house
    }

    /// An operator's table of any rules, with its first shoe.
    pub fn open_rules(&mut self, at: &str, rules: RuleSet) {
        self.give(&Actor::Operator, Command::OpenTable { table: table(at), rules, replaces: None }).unwrap();
        self.run_due();
    }

    /// A player's own table, with its first shoe.
    pub fn open_own(&mut self, who: &str, at: &str, rules: RuleSet) {
        self.give(&by(who), Command::OpenTable { table: table(at), rules, replaces: None }).unwrap();
        self.run_due();
    }

    pub fn sit(&mut self, at: &str, who: &str, seat: u8) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::TakeSeat { table: table(at), seat })
    }

    /// These players sit on seats 1, 2 …, and the window opens.
    pub fn sit_all(&mut self, at: &str, players: &[&str]) {
        for (seat, who) in (1..).zip(players) {
            self.sit(at, who, seat).unwrap();
        }
        self.run_due();
    }

    /// A wish for the next round, at a cash table for the next hand.
    pub fn ask(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        let is_cash = self.state.table(&table(at)).is_some_and(|table| table.kind() == TableKind::Cash);
        let command = match is_cash {
            true => Command::SitIn { table: table(at), entry: None, straddle: None },
            false => Command::AskToPlay { table: table(at) },
        };
        self.give(&by(who), command)
    }

    pub fn leave(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        self.give(&by(who), Command::LeaveSeat { table: table(at) })
    }

    /// The number that a seed is for now: of a pile's shuffle, a live round, an open window, or the next round.
    pub fn seed_number(&self, at: &str) -> u64 {
        let at = self.table(at);
        match at.live_round() {
            Some(OpenRound { pile: Some(pile), .. }) => pile.round_no,
            Some(round) => round.round_no,
            None => at.next_round,
        }
    }

    /// A player's seed for what the table is at, derived as a client should.
    pub fn seed_for(&self, at: &str, who: &str) -> ClientSeed {
        self.seed_of(at, who, self.seed_number(at))
    }

    /// The same for a round of this number.
    pub fn seed_of(&self, at: &str, who: &str, number: u64) -> ClientSeed {
        self.seed_in(&self.context(at), who, number)
    }

    /// The same in an epoch that may be over.
    pub fn seed_in(&self, context: &TableContext, who: &str, number: u64) -> ClientSeed {
        let mut secret = [0x21; 32];
        secret[..who.len().min(32)].copy_from_slice(&who.as_bytes()[..who.len().min(32)]);
        derive_client_seed(self.secrets.get(who).unwrap_or(&secret), context, number)
    }

    pub fn commitment_for(&self, at: &str, who: &str) -> SeedCommitment {
        seed_commitment(&self.context(at), self.seed_number(at), &player(who), &self.seed_for(at, who))
    }

    /// The commitment to a seed for a round that is still to come.
    pub fn commitment_of(&self, at: &str, who: &str, number: u64) -> SeedCommitment {
        seed_commitment(&self.context(at), number, &player(who), &self.seed_of(at, who, number))
    }

    pub fn place_command(&self, at: &str, who: &str, bets: &[(&str, u64)]) -> Command {
        let bets =
            bets.iter().map(|(spot, stake)| Bet { spot: (*spot).into(), stake: chips(*stake), chips: None }).collect();
        Command::Bet {
            table: table(at),
            round_no: self.seed_number(at),
            bets,
            commitment: self.commitment_for(at, who),
        }
    }

    pub fn place_bets(&mut self, at: &str, who: &str, bets: &[(&str, u64)]) -> Result<Entry, DecideError> {
        let command = self.place_command(at, who, bets);
        self.give(&by(who), command)
    }

    /// Everyone's stake on the spot of their seat.
    pub fn place_all(&mut self, at: &str, players: &[&str], stake: u64) {
        for who in players {
            let seat = self.table(at).seat_of(&player(who)).unwrap().to_string();
            self.place_bets(at, who, &[(&seat, stake)]).unwrap();
        }
    }

    pub fn cancel(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        let round_no = self.table(at).next_round;
        self.give(&by(who), Command::CancelBet { table: table(at), round_no })
    }

    /// "No more bets", by whom it may be.
    pub fn close(&mut self, at: &str, by: &Actor) -> Result<Entry, DecideError> {
        let round_no = self.table(at).next_round;
        self.give(by, Command::CloseBets { table: table(at), round_no })
    }

    pub fn show(&mut self, at: &str, who: &str) -> Result<Entry, DecideError> {
        let seed = self.seed_for(at, who);
        let command = Command::Reveal {
            table: table(at),
            round_no: self.seed_number(at),
            player: player(who),
            seed,
            saw: None,
            next: None,
        };
        self.give(&Actor::Anyone, command)
    }

    /// Those whose seeds or commitments are awaited.
    pub fn awaited(&self, at: &str) -> Vec<String> {
        let Some(round) = self.table(at).live_round() else { return Vec::new() };
        match &round.pile {
            Some(pile) => pile.missing().iter().map(ToString::to_string).collect(),
            None => {
                round.contributors.iter().filter(|c| c.seed.is_none()).map(|c| c.placed.player.to_string()).collect()
            }
        }
    }

    /// Every seed of the round comes out; the last reply, which deals.
    pub fn show_all(&mut self, at: &str) -> Entry {
        let mut last = None;
        for who in self.awaited(at) {
            last = Some(self.show(at, &who).unwrap());
        }
        last.expect("no seed was awaited")
    }

    /// Bets placed, closed at once, all seeds out.
    pub fn deal_all(&mut self, at: &str, players: &[&str], stake: u64) -> Entry {
        self.place_all(at, players, stake);
        self.close(at, &Actor::Operator).unwrap();
        self.show_all(at)
    }

    pub fn open_decisions(&self, at: &str) -> Vec<Decision> {
        self.table(at).live_round().map(|round| round.game.open_decisions()).unwrap_or_default()
    }

    /// Whose turn it is.
    pub fn asked(&self, at: &str) -> Vec<String> {
        self.open_decisions(at).iter().map(|open| open.player.to_string()).collect()
    }

    /// A choice at the player's first open decision.
    pub fn choose(&mut self, at: &str, who: &str, action: Action) -> Result<Entry, DecideError> {
        let open = self
            .open_decisions(at)
            .into_iter()
            .find(|open| open.player == player(who))
            .expect("the player is asked nothing");
        let round_no = self.table(at).live_round().unwrap().round_no;
        self.give(&by(who), Command::Act { table: table(at), round_no, decision: open.number, action })
    }

    /// The players themselves choose what default play would, until the round is over or a pile is to be shuffled.
    pub fn play_out(&mut self, at: &str) {
        while let Some(open) = self.open_decisions(at).into_iter().next() {
            let round = self.table(at).live_round().unwrap();
            let RoundEvent::Acted { action, .. } = round.game.default_play(open.number).unwrap() else {
                panic!("no action")
            };
            let act = Command::Act { table: table(at), round_no: round.round_no, decision: open.number, action };
            self.give(&Actor::Player(open.player), act).unwrap();
        }
    }

    /// A whole round of these players, one bet each on their seat's spot; the window is open.
    pub fn whole_round(&mut self, at: &str, players: &[&str], stake: u64) {
        self.deal_all(at, players, stake);
        self.play_out(at);
        self.run_due();
    }

    /// A whole round of these players, 100 each on the spot named; the window is open.
    pub fn whole_round_on(&mut self, at: &str, bets: &[(&str, &str)]) {
        for (who, spot) in bets {
            self.place_bets(at, who, &[(spot, 100)]).unwrap();
        }
        self.run_due();
        self.show_all(at);
        self.run_due();
    }

    /// Sets the last player's secret so that the round dealt to all of them has the cards wished for. `lanes` as in the
    /// round.
    #[track_caller]
    pub fn wish_for(&mut self, at: &str, players: &[&str], lanes: usize, want: impl Fn(&Deck<'_>) -> bool) {
        let id = self.table(at).shoe.as_ref().unwrap().id.clone();
        let faces = self.seeds.derive(&id, 0).1;
        let root = self.table(at).shoe.as_ref().unwrap().candidates[0].root;
        let undrawn = self.table(at).shoe.as_ref().unwrap().undrawn.clone();
        let number = self.seed_number(at);
        let mut sorted: Vec<&str> = players.to_vec();
        sorted.sort_unstable();
        let last = *players.last().unwrap();
        let mut seeds: Vec<_> = sorted.iter().map(|who| (player(who), self.seed_for(at, who))).collect();
        for n in 0..200_000u32 {
            let mut secret = [0x5e; 32];
            secret[..4].copy_from_slice(&n.to_be_bytes());
            let seed = derive_client_seed(&secret, &id.context, number);
            seeds.iter_mut().find(|(who, _)| *who == player(last)).unwrap().1 = seed;
            let entropy = round_entropy(&id.context, id.shoe_no, &[root], number, &seeds).unwrap();
            let order = PublicShuffle::new(&entropy, 1, &undrawn).order;
            if want(&Deck { order: &order, lanes, faces: &faces }) {
                self.secrets.insert(last.to_owned(), secret);
                return;
            }
        }
        panic!("no such deal in 200,000");
    }

    /// What the open round's lanes draw next, and what is drawn.
    pub fn lanes(&self, at: &str) -> Lanes {
        self.table(at).round.as_ref().unwrap().lanes.clone().unwrap()
    }

    /// Every chip is somewhere: what these players, the house and the table hold, and what was paid in.
    pub fn assert_conserved(&self) {
        assert_eq!(self.state.ledger().total(), 0);
        let players = self.state.ledger().players_total();
        let tables: i64 = self.state.tables().map(|at| self.escrow(at.id.as_str())).sum();
        let cage = self.state.ledger().balance(&Account::Cage).unwrap();
        assert_eq!(players + i128::from(tables + self.house_balance()), i128::from(-cage));
    }
}

/// The only event of its kind in an entry.
#[track_caller]
pub fn the<'e, T>(entry: &'e Entry, what: impl Fn(&'e Event) -> Option<T>) -> T {
    let mut found: Vec<T> = entry.events.iter().filter_map(what).collect();
    assert_eq!(found.len(), 1, "{:?}", names_of(entry));
    found.remove(0)
}

/// `2` or `unlimited`, as a rule set has it.
pub fn limit(count: u32) -> Limit {
    Limit::AtMost(count)
}
