//! What a witness knows and keeps: its key, and of each log the last checkpoint it cosigned, durable before the
//! cosignature is given (spec/log.md, "Witnesses"; c2sp.org/tlog-witness).

use crate::durable::{failed, own_folder, replace};
use crate::outcome::UnusableInput;
use fairshoe_tlog::{
    AddCheckpoint, Cosigner, Hash, KeyType, LastCosigned, VerifierKey, WitnessRefusal, admit, requested_origin,
    verify_checkpoint,
};
use sha2::{Digest, Sha256};
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// What a witness knows and keeps: its key, the logs it follows, the last checkpoint it cosigned of each.
///
/// A checkpoint is stored, synced and renamed into place before its cosignature leaves: a witness that forgets could be
/// led to cosign a fork. The folder is locked, so that no two processes answer for one key.
pub struct Memory {
    folder: PathBuf,
    cosigner: Cosigner,
    logs: Vec<Followed>,
    /// Held for as long as the witness runs.
    _lock: File,
}

struct Followed {
    key: VerifierKey,
    file: PathBuf,
    seen: Option<LastCosigned>,
}

/// Why a request got no cosignature.
#[derive(Debug)]
pub enum NotCosigned {
    /// The rules of the protocol.
    Refused(WitnessRefusal),
    /// The witness's own disk or clock: nothing was cosigned.
    Failed(String),
}

impl Memory {
    /// Opens the folder, makes the key on the first start, and reads what was cosigned before.
    pub fn open(folder: &Path, name: &str, logs: Vec<VerifierKey>) -> Result<Memory, UnusableInput> {
        let lock = own_folder(folder, "witness")?;
        let cosigner = Cosigner::new(name, &seed(&folder.join("witness.key"))?)
            .map_err(|e| UnusableInput::new(format!("--name {name}: {e}")))?;
        let logs = logs.into_iter().map(|key| Followed::open(folder, key)).collect::<Result<Vec<_>, _>>()?;
        Ok(Memory { folder: folder.to_owned(), cosigner, logs, _lock: lock })
    }

    /// The key that cosignatures verify with.
    pub fn verifier_key(&self) -> &VerifierKey {
        self.cosigner.verifier_key()
    }

    /// The logs followed, each with the size last cosigned.
    pub fn logs(&self) -> impl Iterator<Item = (&VerifierKey, u64)> {
        self.logs.iter().map(|log| (&log.key, log.seen.map_or(0, |seen| seen.size)))
    }

    /// The last checkpoint cosigned of a log, as it was signed.
    pub fn last(&self, origin: &str) -> Option<Vec<u8>> {
        let log = self.logs.iter().find(|log| log.key.name() == origin && log.seen.is_some())?;
        fs::read(&log.file).ok()
    }

    /// The same by the hash of the log's name, in hexadecimal, as monitors ask for it (c2sp.org/tlog-witness).
    pub fn last_by_hash(&self, hash: &str) -> Option<Vec<u8>> {
        let is_asked = |log: &&Followed| hex::encode(Sha256::digest(log.key.name())) == hash;
        self.last(self.logs.iter().find(is_asked)?.key.name())
    }

    /// Checks a request and, if it may, stores its checkpoint and gives the cosignature line.
    pub fn add_checkpoint(&mut self, request: &AddCheckpoint) -> Result<String, NotCosigned> {
        let origin = requested_origin(request).map_err(NotCosigned::Refused)?;
        let log = self.logs.iter_mut().find(|log| log.key.name() == origin);
        let log = log.ok_or(NotCosigned::Refused(WitnessRefusal::UnknownLog))?;
        let (checkpoint, text) = admit(request, &log.key, log.seen).map_err(NotCosigned::Refused)?;
        let time =
            SystemTime::now().duration_since(UNIX_EPOCH).map_err(|e| NotCosigned::Failed(e.to_string()))?.as_secs();
        let line = self.cosigner.cosign(&text, time).map_err(|e| NotCosigned::Failed(e.to_string()))?;
        let io = |e: std::io::Error| NotCosigned::Failed(format!("{}: {e}", self.folder.display()));
        let seen = Some(LastCosigned { size: checkpoint.size, root: checkpoint.root });
        // *Anyone can send the newest again, and each time the disk would be waited for.*
        if log.seen != seen {
            replace(&log.file, request.checkpoint.as_bytes()).map_err(io)?;
            log.seen = seen;
        }
        Ok(line)
    }
}

impl Followed {
    fn open(folder: &Path, key: VerifierKey) -> Result<Followed, UnusableInput> {
        if key.key_type() != KeyType::Ed25519 {
            return Err(UnusableInput::new(format!("{key} is a witness's key, not a log's")));
        }
        // A log's name may hold what a file's may not; its hash does not.
        let Hash(digest) = fairshoe_tlog::leaf_hash(key.name().as_bytes());
        let short: String = digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect();
        let file = folder.join(format!("{short}.checkpoint"));
        let seen = match fs::read_to_string(&file) {
            Ok(text) => {
                let checkpoint = verify_checkpoint(&text, &key).map_err(|e| {
                    UnusableInput::new(format!(
                        "{} does not hold a checkpoint of {key}: {e}. It was changed by somebody else",
                        file.display()
                    ))
                })?;
                Some(LastCosigned { size: checkpoint.size, root: checkpoint.root })
            }
            Err(e) if e.kind() == std::io::ErrorKind::NotFound => None,
            Err(e) => return Err(failed(&file)(e)),
        };
        Ok(Followed { key, file, seen })
    }
}

/// The secret seed, made on the first start.
fn seed(path: &Path) -> Result<[u8; 32], UnusableInput> {
    let mut text = String::new();
    match File::open(path) {
        Ok(mut file) => {
            file.read_to_string(&mut text).map_err(failed(path))?;
        }
        Err(e) if e.kind() == std::io::ErrorKind::NotFound => {
            let mut fresh = [0; 32];
            getrandom::fill(&mut fresh)
                .map_err(|e| UnusableInput::new(format!("the system gives no random bytes: {e}")))?;
            text = fresh.iter().map(|byte| format!("{byte:02x}")).collect::<String>() + "\n";
            replace(path, text.as_bytes()).map_err(failed(path))?;
        }
        Err(e) => return Err(failed(path)(e)),
    }
    let digits = text.trim();
    let byte = |at: usize| digits.get(2 * at..2 * at + 2).and_then(|pair| u8::from_str_radix(pair, 16).ok());
    let bytes: Option<Vec<u8>> = (0..32).map(byte).collect();
    let seed = bytes.and_then(|bytes| <[u8; 32]>::try_from(bytes).ok()).filter(|_| digits.len() == 64);
    seed.ok_or_else(|| UnusableInput::new(format!("{} must hold 64 hexadecimal digits", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_tlog::{NoTiles, Note, Signer, Tree, leaf_hash};

    fn log(size: u64) -> (Tree, Signer) {
        let mut tree = Tree::new();
        for n in 0..size {
            tree.append(leaf_hash(&n.to_be_bytes()));
        }
        (tree, Signer::new("log.example/m", &[9; 32]).unwrap())
    }

    fn request(old_size: u64, size: u64) -> AddCheckpoint {
        let (tree, signer) = log(size);
        let proof = if old_size == 0 { Vec::new() } else { tree.consistency_proof(old_size, size, &NoTiles).unwrap() };
        AddCheckpoint { old_size, proof, checkpoint: signer.sign_checkpoint(size, tree.root()) }
    }

    #[test]
    fn a_witness_remembers_across_restarts_and_refuses_a_second_process() {
        let folder = tempfile::tempdir().unwrap();
        let key = log(0).1.verifier_key().clone();
        let mut memory = Memory::open(folder.path(), "witness.example/m", vec![key.clone()]).unwrap();
        let line = memory.add_checkpoint(&request(0, 5)).unwrap();
        let signed = request(0, 5).checkpoint + &line;
        let known = [memory.verifier_key().clone()];
        assert_eq!(Note::parse(signed.as_bytes(), 10_000).unwrap().verified(&known).unwrap().len(), 1);
        assert!(Memory::open(folder.path(), "witness.example/m", vec![key.clone()]).is_err());
        let before = memory.verifier_key().to_string();
        drop(memory);

        let mut memory = Memory::open(folder.path(), "witness.example/m", vec![key.clone()]).unwrap();
        assert_eq!(memory.verifier_key().to_string(), before);
        assert!(matches!(
            memory.add_checkpoint(&request(0, 7)),
            Err(NotCosigned::Refused(WitnessRefusal::Conflict(5)))
        ));
        memory.add_checkpoint(&request(5, 7)).unwrap();
        assert_eq!(memory.last("log.example/m"), Some(request(0, 7).checkpoint.into_bytes()));
        let hash = hex::encode(Sha256::digest("log.example/m"));
        assert_eq!(memory.last_by_hash(&hash), memory.last("log.example/m"));
        assert_eq!(memory.last_by_hash(&hash[1..]), None);
        drop(memory);

        let file = fs::read_dir(folder.path())
            .unwrap()
            .flatten()
            .find(|e| e.path().extension().is_some_and(|e| e == "checkpoint"));
        fs::write(file.unwrap().path(), request(0, 7).checkpoint.replace("7\n", "6\n")).unwrap();
        assert!(Memory::open(folder.path(), "witness.example/m", vec![key]).is_err());
    }
}
