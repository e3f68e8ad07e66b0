//! The sealed files of an open store: their names, the place of a bundle in them, reading them (spec/store.md, Opening
//! sealed files). Opening does not read old seals; `verify` does.

use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

use crate::StoreError;
use crate::bundle::{self, BUNDLE, Bundle, Cache, FRAME_HEAD, MAX_FRAME, Seal};
use crate::files::Files;
use crate::io_error::io_error;
use crate::record::Mark;
use crate::segment::{self, FooterHash, HEADER, Header, NoHeader, ROW, Row, SEALED, TRAILER};

/// The number of seals of the open segment that opening checks: more than one step writes.
const TAIL: usize = 64;

/// A finished segment.
#[derive(Debug)]
struct Finished {
    first: u64,
    rows: u64,
    /// The end of the frames, where its footer begins.
    table: u64,
    hash: FooterHash,
}

/// The open segment, to which frames are appended.
#[derive(Debug, Clone)]
pub(crate) struct Open {
    pub header: Header,
    pub rows: Vec<Row>,
    /// The place of the next frame. The file may hold more bytes, which do not count.
    pub len: u64,
}

impl Open {
    pub fn name(&self) -> String {
        segment::name(self.header.number)
    }

    pub fn end(&self) -> u64 {
        self.header.first.saturating_add(self.rows.len() as u64)
    }
}

#[derive(Debug, Default)]
struct Segments {
    finished: Vec<Finished>,
    open: Option<Open>,
    /// The number of bundles that readers find here.
    bundles: u64,
}

/// The sealed files of an open store; see the module.
#[derive(Debug)]
pub(crate) struct History {
    pub files: Arc<dyn Files>,
    dir: PathBuf,
    segments: RwLock<Segments>,
    cache: Cache,
}

/// The place of a bundle's frame.
struct BundleSpan {
    name: String,
    offset: u64,
    end: u64,
    seal: Seal,
}

impl History {
    /// Reads the segments of a store's folder; its sled holds this mark.
    pub fn open(dir: &Path, files: Arc<dyn Files>, mark: Option<Mark>) -> Result<Self, StoreError> {
        let history = Self { files, dir: dir.to_owned(), segments: RwLock::default(), cache: Cache::default() };
        let segments = history.look(mark)?;
        *history.segments.write().unwrap_or_else(PoisonError::into_inner) = segments;
        Ok(history)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }

    fn damaged(&self, number: u64, at: Option<u64>, what: &str) -> StoreError {
        let at = at.and_then(|bundle| bundle.checked_mul(BUNDLE));
        StoreError::SegmentDamaged { path: self.path(&segment::name(number)), at, what: what.to_owned() }
    }

    fn foreign(&self, number: u64, what: String) -> StoreError {
        StoreError::SegmentForeign { path: self.path(&segment::name(number)), what }
    }

    fn io(&self, doing: &'static str, name: &str) -> impl FnOnce(io::Error) -> StoreError + use<> {
        io_error(doing, &self.path(name))
    }

    fn read(&self, name: &str, offset: u64, len: u64) -> Result<Vec<u8>, StoreError> {
        let mut bytes = vec![0; usize::try_from(len).unwrap_or(0)];
        match self.files.read_at(name, offset, &mut bytes) {
            Ok(()) => Ok(bytes),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Err(StoreError::Missing { path: self.path(name) }),
            Err(e) if e.kind() == io::ErrorKind::UnexpectedEof => Err(StoreError::SegmentDamaged {
                path: self.path(name),
                at: None,
                what: "the file ends too early".to_owned(),
            }),
            Err(e) => Err(self.io("reading", name)(e)),
        }
    }

    fn read_array<const N: usize>(&self, name: &str, offset: u64) -> Result<[u8; N], StoreError> {
        let bytes = self.read(name, offset, N as u64)?;
        bytes.first_chunk::<N>().copied().ok_or_else(|| StoreError::Missing { path: self.path(name) })
    }

    fn look(&self, mark: Option<Mark>) -> Result<Segments, StoreError> {
        let names = self.files.list(SEALED).map_err(self.io("listing", SEALED))?;
        let mut numbers: Vec<u64> = names.iter().filter_map(|name| segment::number(name)).collect();
        numbers.sort_unstable();
        let marked = mark.map_or(0, |mark| mark.bundles);
        let mut segments = Segments { bundles: marked, ..Segments::default() };
        let (mut first, mut before, mut last_seal) = (0_u64, [0; 32], None);
        for (expected, number) in (0_u64..).zip(&numbers) {
            if *number != expected {
                return Err(StoreError::Missing { path: self.path(&segment::name(expected)) });
            }
            let is_last = expected.saturating_add(1) == numbers.len() as u64;
            let Some((header, file_len)) = self.header(*number, first, before, is_last && marked <= first)? else {
                break;
            };
            match self.footer(&header, file_len)? {
                Some((finished, seal)) => {
                    (first, before, last_seal) = (first.saturating_add(finished.rows), finished.hash, Some(seal));
                    if first > marked {
                        return Err(StoreError::SegmentAhead {
                            path: self.path(&segment::name(*number)),
                            bundles: first,
                            marked,
                        });
                    }
                    segments.finished.push(finished);
                }
                None if is_last => {
                    let open = self.walk(header, file_len, marked)?;
                    last_seal = open.rows.last().map(|(_, seal)| *seal).or(last_seal);
                    first = open.end();
                    segments.open = Some(open);
                }
                None => return Err(self.damaged(*number, Some(first), "its footer is missing or damaged")),
            }
        }
        if first < marked {
            let next = segments.finished.len() as u64;
            return Err(StoreError::Missing { path: self.path(&segment::name(next)) });
        }
        if let Some(mark) = mark
            && last_seal != Some(mark.seal)
        {
            let number = numbers.len().saturating_sub(1) as u64;
            return Err(self
                .foreign(number, format!("bundle {} is not the one that was sealed", mark.bundles.saturating_sub(1))));
        }
        Ok(segments)
    }

    /// A segment's header and its file's length; `None` for one that was only begun and may hold any bytes.
    fn header(
        &self,
        number: u64,
        first: u64,
        before: FooterHash,
        may_be_begun: bool,
    ) -> Result<Option<(Header, u64)>, StoreError> {
        let name = segment::name(number);
        let len = match self.files.len(&name) {
            Err(e) if e.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Missing { path: self.path(&name) });
            }
            other => other.map_err(self.io("looking at", &name))?,
        };
        let bytes = self.read(&name, 0, len.min(HEADER as u64))?;
        let header = match Header::decode(&bytes) {
            Ok(header) => header,
            Err(NoHeader::Version(found)) => {
                return Err(StoreError::SegmentVersion { path: self.path(&name), found, supported: "fssegm01" });
            }
            Err(NoHeader::Damaged) if may_be_begun => return Ok(None),
            Err(NoHeader::Damaged) => {
                return Err(self.damaged(number, Some(first), "its header does not match its seal"));
            }
        };
        if header.number != number {
            return Err(self.foreign(number, format!("it is segment {}", header.number)));
        }
        if header.first != first || header.before != before {
            return Err(self
                .foreign(number, format!("it does not follow the segment before it, which ends with bundle {first}")));
        }
        Ok(Some((header, len)))
    }

    /// The footer of a finished segment and the seal of its last frame; `None` if there is no whole footer.
    fn footer(&self, header: &Header, file_len: u64) -> Result<Option<(Finished, Seal)>, StoreError> {
        let name = segment::name(header.number);
        let Some(trailer_at) = file_len.checked_sub(TRAILER as u64).filter(|at| *at >= HEADER as u64) else {
            return Ok(None);
        };
        let Some(rows) = segment::rows_in(&self.read_array(&name, trailer_at)?) else { return Ok(None) };
        let len = segment::footer_len(rows);
        let Some(table) = file_len.checked_sub(len).filter(|table| *table >= HEADER as u64) else { return Ok(None) };
        let Some((hash, rows)) = segment::decode_footer(header, &self.read(&name, table, len)?) else {
            return Ok(None);
        };
        let Some((_, seal)) = rows.last().copied() else { return Ok(None) };
        let ordered =
            rows.is_sorted_by(|a, b| a.0 < b.0) && rows.last().is_some_and(|(last, _)| u64::from(*last) < table);
        if !ordered {
            return Err(self.damaged(
                header.number,
                Some(header.first),
                "the offsets in its footer do not follow each other",
            ));
        }
        Ok(Some((Finished { first: header.first, rows: rows.len() as u64, table, hash }, seal)))
    }

    /// Walks the frames of the open segment up to the mark, by their lengths, and checks the last seals.
    fn walk(&self, header: Header, file_len: u64, marked: u64) -> Result<Open, StoreError> {
        let (name, number) = (header_name(&header), header.number);
        let mut open = Open { len: HEADER as u64, rows: Vec::new(), header };
        while open.end() < marked {
            let cut = StoreError::SegmentCut { path: self.path(&name), have: open.end(), wanted: marked };
            if open.len.saturating_add(FRAME_HEAD as u64) > file_len {
                return Err(cut);
            }
            let Some((frame, seal)) = bundle::frame_head(&self.read_array(&name, open.len)?) else {
                return Err(self.damaged(number, Some(open.end()), "a frame has a length that no frame has"));
            };
            let end = open.len.saturating_add(frame);
            if end > file_len {
                return Err(cut);
            }
            let Ok(offset) = u32::try_from(open.len) else {
                return Err(self.damaged(number, Some(open.end()), "it is longer than a segment can be"));
            };
            open.rows.push((offset, seal));
            open.len = end;
        }
        for (at, (offset, seal)) in open.rows.iter().enumerate().skip(open.rows.len().saturating_sub(TAIL)) {
            let end = open.rows.get(at.saturating_add(1)).map_or(open.len, |(next, _)| u64::from(*next));
            let frame = self.read(&name, u64::from(*offset), end.saturating_sub(u64::from(*offset)))?;
            let bundle = open.header.first.saturating_add(at as u64);
            if !bundle::seal_holds(bundle, &frame, seal) {
                return Err(self.damaged(number, Some(bundle), "a bundle does not match its seal"));
            }
        }
        Ok(open)
    }

    fn segments<T>(&self, read: impl FnOnce(&Segments) -> T) -> T {
        // Every change is complete, so a poisoned lock still guards a whole value.
        read(&self.segments.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// The number of sealed bundles.
    pub fn bundles(&self) -> u64 {
        self.segments(|segments| segments.bundles)
    }

    /// The open segment, or, if there is none, the header of the next.
    pub fn open_segment(&self) -> (Option<Open>, Header) {
        self.segments(|segments| {
            let last = segments.finished.last();
            let next = Header {
                number: segments.finished.len() as u64,
                first: last.map_or(0, |last| last.first.saturating_add(last.rows)),
                before: last.map_or([0; 32], |last| last.hash),
            };
            (segments.open.clone(), next)
        })
    }

    /// Replaces the open segment's state; readers then find its bundles.
    pub fn advance(&self, open: Open) {
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        segments.bundles = open.end();
        segments.open = Some(open);
    }

    /// Marks the open segment as finished, with this footer's hash.
    pub fn finish(&self, open: &Open, hash: FooterHash) {
        let mut segments = self.segments.write().unwrap_or_else(PoisonError::into_inner);
        segments.open = None;
        segments.finished.push(Finished {
            first: open.header.first,
            rows: open.rows.len() as u64,
            table: open.len,
            hash,
        });
    }

    fn span(&self, bundle: u64) -> Result<Option<BundleSpan>, StoreError> {
        enum Found {
            Known(BundleSpan),
            Row { name: String, at: u64, table: u64, is_last: bool },
        }
        let found = self.segments(|segments| {
            if bundle >= segments.bundles {
                return None;
            }
            if let Some(open) = segments.open.as_ref().filter(|open| bundle >= open.header.first) {
                let row = usize::try_from(bundle.checked_sub(open.header.first)?).ok()?;
                let (offset, seal) = *open.rows.get(row)?;
                let end = open.rows.get(row.checked_add(1)?).map_or(open.len, |(next, _)| u64::from(*next));
                return Some(Found::Known(BundleSpan { name: open.name(), offset: offset.into(), end, seal }));
            }
            let number = segments.finished.partition_point(|segment| segment.first <= bundle).checked_sub(1)?;
            let segment = segments.finished.get(number)?;
            let row = bundle.checked_sub(segment.first)?;
            let is_last = row.checked_add(1)? == segment.rows;
            let at = segment.table.checked_add(row.checked_mul(ROW as u64)?)?;
            Some(Found::Row { name: segment::name(number as u64), at, table: segment.table, is_last })
        });
        Ok(match found {
            None => None,
            Some(Found::Known(span)) => Some(span),
            Some(Found::Row { name, at, table, is_last }) => {
                let (offset, seal) = segment::decode_row(&self.read_array(&name, at)?);
                let end = match is_last {
                    true => table,
                    false => segment::decode_row(&self.read_array(&name, at.saturating_add(ROW as u64))?).0.into(),
                };
                Some(BundleSpan { name, offset: offset.into(), end, seal })
            }
        })
    }

    /// Reads a sealed bundle without the cache; `None` if it is not sealed.
    fn fetch(&self, bundle: u64) -> Result<Option<Bundle>, StoreError> {
        let Some(BundleSpan { name, offset, end, seal }) = self.span(bundle)? else { return Ok(None) };
        let wrong = |what: &str| StoreError::SegmentDamaged {
            path: self.path(&name),
            at: bundle.checked_mul(BUNDLE),
            what: what.to_owned(),
        };
        let len = end.checked_sub(offset).filter(|len| *len <= MAX_FRAME as u64);
        let len = len.ok_or_else(|| wrong("a frame has a length that no frame has"))?;
        let frame = self.read(&name, offset, len)?;
        bundle::unpack(bundle, &frame, &seal).map(Some).ok_or_else(|| wrong("a bundle does not match its seal"))
    }

    /// A sealed bundle; `None` if it is not sealed.
    pub fn bundle(&self, bundle: u64) -> Result<Option<Arc<Bundle>>, StoreError> {
        if let Some(known) = self.cache.get(bundle) {
            return Ok(Some(known));
        }
        let found = self.fetch(bundle)?.map(Arc::new);
        if let Some(found) = &found {
            self.cache.keep(bundle, found.clone());
        }
        Ok(found)
    }

    /// Reads back a frame that was just appended, without any cache of ours.
    pub fn read_back(&self, open: &Open, row: usize) -> Result<Bundle, StoreError> {
        let bundle = open.header.first.saturating_add(row as u64);
        let wrong = || self.damaged(open.header.number, Some(bundle), "what was written does not read back");
        let (offset, seal) = *open.rows.get(row).ok_or_else(wrong)?;
        let end = open.rows.get(row.saturating_add(1)).map_or(open.len, |(next, _)| u64::from(*next));
        let frame = self.read(&open.name(), offset.into(), end.saturating_sub(offset.into()))?;
        bundle::unpack(bundle, &frame, &seal).ok_or_else(wrong)
    }

    /// Reads all sealed data: every header, footer and seal. `progress` gets the number of bundles done and in all, and
    /// may stop it.
    pub fn verify(&self, mut progress: impl FnMut(u64, u64) -> ControlFlow<()>) -> Result<(), StoreError> {
        let (finished, bundles) = self.segments(|segments| (segments.finished.len() as u64, segments.bundles));
        let (mut first, mut before) = (0, [0; 32]);
        for number in 0..finished {
            let Some((header, len)) = self.header(number, first, before, false)? else { break };
            let Some((found, _)) = self.footer(&header, len)? else {
                return Err(self.damaged(number, Some(first), "its footer is missing or damaged"));
            };
            (first, before) = (first.saturating_add(found.rows), found.hash);
        }
        for bundle in 0..bundles {
            self.fetch(bundle)?;
            if progress(bundle.saturating_add(1), bundles).is_break() {
                return Ok(());
            }
        }
        Ok(())
    }
}

fn header_name(header: &Header) -> String {
    segment::name(header.number)
}
