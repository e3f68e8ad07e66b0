//! The keys of a run's players. A command on the log in a player's name must bear their signature, with an increasing
//! nonce (spec/entries.md, "Signed commands").

use super::Flaw;
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_house::{Actor, Entry, signed_text};
use fairshoe_tlog::PublicKey;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The keys of a run's players. Each command on the log in the name of one of them must be signed with their key
/// (spec/entries.md, "Signed commands").
#[derive(Default)]
pub struct Signers(RwLock<HashMap<PlayerId, PublicKey>>);

impl Signers {
    /// Records a player's key.
    pub fn name(&self, player: PlayerId, key: PublicKey) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(player, key);
    }

    /// Checks the signature of an entry, and that its nonce is above the player's last one in `nonces`, which is then
    /// updated.
    ///
    /// # Errors
    /// [`Flaw::Signature`].
    pub fn check(&self, origin: &Origin, entry: &Entry, nonces: &mut HashMap<PlayerId, u64>) -> Result<(), Flaw> {
        let Actor::Player(player) = &entry.by else {
            return if entry.signed.is_none() {
                Ok(())
            } else {
                Err(flaw(&entry.by, "is signed, and no player gave it"))
            };
        };
        let key = self.0.read().unwrap_or_else(PoisonError::into_inner).get(player).cloned();
        // The keys of other players are unknown here.
        let Some(key) = key else { return Ok(()) };
        let signed = entry.signed.ok_or_else(|| flaw(&entry.by, "is not signed"))?;
        let last = nonces.entry(player.clone()).or_default();
        if signed.nonce.get() <= *last {
            return Err(flaw(&entry.by, "has a nonce that was used before"));
        }
        *last = signed.nonce.get();
        let text = signed_text(origin, &entry.by, signed.nonce, &entry.command).unwrap_or_default();
        let holds = key.verify(text.as_bytes(), signed.signature.as_bytes());
        if holds { Ok(()) } else { Err(flaw(&entry.by, "is not signed with their key")) }
    }
}

fn flaw(by: &Actor, what: &'static str) -> Flaw {
    Flaw::Signature { by: by.to_string(), what }
}
