//! A log that goes on, under a new name, from one that lost its last entries (spec/recovery.md, "Under a new name").
//!
//! Owns: the signed text, what is carried over from the old log's end. Does not own: whether a log must go on so (the
//! service), nor the reading of two logs (the auditor).

use crate::{Command, CommandSignature, PlayerKey, PlayerLimit, Reference};
use fairshoe_fairness::{Origin, PlayerId, TableId};
use fairshoe_games::{Chips, RuleSet};
use fairshoe_tlog::{PublicKey, SecretKey};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The first line of what is signed: no other text of the protocol begins so.
pub const LOG_CONTINUES: &str = "fairshoe/v1/log-continues";

/// The label of the credits that carry chips over.
pub const CARRIED_OVER: &str = "carried over";

/// An exclusion that ends so soon after a log goes on is let go: it may be over before its command is reached.
pub(crate) const LET_GO_MS: u64 = 3_600_000;

/// No structure lets its clock stand for longer after a crash, in milliseconds.
pub(crate) const LONGEST_STOP_MS: u64 = 86_400_000;

/// The log that another goes on from, and which one does.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OldLog {
    /// Its name.
    pub origin: Origin,
    /// The raw public key that signed it.
    pub key: PlayerKey,
    /// How many of its entries there are.
    pub size: u64,
    /// Their root, base64.
    pub root: String,
    /// The raw public key of the log that goes on from it: with the name alone a house could show two logs under it.
    pub new_key: PlayerKey,
}

impl OldLog {
    /// The bytes that the old log's key signs: six lines.
    pub fn signed_text(&self, new: &Origin) -> String {
        let OldLog { origin, size, root, new_key, .. } = self;
        format!("{LOG_CONTINUES}\n{origin}\n{size}\n{root}\n{new}\n{new_key}\n")
    }

    /// Its key's word that the log `new`, and no other, goes on from it.
    pub fn sign(&self, secret: &SecretKey, new: &Origin) -> CommandSignature {
        CommandSignature::from_bytes(secret.sign(self.signed_text(new).as_bytes()))
    }

    pub(crate) fn is_signed(&self, new: &Origin, signature: &CommandSignature) -> bool {
        PublicKey::from_bytes(self.key.as_bytes())
            .is_some_and(|key| key.verify(self.signed_text(new).as_bytes(), signature.as_bytes()))
    }
}

/// The log that goes on from one that has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NextLog {
    /// Its name.
    pub origin: Origin,
    /// Its raw public key.
    pub key: PlayerKey,
}

/// Everything that is carried over, in the order of the commands that do it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedOver {
    /// Every player by ascending name.
    pub players: Vec<CarriedPlayer>,
    /// The operator's open tables by ascending name.
    pub tables: Vec<(TableId, Arc<RuleSet>)>,
}

/// A player who comes along.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedPlayer {
    /// Their name.
    pub player: PlayerId,
    /// Their key, if one is in force.
    pub key: Option<PlayerKey>,
    /// All chips that are theirs.
    pub chips: Chips,
    /// Their own limits.
    pub limits: Vec<PlayerLimit>,
    /// The end of their exclusion, UTC milliseconds.
    pub excluded: Option<u64>,
}

impl CarriedPlayer {
    /// The commands that carry the player over, into a log that goes on at that time. Limits come after the credit, which
    /// is no deposit of the player's.
    pub(crate) fn commands(&self, at: u64) -> impl Iterator<Item = Command> + '_ {
        let credit = (self.chips > Chips::ZERO).then(|| Command::Credit {
            player: self.player.clone(),
            amount: self.chips,
            reference: Reference::parse(CARRIED_OVER),
        });
        let limits = self.limits.iter().map(|limit| Command::SetLimit {
            player: self.player.clone(),
            of: limit.of,
            per: limit.per,
            most: Some(limit.most),
        });
        let lasts = self.excluded.filter(|until| *until > at.saturating_add(LET_GO_MS));
        let exclude = lasts.map(|until| Command::Exclude { player: self.player.clone(), until });
        std::iter::once(Command::CreatePlayer { player: self.player.clone(), key: self.key })
            .chain(credit)
            .chain(limits)
            .chain(exclude)
    }
}

impl CarriedOver {
    /// The operator's commands that carry it over: one after the other, right after `continue_log`, whose time `at` is.
    pub fn commands(&self, at: u64) -> impl Iterator<Item = Command> + '_ {
        let players = self.players.iter().flat_map(move |player| player.commands(at));
        let open = |(table, rules): &(TableId, Arc<RuleSet>)| Command::OpenTable {
            table: table.clone(),
            rules: rules.as_ref().clone(),
            replaces: None,
        };
        players.chain(self.tables.iter().map(open))
    }
}
