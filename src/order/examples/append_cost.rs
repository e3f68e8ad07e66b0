//! The cost of a leader's append next to JetStream's own publish with acknowledgement, in the same run: one
//! outstanding, by size. The servers are those of `fairshoe cluster up`, or any three.
//!
//! `cargo run --release -p fairshoe-order --example append_cost -- nats://127.0.0.1:4222 nats://127.0.0.1:4223 nats://127.0.0.1:4224`
#![allow(clippy::unwrap_used, clippy::float_arithmetic, clippy::cast_precision_loss)]

use async_nats::HeaderMap;
use async_nats::header::NATS_EXPECTED_LAST_SEQUENCE;
use fairshoe_order::{Access, JetStream, Message, Order, OrderKey, Servers, Settled, settle};
use fairshoe_tlog::Hash;
use std::time::{Duration, Instant, SystemTime};

/// Appends of each size.
const APPENDS: usize = 1_000;

fn shown(what: &str, size: usize, mut times: Vec<Duration>) -> Duration {
    times.sort();
    let median = times[times.len() / 2];
    let rate = times.len() as f64 / times.iter().sum::<Duration>().as_secs_f64();
    println!("{what:<28} {:>3} KB: p50 {median:?}, p99 {:?}, {rate:.0}/s", size >> 10, times[times.len() * 99 / 100]);
    median
}

fn main() {
    let addresses: Vec<String> = std::env::args().skip(1).collect();
    assert!(addresses.len() >= 3, "the addresses of three servers");
    // A new stream, whose head is known.
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap().as_millis();
    let servers = Servers {
        addresses: addresses.clone(),
        access: Access::default(),
        shard: format!("cost-{now}"),
        node: "cost".into(),
    };
    let (stream, subject) = (servers.stream(), format!("fairshoe.order.{}", servers.shard));
    let order = JetStream::connect(servers).unwrap();
    let key = OrderKey::new(&[7; 32], &stream);
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let context = runtime.block_on(async { async_nats::jetstream::new(async_nats::connect(addresses).await.unwrap()) });
    let mut head = 0;
    for size in [1 << 10, 16 << 10, 64 << 10] {
        let entry = vec![b'x'; size - 512];
        let (mut ours, mut bare) = (Vec::new(), Vec::new());
        // In turns, so that both use the same disks.
        for _ in 0..APPENDS {
            let root = Hash([1; 32]);
            let message =
                Message { size: head, root, root_after: root, entries: vec![entry.clone()], writes: Vec::new() };
            let begun = Instant::now();
            let bytes = message.seal(&key, head).unwrap();
            assert_eq!(settle(&order, head, &bytes, &mut || true), Ok(Settled::Accepted));
            ours.push(begun.elapsed());
            head += 1;
            let begun = Instant::now();
            let mut headers = HeaderMap::new();
            headers.insert(NATS_EXPECTED_LAST_SEQUENCE, head.to_string());
            runtime.block_on(async {
                context.publish_with_headers(subject.clone(), headers, bytes.into()).await.unwrap().await.unwrap();
            });
            bare.push(begun.elapsed());
            head += 1;
        }
        let (ours, bare) =
            (shown("an append, sealed and settled", size, ours), shown("JetStream's own publish", size, bare));
        println!("{:<28} {:>3} KB: {:.2} ×", "", size >> 10, ours.as_secs_f64() / bare.as_secs_f64());
    }
    assert_eq!(order.head(), Ok(head));
}
