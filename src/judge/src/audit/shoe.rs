//! The log's claims about a shoe until its seed is out, then compared with the shoe that the seed gives (spec/audit.md,
//! "What each check proves"; spec/fairness.md, "What a verifier checks").

use super::claims::{Face, FaceClaim, PeekClaim};
use super::default_play::{UnjudgedVoid, VoidResult};
use super::{Check, Finding};
use fairshoe_fairness::{Card, HouseShoe, Opening, ServerSeed, ShoeRoot, shoe_commitment};
use fairshoe_house::Shoe;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The log's claims about a shoe in use, remembered until its seed is out. At most the shoe's size.
#[derive(Serialize, Deserialize)]
#[serde(from = "SavedClaims")]
pub(crate) struct ShoeClaims {
    pub faces: Vec<FaceClaim>,
    pub peeks: Vec<PeekClaim>,
    /// Rounds of it that were voided, to be finished by default play once the faces are known.
    pub voids: Vec<UnjudgedVoid>,
    /// More may have been said of it, before the entries that were read.
    unread: bool,
    #[serde(skip_serializing)]
    shown: [[u16; Card::COUNT as usize]; 2],
}

/// The part of them that a file keeps; how often each card was shown follows from the faces.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SavedClaims {
    faces: Vec<FaceClaim>,
    peeks: Vec<PeekClaim>,
    voids: Vec<UnjudgedVoid>,
    unread: bool,
}

impl From<SavedClaims> for ShoeClaims {
    fn from(saved: SavedClaims) -> Self {
        let SavedClaims { faces, peeks, voids, unread } = saved;
        let mut claims = ShoeClaims { peeks, voids, unread, ..ShoeClaims::default() };
        for claim in &faces {
            if let Some(shown) = claims.shown_of(claim) {
                *shown = shown.saturating_add(1);
            }
        }
        ShoeClaims { faces, ..claims }
    }
}

impl Default for ShoeClaims {
    fn default() -> Self {
        ShoeClaims {
            faces: Vec::new(),
            peeks: Vec::new(),
            voids: Vec::new(),
            unread: false,
            shown: [[0; Card::COUNT as usize]; 2],
        }
    }
}

impl ShoeClaims {
    /// Nothing was said of the shoe but that this round of it is void.
    pub fn of_void(void: UnjudgedVoid) -> ShoeClaims {
        ShoeClaims { voids: vec![void], ..ShoeClaims::default() }
    }

    /// Earlier claims about it are not known.
    pub fn unread() -> ShoeClaims {
        ShoeClaims { unread: true, ..ShoeClaims::default() }
    }

    /// How often the card of a face was shown.
    fn shown_of(&mut self, claim: &FaceClaim) -> Option<&mut u16> {
        let Face::Card(card) = claim.face else { return None };
        self.shown.get_mut(usize::from(claim.candidate))?.get_mut(usize::from(card.code()))
    }

    /// Remembers a face; a card that the shoe cannot hold once more is found at once, even if the seed never comes out.
    pub fn face(&mut self, shoe: &Shoe, claim: FaceClaim) -> Result<(), Finding> {
        // A wheel's values are independent: none is shown too often.
        if let Face::Card(card) = claim.face {
            let most = shoe.id.composition.count_of(card);
            match self.shown_of(&claim) {
                Some(shown) if *shown < most => *shown += 1,
                _ => {
                    let what =
                        format!("{card} is shown once more, a shoe of {} holds it {most} time(s)", shoe.id.composition);
                    return Err(Finding::at(Check::CardTooOften, claim.entry, Some(&shoe.id.context.table), what));
                }
            }
        }
        self.faces.push(claim);
        Ok(())
    }
}

/// A revealed shoe that is to be derived and held against everything the log said about it: work that a second thread
/// may do. Pure; [`run`](ShoeCheck::run) it anywhere and give the verdict back to the book.
pub struct ShoeCheck {
    pub(super) entry: u64,
    pub(super) shoe: Arc<Shoe>,
    pub(super) seeds: Vec<(u8, ServerSeed)>,
    /// The openings that take the seed's place, if the shoe is sealed.
    pub(super) sealed: Option<Vec<Opening>>,
    pub(crate) claims: ShoeClaims,
    /// The shoe was derived and held against its claims already: only a void is to be finished on it.
    pub(super) derived_before: bool,
}

/// The result of a [`ShoeCheck`].
pub struct ShoeVerdict {
    pub(super) finding: Option<Finding>,
    pub(super) voids: Vec<VoidResult>,
    pub(super) owed: Option<OwedHand>,
}

/// A hand of poker that the house ended: its seeds are owed to every auditor (spec/games/poker-table.md, "Disclosed by
/// duty").
pub struct OwedHand(Box<ShoeCheck>);

impl OwedHand {
    /// The shoe whose seeds are owed.
    pub fn shoe(&self) -> &Shoe {
        &self.0.shoe
    }

    /// Derives both decks from the seeds, one for each candidate, holds every card shown against them, and finishes the
    /// hand by default play. Fewer seeds than candidates are no disclosure: the hand is given back.
    ///
    /// # Errors
    /// The hand itself.
    pub fn finish(self, seeds: Vec<ServerSeed>) -> Result<ShoeVerdict, OwedHand> {
        if seeds.len() != self.0.shoe.candidates.len() {
            return Err(self);
        }
        Ok(ShoeCheck { seeds: (0..=u8::MAX).zip(seeds).collect(), ..*self.0 }.run())
    }
}

impl ShoeVerdict {
    /// The finding, if there is one.
    pub fn finding(&self) -> Option<&Finding> {
        self.finding.as_ref()
    }

    /// The shoe's voided rounds, as default play would have finished them.
    pub fn voids(&self) -> &[VoidResult] {
        &self.voids
    }
}

impl ShoeCheck {
    /// The shoe that is to be derived.
    pub fn shoe(&self) -> &Shoe {
        &self.shoe
    }

    /// A round that was void before its first card: nothing to derive, and no result but the void itself.
    pub(crate) fn of_unopened(entry: u64, shoe: Arc<Shoe>, void: UnjudgedVoid) -> ShoeCheck {
        let claims = ShoeClaims::of_void(void);
        ShoeCheck { entry, shoe, seeds: Vec::new(), sealed: None, claims, derived_before: true }
    }

    /// Seed opens the commitment, the root is the derived one, every face and every peek was true.
    pub fn run(self) -> ShoeVerdict {
        self.run_and_show(|_, _, _| {})
    }

    /// The same; each candidate that holds is shown in its committed order, with its number: for one who counts cards.
    pub fn run_and_show(mut self, mut show: impl FnMut(&Shoe, u8, &HouseShoe)) -> ShoeVerdict {
        let unopened = self.claims.voids.iter().filter(|void| void.round.lanes.is_none());
        let mut voids: Vec<VoidResult> = unopened.map(|void| void.without_faces("the round never opened")).collect();
        if let Some(openings) = self.sealed.take() {
            let opened = || self.claims.voids.iter().filter(|void| void.round.lanes.is_some());
            voids.extend(opened().map(|void| void.without_faces("the shoe is sealed: folded hands stay private")));
            let finding = self.check_sealed(&openings).err();
            let by_house = opened().any(|void| void.cause.is_by_house());
            let owed = (finding.is_none() && by_house).then(|| OwedHand(Box::new(self)));
            return ShoeVerdict { finding, voids, owed };
        }
        for (candidate, seed) in &self.seeds {
            let house = HouseShoe::derive(seed, &self.shoe.id.composition);
            if let Err(finding) = self.check(*candidate, seed, &house) {
                return ShoeVerdict { finding: Some(finding), voids, owed: None };
            }
            if !self.derived_before {
                show(&self.shoe, *candidate, &house);
            }
            let opened = self.claims.voids.iter().filter(|void| void.round.lanes.is_some());
            voids.extend(opened.filter_map(|void| void.by_default_play(*candidate, &house)));
        }
        ShoeVerdict { finding: None, voids, owed: None }
    }

    fn finding(&self, check: Check, entry: u64, message: String) -> Finding {
        Finding::at(check, entry, Some(&self.shoe.id.context.table), message)
    }

    /// Every face that was shown is opened against the root of the candidate dealt, in the order in which they were
    /// turned up, and nothing else is.
    fn check_sealed(&self, openings: &[Opening]) -> Result<(), Finding> {
        let shoe_no = self.shoe.id.shoe_no;
        // Cards shown before the entries that were read are opened first.
        let unread = if self.claims.unread { openings.len().saturating_sub(self.claims.faces.len()) } else { 0 };
        let (before, openings) = openings.split_at_checked(unread).unwrap_or((&[], openings));
        for opening in before {
            let leads = |root: &ShoeRoot| opening.verify(root, &self.shoe.id.composition).is_ok();
            if !self.shoe.candidates.iter().any(|committed| leads(&committed.root)) {
                let what = format!("shoe {shoe_no} is sealed, and the opening of slot {} proves nothing", opening.slot);
                return Err(self.finding(Check::Opening, self.entry, what));
            }
        }
        for (claim, opening) in self.claims.faces.iter().zip(openings) {
            let root = self.shoe.candidates.get(usize::from(claim.candidate)).map(|committed| committed.root);
            let proven = root.ok_or_else(|| "there is no such candidate".to_owned()).and_then(|root| {
                opening
                    .verify(&root, &self.shoe.id.composition)
                    .map_err(|e| format!("the opening of slot {} proves nothing: {e}", opening.slot))
            });
            proven.map_err(|what| {
                self.finding(Check::Opening, self.entry, format!("shoe {shoe_no} is sealed, and {what}"))
            })?;
            if opening.slot != claim.slot || opening.value != claim.face.value() {
                let holds = opening.card().map_or_else(|| "no card".to_owned(), |card| card.to_string());
                let what = format!(
                    "slot {} was shown as {}, the opening is of slot {} and holds {holds}",
                    claim.slot, claim.face, opening.slot
                );
                return Err(self.finding(Check::FaceFalse, claim.entry, what));
            }
        }
        match (self.claims.faces.get(openings.len()), openings.get(self.claims.faces.len())) {
            (Some(claim), _) => {
                let what =
                    format!("{} was shown from slot {}, and the sealed shoe does not open it", claim.face, claim.slot);
                Err(self.finding(Check::OpeningMissing, claim.entry, what))
            }
            (_, Some(extra)) => {
                let what = format!("slot {} of shoe {shoe_no} is opened, and no entry shows its face", extra.slot);
                Err(self.finding(Check::OpeningExtra, self.entry, what))
            }
            _ => Ok(()),
        }
    }

    fn check(&self, candidate: u8, seed: &ServerSeed, house: &HouseShoe) -> Result<(), Finding> {
        let shoe = &self.shoe;
        let shoe_no = shoe.id.shoe_no;
        let Some(committed) = shoe.candidates.get(usize::from(candidate)) else {
            return Err(self.finding(
                Check::ShoeRevealed,
                self.entry,
                format!("shoe {shoe_no} has no candidate {candidate}"),
            ));
        };
        let commitment = shoe_commitment(&shoe.id.context, shoe_no, candidate, seed);
        if commitment != committed.commitment {
            let what = format!(
                "the seed published for shoe {shoe_no} hashes to {commitment}, committed was {}: it is not the committed seed",
                committed.commitment
            );
            return Err(self.finding(Check::SeedOpens, self.entry, what));
        }
        let root = house.root();
        if root != committed.root {
            let what = format!(
                "the seed of shoe {shoe_no} orders a proper {} with root {root}, committed was root {}: the house had committed to another order or to other cards",
                shoe.id.composition, committed.root
            );
            return Err(self.finding(Check::ShoeRoot, self.entry, what));
        }
        for claim in self.claims.faces.iter().filter(|claim| claim.candidate == candidate) {
            if house.value(claim.slot) != Some(claim.face.value()) {
                let truth = match (claim.face, house.value(claim.slot)) {
                    (Face::Wheel(_), Some(value)) => value.to_string(),
                    _ => house.card(claim.slot).map_or_else(|| "no card".to_owned(), |card| card.to_string()),
                };
                let what = format!(
                    "slot {} of shoe {shoe_no} was shown as {}, the revealed seed has {truth} there",
                    claim.slot, claim.face
                );
                return Err(self.finding(Check::FaceFalse, claim.entry, what));
            }
        }
        for claim in self.claims.peeks.iter().filter(|claim| claim.candidate == candidate) {
            let truth = house.card(claim.slot).map(|card| claim.question.answer(card));
            if truth != Some(claim.answer) {
                let words = |answer: bool| if answer { "a blackjack" } else { "no blackjack" };
                let what = format!(
                    "the dealer looked at slot {} of shoe {shoe_no} and said {}, the revealed seed makes it {}",
                    claim.slot,
                    words(claim.answer),
                    words(!claim.answer)
                );
                return Err(self.finding(Check::PeekFalse, claim.entry, what));
            }
        }
        Ok(())
    }
}
