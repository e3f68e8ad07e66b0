//! Calls that tell who leads which shard (spec/cluster.md).

use crate::Service;
use crate::edge::problem::Problem;
use crate::write::accepted::json;
use actix_web::http::StatusCode;
use actix_web::{HttpResponse, web};
use fairshoe_api::{ClusterView, ShardView};

/// `GET /v1/cluster`
pub async fn cluster(service: web::Data<Service>) -> Result<HttpResponse, Problem> {
    let alone =
        ClusterView { shard: None, node: None, leads: true, is_reached: true, leader: None, shards: Vec::new() };
    let Some(cluster) = &service.running.cluster else { return json(StatusCode::OK, &alone) };
    let standing = cluster.standing();
    let own = cluster.require_lead(0);
    let leads = own.is_ok();
    let leader = own.map_or_else(|other| other.leader, |()| Some(cluster.settings.address.clone()));
    let shards = standing.shards.into_iter().map(|(shard, lease)| ShardView {
        shard,
        node: lease.node,
        address: lease.address,
        key: lease.key,
        size: lease.size,
        until: lease.until,
        tables: lease.tables,
        has_more_tables: lease.has_more_tables,
    });
    let (shard, node) = (Some(cluster.settings.shard.clone()), Some(cluster.settings.node.clone()));
    let shards = shards.collect();
    json(StatusCode::OK, &ClusterView { shard, node, leads, is_reached: standing.is_reached, leader, shards })
}
