//! `fairshoe doctor`: looks at the machine before, or while, a service runs on it with these options (spec/operating.md).
//!
//! Changes nothing but a file of its own, which it takes away. It finds what makes a promise of the service untrue (a disk
//! in memory, a clock that is off) and what makes it slow or small; what cannot be seen from here it says.

use crate::cluster;
use crate::edge::connections::raise_file_limit;
use crate::edge::tls;
use crate::ops::config::Config;
use crate::ops::keys::{self, operator_token_path, random32, secrets_dir};
use crate::ops::run::log_filter;
use crate::read::asking::direct;
use crate::write::durable::{LEAST_INODES, least_space};
use fairshoe_fairness::Origin;
use fairshoe_order::OrderError;
use rustix::fs::{Access, AtFlags};
use serde::Serialize;
use std::fs::{self, OpenOptions};
use std::io::Write as _;
use std::os::unix::fs::{MetadataExt as _, OpenOptionsExt as _, PermissionsExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant, SystemTime};

/// What is found of one thing.
#[derive(Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum State {
    /// As it should be.
    Well,
    /// Works, and should be looked at; or cannot be seen from here.
    Note,
    /// A promise of the service would be untrue, or it would not start.
    Bad,
}

/// A thing that was looked at.
#[derive(Serialize)]
struct Found {
    what: &'static str,
    state: State,
    says: String,
}

/// How far the clock may be off: an auditor's own, by default (spec/audit.md, "Time"), and a second that HTTP cuts off.
const MOST_SKEW: Duration = Duration::from_secs(3);

/// Syncs that are timed.
const SYNCS: usize = 40;

/// No disk that keeps what it is told syncs faster; one with a cache that survives a power cut may.
const TOO_FAST: Duration = Duration::from_micros(25);

/// From here on each bet is felt to wait.
const SLOW: Duration = Duration::from_millis(20);

/// Looks at everything, and says what was found: 0 where nothing is bad, 1 where something is.
pub fn run(config: &Config, filter: Result<(), String>, as_json: bool) -> ExitCode {
    let mut found = vec![sync_filter(filter)];
    let folder = existing(&config.data);
    found.extend(other_user(&folder));
    found.push(file_system(&folder));
    found.push(syncs(&folder));
    found.push(space(&folder, config.min_free_bytes));
    found.push(secrets(config));
    found.extend(owned(&config.data));
    found.extend(log_filter(config).err().map(|why| self::found("log", State::Bad, why)));
    found.push(files(config.max_connections));
    found.push(listens(config));
    found.extend(config.tls.clone().map(certificate));
    let asked = asked(config);
    let answers: Vec<_> = asked.iter().map(|(what, url)| (*what, url, date_of(url))).collect();
    found.extend(answers.iter().map(|(what, url, answer)| answers_at(what, url, answer)));
    found.extend(config.cluster.iter().flat_map(|cluster| [order(cluster), order_login(cluster)]));
    let skews = answers.iter().filter_map(|(_, _, answer)| answer.as_ref().ok().copied().flatten());
    found.push(clock(!answers.is_empty(), skews));

    let is_well = found.iter().all(|found| found.state != State::Bad);
    if as_json {
        println!("{}", serde_json::json!({ "well": is_well, "found": found }));
    } else {
        for Found { what, state, says } in &found {
            let mark = match state {
                State::Well => "well",
                State::Note => "note",
                State::Bad => "BAD ",
            };
            println!("{mark}  {what:<12} {says}");
        }
    }
    ExitCode::from(u8::from(!is_well))
}

fn found(what: &'static str, state: State, says: impl Into<String>) -> Found {
    Found { what, state, says: says.into() }
}

fn sync_filter(filter: Result<(), String>) -> Found {
    match filter {
        Ok(()) => found("sync", State::Well, "the store's writes are synced before they are acknowledged"),
        Err(why) => found("sync", State::Bad, why),
    }
}

/// The folder, or the nearest that is there: the service makes the rest.
fn existing(data: &Path) -> PathBuf {
    let whole = std::path::absolute(data).unwrap_or_else(|_| data.to_owned());
    whole.ancestors().find(|folder| folder.is_dir()).map_or_else(|| PathBuf::from("/"), Path::to_owned)
}

/// File systems by the number that Linux gives them, and why a store is not well there.
const FILE_SYSTEMS: &[(u64, State, &str)] = &[
    (0x0102_1994, State::Bad, "is memory (tmpfs): all of it is lost with the power"),
    (0x8584_58f6, State::Bad, "is memory (ramfs): all of it is lost with the power"),
    (0x6969, State::Bad, "is on the network (NFS): its locks and syncs are not those that the store counts on"),
    (0xff53_4d42, State::Bad, "is on the network (CIFS): its locks and syncs are not those that the store counts on"),
    (0xfe53_4d42, State::Bad, "is on the network (SMB): its locks and syncs are not those that the store counts on"),
    (0x6573_5546, State::Note, "is a program's (FUSE): find out whether it syncs when it is told to"),
    (0x794c_7630, State::Note, "is a container's own (overlayfs), and goes with it: mount a volume for the data"),
    (0xef53, State::Well, "is on a disk of this machine (ext)"),
    (0x5846_5342, State::Well, "is on a disk of this machine (XFS)"),
    (0x9123_683e, State::Well, "is on a disk of this machine (Btrfs)"),
    (0xf2f5_2010, State::Well, "is on a disk of this machine (F2FS)"),
    (0x2fc1_2fc1, State::Well, "is on a disk of this machine (ZFS)"),
];

fn file_system(folder: &Path) -> Found {
    let at = folder.display();
    match rustix::fs::statfs(folder) {
        Err(why) => found("file system", State::Bad, format!("{at}: {why}")),
        Ok(told) => {
            let number = u64::try_from(told.f_type).unwrap_or_default() & 0xffff_ffff;
            match FILE_SYSTEMS.iter().find(|(known, ..)| *known == number) {
                Some((_, state, why)) => found("file system", *state, format!("{at} {why}")),
                None => {
                    let says = format!(
                        "{at} is on a file system that is not known here ({number:#x}): find out whether it is a disk of \
                         this machine, and syncs when it is told to"
                    );
                    found("file system", State::Note, says)
                }
            }
        }
    }
}

/// What holds for one user need not for another: a port below 1024, a key that is another's, limits.
fn other_user(folder: &Path) -> Option<Found> {
    let (own, owner) = (rustix::process::geteuid(), fs::metadata(folder).ok()?.uid());
    (own.is_root() && owner != 0).then(|| {
        let says = format!(
            "{} belongs to user {owner}, and root may do what they may not: ask as they are (setpriv --reuid {owner} \
             --regid {owner} --clear-groups fairshoe doctor …)",
            folder.display()
        );
        found("user", State::Note, says)
    })
}

/// Writes a block and syncs it, again and again: how long that takes. *Attack: a link of that name to somebody's file.*
fn time_syncs(folder: &Path) -> std::io::Result<Vec<Duration>> {
    let unforeseen = random32().map_err(std::io::Error::other)?;
    let path = folder.join(format!(".fairshoe-doctor-{}", hex::encode(&unforeseen[..8])));
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
    let timed = (|| {
        let mut times = Vec::with_capacity(SYNCS);
        for _ in 0..SYNCS {
            let begun = Instant::now();
            file.write_all(&[0; 4096])?;
            file.sync_data()?;
            times.push(begun.elapsed());
        }
        Ok(times)
    })();
    let _gone = fs::remove_file(path);
    timed
}

fn syncs(folder: &Path) -> Found {
    let mut times = match time_syncs(folder) {
        Ok(times) => times,
        Err(why) => return found("disk", State::Bad, format!("{}: {why}", folder.display())),
    };
    times.sort();
    let (median, worst) = (times[times.len() / 2], times.last().copied().unwrap_or_default());
    let says = format!("a block is written and synced in {median:.1?} in the median, {worst:.1?} at worst of {SYNCS}");
    if median < TOO_FAST {
        let why = "faster than a disk that keeps what it is told: find out whether its cache survives a power cut";
        found("disk", State::Note, format!("{says}; {why}"))
    } else if median > SLOW {
        found("disk", State::Note, format!("{says}: each bet waits for one"))
    } else {
        found("disk", State::Well, says)
    }
}

fn space(folder: &Path, least: u64) -> Found {
    let free = match fairshoe_store::free_space(folder) {
        Ok(free) => free,
        Err(why) => return found("space", State::Bad, why.to_string()),
    };
    let (mib, inodes) = (free.bytes >> 20, free.inodes);
    let files = if inodes == u64::MAX { String::new() } else { format!(", and {inodes} inodes for new files") };
    let bound = format!("{} MiB (--min-free-mib), or {LEAST_INODES} inodes,", least >> 20);
    if free.is_less_than(least_space(least)) {
        return found("space", State::Bad, format!("{mib} MiB free{files}; below {bound} no round begins"));
    }
    if free.bytes < least.saturating_mul(8) || inodes < LEAST_INODES.saturating_mul(8) {
        let says = format!("{mib} MiB free{files}, near the {bound} below which no round begins");
        return found("space", State::Note, says);
    }
    found("space", State::Well, format!("{mib} MiB free{files}"))
}

/// Each file of the data folder can be read, and written, by the user whose folder it is. *One that root restored or made
/// keeps the service from its next start, or stops it at the first write.* Links are not followed.
fn owned(data: &Path) -> Option<Found> {
    let owner = fs::metadata(data).ok().filter(fs::Metadata::is_dir)?.uid();
    let bad = |path: &Path, why: String| Some(found("files", State::Bad, format!("{}: {why}", path.display())));
    let (mut waiting, mut looked) = (vec![data.to_owned()], 0_usize);
    while let Some(path) = waiting.pop() {
        let told = match fs::symlink_metadata(&path) {
            Ok(told) if told.is_dir() || told.is_file() => told,
            // A service that runs takes files away.
            Ok(_) | Err(_) => continue,
        };
        looked = looked.saturating_add(1);
        if let Err(why) = may_use(&path, &told, owner, path.starts_with(secrets_dir(data))) {
            let chown = format!("chown -R {owner} {}", data.display());
            return bad(
                &path,
                format!("it is of user {}, and user {owner} may not use it ({why}): {chown}", told.uid()),
            );
        }
        if told.is_dir() {
            match fs::read_dir(&path) {
                Ok(listed) => waiting.extend(listed.flatten().map(|entry| entry.path())),
                Err(why) => return bad(&path, why.to_string()),
            }
        }
    }
    Some(found(
        "files",
        State::Well,
        format!("user {owner} may use all {looked} files and folders of {}", data.display()),
    ))
}

/// Whether the owner of the data folder may use a file of it. Root, who may use every file, goes by what its owner is.
fn may_use(path: &Path, told: &fs::Metadata, owner: u32, is_read_alone: bool) -> Result<(), String> {
    if rustix::process::geteuid().is_root() {
        return if told.uid() == owner { Ok(()) } else { Err("another's".to_owned()) };
    }
    let write = if is_read_alone { Access::empty() } else { Access::WRITE_OK };
    let enter = if told.is_dir() { Access::EXEC_OK } else { Access::empty() };
    let access = Access::READ_OK | write | enter;
    match rustix::fs::accessat(rustix::fs::CWD, path, access, AtFlags::EACCESS) {
        Err(rustix::io::Errno::NOENT) | Ok(()) => Ok(()),
        Err(why) => Err(why.to_string()),
    }
}

/// The secrets are there, where there is a log; they can be read, and by their owner alone.
fn secrets(config: &Config) -> Found {
    let (data, bad) = (&config.data, |says: String| found("secrets", State::Bad, says));
    let folder = secrets_dir(data);
    let is_begun = ["format", "log"].iter().any(|name| data.join(name).exists());
    if data.exists() && !data.is_dir() {
        return bad(format!("{} is no folder", data.display()));
    }
    if !folder.exists() && is_begun {
        return bad(format!("{} is missing beside a log: bring it from what was saved", folder.display()));
    }
    if !folder.exists() {
        return match config.origin.as_deref().map(Origin::parse) {
            Some(Err(why)) => bad(format!("no start makes them under the name that --origin says: {why}")),
            _ => found("secrets", State::Well, "none yet: the first start makes them, for this user alone"),
        };
    }
    let files = fs::read_dir(&folder).map(|files| files.flatten().map(|file| file.path()).collect::<Vec<_>>());
    let files = match files {
        Ok(files) => files,
        Err(why) => return found("secrets", State::Note, format!("{}: {why}", folder.display())),
    };
    let open = |path: &PathBuf| fs::metadata(path).is_ok_and(|told| told.permissions().mode() & 0o077 != 0);
    let mut all = [folder.clone(), operator_token_path(data)].into_iter().chain(files);
    match (all.find(open), keys::load(data)) {
        (Some(path), _) => bad(format!("{} can be read by others: chmod go= {}", path.display(), path.display())),
        (None, Err(why)) => bad(why.to_string()),
        (None, Ok(keys)) => match config.origin.as_ref().filter(|origin| **origin != keys.origin) {
            Some(origin) => bad(format!("--origin says {origin}, and the log in this folder is {}", keys.origin)),
            None => found("secrets", State::Well, format!("{} is for this user alone", folder.display())),
        },
    }
}

fn files(wanted: usize) -> Found {
    let most = raise_file_limit();
    if most < wanted {
        let says = format!(
            "enough for {most} connections of the {wanted} asked for (--max-connections): raise the limit of open files (LimitNOFILE)"
        );
        return found("open files", State::Note, says);
    }
    found("open files", State::Well, format!("enough for {wanted} connections"))
}

fn listens(config: &Config) -> Found {
    let at = config.listen;
    match std::net::TcpListener::bind(at) {
        Ok(_) => found("address", State::Well, format!("{at} is free")),
        Err(why) if why.kind() == std::io::ErrorKind::AddrInUse => {
            found("address", State::Note, format!("somebody listens on {at} already: this service, or another"))
        }
        Err(why) => found("address", State::Bad, format!("{at}: {why}")),
    }
}

/// A certificate is renewed before its last so many days.
const RENEWED: Duration = Duration::from_secs(14 * 24 * 3600);

fn certificate(files: tls::Files) -> Found {
    let (at, key) = (files.certificate.display().to_string(), files.key.clone());
    let ends = match tls::Tls::open(files) {
        Ok(tls) => tls.ends().map(Duration::from_secs),
        Err(why) => return found("certificate", State::Bad, why),
    };
    if fs::metadata(&key).is_ok_and(|told| told.permissions().mode() & 0o037 != 0) {
        let says = format!("{} can be read or written by others: chmod 600, or 640", key.display());
        return found("certificate", State::Bad, says);
    }
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let days = |time: Duration| time.as_secs() / (24 * 3600);
    match ends {
        None => found("certificate", State::Note, format!("{at} and its key fit; when it ends cannot be told")),
        Some(ends) if ends <= now => found("certificate", State::Bad, format!("{at} ended: no client takes it")),
        Some(ends) => {
            let left = ends.saturating_sub(now);
            let state = if left < RENEWED { State::Note } else { State::Well };
            found("certificate", state, format!("{at} and its key fit; days left: {}", days(left)))
        }
    }
}

/// The others that are asked whether they answer, and what time they have.
fn asked(config: &Config) -> Vec<(&'static str, String)> {
    let witnesses = config.witnesses.iter().flat_map(|settings| settings.policy.witnesses());
    let witnesses = witnesses.filter_map(|witness| String::from_utf8(witness.url.clone()?).ok());
    let witnesses = witnesses.map(|url| ("witness", url));
    let wallet = config.wallet.iter().map(|wallet| ("wallet", format!("{}/readyz", wallet.url)));
    let servers = config.cluster.iter().flat_map(|cluster| cluster.monitors.iter().cloned());
    witnesses.chain(wallet).chain(servers.map(|url| ("order", format!("{url}/varz")))).collect()
}

/// How far this machine's clock is from the answerer's, and which way; nothing where the answer bears no time.
type Skew = Option<(Duration, bool)>;

/// Asks an address; any answer is one.
fn date_of(url: &str) -> Result<Skew, String> {
    let config = direct().timeout_global(Some(Duration::from_secs(5)));
    let agent = ureq::Agent::new_with_config(config.http_status_as_error(false).max_redirects(0).build());
    let answer = agent.get(url).call().map_err(|e| e.to_string())?;
    let now = SystemTime::now();
    let date = answer.headers().get("date").and_then(|date| httpdate::parse_http_date(date.to_str().ok()?).ok());
    Ok(date.map(|date| match now.duration_since(date) {
        Ok(ahead) => (ahead, true),
        Err(behind) => (behind.duration(), false),
    }))
}

fn answers_at(what: &'static str, url: &str, answer: &Result<Skew, String>) -> Found {
    match answer {
        Ok(_) => found(what, State::Well, format!("{url} answers")),
        // The service begins without it, and goes on asking.
        Err(why) => found(what, State::Note, format!("{url} does not answer: {why}")),
    }
}

fn order(cluster: &cluster::Settings) -> Found {
    match fairshoe_order::check_servers(&cluster.monitors) {
        Ok(()) => found("order", State::Well, "its servers sync before they acknowledge"),
        Err(why) => found("order", State::Bad, why.to_string()),
    }
}

/// Whether each of the order's servers lets this node in.
fn order_login(cluster: &cluster::Settings) -> Found {
    let closed = match cluster.servers.knock() {
        Ok(closed) => closed,
        Err(why) => return found("order login", State::Note, why.to_string()),
    };
    let is_refused = closed.iter().any(|(_, why)| matches!(why, OrderError::Refused(_)));
    let said: Vec<String> = closed.iter().map(|(address, why)| format!("{address}: {why}")).collect();
    match (said.is_empty(), is_refused) {
        (true, _) => found("order login", State::Well, "its servers let this node in"),
        (_, true) => found("order login", State::Bad, said.join("; ")),
        // The service begins without it, and goes on asking.
        _ => found("order login", State::Note, said.join("; ")),
    }
}

/// What was told of the time, by anybody if somebody was asked: who does not answer, or without a date, tells none.
fn clock(was_asked: bool, skews: impl Iterator<Item = (Duration, bool)>) -> Found {
    let Some((apart, is_ahead)) = skews.min() else {
        let why = if was_asked { "those who were asked told no time" } else { "nobody was asked what time it is" };
        let says = format!("{why}: see to it that it is kept right (timedatectl, chronyc)");
        return found("clock", State::Note, says);
    };
    if apart <= MOST_SKEW {
        return found("clock", State::Well, "the same as of those who were asked, to three seconds");
    }
    let way = if is_ahead { "ahead of" } else { "behind" };
    let says = format!("{apart:.0?} {way} all who were asked: every deadline and each entry's time would be wrong");
    found("clock", State::Bad, says)
}
