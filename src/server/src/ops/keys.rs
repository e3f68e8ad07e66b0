//! Secrets and their files: made on the first start, readable by their owner alone, never in the store or the log.

use fairshoe_fairness::Master;
use sha2::{Digest, Sha256};
use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use thiserror::Error;
use zeroize::Zeroizing;

/// Why the keys cannot be used.
#[derive(Debug, Error)]
pub enum KeyError {
    /// The file system failed.
    #[error("{doing} {}: {source}", path.display())]
    Io { doing: &'static str, path: PathBuf, source: std::io::Error },
    /// The file does not hold what it should.
    #[error("{}: {why}", path.display())]
    Content { path: PathBuf, why: String },
    /// Others could read it.
    #[error("{} can be read by others (mode {mode:o}); make it yours alone: chmod 600", path.display())]
    Exposed { path: PathBuf, mode: u32 },
    /// Others than the owner and their group could read it, or others than the owner could write it.
    #[error("{} is not its owner's alone (mode {mode:o}): chmod 600, or 640 for a group that may read it", path.display())]
    Shared { path: PathBuf, mode: u32 },
    /// The system gave no random bytes.
    #[error("the system gives no random bytes: {0}")]
    Random(String),
}

/// The environment variable that may hold the master key as 64 hexadecimal digits, instead of its file.
pub const MASTER_VARIABLE: &str = "FAIRSHOE_MASTER_KEY";

/// The names of the files in `secrets/`.
const MASTER_KEY: &str = "master.key";
const LOG_KEY: &str = "log.key";
const ORIGIN: &str = "origin";

/// Everything secret that the service needs.
pub struct Keys {
    pub master: Master,
    pub log_seed: Zeroizing<[u8; 32]>,
    pub origin: String,
    pub operator_token_hash: TokenHash,
}

/// SHA-256 of a token's 32 bytes: the only form in which tokens are kept.
pub type TokenHash = [u8; 32];

/// Where the secrets lie.
pub fn secrets_dir(data: &Path) -> PathBuf {
    data.join("secrets")
}

/// Where the operator's token lies in clear.
pub fn operator_token_path(data: &Path) -> PathBuf {
    data.join("operator.token")
}

fn io(doing: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> KeyError + use<> {
    let path = path.to_owned();
    move |source| KeyError::Io { doing, path, source }
}

/// 32 random bytes of the system.
pub fn random32() -> Result<[u8; 32], KeyError> {
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|e| KeyError::Random(e.to_string()))?;
    Ok(bytes)
}

/// Makes a folder that its owner alone may enter.
pub fn make_private_dir(path: &Path) -> Result<(), KeyError> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(io("making", path))
}

/// Writes a file that its owner alone may read, and syncs it and its folder. Never overwrites.
pub fn write_private(path: &Path, content: &[u8]) -> Result<(), KeyError> {
    let mut file =
        OpenOptions::new().write(true).create_new(true).mode(0o600).open(path).map_err(io("making", path))?;
    file.write_all(content).map_err(io("writing", path))?;
    file.sync_all().map_err(io("syncing", path))?;
    let dir = path.parent().unwrap_or(Path::new("."));
    File::open(dir).and_then(|dir| dir.sync_all()).map_err(io("syncing", dir))
}

/// The longest secret that is read, in bytes: credentials of NATS, in which every permission of their user stands.
const MOST_SECRET: u64 = 64 << 10;

fn read_private(path: &Path) -> Result<Zeroizing<String>, KeyError> {
    read_unless(path, 0o077, |path, mode| KeyError::Exposed { path, mode })
}

/// A secret that an administrator may keep: their group may read it (mode 640), nobody else, and nobody else may write it.
pub fn read_shared_secret(path: &Path) -> Result<Zeroizing<String>, KeyError> {
    read_unless(path, 0o037, |path, mode| KeyError::Shared { path, mode })
}

/// A file's text, if its mode has none of these rights.
fn read_unless(
    path: &Path,
    rights: u32,
    refused: impl FnOnce(PathBuf, u32) -> KeyError,
) -> Result<Zeroizing<String>, KeyError> {
    let mode = fs::metadata(path).map_err(io("reading", path))?.permissions().mode() & 0o777;
    if mode & rights != 0 {
        return Err(refused(path.to_owned(), mode));
    }
    let mut text = Zeroizing::new(String::new());
    File::open(path).and_then(|file| file.take(MOST_SECRET).read_to_string(&mut text)).map_err(io("reading", path))?;
    Ok(text)
}

fn parse_hex32(path: &Path, text: &str) -> Result<Zeroizing<[u8; 32]>, KeyError> {
    let mut bytes = Zeroizing::new([0; 32]);
    hex::decode_to_slice(text.trim(), bytes.as_mut_slice())
        .map_err(|_| KeyError::Content { path: path.to_owned(), why: "64 hexadecimal digits are expected".into() })?;
    Ok(bytes)
}

/// Makes every key, on the first start; where the environment holds the master key, all others.
pub fn create(data: &Path, origin: Option<&str>) -> Result<(), KeyError> {
    make(data, origin, std::env::var_os(MASTER_VARIABLE).is_none())
}

/// Makes every key of a log that is to go on from another, whatever the environment holds: its master key is the old
/// one's.
pub fn create_next(dir: &Path, origin: &str) -> Result<(), KeyError> {
    make(dir, Some(origin), true)
}

fn make(data: &Path, origin: Option<&str>, with_master: bool) -> Result<(), KeyError> {
    let secrets = secrets_dir(data);
    make_private_dir(&secrets)?;
    let suffix = hex::encode(&random32()?[..4]);
    let origin = origin.map_or_else(|| format!("localhost/fairshoe-{suffix}"), str::to_owned);
    fairshoe_fairness::Origin::parse(&origin).map_err(|e| KeyError::Content {
        path: secrets.join(ORIGIN),
        why: format!("`{origin}` is no name for a log: {e}"),
    })?;
    if with_master {
        write_private(&secrets.join(MASTER_KEY), hex_line(random32()?).as_bytes())?;
    }
    write_private(&secrets.join(LOG_KEY), hex_line(random32()?).as_bytes())?;
    write_private(&secrets.join(ORIGIN), format!("{origin}\n").as_bytes())?;
    write_private(&operator_token_path(data), hex_line(random32()?).as_bytes())
}

/// The log's signing seed, and its name.
fn load_log_key(secrets: &Path) -> Result<(Zeroizing<[u8; 32]>, String), KeyError> {
    let path = secrets.join(LOG_KEY);
    let seed = parse_hex32(&path, &read_private(&path)?)?;
    Ok((seed, read_private(&secrets.join(ORIGIN))?.trim().to_owned()))
}

/// What a new log's keys were used for, beside them: two logs of one key are two histories of one log.
const USED_FOR: &str = "used-for";

/// Secrets that somebody saved: a copy of `secrets/`, or of the data folder that has it; and the operator's token, in
/// either.
pub struct Saved {
    secrets: PathBuf,
    token: Option<PathBuf>,
}

impl Saved {
    /// Looks for them.
    pub fn find(dir: &Path) -> Saved {
        let within = secrets_dir(dir);
        let secrets = if within.is_dir() { within } else { dir.to_owned() };
        let token = Some(operator_token_path(dir)).filter(|path| path.is_file());
        Saved { secrets, token }
    }

    /// The log's signing seed, and its name.
    pub fn log_key(&self) -> Result<(Zeroizing<[u8; 32]>, String), KeyError> {
        load_log_key(&self.secrets)
    }

    /// Binds a new log's keys to the folder that is made with them, once; the same folder may be begun again.
    ///
    /// # Errors
    /// Where they were used for another.
    pub fn use_for(&self, data: &Path) -> Result<(), KeyError> {
        let (path, data) = (self.secrets.join(USED_FOR), data.canonicalize().map_err(io("reading", data))?);
        let wanted = format!("{}\n", data.display());
        if !path.exists() {
            return write_private(&path, wanted.as_bytes());
        }
        let known = read_private(&path)?;
        if *known == wanted {
            return Ok(());
        }
        let why = format!(
            "these keys were used for {} already: a second log of one key convicts the house. Where nothing of that folder was ever shown, destroy it, and this file",
            known.trim()
        );
        Err(KeyError::Content { path, why })
    }

    /// Copies them into a new data folder, and says whether the operator's token was among them; if not, a new one is
    /// made.
    pub fn copy_to(&self, data: &Path) -> Result<bool, KeyError> {
        let secrets = secrets_dir(data);
        make_private_dir(&secrets)?;
        let kept_in_a_file = std::env::var_os(MASTER_VARIABLE).is_none();
        let names = [MASTER_KEY].into_iter().filter(|_| kept_in_a_file).chain([LOG_KEY, ORIGIN]);
        for name in names {
            write_private(&secrets.join(name), read_private(&self.secrets.join(name))?.as_bytes())?;
        }
        let token = match &self.token {
            Some(path) => read_private(path)?,
            None => hex_line(random32()?),
        };
        write_private(&operator_token_path(data), token.as_bytes())?;
        Ok(self.token.is_some())
    }
}

fn hex_line(bytes: [u8; 32]) -> Zeroizing<String> {
    Zeroizing::new(format!("{}\n", hex::encode(bytes)))
}

/// Loads every key.
pub fn load(data: &Path) -> Result<Keys, KeyError> {
    let secrets = secrets_dir(data);
    let master_path = secrets.join(MASTER_KEY);
    let master = match std::env::var(MASTER_VARIABLE) {
        Ok(text) => parse_hex32(Path::new(MASTER_VARIABLE), &Zeroizing::new(text))?,
        Err(_) if !master_path.exists() => {
            let why = format!("the master key is not there, and {MASTER_VARIABLE} is not set");
            return Err(KeyError::Content { path: master_path, why });
        }
        Err(_) => parse_hex32(&master_path, &read_private(&master_path)?)?,
    };
    let token_path = operator_token_path(data);
    let token = parse_hex32(&token_path, &read_private(&token_path)?)?;
    let (log_seed, origin) = load_log_key(&secrets)?;
    Ok(Keys { master: Master::from_bytes(*master), log_seed, origin, operator_token_hash: token_hash(&token) })
}

/// What a token is kept as.
pub fn token_hash(token: &[u8; 32]) -> TokenHash {
    Sha256::digest(token).into()
}
