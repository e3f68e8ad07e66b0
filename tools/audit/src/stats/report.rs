//! The report: everything counted, in one object, and the same in words for the screen.
#![allow(clippy::float_arithmetic)] // shares and chances for the eye, never money

use super::exact::{Reference, references};
use super::judge::{BOUND, Test, grouped, judge, number_of};
use super::repeats::RepeatCounts;
use super::returns::{Interval, Returns};
use super::rounds::{AheadCounts, Finished, OfRuleSet, Rounds, SeedsAsked};
use super::shoes::{Receiver, Shoes};
use crate::chance::share_interval;
use fairshoe_fairness::PlayerId;
use fairshoe_judge::audit::{AuditReport, ByPlayers, Doors, Events, Finding, OwnStructure};
use fairshoe_judge::utc;
use serde::Serialize;
use std::collections::BTreeMap;

/// Most tables, rule sets, and players who withheld seeds, that are listed; the tests look at all tables and rule sets.
const LISTED: usize = 1_000;

/// How many of them the screen and the page show.
pub(super) const SHOWN: usize = 40;

/// What no test on revealed shoes can show.
pub const CANNOT_SHOW: [&str; 6] = [
    "Grinding: a house that makes many shoes and commits to the one it likes best leaves orders that pass every test here. The protocol stops that, not statistics: the shoe is committed before the players' seeds exist, and their shuffle decides which slot is dealt. What is left to a house is to guess.",
    "A single hand. Tests look at many cards together; one card that was turned to order is found by its opening and its slot, not by counting.",
    "A message that the house dropped. A player who withholds their seed and a house that swallows it look the same in a log; the player's receipts tell them apart.",
    "A bet that was never logged, a clock set back, another log shown to others: receipts and witnesses are for those.",
    "Who knew the cards. An insider who reads the shoe and bets accordingly leaves fair cards behind.",
    "Honesty. A result that chance gives once in a thousand books comes up in every thousandth honest one, and a patient cheat stays below any bound.",
];

/// The words of a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// No test is out of bounds.
    NothingUnusual,
    /// Something should be looked at.
    Unusual,
    /// Not one test had enough to look at.
    TooLittle,
    /// The log itself does not hold: its numbers mean nothing.
    NotSound,
}

/// Which log was read.
#[derive(Clone, Debug, Default, Serialize)]
pub struct LogFacts {
    /// Its name.
    pub origin: String,
    /// Entries under the checkpoint.
    pub size: u64,
    /// The signed root, base64.
    pub root: String,
    /// The key that signed.
    pub key: String,
    /// Whether the user named it.
    pub key_trusted: bool,
}

/// What a rule set's rounds returned.
#[derive(Clone, Debug, Serialize)]
pub struct RuleSetReport {
    /// The name that its tables were opened under; with its digest's start where that name alone would mislead.
    pub name: String,
    /// Its digest, as the log has it.
    pub digest: String,
    /// The game's word.
    pub game: &'static str,
    /// Tables that had it.
    pub tables: u64,
    /// All its bets.
    #[serde(flatten)]
    pub all: ReturnReport,
    /// Kinds of bets, where there are several.
    pub bets: BTreeMap<&'static str, ReturnReport>,
    /// Figures to compare with, where the game is one that was worked out.
    pub references: Vec<Reference>,
}

/// Sums over rounds, and the edge they make.
#[derive(Clone, Debug, Serialize)]
pub struct ReturnReport {
    /// Settled rounds.
    pub rounds: u64,
    /// Opening stakes, minor units.
    pub opening: i64,
    /// All stakes.
    pub staked: i64,
    /// All that came back.
    pub returned: i64,
    /// What came back for each unit staked.
    pub return_share: Option<f64>,
    /// The share of the opening stakes that the house kept, with its 95 % interval.
    pub edge: Option<Interval>,
    /// The exact edge of these very stakes, where chance alone decides.
    pub exact_edge: Option<f64>,
    /// The chance of an edge as far from the exact one; absent with too few rounds.
    pub chance: Option<f64>,
}

impl ReturnReport {
    fn of(returns: &Returns) -> ReturnReport {
        ReturnReport {
            rounds: returns.rounds,
            opening: returns.opening,
            staked: returns.staked,
            returned: returns.returned,
            return_share: (returns.staked > 0).then(|| returns.returned as f64 / returns.staked as f64),
            edge: returns.edge(),
            exact_edge: returns.exact_edge(),
            chance: returns.outcome().map(|outcome| outcome.chance),
        }
    }
}

impl RuleSetReport {
    fn of(set: &OfRuleSet, name: &str) -> RuleSetReport {
        let references = references(&set.rules, set.returns.exact_edge());
        RuleSetReport {
            name: name.to_owned(),
            digest: set.digest.clone(),
            game: set.rules.game.word(),
            tables: set.tables,
            all: ReturnReport::of(&set.returns),
            bets: set.by_kind.iter().map(|(kind, returns)| (*kind, ReturnReport::of(returns))).collect(),
            references,
        }
    }
}

/// A share of rounds with its 95 % interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Rate {
    /// Rounds with the mark.
    pub count: u64,
    /// Those rounds as a share of all, 0 to 1; 0 where there are none.
    pub share: f64,
    /// The interval's lower end.
    pub from: f64,
    /// Its upper end.
    pub to: f64,
}

impl Rate {
    fn of(count: u64, all: u64) -> Rate {
        let (from, to) = share_interval(count, all);
        Rate { count, share: if all == 0 { 0.0 } else { count as f64 / all as f64 }, from, to }
    }
}

/// What became of a table's rounds.
#[derive(Clone, Debug, Serialize)]
pub struct TableReport {
    /// Its name.
    pub table: String,
    /// Its rule set's name, as in the list of rule sets.
    pub rule_set: String,
    /// Rounds that ended.
    pub rounds: u64,
    /// Void ones.
    pub voids: Rate,
    /// Those for a seed that was not revealed.
    pub withheld: Rate,
}

/// A player whose seeds were missing. Whether they withheld them, or the house swallowed them, the log cannot tell.
#[derive(Clone, Debug, Serialize)]
pub struct WithholderReport {
    /// Their name.
    pub player: String,
    /// Seeds that they were asked for.
    pub asked: u64,
    /// Those that were missing when their time was up.
    pub withheld: Rate,
    /// Those of the missing that came later.
    pub late: u64,
}

/// Void rounds of the whole log.
#[derive(Clone, Debug, Serialize)]
pub struct VoidReport {
    /// Rounds that ended.
    pub rounds: u64,
    /// Void ones.
    pub voids: Rate,
    /// Those for a seed that was not revealed.
    pub withheld: Rate,
    /// How many rounds each cause made void, by the cause's word on the log.
    pub by_cause: BTreeMap<String, u64>,
    /// Who was ahead as rounds stood from entry to entry.
    pub standing: AheadCounts,
    /// Who was ahead when the house's side ended one.
    pub by_house: AheadCounts,
    /// Who was ahead when a missing player ended one.
    pub by_absence: AheadCounts,
    /// How they would have ended by default play.
    pub default_play: Finished,
    /// Shuffles of a new pile that did not come about.
    pub piles_failed: u64,
}

/// Counts for the eye: what the plots are made of.
#[derive(Clone, Debug, Serialize)]
pub struct Counts {
    /// Standard deviations from what is due, by thirteenth of the shoe and rank, the ace first.
    pub position_residuals: Option<[[f64; 13]; 13]>,
    /// Cards dealt to players, by rank.
    pub to_players: RankCounts,
    /// Cards dealt to dealers, by rank.
    pub to_dealer: RankCounts,
    /// Spins by pocket.
    pub pockets: Vec<u64>,
    /// Outcomes that cards alone decide, by packs.
    pub coups: BTreeMap<u8, Vec<u64>>,
}

/// Cards by rank, the ace first.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct RankCounts {
    /// How many came.
    pub dealt: [u64; 13],
    /// How many were to come, by what was left at each draw.
    pub expected: [f64; 13],
}

/// Everything that `stats` says.
#[derive(Clone, Debug, Serialize)]
pub struct StatsReport {
    /// The verdict's word.
    pub verdict: Verdict,
    /// Why the log is not sound, if it is not; then nothing else is to be read.
    pub first_failure: Option<Finding>,
    /// Which log.
    pub log: LogFacts,
    /// Entries audited.
    pub entries: u64,
    /// UTC milliseconds of the last one.
    pub last_time: u64,
    /// Shoes of cards that were revealed, and wheels.
    pub card_shoes: u64,
    /// Wheels revealed.
    pub wheels: u64,
    /// The bound on corrected chances.
    pub bound: f64,
    /// Every test of shoes and rounds, with its chance in a fair deal.
    pub tests: Vec<Test>,
    /// The rule sets, the greatest stakes first.
    pub rule_sets: Vec<RuleSetReport>,
    /// How many there are.
    pub rule_sets_total: u64,
    /// What left the players outside of play, by door and by who asked.
    pub out: Doors,
    /// What was done to tournaments beyond their structures.
    #[serde(skip_serializing_if = "Events::is_nothing")]
    pub events: Events,
    /// How many structures of tournaments are none of the shipped ones, and which.
    #[serde(skip_serializing_if = "is_none")]
    pub own_structures: u64,
    /// The structures themselves, as many as the book lists.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub own_structures_listed: Vec<OwnStructure>,
    /// How many commands of each name the operator gave.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub by_operator: BTreeMap<String, u64>,
    /// What was done in players' names, and whether they signed it.
    pub by_players: ByPlayers,
    /// Void rounds of the whole log: how many, by cause, and who was ahead.
    pub voids: VoidReport,
    /// Rounds for play chips, which are in none of the counts and tests above and below.
    pub for_play: u64,
    /// Settled rounds for chips of tournaments: their cards are in the counts and tests, their chips in no sum.
    pub for_events: u64,
    /// Tables with rounds, the most voids first.
    pub tables: Vec<TableReport>,
    /// How many there are.
    pub tables_total: u64,
    /// Players whose seeds were missing, those with the most first.
    pub withholders: Vec<WithholderReport>,
    /// How many there are.
    pub withholders_total: u64,
    /// Values that must not come twice.
    pub repeats: RepeatCounts,
    /// Counts by card and pocket.
    pub counts: Counts,
    /// What none of this can show.
    pub cannot_show: &'static [&'static str],
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

impl StatsReport {
    /// Puts the report together and judges.
    pub fn new(
        log: LogFacts,
        book: &AuditReport,
        first_failure: Option<Finding>,
        shoes: &Shoes,
        rounds: &Rounds,
    ) -> StatsReport {
        let tests = judge(shoes, rounds);
        let repeats = rounds.repeats.counts();
        let used_twice = repeats.roots.repeated + repeats.server_seeds.repeated > 0;
        let verdict = match () {
            () if first_failure.is_some() => Verdict::NotSound,
            () if used_twice || tests.iter().any(|test| test.unusual) => Verdict::Unusual,
            () if tests.iter().all(|test| test.chance.is_none()) => Verdict::TooLittle,
            () => Verdict::NothingUnusual,
        };
        let names = rounds.rule_set_names();
        let named = rounds.rule_sets().iter().zip(&names);
        let mut rule_sets: Vec<RuleSetReport> = named.map(|(set, name)| RuleSetReport::of(set, name)).collect();
        rule_sets.sort_by(|a, b| b.all.staked.cmp(&a.all.staked).then_with(|| a.name.cmp(&b.name)));
        let (mut tables, mut withholders) = (tables(rounds, &names), withholders(rounds));
        let [rule_sets_total, tables_total, withholders_total] =
            [rule_sets.len(), tables.len(), withholders.len()].map(|total| total as u64);
        rule_sets.truncate(LISTED);
        tables.truncate(LISTED);
        withholders.truncate(LISTED);
        let ranks = |receiver| {
            let ranks = shoes.ranks(receiver);
            RankCounts { dealt: ranks.dealt, expected: ranks.expected }
        };
        StatsReport {
            verdict,
            first_failure,
            log,
            entries: book.entries,
            last_time: book.last_time,
            card_shoes: shoes.card_shoes,
            wheels: shoes.wheels,
            bound: BOUND,
            tests,
            rule_sets,
            rule_sets_total,
            out: book.out.clone(),
            events: book.events.clone(),
            own_structures: book.own_structures,
            own_structures_listed: book.own_structures_listed.clone(),
            by_operator: book.by_operator.clone(),
            by_players: book.by_players.clone(),
            voids: voids(rounds),
            for_play: rounds.for_play,
            for_events: rounds.for_events,
            tables,
            tables_total,
            withholders,
            withholders_total,
            repeats,
            counts: Counts {
                position_residuals: shoes.position_residuals(),
                to_players: ranks(Receiver::Players),
                to_dealer: ranks(Receiver::Dealer),
                pockets: rounds.spins.counts.to_vec(),
                coups: rounds.coups.iter().map(|((packs, _), seen)| (*packs, seen.clone())).collect(),
            },
            cannot_show: &CANNOT_SHOW,
        }
    }

    /// The verdict in a few sentences.
    pub fn verdict_words(&self) -> String {
        let done = self.tests.iter().filter(|test| test.chance.is_some()).count();
        match self.verdict {
            Verdict::NotSound => {
                let why = self.first_failure.as_ref().map(ToString::to_string).unwrap_or_default();
                format!("NOT SOUND. {why} The numbers of a log that does not hold mean nothing; none are given.")
            }
            Verdict::TooLittle => "Too little to look at: no test has enough cards, spins or rounds.".to_owned(),
            Verdict::NothingUnusual => format!(
                "Nothing unusual. The log holds, and none of {done} tests finds what an honest house would show less than once in {:.0} books.",
                1.0 / self.bound
            ),
            Verdict::Unusual => {
                let mut what: Vec<String> =
                    self.tests.iter().filter(|test| test.unusual).map(|test| test.about.what.to_owned()).collect();
                let twice = self.repeats.roots.repeated + self.repeats.server_seeds.repeated;
                if twice > 0 {
                    what.push(format!("seeds or roots of the house that had come before ({twice})"));
                }
                format!(
                    "Unusual: look. The log holds, but an honest house would seldom show this: {}. That is a reason to look closer, not a proof.",
                    what.join("; ")
                )
            }
        }
    }

    /// The report in words, line by line.
    pub fn words(&self) -> Vec<String> {
        let whose = if self.log.key_trusted {
            "the key you named"
        } else {
            "UNVERIFIED: compare it with the one you know the log by"
        };
        let mut lines = vec![
            format!("log         {}, {} entries, root {}", self.log.origin, self.log.size, self.log.root),
            format!("key         {} ({whose})", self.log.key),
        ];
        if self.verdict == Verdict::NotSound {
            lines.push(self.verdict_words());
            return lines;
        }
        lines.push(format!("entries     {} audited, the last at {}", self.entries, utc(self.last_time)));
        lines.push(format!(
            "revealed    {} of cards, {}",
            number_of(self.card_shoes, "shoe"),
            number_of(self.wheels, "wheel")
        ));
        if self.for_play > 0 {
            lines.push(format!(
                "play chips  {} are in none of the figures: what guests play would make those of money look fairer",
                number_of(self.for_play, "round")
            ));
        }
        if self.for_events > 0 {
            lines.push(format!(
                "tournaments {} settled for chips, which are no money: their cards count, their chips are in no sum",
                number_of(self.for_events, "round")
            ));
        }
        lines.extend(crate::log::doors_words(&self.out));
        lines.extend(crate::log::events_words((self.own_structures, &self.own_structures_listed), &self.events));
        lines.extend(crate::log::by_words(&self.by_operator, &self.by_players));
        lines.push(String::new());
        lines.push(format!("{:<66} {:>10} {:>10}  verdict", "test", "chance", "corrected"));
        for test in &self.tests {
            let (chance, corrected) = (test.chance.map(chance_text), test.corrected.map(chance_text));
            lines.push(format!(
                "{:<66} {:>10} {:>10}  {}",
                test.about.what,
                chance.unwrap_or_else(|| "–".into()),
                corrected.unwrap_or_else(|| "–".into()),
                test_words(test)
            ));
            if let Some(note) = &test.note {
                lines.push(format!("    {}; {note}", test.over));
            }
        }
        lines.push(String::new());
        lines.extend(self.returns_words());
        lines.push(String::new());
        lines.extend(self.voids_words());
        let repeats = self.repeats;
        for (what, seen) in [
            ("roots", repeats.roots),
            ("seeds of the house", repeats.server_seeds),
            ("seeds of players", repeats.client_seeds),
        ] {
            lines.push(format!("{what:<20} {} published, {} of them had come before", seen.counted, seen.repeated));
        }
        lines.push(String::new());
        lines.push("What statistics cannot show, above all:".into());
        lines.push(format!("  {}", CANNOT_SHOW[0]));
        lines.push(String::new());
        lines.push(self.verdict_words());
        lines
    }

    fn returns_words(&self) -> Vec<String> {
        let sets: Vec<&RuleSetReport> = self.rule_sets.iter().filter(|set| set.all.rounds > 0).take(SHOWN).collect();
        let wide = sets.iter().map(|set| set.name.chars().count()).fold(30, usize::max);
        let mut lines = vec![format!(
            "{:<wide$} {:>8} {:>14} {:>10}  {:<22} to compare",
            "house edge by rule set", "rounds", "staked", "edge", "95 %"
        )];
        for set in sets {
            let references: Vec<String> =
                set.references.iter().map(|one| format!("{} ({})", percent(one.edge), one.play)).collect();
            lines.push(return_words(&set.name, wide, &set.all, &references.join(", ")));
            for (kind, bets) in &set.bets {
                let exact = bets.exact_edge.map(percent).unwrap_or_default();
                lines.push(return_words(&format!("    {kind}"), wide, bets, &exact));
            }
        }
        lines
    }

    fn voids_words(&self) -> Vec<String> {
        let voids = &self.voids;
        let mut lines = vec![format!(
            "void rounds          {} of {} ({}); seeds withheld in {} ({})",
            voids.voids.count,
            voids.rounds,
            rate_words(&voids.voids),
            voids.withheld.count,
            rate_words(&voids.withheld)
        )];
        if voids.voids.count > 0 {
            let causes: Vec<String> = voids.by_cause.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
            lines.push(format!("  by cause           {}", causes.join(", ")));
            let ended = voids.default_play;
            lines.push(format!(
                "  by default play    the players would have won {}, the house {}, {} level, {} not computable; {:+} for the players",
                ended.players, ended.house, ended.level, ended.not_computable, ended.net
            ));
            for table in self.tables.iter().filter(|table| table.voids.count > 0).take(SHOWN) {
                lines.push(format!(
                    "  {:<18} {} of {} void ({}), {} withheld",
                    table.table,
                    table.voids.count,
                    table.rounds,
                    rate_words(&table.voids),
                    table.withheld.count
                ));
            }
        }
        if !self.withholders.is_empty() {
            lines.push(format!("  withheld by {}", number_of(self.withholders_total, "player")));
            for one in self.withholders.iter().take(SHOWN) {
                lines.push(format!("  {:<18} {}", one.player, one.words()));
            }
            lines.extend(self.more_withholders().map(|more| format!("  {more}")));
        }
        lines
    }

    /// How many players who withheld seeds are not shown.
    pub(super) fn more_withholders(&self) -> Option<String> {
        let more = self.withholders_total.saturating_sub(SHOWN as u64);
        (more > 0).then(|| format!("and {} more", grouped(more)))
    }
}

impl WithholderReport {
    fn of(player: &PlayerId, seeds: SeedsAsked) -> WithholderReport {
        WithholderReport {
            player: player.to_string(),
            asked: seeds.asked,
            withheld: Rate::of(seeds.withheld, seeds.asked),
            late: seeds.late,
        }
    }

    fn words(&self) -> String {
        let late = match self.late {
            0 => String::new(),
            late => format!(", {} of them came later", grouped(late)),
        };
        let [withheld, asked] = [self.withheld.count, self.asked].map(grouped);
        format!("{withheld} of {asked} seeds asked of them withheld ({}){late}", rate_words(&self.withheld))
    }
}

/// Those whose seeds were missing: the most first; of as many, those who were asked for the fewest.
fn withholders(rounds: &Rounds) -> Vec<WithholderReport> {
    let mut each: Vec<(&PlayerId, SeedsAsked)> = rounds.seeds_asked().filter(|(_, seeds)| seeds.withheld > 0).collect();
    each.sort_by(|(a, of_a), (b, of_b)| {
        of_b.withheld.cmp(&of_a.withheld).then_with(|| (of_a.asked, a).cmp(&(of_b.asked, b)))
    });
    each.into_iter().map(|(player, seeds)| WithholderReport::of(player, seeds)).collect()
}

fn tables(rounds: &Rounds, names: &[String]) -> Vec<TableReport> {
    let mut tables: Vec<TableReport> = rounds
        .tables()
        .map(|(id, rule_set, ended)| TableReport {
            table: id.to_string(),
            rule_set: names.get(rule_set).cloned().unwrap_or_default(),
            rounds: ended.rounds(),
            voids: Rate::of(ended.voids, ended.rounds()),
            withheld: Rate::of(ended.withheld, ended.rounds()),
        })
        .collect();
    tables
        .sort_by(|a, b| (b.voids.count, b.rounds).cmp(&(a.voids.count, a.rounds)).then_with(|| a.table.cmp(&b.table)));
    tables
}

fn voids(rounds: &Rounds) -> VoidReport {
    let Finished { players, house, level, .. } = rounds.finished;
    let computed = players + house + level;
    let sum = |of: fn(&super::rounds::Ended) -> u64| rounds.tables().map(|(_, _, ended)| of(&ended)).sum::<u64>();
    let ended = sum(|ended| ended.rounds());
    VoidReport {
        rounds: ended,
        voids: Rate::of(sum(|ended| ended.voids), ended),
        withheld: Rate::of(sum(|ended| ended.withheld), ended),
        by_cause: rounds.voids_by_cause.clone(),
        standing: rounds.standing,
        by_house: rounds.voided_by_house,
        by_absence: rounds.voided_by_absence,
        // One whose seeds may still come is not judged yet, and cannot be computed now.
        default_play: Finished { not_computable: sum(|ended| ended.voids).saturating_sub(computed), ..rounds.finished },
        piles_failed: rounds.piles_failed,
    }
}

/// A chance in as few digits as tell it: `0.4032`, `0.000031`, `2e-12`.
pub(super) fn chance_text(chance: f64) -> String {
    match chance {
        chance if chance >= 0.000_1 => format!("{chance:.4}"),
        chance if chance > 0.0 => format!("{chance:.0e}"),
        _ => "0".to_owned(),
    }
}

/// A share as a percentage.
pub(super) fn percent(share: f64) -> String {
    let rounded = (share * 1e5).round() / 1e3 + 0.0;
    format!("{rounded:.3}\u{a0}%").replace('-', "\u{2212}")
}

pub(super) fn rate_words(rate: &Rate) -> String {
    format!("{}, 95 %: {} to {}", percent(rate.share), percent(rate.from), percent(rate.to))
}

/// A test's verdict, in words.
pub(super) fn test_words(test: &Test) -> &'static str {
    match (test.chance, test.unusual) {
        (None, _) => "too little to look at",
        (Some(_), false) => "nothing unusual",
        (Some(_), true) => "unusual: look",
    }
}

pub(super) fn interval_words(edge: &Interval) -> String {
    match (edge.from, edge.to) {
        (Some(from), Some(to)) => format!("{} to {}", percent(from), percent(to)),
        _ => "too few rounds".to_owned(),
    }
}

fn return_words(name: &str, wide: usize, returns: &ReturnReport, compare: &str) -> String {
    let edge = returns.edge.as_ref();
    format!(
        "{name:<wide$} {:>8} {:>14} {:>10}  {:<22} {compare}",
        grouped(returns.rounds),
        grouped(returns.staked),
        edge.map(|edge| percent(edge.observed)).unwrap_or_else(|| "–".into()),
        edge.map(interval_words).unwrap_or_default()
    )
}
