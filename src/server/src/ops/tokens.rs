//! The senders of requests. Tokens are 256-bit random, shown once, kept as hashes.

use crate::ops::keys::TokenHash;
use crate::write::durable::ReadLog;
use crate::write::pipeline::now_ms;
use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Entry, Event, Holder};
use fairshoe_store::{MetaWrite, StoreError};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{PoisonError, RwLock};
use tokio::sync::watch;

/// What a token allows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    Operator,
    Player(PlayerId),
    Auditor(PlayerId),
}

impl Role {
    /// The actor of a command given with it; an auditor gives none but disclosures (see [`crate::edge`]).
    pub fn actor(&self) -> Option<Actor> {
        match self {
            Role::Operator => Some(Actor::Operator),
            Role::Player(player) => Some(Actor::Player(player.clone())),
            Role::Auditor(_) => None,
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
    /// When it stops working by itself, in milliseconds since 1970, by this machine's clock; none: never.
    pub until: Option<u64>,
    /// The holder's own token that makes it; none: the operator does, or the house.
    pub maker: Option<TokenHash>,
}

impl Grant {
    /// Whether it is one more beside the token that makes it. One that takes the place of all takes that one's place too.
    fn is_made(&self) -> bool {
        self.maker.is_some() && !self.revoke
    }
}

/// A token that comes with a command: for whom it is known beforehand, or for the guest whom its entry names.
#[derive(Clone, Debug)]
pub enum Granted {
    To(Grant),
    ToGuest(TokenHash),
}

impl Granted {
    /// The grant of an entry.
    pub fn by(self, entry: &Entry) -> Option<Grant> {
        match self {
            Granted::To(grant) => Some(grant),
            Granted::ToGuest(hash) => entry.events.iter().find_map(|event| match event {
                Event::GuestAdmitted { player } => Some(Grant {
                    hash,
                    holder: Holder::Player(player.clone()),
                    revoke: false,
                    until: None,
                    maker: None,
                }),
                _ => None,
            }),
        }
    }
}

/// The guests whom an entry dismisses.
pub fn dismissed(entry: &Entry) -> impl Iterator<Item = Holder> + '_ {
    entry.events.iter().filter_map(|event| match event {
        Event::GuestDismissed { player } => Some(Holder::Player(player.clone())),
        _ => None,
    })
}

/// The tokens in force, and those whose entry is decided but not durable yet.
pub struct Tokens {
    operator: TokenHash,
    known: RwLock<All>,
    /// Changes when tokens were revoked.
    revoked: watch::Sender<()>,
}

struct Known {
    holder: Holder,
    until: Option<u64>,
    /// Another token of the holder's made it.
    is_made: bool,
    in_force: bool,
    /// An entry that is decided, and may not be durable yet, ends it.
    is_ending: bool,
}

impl Known {
    fn of(grant: &Grant, in_force: bool) -> Known {
        let Grant { holder, until, .. } = grant.clone();
        Known { holder, until, is_made: grant.is_made(), in_force, is_ending: false }
    }

    fn is_over(&self, now: u64) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// All of them, and those of each holder. *Attack: one of many thousand players is refused a token again and again, and each
/// time all tokens were counted where tables are decided.*
#[derive(Default)]
struct All {
    by_hash: HashMap<TokenHash, Known>,
    of: HashMap<Holder, Vec<TokenHash>>,
}

impl All {
    fn get(&self, hash: &TokenHash) -> Option<&Known> {
        self.by_hash.get(hash)
    }

    fn insert(&mut self, hash: TokenHash, known: Known) {
        let theirs = self.of.entry(known.holder.clone()).or_default();
        if self.by_hash.insert(hash, known).is_none() {
            theirs.push(hash);
        }
    }

    /// A holder's.
    fn of(&self, holder: &Holder) -> impl Iterator<Item = (&TokenHash, &Known)> {
        let theirs = self.of.get(holder).into_iter().flatten();
        theirs.filter_map(|hash| self.by_hash.get_key_value(hash))
    }

    /// Forgets this one; whether it was there.
    fn remove(&mut self, hash: &TokenHash) -> bool {
        let Some(known) = self.by_hash.remove(hash) else { return false };
        if let Some(theirs) = self.of.get_mut(&known.holder) {
            theirs.retain(|one| one != hash);
            if theirs.is_empty() {
                self.of.remove(&known.holder);
            }
        }
        true
    }

    /// Forgets those of a holder that are so.
    fn remove_of(&mut self, holder: &Holder, is_gone: impl Fn(&Known) -> bool) {
        let gone: Vec<_> = self.of(holder).filter(|(_, known)| is_gone(known)).map(|(hash, _)| *hash).collect();
        for hash in gone {
            self.remove(&hash);
        }
    }

    /// An entry ends those of a holder.
    fn end_of(&mut self, holder: &Holder) {
        for hash in self.of.get(holder).into_iter().flatten() {
            self.by_hash.entry(*hash).and_modify(|known| known.is_ending = true);
        }
    }
}

/// So many tokens a holder has at once.
pub const TOKENS_PER_HOLDER: usize = 16;

const PREFIX: &[u8] = b"k/";

/// Whether this is the metadata key of a token.
pub fn is_token(key: &[u8]) -> bool {
    key.starts_with(PREFIX)
}

fn key(hash: &TokenHash) -> Vec<u8> {
    [PREFIX, hash].concat()
}

fn hash_of(key: &[u8]) -> Option<TokenHash> {
    key.strip_prefix(PREFIX).and_then(|hash| TokenHash::try_from(hash).ok())
}

/// What stands in the place of the time at which a token ends that has none.
const NO_END: &str = "-";

/// Stands behind the time of a token that another one made.
const MADE: &str = "made";

/// A token as it is stored: its holder, the time at which it ends, and whether another made it; what does not apply is left
/// out from the end.
fn read(key: &[u8], value: &[u8]) -> Option<(TokenHash, Known)> {
    let mut words = std::str::from_utf8(value).ok()?.split(' ');
    let holder = words.next()?.parse().ok()?;
    let until = match words.next() {
        None | Some(NO_END) => None,
        Some(until) => Some(until.parse().ok()?),
    };
    let is_made = match words.next() {
        None => false,
        Some(MADE) => true,
        Some(_) => return None,
    };
    let known = Known { holder, until, is_made, in_force: true, is_ending: false };
    words.next().is_none().then_some((hash_of(key)?, known))
}

fn stored(grant: &Grant) -> Vec<u8> {
    let holder = &grant.holder;
    match (grant.until, grant.is_made()) {
        (None, false) => holder.to_string(),
        (Some(until), false) => format!("{holder} {until}"),
        (None, true) => format!("{holder} {NO_END} {MADE}"),
        (Some(until), true) => format!("{holder} {until} {MADE}"),
    }
    .into_bytes()
}

impl Tokens {
    /// Loads the tokens that were granted before.
    pub fn load(operator: TokenHash, reader: &dyn ReadLog) -> Result<Self, StoreError> {
        let mut known = All::default();
        reader.meta_scan(PREFIX, &mut |key, value| {
            read(key, value).into_iter().for_each(|(hash, token)| known.insert(hash, token));
            ControlFlow::Continue(())
        })?;
        Ok(Tokens { operator, known: RwLock::new(known), revoked: watch::Sender::new(()) })
    }

    /// What a token allows, if it is in force. Looked up by its hash, so the time taken says nothing of the token.
    pub fn role(&self, hash: &TokenHash) -> Option<Role> {
        if *hash == self.operator {
            return Some(Role::Operator);
        }
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        match known.get(hash).filter(|known| known.in_force && !known.is_over(now_ms()))? {
            Known { holder: Holder::Player(player), .. } => Some(Role::Player(player.clone())),
            Known { holder: Holder::Auditor(name), .. } => Some(Role::Auditor(name.clone())),
        }
    }

    /// When a token ends by itself, if it does.
    pub fn end_of(&self, hash: &TokenHash) -> Option<u64> {
        self.known.read().unwrap_or_else(PoisonError::into_inner).get(hash)?.until
    }

    /// Whether a token may end all of its holder's: the operator or the house made it, and it has no end. *Attack: whoever got
    /// hold of one that was to last an evening throws its owner out.*
    pub fn may_revoke(&self, hash: &TokenHash) -> bool {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        known.get(hash).is_some_and(|known| known.until.is_none() && !known.is_made)
    }

    /// Whether the token that makes this one is there still, after everything that is decided. *Attack: a thief asks for
    /// tokens without a pause, and one of them comes right behind the entry that ended all.*
    pub fn may_make(&self, granted: &Granted) -> bool {
        let Granted::To(Grant { maker: Some(maker), .. }) = granted else { return true };
        let (known, now) = (self.known.read().unwrap_or_else(PoisonError::into_inner), now_ms());
        known.get(maker).is_some_and(|known| !known.is_ending && !known.is_over(now))
    }

    /// Changes when tokens were revoked: what was opened with one of them ends.
    pub fn revocations(&self) -> watch::Receiver<()> {
        self.revoked.subscribe()
    }

    /// The holder who has as many tokens as they may, if the one to come is theirs, and one more. It is asked where tokens
    /// are decided. *Attack: many requests at once, of which each finds room for one.*
    pub fn full(&self, granted: &Granted) -> Option<Holder> {
        let Granted::To(Grant { holder, revoke: false, .. }) = granted else { return None };
        (!self.has_room(holder)).then(|| holder.clone())
    }

    /// Whether a holder may have one more.
    pub fn has_room(&self, holder: &Holder) -> bool {
        self.count(holder) < TOKENS_PER_HOLDER
    }

    /// How many tokens a holder has after everything that is decided.
    fn count(&self, holder: &Holder) -> usize {
        let (known, now) = (self.known.read().unwrap_or_else(PoisonError::into_inner), now_ms());
        known.of(holder).filter(|(_, known)| !known.is_over(now) && !known.is_ending).count()
    }

    /// What to store together with the entry that grants it. A revocation deletes grants that are not durable yet too:
    /// they stand before it in the log, and would otherwise work again after a restart.
    pub fn writes(&self, grant: &Grant) -> Vec<MetaWrite> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let now = now_ms();
        // What is over goes with the next grant, so that a holder never keeps more than they may have.
        let gone = known.of(&grant.holder).filter(|(_, known)| grant.revoke || known.is_over(now));
        let mut writes: Vec<_> = gone.map(|(hash, _)| MetaWrite::Delete { key: key(hash) }).collect();
        known.remove_of(&grant.holder, |known| known.is_over(now));
        if grant.revoke {
            known.end_of(&grant.holder);
        }
        writes.push(MetaWrite::Put { key: key(&grant.hash), value: stored(grant) });
        known.insert(grant.hash, Known::of(grant, false));
        writes
    }

    /// What to store together with the entry by which a holder is gone.
    pub fn deletes(&self, holder: &Holder) -> Vec<MetaWrite> {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        known.end_of(holder);
        known.of(holder).map(|(hash, _)| MetaWrite::Delete { key: key(hash) }).collect()
    }

    /// Puts in force, and ends, what another node wrote, once that is durable here.
    pub fn follow(&self, writes: &[MetaWrite]) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        let mut has_ended = false;
        for write in writes {
            match write {
                MetaWrite::Put { key, value } => {
                    read(key, value).into_iter().for_each(|(hash, token)| known.insert(hash, token));
                }
                MetaWrite::Delete { key } => {
                    has_ended |= hash_of(key).is_some_and(|hash| known.remove(&hash));
                }
            }
        }
        drop(known);
        if has_ended {
            self.revoked.send_replace(());
        }
    }

    /// Ends all tokens of a holder who is gone, once that is durable.
    pub fn end(&self, holder: &Holder) {
        self.known.write().unwrap_or_else(PoisonError::into_inner).remove_of(holder, |_| true);
        self.revoked.send_replace(());
    }

    /// Puts a grant in force, once its entry is durable. Grants come in the order of the log, so whatever is in force
    /// already is older than a revocation, and whatever is not is younger.
    pub fn enforce(&self, grant: &Grant) {
        let mut known = self.known.write().unwrap_or_else(PoisonError::into_inner);
        if grant.revoke {
            known.remove_of(&grant.holder, |known| known.in_force);
        }
        // A later one that is decided already may end this one.
        let is_ending = known.get(&grant.hash).is_some_and(|known| known.is_ending);
        known.insert(grant.hash, Known { is_ending, ..Known::of(grant, true) });
        drop(known);
        if grant.revoke {
            self.revoked.send_replace(());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_store::Store;

    fn grant(byte: u8, revoke: bool) -> Grant {
        let holder = Holder::Player(PlayerId::parse("alice").unwrap());
        Grant { hash: [byte; 32], holder, revoke, until: None, maker: None }
    }

    fn made_by(maker: u8, grant: Grant) -> Grant {
        Grant { maker: Some([maker; 32]), ..grant }
    }

    #[test]
    fn a_token_with_a_lifetime_ends_by_itself_and_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        fairshoe_store::true_sync::require().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let tokens = Tokens::load([0; 32], &store.reader()).unwrap();
        let now = now_ms();
        let over = Grant { until: Some(now.saturating_sub(1)), ..grant(1, false) };
        let lives = Grant { until: Some(now.saturating_add(3_600_000)), ..grant(2, false) };
        let mut written = tokens.writes(&over);
        written.extend(tokens.writes(&lives));
        assert!(deletes(&written, 1), "what is over goes with the next one");
        tokens.enforce(&over);
        tokens.enforce(&lives);
        assert!(tokens.role(&over.hash).is_none() && tokens.role(&lives.hash).is_some());
        assert_eq!(tokens.count(&lives.holder), 1);
        // As the store has it, for a start and for a node that follows.
        let made = [made_by(2, lives.clone()), made_by(2, grant(3, false)), made_by(2, grant(4, true))];
        for grant in [over, lives].into_iter().chain(made) {
            let (hash, known) = read(&key(&grant.hash), &stored(&grant)).unwrap();
            let told = (hash, known.holder, known.until, known.is_made);
            assert_eq!(told, (grant.hash, grant.holder.clone(), grant.until, grant.is_made()));
        }
        for none in ["player:alice soon", "player:alice - bought", "player:alice - made twice", "alice"] {
            assert!(read(&key(&[3; 32]), none.as_bytes()).is_none(), "{none}");
        }
    }

    #[test]
    fn a_token_that_is_being_ended_makes_none_and_the_one_that_took_its_place_does() {
        let folder = tempfile::tempdir().unwrap();
        fairshoe_store::true_sync::require().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let tokens = Tokens::load([0; 32], &store.reader()).unwrap();
        let may_make = |grant: Grant| tokens.may_make(&Granted::To(grant));
        let first = grant(1, false);
        tokens.writes(&first);
        assert!(may_make(made_by(1, grant(2, false))) && !may_make(made_by(9, grant(2, false))));
        // The revocation is decided, and neither is durable yet.
        let revocation = made_by(1, grant(3, true));
        tokens.writes(&revocation);
        for when in ["decided", "the first is durable", "both are"] {
            assert!(!may_make(made_by(1, grant(4, false))), "{when}");
            assert!(!may_make(made_by(1, grant(4, true))), "{when}: it would end what took its place");
            assert!(may_make(made_by(3, grant(4, false))), "{when}");
            if when == "decided" {
                tokens.enforce(&first);
            } else {
                tokens.enforce(&revocation);
            }
        }
        // What took its place may do what it might; what it makes may not.
        let made = made_by(3, grant(5, false));
        tokens.writes(&made);
        tokens.enforce(&made);
        let holder = first.holder;
        assert!(tokens.may_revoke(&revocation.hash) && !tokens.may_revoke(&made.hash));
        let ends = Grant { until: Some(now_ms() + 60_000), ..grant(6, false) };
        tokens.writes(&ends);
        tokens.enforce(&ends);
        assert!(!tokens.may_revoke(&ends.hash) && may_make(made_by(6, grant(7, false))));
        // A guest who goes takes all of them along.
        tokens.deletes(&holder);
        assert!(!may_make(made_by(3, grant(7, false))) && !may_make(made_by(6, grant(7, false))));
    }

    /// Attack: see [`All`]. A thousand times as many players, and it takes about as long.
    #[test]
    fn what_is_asked_of_one_holders_tokens_takes_no_longer_where_there_are_many_others() {
        let folder = tempfile::tempdir().unwrap();
        fairshoe_store::true_sync::require().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let tokens = Tokens::load([0; 32], &store.reader()).unwrap();
        let of = |n: u32| {
            let mut hash = [7; 32];
            hash[..4].copy_from_slice(&n.to_be_bytes());
            let holder = Holder::Player(PlayerId::parse(&format!("p{n}")).unwrap());
            Grant { hash, holder, ..grant(1, false) }
        };
        let took = || {
            let (begun, own) = (std::time::Instant::now(), of(u32::MAX));
            for _ in 0..200 {
                tokens.writes(&own);
                tokens.enforce(&Grant { revoke: true, ..own.clone() });
                assert!(tokens.has_room(&own.holder) && tokens.deletes(&own.holder).len() == 1);
                tokens.end(&own.holder);
            }
            begun.elapsed()
        };
        let add = |n| tokens.known.write().unwrap().insert(of(n).hash, Known::of(&of(n), true));
        (0..20).for_each(add);
        let few = (0..3).map(|_| took()).min().unwrap();
        (20..20_000).for_each(add);
        let many = (0..3).map(|_| took()).min().unwrap();
        assert!(many < 20 * few, "{many:?} instead of {few:?}");
        assert_eq!(tokens.known.read().unwrap().of.len(), 20_000, "who has none is not kept");
    }

    fn deletes(writes: &[MetaWrite], hash: u8) -> bool {
        writes.iter().any(|write| matches!(write, MetaWrite::Delete { key: deleted } if *deleted == key(&[hash; 32])))
    }

    #[test]
    fn a_revocation_reaches_grants_that_are_not_durable_yet_and_none_that_come_after_it() {
        let folder = tempfile::tempdir().unwrap();
        fairshoe_store::true_sync::require().unwrap();
        let store = Store::create(folder.path()).unwrap();
        let tokens = Tokens::load([0; 32], &store.reader()).unwrap();
        let (first, revocation, later) = (grant(1, false), grant(2, true), grant(3, false));
        // All three are decided before the first is durable.
        tokens.writes(&first);
        assert!(deletes(&tokens.writes(&revocation), 1), "the store would bring it back at the next start");
        tokens.writes(&later);
        assert_eq!(tokens.count(&first.holder), 2, "the first ends");
        assert_eq!(tokens.role(&first.hash), None, "not before it is durable");
        tokens.enforce(&first);
        assert!(tokens.role(&first.hash).is_some());
        tokens.enforce(&revocation);
        assert_eq!(tokens.role(&first.hash), None);
        assert!(tokens.role(&revocation.hash).is_some());
        tokens.enforce(&later);
        assert!(tokens.role(&later.hash).is_some());
        assert_eq!(tokens.count(&first.holder), 2);
    }
}
