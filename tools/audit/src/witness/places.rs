//! The connections that a witness has open. *Eleven hundred slow bodies of one address silenced it, and a house that
//! takes no bets without a witness stood still.*

use actix_web::rt::spawn;
use actix_web::rt::task::JoinHandle;
use actix_web::rt::time::timeout;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::net::IpAddr;
use std::time::Duration;

/// How many are open at once, if the process may open twice as many files. *If each of many addresses opens one, the
/// oldest goes, which may be the house's. The more there are, the longer it stays.*
const MOST: usize = 1024;

/// How long one may last: time to send its one request and to read the reply.
const LASTS: Duration = Duration::from_secs(10);

/// Connections in the order in which they came. See the module.
pub struct Places {
    open: RefCell<Vec<(IpAddr, JoinHandle<()>)>>,
    most: usize,
}

impl Places {
    /// As many as half of the files that the process may open: connections that are ending have files, too.
    pub fn new() -> Places {
        let limit = getrlimit(Resource::Nofile);
        let raised = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, maximum: limit.maximum });
        let files = if raised.is_ok() { limit.maximum } else { limit.current };
        let half = files.map_or(MOST, |files| usize::try_from(files / 2).unwrap_or(MOST));
        Places { open: RefCell::default(), most: half.clamp(1, MOST) }
    }

    /// Gives a place to a connection of this address until it is over or its time is. If all are taken, the oldest of
    /// the address that has most makes room: a flood ends its own.
    pub fn take(&self, from: IpAddr, connection: impl Future + 'static) {
        let mut open = self.open.borrow_mut();
        open.retain(|(_, connection)| !connection.is_finished());
        if open.len() >= self.most {
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
