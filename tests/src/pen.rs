//! A player's signatures: written from openapi.yaml ("Signatures") alone, on texts, without the service's own types.

use fairshoe_tlog::SecretKey;
use std::sync::atomic::{AtomicU64, Ordering};

/// A player's secret key and last nonce.
pub struct Pen {
    secret: SecretKey,
    origin: String,
    by: String,
    nonce: AtomicU64,
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Pen {
    /// A pen for a player of the log with this origin.
    pub fn new(origin: &str, player: &str, seed: u8) -> Pen {
        let secret = SecretKey::from_seed(&[seed; 32]);
        Pen { secret, origin: origin.into(), by: format!("player:{player}"), nonce: AtomicU64::new(0) }
    }

    /// The raw public key, as the calls take it.
    pub fn key(&self) -> String {
        hex(&self.secret.public_key())
    }

    /// The header's value for a command under this nonce; its JSON is exactly the entry's.
    pub fn with_nonce(&self, nonce: u64, command: &str) -> String {
        let text = format!("fairshoe/v1/signed-command\n{}\n{}\n{nonce}\n{command}\n", self.origin, self.by);
        format!("nonce={nonce}, sig={}", hex(&self.secret.sign(text.as_bytes())))
    }

    /// The same under the next nonce.
    pub fn sign(&self, command: &str) -> String {
        self.with_nonce(self.nonce.fetch_add(1, Ordering::SeqCst) + 1, command)
    }

    /// Continues from this nonce.
    pub fn from_nonce(self, last: u64) -> Pen {
        self.nonce.store(last, Ordering::SeqCst);
        self
    }

    /// Continues from the nonces of another pen of the same player.
    pub fn after(self, other: &Pen) -> Pen {
        self.nonce.store(other.nonce.load(Ordering::SeqCst), Ordering::SeqCst);
        self
    }
}
