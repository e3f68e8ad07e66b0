//! Whether a log leans: chances that an honest house gets as far (spec/audit.md, "Statistics of a log"). Never a proof.
#![allow(clippy::float_arithmetic)] // chances, never money

use crate::chance::{TwoGroups, holm, normal_two_sided};
use crate::outcome::say;
use fairshoe_fairness::{PlayerId, TableId};
use fairshoe_judge::audit::{
    AtTable, AuditReport, CostOfVoids, Count, EventsCancelled, HandsVoided, Leans, Missed, Results, WithheldAt,
};
use serde::Serialize;
use std::collections::BTreeMap;

/// Draws below which a player's cards say nothing.
const LEAST_DRAWS: u64 = 30;

/// Rounds below which a share of a player's stakes is large by itself.
const LEAST_ROUNDS: u64 = 20;

/// Players, tables and causes listed of each kind: those least likely.
const MOST_LISTED: usize = 100;

/// Those said in words.
const MOST_SAID: usize = 5;

/// Below this a chance is said in words, of the kinds that list many.
const WORTH_SAYING: f64 = 0.05;

/// What the counts of a log make of the question whether it leans.
#[derive(Serialize)]
pub struct Leaning {
    voids: VoidsLean,
    /// The same of rounds void for want of a seed that came late.
    late_seeds: VoidsLean,
    /// The same of rounds refunded since their player stayed away. Nobody walks away from wins; a house that does not
    /// hear what they choose can make it look so.
    abandoned: VoidsLean,
    withheld: Vec<WithheldLean>,
    /// Whom the house's voids saved: the least likely first.
    voids_of_players: Vec<PlayerLean>,
    /// The same of hands of poker.
    voids_of_hands: Vec<HandsLean>,
    /// Whom cancellations of tournaments in play left with more than the others: the least likely first.
    cancelled_events: Vec<EventsLean>,
    /// Whom disqualifications of others found still in: the least likely first.
    disqualified_beside: Vec<EventsLean>,
    /// Whom voids of each kind cost their wins: each player's against their own rounds, so that nobody else's dilute
    /// them.
    cost_of_voids: CostsOfVoids,
    /// How rounds stood when the dealer was restarted, by table.
    restarts: Vec<RestartLean>,
    /// How rich the shoes were that were changed, by cause.
    shoe_changes: Vec<ChangeLean>,
    /// What players' choices drew.
    draws: Vec<DrawLean>,
    /// What others than those whose seeds were missing could have won in the rounds void for want of them: no chance,
    /// and a bound on that alone.
    withheld_worth: Vec<Worth>,
    /// The same for each player whom they concerned: what others stake makes this share no smaller.
    withheld_worth_by_player: Vec<WorthToPlayer>,
}

/// Whether voids hit the rounds that players would have won.
#[derive(Serialize)]
struct VoidsLean {
    /// Of the voids, who would have won them by default play.
    voided: Results,
    /// Who won the settled rounds.
    settled: Results,
    /// The chance that an honest house's voids hit so many of the players' wins, or more (Fisher's exact test,
    /// one-sided).
    p: f64,
}

impl VoidsLean {
    fn of(voided: Results, settled: Results) -> VoidsLean {
        let marks = |results: Results| [results.players, results.house.saturating_add(results.level)];
        VoidsLean { voided, settled, p: TwoGroups { first: marks(voided), second: marks(settled) }.first_has_more() }
    }
}

/// Whether seeds stay away at one table more often than elsewhere.
#[derive(Serialize)]
struct WithheldLean {
    #[serde(flatten)]
    at: WithheldAt,
    /// The chance that so many, or more, of all withheld seeds fell to this table (Fisher's exact test, one-sided,
    /// corrected by Holm for having looked at every table).
    p: f64,
}

/// Whether voids of one kind hit the rounds that a player would have lost, and saved them, or those that they would
/// have won, at their cost.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerLean {
    /// Who.
    pub player: PlayerId,
    /// Their void rounds.
    #[serde(flatten)]
    pub missed: Missed,
    /// Their settled ones.
    pub settled: Results,
    /// The chance of so many hits among the void ones, or more, were voids blind to how their rounds end (Fisher,
    /// one-sided, Holm over the players of the kind).
    pub p: f64,
}

/// Whether the house's voids saved a player from pots that they would have lost.
#[derive(Clone, Debug, Serialize)]
pub struct HandsLean {
    /// Who.
    pub player: PlayerId,
    /// Their void hands.
    #[serde(flatten)]
    pub of: HandsVoided,
    /// The chance of so little won, or less, had every hand's results fallen to those still in as it comes, in chips or
    /// with all hands alike, whichever is less, twice (normal, one-sided, Holm).
    pub p: f64,
}

/// Whether tournaments were cancelled when a player had more than the others, or others were disqualified when a player
/// was still in.
#[derive(Clone, Debug, Serialize)]
pub struct EventsLean {
    /// Who.
    pub player: PlayerId,
    /// Their cancelled tournaments.
    #[serde(flatten)]
    pub of: EventsCancelled,
    /// The chance of so much, or more, had what each choice gave fallen to those who had entered as it comes (normal,
    /// one-sided, Holm).
    pub p: f64,
}

/// Whom voids cost their wins, by the kind of void, the least likely first.
#[derive(Serialize)]
struct CostsOfVoids {
    by_house: Vec<PlayerLean>,
    late_seeds: Vec<PlayerLean>,
    abandoned: Vec<PlayerLean>,
}

/// Whether restarts came when one side was ahead.
#[derive(Clone, Debug, Serialize)]
pub struct RestartLean {
    /// Where.
    pub table: TableId,
    /// How rounds stood there.
    #[serde(flatten)]
    pub at: AtTable,
    /// The chance of moments no likelier than these (Fisher, two-sided, Holm).
    pub p: f64,
}

/// Whether shoes were changed when they were good for the players.
#[derive(Clone, Debug, Serialize)]
pub struct ChangeLean {
    /// Why they left the table.
    pub cause: String,
    /// How rich they were.
    #[serde(flatten)]
    pub left: Count,
    /// The chance of so many rich ones, or more, were changes blind to it (Fisher, one-sided, Holm).
    pub p: f64,
}

/// Whether a player's choices drew cards that chance does not explain.
#[derive(Clone, Debug, Serialize)]
pub struct DrawLean {
    /// Who.
    pub player: PlayerId,
    /// How many cards.
    pub cards: u64,
    /// Low cards above what was to be expected, in standard deviations; below zero: high ones.
    pub deviations: f64,
    /// The chance of cards as far out (normal, two-sided, Holm).
    pub p: f64,
}

/// What withheld seeds could have been worth to the house under one rule set.
#[derive(Clone, Debug, Serialize)]
pub struct Worth {
    /// The rule set.
    pub rules: String,
    /// Rounds that were played under it, void ones among them.
    pub rounds: u64,
    /// Those void for want of a seed.
    pub withheld: u64,
    /// What was staked in all rounds.
    pub staked: i64,
    /// The most that those whose seeds were there could have won in the void ones.
    pub most: i64,
    /// That as a share of all stakes: by so much shills who withheld can have raised the house's edge. It says nothing
    /// of a house that drops the seeds of those whose wins it means; absent where no stake is known when seeds are due,
    /// at poker.
    pub share: Option<f64>,
}

/// What others' withheld seeds could have been worth against one player.
#[derive(Clone, Debug, Serialize)]
pub struct WorthToPlayer {
    /// Who.
    pub player: PlayerId,
    /// Rounds in which the player had a part.
    pub rounds: u64,
    /// Those void for want of others' seeds.
    pub withheld: u64,
    /// What they staked in all rounds.
    pub staked: i64,
    /// The most that they could have won in the void ones.
    pub most: i64,
    /// That as a share of their stakes: so much the house's edge over them can have grown, and no more.
    pub share: f64,
}

impl Leaning {
    pub fn of(book: &AuditReport) -> Leaning {
        let all = book.withheld.total;
        // Tables that lost no seed are looked at too: each has a chance of 1.
        let mut chances =
            vec![1.0; usize::try_from(book.withheld.of_tables).unwrap_or(usize::MAX).max(book.withheld.tables.len())];
        for (chance, at) in chances.iter_mut().zip(&book.withheld.tables) {
            let (here, elsewhere) = (at.rounds.saturating_sub(at.withheld), book.rounds.saturating_sub(at.rounds));
            let others = all.saturating_sub(at.withheld);
            *chance = TwoGroups { first: [at.withheld, here], second: [others, elsewhere.saturating_sub(others)] }
                .first_has_more();
        }
        let withheld =
            book.withheld.tables.iter().zip(holm(&chances)).map(|(at, p)| WithheldLean { at: at.clone(), p }).collect();
        let leans = &book.leans;
        Leaning {
            voids: VoidsLean::of(book.voids.by_house, book.results),
            late_seeds: VoidsLean::of(book.voids.by_late_seeds, book.results),
            abandoned: VoidsLean::of(book.voids.by_abandonment, book.results),
            withheld,
            voids_of_players: listed(of_players(leans, |costs| costs.by_house, lost), |lean| &mut lean.p),
            voids_of_hands: listed(of_hands(leans), |lean| &mut lean.p),
            cancelled_events: listed(of_events(&leans.events), |lean| &mut lean.p),
            disqualified_beside: listed(of_events(&leans.disqualified), |lean| &mut lean.p),
            cost_of_voids: CostsOfVoids {
                by_house: listed(of_players(leans, |costs| costs.by_house, won), |lean| &mut lean.p),
                late_seeds: listed(of_players(leans, |costs| costs.late_seeds, won), |lean| &mut lean.p),
                abandoned: listed(of_players(leans, |costs| costs.abandoned, won), |lean| &mut lean.p),
            },
            restarts: listed(of_restarts(leans), |lean| &mut lean.p),
            shoe_changes: listed(of_changes(leans), |lean| &mut lean.p),
            draws: listed(of_draws(leans), |lean| &mut lean.p),
            withheld_worth: of_worth(leans),
            withheld_worth_by_player: of_worth_to_players(leans),
        }
    }

    pub fn say(&self) {
        let VoidsLean { voided, settled, p } = &self.voids;
        if voided.total() > 0 {
            say(format!(
                "            of {} by the house's doing players would have won {}; of {} settled rounds they won {}: p {p:.2e}",
                voided.total(),
                voided.players,
                settled.total(),
                settled.players
            ));
        }
        let VoidsLean { voided: late, p: late_p, .. } = &self.late_seeds;
        if late.total() > 0 {
            let (all, won) = (late.total(), late.players);
            say(format!(
                "            of {all} for want of a seed that came late players would have won {won}: p {late_p:.2e}"
            ));
        }
        let VoidsLean { voided: left, p: left_p, .. } = &self.abandoned;
        if left.total() > 0 {
            let (all, won) = (left.total(), left.players);
            say(format!(
                "            of {all} that their players abandoned they would have won {won}, which nobody walks away from: p {left_p:.2e}"
            ));
        }
        for PlayerLean { player, missed, p, .. } in unlikely(&self.voids_of_players, |lean| lean.p) {
            let (voided, saved) = (missed.voided.total(), missed.voided.house);
            say(format!(
                "saved       {player}: {saved} of {voided} voids by the house took a loss from them, {} in all, p {p:.2e}",
                missed.saved
            ));
        }
        for HandsLean { player, of, p } in unlikely(&self.voids_of_hands, |lean| lean.p) {
            say(format!(
                "saved       {player}: {} of {} hands of poker that the house voided they would have lost, {} in all; were all hands alike, {:.1}, p {p:.2e}",
                of.lost,
                of.hands,
                of.saved,
                of.due as f64 / 1e6
            ));
        }
        for EventsLean { player, of, p } in unlikely(&self.cancelled_events, |lean| lean.p) {
            say(format!(
                "saved       {player}: {} tournaments were cancelled in play that they had entered; they got {}, and the choice gave them {:+} beside the mean, p {p:.2e}",
                of.events, of.got, of.excess
            ));
        }
        for EventsLean { player, of, p } in unlikely(&self.disqualified_beside, |lean| lean.p) {
            say(format!(
                "favoured    {player}: of {} times that another was disqualified from a tournament that they had entered they were still in {} times; by chance {:.1}, p {p:.2e}",
                of.events,
                of.got,
                of.due as f64 / 1e6
            ));
        }
        let CostsOfVoids { by_house, late_seeds, abandoned } = &self.cost_of_voids;
        for (kind, leans) in
            [("voids by the house", by_house), ("voids for late seeds", late_seeds), ("abandoned rounds", abandoned)]
        {
            for PlayerLean { player, missed, settled, p } in unlikely(leans, |lean| lean.p) {
                let (voided, won) = (missed.voided.total(), missed.voided.players);
                say(format!(
                    "cost        {player}: {won} of {voided} {kind} took a win from them, {} in all, and saved them {}; of {} settled rounds they won {}, p {p:.2e}",
                    missed.cost,
                    missed.saved,
                    settled.total(),
                    settled.players
                ));
            }
        }
        for WithheldLean { at, p } in self.withheld.iter().take(MOST_SAID) {
            say(format!(
                "withheld    table {}: {} of {} rounds void for want of a seed, p {p:.2e}",
                at.table, at.withheld, at.rounds
            ));
        }
        for Worth { rules, rounds, withheld, most, share, .. } in self.withheld_worth.iter().take(MOST_SAID) {
            match share {
                Some(share) => say(format!(
                    "            {rules}: {withheld} of {rounds} rounds; those whose seeds were there could have won {most} in them, {:.2} % of all stakes",
                    share * 100.0
                )),
                None => say(format!(
                    "            {rules}: {withheld} of {rounds} hands; what they were worth to others is not known"
                )),
            }
        }
        if !self.withheld_worth.is_empty() {
            say(
                "            (what shills who withheld can have been worth; not what the house gains that drops the seeds of those who would win)",
            );
        }
        if let Some(WorthToPlayer { player, rounds, withheld, most, share, .. }) = self.withheld_worth_by_player.first()
        {
            say(format!(
                "            {player}, most of all: {withheld} of {rounds} rounds; they could have won {most} in them at most, {:.2} % of their stakes",
                share * 100.0
            ));
        }
        for RestartLean { table, at, p } in unlikely(&self.restarts, |lean| lean.p) {
            let (stood, met) = (at.stood, at.at_restarts);
            say(format!(
                "restarts    table {table}: players ahead {} times, the house {}; as rounds stood: {} and {}, p {p:.2e}",
                met.players, met.house, stood.players, stood.house
            ));
        }
        for ChangeLean { cause, left, p } in unlikely(&self.shoe_changes, |lean| lean.p) {
            let cause = cause_words(cause);
            say(format!(
                "changed     shoes that left since {cause}: {} were rich in high cards, {} in low ones, p {p:.2e}",
                left.rich, left.poor
            ));
        }
        for DrawLean { player, cards, deviations, p } in unlikely(&self.draws, |lean| lean.p) {
            say(format!(
                "draws       {player}: {cards} cards, low ones {deviations:+.1} standard deviations from what chance has, p {p:.2e}"
            ));
        }
        if voided.total() + late.total() + left.total() > 0 || !self.withheld.is_empty() {
            say(
                "            (p: how likely an honest house gets there by chance; small is a reason to ask, not a proof)",
            );
        }
    }
}

/// The first few that are worth a word.
fn unlikely<T>(all: &[T], chance: impl Fn(&T) -> f64) -> impl Iterator<Item = &T> {
    all.iter().filter(move |one| chance(one) < WORTH_SAYING).take(MOST_SAID)
}

/// Corrects chances of one kind for their number (Holm) and keeps the least likely.
fn listed<T>(mut all: Vec<T>, chance: impl Fn(&mut T) -> &mut f64) -> Vec<T> {
    let chances: Vec<f64> = all.iter_mut().map(|one| *chance(one)).collect();
    for (one, corrected) in all.iter_mut().zip(holm(&chances)) {
        *chance(one) = corrected;
    }
    let mut sorted: Vec<(f64, T)> = all.into_iter().map(|mut one| (*chance(&mut one), one)).collect();
    sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
    sorted.into_iter().take(MOST_LISTED).map(|(_, one)| one).collect()
}

/// Rounds that a player lost, and the others.
pub fn lost(results: Results) -> [u64; 2] {
    [results.house, results.players.saturating_add(results.level)]
}

/// Rounds that a player won, and the others.
pub fn won(results: Results) -> [u64; 2] {
    [results.players, results.house.saturating_add(results.level)]
}

/// Each player whose void rounds of this kind are enough to show something, uncorrected: those of whom the numbers of
/// their rounds, voids and hits allow a chance worth saying, whatever came of the voids. So fresh names with a void or
/// two, of whom nothing could be said, do not make it harder to name somebody else. `hits` tells the rounds that are
/// looked for from the others.
pub fn of_players(leans: &Leans, kind: fn(&CostOfVoids) -> Missed, hits: fn(Results) -> [u64; 2]) -> Vec<PlayerLean> {
    let lean = |(player, costs): (&PlayerId, &CostOfVoids)| {
        let (missed, settled) = (kind(costs), costs.settled);
        let groups = TwoGroups { first: hits(missed.voided), second: hits(settled) };
        let can_show = missed.voided.total() > 0 && groups.first_has_more_at_least() < WORTH_SAYING;
        can_show.then(|| PlayerLean { player: player.clone(), missed, settled, p: groups.first_has_more() })
    };
    leans.costs.iter().filter_map(lean).collect()
}

/// The same of hands of poker, where a player's own settled hands are no measure: there they fold, and here everybody
/// calls. Each hand's results are held to fall to those still in as it comes. Of few hands a sum is not normal: a
/// chance is never below that of losing all of them, of which the mean of 1 − 1/n makes no less than it is.
pub fn of_hands(leans: &Leans) -> Vec<HandsLean> {
    let lean = |(player, of): (&PlayerId, &HandsVoided)| {
        let all_lost = (of.due as f64 / 1e6 / of.hands.max(1) as f64).powf(of.hands as f64);
        let less = |deviations: f64| {
            let tail = normal_two_sided(deviations) / 2.0;
            if deviations < 0.0 { tail.max(all_lost) } else { 1.0 - tail }
        };
        // One hand at large stakes hides all others in the first, and counts as one in the second.
        let in_chips = less(of.excess as f64 / (of.variance as f64).sqrt().max(1.0));
        let alike = less(of.even as f64 / 1e6 / (of.hands as f64).sqrt());
        let p = (2.0 * in_chips.min(alike)).min(1.0);
        (all_lost < WORTH_SAYING).then(|| HandsLean { player: player.clone(), of: *of, p })
    };
    leans.hands.iter().filter_map(lean).collect()
}

/// The same of tournaments that were cancelled in play: what each choice gave is held to fall to those who had entered
/// as it comes. Whoever plays well has more at any moment; by little, where events are few. A chance is never below that of
/// having got most each time. The same of disqualifications, which favour whoever is still in.
pub fn of_events(events: &BTreeMap<PlayerId, EventsCancelled>) -> Vec<EventsLean> {
    let lean = |(player, of): (&PlayerId, &EventsCancelled)| {
        let most_each_time = (of.due as f64 / 1e6 / of.events.max(1) as f64).powf(of.events as f64);
        let tail = normal_two_sided(of.excess as f64 / (of.variance as f64).sqrt().max(1.0)) / 2.0;
        let p = if of.excess > 0 { tail.max(most_each_time) } else { 1.0 - tail };
        (most_each_time < WORTH_SAYING).then(|| EventsLean { player: player.clone(), of: *of, p })
    };
    events.iter().filter_map(lean).collect()
}

/// Each table whose restarts are enough to show something, uncorrected, as in [`of_players`]: tables that a house opens
/// besides, and restarts while they stand open once, do not make it harder to name another.
pub fn of_restarts(leans: &Leans) -> Vec<RestartLean> {
    let lean = |(table, at): (&TableId, &AtTable)| {
        let [first, second] = [at.at_restarts, at.stood].map(|stood| [stood.players, stood.house]);
        let groups = TwoGroups { first, second };
        (groups.differ_at_least() < WORTH_SAYING).then(|| RestartLean {
            table: table.clone(),
            at: *at,
            p: groups.differ(),
        })
    };
    leans.tables.iter().filter_map(lean).collect()
}

/// Each cause that somebody chose, uncorrected. Rounds of one shoe resemble each other, so that they count as much
/// together as one: a comparison on the cautious side.
pub fn of_changes(leans: &Leans) -> Vec<ChangeLean> {
    let total = |count: &Count| count.rich + count.poor + count.even;
    let shoes: u64 = leans.left_by_cause.values().map(total).sum();
    let rounds_each = (total(&leans.left_at_rounds) / shoes.max(1)).max(1);
    let second = [leans.left_at_rounds.rich / rounds_each, leans.left_at_rounds.poor / rounds_each];
    let chosen = leans.left_by_cause.iter().filter(|(cause, _)| !["threshold", "exhausted"].contains(&cause.as_str()));
    let p = |left: &Count| TwoGroups { first: [left.rich, left.poor], second }.first_has_more();
    chosen.map(|(cause, left)| ChangeLean { cause: cause.clone(), left: *left, p: p(left) }).collect()
}

/// Each player with enough draws, uncorrected.
pub fn of_draws(leans: &Leans) -> Vec<DrawLean> {
    let enough = leans.draws.iter().filter(|(_, draws)| draws.cards >= LEAST_DRAWS && draws.variance > 0);
    let lean = |(player, draws): (&PlayerId, &fairshoe_judge::audit::Draws)| {
        let deviations = draws.excess as f64 / 1e6 / (draws.variance as f64 / 1e6).sqrt();
        DrawLean { player: player.clone(), cards: draws.cards, deviations, p: normal_two_sided(deviations) }
    };
    enough.map(lean).collect()
}

fn of_worth(leans: &Leans) -> Vec<Worth> {
    let withheld = leans.staked.iter().filter(|(_, staked)| staked.withheld > 0);
    let worth = withheld.map(|(rules, staked)| Worth {
        rules: rules.clone(),
        rounds: staked.rounds,
        withheld: staked.withheld,
        staked: staked.staked,
        most: staked.most,
        share: (staked.staked > 0).then(|| share(staked.most, staked.staked)),
    });
    let mut worth: Vec<Worth> = worth.collect();
    let order = |worth: &Worth| worth.share.unwrap_or(f64::INFINITY);
    worth.sort_by(|a, b| order(b).total_cmp(&order(a)));
    worth.truncate(MOST_LISTED);
    worth
}

/// The players whom withheld seeds of others can have cost most come first. By the amount: of one round that was void
/// the share is always large.
fn of_worth_to_players(leans: &Leans) -> Vec<WorthToPlayer> {
    let withheld = leans.staked_by.iter().filter(|(_, by)| by.withheld > 0);
    let worth = withheld.map(|(player, by)| WorthToPlayer {
        player: player.clone(),
        rounds: by.rounds,
        withheld: by.withheld,
        staked: by.staked,
        most: by.most,
        share: share(by.most, by.staked),
    });
    let mut worth: Vec<WorthToPlayer> = worth.collect();
    worth.sort_by(|a, b| b.most.cmp(&a.most).then_with(|| a.player.cmp(&b.player)));
    // Whoever places large stakes under many names in rounds that they leave void would else push everybody off the
    // list.
    let rest = worth.split_off(worth.len().min(MOST_LISTED));
    let mut by_share: Vec<WorthToPlayer> = rest.into_iter().filter(|worth| worth.rounds >= LEAST_ROUNDS).collect();
    by_share.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.player.cmp(&b.player)));
    worth.extend(by_share.into_iter().take(MOST_LISTED));
    worth
}

fn share(most: i64, staked: i64) -> f64 {
    if staked > 0 { most as f64 / staked as f64 } else { 0.0 }
}

/// A cause as the log has it, in words.
pub fn cause_words(cause: &str) -> &str {
    match cause {
        "reveal_missing" => "a seed was not revealed in time",
        "crash" => "the dealer was restarted",
        "malfunction" => "the operator declared a malfunction",
        "shoe_exhausted" => "the shoe ran out",
        "abandoned" => "the player stayed away",
        "threshold" => "it was dealt down as far as the rules say",
        "newcomer" => "a newcomer asked to play",
        "restart" => "the dealer was restarted",
        "exhausted" => "it ran out",
        "house_shuffle" => "the operator asked for a shuffle",
        "closed" => "the table was closed",
        "pile_used" => "its pile was used",
        "pile_unused" => "its pile's shuffle did not come about",
        "idle" => "nobody played from it any more",
        "full" => "its history was as long as it may be",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whoever_had_most_at_each_cancellation_is_named_and_one_event_says_nothing() {
        let of = |events: u64, excess| {
            let due = 166_666 * events as i64;
            let of_player = EventsCancelled { events, due, got: 0, excess, variance: u128::from(events) * 250_000 };
            of_events(&[("f".parse().unwrap(), of_player)].into()).first().map(|lean| lean.p)
        };
        assert!(of(1, 1_118).is_none(), "one in six has most");
        assert!(of(12, 12 * 1_118).is_some_and(|p| p < 1e-8));
        assert!(of(12, 500).is_some_and(|p| p > 0.2));
        assert!(of(12, -12 * 1_118).is_some_and(|p| p > 0.9));
    }

    use fairshoe_judge::audit::{StakedBy, Voids, Withheld};

    fn book(voided: Results, withheld: &[(&str, u64, u64)], rounds: u64) -> AuditReport {
        let tables: Vec<WithheldAt> = withheld
            .iter()
            .map(|(name, rounds, withheld)| WithheldAt {
                table: name.parse().unwrap(),
                rounds: *rounds,
                withheld: *withheld,
            })
            .collect();
        let total = tables.iter().map(|at| at.withheld).sum();
        AuditReport {
            rounds,
            results: Results { players: 430, house: 480, level: 90 },
            voids: Voids { by_house: voided, ..Voids::default() },
            withheld: Withheld { total, of_tables: 10, tables },
            ..AuditReport::default()
        }
    }

    #[test]
    fn voids_that_hit_the_players_wins_are_unlikely_and_even_ones_are_not() {
        let lean = |players, house| Leaning::of(&book(Results { players, house, level: 0 }, &[], 1_000)).voids.p;
        assert!(lean(12, 0) < 1e-3, "{}", lean(12, 0));
        assert!(lean(5, 7) > 0.3 && lean(0, 12) > 0.99);
        assert!(lean(0, 0) > 0.999, "no void, no suspicion");
    }

    #[test]
    fn players_who_walk_away_from_their_wins_are_unlikely_and_those_who_leave_losing_hands_are_not() {
        let lean = |players, house| {
            let voids = Voids { by_abandonment: Results { players, house, level: 0 }, ..Voids::default() };
            let book = AuditReport { voids, ..book(Results::default(), &[], 1_000) };
            Leaning::of(&book).abandoned.p
        };
        assert!(lean(25, 0) < 1e-8, "{}", lean(25, 0));
        assert!(lean(2, 20) > 0.9 && lean(0, 0) > 0.999);
    }

    #[test]
    fn a_table_where_seeds_stay_away_is_named_and_even_ones_are_not() {
        let lean = |tables: &[(&str, u64, u64)]| Leaning::of(&book(Results::default(), tables, 1_000)).withheld;
        let odd = lean(&[("dark", 100, 20), ("light", 100, 2)]);
        assert!(odd[0].p < 1e-6 && odd[1].p > 0.9, "{} {}", odd[0].p, odd[1].p);
        let even = lean(&[("a", 100, 3), ("b", 100, 2)]);
        assert!(even.iter().all(|at| at.p > 0.05), "{} {}", even[0].p, even[1].p);
    }

    fn results(players: u64, house: u64) -> Results {
        Results { players, house, level: 0 }
    }

    fn leaning(leans: Leans) -> Leaning {
        Leaning::of(&AuditReport { leans, ..AuditReport::default() })
    }

    #[test]
    fn a_player_whom_voids_save_is_named_among_many_and_one_with_even_voids_is_not() {
        let of = |settled, voided, saved| CostOfVoids {
            settled,
            by_house: Missed { voided, saved, cost: 0 },
            ..CostOfVoids::default()
        };
        let mut leans = Leans::default();
        for number in 0..200 {
            let player: PlayerId = format!("p{number}").parse().unwrap();
            leans.costs.insert(player, of(results(90, 110), results(3, 4), 0));
        }
        assert!(leaning(leans.clone()).voids_of_players.iter().all(|lean| lean.p > 0.05));
        leans.costs.insert("friend".parse().unwrap(), of(results(15, 4), results(0, 24), 19_000));
        let named = &leaning(leans).voids_of_players[0];
        assert!(named.player.as_str() == "friend" && named.p < 1e-3, "{named:?}");
    }

    #[test]
    fn a_player_whom_void_hands_save_is_named_and_one_who_loses_as_all_do_is_not() {
        let hands = |hands, lost, due, excess: i64, variance: u128| HandsVoided {
            hands,
            lost,
            due,
            excess,
            // As if each were as large as the others.
            even: (excess as f64 / (variance as f64 / hands as f64).sqrt() * 1e6) as i64,
            variance,
            ..HandsVoided::default()
        };
        let mut leans = Leans::default();
        // Six are in each hand: everybody loses five of six, which their own settled hands, mostly folded, would not
        // show.
        for number in 0..200 {
            leans.hands.insert(
                format!("p{number}").parse().unwrap(),
                hands(60, 50, 50_000_000, 300 * (number % 3 - 1), 300_000),
            );
        }
        assert!(leaning(leans.clone()).voids_of_hands.iter().all(|lean| lean.p > 0.05));
        leans.hands.insert("friend".parse().unwrap(), hands(24, 22, 14_000_000, -2_400, 240_000));
        let named = &leaning(leans).voids_of_hands[0];
        assert!(named.player.as_str() == "friend" && named.p < 1e-3, "{named:?}");
        // Of four hands, however large, nothing can be said, and nobody else's chance is corrected for them.
        let of = |hands| Leans { hands: [("guest".parse().unwrap(), hands)].into(), ..Leans::default() };
        assert!(leaning(of(hands(4, 4, 2_000_000, -4_000, 1))).voids_of_hands.is_empty());
        let six = leaning(of(hands(6, 6, 3_000_000, -6_000, 1))).voids_of_hands;
        assert!((six[0].p - 1.0 / 32.0).abs() < 1e-9, "{six:?}");
    }

    /// A friend whom voids save hides it behind a hand of the house's own that is worth more than all others together.
    #[test]
    fn a_player_whom_void_hands_save_is_named_however_large_the_hands_beside_them_are() {
        let large = 1_000_000i64;
        let of = HandsVoided {
            hands: 25,
            lost: 24,
            due: 12_500_000,
            excess: large - 24 * 100,
            even: -23_000_000,
            variance: 24 * 100 * 100 + u128::from(large.unsigned_abs()).pow(2),
            ..HandsVoided::default()
        };
        let leans = Leans { hands: [("friend".parse().unwrap(), of)].into(), ..Leans::default() };
        let named = &leaning(leans).voids_of_hands[0];
        assert!(named.p < 1e-4, "{named:?}");
    }

    #[test]
    fn a_player_whose_wins_are_voided_is_named_however_many_losing_rounds_of_others_are_voided_beside_them() {
        let missed = |players, house| Missed { voided: results(players, house), ..Missed::default() };
        let mut leans = Leans::default();
        let victim = CostOfVoids { settled: results(160, 200), by_house: missed(12, 0), ..CostOfVoids::default() };
        leans.costs.insert("vera".parse().unwrap(), victim);
        for number in 0..12 {
            let shill = CostOfVoids { settled: results(1, 1), by_house: missed(0, 1), ..CostOfVoids::default() };
            leans.costs.insert(format!("guest-{number}").parse().unwrap(), shill);
        }
        for number in 0..1_000 {
            let other = CostOfVoids { settled: results(90, 110), ..CostOfVoids::default() };
            leans.costs.insert(format!("p{number}").parse().unwrap(), other);
        }
        let costs = leaning(leans).cost_of_voids;
        assert!(costs.by_house[0].player.as_str() == "vera" && costs.by_house[0].p < 1e-3, "{:?}", costs.by_house[0]);
        assert!(costs.by_house.len() == 1 && costs.late_seeds.is_empty() && costs.abandoned.is_empty());
    }

    #[test]
    fn restarts_and_changes_at_chosen_moments_are_unlikely_and_blind_ones_are_not() {
        let stood = |players, house| fairshoe_judge::audit::Standings { players, house, level: 10 };
        let at = |players, house| AtTable { stood: stood(500, 520), at_restarts: stood(players, house) };
        let tables =
            |players, house| Leans { tables: [("t1".parse().unwrap(), at(players, house))].into(), ..Leans::default() };
        assert!(leaning(tables(20, 1)).restarts[0].p < 1e-4 && leaning(tables(9, 12)).restarts[0].p > 0.3);
        // Of a restart or two nothing can be said, and no other table's chance is corrected for them.
        let mut many = tables(20, 1);
        many.tables.extend((0..1_000).map(|number| (format!("own-{number}").parse().unwrap(), at(1, 1))));
        let named = leaning(many).restarts;
        assert!(named.len() == 1 && named[0].table.as_str() == "t1" && named[0].p < 1e-4, "{named:?}");
        let count = |rich, poor| Count { rich, poor, even: 0 };
        let changes = |rich, poor| Leans {
            left_at_rounds: count(700, 700),
            left_by_cause: [("newcomer".into(), count(rich, poor)), ("threshold".into(), count(1, 30))].into(),
            ..Leans::default()
        };
        let found = leaning(changes(63, 6)).shoe_changes;
        assert!(found.len() == 1 && found[0].p < 1e-6, "{found:?}");
        assert!(leaning(changes(36, 33)).shoe_changes[0].p > 0.2);
    }

    #[test]
    fn draws_that_chance_does_not_explain_are_named() {
        let draws = |excess| fairshoe_judge::audit::Draws { cards: 400, excess, variance: 300_000_000 };
        let leans = |excess| Leans { draws: [("shill".parse().unwrap(), draws(excess))].into(), ..Leans::default() };
        assert!(leaning(leans(-90_000_000)).draws[0].p < 1e-6);
        assert!(leaning(leans(20_000_000)).draws[0].p > 0.2);
    }

    #[test]
    fn what_withheld_seeds_could_be_worth_is_a_share_of_all_stakes() {
        let staked = fairshoe_judge::audit::Staked {
            rounds: 3_000,
            staked: 300_000,
            withheld: 16,
            staked_by_others: 1_600,
            most: 56_000,
        };
        let leans = Leans { staked: [("roulette".into(), staked)].into(), ..Leans::default() };
        let worth = &leaning(leans).withheld_worth[0];
        assert!((worth.share.unwrap() - 0.186_67).abs() < 1e-4, "{worth:?}");
        let pots = fairshoe_judge::audit::Staked { rounds: 200, withheld: 40, ..Default::default() };
        let leans = Leans { staked: [("holdem".into(), pots)].into(), ..Leans::default() };
        assert_eq!(leaning(leans).withheld_worth[0].share, None);
    }

    /// Attack: the house's own friends stake much beside the player, so that what it took from them is a small share of
    /// all stakes.
    #[test]
    fn what_withheld_seeds_could_be_worth_against_a_player_is_a_share_of_their_stakes_alone() {
        let by = |rounds, staked, withheld, most| StakedBy { rounds, staked, withheld, most };
        let staked = fairshoe_judge::audit::Staked {
            rounds: 300,
            staked: 10_030_000,
            withheld: 16,
            staked_by_others: 1_600,
            most: 5_600,
        };
        let leans = Leans {
            staked: [("roulette".into(), staked)].into(),
            staked_by: [
                ("friend", by(300, 10_000_000, 0, 0)),
                ("mark", by(300, 30_000, 16, 5_600)),
                ("once", by(1, 10, 1, 350)),
            ]
            .map(|(name, by)| (name.parse().unwrap(), by))
            .into(),
            ..Leans::default()
        };
        let leaning = leaning(leans);
        assert!(leaning.withheld_worth[0].share.unwrap() < 1e-3);
        let [mark, once] = leaning.withheld_worth_by_player.as_slice() else {
            panic!("{:?}", leaning.withheld_worth_by_player)
        };
        assert!(mark.player.as_str() == "mark" && (mark.share - 0.186_67).abs() < 1e-4, "{mark:?}");
        assert!(once.player.as_str() == "once" && once.share > 30.0, "{once:?}");
    }
}
