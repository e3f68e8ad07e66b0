//! The key with which a player signs their commands (spec/entries.md, "Signed commands").

use crate::failure::Failure;
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_house::{Command, Nonce, PlayerKey, Signed};
use fairshoe_tlog::SecretKey;

/// A secret key, with its player's last nonce.
pub struct Pen {
    secret: SecretKey,
    nonce: u64,
}

impl Pen {
    /// A fresh key.
    ///
    /// # Errors
    /// [`Failure::Usage`] if the system has no randomness.
    pub fn fresh() -> Result<Pen, Failure> {
        Ok(Pen { secret: SecretKey::from_seed(&random()?), nonce: 0 })
    }

    /// The public key, in the log's form.
    pub fn key(&self) -> PlayerKey {
        PlayerKey::from_bytes(self.secret.public_key())
    }

    /// Signs a command under the next nonce.
    ///
    /// # Errors
    /// [`Failure::Usage`] if no nonce is left.
    pub fn sign(&mut self, origin: &Origin, player: &PlayerId, command: &Command) -> Result<Signed, Failure> {
        let spent = || Failure::Usage("no nonce is left to sign with".into());
        self.nonce = self.nonce.checked_add(1).ok_or_else(spent)?;
        let nonce = Nonce::new(self.nonce).ok_or_else(spent)?;
        Signed::make(&self.secret, origin, player, nonce, command).map_err(|e| Failure::Usage(e.to_string()))
    }
}

/// Bytes that nobody else knows.
pub fn random<const N: usize>() -> Result<[u8; N], Failure> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|e| Failure::Usage(format!("no randomness: {e}")))?;
    Ok(bytes)
}
