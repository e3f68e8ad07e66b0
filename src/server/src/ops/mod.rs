//! What the operator runs: options, keys, start, checks, a folder restored, logging and metrics.

pub mod alive;
pub mod bounded_log;
pub mod check;
pub mod config;
pub mod directory;
pub mod display_names;
pub mod doctor;
pub mod keys;
pub mod metrics;
pub mod new_keys;
pub mod restore;
pub mod run;
pub mod startup;
pub mod tickets;
pub mod tokens;
