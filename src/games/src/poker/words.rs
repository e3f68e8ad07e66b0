//! What only this game tells, in plain English (spec/audit.md, "The story").

use super::{PokerEvent, PotPaid, SeatResult};

impl PokerEvent {
    /// What the hand came to, in plain English.
    pub(crate) fn words(&self) -> String {
        let PokerEvent::Settled { pots, uncalled, seats } = self;
        let pot = |pot: &PotPaid| {
            let won: Vec<String> = pot
                .won
                .iter()
                .map(|won| format!("{}{} to seat {}", won.amount, if won.low { " (low)" } else { "" }, won.seat))
                .collect();
            let rake = if pot.rake.units() == 0 { String::new() } else { format!(", rake {}", pot.rake) };
            format!("a pot of {}: {}{rake}", pot.amount, won.join(", "))
        };
        let back = uncalled.iter().map(|back| format!("{} that nobody called back to seat {}", back.amount, back.seat));
        let result = |one: &SeatResult| format!("{} has {}", one.player, one.stack);
        let stacks: Vec<String> = seats.iter().map(result).collect();
        let lines: Vec<String> = pots.iter().map(pot).chain(back).chain([stacks.join(", ")]).collect();
        lines.join("; ")
    }
}
