//! A short structure: only the figures on which refunds and prizes depend (spec/games/refunds.md, 9.2).

use super::{FileError, exactly};
use crate::amount::sum;
use crate::structure::{
    AddOnTerms, BountyOn, Breaks, Clocks, EntryTerms, Level, MAX_CENTS, MAX_CHIPS, MAX_PLAYERS, NamedRules, OntoHead,
    PayoutRow, Payouts, Places, RebuyTerms, RefundMethod, SatelliteTerms, Structure,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The most places in a list of prizes.
const MAX_PLACES: usize = 10_000;
/// The longest late registration, in the unit of the file's times.
const MAX_LATE: u64 = 1_000_000_000_000;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Extra {
    price: u64,
    fee: u64,
    chips: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Seats {
    buy_in: u64,
    fee: u64,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
enum ShortPayouts {
    Prizes(Vec<u64>),
    Shares(Vec<u64>),
    Rows(Vec<PayoutRow>),
    Satellite(Seats),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Short {
    buy_in: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    fee: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounty: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounty_onto_head: Option<OntoHead>,
    #[serde(skip_serializing_if = "Option::is_none")]
    stack: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    players_max: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    guarantee: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    late: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    rebuy: Option<Extra>,
    #[serde(skip_serializing_if = "Option::is_none")]
    add_on: Option<Extra>,
    #[serde(skip_serializing_if = "Option::is_none")]
    payouts: Option<ShortPayouts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    refund_method: Option<RefundMethod>,
}

fn check(holds: bool, why: &str) -> Result<(), FileError> {
    if holds { Ok(()) } else { Err(FileError::Structure(why.to_owned())) }
}

/// The full structure of a short one, as far as refunds and prizes need it, and the sum of its prizes if it names them
/// in cents. An unknown stack is 0, so the structure is not valid; it is not used anywhere else.
pub fn expand(value: &Value) -> Result<(Structure, Option<u64>), FileError> {
    let short: Short = exactly(value).map_err(FileError::Structure)?;
    let or_none = |amount: Option<u64>| amount.unwrap_or(0);
    let players_max = short.players_max.unwrap_or(MAX_PLAYERS);
    check((1..=MAX_CENTS).contains(&short.buy_in), "buy_in must be 1 to 10^12")?;
    check(
        [short.fee, short.bounty, short.guarantee].into_iter().all(|amount| or_none(amount) <= MAX_CENTS),
        "fee, bounty and guarantee are at most 10^12",
    )?;
    check(short.stack.is_none_or(|stack| (1..=MAX_CHIPS).contains(&stack)), "stack must be 1 to 10^9")?;
    check((2..=MAX_PLAYERS).contains(&players_max), "players_max must be 2 to 20000")?;
    check(or_none(short.late) <= MAX_LATE, "late is at most 10^12")?;
    let bounty = or_none(short.bounty);
    let onto_head = short.bounty_onto_head.unwrap_or(OntoHead::None);
    check(bounty > 0 || onto_head == OntoHead::None, "without a bounty nothing goes onto a head")?;
    check(bounty == 0 || short.rebuy.is_none(), "an event with bounties has no rebuys")?;
    for extra in [&short.rebuy, &short.add_on].into_iter().flatten() {
        check(
            extra.price <= MAX_CENTS && extra.fee <= MAX_CENTS && extra.price.max(extra.fee) > 0,
            "a rebuy or add-on costs something up to 10^12",
        )?;
        check((1..=MAX_CHIPS).contains(&extra.chips), "a rebuy or add-on brings 1 to 10^9 chips")?;
    }
    let (payouts, fixed) = payouts(short.payouts)?;
    let late = or_none(short.late);
    let level = |ms| Level { small: 1, big: 1, third: None, ante: 0, ms };
    let structure = Structure {
        name: "short".to_owned(),
        rules: NamedRules { name: "short".to_owned(), digest: String::new() },
        seats: 2,
        entry: EntryTerms {
            buy_in: short.buy_in,
            fee: or_none(short.fee),
            bounty,
            stack: or_none(short.stack),
            players_min: 2,
            players_max,
            entries_per_player: 100,
        },
        guarantee: or_none(short.guarantee),
        late_levels: u16::from(late > 0),
        unregister_ms: None,
        rebuy: short.rebuy.map(|extra| RebuyTerms {
            price: extra.price,
            fee: extra.fee,
            chips: extra.chips,
            most: 100,
            stack_at_most: MAX_CHIPS,
            levels: 1,
            time_ms: 1_000,
        }),
        add_on: short.add_on.map(|extra| AddOnTerms {
            price: extra.price,
            fee: extra.fee,
            chips: extra.chips,
            after_level: 1,
        }),
        levels: vec![level(late), level(1)],
        breaks: Breaks::After(Vec::new()),
        staking: matches!(payouts, Payouts::Rows(_)),
        payouts,
        bounty_onto_head: onto_head,
        bounty_on: if bounty > 0 { BountyOn::Some } else { BountyOn::All },
        deal: None,
        hand_for_hand: 0,
        final_redraw: false,
        clocks: Clocks {
            turn_ms: 1_000,
            bank_ms: 0,
            bank_refill_ms: 0,
            late_extra_ms: 0,
            late_players: 0,
            commit_ms: 1_000,
            reveal_ms: 1_000,
            between_hands_ms: None,
        },
        draw_hands: 0,
        cancel_after_ms: 0,
        refund_method: short.refund_method.unwrap_or(RefundMethod::Document),
    };
    Ok((structure, fixed))
}

fn payouts(short: Option<ShortPayouts>) -> Result<(Payouts, Option<u64>), FileError> {
    let one_row = |shares: &[u64]| -> Result<Payouts, FileError> {
        check((1..=MAX_PLACES).contains(&shares.len()), "1 to 10000 prizes or shares")?;
        check(shares.iter().all(|share| (1..=MAX_CENTS).contains(share)), "a prize or share is 1 to 10^12")?;
        check(shares.is_sorted_by(|better, worse| better >= worse), "prizes and shares never rise")?;
        let places = shares.iter().zip(1..).map(|(&share, to)| Places { to, share }).collect();
        Ok(Payouts::Rows(vec![PayoutRow { from: 1, places }]))
    };
    match short {
        None => Ok((one_row(&[1])?, None)),
        Some(ShortPayouts::Shares(shares)) => Ok((one_row(&shares)?, None)),
        Some(ShortPayouts::Prizes(prizes)) => Ok((one_row(&prizes)?, Some(sum(prizes)?))),
        Some(ShortPayouts::Rows(rows)) => {
            PayoutRow::validate_all(&rows, 2).map_err(|error| FileError::Structure(error.to_string()))?;
            Ok((Payouts::Rows(rows), None))
        }
        Some(ShortPayouts::Satellite(Seats { buy_in, fee })) => {
            check((1..=MAX_CENTS).contains(&buy_in) && fee <= MAX_CENTS, "the seat's buy_in must be 1 to 10^12")?;
            let terms = SatelliteTerms { target: "target".to_owned(), buy_in, fee, non_unregisterable: true };
            Ok((Payouts::Satellite(terms), None))
        }
    }
}
