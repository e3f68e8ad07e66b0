//! Bundles of 256 entries: their plain bytes, their frames in a segment, and a bounded cache of unpacked ones
//! (spec/store.md, Sealed history).

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use sha2::{Digest as _, Sha256};
use zstd::zstd_safe;

use crate::record::MAX_ENTRY;

/// Entries in a bundle.
pub const BUNDLE: u64 = 256;

const ENTRIES: usize = BUNDLE as usize;
const MAX_RAW: usize = ENTRIES * (2 + MAX_ENTRY);
/// zstd adds 3 bytes to every 128 KiB that do not compress, and a few at both ends.
const MAX_BODY: usize = 4 + MAX_RAW + MAX_RAW / 1024 + 1024;
/// Length and seal before a frame's body.
pub(crate) const FRAME_HEAD: usize = 4 + SEAL;
/// The longest frame; a longer one in a file is refused.
pub(crate) const MAX_FRAME: usize = FRAME_HEAD + MAX_BODY;
/// A tenth smaller at level 5, for three times the work.
const LEVEL: i32 = 1;

const SEAL: usize = 16;
const DOMAIN: &[u8] = b"fairshoe-store/2 bundle\0";

/// The seal of a bundle.
pub(crate) type Seal = [u8; SEAL];

/// Bytes of unpacked bundles kept, and their number: a sequential reader asks for the same bundle 256 times.
const CACHED_BYTES: usize = 16 << 20;
const CACHED: usize = 128;

/// An unpacked bundle.
#[derive(Debug)]
pub(crate) struct Bundle {
    raw: Vec<u8>,
    /// The place of each entry in `raw`.
    entries: Vec<(usize, usize)>,
}

impl Bundle {
    /// A bundle of 256 entries, in the form of [`Bundle::raw`]; `None` for other bytes.
    pub fn new(raw: Vec<u8>) -> Option<Self> {
        let mut entries = Vec::with_capacity(ENTRIES);
        let mut at = 0_usize;
        while entries.len() < ENTRIES {
            let (length, _) = raw.get(at..)?.split_first_chunk::<2>()?;
            let start = at.checked_add(2)?;
            at = start.checked_add(usize::from(u16::from_be_bytes(*length)))?;
            entries.push((start, at));
        }
        (at == raw.len()).then_some(Self { raw, entries })
    }

    /// One of its entries, numbered from 0.
    pub fn entry(&self, position: usize) -> Option<&[u8]> {
        let (start, end) = self.entries.get(position)?;
        self.raw.get(*start..*end)
    }

    /// All its entries.
    pub fn entries(&self) -> Vec<&[u8]> {
        (0..ENTRIES).filter_map(|position| self.entry(position)).collect()
    }
}

/// Adds an entry to a bundle's plain bytes; `None` if it is too long.
pub(crate) fn add_entry(raw: &mut Vec<u8>, entry: &[u8]) -> Option<()> {
    raw.extend_from_slice(&u16::try_from(entry.len()).ok()?.to_be_bytes());
    raw.extend_from_slice(entry);
    Some(())
}

fn seal_of(bundle: u64, body: &[u8]) -> Seal {
    let mut hash = Sha256::new();
    hash.update(DOMAIN);
    hash.update(bundle.to_be_bytes());
    hash.update(body);
    let mut seal = [0; SEAL];
    seal.copy_from_slice(&hash.finalize()[..SEAL]);
    seal
}

/// The frame of a bundle's plain bytes, and its seal; `None` if there is no memory for it. Whatever is allocated may fail: a
/// process that may have no more would end.
pub(crate) fn pack(bundle: u64, raw: &[u8]) -> Option<(Vec<u8>, Seal)> {
    let (mut packed, mut frame) = (Vec::new(), Vec::new());
    packed.try_reserve_exact(zstd_safe::compress_bound(raw.len())).ok()?;
    zstd_safe::CCtx::try_create()?.compress(&mut packed, raw, LEVEL).ok()?;
    let length = packed.len().checked_add(4).filter(|length| *length <= MAX_BODY)?;
    frame.try_reserve_exact(FRAME_HEAD.checked_add(length)?).ok()?;
    frame.extend(u32::try_from(length).ok()?.to_be_bytes());
    frame.extend([0; SEAL]);
    frame.extend(u32::try_from(raw.len()).ok()?.to_be_bytes());
    frame.extend(packed);
    let (head, body) = frame.split_first_chunk_mut::<FRAME_HEAD>()?;
    let seal = seal_of(bundle, body);
    head.last_chunk_mut::<SEAL>()?.copy_from_slice(&seal);
    Some((frame, seal))
}

/// The length of a frame and its seal, from its first bytes.
pub(crate) fn frame_head(head: &[u8; FRAME_HEAD]) -> Option<(u64, Seal)> {
    let (length, seal) = head.split_first_chunk::<4>()?;
    let frame = usize::try_from(u32::from_be_bytes(*length)).ok()?.checked_add(FRAME_HEAD)?;
    Some((u64::try_from(frame).ok().filter(|_| frame <= MAX_FRAME)?, seal.try_into().ok()?))
}

/// Whether a frame's seal is right for its bytes and equals the expected one.
pub(crate) fn seal_holds(bundle: u64, frame: &[u8], seal: &Seal) -> bool {
    let Some((head, body)) = frame.split_first_chunk::<FRAME_HEAD>() else { return false };
    frame_head(head) == Some((frame.len() as u64, *seal)) && seal_of(bundle, body) == *seal
}

/// The bundle in a frame, if its seal is right.
pub(crate) fn unpack(bundle: u64, frame: &[u8], seal: &Seal) -> Option<Bundle> {
    if !seal_holds(bundle, frame, seal) {
        return None;
    }
    let (length, packed) = frame.get(FRAME_HEAD..)?.split_first_chunk::<4>()?;
    let length = usize::try_from(u32::from_be_bytes(*length)).ok().filter(|length| *length <= MAX_RAW)?;
    let raw = zstd::bulk::decompress(packed, length).ok()?;
    Bundle::new(raw).filter(|bundle| bundle.raw.len() == length)
}

/// The bundles that were read last.
#[derive(Debug, Default)]
pub(crate) struct Cache(Mutex<Cached>);

#[derive(Debug, Default)]
struct Cached {
    /// The one requested last stands at the end.
    bundles: VecDeque<(u64, Arc<Bundle>)>,
    bytes: usize,
}

impl Cache {
    fn cached(&self) -> MutexGuard<'_, Cached> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn get(&self, bundle: u64) -> Option<Arc<Bundle>> {
        let mut cached = self.cached();
        let at = cached.bundles.iter().rposition(|(number, _)| *number == bundle)?;
        let found = cached.bundles.remove(at)?;
        let bundle = found.1.clone();
        cached.bundles.push_back(found);
        Some(bundle)
    }

    pub fn keep(&self, number: u64, bundle: Arc<Bundle>) {
        let mut cached = self.cached();
        if cached.bundles.iter().any(|(known, _)| *known == number) {
            return;
        }
        cached.bytes += bundle.raw.len();
        cached.bundles.push_back((number, bundle));
        while (cached.bytes > CACHED_BYTES || cached.bundles.len() > CACHED)
            && let Some((_, oldest)) = cached.bundles.pop_front()
        {
            cached.bytes -= oldest.raw.len();
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use rustix::process::{Resource, Rlimit, setrlimit};

    /// Attack: strangers make the process use all the memory that it may have. In a process of its own, whose limit grows
    /// from nothing to enough.
    #[test]
    fn where_there_is_no_memory_there_is_no_frame_and_the_process_lives() {
        const CHILD: &str = "FAIRSHOE_STORE_STARVED";
        if std::env::var_os(CHILD).is_none() {
            let name = "library::bundle::tests::where_there_is_no_memory_there_is_no_frame_and_the_process_lives";
            let mut child = std::process::Command::new(std::env::current_exe().unwrap());
            let child = child.args([name, "--exact", "--nocapture"]).env(CHILD, "1").output().unwrap();
            assert!(child.status.success(), "{child:?}");
            return;
        }
        // Nothing that is freed before is there to be used.
        let mut raw = Vec::with_capacity(MAX_RAW);
        let entry: Vec<u8> = (0..MAX_ENTRY).map(|at| ((at * at) >> 3) as u8).collect();
        (0..ENTRIES).for_each(|_| add_entry(&mut raw, &entry).unwrap());
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let size = status.lines().find_map(|line| line.strip_prefix("VmData:")).unwrap();
        let size = size.trim().trim_end_matches(" kB").parse::<u64>().unwrap() << 10;
        let packs = |more: u64| {
            let limit = |current| setrlimit(Resource::Data, Rlimit { current, maximum: None }).unwrap();
            limit(Some(size + more));
            let packed = pack(0, &raw);
            limit(None);
            packed.is_some()
        };
        let few = (0..400).take_while(|n| !packs(n << 18)).count();
        assert!((20..400).contains(&few), "{few}");
    }

    fn raw(entry: impl Fn(usize) -> Vec<u8>) -> Vec<u8> {
        let mut raw = Vec::new();
        for position in 0..ENTRIES {
            add_entry(&mut raw, &entry(position)).unwrap();
        }
        raw
    }

    #[test]
    fn a_frame_unpacks_to_what_was_packed_as_its_own_number_only() {
        let raw = raw(|position| format!("entry {position}").into_bytes());
        let (frame, seal) = pack(7, &raw).unwrap();
        let bundle = unpack(7, &frame, &seal).unwrap();
        assert_eq!(
            (bundle.entry(0), bundle.entry(255), bundle.entry(256)),
            (Some(&b"entry 0"[..]), Some(&b"entry 255"[..]), None)
        );
        assert_eq!(bundle.entries().len(), 256);
        assert!(unpack(8, &frame, &seal).is_none());
        assert!(unpack(7, &frame, &[0; 16]).is_none());
    }

    #[test]
    fn a_changed_or_cut_frame_is_no_frame() {
        let (frame, seal) = pack(0, &raw(|position| vec![position as u8; 3])).unwrap();
        for at in 0..frame.len() {
            let mut damaged = frame.clone();
            damaged[at] ^= 1;
            assert!(unpack(0, &damaged, &seal).is_none(), "{at}");
            assert!(unpack(0, &frame[..at], &seal).is_none(), "{at}");
        }
        assert!(unpack(0, &[&frame[..], &[0]].concat(), &seal).is_none());
    }

    #[test]
    fn the_largest_bundle_fits_whatever_is_in_it() {
        let mut state = 1_u64;
        let mut noise = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state as u8
        };
        let noise: Vec<u8> = (0..MAX_ENTRY).map(|_| noise()).collect();
        let raw = raw(|position| {
            let mut entry = noise.clone();
            entry.rotate_left(position * 251);
            entry.iter_mut().for_each(|byte| *byte = byte.wrapping_mul(position as u8 | 1));
            entry
        });
        assert_eq!(raw.len(), MAX_RAW);
        let (frame, seal) = pack(0, &raw).unwrap();
        assert!(frame.len() <= MAX_FRAME);
        assert_eq!(unpack(0, &frame, &seal).unwrap().raw, raw);
    }

    #[test]
    fn sealed_bytes_that_are_no_bundle_are_refused() {
        let whole = raw(|_| b"a".to_vec());
        let mut long = whole.clone();
        long.push(0);
        for wrong in [&whole[..whole.len() - 1], &long, b""] {
            let (frame, seal) = pack(3, wrong).unwrap();
            assert!(unpack(3, &frame, &seal).is_none());
        }
        // A length that differs from the packed length, under a correct seal.
        let packed = zstd::bulk::compress(&whole, 1).unwrap();
        for length in [0, whole.len() - 1, whole.len() + 1, u32::MAX as usize] {
            let body = [&(length as u32).to_be_bytes()[..], &packed].concat();
            let seal = seal_of(3, &body);
            let frame = [&(body.len() as u32).to_be_bytes()[..], &seal, &body].concat();
            assert!(unpack(3, &frame, &seal).is_none(), "{length}");
        }
    }

    #[test]
    fn the_cache_is_bounded_and_keeps_what_was_asked_for_last() {
        let cache = Cache::default();
        let large = Arc::new(Bundle::new(raw(|_| vec![0; 10_000])).unwrap());
        for number in 0..20 {
            cache.keep(number, large.clone());
            assert!(cache.get(0).is_some() || number > 10);
        }
        assert!(cache.get(1).is_none());
        let cached = cache.cached();
        assert!(cached.bytes <= CACHED_BYTES && cached.bundles.len() < 20);
    }
}
