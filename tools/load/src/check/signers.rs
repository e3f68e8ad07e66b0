//! The keys of a run's players: what stands on the log in a player's name must bear their signature, with a nonce that
//! grows (spec/entries.md, "Signed commands").

use super::Flaw;
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_house::{Actor, Entry, signed_text};
use fairshoe_tlog::PublicKey;
use std::collections::HashMap;
use std::sync::{PoisonError, RwLock};

/// The keys of a run's players. What stands on the log in the name of one of them must be signed with their key
/// (spec/entries.md, "Signed commands").
#[derive(Default)]
pub struct Signers(RwLock<HashMap<PlayerId, PublicKey>>);

impl Signers {
    /// Names a player's key.
    pub fn name(&self, player: PlayerId, key: PublicKey) {
        self.0.write().unwrap_or_else(PoisonError::into_inner).insert(player, key);
    }

    /// Checks the signature of an entry, and that its nonce is above the player's last one among `nonces`, which it
    /// joins.
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
        // Of players who are none of the run's nothing is known.
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

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_house::{Command, Nonce, Signed};
    use fairshoe_tlog::SecretKey;

    #[test]
    fn only_the_players_own_fresh_signature_passes() {
        let origin = Origin::parse("example.com/log").unwrap();
        let alice = PlayerId::parse("alice").unwrap();
        let secret = SecretKey::from_seed(&[1; 32]);
        let signers = Signers::default();
        signers.name(alice.clone(), PublicKey::from_bytes(&secret.public_key()).unwrap());
        let command: Command =
            serde_json::from_str(r#"{"act":{"table":"t1","round_no":3,"decision":0,"action":"hit"}}"#).unwrap();
        let signed = |nonce, command: &Command| {
            Signed::make(&secret, &origin, &alice, Nonce::new(nonce).unwrap(), command).unwrap()
        };
        let entry = |by: &str, signed: Option<Signed>| Entry {
            v: 1,
            time: 0,
            by: serde_json::from_value(serde_json::json!(by)).unwrap(),
            at: None,
            before: vec![],
            command: command.clone(),
            signed,
            events: vec![],
        };
        let mut nonces = HashMap::new();
        let mut check = |entry: &Entry| match signers.check(&origin, entry, &mut nonces) {
            Ok(()) => "",
            Err(Flaw::Signature { what, .. }) => what,
            Err(_) => "?",
        };
        assert_eq!(check(&entry("player:alice", None)), "is not signed");
        assert_eq!(check(&entry("player:alice", Some(signed(5, &command)))), "");
        assert_eq!(check(&entry("player:alice", Some(signed(5, &command)))), "has a nonce that was used before");
        let other: Command =
            serde_json::from_str(r#"{"act":{"table":"t1","round_no":4,"decision":0,"action":"hit"}}"#).unwrap();
        assert_eq!(check(&entry("player:alice", Some(signed(6, &other)))), "is not signed with their key");
        assert_eq!(check(&entry("house", Some(signed(7, &command)))), "is signed, and no player gave it");
        assert_eq!(check(&entry("player:bob", None)), "", "nothing is known of him");
        assert_eq!(check(&entry("house", None)), "");
    }
}
