//! No code: `Cargo.toml` beside it names the features of other people's crates that some program of this workspace asks for
//! and another does not.
//!
//! Cargo builds a crate anew for each set of features, and works that set out from the packages that a command names. Every
//! program depends on this crate, so each command comes to the same set, and none builds again what another has built. The
//! test `no_command_compiles_a_crate_twice` holds it, and says which line is missing.
