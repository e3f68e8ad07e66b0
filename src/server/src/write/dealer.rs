//! The dealer of the service: the only place where hidden faces are known.
//!
//! Shoes are prepared ahead on a thread of their own and kept while they are in use, up to a bound for all tables
//! together; a shoe that is not kept is derived when it is asked for. What leaves is a face the house is turning up,
//! the value of a spin that is over, an answer to a peek, an opening of a face that the log already shows, or the seed
//! of a retired shoe.

use fairshoe_fairness::{
    Card, DrawChain, DrawLink, HouseShoe, Master, MasterId, Opening, ServerSeed, Slot, TableContext, TableId,
};
use fairshoe_games::Peek;
use fairshoe_house::{Committed, Dealer, DealerError, SeedDealer, ShoeId};
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// How many shoes of a table are cached: a game's piles are opened until its end, and few games have more.
const CACHED_SHOES: usize = 8;

/// How many slots are cached of all shoes together, each of about 80 bytes: those of 1,260 shoes of eight decks. Tables
/// on which nobody plays must not cost what tables in play do.
const CACHED_SLOTS: usize = 1 << 19;

/// How many shoes may wait to be prepared; beyond it a shoe is derived when it is asked for.
const PREPARE_QUEUE: usize = 1024;

/// How many tournaments' chains of draws are cached, each of 8 KiB: those of which numbers were asked for last.
const CACHED_CHAINS: usize = 64;

struct Candidate {
    seed: ServerSeed,
    house: HouseShoe,
}

struct Prepared {
    id: ShoeId,
    candidates: Vec<Candidate>,
    /// When it was asked for last, by the count of all that was asked for.
    used: AtomicU64,
}

impl Prepared {
    fn slots(&self) -> usize {
        self.candidates.iter().map(|candidate| usize::from(candidate.house.len())).sum()
    }
}

/// The shoes that are cached.
#[derive(Default)]
struct ShoeCache {
    /// By table, the latest last: the shoes in use, those before them and the next one.
    by_table: HashMap<TableId, Vec<Arc<Prepared>>>,
    slots: usize,
}

impl ShoeCache {
    fn put(&mut self, prepared: &Arc<Prepared>, most: usize) {
        let cached = self.by_table.entry(prepared.id.context.table.clone()).or_default();
        let before: usize = cached.iter().map(|known| known.slots()).sum();
        cached.retain(|known| known.id != prepared.id);
        cached.push(prepared.clone());
        if cached.len() > CACHED_SHOES {
            cached.remove(0);
        }
        let after: usize = cached.iter().map(|known| known.slots()).sum();
        self.slots = (self.slots + after).saturating_sub(before);
        if self.slots > most {
            self.forget_unused(most);
        }
    }

    /// Forgets what was not asked for longest, down to three quarters, so that it is not to be done again at once.
    fn forget_unused(&mut self, most: usize) {
        let mut all: Vec<(u64, usize)> =
            self.by_table.values().flatten().map(|known| (known.used.load(Ordering::Relaxed), known.slots())).collect();
        all.sort_unstable_by(|a, b| b.cmp(a));
        let mut slots = 0;
        let fits = |(_, more): &&(u64, usize)| {
            slots += more;
            slots <= most / 4 * 3
        };
        let oldest = all.iter().take_while(fits).last().map_or(u64::MAX, |(used, _)| *used);
        self.slots = 0;
        self.by_table.retain(|_, cached| {
            cached.retain(|known| known.used.load(Ordering::Relaxed) >= oldest);
            cached.shrink_to_fit();
            self.slots += cached.iter().map(|known| known.slots()).sum::<usize>();
            !cached.is_empty()
        });
    }
}

/// See the module.
pub struct CachingDealer {
    plain: SeedDealer,
    master_id: MasterId,
    shoes: Mutex<ShoeCache>,
    /// The one asked for last comes last.
    chains: Mutex<Vec<Arc<DrawChain>>>,
    asked: AtomicU64,
    ahead: SyncSender<(ShoeId, u8)>,
}

impl CachingDealer {
    /// A dealer with this key, and the work it wants done ahead; hand that to [`prepare_ahead`].
    pub fn new(master: Master) -> (Arc<Self>, Receiver<(ShoeId, u8)>) {
        let (ahead, work) = sync_channel(PREPARE_QUEUE);
        let master_id = master.id();
        (
            Arc::new(CachingDealer {
                plain: SeedDealer::new(master),
                master_id,
                shoes: Mutex::default(),
                chains: Mutex::default(),
                asked: AtomicU64::new(0),
                ahead,
            }),
            work,
        )
    }

    /// Names the master key.
    pub fn master_id(&self) -> MasterId {
        self.master_id
    }

    fn shoes(&self) -> MutexGuard<'_, ShoeCache> {
        self.shoes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A tournament's chain: hashed whole when it is asked for first, at the announcement.
    fn chain(&self, event: &TableContext) -> Arc<DrawChain> {
        let mut chains = self.chains.lock().unwrap_or_else(PoisonError::into_inner);
        let chain = match chains.iter().position(|chain| chain.event() == event) {
            Some(at) => chains.remove(at),
            None => Arc::new(self.plain.draw_chain(event)),
        };
        if chains.len() >= CACHED_CHAINS {
            chains.remove(0);
        }
        chains.push(chain.clone());
        chain
    }

    fn derive(&self, id: &ShoeId, candidates: u8) -> Arc<Prepared> {
        let candidate = |k| {
            let (seed, house) = self.plain.derive(id, k);
            Candidate { seed, house }
        };
        Arc::new(Prepared {
            id: id.clone(),
            candidates: (0..candidates).map(candidate).collect(),
            used: AtomicU64::new(self.now()),
        })
    }

    fn now(&self) -> u64 {
        self.asked.fetch_add(1, Ordering::Relaxed)
    }

    fn keep(&self, prepared: &Arc<Prepared>) {
        self.shoes().put(prepared, CACHED_SLOTS);
    }

    fn cached(&self, id: &ShoeId, candidates: u8) -> Option<Arc<Prepared>> {
        let shoes = self.shoes();
        let mut of_table = shoes.by_table.get(&id.context.table)?.iter();
        let found = of_table.find(|p| p.candidates.len() >= usize::from(candidates) && p.id == *id).cloned();
        found.inspect(|prepared| prepared.used.store(self.now(), Ordering::Relaxed))
    }

    fn prepared(&self, id: &ShoeId, candidates: u8) -> Arc<Prepared> {
        self.cached(id, candidates).unwrap_or_else(|| {
            let prepared = self.derive(id, candidates);
            self.keep(&prepared);
            prepared
        })
    }

    /// Wants the shoe after this one prepared, of the same composition. A full queue is no loss: that shoe is derived
    /// when it is asked for.
    pub fn prepare_after(&self, shoe: &ShoeId, candidates: u8) {
        let next = ShoeId { shoe_no: shoe.shoe_no.saturating_add(1), ..shoe.clone() };
        let _ = self.ahead.try_send((next, candidates));
    }

    /// Wants this shoe prepared: it was committed when nobody played yet, and was not kept.
    pub fn prepare(&self, shoe: &ShoeId, candidates: u8) {
        let _ = self.ahead.try_send((shoe.clone(), candidates));
    }

    /// Openings of slots whose faces the log shows. The caller names only those.
    pub fn open(&self, id: &ShoeId, candidate: u8, slots: &[Slot]) -> Vec<Opening> {
        // Old shoes are derived anew and not kept: questions about the past must not push out what is in play.
        let prepared = self.cached(id, candidate + 1).unwrap_or_else(|| self.derive(id, candidate + 1));
        let house = prepared.candidates.get(usize::from(candidate)).map(|c| &c.house);
        slots.iter().filter_map(|slot| house?.open(*slot)).collect()
    }

    /// Forgets a closed table's shoes.
    pub fn forget(&self, table: &TableId) {
        let mut shoes = self.shoes();
        let freed: usize = shoes.by_table.remove(table).iter().flatten().map(|known| known.slots()).sum();
        shoes.slots = shoes.slots.saturating_sub(freed);
    }
}

/// Derives shoes ahead until the dealer is gone.
pub fn prepare_ahead(dealer: &std::sync::Weak<CachingDealer>, work: &Receiver<(ShoeId, u8)>) {
    while let Ok((id, candidates)) = work.recv() {
        let Some(dealer) = dealer.upgrade() else { return };
        dealer.prepared(&id, candidates);
    }
}

impl Dealer for CachingDealer {
    fn commit(&self, shoe: &ShoeId, candidates: u8) -> Result<Vec<Committed>, DealerError> {
        // Many tables are opened and few played at: a table's first shoe is kept once bets are taken.
        let prepared = if shoe.shoe_no == 0 { self.derive(shoe, candidates) } else { self.prepared(shoe, candidates) };
        Ok((0..candidates)
            .zip(&prepared.candidates)
            .map(|(k, c)| SeedDealer::committed(shoe, k, &c.seed, &c.house))
            .collect())
    }

    fn draw_tip(&self, event: &TableContext) -> Result<DrawLink, DealerError> {
        self.chain(event).tip().ok_or_else(|| DealerError::unknown_draw(event, "the end of its chain"))
    }

    fn draw_link(&self, event: &TableContext, draw_no: u16) -> Result<DrawLink, DealerError> {
        let unknown = || DealerError::unknown_draw(event, &format!("the number of draw {draw_no}"));
        self.chain(event).link(draw_no).ok_or_else(unknown)
    }

    fn card(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Card, DealerError> {
        let prepared = self.prepared(shoe, candidate + 1);
        let card = prepared.candidates.get(usize::from(candidate)).and_then(|c| c.house.card(slot));
        card.ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn peek(&self, shoe: &ShoeId, candidate: u8, slot: Slot, question: Peek) -> Result<bool, DealerError> {
        self.card(shoe, candidate, slot).map(|card| question.answer(card))
    }

    fn wheel_value(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<u8, DealerError> {
        let prepared = self.prepared(shoe, candidate + 1);
        let value = prepared.candidates.get(usize::from(candidate)).and_then(|c| c.house.value(slot));
        value.ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn open(&self, shoe: &ShoeId, candidate: u8, slot: Slot) -> Result<Opening, DealerError> {
        let prepared = self.prepared(shoe, candidate + 1);
        let opening = prepared.candidates.get(usize::from(candidate)).and_then(|c| c.house.open(slot));
        opening.ok_or_else(|| shoe.unknown(format!("slot {slot}")))
    }

    fn seed(&self, shoe: &ShoeId, candidate: u8) -> Result<ServerSeed, DealerError> {
        let prepared = self.prepared(shoe, candidate + 1);
        prepared
            .candidates
            .get(usize::from(candidate))
            .map(|c| c.seed.clone())
            .ok_or_else(|| shoe.unknown("that candidate"))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use fairshoe_fairness::{Composition, Epoch, Origin, TableContext};

    #[test]
    fn a_shoe_that_is_no_longer_cached_is_derived_again_and_is_the_same() {
        let (dealer, work) = CachingDealer::new(Master::from_bytes([7; 32]));
        let table = TableId::parse("safe-1").unwrap();
        let context = TableContext {
            origin: Origin::parse("example.com/log").unwrap(),
            table,
            epoch: Epoch::from_bytes([1; 32]),
        };
        let shoe = |shoe_no| ShoeId { context: context.clone(), shoe_no, composition: Composition::Decks(1) };
        let first: Vec<Card> = (0..52).map(|slot| dealer.card(&shoe(0), 0, Slot(slot)).unwrap()).collect();
        let committed = dealer.commit(&shoe(0), 1).unwrap();
        for shoe_no in 1..=2 * CACHED_SHOES as u64 {
            dealer.commit(&shoe(shoe_no), 1).unwrap();
            assert!(dealer.shoes().by_table.values().all(|cached| cached.len() <= CACHED_SHOES));
        }
        assert!(dealer.cached(&shoe(0), 1).is_none());
        assert_eq!((0..52).map(|slot| dealer.card(&shoe(0), 0, Slot(slot)).unwrap()).collect::<Vec<_>>(), first);
        assert_eq!(dealer.commit(&shoe(0), 1).unwrap(), committed);
        let opening = dealer.open(&shoe(0), 0, &[Slot(3)]).remove(0);
        assert_eq!(opening.card(), first.get(3).copied());
        // Nothing is prepared that nobody asked for.
        assert!(work.try_recv().is_err());
        dealer.prepare_after(&shoe(3), 1);
        assert_eq!(work.try_recv().unwrap().0.shoe_no, 4);
    }

    #[test]
    fn a_number_of_a_draw_is_the_same_from_the_cache_and_without() {
        let (dealer, _work) = CachingDealer::new(Master::from_bytes([7; 32]));
        let plain = SeedDealer::new(Master::from_bytes([7; 32]));
        let event = |n: usize| TableContext {
            origin: Origin::parse("example.com/log").unwrap(),
            table: TableId::parse(&format!("sunday-{n}")).unwrap(),
            epoch: Epoch::from_bytes([1; 32]),
        };
        for draw_no in [0, 1, 254, 255, 256, 257, 511, 40_000, 65_534, 65_535] {
            assert_eq!(dealer.draw_link(&event(0), draw_no).unwrap(), plain.draw_link(&event(0), draw_no).unwrap());
        }
        assert_eq!(dealer.draw_tip(&event(0)).unwrap(), plain.draw_tip(&event(0)).unwrap());
        for n in 1..=CACHED_CHAINS {
            dealer.draw_tip(&event(n)).unwrap();
        }
        let chains = dealer.chains.lock().unwrap();
        assert!(chains.len() == CACHED_CHAINS && chains.iter().all(|chain| *chain.event() != event(0)));
    }

    #[test]
    fn tables_without_play_keep_no_shoe_and_all_together_keep_so_many_slots() {
        let (dealer, _work) = CachingDealer::new(Master::from_bytes([7; 32]));
        let origin = Origin::parse("example.com/log").unwrap();
        let shoe = |table: usize, shoe_no| {
            let table = TableId::parse(&format!("t-{table}")).unwrap();
            let context = TableContext { origin: origin.clone(), table, epoch: Epoch::from_bytes([1; 32]) };
            ShoeId { context, shoe_no, composition: Composition::Decks(1) }
        };
        let committed = dealer.commit(&shoe(0, 0), 1).unwrap();
        assert!(dealer.shoes().by_table.is_empty(), "nobody plays yet");
        dealer.card(&shoe(0, 0), 0, Slot(0)).unwrap();
        assert_eq!(dealer.shoes().slots, 52);

        let mut cached = ShoeCache::default();
        let prepared: Vec<Arc<Prepared>> = (0..20).map(|table| dealer.derive(&shoe(table, 1), 1)).collect();
        let most = 10 * 52;
        for one in &prepared {
            cached.put(one, most);
            // The first is always in use.
            prepared[0].used.store(dealer.now(), Ordering::Relaxed);
            assert!(cached.slots <= most && cached.slots == 52 * cached.by_table.values().map(Vec::len).sum::<usize>());
        }
        assert!(
            cached.by_table.contains_key(&prepared[0].id.context.table)
                && cached.by_table.contains_key(&prepared[19].id.context.table)
        );
        assert!(!cached.by_table.contains_key(&prepared[1].id.context.table));
        cached.put(&prepared[0], most);
        assert!(cached.slots <= most, "the same again is no more");
        assert_eq!(dealer.commit(&shoe(0, 0), 1).unwrap(), committed);
        dealer.forget(&shoe(0, 0).context.table);
        assert_eq!(dealer.shoes().slots, 0);
    }

    #[test]
    fn a_wheel_has_values_and_no_cards() {
        let (dealer, _work) = CachingDealer::new(Master::from_bytes([7; 32]));
        let table = TableId::parse("roulette-1").unwrap();
        let context = TableContext {
            origin: Origin::parse("example.com/log").unwrap(),
            table,
            epoch: Epoch::from_bytes([1; 32]),
        };
        let wheel = ShoeId { context, shoe_no: 0, composition: Composition::Wheel(64) };
        let value = dealer.wheel_value(&wheel, 0, Slot(5)).unwrap();
        assert!(value < 37);
        assert_eq!(dealer.open(&wheel, 0, &[Slot(5)]).remove(0).value, value);
        assert!(dealer.wheel_value(&wheel, 0, Slot(64)).is_err());
        assert!(dealer.card(&wheel, 0, Slot(5)).is_err());
    }
}
