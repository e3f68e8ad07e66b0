use crate::{Actor, Command, Entry, Event, Lapsed, Line};
use fairshoe_fairness::Card;
use fairshoe_games::blackjack::total;
use fairshoe_games::{Action, Ahead, Outcome, Place, RoundEvent, Settlement, Wager};
use std::collections::BTreeMap;

/// An entry in plain English: a line for the command, then one for each event (spec/audit.md, "The story").
pub fn narrate(entry: &Entry) -> Vec<String> {
    Narrator::default().entry(entry)
}

/// Tells a table's entries one after another, and keeps the hands in mind so that it can name their totals.
#[derive(Clone, Debug, Default)]
pub struct Narrator {
    hands: BTreeMap<Place, Vec<Option<Card>>>,
    asked: Option<(u32, Place)>,
}

impl Narrator {
    /// The lines of the next entry.
    pub fn entry(&mut self, entry: &Entry) -> Vec<String> {
        let time = utc(entry.time);
        let mut lines = vec![format!("{time} {}", command(entry))];
        for event in &entry.events {
            lines.push(format!("  {}", self.event(event)));
        }
        lines
    }

    /// The line of the next event.
    pub fn event(&mut self, event: &Event) -> String {
        self.follow(event);
        match self.total_after(event) {
            Some(total) => format!("{} ({total})", phrase(event)),
            None => phrase(event),
        }
    }

    fn follow(&mut self, event: &Event) {
        match event {
            Event::BetsClosed { .. } => self.hands.clear(),
            Event::Play(RoundEvent::Dealt { to, card, .. }) => self.hands.entry(*to).or_default().push(*card),
            Event::Play(RoundEvent::Turned { card, .. }) => {
                let hidden = self.hands.get_mut(&Place::Dealer).and_then(|cards| cards.iter_mut().find(|card| card.is_none()));
                if let Some(hidden) = hidden {
                    *hidden = Some(*card);
                }
            }
            Event::Play(RoundEvent::Offered { decision, place, .. }) => self.asked = Some((*decision, *place)),
            Event::Play(RoundEvent::Acted { decision, action: Action::Split, .. }) => self.split(*decision),
            _ => {}
        }
    }

    fn split(&mut self, decision: u32) {
        let place = self.asked.filter(|(asked, _)| *asked == decision).map(|(_, place)| place);
        let Some(Place::Hand { spot, hand }) = place else { return };
        let second = self.hands.get_mut(&Place::Hand { spot, hand }).and_then(Vec::pop);
        if let (Some(second), Some(new)) = (second, hand.checked_add(1)) {
            self.hands.insert(Place::Hand { spot, hand: new }, vec![second]);
        }
    }

    /// The face-up total of the hand that the event changed.
    fn total_after(&self, event: &Event) -> Option<String> {
        let place = match event {
            Event::Play(RoundEvent::Dealt { to, card: Some(_), .. }) => *to,
            Event::Play(RoundEvent::Turned { .. }) => Place::Dealer,
            _ => return None,
        };
        let cards = self.hands.get(&place)?;
        let up: Vec<Card> = cards.iter().copied().flatten().collect();
        let sum = total(up.iter().copied());
        let hidden = if up.len() < cards.len() { ", one card face-down" } else { "" };
        let shown = up.iter().map(Card::to_string).collect::<Vec<_>>().join(" ");
        Some(format!("{} {shown}: {}{}{hidden}", place_words(place), if sum.soft { "soft " } else { "" }, sum.points))
    }
}

fn by(actor: &Actor) -> String {
    match actor {
        Actor::Operator => "the operator".into(),
        Actor::House => "the house".into(),
        Actor::Anyone => "somebody".into(),
        Actor::Player(player) => player.to_string(),
    }
}

fn command(entry: &Entry) -> String {
    let who = by(&entry.by);
    match &entry.command {
        Command::StartDealer { origin, software, .. } => format!("{who} starts the dealer of the log {origin} ({})", software.as_str()),
        Command::CreatePlayer { player } => format!("{who} creates the player {player}"),
        Command::IssueToken { holder, revoke } => {
            format!("{who} issues a token for {holder}{}", if *revoke { ", the earlier ones stop working" } else { "" })
        }
        Command::Credit { player, amount, .. } => format!("{who} pays in {amount} for {player}"),
        Command::Withdraw { player, amount, .. } => format!("{who} pays out {amount} to {player}"),
        Command::OpenTable { table, rules } => format!("{who} opens the table {table} with the rules {}", rules.name),
        Command::CloseTable { table } => format!("{who} closes the table {table}"),
        Command::CommitShoe { table } => format!("{who} commits to the next shoe at {table}"),
        Command::Bet { table, round_no, bets, .. } => {
            let bets = bets.iter().map(|bet| format!("{} on {}", bet.stake, bet.spot)).collect::<Vec<_>>().join(", ");
            format!("Round {round_no} at {table}: {who} stakes {bets}")
        }
        Command::Reveal { table, round_no, player, .. } => {
            format!("Round {round_no} at {table}: the seed of {player} is revealed by {who}")
        }
        Command::Act { table, round_no, decision, action } => {
            format!("Round {round_no} at {table}: {who} answers decision {decision} with {action}")
        }
        Command::Lapse { table, round_no, lapsed } => {
            let what = match lapsed {
                Lapsed::Reveal => "a seed was not revealed in time",
                Lapsed::Round => "the round was not finished in time",
            };
            format!("Round {round_no} at {table}: {who} finds that {what}")
        }
        Command::VoidRound { table, round_no, reason } => {
            format!("Round {round_no} at {table}: {who} declares a malfunction ({})", reason.as_str())
        }
        Command::Recover { table } => format!("{who} puts {table} in order after a restart"),
    }
}

fn place_words(place: Place) -> String {
    match place {
        Place::Dealer => "dealer".into(),
        Place::Hand { spot, hand } => format!("box {spot} hand {hand}"),
    }
}

fn action_words(action: &Action) -> &'static str {
    match action {
        Action::Hit => "takes a card",
        Action::Stand => "stands",
        Action::Double { .. } => "doubles",
        Action::Split => "splits",
        Action::Insurance { take: true } => "takes the insurance",
        Action::Insurance { take: false } => "declines the insurance",
    }
}

fn settlement(line: &Settlement) -> String {
    let outcome = match line.outcome {
        Outcome::Blackjack => "wins with a blackjack",
        Outcome::Win => "wins",
        Outcome::Draw => "draws",
        Outcome::Loss => "loses",
        Outcome::Bust => "is bust",
    };
    let what = if line.wager == Wager::Insurance { "the insurance of " } else { "" };
    format!("{what}{} {outcome}: {} staked, {} returned to {}", place_words(line.place), line.stake, line.ret, line.player)
}

fn play(event: &RoundEvent) -> String {
    match event {
        RoundEvent::Dealt { slot, to, card: Some(card), .. } => format!("dealt {card} to {} from slot {slot}", place_words(*to)),
        RoundEvent::Dealt { slot, to, card: None, .. } => format!("dealt a card face-down to {} from slot {slot}", place_words(*to)),
        RoundEvent::Turned { slot, card } => format!("turned up {card} in slot {slot}"),
        RoundEvent::Peeked { slot, blackjack } => {
            format!("the dealer looks at slot {slot} and says: {}", if *blackjack { "a blackjack" } else { "no blackjack" })
        }
        RoundEvent::Offered { decision, player, place, options, deadline } => {
            let options = options.iter().map(|offer| {
                if offer.cost.units() == 0 { offer.action.to_string() } else { format!("{} for {}", offer.action, offer.cost) }
            });
            let options = options.collect::<Vec<_>>().join(", ");
            // A script has no clock: its deadlines are 0.
            let until = if *deadline == 0 { String::new() } else { format!(", until {}", utc(*deadline)) };
            format!("decision {decision}: {player} may at {} choose {options}{until}", place_words(*place))
        }
        RoundEvent::Acted { player, action, cost, default, .. } => {
            let cost = if cost.units() == 0 { String::new() } else { format!(" for {cost}") };
            let default = if *default { ", by default play" } else { "" };
            format!("{player} {}{cost}{default}", action_words(action))
        }
        RoundEvent::Paid { lines } => lines.iter().map(settlement).collect::<Vec<_>>().join("; "),
    }
}

/// An event in plain English, without what went before.
pub(crate) fn phrase(event: &Event) -> String {
    match event {
        Event::DealerStarted { epoch, down_ms, .. } => {
            format!("the dealer starts under epoch {epoch}, {down_ms} ms after the entry before")
        }
        Event::PlayerCreated { player } => format!("the player {player} exists"),
        Event::TokenIssued { holder, .. } => format!("a token for {holder} works"),
        Event::TableOpened { rules, digest, owner, .. } => {
            let owner = owner.as_ref().map_or_else(|| "everyone".to_owned(), ToString::to_string);
            format!("the rules {} with digest {digest} are in force, for {owner}", rules.name)
        }
        Event::TableClosed {} => "the table is closed".into(),
        Event::ShoeCommitted { shoe_no, composition, candidates } => {
            let each =
                candidates.iter().map(|c| format!("seed commitment {}, root {}", c.commitment, c.root)).collect::<Vec<_>>().join("; ");
            format!("shoe {shoe_no} of {composition} is fixed: {each}")
        }
        Event::BetsOpened { round_no, shoe_no } => format!("round {round_no} takes bets, on shoe {shoe_no}"),
        Event::BetPlaced { bet } => format!("{} bets {} with seed commitment {}", bet.player, staked(&bet.bets), bet.commitment),
        Event::BetsClosed { round_no, contributors, lanes, reveal_by, .. } => {
            let who =
                contributors.iter().map(|c| format!("{} ({}, {})", c.player, staked(&c.bets), c.commitment)).collect::<Vec<_>>().join(", ");
            format!("bets of round {round_no} bind: {who}; {lanes} lane(s); seeds are due until {}", utc(*reveal_by))
        }
        Event::SeedRevealed { player, seed } => format!("the seed of {player} is {seed}"),
        Event::RoundOpened { entropy, pick, settle_by, .. } => {
            format!("the shuffle is fixed by entropy {entropy}, candidate {pick} is dealt; to be settled until {}", utc(*settle_by))
        }
        Event::Play(event) => play(event),
        Event::Posted { lines } => lines.iter().map(line_words).collect::<Vec<_>>().join(", "),
        Event::RoundSettled { round_no, staked, ret } => {
            let net = ret.signed().saturating_sub(staked.signed());
            format!("round {round_no} is settled: {staked} staked, {ret} returned, {net:+} for the players")
        }
        Event::RoundVoided { round_no, cause, missing, ahead } => {
            let cause = match cause {
                crate::VoidCause::RevealMissing => "a seed was not revealed",
                crate::VoidCause::Crash => "the service crashed",
                crate::VoidCause::Malfunction => "the operator declared a malfunction",
                crate::VoidCause::ShoeExhausted => "the shoe is exhausted",
            };
            let missing = if missing.is_empty() {
                String::new()
            } else {
                format!(" by {}", missing.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))
            };
            let ahead = match ahead {
                Ahead::Nobody => "no card had decided anything",
                Ahead::Level => "it stood level",
                Ahead::Players => "the players were ahead",
                Ahead::House => "the house was ahead",
            };
            format!("round {round_no} is void because {cause}{missing}; {ahead}; every wager comes back")
        }
        Event::RoundResumed { round_no, reveal_by, settle_by } => {
            let until = reveal_by.or(*settle_by).map(utc).unwrap_or_default();
            format!("round {round_no} goes on, until {until}")
        }
        Event::ShoeRevealed { shoe_no, seeds } => {
            let seeds = seeds.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
            format!("shoe {shoe_no} is retired, its seed is {seeds}")
        }
    }
}

fn staked(bets: &[fairshoe_games::Bet]) -> String {
    bets.iter().map(|bet| format!("{} on {}", bet.stake, bet.spot)).collect::<Vec<_>>().join(", ")
}

fn line_words(line: &Line) -> String {
    format!("{} {:+} to {}", line.0, line.1, line.2)
}

/// UTC milliseconds as RFC 3339, by the proleptic Gregorian calendar.
pub fn utc(ms: u64) -> String {
    const DAY_MS: u64 = 86_400_000;
    let (days, in_day) = (ms / DAY_MS, ms % DAY_MS);
    let (year, month, day) = civil(days);
    let (hours, minutes, seconds, millis) = (in_day / 3_600_000, in_day / 60_000 % 60, in_day / 1_000 % 60, in_day % 1_000);
    format!("{year:04}-{month:02}-{day:02}T{hours:02}:{minutes:02}:{seconds:02}.{millis:03}Z")
}

/// Year, month and day of a number of days since 1970-01-01. Years are counted from March, so that the leap day is the
/// last of its year, in eras of 400 years, which all have 146,097 days.
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days.saturating_add(719_468);
    let (era, day_of_era) = (shifted / 146_097, shifted % 146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rfc_3339() {
        for (ms, text) in [
            (0, "1970-01-01T00:00:00.000Z"),
            (951_782_399_999, "2000-02-28T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_800_000, "2000-03-01T00:00:00.000Z"),
            (1_700_000_000_123, "2023-11-14T22:13:20.123Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
        ] {
            assert_eq!(utc(ms), text);
        }
        assert!(utc(u64::MAX).ends_with('Z'));
    }
}
