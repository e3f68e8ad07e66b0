//! A service whose start, output and end are examined: unlike the harness's `Service` it may refuse, hang or die.

use fairshoe_tests::binary;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The end of a process, and its output.
#[derive(Debug)]
pub struct Ended {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub said: String,
}

pub struct Process {
    child: Child,
    /// A named file that is removed on drop.
    words: tempfile::NamedTempFile,
}

impl Process {
    /// `fairshoe serve` on a free port.
    pub fn serve(data: &Path, extra: &[&str]) -> Self {
        let mut command = Command::new(binary("fairshoe"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--log-format", "json", "--data"]).arg(data).args(extra);
        Self::spawn(command)
    }

    pub fn spawn(mut command: Command) -> Self {
        let words = tempfile::NamedTempFile::new().unwrap();
        let errors = File::options().append(true).open(words.path()).unwrap();
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(errors).spawn().unwrap();
        Process { child, words }
    }

    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    pub fn said(&self) -> String {
        let mut bytes = Vec::new();
        File::open(self.words.path()).unwrap().read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// Its address, once it listens; `None` if it ends before.
    pub fn url(&mut self, limit: Duration) -> Option<String> {
        let begun = Instant::now();
        loop {
            let ended = self.child.try_wait().unwrap().is_some();
            // Only a whole line counts: part of a port is another port.
            let said = self.said();
            let whole = said.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            if let Some(rest) =
                whole.into_iter().find_map(|line| line.strip_prefix("fairshoe deals at ").map(str::to_owned))
            {
                return rest.split_whitespace().next().map(str::to_owned);
            }
            if ended {
                return None;
            }
            assert!(begun.elapsed() < limit, "neither started nor refused within {limit:?}: {}", self.said());
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().unwrap().is_none()
    }

    /// Kills it with kill -9.
    pub fn kill(mut self) -> Ended {
        let _gone = self.child.kill();
        self.end(Duration::from_secs(30))
    }

    /// Stops it gracefully.
    pub fn stop(self) -> Ended {
        let _sent = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        self.end(Duration::from_secs(30))
    }

    /// Waits for its end.
    pub fn end(mut self, limit: Duration) -> Ended {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return Ended { code: status.code(), signal: status.signal(), said: self.said() };
            }
            assert!(begun.elapsed() < limit, "did not end within {limit:?}: {}", self.said());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _status = self.child.wait();
    }
}

/// Starts a service that must refuse by itself, in words, with this code; returns its output.
pub fn refused(data: &Path, extra: &[&str], code: i32) -> String {
    let ended = Process::serve(data, extra).end(Duration::from_secs(60));
    assert_eq!((ended.code, ended.signal), (Some(code), None), "{}", ended.said);
    assert!(!ended.said.contains("panicked at"), "a panic is no refusal: {}", ended.said);
    ended.said
}
