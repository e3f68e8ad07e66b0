//! A disk by chance, as spec/store.md assumes one ("What is assumed of the disk"), the log's two files and those of
//! snapshots.
//!
//! Owns: what is on the platter, what is only in the kernel's memory, and what a crash leaves of it. What was written
//! and not synced may be lost, torn or there already, in any order; a sync that failed has dropped what it could not
//! write, and reads show it all the same. Damage beyond the assumptions is a call of its own, and the world notes that
//! it happened.

use crate::planted::Plant;
use crate::rng::Rng;
use crate::snapshots::Names;
use std::collections::BTreeMap;

/// A torn write ends somewhere in a block of so many bytes.
const BLOCK: usize = 64;

/// The files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    Log,
    Anchor,
    Snapshot(u32),
}

/// Why a call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The device reported an error.
    Io,
    /// The process was killed in the middle of the call, or the power went.
    Died,
}

struct Write {
    at: usize,
    bytes: Vec<u8>,
}

#[derive(Default)]
struct File {
    platter: Vec<u8>,
    /// What reads show.
    cache: Vec<u8>,
    /// Written and not synced.
    pending: Vec<Write>,
}

fn put(file: &mut Vec<u8>, at: usize, bytes: &[u8]) {
    file.resize(file.len().max(at + bytes.len()), 0);
    file[at..at + bytes.len()].copy_from_slice(bytes);
}

/// See the module.
pub struct Disk {
    log: File,
    anchor: File,
    snapshots: BTreeMap<u32, File>,
    pub names: Names,
    pub rng: Rng,
    pub plant: Option<Plant>,
    /// Free bytes.
    pub free: u64,
    /// One call in so many fails; zero: none.
    pub fails: usize,
    /// Whether a call has failed since this was asked last.
    failed: bool,
    /// Calls until the process dies in the middle of one.
    pub dies_in: Option<usize>,
}

impl Disk {
    pub fn new(rng: Rng, plant: Option<Plant>) -> Disk {
        let (snapshots, names) = (BTreeMap::new(), Names::default());
        Disk {
            log: File::default(),
            anchor: File::default(),
            snapshots,
            names,
            rng,
            plant,
            free: 1 << 30,
            fails: 0,
            failed: false,
            dies_in: None,
        }
    }

    fn file(&mut self, part: Part) -> &mut File {
        match part {
            Part::Log => &mut self.log,
            Part::Anchor => &mut self.anchor,
            Part::Snapshot(id) => self.snapshots.entry(id).or_default(),
        }
    }

    /// What a read shows.
    pub fn read(&mut self, part: Part) -> Vec<u8> {
        self.file(part).cache.clone()
    }

    /// How much there is to read.
    pub fn length(&mut self, part: Part) -> usize {
        self.file(part).cache.len()
    }

    /// Takes away what lies behind the first so many bytes.
    pub fn cut(&mut self, part: Part, length: usize) {
        let file = self.file(part);
        file.cache.truncate(length);
        file.platter.truncate(length);
        file.pending.clear();
    }

    /// Beyond the assumptions: what was synced is something else.
    pub fn damage(&mut self, part: Part, damage: impl FnOnce(&mut Vec<u8>)) {
        let file = self.file(part);
        damage(&mut file.platter);
        file.cache = file.platter.clone();
        file.pending.clear();
    }

    /// Whether a call has failed since this was asked last.
    pub fn take_failed(&mut self) -> bool {
        std::mem::take(&mut self.failed)
    }

    /// Whether this call dies, or fails.
    pub fn trouble(&mut self) -> Option<Fault> {
        if let Some(left) = &mut self.dies_in {
            if *left == 0 {
                self.dies_in = None;
                self.failed = true;
                return Some(Fault::Died);
            }
            *left -= 1;
        }
        let fails = self.fails > 0 && self.rng.one_in(self.fails);
        self.failed |= fails;
        fails.then_some(Fault::Io)
    }

    pub fn write(&mut self, part: Part, at: usize, bytes: &[u8]) -> Result<(), Fault> {
        let trouble = self.trouble();
        // Of a call that fails some part may have been done.
        let done = if trouble.is_some() { self.rng.below(bytes.len() + 1) } else { bytes.len() };
        let file = self.file(part);
        put(&mut file.cache, at, &bytes[..done]);
        file.pending.push(Write { at, bytes: bytes[..done].to_vec() });
        if self.rng.one_in(4) {
            self.write_back(part);
        }
        trouble.map_or(Ok(()), Err)
    }

    /// The kernel writes one of those that wait, whichever it likes.
    fn write_back(&mut self, part: Part) {
        let waiting = self.file(part).pending.len();
        let nth = self.rng.below(waiting);
        let file = self.file(part);
        // A later write to the same place must not be overtaken by an earlier one: the kernel has one page of it.
        let Write { at, bytes } = &file.pending[nth];
        let overlaps = |write: &Write| write.at < at + bytes.len() && *at < write.at + write.bytes.len();
        if !file.pending[..nth].iter().any(overlaps) && !file.pending[nth + 1..].iter().any(overlaps) {
            let Write { at, bytes } = file.pending.remove(nth);
            put(&mut file.platter, at, &bytes);
        }
    }

    pub fn sync(&mut self, part: Part) -> Result<(), Fault> {
        if self.plant == Some(Plant::SyncLeftOut) && part == Part::Log {
            return Ok(());
        }
        let trouble = self.trouble();
        let pending = std::mem::take(&mut self.file(part).pending);
        for write in pending {
            // What a failed sync could not write is gone from what waits, and still there for every read.
            let lost = trouble.is_some() && self.rng.one_in(2);
            if !lost {
                put(&mut self.file(part).platter, write.at, &write.bytes);
            }
        }
        trouble.map_or(Ok(()), Err)
    }

    /// Has the kernel forget what it need not write: reads show what is on the platter.
    pub fn forget_clean(&mut self, part: Part) {
        let file = self.file(part);
        file.cache = file.platter.clone();
        for Write { at, bytes } in &file.pending {
            put(&mut file.cache, *at, bytes);
        }
    }

    /// The power goes: of what was not synced anything may be there.
    pub fn power_cut(&mut self) {
        let snapshots = self.names.files();
        for part in [Part::Log, Part::Anchor].into_iter().chain(snapshots.into_iter().map(Part::Snapshot)) {
            for Write { at, bytes } in std::mem::take(&mut self.file(part).pending) {
                let (whole, torn) = (self.rng.below(3) == 0, self.rng.below(bytes.len() + 1));
                let junk = if self.rng.one_in(2) { self.rng.below(BLOCK) } else { 0 };
                let kept = if whole { bytes.len() } else { self.rng.pick(&[0, torn]) };
                let mut left = bytes[..kept].to_vec();
                for _ in 0..junk.min(bytes.len() - kept) {
                    left.push(self.rng.next() as u8);
                }
                put(&mut self.file(part).platter, at, &left);
            }
            let file = self.file(part);
            file.cache = file.platter.clone();
        }
        let rng = &mut self.rng;
        self.names.power_cut(|| rng.one_in(2));
        let left = self.names.files();
        self.snapshots.retain(|id, _| left.contains(id));
    }

    /// Beyond the assumptions: one bit of what was synced is another one.
    pub fn flip_a_bit(&mut self) {
        let part = if self.rng.one_in(3) { Part::Anchor } else { Part::Log };
        let length = self.file(part).platter.len().max(1);
        let (at, bit) = (self.rng.below(length), self.rng.below(8));
        let file = self.file(part);
        if let Some(byte) = file.platter.get_mut(at) {
            *byte ^= 1 << bit;
        }
        file.cache = file.platter.clone();
    }

    /// A copy of the files, as somebody might keep it.
    pub fn copy(&self) -> [Vec<u8>; 2] {
        [self.log.platter.clone(), self.anchor.platter.clone()]
    }

    /// Beyond the assumptions: an old file is put back, the log or the anchor.
    pub fn put_back(&mut self, copy: &[Vec<u8>; 2], part: Part) {
        let old = copy[usize::from(part == Part::Anchor)].clone();
        let file = self.file(part);
        (file.cache, file.platter) = (old.clone(), old);
        file.pending.clear();
    }
}
