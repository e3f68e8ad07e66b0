//! Openings of the faces that the log shows, and of no others.

use crate::read::archive::Archive;
use crate::read::history::index;
use crate::read::index::{IndexError, Shown};
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Opening, Slot, TableId};
use fairshoe_house::Entry;

/// The openings of the faces that a durable entry shows, in its order. `plain` is the shoe whose number need not be
/// named.
pub fn openings_of(archive: &Archive, entry: &Entry, plain: Option<u64>) -> Result<Vec<ShownOpening>, IndexError> {
    let shown = index(archive).shown(entry)?;
    let Some(at) = entry.at.as_ref().filter(|_| !shown.is_empty()) else { return Ok(Vec::new()) };
    Ok(open(archive, &at.table, &shown)?.into_iter().map(|(shoe_no, opening)| named(shoe_no, opening, plain)).collect())
}

fn named(shoe_no: u64, opening: Opening, plain: Option<u64>) -> ShownOpening {
    ShownOpening { opening, shoe_no: Some(shoe_no).filter(|shoe_no| plain != Some(*shoe_no)) }
}

/// Opens faces that the log shows, each with its shoe's number. The caller names only those.
pub fn open(archive: &Archive, table: &TableId, shown: &[Shown]) -> Result<Vec<(u64, Opening)>, IndexError> {
    let mut opened = Vec::new();
    // One shoe's faces at a time: an old shoe is derived once for all of them.
    for faces in shown.chunk_by(|a, b| (a.shoe_no, a.candidate) == (b.shoe_no, b.candidate)) {
        let Some(first) = faces.first() else { continue };
        let Some(id) = index(archive).shoe_id(table, first.shoe_no)? else { continue };
        let slots: Vec<Slot> = faces.iter().map(|face| face.slot).collect();
        opened.extend(
            archive.dealer.open(&id, first.candidate, &slots).into_iter().map(|opening| (first.shoe_no, opening)),
        );
    }
    Ok(opened)
}

/// Whether an entry's text can show a face at all: most do not, and need no reading for it.
pub fn may_show(text: &str) -> bool {
    text.contains("\"card\":") || text.contains("\"spun\":")
}
