//! Requests in the middle of a hand, or a draw: noted, and carried out when that is over (spec/games/tournaments.md,
//! 4.4, 7.6).

use super::Noted;
use super::{EventEntry, Stage, Tournament, Whereabouts};
use crate::{Misfit, Reference};
use fairshoe_tournament::EntryNo;
use serde::{Deserialize, Serialize};

/// A request that could not be carried out at once, and is carried out later (4.4, 7.6).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Note {
    /// A rebuy.
    Rebuy,
    /// The add-on.
    AddOn,
    /// A disqualification, for this.
    Disqualification(Reference),
}

impl Note {
    /// The matter that it is about.
    pub fn what(&self) -> Noted {
        match self {
            Note::Rebuy => Noted::Rebuy,
            Note::AddOn => Noted::AddOn,
            Note::Disqualification(_) => Noted::Disqualification,
        }
    }
}

impl Tournament {
    /// The entry whose rebuy or add-on is to be carried out next: its table's hand is over.
    pub(super) fn to_be_bought(&self) -> Option<EntryNo> {
        let rests = |entry_no: &EntryNo| {
            let table = self.entries.get(entry_no).and_then(EventEntry::table);
            table.is_none_or(|table| self.rests_at(table))
        };
        let due = |(entry_no, note): &(&EntryNo, &Note)| !matches!(note, Note::Disqualification(_)) && rests(entry_no);
        self.noted.iter().find(due).map(|(entry_no, _)| *entry_no)
    }

    /// The entry whose disqualification is to be carried out next. When the event is over no hand and no draw is waited
    /// for: a draw that is open then is never made.
    pub(super) fn to_be_disqualified(&self) -> Option<EntryNo> {
        let is_over = self.is_over();
        let due = |(entry_no, note): &(&EntryNo, &Note)| {
            matches!(note, Note::Disqualification(_)) && (is_over || self.can_disqualify(**entry_no))
        };
        self.noted.iter().find(due).map(|(entry_no, _)| *entry_no)
    }

    /// Whether a player can be disqualified now: they are in no hand and in no draw, and their table's last hand is
    /// settled. A head that they won is theirs before it is divided; and leaving an entrant out of a draw whose X is
    /// known changes its seats. Nor the last one with chips while others may rebuy: if none does, they have won, and
    /// nobody else could get the prizes.
    pub(crate) fn can_disqualify(&self, entry_no: EntryNo) -> bool {
        let others_have_chips = || self.left().any(|(other, entry)| *other != entry_no && entry.chips > 0);
        match self.entries.get(&entry_no).map(|entry| entry.at) {
            Some(Whereabouts::Seated(..) | Whereabouts::Waiting) if !others_have_chips() => false,
            Some(Whereabouts::Seated(table, _)) => {
                self.rests_at(table) && !self.to_settle.contains_key(&table) && self.fixed_table() != Some(table)
            }
            Some(Whereabouts::Waiting) => {
                let called = self.draws.open.as_ref().is_some_and(|open| open.entrants.contains(&entry_no));
                let fixed = self.draws.frozen.as_ref().is_some_and(|fixed| fixed.3.contains(&entry_no));
                !called && !fixed
            }
            Some(Whereabouts::Out) => true,
            Some(Whereabouts::Disqualified) | None => false,
        }
    }

    /// Whether somebody is to be disqualified before it can be said that the event is over: a player of a hand that has
    /// just ended. A player whose place is fixed was left when it was over already.
    pub(super) fn disqualifies_next(&self) -> bool {
        self.noted.iter().any(|(entry_no, note)| {
            let entry = self.entries.get(entry_no).filter(|entry| entry.is_in_play() && entry.rank.is_none());
            matches!(note, Note::Disqualification(_)) && entry.is_some() && self.can_disqualify(*entry_no)
        })
    }

    /// Drops an entry's note: it is carried out, or never will be.
    pub(super) fn carried_out(&mut self, entry_no: EntryNo) -> Result<(), Misfit> {
        self.shape.take();
        self.noted.remove(&entry_no).map(drop).ok_or(Misfit::NothingNoted(entry_no))
    }

    /// Whether something can be noted of an entry: of a player at a table what is sold to them, and a disqualification of
    /// one who was in play.
    pub(super) fn can_be_noted(&self, entry_no: EntryNo, note: &Note) -> bool {
        let Some(entry) = self.entries.get(&entry_no).filter(|_| self.stage == Stage::Running) else { return false };
        let sits = entry.table().is_some();
        match note {
            Note::Rebuy => sits && self.structure().rebuy.as_ref().is_some_and(|terms| entry.rebuys < terms.most),
            Note::AddOn => sits && self.structure().add_on.is_some() && !entry.added_on,
            Note::Disqualification(_) => entry.at != Whereabouts::Disqualified,
        }
    }
}
