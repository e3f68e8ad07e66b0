//! A player of an event: who they are to the service, their seeds and signatures.

use crate::client::Token;
use crate::failure::Failure;
use crate::pen::Pen;
use crate::shared::Shared;
use fairshoe_fairness::{
    ClientSeed, PlayerId, SeedCommitment, TableContext, derive_client_seed, seat_seed_commitment, seed_commitment,
};
use std::sync::OnceLock;
use std::sync::atomic::AtomicU64;

/// See the module. Several tasks ask in a player's name: at their table, and of the event.
pub(super) struct Entrant {
    pub name: PlayerId,
    token: OnceLock<Token>,
    /// What they sign with. Whoever asks holds it, so that nonces come in order.
    pub pen: tokio::sync::Mutex<Option<Pen>>,
    secret: [u8; 32],
    /// Cents that the operator gave, and that the event took.
    pub given: AtomicU64,
    pub spent: AtomicU64,
}

impl Entrant {
    /// A player whom the service does not know yet.
    pub fn new(shared: &Shared, number: u16) -> Result<Entrant, Failure> {
        let name = format!("load-{}-{number}", shared.run);
        let name = PlayerId::parse(&name).map_err(|e| Failure::Usage(format!("the player's name {name}: {e}")))?;
        let mut secret = [0; 32];
        getrandom::fill(&mut secret).map_err(|e| Failure::Usage(format!("no randomness: {e}")))?;
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

    /// The token that the service gave out for them.
    pub fn is_known(&self, token: Token) {
        // Once: whoever creates them is one.
        let _ = self.token.set(token);
    }

    /// Their token, once they have one.
    pub fn token(&self) -> Result<&Token, Failure> {
        self.token.get().ok_or_else(|| Failure::Usage(format!("{} has no token", self.name)))
    }

    /// A seed for a hand that only they can know.
    pub fn seed(&self, table: &TableContext, round_no: u64) -> ClientSeed {
        derive_client_seed(&self.secret, table, round_no)
    }

    /// Its hash.
    pub fn commitment(&self, table: &TableContext, round_no: u64) -> SeedCommitment {
        seed_commitment(table, round_no, &self.name, &self.seed(table, round_no))
    }

    /// A seed for a draw of seats: an event has no hands of its own, so that its name serves as a table's does.
    pub fn seat_seed(&self, event: &TableContext, seat_use: u16) -> ClientSeed {
        derive_client_seed(&self.secret, event, u64::from(seat_use))
    }

    /// Its hash.
    pub fn seat_commitment(&self, event: &TableContext, seat_use: u16) -> SeedCommitment {
        seat_seed_commitment(event, seat_use, &self.name, &self.seat_seed(event, seat_use))
    }
}
