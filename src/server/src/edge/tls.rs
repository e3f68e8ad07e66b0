//! TLS by setting: the certificate and its key, read anew when their files change (spec/operating.md, "TLS").

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer, UnixTime};
use tracing::{info, warn};
use webpki::{EndEntityCert, KeyUsage};

/// How often the files are looked at, while connections come.
const LOOK: Duration = Duration::from_secs(2);

/// A file of certificates, or of a key, is no longer than this, in bytes.
const MAX_FILE: u64 = 1 << 20;

/// The certificate that connections are shown.
pub struct Tls {
    files: Files,
    now: Mutex<Shown>,
}

struct Shown {
    config: Arc<ServerConfig>,
    /// When the certificate that is shown ends, in seconds since 1970.
    ends: Option<u64>,
    /// When the files were changed that are shown, as far as is known.
    changed: Option<(SystemTime, SystemTime)>,
    looked: Instant,
    /// Why they could not be read anew, as was said last.
    said: Option<String>,
}

/// The files of a certificate and its key.
#[derive(Clone, Debug)]
pub struct Files {
    /// The certificate, and those that lead to one that clients trust, in PEM.
    pub certificate: PathBuf,
    /// The certificate's key, in PEM.
    pub key: PathBuf,
}

impl Files {
    /// When each of them was changed: one may come with an older time than the other has.
    fn changed(&self) -> Option<(SystemTime, SystemTime)> {
        let of = |path: &Path| std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok();
        of(&self.certificate).zip(of(&self.key))
    }

    /// Reads the certificate and key that connections are shown, and when the certificate ends.
    fn read(&self) -> Result<(Arc<ServerConfig>, Option<u64>), String> {
        let (chain, key) = (certificates(&self.certificate)?, zeroize::Zeroizing::new(bytes(&self.key)?));
        let ends = chain.first().and_then(ends_at);
        let key = PrivateKeyDer::from_pem_slice(&key)
            .map_err(|e| format!("{}: no private key in PEM: {e}", self.key.display()))?;
        let mut config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|versions| versions.with_no_client_auth().with_single_cert(chain, key))
            .map_err(|e| format!("{}: {e}", self.certificate.display()))?;
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok((Arc::new(config), ends))
    }
}

fn bytes(path: &Path) -> Result<Vec<u8>, String> {
    let named = |e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let metadata = std::fs::metadata(path).map_err(|e| named(&e))?;
    if !metadata.is_file() || metadata.len() > MAX_FILE {
        return Err(named(&"this is no regular file of at most 1 MiB"));
    }
    std::fs::read(path).map_err(|e| named(&e))
}

/// The certificates of a file in PEM; at least one.
///
/// # Errors
/// The fault in it, in words.
pub fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>, String> {
    let all = CertificateDer::pem_slice_iter(&bytes(path)?).collect::<Result<Vec<_>, _>>();
    let all = all.map_err(|e| format!("{}: no certificates in PEM: {e}", path.display()))?;
    if all.is_empty() {
        return Err(format!("{}: it holds no certificate", path.display()));
    }
    Ok(all)
}

/// When a certificate ends, in seconds since 1970. webpki tells it of one that is over, before it looks who issued it: so it
/// is asked about a day that none lives to see.
fn ends_at(certificate: &CertificateDer<'_>) -> Option<u64> {
    let no_end = UnixTime::since_unix_epoch(Duration::from_secs(u64::from(u32::MAX) << 6));
    let usage = KeyUsage::server_auth();
    let algorithms = ring::default_provider().signature_verification_algorithms.all;
    let parsed = EndEntityCert::try_from(certificate).ok()?;
    match parsed.verify_for_usage(algorithms, &[], &[], no_end, usage, None, None) {
        Err(webpki::Error::CertExpired { not_after, .. }) => Some(not_after.as_secs()),
        _ => None,
    }
}

impl Tls {
    /// Reads both files.
    ///
    /// # Errors
    /// The fault in them, in words.
    pub fn open(files: Files) -> Result<Tls, String> {
        let changed = files.changed();
        let (config, ends) = files.read()?;
        let shown = Shown { config, ends, changed, looked: Instant::now(), said: None };
        Ok(Tls { files, now: Mutex::new(shown) })
    }

    /// When the certificate that is shown ends, in seconds since 1970, where it can be told.
    pub fn ends(&self) -> Option<u64> {
        self.now.lock().unwrap_or_else(PoisonError::into_inner).ends
    }

    /// The certificate and key that a connection is shown.
    pub fn config(&self) -> Arc<ServerConfig> {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        if now.looked.elapsed() >= LOOK {
            now.looked = Instant::now();
            self.renew(&mut now);
        }
        now.config.clone()
    }

    /// A certificate that was renewed is shown from now on. Until it can be read the one before stays, and at each look it is
    /// tried again: what was in the way may be a right, which leaves no time at a file. Each reason is said once.
    fn renew(&self, now: &mut Shown) {
        let changed = self.files.changed();
        if changed == now.changed && changed.is_some() {
            return;
        }
        match self.files.read() {
            Ok((config, ends)) => {
                info!(certificate = %self.files.certificate.display(), "the certificate was read anew");
                (now.config, now.ends, now.changed, now.said) = (config, ends, changed, None);
            }
            Err(why) if now.said.as_ref() != Some(&why) => {
                warn!(%why, "the certificate cannot be read anew; the one before is shown");
                now.said = Some(why);
            }
            Err(_) => {}
        }
    }
}
