//! The newest entries as frames of event streams, made once for all who follow a table (openapi.yaml, `streamTable`).
//!
//! Owns: what everybody is sent of an entry, as it is sent. Does not own: who is sent what, and when (`stream.rs`);
//! own cards, which are made for their owner alone.

use actix_web::web::Bytes;
use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// So many entries are kept: streams that are not behind ask for the newest.
pub const KEPT: usize = 256;

/// So many bytes of them, about.
const MOST_BYTES: usize = 4 << 20;

/// See the module.
#[derive(Default)]
pub struct Frames(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    /// By log index, ascending.
    frames: VecDeque<(u64, Bytes)>,
    bytes: usize,
}

impl Frames {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The frames of an entry, where they are kept.
    pub fn ready(&self, index: u64) -> Option<Bytes> {
        let kept = self.lock();
        let at = kept.frames.binary_search_by_key(&index, |(kept, _)| *kept).ok()?;
        kept.frames.get(at).map(|(_, frames)| frames.clone())
    }

    /// The frames of an entry, made by `make` where they are not kept.
    ///
    /// # Errors
    /// Those of `make`.
    pub fn of<E>(&self, index: u64, make: impl FnOnce() -> Result<String, E>) -> Result<Bytes, E> {
        if let Some(frames) = self.ready(index) {
            return Ok(frames);
        }
        let frames = Bytes::from(make()?);
        self.lock().keep(index, frames.clone());
        Ok(frames)
    }
}

impl Kept {
    fn keep(&mut self, index: u64, frames: Bytes) {
        // One stream that is behind must not drive out what all others ask for.
        let is_old = self.frames.len() >= KEPT && self.frames.front().is_some_and(|(oldest, _)| index < *oldest);
        if is_old || frames.len() > MOST_BYTES {
            return;
        }
        let Err(at) = self.frames.binary_search_by_key(&index, |(kept, _)| *kept) else { return };
        self.bytes = self.bytes.saturating_add(frames.len());
        self.frames.insert(at, (index, frames));
        while self.frames.len() > KEPT || self.bytes > MOST_BYTES {
            let Some((_, oldest)) = self.frames.pop_front() else { return };
            self.bytes = self.bytes.saturating_sub(oldest.len());
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(frames: &Frames, index: u64, text: &str) -> Bytes {
        frames.of(index, || Ok::<_, ()>(text.to_owned())).unwrap()
    }

    #[test]
    fn frames_are_made_once_and_the_newest_are_kept() {
        let frames = Frames::default();
        assert_eq!(of(&frames, 7, "seven"), "seven");
        assert_eq!(of(&frames, 7, "made again"), "seven");
        assert_eq!(frames.of(8, || Err("no such entry")), Err("no such entry"));
        for index in (100..100 + KEPT as u64).rev() {
            of(&frames, index, "one of many");
        }
        assert_eq!(of(&frames, 7, "made again"), "made again");
        assert_eq!(of(&frames, 100, "made again"), "one of many");
        assert_eq!(frames.lock().frames.len(), KEPT);
    }

    #[test]
    fn few_long_frames_are_bounded_by_their_bytes() {
        let frames = Frames::default();
        let long = "x".repeat(MOST_BYTES / 3);
        (0..10).for_each(|index| drop(of(&frames, index, &long)));
        assert!(frames.lock().bytes <= MOST_BYTES && frames.lock().frames.len() == 3);
        assert_eq!(of(&frames, 20, &"x".repeat(MOST_BYTES + 1)).len(), MOST_BYTES + 1);
        assert_eq!(frames.lock().frames.len(), 3);
    }
}
