//! The log's tiles, read once for all players, for proofs that no reply brings.

use crate::check::{Flaw, Node, OnLog, consistency_nodes, fold_nodes, inclusion_nodes};
use crate::client::{Request, Token};
use crate::failure::Failure;
use crate::link::{Link, refused};
use fairshoe_tlog::{Checkpoint, Hash, TileNodes, TilePath, verify_consistency, verify_inclusion};
use std::collections::HashMap;
use std::sync::Arc;
use tokio::sync::Mutex;

/// The number of tiles kept: full ones never change; those at the edge are needed by every player with the same
/// checkpoint.
const MAX_TILES: usize = 512;

/// The log's tiles; see the module.
#[derive(Default)]
pub struct Tiles(Mutex<HashMap<TilePath, Arc<TileNodes>>>);

impl Tiles {
    /// Proves that an entry proven before is also in the log of this checkpoint.
    ///
    /// # Errors
    /// [`Failure`]; a proof that fails is a flaw.
    pub async fn prove_entry(
        &self,
        link: &mut Link,
        token: &Token,
        on_log: &OnLog,
        in_log: &Arc<Checkpoint>,
    ) -> Result<OnLog, Failure> {
        let path = self.hashes(link, token, inclusion_nodes(on_log.index, in_log.size)).await?;
        let proven = verify_inclusion(&on_log.leaf, on_log.index, in_log.size, &path, &in_log.root);
        let flaw = |error| Failure::Flaw("the log's tiles".into(), Flaw::Inclusion(on_log.index, error));
        proven.map_err(flaw)?;
        Ok(OnLog { checkpoint: in_log.clone(), ..on_log.clone() })
    }

    /// Proves that the log of the newer checkpoint begins with that of the older.
    ///
    /// # Errors
    /// As [`Tiles::prove_entry`].
    pub async fn prove_extension(
        &self,
        link: &mut Link,
        token: &Token,
        old: &Checkpoint,
        new: &Checkpoint,
    ) -> Result<(), Failure> {
        let proof = self.hashes(link, token, consistency_nodes(old.size, new.size)).await?;
        let flaw = |error| Flaw::NotConsistent(old.size, new.size, error);
        verify_consistency(old.size, new.size, &old.root, &new.root, &proof)
            .map_err(|error| Failure::Flaw("the log's tiles".into(), flaw(error)))
    }

    async fn hashes(&self, link: &mut Link, token: &Token, proof: Vec<Vec<Node>>) -> Result<Vec<Hash>, Failure> {
        let mut hashes = Vec::with_capacity(proof.len());
        for nodes in proof {
            let mut parts: Vec<Hash> = Vec::with_capacity(nodes.len());
            for node in nodes {
                let tile = self.read(link, token, node.tile).await?;
                let missing = || Failure::Reply(format!("GET /{}", node.tile), "a node is missing".into());
                parts.push(tile.node(node.height, node.position).ok_or_else(missing)?);
            }
            hashes.extend(fold_nodes(parts.into_iter()));
        }
        Ok(hashes)
    }

    async fn read(&self, link: &mut Link, token: &Token, tile: TilePath) -> Result<Arc<TileNodes>, Failure> {
        if let Some(known) = self.0.lock().await.get(&tile) {
            return Ok(known.clone());
        }
        let request = Request::get(format!("/{tile}")).token(token);
        let answer = link.call(&request).await?;
        if !answer.reply.is_success() {
            return Err(refused(&request, &answer.reply));
        }
        let nodes = TileNodes::from_bytes(&answer.reply.body);
        let nodes = Arc::new(nodes.map_err(|e| Failure::Reply(request.name(), e.to_string()))?);
        let mut known = self.0.lock().await;
        if known.len() >= MAX_TILES {
            known.clear();
        }
        known.insert(tile, nodes.clone());
        Ok(nodes)
    }
}
