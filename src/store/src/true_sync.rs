//! Makes sled's flush a true sync, by a system-call filter.
//!
//! On Linux sled 0.34.7 ends a flush in `sync_file_range`, which asks the kernel to write pages but neither the file's
//! metadata nor the disk's cache: after a power cut acknowledged data is lost. If that call answers `ENOSYS`, sled
//! falls back to `fsync`. The filter makes it answer so, without a patched dependency.

use std::sync::atomic::{AtomicBool, Ordering};

static IN_PLACE: AtomicBool = AtomicBool::new(false);

/// Why the sync filter could not be set; the service must not start (spec/store.md, Sync).
#[derive(Debug, thiserror::Error)]
pub enum SyncFilterError {
    /// The filter is a Linux mechanism (seccomp) and this is another system or processor.
    #[error("no sync filter on {os}/{arch}: acknowledged entries could be lost in a power cut")]
    Unsupported {
        /// Operating system this was built for.
        os: &'static str,
        /// Processor this was built for.
        arch: &'static str,
    },
    /// The kernel refused the filter.
    #[error("the kernel refused the sync filter: {reason}")]
    Refused {
        /// The answer of the kernel or of the filter compiler.
        reason: String,
    },
    /// The kernel accepted the filter, but reports that none is active.
    #[error("the sync filter was accepted but is not active: {status}")]
    NotActive {
        /// The line of `/proc/thread-self/status` with that report.
        status: String,
    },
}

impl SyncFilterError {
    /// The operator's next step.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } => "run the service on 64-bit Linux; reading a copy needs no filter",
            Self::Refused { .. } | Self::NotActive { .. } => {
                "allow the seccomp and prctl(PR_SET_NO_NEW_PRIVS) system calls to the service \
                 (container profiles and old kernels may forbid them)"
            }
        }
    }
}

/// Makes `sync_file_range` answer `ENOSYS` in every thread of this process, now and later, so that each flush of the
/// store ends in `fsync`. Call it first in `main`; calling it again does nothing. Child processes inherit it.
///
/// # Errors
/// [`SyncFilterError`] if the filter cannot be set. [`crate::Store::create`] and [`crate::Store::open`] refuse to run
/// without it.
pub fn require() -> Result<(), SyncFilterError> {
    if in_place() {
        return Ok(());
    }
    install()?;
    IN_PLACE.store(true, Ordering::SeqCst);
    Ok(())
}

/// Whether [`require`] has succeeded in this process.
pub(crate) fn in_place() -> bool {
    IN_PLACE.load(Ordering::SeqCst)
}

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
fn install() -> Result<(), SyncFilterError> {
    use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, TargetArch};

    fn refused(reason: impl std::fmt::Display) -> SyncFilterError {
        SyncFilterError::Refused { reason: reason.to_string() }
    }

    let enosys = u32::try_from(libc::ENOSYS).map_err(refused)?;
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(refused)?;
    let filter = SeccompFilter::new(
        [(libc::SYS_sync_file_range, Vec::new())].into(),
        SeccompAction::Allow,
        SeccompAction::Errno(enosys),
        arch,
    )
    .map_err(refused)?;
    let program: BpfProgram = filter.try_into().map_err(refused)?;
    // Every thread, not only this one: sled writes from its own threads, and a thread without the filter would lose
    // data only on the day of a power cut.
    seccompiler::apply_filter_all_threads(&program).map_err(refused)?;

    let status = std::fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    match status.lines().find(|line| line.starts_with("Seccomp:")) {
        Some(line) if !line.ends_with('2') => Err(SyncFilterError::NotActive { status: line.to_owned() }),
        // Without /proc, the kernel's answer to the call must suffice.
        _ => Ok(()),
    }
}

#[cfg(not(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64"))))]
fn install() -> Result<(), SyncFilterError> {
    Err(SyncFilterError::Unsupported { os: std::env::consts::OS, arch: std::env::consts::ARCH })
}
