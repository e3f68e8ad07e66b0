//! Certificates for services under TLS.

use std::path::Path;
use std::process::Command;

/// Makes a certificate for 127.0.0.1 and its key with openssl; false without openssl.
pub fn certificate(folder: &Path) -> bool {
    certificate_by(Command::new("openssl"), folder)
}

/// The same, with a caller's command that ends in openssl.
pub fn certificate_by(command: Command, folder: &Path) -> bool {
    certificate_for(command, &["ec", "-pkeyopt", "ec_paramgen_curve:P-256"], folder)
}

/// The same for a key of this kind.
pub fn certificate_for(mut command: Command, key_kind: &[&str], folder: &Path) -> bool {
    let (key, cert) = (folder.join("key.new"), folder.join("cert.new"));
    command.args(["req", "-x509", "-newkey"]).args(key_kind).args(["-nodes", "-days", "2"]);
    command.args(["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout"]).arg(&key);
    let Ok(output) = command.arg("-out").arg(&cert).output() else { return false };
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    // The key first: a service that looks in between sees two files that do not match, and looks again.
    std::fs::rename(key, folder.join("key.pem")).unwrap();
    std::fs::rename(cert, folder.join("cert.pem")).unwrap();
    true
}
