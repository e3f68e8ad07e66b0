//! The connections that a witness has open. *Eleven hundred slow bodies of one address silenced it, and a house that
//! takes no bets without a witness stood still.*

use actix_web::rt::spawn;
use actix_web::rt::task::JoinHandle;
use actix_web::rt::time::timeout;
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

/// How many are open at once.
const MOST: usize = 256;

/// How long one may last: time to send its one request and to read the reply.
const LASTS: Duration = Duration::from_secs(10);

/// Connections in the order in which they came. See the module.
#[derive(Default)]
pub struct Places(RefCell<Vec<(IpAddr, JoinHandle<()>)>>);

impl Places {
    /// Gives a place to a connection of this address until it is over or its time is. If all are taken, the oldest of
    /// the address that has most makes room: a flood ends its own.
    pub fn take(&self, from: IpAddr, connection: impl Future + 'static) {
        let mut open = self.0.borrow_mut();
        open.retain(|(_, connection)| !connection.is_finished());
        if open.len() >= MOST {
            let mut number = HashMap::<IpAddr, usize>::new();
            open.iter().for_each(|(from, _)| *number.entry(*from).or_default() += 1);
            let most = number.values().max();
            if let Some(oldest) = open.iter().position(|(from, _)| number.get(from) == most) {
                open.remove(oldest).1.abort();
            }
        }
        open.push((network(from), spawn(async { drop(timeout(LASTS, connection).await) })));
    }
}

/// An address as it is counted: of IPv6 one customer has a whole /64.
fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(v6) => IpAddr::V6((u128::from(v6) & !u128::from(u64::MAX)).into()),
        v4 => v4,
    }
}
