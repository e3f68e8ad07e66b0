//! A real PostgreSQL in the test's folder, which syncs every write before it answers; it can be killed and started
//! again.

use crate::cluster::free_port;
use std::fs;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// A PostgreSQL that runs, or was killed.
pub struct Postgres {
    programs: PathBuf,
    folder: PathBuf,
    port: u16,
    running: Option<Child>,
}

/// The folder of its programs in Debian's package, newest version first; or the one on the path.
fn programs() -> Option<PathBuf> {
    let version = |path: &PathBuf| path.file_name().and_then(|name| name.to_str()?.parse::<u32>().ok());
    let mut versions: Vec<PathBuf> =
        fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    versions.sort_by_key(|path| std::cmp::Reverse(version(path)));
    let of_path = std::env::var_os("PATH").map(|all| std::env::split_paths(&all).collect::<Vec<_>>());
    let all = versions.into_iter().map(|path| path.join("bin")).chain(of_path.into_iter().flatten());
    all.into_iter().find(|folder| folder.join("initdb").is_file() && folder.join("postgres").is_file())
}

fn is_root() -> bool {
    fs::metadata("/proc/self").is_ok_and(|me| me.uid() == 0)
}

/// One of its programs, run as a user whom it accepts: it refuses root.
fn program(path: &Path) -> Command {
    if !is_root() {
        return Command::new(path);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups", "--"]).arg(path);
    command
}

impl Postgres {
    /// Makes a database in a folder, which then belongs to PostgreSQL, and starts it on a free port of 127.0.0.1.
    ///
    /// # Errors
    /// Why it is not available on this machine.
    pub fn start(folder: &Path) -> Result<Postgres, String> {
        let programs = programs().ok_or("there is no PostgreSQL (Debian's package `postgresql`)")?;
        let said = |what: &str, e: std::io::Error| format!("{what}: {e}");
        fs::create_dir_all(folder).map_err(|e| said("the folder", e))?;
        let folder = folder.canonicalize().map_err(|e| said("the folder", e))?;
        if is_root() {
            let owned = Command::new("chown").arg("postgres:postgres").arg(&folder).status();
            if !owned.map_err(|e| said("chown", e))?.success() {
                return Err("there is no user `postgres` to run it as, and it refuses root".to_owned());
            }
            // A temporary folder is closed to other users: the database's path must be open.
            let temporary = std::env::temp_dir();
            for above in
                folder.ancestors().skip(1).filter(|above| above.starts_with(&temporary) && **above != temporary)
            {
                let mode = fs::metadata(above).map_err(|e| said("the folder", e))?.permissions().mode();
                let open = fs::Permissions::from_mode(mode | 0o011);
                fs::set_permissions(above, open).map_err(|e| said("the folder", e))?;
            }
        }
        let made = program(&programs.join("initdb"))
            .args(["--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync", "--pgdata"])
            .arg(folder.join("data"))
            .stdin(Stdio::null())
            .output()
            .map_err(|e| said("initdb", e))?;
        if !made.status.success() {
            return Err(format!("initdb: {}", String::from_utf8_lossy(&made.stderr)));
        }
        let mut postgres = Postgres { programs, folder, port: free_port(), running: None };
        postgres.run()?;
        Ok(postgres)
    }

    /// The address of its database.
    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres", self.port)
    }

    /// The text of its log.
    pub fn said(&self) -> String {
        fs::read_to_string(self.folder.join("log")).unwrap_or_default()
    }

    fn run(&mut self) -> Result<(), String> {
        let log = fs::File::options().create(true).append(true).open(self.folder.join("log"));
        let log = log.map_err(|e| format!("its log: {e}"))?;
        let mut command = program(&self.programs.join("postgres"));
        command.arg("-D").arg(self.folder.join("data")).args(["-p", &self.port.to_string()]);
        for setting in [
            "listen_addresses=127.0.0.1",
            "unix_socket_directories=",
            "fsync=on",
            "full_page_writes=on",
            "synchronous_commit=on",
            "shared_buffers=16MB",
            "max_connections=60",
        ] {
            command.args(["-c", setting]);
        }
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(log).spawn();
        self.running = Some(child.map_err(|e| format!("postgres: {e}"))?);
        let begun = Instant::now();
        while !self.accepts() {
            let ended = self.running.as_mut().and_then(|child| child.try_wait().ok().flatten());
            if ended.is_some() || begun.elapsed() > Duration::from_secs(60) {
                return Err(format!("postgres does not start: {}", self.said()));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        Ok(())
    }

    fn accepts(&self) -> bool {
        let mut asked = Command::new(self.programs.join("pg_isready"));
        asked.args(["-q", "-h", "127.0.0.1", "-t", "1", "-p", &self.port.to_string()]);
        asked.stdin(Stdio::null()).status().is_ok_and(|status| status.success())
    }

    /// Kills all its processes with kill -9: data not on the disk is lost.
    pub fn kill(&mut self) {
        let Some(mut child) = self.running.take() else { return };
        let pid = child.id();
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        // First the one that would restart the others.
        let _ = child.kill();
        let _ = child.wait();
        for other in children.split_whitespace() {
            let _ = Command::new("kill").args(["-9", other]).stderr(Stdio::null()).status();
        }
        let begun = Instant::now();
        let runs = |pid: &str| Path::new("/proc").join(pid).join("exe").exists();
        // They share memory, and the next start refuses while it is in use.
        while children.split_whitespace().any(runs) && begun.elapsed() < Duration::from_secs(10) {
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Starts it again, with its data.
    pub fn run_again(&mut self) {
        self.kill();
        let begun = Instant::now();
        while let Err(why) = self.run() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{why}");
            self.kill();
        }
    }
}

impl Drop for Postgres {
    fn drop(&mut self) {
        self.kill();
    }
}
