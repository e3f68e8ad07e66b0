//! Counts of a book that show whether it leans to one side: who won what, whom voids saved, how rounds stood at
//! restarts, how rich changed shoes were, what players drew (spec/audit.md, "Statistics of a log").
//!
//! Owns: exact counts, bounded by players and tables. Does not own: chances, or what a small one means.

use super::table_after::TableAfter;
use super::{Results, VoidResult};
use fairshoe_fairness::{Card, PlayerId, TableId};
use fairshoe_games::{Ahead, Place, Reshuffle, RoundEvent};
use fairshoe_house::{Entry, Event, RetireCause, Table, VoidCause};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Scale of shares: parts of a million.
pub(super) const MILLION: i64 = 1_000_000;

/// Void rounds of one kind that a player was in, by how default play would have ended them for this player.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Missed {
    /// Rounds that they would have won, lost (`house`), or left as they were.
    pub voided: Results,
    /// The sum that they would have won in the first kind, minor units.
    pub cost: i64,
    /// The sum that they would have lost in the second.
    pub saved: i64,
}

impl Missed {
    fn count(&mut self, net: i64) {
        self.voided.count(net);
        let sum = if net < 0 { &mut self.saved } else { &mut self.cost };
        *sum = sum.saturating_add(net.saturating_abs());
    }
}

/// A player's rounds against the house, and what voids of each kind cost them or saved them. Cash tables are in none:
/// whoever plays few hands wins more of those that everybody calls to the end than of their own, and the pots are not
/// the house's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CostOfVoids {
    /// Settled rounds that they won, lost (`house`), or left as they were.
    pub settled: Results,
    /// Void by the house's doing.
    pub by_house: Missed,
    /// Void for want of a seed that came late.
    pub late_seeds: Missed,
    /// Refunded since the player stayed away.
    pub abandoned: Missed,
}

/// Hands of poker void by the house's doing that a player was still in, by how they would have ended had everybody
/// called.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandsVoided {
    /// How many.
    pub hands: u64,
    /// Those that they would have lost.
    pub lost: u64,
    /// How many they would have lost if each of the n who were still in won as often: the sum of 1 − 1/n, in
    /// millionths.
    pub due: i64,
    /// The sum that they would have lost, minor units.
    pub saved: i64,
    /// The sum that they would have won.
    pub cost: i64,
    /// Their winnings above the mean of those still in, summed over the hands, minor units.
    pub excess: i64,
    /// The same with each hand by its own standard deviation, in millionths: no hand counts for more than another,
    /// however large.
    pub even: i64,
    /// The variance of that sum, were each hand's results shuffled among those still in: minor units squared.
    #[serde(with = "as_text")]
    pub variance: u128,
}

/// For `#[serde(with)]`: a number that is larger than what JSON's readers keep exactly.
mod as_text {
    use serde::de::{Deserialize, Deserializer, Error};
    use serde::ser::Serializer;

    pub fn serialize<S: Serializer>(number: &u128, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(number)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u128, D::Error> {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}

/// Tournaments that were cancelled after they began and that a player had entered, by what each who had entered got; or
/// of which another player was disqualified, by who was still in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct EventsCancelled {
    /// How many.
    pub events: u64,
    /// How often they would have got most of all if each of the n who had entered did as often: the sum of 1 / n, in
    /// millionths; of disqualifications, of the share of the others who were still in.
    pub due: i64,
    /// What they got, in cents: part of the pool, bounties, prizes, fees; of disqualifications, how often they were
    /// still in.
    pub got: i64,
    /// What the choice gave them above the mean of those who had entered, summed over the events, in cents: in an event
    /// cancelled as of an earlier instant the change that it made, in any other the sum they got; for disqualifications
    /// in millionths.
    pub excess: i64,
    /// The variance of that sum, were what it gave shuffled among those who had entered: cents squared.
    #[serde(with = "as_text")]
    pub variance: u128,
}

/// Cards that a player's choices drew from shoes of which something was known.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Draws {
    /// How many.
    pub cards: u64,
    /// The sum of their tags (two to six 1, seven to nine 0, ten to ace −1) above what chance makes of it, in
    /// millionths.
    pub excess: i64,
    /// The variance of that sum, in millionths.
    pub variance: i64,
}

/// Whether more high cards or more low ones were left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Count {
    /// More high cards than low ones: good for players.
    pub rich: u64,
    /// More low ones.
    pub poor: u64,
    /// As many.
    pub even: u64,
}

impl Count {
    fn count(&mut self, low_shown: i64) {
        match low_shown.signum() {
            1 => self.rich += 1,
            -1 => self.poor += 1,
            _ => self.even += 1,
        }
    }
}

/// How rounds stood, by public faces and stakes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Standings {
    /// The players were ahead.
    pub players: u64,
    /// The house was.
    pub house: u64,
    /// Neither.
    pub level: u64,
}

impl Standings {
    fn count(&mut self, ahead: Ahead) {
        match ahead {
            Ahead::Players => self.players += 1,
            Ahead::House => self.house += 1,
            Ahead::Level | Ahead::Nobody => self.level += 1,
        }
    }
}

/// A table's rounds with a face out, after each of its entries and at each restart.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AtTable {
    /// After each entry that left the round open.
    pub stood: Standings,
    /// When the dealer was restarted.
    pub at_restarts: Standings,
}

/// Stakes of rounds under one rule set, and of those that were void for want of a seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Staked {
    /// Rounds whose bets closed.
    pub rounds: u64,
    /// The stakes in all rounds as they closed, minor units.
    pub staked: i64,
    /// Those void for want of a seed.
    pub withheld: u64,
    /// The stakes in them of players who had shown their seeds, or were not missing.
    pub staked_by_others: i64,
    /// The most that could have been won with it, had it met its best outcome; absent parts count as the stake itself.
    pub most: i64,
}

/// A player's stakes, and what they could have won in rounds that others' seeds were missing from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct StakedBy {
    /// Rounds whose bets closed with theirs.
    pub rounds: u64,
    /// Their stakes as the rounds closed, minor units.
    pub staked: i64,
    /// Those void for want of others' seeds and not of theirs.
    pub withheld: u64,
    /// The most that they could have won in these, as in [`Staked`].
    pub most: i64,
}

/// Everything that is counted for the question whether a log leans.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Leans {
    /// Each player's rounds and voids, by the kind of void, of all games but poker.
    pub costs: BTreeMap<PlayerId, CostOfVoids>,
    /// Each player's void hands of poker.
    pub hands: BTreeMap<PlayerId, HandsVoided>,
    /// Each player's tournaments that were cancelled in play.
    pub events: BTreeMap<PlayerId, EventsCancelled>,
    /// The same of disqualifications of others in their tournaments; what each gave is a share to whoever was still in.
    pub disqualified: BTreeMap<PlayerId, EventsCancelled>,
    /// Tables of poker, whose rounds are not among `costs`: their names stay theirs for ever.
    pub pots: BTreeSet<TableId>,
    /// Cards that each player's choices drew at tables whose shoes last several rounds.
    pub draws: BTreeMap<PlayerId, Draws>,
    /// The tables at which rounds stood open.
    pub tables: BTreeMap<TableId, AtTable>,
    /// Shoes that last several rounds, as they stood at each round's end.
    pub left_at_rounds: Count,
    /// The same shoes as they left the table, by cause.
    pub left_by_cause: BTreeMap<String, Count>,
    /// Stakes by rule set's name.
    pub staked: BTreeMap<String, Staked>,
    /// Stakes by player.
    pub staked_by: BTreeMap<PlayerId, StakedBy>,
}

/// Facts that are followed from entry to entry, by table.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Following {
    tables: HashMap<TableId, InPlay>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct InPlay {
    /// Each player's net win so far in the round.
    nets: Vec<(PlayerId, i64)>,
    /// Cards of the shoe that nobody has seen: low, neither, high; of blackjack's shoes that last several rounds.
    left: Option<[i64; 3]>,
    /// Low cards shown less high ones.
    low_shown: i64,
    /// Whether a card was shown of this shoe.
    used: bool,
}

/// 0 low, 1 neither, 2 high.
fn class(card: Card) -> usize {
    match card.rank() {
        2..=6 => 0,
        7..=9 => 1,
        _ => 2,
    }
}

fn tag(class: usize) -> i64 {
    1 - i64::try_from(class).unwrap_or(1)
}

impl InPlay {
    /// Takes in a face; what it drew, if a player's choice did.
    fn shown(&mut self, card: Card) -> Option<Draws> {
        let left = self.left.as_mut()?;
        let all: i64 = left.iter().sum();
        let [low, _, high] = *left;
        let class = class(card);
        let slot = left.get_mut(class).filter(|count| **count > 0)?;
        *slot -= 1;
        self.low_shown += tag(class);
        self.used = true;
        if all <= 0 {
            return None;
        }
        // A card of which nothing is known: its tag's mean is what is left, high and low, by all.
        let mean = (low - high) * MILLION / all;
        let variance = (low + high) * MILLION / all - mean * mean / MILLION;
        Some(Draws { cards: 1, excess: tag(class) * MILLION - mean, variance })
    }

    fn net(&mut self, player: &PlayerId, amount: i64) {
        match self.nets.iter_mut().find(|(name, _)| name == player) {
            Some((_, net)) => *net = net.saturating_add(amount),
            None => self.nets.push((player.clone(), amount)),
        }
    }
}

impl Leans {
    /// Takes in a restart: how the rounds stood that it met.
    pub(super) fn restarted(&mut self, stood: &[(TableId, Ahead)]) {
        for (table, ahead) in stood {
            self.tables.entry(table.clone()).or_default().at_restarts.count(*ahead);
        }
    }

    /// Takes in a table's entry, after it.
    pub(super) fn note(
        &mut self,
        following: &mut Following,
        id: &TableId,
        events: &[Event],
        table: Option<&TableAfter>,
    ) {
        let play = following.tables.entry(id.clone()).or_default();
        let mut drawer: Option<PlayerId> = None;
        for event in events {
            match event {
                Event::ShoeCommitted { composition, .. } => {
                    let lasting = table.is_some_and(|table| {
                        table.rules.table.reshuffle != Reshuffle::EveryRound && table.rules.high_cards_favour_players()
                    });
                    let count = |class_of: usize| {
                        let cards =
                            (0..Card::COUNT).filter_map(Card::from_code).filter(|card| class(*card) == class_of);
                        cards.map(|card| i64::from(composition.count_of(card))).sum::<i64>()
                    };
                    play.left = lasting.then(|| [count(0), count(1), count(2)]);
                    (play.low_shown, play.used) = (0, false);
                }
                Event::BetsClosed { .. } | Event::HandBegun { .. } => {
                    play.nets.clear();
                    if let Some(table) = table {
                        if table.rules.cash().is_some() {
                            self.pots.insert(id.clone());
                        }
                        let of_rules = self.staked.entry(table.rules.name.to_string()).or_default();
                        of_rules.rounds += 1;
                        for (player, staked) in event.entrants() {
                            let by = self.staked_by.entry(player.clone()).or_default();
                            by.rounds += 1;
                            by.staked = by.staked.saturating_add(staked);
                            of_rules.staked = of_rules.staked.saturating_add(staked);
                        }
                    }
                }
                Event::Play(RoundEvent::Acted { player, .. }) => drawer = Some(player.clone()),
                Event::Play(RoundEvent::Dealt { to, card: Some(card), .. }) => {
                    let drawn = play.shown(*card);
                    let chosen = drawer.take().filter(|_| matches!(to, Place::Hand { .. }));
                    if let (Some(drawn), Some(player)) = (drawn, chosen) {
                        let draws = self.draws.entry(player).or_default();
                        draws.cards += 1;
                        draws.excess = draws.excess.saturating_add(drawn.excess);
                        draws.variance = draws.variance.saturating_add(drawn.variance);
                    }
                }
                Event::Play(RoundEvent::Turned { card, .. }) => {
                    play.shown(*card);
                }
                Event::Play(RoundEvent::Paid { lines }) => {
                    for line in lines {
                        play.net(&line.player, line.returned.signed().saturating_sub(line.stake.signed()));
                    }
                }
                Event::Play(ended) if ended.hand_result().is_some() => {
                    for seat in ended.hand_result().iter().flat_map(|hand| hand.seats) {
                        play.net(&seat.player, seat.got.signed().saturating_sub(seat.put_in.signed()));
                    }
                }
                Event::RoundSettled { .. } => {
                    let of_house = !self.pots.contains(id);
                    for (player, net) in std::mem::take(&mut play.nets) {
                        if of_house {
                            self.costs.entry(player).or_default().settled.count(net);
                        }
                    }
                    if play.used {
                        self.left_at_rounds.count(play.low_shown);
                    }
                }
                Event::RoundVoided { .. } => play.nets.clear(),
                Event::ShoeRevealed { cause: Some(cause), .. } if play.used => {
                    self.left_by_cause.entry(word(*cause)).or_default().count(play.low_shown);
                    (play.left, play.used) = (None, false);
                }
                Event::TableClosed {} => {
                    (play.left, play.used) = (None, false);
                }
                _ => {}
            }
        }
        match table {
            Some(table) => {
                if let Some(ahead) = table.standing {
                    self.tables.entry(id.clone()).or_default().stood.count(ahead);
                }
            }
            None => {
                following.tables.remove(id);
            }
        }
    }

    /// Takes in a tournament that was cancelled in play, by what each who had entered got, and what the choice of the
    /// instant gave them.
    pub(super) fn cancelled(&mut self, got: &[(PlayerId, i64, i64)]) {
        fell(&mut self.events, got, 1);
    }

    /// Takes in a disqualification, by who of the others was still in.
    pub(super) fn disqualified(&mut self, beside: &[(PlayerId, i64, i64)]) {
        let left = beside.iter().map(|(_, left, _)| left).sum();
        fell(&mut self.disqualified, beside, left);
    }

    /// Takes in a round that was void for want of seeds, or of which a pile failed for it: what others had staked, and
    /// what it could have won.
    pub(super) fn withheld(&mut self, round: WithheldRound) {
        let of_rules = self.staked.entry(round.rules).or_default();
        of_rules.withheld += 1;
        for (player, staked, most) in round.at_stake {
            let by = self.staked_by.entry(player).or_default();
            by.withheld += 1;
            by.most = by.most.saturating_add(most);
            of_rules.staked_by_others = of_rules.staked_by_others.saturating_add(staked);
            of_rules.most = of_rules.most.saturating_add(most);
        }
    }

    /// Takes in what became of a void.
    pub(super) fn void(&mut self, void: &VoidResult) {
        if self.pots.contains(&void.table) {
            return self.void_hand(void);
        }
        for (player, net) in &void.nets {
            let costs = self.costs.entry(player.clone()).or_default();
            let missed = match void.cause {
                VoidCause::Crash | VoidCause::Malfunction | VoidCause::ShoeExhausted => &mut costs.by_house,
                VoidCause::RevealMissing => &mut costs.late_seeds,
                VoidCause::Abandoned => &mut costs.abandoned,
            };
            missed.count(*net);
        }
    }

    /// Takes in the end of a void hand of poker. Players who folded had lost already, whatever they held: the void does
    /// not count for them.
    fn void_hand(&mut self, void: &VoidResult) {
        if !void.cause.is_by_house() {
            return;
        }
        let contested = void.nets.iter().filter(|(player, _)| void.contested_by.contains(player));
        let nets: Vec<(&PlayerId, i128)> = contested.map(|(player, net)| (player, i128::from(*net))).collect();
        let Ok(still_in @ 2..) = i64::try_from(nets.len()) else { return };
        let (n, sum) = (i128::from(still_in), nets.iter().map(|(_, net)| net).sum::<i128>());
        let squares = nets.iter().map(|(_, net)| (net * n - sum).unsigned_abs().pow(2)).sum::<u128>();
        for (player, net) in nets {
            let of_player = self.hands.entry(player.clone()).or_default();
            let lost = net < 0;
            let amount = i64::try_from(net.abs()).unwrap_or(i64::MAX);
            of_player.hands += 1;
            of_player.lost += u64::from(lost);
            of_player.due = of_player.due.saturating_add(MILLION - MILLION / still_in);
            let sum_of = if lost { &mut of_player.saved } else { &mut of_player.cost };
            *sum_of = sum_of.saturating_add(amount);
            of_player.excess = of_player.excess.saturating_add(i64::try_from((net * n - sum) / n).unwrap_or_default());
            of_player.variance = of_player.variance.saturating_add(squares / n.unsigned_abs().pow(3));
            let deviation = i128::try_from((squares / n.unsigned_abs()).isqrt()).unwrap_or(i128::MAX).max(1);
            let even = (net * n - sum) * i128::from(MILLION) / deviation;
            of_player.even = of_player.even.saturating_add(i64::try_from(even).unwrap_or_default());
        }
    }
}

/// Counts what a choice gave to each player who had entered a tournament; so many of them got most.
fn fell(of_players: &mut BTreeMap<PlayerId, EventsCancelled>, got: &[(PlayerId, i64, i64)], most: i64) {
    let Ok(entered @ 2..) = i64::try_from(got.len()) else { return };
    let n = i128::from(entered);
    let sum = got.iter().map(|(.., given)| i128::from(*given)).sum::<i128>();
    let squares = got.iter().map(|(.., given)| (i128::from(*given) * n - sum).unsigned_abs().pow(2)).sum::<u128>();
    for (player, amount, given) in got {
        let of_player = of_players.entry(player.clone()).or_default();
        of_player.events += 1;
        of_player.due = of_player.due.saturating_add(MILLION * most / entered);
        of_player.got = of_player.got.saturating_add(*amount);
        let excess = (i128::from(*given) * n - sum) / n;
        of_player.excess = of_player.excess.saturating_add(i64::try_from(excess).unwrap_or_default());
        of_player.variance = of_player.variance.saturating_add(squares / n.unsigned_abs().pow(3));
    }
}

/// A round that ended for want of seeds, as it stood then.
pub(super) struct WithheldRound {
    /// The rule set's name.
    rules: String,
    /// The players not missing, their stakes, and the most that these could have won.
    at_stake: Vec<(PlayerId, i64, i64)>,
}

/// The rounds at a table, as it stood before an entry, that ended in it for want of seeds.
pub(super) fn withheld(table: &Table, entry: &Entry) -> Vec<WithheldRound> {
    let missing = entry.events.iter().filter_map(|event| match event {
        Event::RoundVoided { cause: VoidCause::RevealMissing, missing, .. } | Event::PileFailed { missing, .. } => {
            Some(missing)
        }
        _ => None,
    });
    let round = |missing: &Vec<PlayerId>| {
        let round = table.live_round()?;
        let others = round.contributors.iter().filter(|c| !missing.contains(&c.placed.player));
        let at_stake = others.map(|contributor| {
            let sums = contributor.placed.bets.iter().fold((0i64, 0i64), |(staked, most), bet| {
                let stake = bet.stake.signed();
                let won = stake.saturating_mul(table.rules.most_won(bet, round.contributors.len()));
                (staked.saturating_add(stake), most.saturating_add(won))
            });
            (contributor.placed.player.clone(), sums.0, sums.1)
        });
        Some(WithheldRound { rules: table.rules.name.to_string(), at_stake: at_stake.collect() })
    };
    missing.filter_map(round).collect()
}

/// The side that is ahead in a table's round with a face out.
pub(super) fn standing(table: &Table) -> Option<Ahead> {
    let round = table
        .live_round()
        .filter(|round| round.exposed && matches!(round.phase, fairshoe_house::Phase::Open { .. }))?;
    Some(round.game.ahead())
}

/// The word that the log has for it.
fn word(cause: RetireCause) -> String {
    serde_json::to_value(cause).ok().and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sum of the draws of a player who takes every third card of 300 shoes of six packs, or just the high ones.
    fn drawn(told: bool) -> Draws {
        let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut below = |bound: usize| {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            (state % bound as u64) as usize
        };
        let mut sum = Draws::default();
        for _ in 0..300 {
            let mut deck: Vec<Card> = (0..6).flat_map(|_| (0..Card::COUNT).filter_map(Card::from_code)).collect();
            for at in (1..deck.len()).rev() {
                deck.swap(at, below(at + 1));
            }
            let mut play = InPlay { left: Some([120, 72, 120]), ..InPlay::default() };
            for (number, card) in deck.into_iter().take(200).enumerate() {
                let one = play.shown(card).unwrap();
                if if told { class(card) == 2 } else { number % 3 == 0 } {
                    sum.cards += 1;
                    sum.excess += one.excess;
                    sum.variance += one.variance;
                }
            }
            assert_eq!(play.left.unwrap().iter().sum::<i64>(), 112);
        }
        sum
    }

    #[test]
    fn draws_in_the_dark_add_up_to_nothing_and_told_ones_do_not() {
        let squared =
            |draws: Draws| i128::from(draws.excess).pow(2) / (i128::from(draws.variance) * i128::from(MILLION));
        assert!(squared(drawn(false)) < 16, "{:?}", drawn(false));
        let told = drawn(true);
        assert!(squared(told) > 1_000 && told.excess < 0, "{told:?}");
    }

    /// Three are in, of whom bob folded: alice wins bob's 40 and 100 of carol, less a rake of 10.
    #[test]
    fn a_void_hand_counts_for_those_still_in_by_their_own_results_against_the_mean() {
        let name = |text: &str| PlayerId::parse(text).unwrap();
        let table = TableId::parse("t1").unwrap();
        let nets = vec![(name("alice"), 130), (name("bob"), -40), (name("carol"), -100)];
        let contested_by = vec![name("alice"), name("carol")];
        let void = |cause| VoidResult {
            entry: 9,
            table: table.clone(),
            round_no: 0,
            cause,
            ahead: Ahead::Nobody,
            default_play_net: Some(-10),
            nets: nets.clone(),
            contested_by: contested_by.clone(),
            not_computable: None,
        };
        let mut leans = Leans { pots: [table.clone()].into(), ..Leans::default() };
        leans.void(&void(VoidCause::RevealMissing));
        assert!(leans.hands.is_empty(), "a seed that stays away is not the house's doing");
        leans.void(&void(VoidCause::Crash));
        leans.void(&void(VoidCause::Malfunction));
        let both = HandsVoided {
            hands: 2,
            lost: 0,
            due: 1_000_000,
            saved: 0,
            cost: 260,
            excess: 230,
            even: 2_000_000,
            variance: 2 * 115 * 115,
        };
        let carol = HandsVoided { lost: 2, saved: 200, cost: 0, excess: -230, even: -2_000_000, ..both };
        assert_eq!(leans.hands, BTreeMap::from([(name("alice"), both), (name("carol"), carol)]));
        assert!(leans.costs.is_empty());
        // A pot that comes back to both as it was is no loss of anybody's; one who is left alone had won it, whatever
        // the cards.
        let even = VoidResult { nets: vec![(name("alice"), 0), (name("carol"), 0)], ..void(VoidCause::Crash) };
        let alone =
            VoidResult { contested_by: vec![name("dave")], nets: vec![(name("dave"), 40)], ..void(VoidCause::Crash) };
        leans.void(&even);
        leans.void(&alone);
        assert_eq!(leans.hands[&name("carol")], HandsVoided { hands: 3, due: 1_500_000, ..carol });
        assert!(!leans.hands.contains_key(&name("dave")));
        let saved: HandsVoided = serde_json::from_str(&serde_json::to_string(&carol).unwrap()).unwrap();
        assert_eq!(saved, carol);
    }

    #[test]
    fn a_shoe_is_rich_when_low_cards_were_shown() {
        let mut count = Count::default();
        [3, -1, 0].into_iter().for_each(|low_shown| count.count(low_shown));
        assert_eq!(count, Count { rich: 1, poor: 1, even: 1 });
        assert_eq!(
            ["2c", "6d", "7h", "9s", "Tc", "Ah"].map(|text| tag(class(text.parse().unwrap()))),
            [1, 1, 0, 0, -1, -1]
        );
    }
}
