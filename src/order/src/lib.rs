//! Decides which append of a shard's log comes next, by an order that several machines replicate (spec/cluster.md).
//!
//! Owns: the order's contract, its messages and leases, and the order in NATS JetStream. Does not own: the choice of
//! leader, the meaning of a message's entries, the time to try. The service owns those (`src/server/src/cluster`).

#![forbid(unsafe_code)]

mod access;
mod lease;
mod memory;
mod message;
mod nats;
mod refusal;
mod settings;

pub use access::Access;
pub use lease::{Lease, LeaseSeen, Leases};
pub use memory::{Faults, MemoryOrder};
pub use message::{MAX_MESSAGE, Message, MessageError, OrderKey};
pub use nats::{JetStream, Servers};
pub use settings::{Unsafe, check_servers};

use thiserror::Error;

/// The result of one call of [`Order::append_if`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Said {
    /// The message has its number for good.
    Accepted,
    /// The order says that another message is last. This is not final: the caller reads the number.
    Refused(String),
    /// There was no answer, or none that decides it.
    Unknown(String),
}

/// The final result of an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settled {
    /// The message has its number.
    Accepted,
    /// Another message has the number.
    Fenced,
}

/// Why an order cannot be used now, or at all.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum OrderError {
    /// The state is unknown; asking again may help.
    #[error("the order does not answer: {0}")]
    Silent(String),
    /// Its servers refuse this node.
    #[error("the servers of the order do not let this node in: {0}")]
    Refused(String),
    /// It is shorter than this node's log: an old answer, or a loss.
    #[error("the order is too short: {0}")]
    Short(String),
    /// It lost accepted messages, or has changed settings.
    #[error("the order is damaged: {0}")]
    Damaged(String),
}

/// One growing sequence of messages, numbered from 1 (spec/cluster.md, "The order's contract").
pub trait Order: Send + Sync {
    /// Gives the message the number `expected + 1`, or no number.
    fn append_if(&self, expected: u64, message: &[u8]) -> Said;

    /// The number of the last message; it may be an earlier one.
    ///
    /// # Errors
    /// [`OrderError`].
    fn head(&self) -> Result<u64, OrderError>;

    /// The message of a number; `None` if it does not exist, as far as is known.
    ///
    /// # Errors
    /// [`OrderError`].
    fn read(&self, number: u64) -> Result<Option<Vec<u8>>, OrderError>;
}

/// Appends until the message's result is known, by the contract: only the same bytes with the same `expected`. `go_on`
/// is called before each further try, and waits in between; if it returns false, the result is unknown.
///
/// # Errors
/// [`OrderError`]; the message may still have its number, or get it later.
pub fn settle(
    order: &dyn Order,
    expected: u64,
    message: &[u8],
    go_on: &mut dyn FnMut() -> bool,
) -> Result<Settled, OrderError> {
    loop {
        let why = match order.append_if(expected, message) {
            Said::Accepted => return Ok(Settled::Accepted),
            Said::Refused(why) | Said::Unknown(why) => why,
        };
        // *A server that is cut off refuses because of a message that is not settled*: the stored message decides.
        match order.read(expected + 1) {
            Ok(Some(there)) if there == message => return Ok(Settled::Accepted),
            Ok(Some(_)) => return Ok(Settled::Fenced),
            Err(damaged @ OrderError::Damaged(_)) => return Err(damaged),
            Ok(None) | Err(OrderError::Silent(_) | OrderError::Refused(_) | OrderError::Short(_)) => {}
        }
        if !go_on() {
            return Err(OrderError::Silent(why));
        }
    }
}

/// The message of a number that must exist, if the order is at least that long.
///
/// # Errors
/// [`OrderError::Damaged`] if a message is missing at or below the head.
pub fn read_next(order: &dyn Order, number: u64) -> Result<Option<Vec<u8>>, OrderError> {
    if let Some(message) = order.read(number)? {
        return Ok(Some(message));
    }
    let head = order.head()?;
    if head < number {
        return Ok(None);
    }
    // It may have arrived since the request.
    let late = order.read(number)?;
    let missing = || OrderError::Damaged(format!("message {number} is missing, and the last one is {head}"));
    late.map(Some).ok_or_else(missing)
}

/// The number of the message that begins at a log of so many entries: a node continues there. One beyond the last, if
/// the node has all.
///
/// # Errors
/// [`OrderError::Short`] if the node's log is longer than the order; [`OrderError::Damaged`] if it ends before the
/// order begins, or the order is not whole; and as [`Order`].
pub fn place_of(order: &dyn Order, key: &OrderKey, size: u64) -> Result<u64, OrderError> {
    let open = |number: u64| -> Result<Message, OrderError> {
        let bytes = read_next(order, number)?
            .ok_or_else(|| OrderError::Damaged(format!("message {number} is missing below the last one")))?;
        Message::open(key, number - 1, &bytes).map_err(|why| OrderError::Damaged(format!("message {number}: {why}")))
    };
    let head = order.head()?;
    if head == 0 {
        let missing = || OrderError::Short(format!("it is empty, and this node's log has {size} entries"));
        return if size == 0 { Ok(1) } else { Err(missing()) };
    }
    let (first, last) = (open(1)?, open(head)?);
    if size < first.size {
        return Err(OrderError::Damaged(format!(
            "it begins at a log of {} entries, this node has {size}: a copy of another node's log comes first",
            first.size
        )));
    }
    if size > last.size_after() {
        return Err(OrderError::Short(format!(
            "it ends at a log of {} entries, and this node has {size}: the order lost what this node has acknowledged",
            last.size_after()
        )));
    }
    if size == last.size_after() {
        return Ok(head + 1);
    }
    // The greatest number whose message begins at so many entries or fewer.
    let (mut low, mut high) = (1, head);
    while low < high {
        let middle = low + (high - low).div_ceil(2);
        if open(middle)?.size <= size { low = middle } else { high = middle - 1 }
    }
    if open(low)?.size == size {
        return Ok(low);
    }
    Err(OrderError::Damaged(format!("no message begins at a log of {size} entries, which this node has")))
}
