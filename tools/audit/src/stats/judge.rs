//! Which tests there are, what each shows and cannot show, and the words of the verdict: never more than "look".
#![allow(clippy::float_arithmetic)] // chances, never money

use super::exact::natural_chance;
use super::rounds::{AheadCounts, Ended, OfRuleSet, Rounds};
use super::series::{LEAST_EXPECTED, Outcome, Series, goodness_of_fit};
use super::shoes::{Receiver, Shoes};
use crate::chance::{TwoGroups, binomial_two_sided, holm};
use crate::leaning;
use fairshoe_fairness::PlayerId;
use fairshoe_judge::audit::Leans;
use serde::Serialize;
use std::collections::BTreeMap;

/// The bound on corrected chances: of a hundred honest books, one is called unusual.
pub const BOUND: f64 = 0.01;

/// What a test is about, for its reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct About {
    /// Its name.
    pub id: &'static str,
    /// In plain words.
    pub what: &'static str,
    /// What it would show.
    pub shows: &'static str,
    /// What it cannot.
    pub cannot: &'static str,
}

/// A test done, or why not.
#[derive(Clone, Debug, Serialize)]
pub struct Test {
    /// What it is about.
    #[serde(flatten)]
    pub about: About,
    /// How much it looked at, in words.
    pub over: String,
    /// A chi-square or a normal deviate; absent for exact tests.
    pub statistic: Option<f64>,
    /// Degrees of freedom of a chi-square.
    pub degrees: Option<u64>,
    /// The chance of something as far out in an honest book; absent where there is too little to look at.
    pub chance: Option<f64>,
    /// The chance after correction for all tests together (Holm).
    pub corrected: Option<f64>,
    /// Whether that is below the bound.
    pub unusual: bool,
    /// Where it lies, if that can be said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

const HOUSE_ORDER: &str =
    "What the house does with an order that is good by chance: it could have made many and kept one (grinding).";
const DEAL: &str = "A small lean of a few hands: it needs thousands of cards to see one in a hundred.";
const OWN_DOING: &str =
    "Who is to blame: a player who stays away and a house that drops their message look the same in a log.";

macro_rules! about {
    ($($name:ident: $id:literal, $what:literal, $shows:expr, $cannot:expr;)*) => {
        $(const $name: About = About { id: $id, what: $what, shows: $shows, cannot: $cannot };)*
        /// Every test there is, in the order of the report.
        pub const TESTS: &[About] = &[$($name),*];
    };
}

about! {
    POSITION: "position", "committed cards by their place in the shoe",
        "A generator that puts some cards early or late.", HOUSE_ORDER;
    COMMITTED: "committed_even", "committed cards, each against what was left",
        "Cards that come sooner or later than their share, in packs and piles of any kind.", HOUSE_ORDER;
    COMMITTED_PAIRS: "committed_pairs", "pairs of neighbours in the committed order",
        "Cards that draw certain others after them.", HOUSE_ORDER;
    COMMITTED_NEIGHBOURS: "committed_neighbours", "correlation of neighbours in the committed order",
        "High cards that follow high ones, or low ones: a poor shuffle.", HOUSE_ORDER;
    COMMITTED_TURNS: "committed_runs", "runs up and down in the committed order",
        "Sequences that rise or fall too long or too short.", HOUSE_ORDER;
    COLOURS: "committed_colours", "runs of colour in the committed order",
        "Red and black clumped or alternating.", HOUSE_ORDER;
    DRAWN: "drawn_even", "drawn cards, each against what was left",
        "Cards that the deal favours, whoever made it so.", DEAL;
    DRAWN_PAIRS: "drawn_pairs", "pairs of cards drawn one after the other",
        "Cards that draw certain others after them.", DEAL;
    DRAWN_NEIGHBOURS: "drawn_neighbours", "correlation of cards drawn one after the other",
        "High cards that follow high ones, or low ones.", DEAL;
    DRAWN_TURNS: "drawn_runs", "runs up and down in the order of drawing",
        "Sequences that rise or fall too long or too short.", DEAL;
    TO_PLAYERS: "to_players", "ranks dealt to the players",
        "Players who get fewer aces and tens than are due.", DEAL;
    TO_DEALER: "to_dealer", "ranks dealt to the dealer",
        "A dealer who gets more aces and tens than are due: what a house that grinds for itself would do.", DEAL;
    WHEEL: "wheel_values", "committed values of wheels",
        "A generator that favours a value.", HOUSE_ORDER;
    WHEEL_PAIRS: "wheel_pairs", "pairs of neighbours among committed values",
        "Values that draw certain others after them.", HOUSE_ORDER;
    POCKETS: "pockets", "pockets in which the ball came to rest",
        "A pocket that comes too often.", "A lean for one spin on which much was staked.";
    POCKET_PAIRS: "pocket_pairs", "pairs of spins one after the other",
        "Pockets that draw certain others after them.", "Pairs further apart.";
    COUPS: "coups", "coups: Player, Banker, tie",
        "Outcomes that do not come as often as every deal of a fresh shoe, counted, has them.",
        "A lean in the coups with high stakes: see the return. A shoe dealt down is not quite a fresh one.";
    NATURALS: "naturals", "blackjacks on a box's first two cards",
        "Boxes that get fewer blackjacks than are due.", "How hands were played. A shoe dealt down is not quite a fresh one.";
    RETURN: "return", "what bets without decisions returned",
        "Bets that lose more, or less, than chance alone has them.",
        "Games in which players decide: their figures are shown beside the exact ones, and not judged.";
    VOIDS_BY_TABLE: "voids_by_table", "void rounds by table",
        "A table whose rounds are void more often, or less, than those of the others with its rule set.", OWN_DOING;
    WITHHELD_BY_TABLE: "withheld_by_table", "withheld seeds by table",
        "A table at which seeds are missing more often, or less, than at others under its rule set.", OWN_DOING;
    AHEAD_HOUSE: "voids_of_house_ahead", "who was ahead when the house's side made a round void",
        "Malfunctions that strike when the players are ahead.",
        "Voids before a face is out: then nobody is ahead in public, though the house may know.";
    AHEAD_ABSENCE: "voids_of_absence_ahead", "who was ahead when a missing player made a round void",
        "Hands that end when one side is ahead.", OWN_DOING;
    VOIDS_BY_PLAYER: "voids_by_player", "whom voids of the house's side saved from a loss",
        "Malfunctions and restarts that strike when a friend of the house would lose.",
        "Friends who come under a new name each time. Hands of poker count where an auditor was given their seeds.";
    AHEAD_RESTARTS: "restarts_ahead", "who was ahead when the dealer was restarted",
        "Restarts that strike when one side is ahead.", "A restart that serves one friend among many players.";
    CHANGES: "shoe_changes", "how rich in high cards shoes were that were changed before their time",
        "Shoes that are changed when they are good for the players, by whoever asks for it.",
        "Who is to blame: a newcomer who asks by chance and a shill who is sent look the same in a log.";
    DRAWS: "draws_by_player", "cards that a player's choices drew, against what was left",
        "A player who knows which card comes next.", "One who uses it seldom.";
}

/// A test and its outcome, before all of them are corrected together.
fn test(about: About, over: String, outcome: Option<Outcome>) -> Test {
    Test {
        about,
        over,
        statistic: outcome.map(|outcome| outcome.statistic),
        degrees: outcome.and_then(|outcome| outcome.degrees),
        chance: outcome.map(|outcome| outcome.chance),
        corrected: None,
        unusual: false,
        note: None,
    }
}

fn exact(about: About, over: String, chance: Option<f64>) -> Test {
    Test { chance, ..test(about, over, None) }
}

/// The unlikeliest of several like things, its chance corrected for their number (Bonferroni): one test, however many
/// tables or rule sets a log holds, so that nobody can drown the others by opening more.
fn worst(about: About, over: String, each: impl IntoIterator<Item = (String, f64)>) -> Test {
    let each: Vec<(String, f64)> = each.into_iter().collect();
    let Some((name, chance)) = each.iter().min_by(|a, b| a.1.total_cmp(&b.1)) else { return exact(about, over, None) };
    let corrected = (chance * each.len() as f64).min(1.0);
    Test { note: Some(format!("furthest out: {name}")), ..exact(about, over, Some(corrected)) }
}

/// `1 card`, `2 cards`, `12 345 cards`.
pub(crate) fn number_of(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A number with its thousands apart, by narrow spaces that do not break.
pub(crate) fn grouped(number: impl ToString) -> String {
    let digits = number.to_string();
    let (sign, digits) = digits.strip_prefix('-').map_or(("", digits.as_str()), |digits| ("\u{2212}", digits));
    let mut text = sign.to_owned();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push('\u{202f}');
        }
        text.push(digit);
    }
    text
}

/// Every test over what was counted, corrected together.
pub fn judge(shoes: &Shoes, rounds: &Rounds) -> Vec<Test> {
    let mut tests = of_cards(shoes);
    tests.extend(of_wheels(shoes, rounds));
    tests.extend(of_outcomes(rounds));
    tests.extend(of_voids(rounds));
    correct(&mut tests);
    tests
}

fn correct(tests: &mut [Test]) {
    let chances: Vec<f64> = tests.iter().filter_map(|test| test.chance).collect();
    let done = tests.iter_mut().filter(|test| test.chance.is_some());
    for (test, corrected) in done.zip(holm(&chances)) {
        test.corrected = Some(corrected);
        test.unusual = corrected < BOUND;
    }
}

fn of_series(series: &Series, over: &str, about: [About; 4]) -> [Test; 4] {
    let [even, pairs, neighbours, turns] = about;
    [
        test(even, over.to_owned(), series.evenness()),
        test(pairs, over.to_owned(), series.pairs()),
        test(neighbours, over.to_owned(), series.neighbours()),
        test(turns, over.to_owned(), series.turns()),
    ]
}

fn of_cards(shoes: &Shoes) -> Vec<Test> {
    let committed = format!("{} of {}", number_of(shoes.committed.count, "card"), number_of(shoes.card_shoes, "shoe"));
    let drawn = number_of(shoes.drawn.count, "card");
    let mut tests = vec![test(POSITION, committed.clone(), shoes.position())];
    tests.extend(of_series(
        &shoes.committed,
        &committed,
        [COMMITTED, COMMITTED_PAIRS, COMMITTED_NEIGHBOURS, COMMITTED_TURNS],
    ));
    tests.push(test(COLOURS, committed, shoes.colour_runs()));
    tests.extend(of_series(&shoes.drawn, &drawn, [DRAWN, DRAWN_PAIRS, DRAWN_NEIGHBOURS, DRAWN_TURNS]));
    for (about, receiver) in [(TO_PLAYERS, Receiver::Players), (TO_DEALER, Receiver::Dealer)] {
        let ranks = shoes.ranks(receiver);
        tests.push(test(about, number_of(ranks.dealt.iter().sum(), "card"), ranks.fit()));
    }
    tests
}

fn of_wheels(shoes: &Shoes, rounds: &Rounds) -> Vec<Test> {
    let committed = format!("{} of {}", number_of(shoes.wheel.series.count, "value"), number_of(shoes.wheels, "wheel"));
    let spins = number_of(rounds.spins.series.count, "spin");
    vec![
        test(WHEEL, committed.clone(), shoes.wheel.evenness()),
        test(WHEEL_PAIRS, committed, shoes.wheel.series.pairs()),
        test(POCKETS, spins.clone(), rounds.spins.evenness()),
        test(POCKET_PAIRS, spins, rounds.spins.series.pairs()),
    ]
}

fn of_outcomes(rounds: &Rounds) -> Vec<Test> {
    let coups: u64 = rounds.coups.values().flatten().sum();
    let by_packs = rounds.coups.iter().filter_map(|((packs, ways), seen)| {
        let all = seen.iter().sum::<u64>() as f64 / ways.iter().sum::<u64>() as f64;
        let expected: Vec<f64> = ways.iter().map(|ways| *ways as f64 * all).collect();
        let outcome = goodness_of_fit(seen, &expected)?;
        Some((format!("{packs} packs"), outcome.chance))
    });
    let hands: u64 = rounds.naturals.values().map(|(hands, _)| hands).sum();
    let naturals =
        rounds.naturals.iter().filter(|(packs, (hands, _))| *hands as f64 * natural_chance(**packs) >= LEAST_EXPECTED);
    let naturals = naturals.map(|(packs, (hands, naturals))| {
        let chance = binomial_two_sided(*naturals, *hands, natural_chance(*packs));
        (format!("{}, {naturals} of {hands}", number_of(u64::from(*packs), "pack")), chance)
    });
    let names = rounds.rule_set_names();
    let of_bets = |(set, name): (&OfRuleSet, &String)| {
        let kinds = set.by_kind.iter();
        let judged = kinds.filter_map(|(kind, returns)| Some((format!("{name}, {kind}"), returns.outcome()?.chance)));
        judged.collect::<Vec<_>>()
    };
    let bets: u64 = rounds.rule_sets().iter().flat_map(|set| set.by_kind.values()).map(|returns| returns.rounds).sum();
    vec![
        worst(COUPS, number_of(coups, "coup"), by_packs),
        worst(NATURALS, number_of(hands, "hand"), naturals),
        worst(RETURN, number_of(bets, "bet"), rounds.rule_sets().iter().zip(&names).flat_map(of_bets)),
    ]
}

/// Whether a mark comes as often at each table as at the others under the same rule set: solo tables wait where shared
/// ones void, and an hour of one game is not an hour of another, so that only like is compared with like. Fisher's
/// exact test.
fn by_table(about: About, rounds: &Rounds, what: &str, marks: fn(&Ended) -> u64) -> Test {
    let mut of_rules: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
    for (_, rules, ended) in rounds.tables() {
        let (all, marked) = of_rules.entry(rules).or_default();
        (*all, *marked) = (*all + ended.rounds(), *marked + marks(&ended));
    }
    let each = rounds.tables().filter_map(|(id, rules, ended)| {
        let (own, marked) = (ended.rounds(), marks(&ended));
        let (all, total) = of_rules.get(&rules).map(|(all, total)| (all - own, *total))?;
        // With nothing marked, or no other table, there is nothing to compare.
        let groups = TwoGroups { first: [marked, own - marked], second: [total - marked, all - (total - marked)] };
        (all > 0 && total > 0).then(|| (format!("{id}, {marked} of {own}"), groups.differ()))
    });
    let (all, total) = of_rules.values().fold((0, 0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
    worst(about, format!("{} in {}", number_of(total, what), number_of(all, "round")), each)
}

fn of_voids(rounds: &Rounds) -> Vec<Test> {
    let ahead = |about, voided: &AheadCounts| {
        let groups = TwoGroups {
            first: [voided.players, voided.house],
            second: [rounds.standing.players, rounds.standing.house],
        };
        let over = format!("{} with somebody ahead", number_of(voided.players + voided.house, "void"));
        let chance = (voided.players + voided.house > 0).then(|| groups.differ());
        let note = chance.map(|_| {
            let [first, second] =
                [groups.first, groups.second].map(|[players, house]| format!("players {players}, house {house}"));
            format!("at voids: {first}; as rounds stood: {second}")
        });
        Test { note, ..exact(about, over, chance) }
    };
    vec![
        by_table(VOIDS_BY_TABLE, rounds, "void", |ended| ended.voids),
        by_table(WITHHELD_BY_TABLE, rounds, "withheld seed", |ended| ended.withheld),
        ahead(AHEAD_HOUSE, &rounds.voided_by_house),
        ahead(AHEAD_ABSENCE, &rounds.voided_by_absence),
        voids_by_player(&rounds.leans),
        restarts(&rounds.leans),
        changes(&rounds.leans),
        draws(&rounds.leans),
    ]
}

fn voids_by_player(leans: &Leans) -> Test {
    let rounds = leaning::of_players(leans, |costs| costs.by_house, leaning::lost);
    let rounds =
        rounds.into_iter().map(|lean| (lean.player, lean.missed.voided.house, lean.missed.voided.total(), lean.p));
    let hands = leaning::of_hands(leans).into_iter().map(|lean| (lean.player, lean.of.lost, lean.of.hands, lean.p));
    // Of a tournament nobody can say how often it saved somebody: it is named by its number alone.
    let events = leaning::of_events(&leans.events).into_iter().chain(leaning::of_events(&leans.disqualified));
    let events = events.map(|lean| (lean.player, lean.of.events, lean.of.events, lean.p));
    let all: Vec<(PlayerId, u64, u64, f64)> = rounds.chain(hands).chain(events).collect();
    let voided: u64 = all.iter().map(|(.., voided, _)| voided).sum();
    let each = all.into_iter().map(|(player, saved, voided, p)| (format!("{player}, saved in {saved} of {voided}"), p));
    worst(VOIDS_BY_PLAYER, number_of(voided, "round of a player"), each)
}

fn restarts(leans: &Leans) -> Test {
    let total: u64 = leans.tables.values().map(|at| at.at_restarts.players + at.at_restarts.house).sum();
    let each = leaning::of_restarts(leans).into_iter().map(|lean| {
        let stood = lean.at.at_restarts;
        (format!("{}, players {}, house {}", lean.table, stood.players, stood.house), lean.p)
    });
    worst(AHEAD_RESTARTS, format!("{} with somebody ahead", number_of(total, "round")), each)
}

fn changes(leans: &Leans) -> Test {
    let all = leaning::of_changes(leans);
    let total: u64 = all.iter().map(|lean| lean.left.rich + lean.left.poor).sum();
    let each = all.into_iter().map(|lean| {
        let words = format!("{}: rich {}, poor {}", leaning::cause_words(&lean.cause), lean.left.rich, lean.left.poor);
        (words, lean.p)
    });
    worst(CHANGES, number_of(total, "shoe"), each)
}

fn draws(leans: &Leans) -> Test {
    let all = leaning::of_draws(leans);
    let total: u64 = all.iter().map(|lean| lean.cards).sum();
    let each =
        all.into_iter().map(|lean| (format!("{}, {:+.1} standard deviations", lean.player, lean.deviations), lean.p));
    worst(DRAWS, number_of(total, "card"), each)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_unlikeliest_of_many_is_corrected_for_their_number() {
        let each = (0..50).map(|index| (format!("t{index}"), if index == 7 { 0.001 } else { 0.5 }));
        let test = worst(RETURN, String::new(), each);
        assert!((test.chance.unwrap() - 0.05).abs() < 1e-12 && test.note.unwrap() == "furthest out: t7");
        assert_eq!(worst(RETURN, String::new(), []).chance, None);
    }

    #[test]
    fn thousands_stand_apart() {
        let shown = [0i64, 999, 1_000, -1_234_567].map(grouped);
        assert_eq!(shown, ["0", "999", "1\u{202f}000", "\u{2212}1\u{202f}234\u{202f}567"]);
        assert_eq!(
            (number_of(1, "card").as_str(), number_of(10_000, "card").as_str()),
            ("1 card", "10\u{202f}000 cards")
        );
    }

    #[test]
    fn tests_that_were_not_done_do_not_count_against_the_others() {
        let mut tests = vec![
            exact(COUPS, String::new(), None),
            exact(RETURN, String::new(), Some(0.004)),
            exact(POCKETS, String::new(), Some(0.9)),
        ];
        correct(&mut tests);
        assert!(
            (tests[1].corrected.unwrap() - 0.008).abs() < 1e-12
                && tests[1].unusual
                && !tests[2].unusual
                && tests[0].corrected.is_none()
        );
    }

    #[test]
    fn every_test_has_a_name_of_its_own_and_says_its_limits() {
        let names: std::collections::BTreeSet<_> = TESTS.iter().map(|about| about.id).collect();
        assert_eq!(names.len(), TESTS.len());
        assert_eq!(
            judge(&Shoes::default(), &Rounds::default()).iter().map(|test| test.about.id).collect::<Vec<_>>(),
            TESTS.iter().map(|about| about.id).collect::<Vec<_>>()
        );
        assert!(TESTS.iter().all(|about| !about.cannot.is_empty() && !about.shows.is_empty()));
    }
}
