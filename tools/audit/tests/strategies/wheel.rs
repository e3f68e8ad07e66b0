//! Roulette and baccarat: pockets and cards chosen when everybody's seeds are known, seeds withheld by fresh names,
//! rules under another's name.

use crate::common::*;
use crate::crook::*;
use crate::judged::Evidence;
use crate::list::Played;
use crate::worth::Worth;
use fairshoe_games::{RoundEvent, RuleSet};
use fairshoe_house::{Actor, Entry, Event, Lapsed};

const ROULETTE: f64 = 100.0 / 37.0;
const BACCARAT_PLAYER: f64 = 1.2351;

fn played(crook: Crook, victims: &[&str], honest: f64) -> Played {
    let worth = Worth::of(&crook.house.log, victims, honest);
    let worth = if crook.gained > 0 { worth.knowing(crook.gained) } else { worth };
    Played { evidence: Evidence::of(crook.house.log), worth }
}

/// What a player would win in an entry that pays.
fn net(entry: &Entry, who: &str) -> i64 {
    let lines = entry.events.iter().filter_map(|event| match event {
        Event::Play(RoundEvent::Paid { lines }) => Some(lines),
        _ => None,
    });
    lines
        .flatten()
        .filter(|line| line.player.as_str() == who)
        .map(|line| line.returned.signed() - line.stake.signed())
        .sum()
}

/// What alice would win if the last seed, that of `who`, came out now.
fn alice_would_win(crook: &Crook, at: &str, who: &str) -> i64 {
    net(&crook.peek(&Actor::Anyone, &reveal_of(&crook.house, at, who)), "alice")
}

/// The pocket is chosen when the players' offset is known. One spin before a wheel is used up all go to the next table.
pub fn chosen_pockets(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    let (mut nth, mut wins) = (0, 0);
    for round in 0..rounds {
        if round % 63 == 0 {
            if nth > 0 {
                let _ = crook.leave(&format!("wheel-{nth}"), "alice");
                crook.frozen.insert(format!("wheel-{nth}"));
            }
            nth += 1;
            crook.open(&format!("wheel-{nth}"), "roulette", &[]);
        }
        let at = &format!("wheel-{nth}");
        crook.ready(at, &["alice"]);
        crook.bets(at, &[("alice", &[("red", 100)])]);
        let before = alice_would_win(&crook, at, "alice");
        if before > 0 {
            wins += 1;
            while wins % 3 == 0 && alice_would_win(&crook, at, "alice") > 0 {
                choose_next(&mut crook, at);
            }
            crook.gained += before - alice_would_win(&crook, at, "alice");
        }
        crook.seeds_but(at, "");
        crook.work(at);
        crook.pass(2 * SECOND);
    }
    crook.pass(30 * DAY);
    crook.credit("alice", 1);
    played(crook, &["alice"], ROULETTE)
}

/// Another value for the slot that the wheel comes to.
fn choose_next(crook: &mut Crook, at: &str) {
    let id = crook.house.table(at).shoe.as_ref().unwrap().id.clone();
    let spun = crook.peek(&Actor::Anyone, &reveal_of(&crook.house, at, "alice"));
    let spun = spun.events.iter().find_map(|event| match event {
        Event::Play(RoundEvent::Spun { slot, value, .. }) => Some((*slot, *value)),
        _ => None,
    });
    let (slot, value) = spun.unwrap();
    crook.liar.chosen.borrow_mut().insert((id.context.table.to_string(), id.shoe_no, slot.0), (value + 1) % 37);
}

/// The same at a wheel that the house then goes out of business with: nothing is due when its log ends.
pub fn pockets_until_the_end(rounds: usize) -> Played {
    played(chosen_until_the_end(rounds), &["alice"], ROULETTE)
}

/// The same, and the log ends before the wheel comes out: another goes on from it, with nothing but balances.
pub fn pockets_behind_the_end(rounds: usize) -> Played {
    let mut crook = chosen_until_the_end(rounds);
    crook.end_log();
    played(crook, &["alice"], ROULETTE)
}

fn chosen_until_the_end(rounds: usize) -> Crook {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    crook.open("wheel-1", "roulette", &[("spins", "4096")]);
    let mut wins = 0;
    for _ in 0..rounds {
        crook.ready("wheel-1", &["alice"]);
        crook.bets("wheel-1", &[("alice", &[("red", 100)])]);
        let before = alice_would_win(&crook, "wheel-1", "alice");
        if before > 0 {
            wins += 1;
            while wins % 3 == 0 && alice_would_win(&crook, "wheel-1", "alice") > 0 {
                choose_next(&mut crook, "wheel-1");
            }
            crook.gained += before - alice_would_win(&crook, "wheel-1", "alice");
        }
        crook.seeds_but("wheel-1", "");
        crook.work("wheel-1");
        crook.pass(2 * SECOND);
    }
    crook
}

/// Fresh names hold their seeds back at a third of alice's wins on a number.
pub fn throw_away_shills(rounds: usize) -> Played {
    shills_withhold(rounds, "roulette", &[("straight:17", 100)], &[("red", 100)], 3, ROULETTE)
}

/// The same at baccarat, at a tenth of her wins on Player.
pub fn throw_away_shills_at_baccarat(rounds: usize) -> Played {
    shills_withhold(rounds, "baccarat", &[("player", 100)], &[("tie", 100)], 10, BACCARAT_PLAYER)
}

fn shills_withhold(
    rounds: usize,
    rules: &str,
    bets: &[(&str, u64)],
    shill_bets: &[(&str, u64)],
    nth: usize,
    honest: f64,
) -> Played {
    let at = "t1";
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    crook.open(at, rules, &[]);
    let (mut wins, mut shill) = (0, String::new());
    for _ in 0..rounds {
        if shill.is_empty() {
            shill = crook.fresh_shill(1_000_000);
        }
        crook.ready(at, &["alice", &shill]);
        crook.bets(at, &[("alice", bets), (&shill, shill_bets)]);
        crook.seeds_but(at, &shill);
        let net = alice_would_win(&crook, at, &shill);
        wins += usize::from(net > 0);
        if net > 0 && wins % nth == 0 {
            crook.gained += net;
            crook.lapse(at, Lapsed::Reveal);
            shill.clear();
        } else {
            crook.show(at, &shill).unwrap();
            crook.work(at);
        }
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], honest)
}

/// A rule set that is called roulette, and pays a number 17:1.
pub fn roulette_in_name(rounds: usize) -> Played {
    let pays = r#"{"straight":17,"split":17,"street":11,"corner":8,"line":5,"column":2,"dozen":2,"even_chance":1}"#;
    spins(rounds, shared::rules("roulette", &[("pays", pays)]))
}

/// The same rule set under a name that looks like a shipped one, and is none.
pub fn roulette_by_look(rounds: usize) -> Played {
    let pays = r#"{"straight":17,"split":17,"street":11,"corner":8,"line":5,"column":2,"dozen":2,"even_chance":1}"#;
    let mut rules = serde_json::to_value(shared::rules("roulette", &[("pays", pays)])).unwrap();
    rules["name"] = "rou1ette".into();
    spins(rounds, serde_json::from_value(rules).unwrap())
}

pub fn honest_roulette(rounds: usize) -> Played {
    spins(rounds, shared::rules("roulette", &[]))
}

/// The log ends after a start, by which the wheel comes out.
pub fn honest_roulette_to_the_end(rounds: usize) -> Played {
    let mut crook = spun(rounds, shared::rules("roulette", &[]));
    crook.restart();
    crook.end_log();
    played(crook, &["alice"], ROULETTE)
}

fn spins(rounds: usize, rules: RuleSet) -> Played {
    played(spun(rounds, rules), &["alice"], ROULETTE)
}

fn spun(rounds: usize, rules: RuleSet) -> Crook {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    crook.open_set("roulette-1", serde_json::to_value(rules).unwrap());
    for _ in 0..rounds {
        crook.ready("roulette-1", &["alice"]);
        crook.bets("roulette-1", &[("alice", &[("straight:17", 100), ("straight:4", 100), ("straight:30", 100)])]);
        crook.seeds_but("roulette-1", "");
        crook.work("roulette-1");
        crook.pass(2 * SECOND);
    }
    crook
}

/// When everybody's seeds are known, cards of every third coup that alice would win change places with others of the
/// shoe until she loses it; before a shoe's end all go to the next table.
pub fn chosen_cards(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    let (mut nth, mut wins) = (0, 0);
    for round in 0..rounds {
        if round % 40 == 0 {
            if nth > 0 {
                let _ = crook.leave(&format!("bac-{nth}"), "alice");
                crook.frozen.insert(format!("bac-{nth}"));
            }
            nth += 1;
            crook.open(&format!("bac-{nth}"), "baccarat", &[]);
        }
        let at = &format!("bac-{nth}");
        crook.ready(at, &["alice"]);
        crook.bets(at, &[("alice", &[("player", 100)])]);
        let before = alice_would_win(&crook, at, "alice");
        if before > 0 {
            wins += 1;
            while wins % 3 == 0 && alice_would_win(&crook, at, "alice") > 0 {
                swap_a_card(&mut crook, at);
            }
            crook.gained += before - alice_would_win(&crook, at, "alice");
        }
        crook.seeds_but(at, "");
        crook.work(at);
        crook.pass(2 * SECOND);
    }
    crook.pass(30 * DAY);
    crook.credit("alice", 1);
    played(crook, &["alice"], BACCARAT_PLAYER)
}

/// One of the cards that would be dealt changes places with another that is still in the shoe.
fn swap_a_card(crook: &mut Crook, at: &str) {
    let shoe = crook.house.table(at).shoe.clone().unwrap();
    let coup = crook.peek(&Actor::Anyone, &reveal_of(&crook.house, at, "alice"));
    let dealt = coup.events.iter().filter_map(|event| match event {
        Event::Play(RoundEvent::Dealt { slot, .. }) => Some(*slot),
        _ => None,
    });
    let dealt: Vec<_> = dealt.collect();
    let (one, other) = (dealt[crook.rng.below(dealt.len())], shoe.undrawn[crook.rng.below(shoe.undrawn.len())]);
    let values = [one, other].map(|slot| crook.liar.value(&shoe.id, 0, slot));
    let mut chosen = crook.liar.chosen.borrow_mut();
    let place = |slot: fairshoe_fairness::Slot| (at.to_owned(), shoe.id.shoe_no, slot.0);
    chosen.insert(place(one), values[1]);
    chosen.insert(place(other), values[0]);
}

/// Coups of an honest house, bets on Player.
pub fn honest_baccarat(rounds: usize) -> Played {
    let mut crook = Crook::honest(&["alice"], 10_000_000);
    crook.open("bac-1", "baccarat", &[]);
    for _ in 0..rounds {
        crook.ready("bac-1", &["alice"]);
        crook.bets("bac-1", &[("alice", &[("player", 100)])]);
        crook.seeds_but("bac-1", "");
        crook.work("bac-1");
        crook.pass(2 * SECOND);
    }
    played(crook, &["alice"], BACCARAT_PLAYER)
}
