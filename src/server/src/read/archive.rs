//! What replies about the durable log are made of: the log, where things stand in it, the proofs over it and the dealer
//! who opens what it shows. [`crate::read::history`] reads rounds and repeats from it.

use crate::ops::directory::Directory;
use crate::read::index::Index;
use crate::write::dealer::CachingDealer;
use crate::write::durable::ReadLog;
use crate::write::published::{Published, Tiles};
use std::sync::{Arc, PoisonError, RwLock};

/// See the module.
#[derive(Clone)]
pub struct Archive {
    pub reader: Arc<dyn ReadLog>,
    pub tiles: Arc<Tiles>,
    pub index: Arc<Index>,
    pub published: Arc<RwLock<Arc<Published>>>,
    pub dealer: Arc<CachingDealer>,
    pub directory: Arc<Directory>,
}

impl Archive {
    /// The log as it is durable and signed now.
    pub fn current(&self) -> Arc<Published> {
        self.published.read().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
