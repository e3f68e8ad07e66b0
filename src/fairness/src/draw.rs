//! The seat draws of a tournament: the house's chain of numbers, the entrants' seeds, the entropy of a draw
//! (spec/games/tournaments.md, "Draws"). The crate `tournament` computes the seats.

use std::cmp::Ordering;

use crate::bytes::{ClientSeed, DrawLink, EventEntropy, RoundEntropy, SeedCommitment};
use crate::context::TableContext;
use crate::hash::{hash, hmac, lp};
use crate::names::PlayerId;
use crate::seeds::Master;

/// The number of an event's last draw: the chain has one link more.
pub const LAST_DRAW: u16 = u16::MAX;

/// Why a draw has no entropy.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DrawError {
    /// More than 65,535 seeds.
    #[error("{0} seeds: at most 65535 are allowed")]
    Seeds(usize),
    /// An entry is named twice.
    #[error("entry {0} is named twice")]
    Twice(u64),
    /// Entries do not ascend.
    #[error("entry {0} is out of order")]
    NotAscending(u64),
}

/// A revealed seed of an entrant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SeatSeed {
    /// The entry.
    pub entry_no: u64,
    /// The entry's player.
    pub player: PlayerId,
    /// The seed.
    pub seed: ClientSeed,
}

impl Master {
    /// `s_d`: the house's number of an event's draw, as secret as the master until that draw. The context's table is
    /// the event. It is hashed down from the chain's end, in at most 65,535 steps.
    pub fn draw_link(&self, event: &TableContext, draw_no: u16) -> DrawLink {
        down(event, LAST_DRAW, self.chain_end(event), draw_no)
    }

    /// `s_{−1}`: the number that the house publishes before registration opens.
    pub fn draw_tip(&self, event: &TableContext) -> DrawLink {
        link_before(event, 0, &self.draw_link(event, 0))
    }

    fn chain_end(&self, event: &TableContext) -> DrawLink {
        DrawLink::from_bytes(hmac(self.as_bytes(), "draw-seed", &[&event.tctx()]))
    }
}

/// The link of a draw, computed from the link of a later one.
fn down(event: &TableContext, from: u16, link: DrawLink, draw_no: u16) -> DrawLink {
    (draw_no..from).rev().fold(link, |link, below| link_before(event, below.saturating_add(1), &link))
}

/// Every 256th number of an event's chain, so that any other is at most 255 hashes away. As secret as the master.
pub struct DrawChain {
    event: TableContext,
    /// The links of the draws 255, 511 and so on.
    kept: Vec<DrawLink>,
}

impl DrawChain {
    /// Hashes the whole chain once.
    pub fn new(master: &Master, event: &TableContext) -> Self {
        let (mut link, mut from) = (master.chain_end(event), LAST_DRAW);
        let mut kept = Vec::with_capacity(256);
        for block in (0..=u8::MAX).rev() {
            let last = u16::from_be_bytes([block, u8::MAX]);
            link = down(event, from, link, last);
            kept.push(link.clone());
            from = last;
        }
        kept.reverse();
        DrawChain { event: event.clone(), kept }
    }

    /// The chain's event.
    pub fn event(&self) -> &TableContext {
        &self.event
    }

    /// `s_d`.
    pub fn link(&self, draw_no: u16) -> Option<DrawLink> {
        let last = draw_no | u16::from(u8::MAX);
        let link = self.kept.get(usize::from(draw_no >> 8))?.clone();
        Some(down(&self.event, last, link, draw_no))
    }

    /// `s_{−1}`.
    pub fn tip(&self) -> Option<DrawLink> {
        Some(link_before(&self.event, 0, &self.link(0)?))
    }
}

/// `s_{d−1}` from `s_d`: a link is valid if it leads to the one before; draw 0's leads to the tip.
pub fn link_before(event: &TableContext, draw_no: u16, link: &DrawLink) -> DrawLink {
    DrawLink::from_bytes(hash("draw-chain", &[&event.tctx(), &u64::from(draw_no).to_be_bytes(), link.as_bytes()]))
}

/// The commitment to a player's seed; `seat_use` is the number of their earlier commitments in this event. It names no
/// entry: the log assigns an entry's number, which the player does not know beforehand.
pub fn seat_seed_commitment(
    event: &TableContext,
    seat_use: u16,
    player: &PlayerId,
    seed: &ClientSeed,
) -> SeedCommitment {
    SeedCommitment::from_bytes(hash(
        "seat-seed",
        &[&event.tctx(), &seat_use.to_be_bytes(), &lp(player.as_str()), seed.as_bytes()],
    ))
}

/// `E_d`: from the house's number, the event's running entropy, and the revealed seeds, ascending by entry. From then
/// on it is the running entropy.
pub fn draw_entropy(
    event: &TableContext,
    draw_no: u16,
    link: &DrawLink,
    running: &EventEntropy,
    seeds: &[SeatSeed],
) -> Result<EventEntropy, DrawError> {
    let count = u16::try_from(seeds.len()).map_err(|_| DrawError::Seeds(seeds.len()))?;
    for pair in seeds.windows(2) {
        if let [before, after] = pair {
            match before.entry_no.cmp(&after.entry_no) {
                Ordering::Less => {}
                Ordering::Equal => return Err(DrawError::Twice(after.entry_no)),
                Ordering::Greater => return Err(DrawError::NotAscending(after.entry_no)),
            }
        }
    }
    let mut records = Vec::with_capacity(seeds.len().saturating_mul(56));
    for SeatSeed { entry_no, player, seed } in seeds {
        records.extend_from_slice(&entry_no.to_be_bytes());
        records.extend(lp(player.as_str()));
        records.extend_from_slice(seed.as_bytes());
    }
    Ok(EventEntropy::from_bytes(hash(
        "draw",
        &[
            &event.tctx(),
            &u64::from(draw_no).to_be_bytes(),
            link.as_bytes(),
            running.as_bytes(),
            &count.to_be_bytes(),
            &records,
        ],
    )))
}

impl EventEntropy {
    /// X before the first draw or hand.
    pub const START: EventEntropy = EventEntropy::from_bytes([0; 32]);

    /// X after a hand of the event was opened with this entropy.
    #[must_use]
    pub fn after_hand(&self, hand: &RoundEntropy) -> EventEntropy {
        EventEntropy::from_bytes(hash("event-entropy", &[self.as_bytes(), hand.as_bytes()]))
    }
}
