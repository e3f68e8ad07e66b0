//! Helpers for several kinds of tests.

use fairshoe_fairness::PlayerId;
use fairshoe_tournament::posting::Posting;
use fairshoe_tournament::refund::{Case, RefundIn, RefundOut, RefundPlayer, refund};
use fairshoe_tournament::structure::RefundMethod;
use fairshoe_tournament::{EntryNo, Structure};

pub fn shipped(name: &str) -> Structure {
    Structure::shipped(name).unwrap()
}

pub fn player(name: &str) -> PlayerId {
    PlayerId::parse(name).unwrap()
}

pub fn entries(numbers: &[u64]) -> Vec<EntryNo> {
    numbers.iter().copied().map(EntryNo).collect()
}

/// The remaining players, each with the same fee and bounty.
pub fn left(chips: &[u64], fee: u64, bounty: u64) -> Vec<RefundPlayer> {
    chips.iter().zip(0..).map(|(&chips, no)| RefundPlayer { entry_no: EntryNo(no), chips, fee, bounty }).collect()
}

/// A refund by document 001.
pub fn refunded(case: Case, pool: u64, prizes: &[u64], players: Vec<RefundPlayer>) -> RefundOut {
    refund(&RefundIn { case, method: RefundMethod::Document, pool, prizes: prizes.to_vec(), players }).unwrap()
}

/// The pool parts, and the payments.
pub fn parts(out: &RefundOut) -> (Vec<u64>, Vec<u64>) {
    out.payments.iter().map(|payment| (payment.pool, payment.paid)).unzip()
}

pub fn sums_to_zero(posting: &Posting) -> bool {
    posting.lines().iter().map(|(_, cents)| cents).sum::<i64>() == 0 && posting.lines().iter().all(|(_, c)| *c != 0)
}
