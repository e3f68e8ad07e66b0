//! Players' keys, and what they sign (spec/entries.md, "Signed commands").
//!
//! Owns: the signed bytes, the last nonce of each player, the check. Does not own: the signature rule (the log's
//! crate), or how a signature travels.

use crate::sharded::Sharded;
use crate::{Actor, Command, Misfit, PlayerKey, Refusal, Signed, signed_text};
use fairshoe_fairness::{Origin, PlayerId};
use fairshoe_tlog::PublicKey;
use serde::{Deserialize, Serialize};

/// A key that the signature rule takes, read once.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(try_from = "PlayerKey", into = "PlayerKey")]
struct UsableKey(PublicKey);

impl TryFrom<PlayerKey> for UsableKey {
    type Error = Misfit;

    fn try_from(key: PlayerKey) -> Result<Self, Self::Error> {
        PublicKey::from_bytes(key.as_bytes()).map(UsableKey).ok_or(Misfit::UnusableKey(key))
    }
}

impl From<UsableKey> for PlayerKey {
    fn from(key: UsableKey) -> Self {
        PlayerKey::from_bytes(*key.0.as_bytes())
    }
}

/// An operator's change of a key takes effect so long after it: a day, in which the player can see it and take it back.
pub const KEY_DELAY_MS: u64 = 86_400_000;

/// A change of a key that waits.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Waiting {
    key: Option<UsableKey>,
    /// UTC milliseconds from which it is in force.
    from: u64,
}

/// A player's key, and how far they have counted.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keyed {
    /// In force, or, once the change that waits is, the one before it.
    key: Option<UsableKey>,
    waiting: Option<Waiting>,
    /// Zero before their first signed entry. It outlives keys: a player who goes back to an earlier one must not revive
    /// what it signed.
    nonce: u64,
}

impl Keyed {
    fn key_at(&self, time: u64) -> Option<&UsableKey> {
        match &self.waiting {
            Some(waiting) if waiting.from <= time => waiting.key.as_ref(),
            _ => self.key.as_ref(),
        }
    }

    fn waiting_at(&self, time: u64) -> Option<&Waiting> {
        self.waiting.as_ref().filter(|waiting| time < waiting.from)
    }
}

/// Which key each player signs with, and their last nonce. Players who never had a key are not in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Keyring(Sharded<PlayerId, Keyed>);

impl Keyring {
    /// The player's key in force at a time, UTC milliseconds.
    pub fn key_at(&self, player: &PlayerId, time: u64) -> Option<PlayerKey> {
        Some(self.0.get(player)?.key_at(time)?.clone().into())
    }

    /// The change of the player's key that waits at a time: the key, or none, and from when it is in force.
    pub fn waiting_at(&self, player: &PlayerId, time: u64) -> Option<(Option<PlayerKey>, u64)> {
        let waiting = self.0.get(player)?.waiting_at(time)?;
        Some((waiting.key.clone().map(PlayerKey::from), waiting.from))
    }

    /// The nonce of the player's last signed entry; zero if there is none.
    pub fn last_nonce(&self, player: &PlayerId) -> u64 {
        self.0.get(player).map_or(0, |keyed| keyed.nonce)
    }

    /// Whether this command may be given, signed or not.
    pub fn check(
        &self,
        time: u64,
        origin: Option<&Origin>,
        by: &Actor,
        signed: Option<&Signed>,
        command: &Command,
    ) -> Result<(), Refusal> {
        let Actor::Player(player) = by else {
            return if signed.is_some() { Err(Refusal::NoKey(by.clone())) } else { Ok(()) };
        };
        let keyed = self.0.get(player);
        match (keyed.and_then(|keyed| keyed.key_at(time)), signed) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(Refusal::NoKey(by.clone())),
            (Some(_), None) => Err(Refusal::SignatureMissing(player.clone())),
            (Some(UsableKey(key)), Some(signed)) => {
                let last = self.last_nonce(player);
                if signed.nonce.get() <= last {
                    return Err(Refusal::NonceUsed { given: signed.nonce.get(), last });
                }
                let text = origin.and_then(|origin| signed_text(origin, by, signed.nonce, command).ok());
                let holds = text.is_some_and(|text| key.verify(text.as_bytes(), signed.signature.as_bytes()));
                if holds { Ok(()) } else { Err(Refusal::SignatureWrong(player.clone())) }
            }
        }
    }

    /// Takes a player's keys in, as a noted state has them.
    pub fn take(
        &mut self,
        player: PlayerId,
        key: Option<PlayerKey>,
        waiting: Option<(Option<PlayerKey>, u64)>,
        nonce: u64,
    ) -> Result<(), Misfit> {
        let usable = |key: Option<PlayerKey>| key.map(UsableKey::try_from).transpose();
        let waiting = waiting.map(|(key, from)| usable(key).map(|key| Waiting { key, from })).transpose()?;
        let key = usable(key)?;
        if key.is_some() || waiting.is_some() || nonce > 0 {
            self.0.insert(player, Keyed { key, waiting, nonce });
        }
        Ok(())
    }

    /// Forgets a guest who is dismissed; nobody has their name again.
    pub fn forget(&mut self, player: &PlayerId) {
        self.0.remove(player);
    }

    /// Counts a signed entry. An entry that goes back is none that a house wrote.
    pub fn count(&mut self, by: &Actor, signed: &Signed) -> Result<(), Misfit> {
        let Actor::Player(player) = by else { return Err(Misfit::Unsigned(by.clone())) };
        let keyed = self.0.or_insert(player, Keyed::default());
        if signed.nonce.get() <= keyed.nonce {
            return Err(Misfit::NonceUsed(signed.nonce, player.clone(), keyed.nonce));
        }
        keyed.nonce = signed.nonce.get();
        Ok(())
    }

    /// Puts a key in force, or none, at once. A change that waits is dropped.
    pub fn set(&mut self, player: &PlayerId, key: Option<&PlayerKey>) -> Result<(), Misfit> {
        let key = key.copied().map(UsableKey::try_from).transpose()?;
        let keyed = self.0.or_insert(player, Keyed::default());
        (keyed.key, keyed.waiting) = (key, None);
        Ok(())
    }

    /// Lets a key, or none, come into force at a time, in the place of another change that waits. Until then `old` is
    /// in force.
    pub fn set_later(
        &mut self,
        player: &PlayerId,
        key: Option<&PlayerKey>,
        from: u64,
        old: Option<&PlayerKey>,
    ) -> Result<(), Misfit> {
        let usable = |key: Option<&PlayerKey>| key.copied().map(UsableKey::try_from).transpose();
        let (key, old) = (usable(key)?, usable(old)?);
        let keyed = self.0.or_insert(player, Keyed::default());
        (keyed.key, keyed.waiting) = (old, Some(Waiting { key, from }));
        Ok(())
    }
}

/// Refuses a key that the signature rule does not take.
pub(crate) fn require_usable(key: Option<&PlayerKey>) -> Result<(), Refusal> {
    key.copied().map_or(Ok(()), |key| UsableKey::try_from(key).map(drop).map_err(|_| Refusal::KeyRefused))
}
