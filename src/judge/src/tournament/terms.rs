//! An event's structure in words: what an entry costs and brings, levels, prizes, how it is played. The words alone; what
//! a structure may be is `fairshoe_tournament`'s.

use crate::utc;
use fairshoe_house::Tournament;
use fairshoe_tournament::Structure;
use fairshoe_tournament::structure::{BountyOn, Breaks, Level, OntoHead, Payouts, RefundMethod};

/// A length of time as people say it.
pub(super) fn span(ms: u64) -> String {
    let parts = [(3_600_000, "h"), (60_000, "min"), (1_000, "s"), (1, "ms")];
    let mut left = ms;
    let mut words = Vec::new();
    for (unit, name) in parts {
        let (whole, rest) = (left / unit, left % unit);
        if whole > 0 {
            words.push(format!("{whole} {name}"));
        }
        left = rest;
    }
    if words.is_empty() { "0 s".into() } else { words.join(" ") }
}

/// The blinds of a level.
pub(super) fn blinds(level: &Level) -> String {
    let third = level.third.map_or_else(String::new, |third| format!("/{third}"));
    let ante = if level.ante > 0 { format!(", ante {}", level.ante) } else { String::new() };
    format!("{}/{}{third}{ante}", level.small, level.big)
}

/// The structure of an event that was just announced, a line for each part.
pub(super) fn terms(event: &Tournament) -> Vec<String> {
    let structure = event.structure();
    let mut lines = entry(structure);
    let opens = match event.registration_from {
        0 => "from the announcement on".into(),
        from => format!("from {}", utc(from)),
    };
    lines.push(format!("start at {}, registration {opens}", utc(event.starts_at)));
    lines.extend(levels(structure));
    lines.extend(payouts(structure));
    lines.extend(play(structure));
    lines
}

fn entry(structure: &Structure) -> Vec<String> {
    let terms = &structure.entry;
    let mut lines = vec![format!(
        "{}, at most {} at a table; an entry costs {} = buy-in {} + fee {} + bounty {} and brings {} chips",
        structure.rules.name,
        structure.seats,
        terms.buy_in.saturating_add(terms.fee).saturating_add(terms.bounty),
        terms.buy_in,
        terms.fee,
        terms.bounty,
        terms.stack
    )];
    lines.push(format!(
        "{} to {} players, at most {} entries each; late registration for {} levels; {}",
        terms.players_min,
        terms.players_max,
        terms.entries_per_player,
        structure.late_levels,
        match structure.unregister_ms {
            Some(ms) => format!("entries can be given back until {} before the start", span(ms)),
            None => "entries cannot be given back".into(),
        }
    ));
    if let Some(rebuy) = &structure.rebuy {
        lines.push(format!(
            "rebuys for {} + fee {}: {} chips, at most {} an entry, with at most {} chips, in the first {} levels; who has no chips has {} to decide",
            rebuy.price, rebuy.fee, rebuy.chips, rebuy.most, rebuy.stack_at_most, rebuy.levels, span(rebuy.time_ms)
        ));
    }
    if let Some(add_on) = &structure.add_on {
        lines.push(format!(
            "add-on for {} + fee {}: {} chips, in the break after level {}",
            add_on.price, add_on.fee, add_on.chips, add_on.after_level
        ));
    }
    if terms.bounty > 0 {
        let onto = match structure.bounty_onto_head {
            OntoHead::None => "won whole",
            OntoHead::Half => "half of it won, half put onto the winner's head",
            OntoHead::All => "put onto the winner's head whole",
        };
        let on = match structure.bounty_on {
            BountyOn::All => "every entry has one",
            BountyOn::Some => "those have one whom the operator names",
        };
        lines.push(format!("bounties: {onto}; {on}"));
    }
    lines
}

fn levels(structure: &Structure) -> Vec<String> {
    let levels: Vec<String> = (1..)
        .zip(&structure.levels)
        .map(|(number, level): (usize, _)| format!("{number}: {} for {}", blinds(level), span(level.ms)))
        .collect();
    let breaks = match &structure.breaks {
        Breaks::After(after) if after.is_empty() => "no breaks".into(),
        Breaks::After(after) => {
            let one = |pause: &fairshoe_tournament::structure::BreakAfter| {
                format!("{} after level {}", span(pause.ms), pause.level)
            };
            format!("breaks: {}", after.iter().map(one).collect::<Vec<_>>().join(", "))
        }
        Breaks::Synchronised { every_ms, at_ms, ms } => {
            format!("breaks of {} every {}, {} after its beginning", span(*ms), span(*every_ms), span(*at_ms))
        }
    };
    vec![format!("levels {}", levels.join("; ")), breaks]
}

fn payouts(structure: &Structure) -> Vec<String> {
    let guarantee = match structure.guarantee {
        0 => "no guarantee".to_owned(),
        guarantee => format!("a guarantee of {guarantee}"),
    };
    let mut lines = vec![format!("the pool is what is collected, {guarantee}")];
    match &structure.payouts {
        Payouts::Rows(rows) => {
            for row in rows {
                let mut from = 1;
                let places: Vec<String> = row
                    .places
                    .iter()
                    .map(|range| {
                        let first = std::mem::replace(&mut from, range.to.saturating_add(1));
                        match first == range.to {
                            true => format!("{first}: {}", range.share),
                            false => format!("{first}–{}: {} each", range.to, range.share),
                        }
                    })
                    .collect();
                lines.push(format!("shares from {} entries on, by place: {}", row.from, places.join(", ")));
            }
        }
        Payouts::Satellite(terms) => lines.push(format!(
            "a satellite: seats for {}, worth {} = {} + fee {}{}",
            terms.target,
            terms.value(),
            terms.buy_in,
            terms.fee,
            if terms.non_unregisterable { ", which cannot be given back" } else { "" }
        )),
    }
    lines
}

fn play(structure: &Structure) -> Vec<String> {
    let clocks = &structure.clocks;
    let deal = match &structure.deal {
        Some(terms) => format!("deals with at most {} players left", terms.most_players),
        None => "no deals".into(),
    };
    let hand_for_hand = match structure.hand_for_hand {
        0 => "no hand-for-hand".to_owned(),
        above => format!("hand-for-hand from {above} above the paid places"),
    };
    let method = match structure.refund_method {
        RefundMethod::Document => "half in equal parts and half by chips",
        RefundMethod::ChipCount => "by chips",
    };
    vec![
        format!(
            "{deal}; stakes are {}sold; {hand_for_hand}; the last table is {}drawn anew",
            if structure.staking { "" } else { "not " },
            if structure.final_redraw { "" } else { "not " }
        ),
        format!(
            "a turn has {}, the time bank {} and {} more a hand; seeds of a hand {} to be committed and {} to be revealed; a draw waits for {} hands",
            span(clocks.turn_ms),
            span(clocks.bank_ms),
            span(clocks.bank_refill_ms),
            span(clocks.commit_ms),
            span(clocks.reveal_ms),
            structure.draw_hands
        ),
        format!(
            "after a crash it goes on within {}, else it is off; a refund divides the pool {method}",
            span(structure.cancel_after_ms)
        ),
    ]
}
