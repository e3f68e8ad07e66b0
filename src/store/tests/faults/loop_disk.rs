//! A small disk that can be filled and whose power can be cut. Needs root, Linux and e2fsprogs; if one is missing, the
//! tests that use it print `skipped: …` and pass. This file depends only on `tempfile`, so other test binaries include
//! it with `#[path]`.
//!
//! A power cut is `EXT4_IOC_SHUTDOWN` without a flush of the journal: from then on no write reaches the disk, and
//! unmounting drops all data that was only in memory.

use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

const CUT: &str = "import fcntl, os, struct, sys
fcntl.ioctl(os.open(sys.argv[1], os.O_RDONLY), 0x8004587D, struct.pack('I', 2))";

/// An ext4 file system in a sparse file, mounted while it lives.
pub struct LoopDisk {
    dir: tempfile::TempDir,
    mounted: bool,
}

impl LoopDisk {
    /// A fresh, mounted disk, or the reason why it cannot be made.
    pub fn new(bytes: u64) -> Result<Self, String> {
        Self::made(bytes, &[])
    }

    /// A disk that can hold at most this many files.
    #[allow(dead_code)]
    pub fn with_inodes(bytes: u64, inodes: u64) -> Result<Self, String> {
        Self::made(bytes, &["-N", &inodes.to_string()])
    }

    fn made(bytes: u64, options: &[&str]) -> Result<Self, String> {
        if std::fs::metadata("/proc/self").map_or(true, |me| me.uid() != 0) {
            return Err("not root".to_owned());
        }
        for tool in [["mkfs.ext4", "-V"], ["python3", "-V"], ["mount", "-V"]] {
            run(tool[0], &tool[1..])?;
        }
        let dir = tempfile::tempdir().map_err(|e| e.to_string())?;
        let disk = Self { dir, mounted: false };
        std::fs::create_dir(disk.path()).map_err(|e| e.to_string())?;
        let image = std::fs::File::create(disk.image()).map_err(|e| e.to_string())?;
        image.set_len(bytes).map_err(|e| e.to_string())?;
        run("mkfs.ext4", &[&["-q", "-F", "-m", "0"], options, &[&*disk.image().to_string_lossy()]].concat())?;
        let mut disk = disk;
        disk.mount()?;
        Ok(disk)
    }

    fn image(&self) -> PathBuf {
        self.dir.path().join("image")
    }

    /// Its mount point.
    pub fn path(&self) -> PathBuf {
        self.dir.path().join("mount")
    }

    /// Mounts it, replaying its journal after a cut.
    pub fn mount(&mut self) -> Result<(), String> {
        run("mount", &["-o", "loop", &self.image().to_string_lossy(), &self.path().to_string_lossy()])?;
        self.mounted = true;
        Ok(())
    }

    /// Unmounts it, waiting a little for processes that are still ending.
    pub fn unmount(&mut self) -> Result<(), String> {
        let mut result = Ok(String::new());
        for _ in 0..100 {
            result = run("umount", &[&self.path().to_string_lossy()]);
            if result.is_ok() {
                self.mounted = false;
                break;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        result.map(drop)
    }

    /// Holds every write to it until the returned value is dropped.
    #[allow(dead_code, reason = "not every binary that includes this file freezes a disk")]
    pub fn freeze(&self) -> Result<Frozen, String> {
        let path = self.path().to_string_lossy().into_owned();
        run("fsfreeze", &["-f", &path]).map(|_| Frozen(path))
    }

    /// Cuts the power. Kill the processes that use it, then unmount and mount.
    pub fn cut_power(&self) -> Result<(), String> {
        run("python3", &["-c", CUT, &self.path().to_string_lossy()]).map(drop)
    }
}

/// A disk that holds its writes.
pub struct Frozen(String);

impl Drop for Frozen {
    fn drop(&mut self) {
        let _thawed = run("fsfreeze", &["-u", &self.0]);
    }
}

impl Drop for LoopDisk {
    fn drop(&mut self) {
        if self.mounted {
            let _left = self.unmount();
        }
    }
}

/// Mounts a memory file system of that many bytes over `path`; unmounts it when dropped.
pub struct MemoryDisk {
    path: PathBuf,
}

impl MemoryDisk {
    pub fn over(path: &Path, bytes: u64) -> Result<Self, String> {
        let size = format!("size={bytes}");
        run("mount", &["-t", "tmpfs", "-o", &size, "tmpfs", &path.to_string_lossy()])?;
        Ok(Self { path: path.to_owned() })
    }

    pub fn grow(&self, bytes: u64) -> Result<(), String> {
        let size = format!("remount,size={bytes}");
        run("mount", &["-o", &size, &self.path.to_string_lossy()]).map(drop)
    }
}

impl Drop for MemoryDisk {
    fn drop(&mut self) {
        let _left = run("umount", &["-l", &self.path.to_string_lossy()]);
    }
}

fn run(program: &str, args: &[&str]) -> Result<String, String> {
    let output = Command::new(program).args(args).output().map_err(|e| format!("{program}: {e}"))?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(format!("{program}: {}", String::from_utf8_lossy(&output.stderr).trim()))
    }
}
