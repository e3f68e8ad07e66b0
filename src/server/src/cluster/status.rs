//! `fairshoe cluster status ADDRESS…`: who leads, who follows, and how far each node is.

use crate::read::asking::direct;
use fairshoe_api::ClusterView;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Duration;

/// The longest answer that is read, in bytes: a directory of a thousand shards.
const MAX_ANSWER: u64 = 8 << 20;

/// What one node says of itself.
struct Told {
    view: ClusterView,
    size: u64,
}

/// A shard among those that were asked.
#[derive(Default)]
struct Shard {
    leaders: usize,
    longest: u64,
}

/// Asks every node, and says what it found: 0 where all answer, reach their order, and each shard has one that leads; 1
/// where not.
pub fn run(addresses: &[String], as_json: bool) -> ExitCode {
    let agent = agent();
    let told: Vec<(&String, Result<Told, String>)> = addresses
        .iter()
        .map(|address| {
            let size = ask(&agent, address, "/checkpoint").and_then(|note| size_of(&note));
            let view = ask_view(&agent, address);
            (address, size.and_then(|size| Ok(Told { view: view?, size })))
        })
        .collect();
    let mut shards = BTreeMap::<String, Shard>::new();
    for Told { view, size } in told.iter().filter_map(|(_, told)| told.as_ref().ok()) {
        let shard = shards.entry(name(view)).or_default();
        shard.leaders += usize::from(view.leads);
        shard.longest = shard.longest.max(*size);
    }
    let answers = told.iter().all(|(_, told)| told.as_ref().is_ok_and(|told| told.view.is_reached));
    let is_well = answers && shards.values().all(|shard| shard.leaders == 1);
    let behind = |told: &Told| shards.get(&name(&told.view)).map_or(0, |shard| shard.longest - told.size);
    if as_json {
        let nodes: Vec<Value> = told.iter().map(|(address, told)| in_json(address, told, behind)).collect();
        println!("{}", json!({ "well": is_well, "nodes": nodes }));
    } else {
        println!("{:<28} {:<16} {:<20} {:<9} {:>10} {:>8}", "ADDRESS", "SHARD", "NODE", "", "ENTRIES", "BEHIND");
        for (address, told) in &told {
            match told {
                Ok(told) => println!(
                    "{address:<28} {:<16} {:<20} {:<9} {:>10} {:>8}{}",
                    name(&told.view),
                    told.view.node.as_deref().unwrap_or("-"),
                    if told.view.leads { "leads" } else { "follows" },
                    told.size,
                    behind(told),
                    if told.view.is_reached { "" } else { "  does not reach the order" }
                ),
                Err(why) => println!("{address:<28} {why}"),
            }
        }
        for (name, shard) in shards.iter().filter(|(_, shard)| shard.leaders != 1) {
            println!("{name}: {} of these nodes lead, and one should", shard.leaders);
        }
    }
    if is_well { ExitCode::SUCCESS } else { ExitCode::from(1) }
}

/// What a node says of the shards.
pub fn view(address: &str) -> Result<ClusterView, String> {
    ask_view(&agent(), address)
}

fn ask_view(agent: &ureq::Agent, address: &str) -> Result<ClusterView, String> {
    serde_json::from_slice(&ask(agent, address, "/v1/cluster")?).map_err(|e| format!("/v1/cluster: {e}"))
}

/// How many entries are under a node's newest checkpoint, by its word.
fn size_of(note: &[u8]) -> Result<u64, String> {
    let size = std::str::from_utf8(note).ok().and_then(|note| note.lines().nth(1)?.parse().ok());
    size.ok_or_else(|| "/checkpoint: this is no checkpoint".into())
}

fn agent() -> ureq::Agent {
    ureq::Agent::new_with_config(direct().timeout_global(Some(Duration::from_secs(3))).build())
}

fn name(view: &ClusterView) -> String {
    view.shard.clone().unwrap_or_else(|| "(alone)".into())
}

fn in_json(address: &str, told: &Result<Told, String>, behind: impl Fn(&Told) -> u64) -> Value {
    match told {
        Ok(told) => {
            let Told { view, size } = told;
            json!({
                "address": address, "shard": view.shard, "node": view.node, "leads": view.leads,
                "is_reached": view.is_reached, "leader": view.leader, "size": size, "behind": behind(told),
            })
        }
        Err(why) => json!({ "address": address, "error": why }),
    }
}

fn ask(agent: &ureq::Agent, address: &str, path: &str) -> Result<Vec<u8>, String> {
    let scheme = if address.contains("://") { "" } else { "http://" };
    let asked = agent.get(format!("{scheme}{}{path}", address.trim_end_matches('/'))).call();
    let mut reply = asked.map_err(|e| format!("{path}: {e}"))?;
    reply.body_mut().with_config().limit(MAX_ANSWER).read_to_vec().map_err(|e| format!("{path}: {e}"))
}
