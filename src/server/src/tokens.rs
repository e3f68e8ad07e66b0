//! Who a request comes from. Tokens are 256-bit random, shown once, kept as hashes.

use crate::keys::TokenHash;
use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Holder};
use fairshoe_store::{MetaWrite, Reader, StoreError};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};

/// What a token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    Operator,
    Player(PlayerId),
    Auditor,
}

impl Role {
    /// The actor of a command given with it; an auditor gives none.
    pub fn actor(&self) -> Option<Actor> {
        match self {
            Role::Operator => Some(Actor::Operator),
            Role::Player(player) => Some(Actor::Player(player.clone())),
            Role::Auditor => None,
        }
    }
}

/// A token that an entry puts in force.
#[derive(Clone, Debug)]
pub struct Grant {
    pub hash: TokenHash,
    pub holder: Holder,
    /// Whether the holder's earlier tokens stop working.
    pub revoke: bool,
}

/// The tokens in force.
pub struct Tokens {
    operator: TokenHash,
    known: RwLock<HashMap<TokenHash, Holder>>,
}

const PREFIX: &[u8] = b"k/";

fn key(hash: &TokenHash) -> Vec<u8> {
    [PREFIX, hash].concat()
}

impl Tokens {
    /// Loads the tokens that were granted before.
    pub fn load(operator: TokenHash, reader: &Reader) -> Result<Self, StoreError> {
        let mut known = HashMap::new();
        reader.meta_scan(PREFIX, |key, value| {
            let hash = key.get(PREFIX.len()..).and_then(|hash| TokenHash::try_from(hash).ok());
            let holder = std::str::from_utf8(value).ok().and_then(|text| text.parse().ok());
            if let (Some(hash), Some(holder)) = (hash, holder) {
                known.insert(hash, holder);
            }
            ControlFlow::Continue(())
        })?;
        Ok(Tokens { operator, known: RwLock::new(known) })
    }

    /// What a token allows, if it is in force. Looked up by its hash, so the time taken says nothing of the token.
    pub fn role(&self, hash: &TokenHash) -> Option<Role> {
        if *hash == self.operator {
            return Some(Role::Operator);
        }
        match self.known.read().unwrap_or_else(PoisonError::into_inner).get(hash)? {
            Holder::Player(player) => Some(Role::Player(player.clone())),
            Holder::Auditor(_) => Some(Role::Auditor),
        }
    }

    fn held_by(&self, holder: &Holder) -> Vec<TokenHash> {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.iter().filter(|(_, held)| *held == holder).map(|(hash, _)| *hash).collect()
    }

    /// How many tokens a holder has in force.
    pub fn count(&self, holder: &Holder) -> usize {
        self.held_by(holder).len()
    }

    /// What to store together with the entry that grants it.
    pub fn writes(&self, grant: &Grant) -> Vec<MetaWrite> {
        let revoked = if grant.revoke { self.held_by(&grant.holder) } else { Vec::new() };
        let mut writes: Vec<_> = revoked.iter().map(|hash| MetaWrite::Delete { key: key(hash) }).collect();
        writes.push(MetaWrite::Put { key: key(&grant.hash), value: grant.holder.to_string().into_bytes() });
        writes
    }

    /// Puts a grant in force, once its entry is durable.
    pub fn enforce(&self, grant: &Grant) {
        let revoked = if grant.revoke { self.held_by(&grant.holder) } else { Vec::new() };
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        for hash in revoked {
            known.remove(&hash);
        }
        known.insert(grant.hash, grant.holder.clone());
    }
}
