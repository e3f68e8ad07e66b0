//! The path of each part of a log (c2sp.org/tlog-tiles): one path for each part.

use std::fmt;
use std::num::NonZeroU8;
use std::str::FromStr;

/// Longest path a tree below 2⁶⁴ entries can have: `tile/entries/`, seven groups, `.p/255`.
const MAX_PATH: usize = 64;

/// Highest level a path may name.
const MAX_LEVEL: u8 = 63;

/// A text that is not the canonical path of a log's resource.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not the path of a checkpoint, tile or entry bundle")]
pub struct PathError;

/// A resource of the log, relative to its prefix (spec/log.md, "Tiles").
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TilePath {
    /// `checkpoint`: the only resource that changes.
    Checkpoint,
    /// `tile/<L>/<N>[.p/<W>]`.
    Tile {
        /// Level, 0 to 63.
        level: u8,
        /// Index within the level.
        index: u64,
        /// Width of a partial tile; `None` for a full one.
        partial: Option<NonZeroU8>,
    },
    /// `tile/entries/<N>[.p/<W>]`.
    Entries {
        /// Index of the bundle, that of the level-0 tile over it.
        index: u64,
        /// Entries in a partial bundle; `None` for a full one.
        partial: Option<NonZeroU8>,
    },
}

impl TilePath {
    /// The number of hashes or entries that the resource holds: 1 to 256, or 0 for the checkpoint.
    #[must_use]
    pub fn width(&self) -> u16 {
        match self {
            TilePath::Checkpoint => 0,
            TilePath::Tile { partial, .. } | TilePath::Entries { partial, .. } => {
                partial.map_or(256, |width| u16::from(width.get()))
            }
        }
    }

    /// The full tile or bundle of the same index, which begins with this one.
    #[must_use]
    pub fn full(&self) -> TilePath {
        match *self {
            TilePath::Checkpoint => TilePath::Checkpoint,
            TilePath::Tile { level, index, .. } => TilePath::Tile { level, index, partial: None },
            TilePath::Entries { index, .. } => TilePath::Entries { index, partial: None },
        }
    }

    /// Cuts this resource's bytes out of the bytes of a wider one of the same index; `None` if that has too few hashes
    /// or entries.
    #[must_use]
    pub fn cut<'a>(&self, wider: &'a [u8]) -> Option<&'a [u8]> {
        let width = usize::from(self.width());
        match self {
            TilePath::Checkpoint => None,
            TilePath::Tile { .. } => wider.get(..width * 32),
            TilePath::Entries { .. } => {
                let mut end = 0usize;
                for _ in 0..width {
                    let length = wider.get(end..)?.first_chunk::<2>()?;
                    end = end.checked_add(2 + usize::from(u16::from_be_bytes(*length)))?;
                }
                wider.get(..end)
            }
        }
    }
}

impl fmt::Display for TilePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            TilePath::Checkpoint => f.write_str("checkpoint"),
            TilePath::Tile { level, index, partial } => {
                write!(f, "tile/{level}/")?;
                write_index(f, *index, *partial)
            }
            TilePath::Entries { index, partial } => {
                f.write_str("tile/entries/")?;
                write_index(f, *index, *partial)
            }
        }
    }
}

fn write_index(f: &mut fmt::Formatter<'_>, index: u64, partial: Option<NonZeroU8>) -> fmt::Result {
    let mut groups = vec![index % 1000];
    let mut rest = index / 1000;
    while rest > 0 {
        groups.push(rest % 1000);
        rest /= 1000;
    }
    while let Some(group) = groups.pop() {
        if groups.is_empty() {
            write!(f, "{group:03}")?;
        } else {
            write!(f, "x{group:03}/")?;
        }
    }
    partial.map_or(Ok(()), |width| write!(f, ".p/{width}"))
}

impl FromStr for TilePath {
    type Err = PathError;

    fn from_str(text: &str) -> Result<Self, PathError> {
        if text.len() > MAX_PATH {
            return Err(PathError);
        }
        let path = parse(text).ok_or(PathError)?;
        // Comparing with the canonical form refuses every other spelling at once: leading zeros, signs, an extra group.
        // Two paths for one tile would be two cache entries that may differ.
        if path.to_string() == text { Ok(path) } else { Err(PathError) }
    }
}

fn parse(text: &str) -> Option<TilePath> {
    if text == "checkpoint" {
        return Some(TilePath::Checkpoint);
    }
    let (kind, rest) = text.strip_prefix("tile/")?.split_once('/')?;
    let (groups, partial) = match rest.split_once(".p/") {
        Some((groups, width)) => (groups, Some(width.parse().ok()?)),
        None => (rest, None),
    };
    let mut index: u64 = 0;
    for group in groups.split('/') {
        let digits = group.strip_prefix('x').unwrap_or(group);
        let group: u64 = digits.parse().ok()?;
        index = index.checked_mul(1000)?.checked_add(group)?;
    }
    if kind == "entries" {
        return Some(TilePath::Entries { index, partial });
    }
    let level = kind.parse().ok().filter(|&level| level <= MAX_LEVEL)?;
    Some(TilePath::Tile { level, index, partial })
}

/// The full tiles or bundles 0.. of a level with `count` hashes, then the partial one if there is any.
fn indices(count: u64) -> impl Iterator<Item = (u64, Option<NonZeroU8>)> {
    let partial = u8::try_from(count % 256).ok().and_then(NonZeroU8::new);
    let full = (0..count / 256).map(|index| (index, None));
    full.chain(partial.map(|width| (count / 256, Some(width))))
}

/// Every tile of a tree of `size` leaves, lowest level first, partial ones at each level's end. Lazy, because `size`
/// may be an untrusted number.
pub fn tiles_for_size(size: u64) -> impl Iterator<Item = TilePath> {
    (0..8u8).flat_map(move |level| {
        indices(size >> (8 * u32::from(level))).map(move |(index, partial)| TilePath::Tile { level, index, partial })
    })
}

/// Every entry bundle of a log of `size` entries, in order; lazy.
pub fn bundles_for_size(size: u64) -> impl Iterator<Item = TilePath> {
    indices(size).map(|(index, partial)| TilePath::Entries { index, partial })
}
