//! A witness that cosigns what extends the tree it has seen, and stalls by chance. A second history of the log does not
//! get past it.

use fairshoe::parts::Archive;
use fairshoe_tlog::{AddCheckpoint, LastCosigned, VerifierKey, admit};

/// See the module.
#[derive(Default)]
pub struct Witness {
    seen: Option<LastCosigned>,
    /// When it cosigned last, milliseconds.
    pub cosigned: u64,
    /// It does not answer before that.
    pub stalls_until: u64,
}

impl Witness {
    /// It is shown the newest checkpoint.
    pub fn look(&mut self, archive: &Archive, key: &VerifierKey, now: u64) -> Result<(), String> {
        if now < self.stalls_until {
            return Ok(());
        }
        let published = archive.current();
        let old_size = self.seen.map_or(0, |seen| seen.size);
        if published.size() < old_size {
            return Err(format!(
                "two histories: the log has {} entries, a witness has cosigned {old_size}",
                published.size()
            ));
        }
        let proof = if old_size == 0 || old_size == published.size() {
            Vec::new()
        } else {
            published
                .tree
                .consistency_proof(old_size, published.size(), archive.tiles.as_ref())
                .map_err(|e| e.to_string())?
        };
        let request = AddCheckpoint { old_size, proof, checkpoint: published.checkpoint.clone() };
        let (checkpoint, _) =
            admit(&request, key, self.seen).map_err(|refusal| format!("two histories: a witness says {refusal}"))?;
        self.seen = Some(LastCosigned { size: checkpoint.size, root: checkpoint.root });
        self.cosigned = now;
        Ok(())
    }

    /// Whether it has cosigned so many entries: then it notices when one is gone.
    pub fn has_seen(&self, size: u64) -> bool {
        self.seen.is_some_and(|seen| seen.size >= size)
    }

    /// Whether a log that starts now is not the one it has seen: then the service refuses to start.
    pub fn contradicts(&self, archive: &Archive) -> bool {
        let (Some(seen), published) = (self.seen, archive.current()) else { return false };
        seen.size > published.size() || published.tree.root_at(seen.size, archive.tiles.as_ref()) != Ok(seen.root)
    }
}
