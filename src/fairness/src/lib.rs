//! The fairness protocol, version 1: cards, seeds, commitments, the committed shoe, the public shuffle, lanes and
//! openings, and a tournament's seat draws. It implements `spec/fairness.md` byte for byte. The house that deals and
//! the verifier that checks call the same functions.
//!
//! It does not own rounds, bets, rules, the log or time: it has no I/O, no clock and no randomness. A caller who needs
//! fresh entropy passes 32 bytes.

mod bytes;
mod card;
mod composition;
mod context;
mod draw;
mod hash;
mod lanes;
mod merkle;
mod names;
mod opening;
mod own_json;
mod round;
mod seeds;
mod shoe;
mod stream;
mod text;

pub use bytes::{
    ClientSeed, DrawLink, Epoch, EventEntropy, HexError, MasterId, RoundEntropy, SeedCommitment, ServerSeed,
    ShoeCommitment, ShoeRoot,
};
pub use card::{Card, CardError, Slot};
pub use composition::{Composition, CompositionError, DICE_THROWS, MAX_CARDS, MAX_DECKS, MAX_SPINS, WHEEL_POCKETS};
pub use context::TableContext;
pub use draw::{DrawChain, DrawError, LAST_DRAW, SeatSeed, draw_entropy, link_before, seat_seed_commitment};
pub use lanes::Lanes;
pub use names::{NameError, Origin, PlayerId, TableId};
pub use opening::{MAX_PATH, Opening, OpeningError};
pub use round::{MAX_CANDIDATES, PublicShuffle, RoundError, pocket, round_entropy, spin};
pub use seeds::{Master, committed_bytes, derive_client_seed, seed_commitment, shoe_commitment};
pub use shoe::HouseShoe;
pub use stream::{Stream, accept_word};
