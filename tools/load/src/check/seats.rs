//! Seats, wishes and cooldowns of a shared table as a player follows them (spec/games/shared-tables.md), written
//! independently of the house.

use super::Flaw;
use super::flaw::same;
use fairshoe_fairness::PlayerId;
use fairshoe_house::{NotedBetting, NotedSeat, Offence};
use std::collections::{BTreeMap, BTreeSet};

/// Minutes before the next bet after the first, second … offence within 12 hours (spec/fairness.md, "A missing
/// reveal").
const COOLDOWN_MINUTES: [u64; 5] = [0, 5, 15, 30, 60];

/// A player who lets so many windows in a row pass loses the seat.
const MISSES_ALLOWED: u8 = 3;

/// The seated players, those who ask to play, and penalties that are due.
#[derive(Clone, Debug)]
pub(super) struct Seats {
    taken: BTreeMap<u8, PlayerId>,
    /// Whether every taken seat is known: the table was followed from its first entry.
    whole: bool,
    asked: BTreeSet<PlayerId>,
    /// The players for whom the shoe was changed and who have not bet yet; unknown until the first window seen is over.
    newcomers: Option<BTreeSet<PlayerId>>,
    /// The players whose cooldown this entry must announce, with the cause; unknown for earlier newcomers.
    cooldowns: Option<BTreeMap<PlayerId, Offence>>,
    /// The players who must lose their seat in this entry.
    to_leave: BTreeSet<PlayerId>,
    /// The number of windows in a row without a bet, for players whose sitting down was seen.
    misses: BTreeMap<PlayerId, u8>,
}

impl Seats {
    /// An empty table if `whole`; otherwise the seats are unknown.
    pub fn new(whole: bool) -> Self {
        let newcomers = whole.then(BTreeSet::new);
        Seats {
            taken: BTreeMap::new(),
            whole,
            asked: BTreeSet::new(),
            newcomers,
            cooldowns: Some(BTreeMap::new()),
            to_leave: BTreeSet::new(),
            misses: BTreeMap::new(),
        }
    }

    /// Checks the known seats against an entry that states them.
    pub fn are_noted(&self, noted: &NotedBetting) -> Result<(), Flaw> {
        for NotedSeat { seat, player, misses, .. } in &noted.seats {
            same("who sits there", &self.taken.get(seat).unwrap_or(player), &player)?;
            same("the windows missed there", &self.misses.get(player).unwrap_or(misses), &misses)?;
        }
        if !self.whole {
            return Ok(());
        }
        same("the seats that are taken", &self.taken.len(), &noted.seats.len())?;
        same("who asks to play", &self.asked.iter().collect::<Vec<_>>(), &noted.asked.iter().collect())?;
        match &self.newcomers {
            Some(newcomers) => {
                same("the newcomers", &newcomers.iter().collect::<Vec<_>>(), &noted.newcomers.iter().collect())
            }
            None => Ok(()),
        }
    }

    /// A player's seat.
    pub fn of(&self, player: &PlayerId) -> Option<u8> {
        self.taken.iter().find(|(_, sits)| *sits == player).map(|(seat, _)| *seat)
    }

    /// The player known to sit there.
    pub fn at(&self, seat: u8) -> Option<&PlayerId> {
        self.taken.get(&seat)
    }

    /// A player sits down on a seat of `1..=seats`.
    pub fn take(&mut self, player: &PlayerId, seat: u8, seats: u8) -> Result<(), Flaw> {
        if !(1..=seats).contains(&seat) || self.taken.contains_key(&seat) || self.of(player).is_some() {
            return Err(Flaw::differs(
                "the seat taken",
                "a free one of this table's, by one who has none",
                (player, seat),
            ));
        }
        self.taken.insert(seat, player.clone());
        self.misses.insert(player.clone(), 0);
        Ok(())
    }

    /// A player gets up, by their own wish or by a rule.
    pub fn leave(&mut self, player: &PlayerId, seat: u8, by_rule: bool) -> Result<(), Flaw> {
        let due = self.to_leave.remove(player);
        let known = self.misses.remove(player);
        if by_rule && !due && known.is_some() {
            return Err(Flaw::differs(
                "the seat lost",
                "one of a player who withheld a seed or let three windows pass",
                player,
            ));
        }
        match self.taken.remove(&seat) {
            Some(sat) => same("who leaves the seat", &sat, player)?,
            None if self.whole => return Err(Flaw::differs("the seat left", "one that is taken", seat)),
            None => {}
        }
        self.asked.remove(player);
        Ok(())
    }

    /// A player asks to play the next round.
    pub fn ask(&mut self, player: &PlayerId) {
        self.asked.insert(player.clone());
    }

    /// Bets open: players who asked to play are asked for their bet.
    pub fn bets_opened(&mut self) -> BTreeSet<PlayerId> {
        std::mem::take(&mut self.asked)
    }

    /// Bets become binding: a player who asked for this round and bet in it asks no more.
    pub fn bets_closed(&mut self, bet: impl Fn(&PlayerId) -> bool) {
        self.asked.retain(|player| !bet(player));
    }

    /// The shoe changed for a newcomer is gone, and not by their doing.
    pub fn no_newcomers(&mut self) {
        self.newcomers = Some(BTreeSet::new());
    }

    /// The players who asked to play and were not asked for their bet since.
    pub fn asking(&self) -> impl Iterator<Item = &PlayerId> {
        self.asked.iter()
    }

    /// The shoe is changed for these waiting players; returns whether there were any.
    pub fn newcomers_shoe(&mut self, waiting: &BTreeSet<PlayerId>) -> bool {
        self.newcomers = Some(waiting.clone());
        !waiting.is_empty()
    }

    /// A window is over, with these bettors: newcomers who did not bet may be told, except those excluded by a
    /// cooldown.
    pub fn window_over(&mut self, bet: impl Fn(&PlayerId) -> bool) {
        let late = self
            .newcomers
            .as_ref()
            .map(|all| all.iter().filter(|player| !bet(player)).map(|one| (one.clone(), Offence::NoBet)));
        self.cooldowns = late.map(Iterator::collect);
        for (player, misses) in &mut self.misses {
            *misses = if bet(player) { 0 } else { misses.saturating_add(1) };
            if *misses >= MISSES_ALLOWED {
                self.to_leave.insert(player.clone());
            }
        }
        self.newcomers = Some(BTreeSet::new());
    }

    /// These players withheld their seeds: a cooldown must be announced, and they lose their seats.
    pub fn withheld(&mut self, missing: &[PlayerId]) {
        self.cooldowns = Some(missing.iter().map(|player| (player.clone(), Offence::RevealMissing)).collect());
        self.to_leave = missing.iter().filter(|player| self.of(player).is_some()).cloned().collect();
    }

    /// Checks a cooldown: it is due, and has the ladder's length.
    pub fn cooldown(
        &mut self,
        player: &PlayerId,
        offence: Offence,
        offences: u32,
        time: u64,
        until: u64,
    ) -> Result<(), Flaw> {
        if let Some(due) = &mut self.cooldowns {
            same("the cooldown of this player", &due.remove(player), &Some(offence))?;
        } else {
            same("the cooldown's cause", &Offence::NoBet, &offence)?;
        }
        ladder(offences, time, until)
    }

    /// Checks that at the end of an entry all due cooldowns and seat losses are done.
    pub fn at_rest(&mut self) -> Result<(), Flaw> {
        let must = |due: &BTreeMap<PlayerId, Offence>| due.values().any(|offence| *offence == Offence::RevealMissing);
        if let Some(due) = self.cooldowns.as_ref().filter(|due| must(due)) {
            return Err(Flaw::differs("the cooldowns", due, "missing"));
        }
        if !self.to_leave.is_empty() {
            return Err(Flaw::differs("the seats lost", &self.to_leave, "kept"));
        }
        self.cooldowns = Some(BTreeMap::new());
        Ok(())
    }
}

/// A cooldown's end is the ladder's. After an offence of before it may end where that one's does.
pub(super) fn ladder(offences: u32, time: u64, until: u64) -> Result<(), Flaw> {
    let rung = usize::try_from(offences).unwrap_or(usize::MAX).min(COOLDOWN_MINUTES.len());
    let minutes = rung.checked_sub(1).and_then(|rung| COOLDOWN_MINUTES.get(rung));
    let minutes = minutes.ok_or_else(|| Flaw::differs("the number of offences", "at least 1", offences))?;
    let least = time.saturating_add(minutes * 60_000);
    let most = if offences == 1 { least } else { time.saturating_add(3_600_000) };
    if (least..=most).contains(&until) { Ok(()) } else { Err(Flaw::differs("the cooldown's end", least, until)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> PlayerId {
        PlayerId::parse(text).unwrap()
    }

    #[test]
    fn a_seat_is_one_players() {
        let mut seats = Seats::new(true);
        seats.take(&name("a"), 3, 7).unwrap();
        assert!(
            seats.take(&name("b"), 3, 7).is_err()
                && seats.take(&name("a"), 4, 7).is_err()
                && seats.take(&name("b"), 8, 7).is_err()
        );
        assert!(seats.clone().leave(&name("b"), 3, false).is_err());
        assert!(seats.clone().leave(&name("a"), 3, true).is_err(), "nobody loses a seat without a cause");
        assert!(seats.leave(&name("a"), 3, false).is_ok());
        assert!(Seats::new(true).leave(&name("a"), 3, true).is_err());
        assert!(Seats::new(false).leave(&name("a"), 3, true).is_ok());
    }

    #[test]
    fn a_shoe_is_changed_for_a_newcomer_alone_and_he_must_bet() {
        let mut seats = Seats::new(true);
        seats.ask(&name("a"));
        assert!(!seats.clone().newcomers_shoe(&BTreeSet::new()));
        assert!(seats.newcomers_shoe(&seats.asking().cloned().collect()));
        assert_eq!(seats.bets_opened(), BTreeSet::from([name("a")]));
        let mut bet = seats.clone();
        bet.window_over(|_| true);
        bet.at_rest().unwrap();
        seats.window_over(|_| false);
        assert!(seats.clone().at_rest().is_ok(), "a cooldown of before may have kept him out");
        assert!(seats.clone().cooldown(&name("b"), Offence::NoBet, 1, 5, 5).is_err());
        assert!(seats.clone().cooldown(&name("a"), Offence::NoBet, 1, 5, 6).is_err());
        seats.cooldown(&name("a"), Offence::NoBet, 1, 5, 5).unwrap();
        seats.at_rest().unwrap();
    }

    #[test]
    fn who_withholds_is_told_and_loses_the_seat() {
        let mut seats = Seats::new(true);
        seats.take(&name("a"), 1, 7).unwrap();
        seats.withheld(&[name("a")]);
        assert!(seats.clone().at_rest().is_err());
        assert!(seats.clone().cooldown(&name("a"), Offence::RevealMissing, 2, 5, 5).is_err());
        // That is a cash table's alone.
        assert!(seats.clone().cooldown(&name("a"), Offence::WentAway, 2, 5, 300_005).is_err());
        seats.cooldown(&name("a"), Offence::RevealMissing, 2, 5, 300_005).unwrap();
        assert!(seats.clone().at_rest().is_err());
        seats.leave(&name("a"), 1, true).unwrap();
        seats.at_rest().unwrap();
    }

    #[test]
    fn three_windows_passed_cost_the_seat() {
        let mut seats = Seats::new(true);
        seats.take(&name("a"), 1, 7).unwrap();
        for bets in [false, false, true, false, false] {
            seats.window_over(|_| bets);
            seats.at_rest().unwrap();
        }
        seats.window_over(|_| false);
        assert!(seats.clone().at_rest().is_err());
        seats.leave(&name("a"), 1, true).unwrap();
        seats.at_rest().unwrap();
    }
}
