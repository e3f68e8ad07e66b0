//! The leader of each shard, as far as a node knows (openapi.yaml, `ClusterView`).

use serde::{Deserialize, Serialize};

/// `GET /v1/cluster`.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ClusterView {
    /// The shard of this node; absent for a single process.
    pub shard: Option<String>,
    /// The node's name; absent for a single process.
    pub node: Option<String>,
    /// Whether this node leads.
    pub leads: bool,
    /// Whether the order answered the last request.
    pub is_reached: bool,
    /// The leading node's address.
    pub leader: Option<String>,
    /// The last statements of all shards' leaders.
    pub shards: Vec<ShardView>,
}

/// The statement of a shard's leader about itself (openapi.yaml, `ShardView`).
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ShardView {
    /// The shard.
    pub shard: String,
    /// The node; absent if it gave the lead up.
    pub node: Option<String>,
    /// The address for clients.
    pub address: String,
    /// The log's key, by its own statement.
    pub key: String,
    /// The number of entries of its log.
    pub size: u64,
    /// The end of its lead unless it renews it; UTC milliseconds of its clock.
    pub until: u64,
    /// The first of its open tables, by name.
    pub tables: Vec<String>,
    /// Whether it has more of them.
    pub has_more_tables: bool,
}
