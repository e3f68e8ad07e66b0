//! The payments of an event played to its end: pool, prizes, a seat, a bounty's parts, a deal (spec/games/refunds.md,
//! 9.5).

use super::{CollectedOut, DealMethod, FileError, MAX_ENTRIES, PrizesForm, WonForm, read, structure};
use crate::amount::{EntryNo, Fraction, count, sum};
use crate::bounty::{Bounties, Bounty};
use crate::deal::{DealPlayer, by_chips, by_icm};
use crate::entry::{Sold, collected, pool};
use crate::prize::{SeatPrize, SeatUse, exact_cash, in_cash, prizes};
use crate::structure::{Payouts, SatelliteTerms, Structure};
use serde::Serialize;

/// The most winners of a bounty: all players of one table except the eliminated.
const MAX_WINNERS: u64 = 9;

/// A place's prize.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlaceOut {
    /// The place, from 1.
    pub place: u64,
    /// Whether the prize is a seat in the target.
    pub seat: bool,
    /// The exact cash, before its one rounding.
    pub exact: Fraction,
    /// The cash in cents.
    pub cash: u64,
}

/// The worth of a seat.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct SeatOut {
    /// For a winner who can enter the target: a ticket of this worth.
    pub ticket: u64,
    /// For a winner who is registered there and cannot use another seat: T$.
    pub further_t_dollars: u64,
    /// In that case, the house's part.
    pub further_to_house: u64,
    /// If the target is closed: T$.
    pub closed_t_dollars: u64,
}

/// A winner's part of a bounty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WonOut {
    /// The part added to their won total.
    pub to_total: u64,
    /// The part added to their head.
    pub onto_head: u64,
}

/// A player's part of a deal.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct DealOut {
    /// Their chips.
    pub chips: u64,
    /// The exact part, before rounding.
    pub exact: Fraction,
    /// The part in cents.
    pub paid: u64,
}

/// The whole result.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PrizesOut {
    /// The money collected.
    pub collected: CollectedOut,
    /// The part paid by the house.
    pub overlay: u64,
    /// Cents for prizes.
    pub pool: u64,
    /// The prizes from the first place on.
    pub prizes: Vec<PlaceOut>,
    /// Fractions cut off; they go to `rounding_residual`.
    pub residual: u64,
    /// A satellite's seat.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seat: Option<SeatOut>,
    /// The parts of the requested bounty.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bounty: Option<Vec<WonOut>>,
    /// The requested deal.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deal: Option<Vec<DealOut>>,
}

/// The result of a file (refunds.md, 9.5).
///
/// # Errors
/// See [`FileError`].
pub fn prizes_of(text: &[u8]) -> Result<PrizesOut, FileError> {
    let file: PrizesForm = read(text)?;
    let (structure, fixed) = structure(&file.structure)?;
    let given = &file.sold;
    let sold = Sold {
        entries: given.entries,
        with_bounty: given.with_bounty.unwrap_or(given.entries),
        rebuys: given.rebuys.unwrap_or(0),
        add_ons: given.add_ons.unwrap_or(0),
    };
    let players = given.players.unwrap_or(sold.entries);
    let possible = (1..=MAX_ENTRIES).contains(&sold.entries)
        && (1..=sold.entries).contains(&players)
        && sold.with_bounty <= sold.entries
        && sold.add_ons <= sold.entries
        && (sold.rebuys == 0 || structure.rebuy.is_some())
        && (sold.add_ons == 0 || structure.add_on.is_some());
    if !possible {
        let why =
            "sold: 1 to 65534 entries, no more players, bounties and add-ons than these, and what the structure has";
        return Err(FileError::Entry(EntryNo(0), why));
    }
    let brought = collected(&structure, &sold)?;
    let whole = pool(brought.pool, structure.guarantee, file.cut_short == Some(true))?;
    if let Some(sum) = fixed.filter(|&sum| sum != whole.pool && file.cut_short != Some(true)) {
        return Err(FileError::Prizes { sum, pool: whole.pool });
    }
    let table = prizes(&structure, sold.entries, players, whole.pool)?;
    let exact = exact_cash(&structure, sold.entries, players, whole.pool)?;
    let places = table.prizes.iter().zip(exact).zip(1..);
    let places = places.map(|((prize, exact), place)| PlaceOut { place, seat: prize.seat, exact, cash: prize.cash });
    let seat = match &structure.payouts {
        Payouts::Rows(_) => None,
        Payouts::Satellite(terms) => Some(seat(terms)),
    };
    let deal = file.deal.as_ref().map(|deal| {
        if seat.is_some() {
            return Err(FileError::Deal("a satellite has no deals".to_owned()));
        }
        let players: Vec<DealPlayer> =
            deal.chips.iter().zip(0..).map(|(&chips, no)| DealPlayer { entry_no: EntryNo(no), chips }).collect();
        let left = (1..=count(players.len()).min(u64::from(crate::structure::MAX_DEAL)))
            .map(|place| in_cash(&table, place, 0))
            .collect::<Result<Vec<_>, _>>()?;
        let shares = match deal.method {
            DealMethod::Chips => by_chips(&players, &left),
            DealMethod::Icm => by_icm(&players, &left),
        };
        let shares = shares.map_err(|error| FileError::Deal(error.to_string()))?;
        let share = players.iter().zip(shares);
        Ok(share.map(|(player, share)| DealOut { chips: player.chips, exact: share.exact, paid: share.paid }).collect())
    });
    Ok(PrizesOut {
        collected: CollectedOut { pool: brought.pool, fees: brought.fees, bounties: brought.bounties },
        overlay: whole.overlay,
        pool: whole.pool,
        prizes: places.collect(),
        residual: table.residual,
        seat,
        bounty: file.bounty.as_ref().map(|won| bounty(&structure, won)).transpose()?,
        deal: deal.transpose()?,
    })
}

fn seat(terms: &SatelliteTerms) -> SeatOut {
    let in_t_dollars = |seat_use| match terms.seat_prize(seat_use) {
        SeatPrize::Ticket(_) => (0, 0),
        SeatPrize::TDollars { amount, to_house } => (amount, to_house),
    };
    let (further, to_house) = in_t_dollars(SeatUse::Further);
    let (closed, _) = in_t_dollars(SeatUse::Closed);
    SeatOut { ticket: terms.value(), further_t_dollars: further, further_to_house: to_house, closed_t_dollars: closed }
}

/// A head, and its owner's won total, shared among winners from the left of the button.
fn bounty(structure: &Structure, won: &WonForm) -> Result<Vec<WonOut>, FileError> {
    if !(1..=MAX_WINNERS).contains(&won.winners) {
        return Err(FileError::Won("1 to 9 winners share a bounty"));
    }
    let mut bounties = Bounties::new(structure.bounty_onto_head);
    let total = won.total.unwrap_or(0);
    sum([won.head, total])?;
    bounties.of.insert(EntryNo(0), Bounty { head: won.head, won: total });
    let winners: Vec<EntryNo> = (1..=won.winners).map(EntryNo).collect();
    winners.iter().for_each(|&winner| bounties.enter(winner, 0));
    let parts = bounties.eliminate(EntryNo(0), &winners, false).map_err(|_| FileError::Won("no such bounty"))?;
    Ok(parts.iter().map(|part| WonOut { to_total: part.to_total, onto_head: part.onto_head }).collect())
}
