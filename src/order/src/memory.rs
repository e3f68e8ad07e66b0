//! An order in memory, with the faults that a replicated one has: for tests and the simulator.

use crate::{LeaseSeen, Leases, Order, OrderError, Said};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The faults of a call; the tester draws them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// The request does not arrive.
    pub is_lost: bool,
    /// The answer does not arrive.
    pub is_unanswered: bool,
    /// A server is asked that lacks the newest messages, and refuses because of a message that is not settled.
    pub behind: u64,
}

#[derive(Default)]
struct Kept {
    messages: Vec<Vec<u8>>,
    lease: Option<LeaseSeen>,
}

/// An order in memory; see the module.
pub struct MemoryOrder {
    kept: Mutex<Kept>,
    faults: Box<dyn Fn() -> Faults + Send + Sync>,
    clock: Box<dyn Fn() -> u64 + Send + Sync>,
}

impl Default for MemoryOrder {
    fn default() -> Self {
        MemoryOrder::with(Faults::default, || 0)
    }
}

impl MemoryOrder {
    /// An order with the faults of each call, and the clock that stamps leases.
    pub fn with(
        faults: impl Fn() -> Faults + Send + Sync + 'static,
        clock: impl Fn() -> u64 + Send + Sync + 'static,
    ) -> Self {
        MemoryOrder { kept: Mutex::default(), faults: Box::new(faults), clock: Box::new(clock) }
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// All messages, unchanged.
    pub fn messages(&self) -> Vec<Vec<u8>> {
        self.lock().messages.clone()
    }

    /// Changes the stored messages, as a fault of a disk would.
    pub fn damage(&self, change: impl FnOnce(&mut Vec<Vec<u8>>)) {
        change(&mut self.lock().messages);
    }
}

fn silent() -> OrderError {
    OrderError::Silent("lost on the way".into())
}

impl Order for MemoryOrder {
    fn append_if(&self, expected: u64, message: &[u8]) -> Said {
        let faults = (self.faults)();
        if faults.is_lost {
            return Said::Unknown("lost on the way".into());
        }
        let mut kept = self.lock();
        let head = kept.messages.len() as u64;
        if faults.behind > 0 || head != expected {
            return Said::Refused(format!("wrong last sequence: {head}"));
        }
        kept.messages.push(message.to_vec());
        if faults.is_unanswered { Said::Unknown("not answered".into()) } else { Said::Accepted }
    }

    fn head(&self) -> Result<u64, OrderError> {
        let faults = (self.faults)();
        if faults.is_lost || faults.is_unanswered {
            return Err(silent());
        }
        Ok((self.lock().messages.len() as u64).saturating_sub(faults.behind))
    }

    fn read(&self, number: u64) -> Result<Option<Vec<u8>>, OrderError> {
        let faults = (self.faults)();
        if faults.is_lost || faults.is_unanswered {
            return Err(silent());
        }
        let kept = self.lock();
        let known = (kept.messages.len() as u64).saturating_sub(faults.behind);
        let at = usize::try_from(number.saturating_sub(1)).unwrap_or(usize::MAX);
        Ok(kept.messages.get(at).filter(|_| number > 0 && number <= known).cloned())
    }
}

impl Leases for MemoryOrder {
    fn lease(&self) -> Result<Option<LeaseSeen>, OrderError> {
        let faults = (self.faults)();
        if faults.is_lost || faults.is_unanswered { Err(silent()) } else { Ok(self.lock().lease.clone()) }
    }

    fn replace(&self, number: u64, bytes: &[u8]) -> Result<Option<u64>, OrderError> {
        let faults = (self.faults)();
        if faults.is_lost {
            return Err(silent());
        }
        let mut kept = self.lock();
        let last = kept.lease.as_ref().map_or(0, |lease| lease.number);
        if last != number {
            return Ok(None);
        }
        kept.lease = Some(LeaseSeen { number: last + 1, bytes: bytes.to_vec(), stamped: (self.clock)() });
        if faults.is_unanswered { Err(silent()) } else { Ok(Some(last + 1)) }
    }
}
