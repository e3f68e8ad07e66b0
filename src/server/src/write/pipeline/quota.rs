//! How much a player may write: entries beside play, since whoever opens and closes tables all day must not fill the disk;
//! and bytes of the log, with play, since whoever plays as fast as a machine can must not either.
//!
//! Counted by the hour, in memory alone: a restart forgets. What takes back is never refused for what was begun: a stolen
//! token that used the hour up would else keep its owner from revoking it, from leaving a seat with their chips and from
//! closing a table. To leave needs a seat that was taken, to sit out a wish to play, to close a table that was opened, and
//! those are counted; revocations, keys and withdrawals have an hour's count of their own each, so that none keeps the
//! others out. Of bytes only what begins play, or opens a table, is refused: what has begun finishes.

use fairshoe_fairness::PlayerId;
use fairshoe_house::{Actor, Begins, Command, Counted, Entry, Event, is_guest};
use std::borrow::Cow;
use std::collections::HashMap;
use std::hash::Hash;
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

const HOUR_MS: u64 = 3_600_000;

/// Those counted before those whose hour is over are forgotten.
const FORGET_AT: usize = 1024;

/// How often in an hour a player may revoke tokens, and how often set a key.
const RESERVE: u32 = 32;

/// All guests together may write as much as so many players.
const GUESTS_AS_PLAYERS: u64 = 4;

/// So many tables of their own the guests of one address open in an hour. *Attack: strangers open and close tables without
/// end, and the house remembers each name for ever, since no other table may take it.*
const GUEST_TABLES_OF_ADDRESS: u64 = 60;

/// The same of all guests together.
const GUEST_TABLES: u64 = 1_200;

/// An address opens at most this part of those that are left. *Attack: twenty addresses open all, and nobody who comes
/// within the hour has a table.*
const PART_OF_THOSE_LEFT: u64 = 16;

/// Whose doing a command is, whoever sends it: a seed and a claim of chips are of the player whom they name. *Attack: what
/// anybody may send writes 26 KB, and is counted to nobody.*
fn doer<'c>(by: &'c Actor, command: &'c Command) -> Option<Cow<'c, PlayerId>> {
    match (command, by) {
        (Command::Reveal { player, .. } | Command::LateSeed { player, .. }, _) => Some(Cow::Borrowed(player)),
        (Command::TransferIn { entry, .. }, _) => match Entry::decode(entry.as_str().as_bytes()).ok()?.events.pop()? {
            Event::TransferredOut { player, .. } => Some(Cow::Owned(player)),
            _ => None,
        },
        (_, Actor::Player(player)) => Some(Cow::Borrowed(player)),
        _ => None,
    }
}

/// The player or other sender whose entry a command makes, and the count it belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Whose {
    Player(PlayerId, Counted),
    /// Tables that guests of one address open.
    TablesOfGuestsAt(IpAddr),
    TablesOfGuests,
}

/// What was counted of each in an hour.
struct Hourly<K> {
    /// When the hour began, and how much there is.
    counted: HashMap<K, (u64, u64)>,
    forget_at: usize,
}

impl<K: Eq + Hash> Hourly<K> {
    fn new() -> Self {
        Hourly { counted: HashMap::new(), forget_at: FORGET_AT }
    }

    /// What was counted within the hour.
    fn count(&self, by: &K, now: u64) -> u64 {
        self.counted.get(by).filter(|(begun, _)| now < begun.saturating_add(HOUR_MS)).map_or(0, |(_, count)| *count)
    }

    /// When there may be more, UTC milliseconds, if not now.
    fn blocked_until(&self, by: &K, most: u64, now: u64) -> Option<u64> {
        let (begun, count) = self.counted.get(by)?;
        let until = begun.saturating_add(HOUR_MS);
        (*count >= most && now < until).then_some(until)
    }

    fn add(&mut self, by: K, amount: u64, now: u64) {
        if self.counted.len() >= self.forget_at {
            self.counted.retain(|_, (begun, _)| now < begun.saturating_add(HOUR_MS));
            // All those left are within their hour: look again when there are twice as many, not at each entry.
            self.forget_at = FORGET_AT.max(2 * self.counted.len());
        }
        let counted = self.counted.entry(by).or_insert((now, 0));
        if now >= counted.0.saturating_add(HOUR_MS) {
            *counted = (now, 0);
        }
        counted.1 = counted.1.saturating_add(amount);
    }
}

/// Entries beside play.
pub struct Quota {
    /// Zero: no limit.
    most: u32,
    counted: Hourly<Whose>,
}

impl Quota {
    /// At most so many an hour; zero: no limit.
    pub fn new(most: u32) -> Self {
        Quota { most, counted: Hourly::new() }
    }

    /// All who are counted for a command. `address` is the giver's, where they are a guest.
    pub fn of(by: &Actor, address: Option<IpAddr>, command: &Command) -> Vec<Whose> {
        let counted = command.facts().counted;
        let Some(player) = doer(by, command).filter(|_| counted != Counted::No) else { return Vec::new() };
        let is_guests_table = is_guest(&player) && matches!(command, Command::OpenTable { .. });
        let themselves = Some(Whose::Player(player.into_owned(), counted));
        let guests = address.map(Whose::TablesOfGuestsAt).into_iter().chain([Whose::TablesOfGuests]);
        themselves.into_iter().chain(guests.filter(|_| is_guests_table)).collect()
    }

    fn most(&self, by: &Whose, now: u64) -> u64 {
        match by {
            Whose::Player(_, Counted::Revocation | Counted::Key) => RESERVE.into(),
            Whose::Player(_, Counted::No | Counted::Beginning | Counted::Withdrawal) => self.most.into(),
            Whose::TablesOfGuestsAt(_) => {
                let left = GUEST_TABLES.saturating_sub(self.counted.count(&Whose::TablesOfGuests, now));
                GUEST_TABLES_OF_ADDRESS.min(left.div_ceil(PART_OF_THOSE_LEFT))
            }
            Whose::TablesOfGuests => GUEST_TABLES,
        }
    }

    /// When they may make more of the kind, UTC milliseconds, if not now.
    pub fn blocked_until(&self, by: &Whose, now: u64) -> Option<u64> {
        let until = self.counted.blocked_until(by, self.most(by, now), now);
        until.filter(|_| self.most > 0)
    }

    /// They made an entry.
    pub fn count(&mut self, by: &Whose, now: u64) {
        if self.most > 0 {
            self.counted.add(by.clone(), 1, now);
        }
    }
}

/// The one who answers for what is written.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Writer {
    /// A player, or one guest.
    Player(PlayerId),
    /// Those of one address: they are as many as they like to be.
    GuestsOf(IpAddr),
    Guests,
}

/// Bytes of the log, of those who play.
pub struct Written {
    /// Zero: no limit.
    most: u64,
    counted: Mutex<Counts>,
}

struct Counts {
    bytes: Hourly<Writer>,
    /// Where each guest came from, with their last command: others may send their seeds.
    addresses: HashMap<PlayerId, IpAddr>,
}

impl Written {
    /// At most so many bytes an hour of each player, and of all guests of one address; zero: no limit.
    pub fn new(most: u64) -> Arc<Self> {
        let counts = Counts { bytes: Hourly::new(), addresses: HashMap::new() };
        Arc::new(Written { most, counted: Mutex::new(counts) })
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.counted.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writers(counts: &Counts, player: &PlayerId, address: Option<IpAddr>) -> Vec<Writer> {
        let mut writers = vec![Writer::Player(player.clone())];
        if is_guest(player) {
            let address = address.or_else(|| counts.addresses.get(player).copied());
            writers.extend(address.map(Writer::GuestsOf));
            writers.push(Writer::Guests);
        }
        writers
    }

    /// When whoever gives a command may begin to play again, UTC milliseconds, if not now. `address` is the giver's, where
    /// they are a guest.
    pub fn blocked_until(&self, by: &Actor, address: Option<IpAddr>, command: &Command, now: u64) -> Option<u64> {
        // *A guest who plays no more would go on opening tables, each with its shoes.*
        let begins = command.facts().begins == Begins::Play || matches!(command, Command::OpenTable { .. });
        if self.most == 0 || !begins {
            return None;
        }
        let (player, counts) = (doer(by, command)?, self.counts());
        let most = |writer: &Writer| match writer {
            Writer::Player(_) | Writer::GuestsOf(_) => self.most,
            Writer::Guests => self.most.saturating_mul(GUESTS_AS_PLAYERS),
        };
        let writers = Self::writers(&counts, &player, address);
        writers.iter().filter_map(|writer| counts.bytes.blocked_until(writer, most(writer), now)).max()
    }

    /// So many bytes were written for a command, with what followed from it at once.
    pub fn count(&self, by: &Actor, address: Option<IpAddr>, command: &Command, bytes: u64, now: u64) {
        let Some(player) = doer(by, command).filter(|_| self.most > 0) else { return };
        let mut counts = self.counts();
        if let (Some(address), Actor::Player(giver)) = (address, by) {
            // As many are remembered as are counted.
            if counts.addresses.len() >= counts.bytes.forget_at {
                counts.addresses.clear();
            }
            counts.addresses.insert(giver.clone(), address);
        }
        for writer in Self::writers(&counts, &player, address) {
            counts.bytes.add(writer, bytes, now);
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_fairness::{ClientSeed, SeedCommitment, TableId};
    use fairshoe_house::Holder;

    fn named(name: &str, counted: Counted) -> Whose {
        Whose::Player(PlayerId::parse(name).unwrap(), counted)
    }

    #[test]
    fn so_many_an_hour_and_play_is_not_counted() {
        let (alice, bob) = (named("alice", Counted::Beginning), named("bob", Counted::Beginning));
        let mut quota = Quota::new(2);
        assert_eq!(quota.blocked_until(&alice, 0), None);
        quota.count(&alice, 10);
        quota.count(&alice, 20);
        assert_eq!(quota.blocked_until(&alice, 30), Some(HOUR_MS + 10));
        assert_eq!(quota.blocked_until(&bob, 30), None);
        assert_eq!(quota.blocked_until(&alice, HOUR_MS + 10), None);
        quota.count(&alice, HOUR_MS + 10);
        assert_eq!(quota.blocked_until(&alice, HOUR_MS + 11), None, "a new hour counts from anew");
        let mut free = Quota::new(0);
        (0..10).for_each(|now| free.count(&alice, now));
        assert_eq!(free.blocked_until(&alice, 5), None);

        let table = TableId::parse("t-1").unwrap();
        let (act, wait) = (Command::CancelBet { table: table.clone(), round_no: 1 }, Command::WantSeat { table });
        let by = Actor::Player(PlayerId::parse("alice").unwrap());
        assert_eq!(Quota::of(&by, None, &act), []);
        assert_eq!(Quota::of(&by, None, &wait), [alice]);
        assert_eq!(Quota::of(&Actor::Operator, None, &wait), []);
    }

    /// Attack: anybody hands in claims of chips, of 26 KB each.
    #[test]
    fn a_claim_is_of_the_player_whom_it_names_whoever_hands_it_in() {
        let transfers = include_str!("../../../../../spec/vectors/entries-transfers.json");
        let transfers: serde_json::Value = serde_json::from_str(transfers).unwrap();
        let entries = transfers["entries"].as_array().unwrap().iter();
        let entries = entries.map(|entry| Entry::decode(entry.as_str().unwrap().as_bytes()).unwrap());
        let (written, mut claims) = (Written::new(1_000), 0);
        for Entry { by, command, events, .. } in entries {
            let Some(Event::TransferredIn { player, .. }) = events.last() else { continue };
            claims += 1;
            assert_eq!(Quota::of(&by, None, &command), [Whose::Player(player.clone(), Counted::Beginning)]);
            let own = Actor::Player(player.clone());
            written.count(&by, None, &command, 1_000, claims * HOUR_MS);
            assert!(written.blocked_until(&own, None, &bet(), claims * HOUR_MS + 1).is_some(), "{player}");
        }
        assert!(claims > 10);
        let text = |text: &str| text.to_owned().try_into().unwrap();
        let from = fairshoe_fairness::Origin::parse("a.example/log").unwrap();
        let junk = Command::TransferIn { from, entry: text("junk"), receipt: text("") };
        assert_eq!(Quota::of(&Actor::Anyone, None, &junk), []);
    }

    #[test]
    fn what_takes_back_is_never_refused_for_what_was_begun() {
        let (table, player) = (TableId::parse("t-1").unwrap(), PlayerId::parse("alice").unwrap());
        let by = Actor::Player(player.clone());
        let leave = Command::LeaveSeat { table: table.clone() };
        for ends in [leave, Command::SitOut { table: table.clone() }, Command::CloseTable { table }] {
            assert_eq!(Quota::of(&by, None, &ends), []);
        }
        let token = |revoke| Command::IssueToken { holder: Holder::Player(player.clone()), revoke };
        let only = |command: &Command| Quota::of(&by, None, command).pop().unwrap();
        assert_eq!(only(&token(false)), named("alice", Counted::Beginning));
        let mut quota = Quota::new(1);
        quota.count(&named("alice", Counted::Beginning), 0);
        let keys = only(&Command::SetKey { player: player.clone(), key: None, reason: None });
        let revocations = only(&token(true));
        for _ in 0..RESERVE {
            assert_eq!(quota.blocked_until(&keys, 5), None);
            quota.count(&keys, 5);
        }
        assert_eq!(quota.blocked_until(&keys, 6), Some(HOUR_MS + 5));
        assert_eq!(quota.blocked_until(&revocations, 6), None);
    }

    #[test]
    fn who_was_quiet_for_an_hour_is_forgotten() {
        let mut quota = Quota::new(1);
        let player = |n: usize| named(&format!("p{n}"), Counted::Beginning);
        (0..FORGET_AT).for_each(|n| quota.count(&player(n), 0));
        quota.count(&player(FORGET_AT), HOUR_MS);
        assert_eq!(quota.counted.counted.len(), 1);
    }

    /// Attack: guests come again and again, and each opens and closes tables whose names are kept for ever.
    #[test]
    fn guests_of_an_address_open_sixty_tables_an_hour_and_all_of_them_twelve_hundred() {
        let rules: fairshoe_games::RuleSet =
            serde_json::from_str(include_str!("../../../../../spec/rulesets/joy.json")).unwrap();
        let open = |n: u32| Command::OpenTable {
            table: TableId::parse(&format!("play.{n}")).unwrap(),
            rules: rules.clone(),
            replaces: None,
        };
        let mut quota = Quota::new(1000);
        let mut opens = |player: String, last: u8, n: u32, now: u64| {
            let whose = Quota::of(&Actor::Player(PlayerId::parse(&player).unwrap()), address(last), &open(n));
            let is_open = whose.iter().all(|one| quota.blocked_until(one, now).is_none());
            whose.iter().filter(|_| is_open).for_each(|one| quota.count(one, now));
            is_open
        };
        let opened = (0..100).filter(|n| opens(format!("guest.{n}"), 1, *n, 0)).count();
        assert_eq!(opened, 60, "whichever guest of the address");
        let opened = (100..2_000).filter(|n| opens(format!("guest.{n}"), 2 + (n % 20) as u8, *n, 0)).count();
        assert!((600..700).contains(&opened), "twenty addresses: {opened}");
        let newcomers = (0..100).filter(|n| opens(format!("guest.{n}"), 100 + *n as u8, *n, 0)).count();
        assert_eq!(newcomers, 100, "each address that comes within the hour");
        let opened = (2_000..9_000).filter(|n| opens(format!("guest.{n}"), (n % 256) as u8, *n, 0)).count();
        assert!(opened <= 400, "all guests together");
        assert!(opens("alice".into(), 1, 0, 0), "and no player");
        assert!(opens("guest.1".into(), 1, 1, HOUR_MS), "an hour later");
    }

    fn address(last: u8) -> Option<IpAddr> {
        Some(IpAddr::from([192, 0, 2, last]))
    }

    fn bet() -> Command {
        let (table, commitment) = (TableId::parse("t-1").unwrap(), SeedCommitment::from_bytes([7; 32]));
        Command::CommitHandSeed { table, round_no: 1, commitment }
    }

    #[test]
    fn whoever_wrote_an_hours_bytes_begins_nothing_and_finishes_everything() {
        let (alice, bob) = (PlayerId::parse("alice").unwrap(), Actor::Player(PlayerId::parse("bob").unwrap()));
        let by = Actor::Player(alice.clone());
        let table = TableId::parse("t-1").unwrap();
        let written = Written::new(1_000);
        written.count(&by, None, &bet(), 600, 10);
        assert_eq!(written.blocked_until(&by, None, &bet(), 20), None);
        // Their seed counts for them, whoever sends it.
        let seed = |next| Command::Reveal {
            table: table.clone(),
            round_no: 1,
            player: alice.clone(),
            seed: ClientSeed::from_bytes([1; 32]),
            saw: None,
            next,
        };
        written.count(&Actor::Anyone, None, &seed(None), 400, 20);
        let again = Some(HOUR_MS + 10);
        assert_eq!(written.blocked_until(&by, None, &bet(), 30), again);
        assert_eq!(
            written.blocked_until(&Actor::Anyone, None, &seed(Some(SeedCommitment::from_bytes([7; 32]))), 30),
            again
        );
        let rules = serde_json::from_str(include_str!("../../../../../spec/rulesets/joy.json")).unwrap();
        let open = Command::OpenTable { table: table.clone(), rules, replaces: None };
        assert_eq!(written.blocked_until(&by, None, &open, 30), again, "nor a table");
        let leave = Command::LeaveSeat { table: table.clone() };
        for finishes in [seed(None), leave, Command::CancelBet { table: table.clone(), round_no: 1 }] {
            assert_eq!(written.blocked_until(&by, None, &finishes, 30), None);
        }
        assert_eq!(written.blocked_until(&bob, None, &bet(), 30), None);
        assert_eq!(written.blocked_until(&by, None, &bet(), HOUR_MS + 10), None);
        let free = Written::new(0);
        free.count(&by, None, &bet(), u64::MAX, 0);
        assert_eq!(free.blocked_until(&by, None, &bet(), 1), None);
    }

    #[test]
    fn guests_share_what_their_address_may_write_and_all_of_them_four_players() {
        let guest = |n: u32| Actor::Player(PlayerId::parse(&format!("guest.{n}")).unwrap());
        let written = Written::new(1_000);
        for n in 0..4 {
            written.count(&guest(n), address(1), &bet(), 250, 10);
        }
        assert_eq!(written.blocked_until(&guest(9), address(1), &bet(), 20), Some(HOUR_MS + 10), "one more of them");
        assert_eq!(written.blocked_until(&guest(9), address(2), &bet(), 20), None);
        // A seed that another sends is that of the guest's address.
        let Actor::Player(player) = guest(3) else { return };
        let table = TableId::parse("play.t").unwrap();
        let late = Command::LateSeed { table, round_no: 1, player, seed: ClientSeed::from_bytes([1; 32]) };
        written.count(&guest(3), address(3), &bet(), 1, 20);
        written.count(&Actor::Anyone, None, &late, 999, 20);
        assert!(written.blocked_until(&guest(8), address(3), &bet(), 30).is_some());
        written.count(&guest(5), address(5), &bet(), 999, 30);
        written.count(&guest(6), address(6), &bet(), 999, 30);
        assert_eq!(written.blocked_until(&guest(7), address(7), &bet(), 40), None);
        written.count(&guest(6), address(6), &bet(), 2, 40);
        assert!(written.blocked_until(&guest(7), address(7), &bet(), 50).is_some(), "all guests together");
        let alice = Actor::Player(PlayerId::parse("alice").unwrap());
        assert_eq!(written.blocked_until(&alice, None, &bet(), 50), None, "and no player");
    }

    #[test]
    fn withdrawals_have_a_count_of_their_own() {
        let player = PlayerId::parse("alice").unwrap();
        let amount = fairshoe_games::Chips::new(1).unwrap();
        let by = Actor::Player(player.clone());
        let whose = Quota::of(&by, None, &Command::WalletWithdraw { player, amount }).pop().unwrap();
        let mut quota = Quota::new(2);
        (0..2).for_each(|now| quota.count(&whose, now));
        assert_eq!(quota.blocked_until(&whose, 5), Some(HOUR_MS));
        assert_eq!(quota.blocked_until(&named("alice", Counted::Beginning), 5), None);
    }
}
