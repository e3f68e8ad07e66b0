//! Services under TLS: their certificates, clients that trust them, and a tunnel for clients that do not speak it.

use crate::Service;
use std::net::SocketAddr;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tokio::io::copy_bidirectional;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio_rustls::TlsConnector;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::CertificateDer;
use tokio_rustls::rustls::pki_types::pem::PemObject as _;
use tokio_rustls::rustls::{ClientConfig, ClientConnection, RootCertStore};

/// Kinds of keys whose certificates [`trusting`] takes: it takes none that may sign others.
pub const EC: [&str; 5] =
    ["ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-addext", "basicConstraints=critical,CA:FALSE"];
pub const RSA: [&str; 3] = ["rsa:2048", "-addext", "basicConstraints=critical,CA:FALSE"];

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

/// The options of a service that shows the certificate in this folder.
pub fn options(folder: &Path) -> Vec<String> {
    let name = |file: &str| folder.join(file).to_str().unwrap().to_owned();
    vec!["--tls-certificate".into(), name("cert.pem"), "--tls-key".into(), name("key.pem")]
}

/// A service that shows it, with its data in this folder, too; an error is its output instead of a start.
pub fn start(folder: &Path, more: &[&str]) -> Result<Service, String> {
    let options = options(folder);
    let options: Vec<&str> = options.iter().map(String::as_str).chain(more.iter().copied()).collect();
    Service::try_start(&folder.join("data"), &options)
}

/// A client that trusts the certificate in this folder.
pub fn trusting(folder: &Path) -> Arc<ClientConfig> {
    let mut trusts = RootCertStore::empty();
    trusts.add(CertificateDer::from_pem_file(folder.join("cert.pem")).unwrap()).unwrap();
    let client = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()));
    let client = client.with_safe_default_protocol_versions().unwrap();
    Arc::new(client.with_root_certificates(trusts).with_no_client_auth())
}

/// The client's side of a connection that has yet to greet.
pub fn session(client: &Arc<ClientConfig>) -> ClientConnection {
    ClientConnection::new(client.clone(), "127.0.0.1".try_into().unwrap()).unwrap()
}

/// Takes connections without TLS and hands on what comes under TLS, until it is dropped.
pub struct Tunnel {
    pub url: String,
    _runtime: Runtime,
}

impl Tunnel {
    pub fn to(url: &str, client: &Arc<ClientConfig>) -> Tunnel {
        let (runtime, connector) = (Runtime::new().unwrap(), TlsConnector::from(client.clone()));
        let service: SocketAddr = url.strip_prefix("https://").unwrap().parse().unwrap();
        let listener = runtime.block_on(TcpListener::bind("127.0.0.1:0")).unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        runtime.spawn(async move {
            while let Ok((mut near, _)) = listener.accept().await {
                let connector = connector.clone();
                tokio::spawn(async move {
                    let far = TcpStream::connect(service).await?;
                    near.set_nodelay(true)?;
                    far.set_nodelay(true)?;
                    let mut far = connector.connect("127.0.0.1".try_into().unwrap(), far).await?;
                    copy_bidirectional(&mut near, &mut far).await
                });
            }
        });
        Tunnel { url, _runtime: runtime }
    }
}
