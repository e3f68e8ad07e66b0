//! The folder of snapshots on the disk of chance: names that may be forgotten, files that may be torn, calls that fail,
//! and damage that no disk is assumed to do.
//!
//! Owns: what a name leads to, before and after the folder is synced. Does not own: the bytes of a file
//! ([`crate::disk`]).

use crate::disk::{Disk, Fault, Part};
use crate::planted::Plant;
use fairshoe_store::Files;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::sync::{Arc, Mutex, MutexGuard};

/// What names lead to.
#[derive(Default)]
pub struct Names {
    /// As reads show it.
    seen: BTreeMap<String, u32>,
    /// As it is on the platter.
    durable: BTreeMap<String, u32>,
    next: u32,
}

impl Names {
    /// The files that any name leads to.
    pub fn files(&self) -> BTreeSet<u32> {
        self.seen.values().chain(self.durable.values()).copied().collect()
    }

    /// The power goes: of each name that was not synced either may be there.
    pub fn power_cut(&mut self, mut is_kept: impl FnMut() -> bool) {
        let all: BTreeSet<String> = self.seen.keys().chain(self.durable.keys()).cloned().collect();
        for name in all {
            let (seen, durable) = (self.seen.get(&name).copied(), self.durable.get(&name).copied());
            if let Some(left) = if seen == durable || is_kept() { seen } else { durable } {
                self.seen.insert(name, left);
            } else {
                self.seen.remove(&name);
            }
        }
        self.durable = self.seen.clone();
    }
}

fn size_of(name: &str) -> Option<u64> {
    name.rsplit('/').next().filter(|name| name.len() == 20)?.parse().ok()
}

impl Disk {
    /// Damage to a snapshot: the sizes whose files are not what was written any more.
    pub fn spoil_a_snapshot(&mut self) -> Vec<u64> {
        let there: Vec<(String, u32)> = self
            .names
            .seen
            .iter()
            .filter(|(name, _)| size_of(name).is_some())
            .map(|(name, id)| (name.clone(), *id))
            .collect();
        if there.is_empty() {
            return Vec::new();
        }
        let (name, id) = there[self.rng.below(there.len())].clone();
        let size = size_of(&name).unwrap();
        let length = self.length(Part::Snapshot(id)).max(1);
        let (at, bit) = (self.rng.below(length), self.rng.below(8));
        match self.rng.below(6) {
            0 => self.damage(Part::Snapshot(id), |bytes| bytes.truncate(at)),
            1 => {
                self.names.seen.remove(&name);
            }
            2 => {
                // Under the name of one that the log has not come to, or has passed.
                let other = (size + 1 + self.rng.below(90) as u64).saturating_sub(40);
                self.names.seen.remove(&name);
                self.names.seen.insert(format!("snapshots/{other:020}"), id);
                self.names.durable = self.names.seen.clone();
                return vec![size, other];
            }
            3 => self.damage(Part::Snapshot(id), |bytes| bytes.fill(0)),
            _ => self.damage(Part::Snapshot(id), |bytes| {
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }),
        }
        self.names.durable = self.names.seen.clone();
        vec![size]
    }
}

/// See the module.
#[derive(Clone)]
pub struct SnapshotFiles(pub Arc<Mutex<Disk>>);

impl std::fmt::Debug for SnapshotFiles {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("snapshots on the disk of chance")
    }
}

/// A process that dies in a call does nothing more with what the call says.
pub const DIED: io::ErrorKind = io::ErrorKind::Interrupted;

fn failed(fault: Fault) -> io::Error {
    match fault {
        Fault::Io => io::Error::other("the device reported an error"),
        Fault::Died => DIED.into(),
    }
}

impl SnapshotFiles {
    fn disk(&self) -> MutexGuard<'_, Disk> {
        self.0.lock().unwrap()
    }

    fn part(&self, name: &str) -> io::Result<Part> {
        self.disk().names.seen.get(name).map(|id| Part::Snapshot(*id)).ok_or(io::ErrorKind::NotFound.into())
    }

    /// A change of names, which a fault may leave undone.
    fn change(&self, change: impl FnOnce(&mut Names)) -> io::Result<()> {
        let mut disk = self.disk();
        let trouble = disk.trouble();
        if trouble.is_none() || disk.rng.one_in(2) {
            change(&mut disk.names);
        }
        trouble.map_or(Ok(()), |fault| Err(failed(fault)))
    }
}

impl Files for SnapshotFiles {
    fn make_dir(&self, _: &str) -> io::Result<()> {
        Ok(())
    }

    fn list(&self, _: &str) -> io::Result<Vec<String>> {
        Ok(self
            .disk()
            .names
            .seen
            .keys()
            .filter_map(|name| name.strip_prefix("snapshots/"))
            .map(str::to_owned)
            .collect())
    }

    fn len(&self, name: &str) -> io::Result<u64> {
        let part = self.part(name)?;
        Ok(self.disk().length(part) as u64)
    }

    fn read_at(&self, name: &str, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let part = self.part(name)?;
        let bytes = self.disk().read(part);
        let from = bytes.get(offset as usize..offset as usize + into.len()).ok_or(io::ErrorKind::UnexpectedEof)?;
        into.copy_from_slice(from);
        Ok(())
    }

    fn create(&self, name: &str) -> io::Result<()> {
        if self.part(name).is_ok() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.change(|names| {
            names.next += 1;
            names.seen.insert(name.to_owned(), names.next);
        })
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let part = self.part(name)?;
        let mut disk = self.disk();
        let at = disk.length(part);
        // In several writes, which the disk may take in any order.
        for (nth, piece) in bytes.chunks(700).enumerate() {
            disk.write(part, at + nth * 700, piece).map_err(failed)?;
        }
        Ok(())
    }

    fn cut(&self, name: &str, len: u64) -> io::Result<()> {
        let part = self.part(name)?;
        self.disk().cut(part, len as usize);
        Ok(())
    }

    fn sync(&self, name: &str) -> io::Result<()> {
        let part = self.part(name)?;
        if self.disk().plant == Some(Plant::SnapshotNotSynced) {
            return Ok(());
        }
        self.disk().sync(part).map_err(failed)
    }

    fn sync_dir(&self, _: &str) -> io::Result<()> {
        self.change(|names| names.durable = names.seen.clone())
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.part(from)?;
        self.change(|names| {
            if let Some(id) = names.seen.remove(from) {
                names.seen.insert(to.to_owned(), id);
            }
        })
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        self.part(name)?;
        self.change(|names| {
            names.seen.remove(name);
        })
    }
}
