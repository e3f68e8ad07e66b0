//! The queue between requests and the house thread, and what of it came before a deadline. A trait, so that the
//! simulator can stand in for the threads.

use super::Job;
use crate::write::evidence::Arrivals;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, TryRecvError};
use std::time::Duration;

/// Where the house's work comes from.
pub trait Jobs {
    /// A job that waits, if one does.
    fn next(&mut self) -> Option<Job>;

    /// All that wait, once everything that was signed for before this deadline is among them. Nothing that is signed
    /// for later bears an earlier time.
    fn all_before(&mut self, deadline: u64) -> Vec<Job>;
}

/// The end of the queue to which requests are sent.
pub struct Inbox {
    pub jobs: Receiver<Job>,
    pub arrivals: Arc<Arrivals>,
}

impl Inbox {
    /// Waits for a job, no longer than so. Nobody is left to send one: then the house stops.
    pub fn wait(&self, most: Duration) -> Option<Job> {
        match self.jobs.recv_timeout(most) {
            Ok(job) => Some(job),
            Err(RecvTimeoutError::Disconnected) => Some(Job::Stop),
            Err(RecvTimeoutError::Timeout) => None,
        }
    }
}

impl Jobs for Inbox {
    fn next(&mut self) -> Option<Job> {
        match self.jobs.try_recv() {
            Ok(job) => Some(job),
            Err(TryRecvError::Disconnected) => Some(Job::Stop),
            Err(TryRecvError::Empty) => None,
        }
    }

    fn all_before(&mut self, deadline: u64) -> Vec<Job> {
        self.arrivals.wait_for_those_before(deadline);
        self.jobs.try_iter().collect()
    }
}
