//! The house's seeds and the players' seeds, and the commitments to both.

use std::fmt;

use zeroize::{Zeroize, ZeroizeOnDrop};

use crate::bytes::{ClientSeed, MasterId, SeedCommitment, ServerSeed, ShoeCommitment};
use crate::composition::Composition;
use crate::context::TableContext;
use crate::hash::{hash, hashed, hmac, lp};
use crate::names::PlayerId;

/// The operator's 32 secret bytes from which all server seeds come (spec/fairness.md, "Server seed").
///
/// It has no text form and never leaves the dealer's memory.
#[derive(Zeroize, ZeroizeOnDrop)]
pub struct Master([u8; 32]);

impl fmt::Debug for Master {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Master(hidden)")
    }
}

impl Master {
    /// Wraps the 32 bytes of the key file.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    pub(crate) const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The public digest of the master; a start under another master is refused by it.
    pub fn id(&self) -> MasterId {
        MasterId::from_bytes(hash("master-id", &[&self.0]))
    }

    /// `S_k`: the server seed of candidate `candidate` of shoe `shoe_no`.
    pub fn server_seed(&self, context: &TableContext, shoe_no: u64, candidate: u8) -> ServerSeed {
        ServerSeed::from_bytes(hmac(&self.0, "server-seed", &[&context.tctx(), &shoe_no.to_be_bytes(), &[candidate]]))
    }
}

impl ServerSeed {
    /// `house_key`: the key of the stream that orders the shoe. As secret as the seed.
    pub fn house_key(&self, composition: &Composition) -> [u8; 32] {
        let composition = lp(&composition.to_string());
        hmac(self.as_bytes(), "house-order", &[&composition])
    }

    /// `salt_key`: the key of the stream that salts the slots. As secret as the seed.
    pub fn salt_key(&self, composition: &Composition) -> [u8; 32] {
        let composition = lp(&composition.to_string());
        hmac(self.as_bytes(), "salts", &[&composition])
    }
}

/// `C_k`: the commitment to a server seed, published before any player entropy (spec/fairness.md, "Server seed").
pub fn shoe_commitment(context: &TableContext, shoe_no: u64, candidate: u8, seed: &ServerSeed) -> ShoeCommitment {
    ShoeCommitment::from_bytes(hash(
        "seed-commitment",
        &[&context.tctx(), &shoe_no.to_be_bytes(), &[candidate], seed.as_bytes()],
    ))
}

/// The commitment to a client seed, bound to its round and player (spec/fairness.md, "Client seed"): it cannot be
/// opened by another player or in another round.
pub fn seed_commitment(context: &TableContext, round_no: u64, player: &PlayerId, seed: &ClientSeed) -> SeedCommitment {
    let (tctx, player) = (context.tctx(), lp(player.as_str()));
    SeedCommitment::from_bytes(hash(CLIENT_SEED, &[&tctx, &round_no.to_be_bytes(), &player, seed.as_bytes()]))
}

/// The bytes that [`seed_commitment`] hashes, with the seed. They help an author find why their own commitment differs.
pub fn committed_bytes(context: &TableContext, round_no: u64, player: &PlayerId, seed: &ClientSeed) -> Vec<u8> {
    let (tctx, player) = (context.tctx(), lp(player.as_str()));
    hashed(CLIENT_SEED, &[&tctx, &round_no.to_be_bytes(), &player, seed.as_bytes()])
}

const CLIENT_SEED: &str = "client-seed";

/// The client seed a player should use for a round, from 32 random bytes of their own (spec/fairness.md, "Client
/// seed"). If their device crashes, no committed seed is lost.
pub fn derive_client_seed(secret: &[u8; 32], context: &TableContext, round_no: u64) -> ClientSeed {
    ClientSeed::from_bytes(hmac(secret, "client-derive", &[&context.tctx(), &round_no.to_be_bytes()]))
}
