//! A player of an event: their identity for the service, their seeds and signatures.

use crate::client::Token;
use crate::failure::Failure;
use crate::pen::{Pen, random};
use crate::shared::Shared;
use fairshoe_fairness::{
    ClientSeed, PlayerId, SeedCommitment, TableContext, derive_client_seed, seat_seed_commitment, seed_commitment,
};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// A player of an event; see the module. Several tasks send requests in a player's name: at their table, and to the
/// event.
pub(super) struct Entrant {
    pub name: PlayerId,
    token: OnceLock<Token>,
    /// Their signing key. The sender holds the lock, so that nonces come in order.
    pub pen: tokio::sync::Mutex<Option<Pen>>,
    secret: [u8; 32],
    /// Cents from the operator, and cents paid to the event.
    pub given: AtomicU64,
    pub spent: AtomicU64,
}

impl Entrant {
    /// A player who is not registered yet.
    pub fn new(shared: &Shared, number: u16) -> Result<Entrant, Failure> {
        let name = format!("load-{}-{number}", shared.run);
        let name = PlayerId::parse(&name).map_err(|e| Failure::Usage(format!("the player's name {name}: {e}")))?;
        let secret = random()?;
        let pen = if shared.args.sign { Some(Pen::fresh()?) } else { None };
        Ok(Entrant {
            name,
            token: OnceLock::new(),
            pen: tokio::sync::Mutex::new(pen),
            secret,
            given: AtomicU64::new(0),
            spent: AtomicU64::new(0),
        })
    }

    /// Sets the token that the service issued to them.
    pub fn is_known(&self, token: Token) {
        // Only once: only one task creates them.
        let _ = self.token.set(token);
    }

    /// Their token, once they have one.
    pub fn token(&self) -> Result<&Token, Failure> {
        self.token.get().ok_or_else(|| Failure::Usage(format!("{} has no token", self.name)))
    }

    /// A seed for a hand, known only to them.
    pub fn seed(&self, table: &TableContext, round_no: u64) -> ClientSeed {
        derive_client_seed(&self.secret, table, round_no)
    }

    /// Its hash.
    pub fn commitment(&self, table: &TableContext, round_no: u64) -> SeedCommitment {
        seed_commitment(table, round_no, &self.name, &self.seed(table, round_no))
    }

    /// A seed for a draw of seats. An event has no hands of its own, so its name is used like a table's.
    pub fn seat_seed(&self, event: &TableContext, seat_use: u16) -> ClientSeed {
        derive_client_seed(&self.secret, event, u64::from(seat_use))
    }

    /// Its hash.
    pub fn seat_commitment(&self, event: &TableContext, seat_use: u16) -> SeedCommitment {
        seat_seed_commitment(event, seat_use, &self.name, &self.seat_seed(event, seat_use))
    }
}
