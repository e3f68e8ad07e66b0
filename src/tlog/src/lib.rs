//! The public log's formats: the bytes that are hashed, signed, served and handed out as receipts.
//!
//! Owns: the RFC 6962 tree and its proofs, tiles and entry bundles (c2sp.org/tlog-tiles), signed notes
//! and checkpoints, cosignatures, the witness protocol's requests, receipts (c2sp.org/tlog-proof) and trust policies.
//! Does not own: an entry's meaning, storage, serving, or any clock; a caller brings entries, tiles and times. This
//! crate does no I/O and draws no randomness.
//!
//! Specified in `spec/log.md` and `spec/receipts.md`; those two pages are enough to write a verifier.
#![forbid(unsafe_code)]

mod accumulator;
mod bundle;
mod checkpoint;
mod cosignature;
mod edge;
mod hash;
mod key;
mod note;
mod path;
mod policy;
mod policy_parse;
mod proof;
mod receipt;
mod signature;
mod text;
mod tile;
mod tree;
mod witness;

pub use accumulator::RootAccumulator;
pub use bundle::{BundleError, EntryBundle, MAX_BUNDLE_ENTRIES, MAX_ENTRY};
pub use checkpoint::{Checkpoint, CheckpointError, own_time, verify_checkpoint};
pub use cosignature::{Cosigner, MAX_COSIGNATURE_TIME, cosignature_in};
pub use edge::{edge_of_size, root_of_edge};
pub use hash::{EMPTY_ROOT, Hash, HashError, leaf_hash, node_hash};
pub use key::{KeyError, KeyType, MAX_KEY_NAME, Signer, VerifierKey};
pub use note::{MAX_NOTE, MAX_SIGNATURES, Note, NoteError, NoteSignature, VerifiedSignature};
pub use path::{PathError, TilePath, bundles_for_size, tiles_for_size};
pub use policy::{Cosigned, MAX_POLICY, MAX_POLICY_NAMES, Policy, PolicyLog, PolicyWitness, VerifiedCheckpoint};
pub use policy_parse::PolicyError;
pub use proof::{MAX_PROOF, ProofError, prefix_root, verify_consistency, verify_inclusion};
pub use receipt::{MAX_EXTRA, MAX_RECEIPT, ReceiptError, TlogProof, Verified};
pub use signature::{PublicKey, SecretKey};
pub use text::{base64_decode, base64_encode};
pub use tile::{NoTiles, TILE_WIDTH, TileError, TileNodes, TileReader};
pub use tree::{CompletedTile, Tree, TreeError};
pub use witness::{
    AddCheckpoint, LastCosigned, MAX_ADD_CHECKPOINT, MalformedRequest, WitnessRefusal, admit, conflict_size,
    requested_origin,
};
