//! What the entries of a log say of rounds: stakes and returns, spins, outcomes, voids, and which slots were drawn.

use super::exact::{bet_odds, kind_of_bet, law};
use super::repeats::Repeats;
use super::returns::{Returns, RoundSums};
use super::shoes::{Receiver, WheelValues};
use fairshoe_fairness::{Card, Composition, PlayerId, Slot, TableId};
use fairshoe_games::{Ahead, Edge, Place, RoundEvent, RuleSet, Settlement};
use fairshoe_house::{Entry, Event, VoidCause, is_for_play};
use fairshoe_judge::audit::{Leans, VoidResult};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What was drawn of a shoe, in order, and of which candidate.
#[derive(Clone, Debug, Default)]
pub struct Drawn {
    /// The candidate that was dealt.
    pub pick: u8,
    /// The slots, each with who got it.
    pub slots: Vec<(Slot, Receiver)>,
}

/// The rounds under one rule set.
#[derive(Debug)]
pub struct OfRuleSet {
    /// The rule set that the rounds were played by.
    pub rules: RuleSet,
    /// The digest of those rules, as the log has it.
    pub digest: String,
    /// Tables that had them.
    pub tables: u64,
    /// What came back, over all bets.
    pub returns: Returns,
    /// The same by kind of bet, where bets are of several kinds.
    pub by_kind: BTreeMap<&'static str, Returns>,
}

/// Who was ahead when something happened: nobody, level, the players, the house.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct AheadCounts {
    /// No card decided anything yet.
    pub nobody: u64,
    /// Evenly matched.
    pub level: u64,
    /// The players together were ahead of the house.
    pub players: u64,
    /// The house was ahead of the players together.
    pub house: u64,
}

impl AheadCounts {
    fn count(&mut self, ahead: Ahead) {
        match ahead {
            Ahead::Nobody => self.nobody += 1,
            Ahead::Level => self.level += 1,
            Ahead::Players => self.players += 1,
            Ahead::House => self.house += 1,
        }
    }
}

/// What became of a table's rounds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ended {
    /// Rounds that were played to their end and paid.
    pub settled: u64,
    /// Void, for any cause.
    pub voids: u64,
    /// Void because a seed was not revealed.
    pub withheld: u64,
}

impl Ended {
    /// All of them.
    pub fn rounds(self) -> u64 {
        self.settled + self.voids
    }
}

/// The seeds that a player was asked for, once their commitment bound: for rounds, hands and the shuffles of new piles.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SeedsAsked {
    /// How many.
    pub asked: u64,
    /// Those that were missing when their time was up.
    pub withheld: u64,
    /// Those of the missing that came later.
    pub late: u64,
}

/// How a round would have ended by default play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Finished {
    /// The players would have won.
    pub players: u64,
    /// The house would have won.
    pub house: u64,
    /// Nobody would have.
    pub level: u64,
    /// Cannot be computed.
    pub not_computable: u64,
    /// What the players would have won, in all, minor units.
    pub net: i64,
}

#[derive(Default)]
struct AtTable {
    rule_set: usize,
    /// Whether it is a tournament's, whose chips are no money.
    is_of_event: bool,
    ended: Ended,
    /// The shoe that is dealt from, and the pile that is being shuffled to follow it.
    shoe_no: u64,
    next_pile: u64,
    /// Whether that pile's commitments are in: who is missing from it now withholds a seed.
    awaits_pile_seeds: bool,
    /// What was drawn of shoes whose seeds are not out.
    drawn: BTreeMap<u64, Drawn>,
    live: Live,
}

/// The round that is in play.
#[derive(Default)]
struct Live {
    opening: i64,
    lines: Vec<Settlement>,
    /// The cards that lie open, where they alone decide.
    dealt: Vec<(Place, Card)>,
    /// The first card of each box that waits for its second; nothing once it has come.
    boxes: BTreeMap<u8, Option<Card>>,
}

/// The counters over a log's entries; memory is bounded by tables, players and the shoes in use.
#[derive(Default)]
pub struct Rounds {
    rule_sets: Vec<OfRuleSet>,
    by_digest: HashMap<String, usize>,
    /// By name: a log that holds never opens one of the same name again, also not after it was closed.
    tables: BTreeMap<TableId, AtTable>,
    seeds: HashMap<PlayerId, SeedsAsked>,
    revealed: HashMap<(TableId, u64), Drawn>,
    /// The pockets of all spins.
    pub spins: WheelValues,
    /// Outcomes that cards alone decide, by packs and by the ways in which a fresh shoe comes to each of them.
    pub coups: BTreeMap<(u8, Vec<u64>), Vec<u64>>,
    /// First two cards of boxes by packs: how many hands, how many of them a natural.
    pub naturals: BTreeMap<u8, (u64, u64)>,
    /// How rounds stood between one entry and the next, once faces were out.
    pub standing: AheadCounts,
    /// How they stood when the house's side ended them: a malfunction, a crash, a shoe that ran out.
    pub voided_by_house: AheadCounts,
    /// How they stood when a player was missing: a seed withheld, a hand left.
    pub voided_by_absence: AheadCounts,
    /// Voids by the log's word for their cause.
    pub voids_by_cause: BTreeMap<String, u64>,
    /// How voids would have ended.
    pub finished: Finished,
    /// Rounds for play chips: they are in none of the other counts, which a house could let guests make look fair.
    pub for_play: u64,
    /// Settled rounds for chips of tournaments: their cards count as all do, and their chips in no sum.
    pub for_events: u64,
    /// Shuffles of a new pile that did not come about.
    pub piles_failed: u64,
    /// Values that must not come twice.
    pub repeats: Repeats,
    /// What the book counted of voids, restarts, changes of shoes and draws.
    pub leans: Leans,
}

/// How much of a rule set's digest is shown at least.
const SHORT_DIGEST: usize = 8;

/// Most lines, or cards, of one round that are looked at: far above what a rule set allows.
const MOST_LINES: usize = 4_096;

impl Rounds {
    /// Takes in who is ahead in a round that goes on after an entry and of which a face is out: what a void at a moment
    /// without any reason would meet.
    pub fn stands(&mut self, ahead: Ahead) {
        self.standing.count(ahead);
    }

    /// Takes in an entry.
    pub fn note(&mut self, entry: &Entry) {
        if entry.command.table().is_some_and(is_for_play) {
            let begins = |event: &&Event| matches!(event, Event::BetsClosed { .. } | Event::HandBegun { .. });
            self.for_play += entry.events.iter().filter(begins).count() as u64;
            return;
        }
        for event in &entry.events {
            match (event, entry.command.table()) {
                (Event::TableOpened { rules, digest, event, .. }, Some(table)) => {
                    self.opened(table, rules, digest, event.is_some());
                }
                (event, Some(table)) => self.at_table(table, event),
                _ => {}
            }
        }
    }

    fn opened(&mut self, table: &TableId, rules: &RuleSet, digest: &str, is_of_event: bool) {
        let rule_set = *self.by_digest.entry(digest.to_owned()).or_insert(self.rule_sets.len());
        if rule_set == self.rule_sets.len() {
            let (rules, digest) = (rules.clone(), digest.to_owned());
            self.rule_sets.push(OfRuleSet {
                rules,
                digest,
                tables: 0,
                returns: Returns::default(),
                by_kind: BTreeMap::new(),
            });
        }
        self.rule_sets[rule_set].tables += 1;
        self.tables.insert(table.clone(), AtTable { rule_set, is_of_event, ..AtTable::default() });
    }

    fn at_table(&mut self, id: &TableId, event: &Event) {
        self.seeds(id, event);
        let Some(table) = self.tables.get_mut(id) else { return };
        match event {
            Event::ShoeCommitted { candidates, .. } => {
                candidates.iter().for_each(|shoe| self.repeats.root(shoe.root.as_bytes()))
            }
            Event::SeedRevealed { seed, .. } => self.repeats.client_seed(seed.as_bytes()),
            Event::BetsClosed { shoe_no, .. } | Event::HandBegun { shoe_no, .. } => {
                table.shoe_no = *shoe_no;
                // Of an earlier shoe nothing more is dealt; what is left here was sealed.
                table.drawn.retain(|number, _| number >= shoe_no);
                let stakes = event.entrants().into_iter().map(|(_, staked)| staked);
                table.live = Live { opening: stakes.fold(0, i64::saturating_add), ..Live::default() };
            }
            Event::RoundOpened { pick, others, .. } => {
                table.drawn.entry(table.shoe_no).or_default().pick = *pick;
                others.iter().for_each(|seed| self.repeats.server_seed(seed.as_bytes()));
            }
            Event::PileOpened { shoe_no, .. } => table.next_pile = *shoe_no,
            Event::PileShuffled { pick, .. } => {
                table.shoe_no = table.next_pile;
                table.drawn.entry(table.shoe_no).or_default().pick = *pick;
            }
            Event::PileFailed { .. } => self.piles_failed += 1,
            Event::ShoeRevealed { shoe_no, seeds, .. } => {
                seeds.iter().for_each(|seed| self.repeats.server_seed(seed.as_bytes()));
                if let Some(drawn) = table.drawn.remove(shoe_no) {
                    self.revealed.insert((id.clone(), *shoe_no), drawn);
                }
            }
            Event::RoundSettled { staked, returned, .. } => {
                let sums = RoundSums {
                    opening: table.live.opening,
                    staked: staked.signed(),
                    returned: returned.signed(),
                    law: None,
                };
                self.settled(id, sums);
            }
            Event::RoundVoided { cause, ahead, .. } => {
                table.ended.voids += 1;
                let word = serde_json::to_value(cause).ok().and_then(|word| word.as_str().map(str::to_owned));
                *self.voids_by_cause.entry(word.unwrap_or_default()).or_default() += 1;
                table.ended.withheld += u64::from(*cause == VoidCause::RevealMissing);
                match cause {
                    VoidCause::RevealMissing | VoidCause::Abandoned => self.voided_by_absence.count(*ahead),
                    VoidCause::Crash | VoidCause::Malfunction | VoidCause::ShoeExhausted => {
                        self.voided_by_house.count(*ahead)
                    }
                }
                table.live = Live::default();
            }
            Event::TableClosed {} => {
                table.drawn.clear();
                table.live = Live::default();
            }
            Event::Play(play) => self.play(id, play),
            _ => {}
        }
    }

    /// Counts whose seeds are asked for, and whose are missing.
    fn seeds(&mut self, id: &TableId, event: &Event) {
        let Some(table) = self.tables.get_mut(id) else { return };
        let mut count = |player: &PlayerId, add: fn(&mut SeedsAsked) -> &mut u64| {
            *add(self.seeds.entry(player.clone()).or_default()) += 1;
        };
        match event {
            Event::BetsClosed { contributors, .. } => {
                contributors.iter().for_each(|one| count(&one.player, |seeds| &mut seeds.asked));
            }
            Event::HandBegun { contributors, .. } => {
                contributors.iter().for_each(|one| count(&one.player, |seeds| &mut seeds.asked));
            }
            Event::PileClosed { contributors, .. } => {
                contributors.iter().for_each(|one| count(&one.player, |seeds| &mut seeds.asked));
                table.awaits_pile_seeds = true;
            }
            Event::RoundVoided { missing, .. } => {
                missing.iter().for_each(|player| count(player, |seeds| &mut seeds.withheld));
            }
            Event::PileFailed { missing, .. } if table.awaits_pile_seeds => {
                missing.iter().for_each(|player| count(player, |seeds| &mut seeds.withheld));
                table.awaits_pile_seeds = false;
            }
            Event::PileOpened { .. } | Event::PileShuffled { .. } => table.awaits_pile_seeds = false,
            Event::SeedLate { player, .. } => count(player, |seeds| &mut seeds.late),
            _ => {}
        }
    }

    fn play(&mut self, id: &TableId, play: &RoundEvent) {
        let Some(table) = self.tables.get_mut(id) else { return };
        match play {
            RoundEvent::Spun { pocket, .. } => {
                // Throws of dice are told by their returns alone.
                let set = self.rule_sets.get(table.rule_set);
                if set.is_some_and(|set| matches!(set.rules.composition(), Composition::Wheel(_))) {
                    self.spins.push(*pocket);
                }
            }
            RoundEvent::Paid { lines } if table.live.lines.len() < MOST_LINES => {
                table.live.lines.extend_from_slice(lines)
            }
            RoundEvent::Dealt { slot, to, card, .. } => {
                let receiver = if *to == Place::Dealer { Receiver::Dealer } else { Receiver::Players };
                table.drawn.entry(table.shoe_no).or_default().slots.push((*slot, receiver));
                let (Some(card), Some(set)) = (card, self.rule_sets.get(table.rule_set)) else { return };
                match (set.rules.edge(), to) {
                    (Edge::OfBets(_), _) if table.live.dealt.len() < MOST_LINES => table.live.dealt.push((*to, *card)),
                    (Edge::OfPlay(odds), Place::Hand { spot, hand: 1 }) => {
                        if let (Some(first), Some(packs)) = (table.live.first_of_two(*spot, *card), packs(&set.rules)) {
                            let (hands, naturals) = self.naturals.entry(packs).or_default();
                            *hands += 1;
                            *naturals += u64::from(odds.is_natural(first, *card));
                        }
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }

    fn settled(&mut self, id: &TableId, mut sums: RoundSums) {
        let Some(table) = self.tables.get_mut(id) else { return };
        let Some(set) = self.rule_sets.get_mut(table.rule_set) else { return };
        table.ended.settled += 1;
        let live = std::mem::take(&mut table.live);
        if let (Some(odds), Some(packs)) = (bet_odds(&set.rules), packs(&set.rules))
            && let (Some(decided), Some(ways)) = (odds.decided(&live.dealt), odds.ways(&[]))
        {
            let none = vec![0; ways.len()];
            let seen = self.coups.entry((packs, ways.into_iter().map(|(_, ways)| ways).collect())).or_insert(none);
            seen[decided] += 1;
        }
        if table.is_of_event {
            self.for_events += 1;
            return;
        }
        let mut kinds: BTreeMap<&'static str, Vec<&Settlement>> = BTreeMap::new();
        for line in &live.lines {
            if let Some(kind) = kind_of_bet(&set.rules, line) {
                kinds.entry(kind).or_default().push(line);
            }
        }
        if !kinds.is_empty() {
            sums.law = law(&set.rules, &live.lines.iter().collect::<Vec<_>>());
        }
        for (kind, lines) in kinds {
            let sum = |of: fn(&Settlement) -> i64| lines.iter().map(|line| of(line)).fold(0, i64::saturating_add);
            let staked = sum(|line| line.stake.signed());
            let sums = RoundSums {
                opening: staked,
                staked,
                returned: sum(|line| line.returned.signed()),
                law: law(&set.rules, &lines),
            };
            set.by_kind.entry(kind).or_default().add(sums);
        }
        set.returns.add(sums);
    }

    /// How a void would have ended, once its shoe is known.
    pub fn void_finished(&mut self, void: &VoidResult) {
        let finished = &mut self.finished;
        match void.default_play_net {
            None => {}
            Some(net) => {
                finished.net = finished.net.saturating_add(net);
                match net.signum() {
                    1 => finished.players += 1,
                    -1 => finished.house += 1,
                    _ => finished.level += 1,
                }
            }
        }
    }

    /// What was drawn of a shoe whose seed has just come out.
    pub fn take_drawn(&mut self, table: &TableId, shoe_no: u64) -> Option<Drawn> {
        self.revealed.remove(&(table.clone(), shoe_no))
    }

    /// The rule sets, in the order in which tables opened with them.
    pub fn rule_sets(&self) -> &[OfRuleSet] {
        &self.rule_sets
    }

    /// What to call each of [`Rounds::rule_sets`], in their order: by name alone only the shipped one of that name, and
    /// one whose name no other has. Others are told apart by their digests, cut to what tells
    /// all of this log apart: a house can find two that begin alike.
    pub fn rule_set_names(&self) -> Vec<String> {
        let mut used: HashMap<&str, u64> = HashMap::new();
        self.rule_sets.iter().for_each(|set| *used.entry(&set.rules.name).or_default() += 1);
        let digests: BTreeSet<&str> = self.rule_sets.iter().map(|set| set.digest.as_str()).collect();
        let called = self.rule_sets.iter().map(|OfRuleSet { rules, digest, .. }| {
            let name = &rules.name;
            if !rules.is_as_shipped(digest) {
                format!("{name} (NOT the shipped one: {})", short(digest, &digests))
            } else if used.get(name.as_str()) > Some(&1) && RuleSet::shipped(name).is_none() {
                format!("{name} ({})", short(digest, &digests))
            } else {
                name.clone()
            }
        });
        called.collect()
    }

    /// The players who were asked for seeds, in no order.
    pub fn seeds_asked(&self) -> impl Iterator<Item = (&PlayerId, SeedsAsked)> {
        self.seeds.iter().map(|(player, seeds)| (player, *seeds))
    }

    /// The tables at which rounds ended, by name: each with the place of its rule set among [`Rounds::rule_sets`], and
    /// what became of its rounds.
    pub fn tables(&self) -> impl Iterator<Item = (&TableId, usize, Ended)> {
        let ended = self.tables.iter().filter(|(_, table)| table.ended.rounds() > 0);
        ended.map(|(id, table)| (id, table.rule_set, table.ended))
    }
}

/// The start of a digest that no other of these has.
fn short<'d>(digest: &'d str, all: &BTreeSet<&'d str>) -> String {
    let before = all.range(..digest).next_back();
    let after = all.range(digest..).find(|other| **other != digest);
    let alike = |other: &&str| other.bytes().zip(digest.bytes()).take_while(|(theirs, own)| theirs == own).count();
    let shown = before.into_iter().chain(after).map(|other| alike(other) + 1).fold(SHORT_DIGEST, usize::max);
    digest.get(..shown).map_or_else(|| digest.to_owned(), |start| format!("{start}…"))
}

/// How many packs a shoe of these rules holds.
fn packs(rules: &RuleSet) -> Option<u8> {
    if let Composition::Decks(packs) = rules.composition() { Some(packs) } else { None }
}

impl Live {
    /// Notes a card of a box; with its second, gives the first.
    fn first_of_two(&mut self, spot: u8, card: Card) -> Option<Card> {
        match self.boxes.get_mut(&spot) {
            Some(first) => first.take(),
            None => {
                self.boxes.insert(spot, Some(card));
                None
            }
        }
    }
}
