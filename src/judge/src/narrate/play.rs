//! Events of a round and players' choices in plain English, common to all games. Each game's folder has its own words.

use super::Telling;
use super::utc;
use fairshoe_games::{Action, Chips, Outcome, RoundEvent, Settlement, Wager};

fn action_words(action: &Action, telling: &Telling) -> String {
    let words = match action {
        Action::Hit => "takes a card",
        Action::Stand => "stands",
        Action::Double { .. } => "doubles",
        Action::Split => "splits",
        Action::Insurance { take: true } => "takes the insurance",
        Action::Insurance { take: false } => "declines the insurance",
        Action::EvenMoney { take: true } => "takes even money",
        Action::EvenMoney { take: false } => "waits for the dealer's hand",
        Action::Surrender => "gives the hand up",
        Action::FaceDown => "takes a card face-down",
        Action::Change { card } => return format!("changes {card}"),
        Action::Accept => "takes the card shown into the hand",
        Action::Reject => "refuses the card shown",
        Action::Open { hand } => {
            return hand.map_or_else(|| "opens a hand".to_owned(), |hand| format!("opens {}", telling.place(hand)));
        }
        Action::Discard { hand } => {
            return hand.map_or_else(
                || "discards a face-down hand".to_owned(),
                |hand| format!("discards {}", telling.place(hand)),
            );
        }
        Action::Pass => "passes",
        Action::Fold => "folds",
        Action::Check => "checks",
        Action::Call => "calls",
        Action::Bet { to } => return format!("bets {}", telling.sum(*to)),
        Action::Raise { to } => return format!("raises to {}", telling.sum(*to)),
        Action::Show => "shows the hand",
        Action::Muck => "gives the hand up unseen",
    };
    words.to_owned()
}

fn settlement(line: &Settlement, telling: &Telling) -> String {
    let outcome = match line.outcome {
        Outcome::Blackjack => "wins with a blackjack",
        Outcome::Win => "wins",
        Outcome::Draw => "draws",
        Outcome::Loss => "loses",
        Outcome::Bust => "is bust",
        Outcome::Surrender => "is given up",
        Outcome::EvenMoney => "is paid even money",
    };
    let what = match line.wager {
        Wager::Hand => "",
        Wager::Insurance => "the insurance of ",
        Wager::Bet => "the bet on ",
        Wager::Entry => "the entry of ",
    };
    format!(
        "{what}{} {outcome}: {} staked, {} returned to {}",
        telling.place(line.place),
        telling.sum(line.stake),
        telling.sum(line.returned),
        line.player
    )
}

pub(super) fn play(event: &RoundEvent, telling: &Telling) -> String {
    match event {
        RoundEvent::Dealt { slot, to, card: Some(card), .. } => {
            format!("dealt {card} to {} from slot {slot}", telling.place(*to))
        }
        RoundEvent::Dealt { slot, to, card: None, .. } => {
            format!("dealt a card face-down to {} from slot {slot}", telling.place(*to))
        }
        RoundEvent::Turned { pile: None, slot, card } => format!("turned up {card} in slot {slot}"),
        RoundEvent::Turned { pile: Some(pile), slot, card } => {
            format!("turned up {card} in slot {slot} of pile {pile}")
        }
        RoundEvent::Spun { slot, value, pocket } => {
            format!("the wheel stops at {pocket}: slot {slot} holds {value}, moved by the players' seeds")
        }
        RoundEvent::Shuffled { pile } => format!("pile {pile} is in place"),
        RoundEvent::Absent { player } => format!("{player} took no part in the shuffle and is out"),
        RoundEvent::Peeked { slot, blackjack } => {
            format!(
                "the dealer looks at slot {slot} and says: {}",
                if *blackjack { "a blackjack" } else { "no blackjack" }
            )
        }
        RoundEvent::Offered { decision, player, place, options, deadline, extra_ms, .. } => {
            let options = options.iter().map(|offer| match offer.to {
                Some((least, most)) => {
                    format!("{} to {}–{}", offer.action, telling.sum(least), telling.sum(most))
                }
                None if offer.cost == Chips::ZERO => offer.action.to_string(),
                None => format!("{} for {}", offer.action, telling.sum(offer.cost)),
            });
            let options = options.collect::<Vec<_>>().join(", ");
            // A script has no clock: its deadlines are 0.
            let until = if *deadline == 0 { String::new() } else { format!(", until {}", utc(*deadline)) };
            let extra = match extra_ms {
                0 => String::new(),
                ms => format!(", {ms} ms of it for having been cut off"),
            };
            format!("decision {decision}: {player} may at {} choose {options}{until}{extra}", telling.place(*place))
        }
        RoundEvent::Acted { player, action, cost, default, .. } => {
            let who = match telling.asked.filter(|_| telling.at_seats) {
                Some(place) => format!("{} ({player})", telling.place(place)),
                None => player.to_string(),
            };
            let cost = match (action, *cost) {
                (_, Chips::ZERO) => String::new(),
                // A first bet costs what it goes to.
                (Action::Bet { to }, cost) if *to == cost => String::new(),
                (Action::Call, cost) if telling.at_seats => format!(" {}", telling.sum(cost)),
                (_, cost) if telling.at_seats => format!(" with {} more", telling.sum(cost)),
                (_, cost) => format!(" for {}", telling.sum(cost)),
            };
            let default = if *default { ", by default play" } else { "" };
            format!("{who} {}{cost}{default}", action_words(action, telling))
        }
        RoundEvent::Paid { lines } => lines.iter().map(|line| settlement(line, telling)).collect::<Vec<_>>().join("; "),
        own => own.own_words(&|amount| telling.sum(amount)).unwrap_or_default(),
    }
}
