//! The credentials that a node shows to the servers of an order (spec/cluster.md, "JetStream").
//!
//! Only the servers get the secrets: addresses are stored without them, and `Debug` names only their kind.

use async_nats::{ConnectOptions, ServerAddr};
use nkeys::KeyPair;
use std::fmt;
use std::path::PathBuf;
use zeroize::Zeroizing;

/// The longest file of credentials, in bytes: a JWT with many permissions, and a seed.
const MOST_CREDENTIALS: usize = 64 << 10;

/// The kind of credentials shown.
#[derive(Clone, Default)]
enum Shown {
    #[default]
    Nothing,
    User(String, Zeroizing<String>),
    Token(Zeroizing<String>),
    /// A `.creds` file: a JWT, and the seed that signs for it.
    Credentials(Zeroizing<String>),
    Seed(Zeroizing<String>),
}

/// The credentials of a node; see the module.
#[derive(Clone, Default)]
pub struct Access {
    shown: Shown,
    /// The trusted certificates; absent: the system's.
    authorities: Option<PathBuf>,
}

impl fmt::Debug for Access {
    fn fmt(&self, to: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shown = match self.shown {
            Shown::Nothing => "nothing",
            Shown::User(..) => "a user and a password",
            Shown::Token(_) => "a token",
            Shown::Credentials(_) => "credentials",
            Shown::Seed(_) => "a seed",
        };
        to.debug_struct("Access").field("shown", &shown).field("authorities", &self.authorities).finish()
    }
}

impl Access {
    /// Splits addresses from the part before their `@`, and reads the access that they or a file's text name.
    ///
    /// # Errors
    /// The fault, without any part of the secret.
    pub fn of(
        given: &[String],
        credentials: Option<&str>,
        authorities: Option<PathBuf>,
    ) -> Result<(Vec<String>, Access), String> {
        let mut shown = credentials.map(read_credentials).transpose()?;
        let mut addresses = Vec::with_capacity(given.len());
        for (address, number) in given.iter().zip(1..) {
            let (bare, said) = read_address(address, number)?;
            addresses.push(bare);
            match (&shown, said) {
                (_, Shown::Nothing) => {}
                (None, said) => shown = Some(said),
                (Some(Shown::User(name, password)), Shown::User(other, its)) if (name, password) == (&other, &its) => {}
                (Some(Shown::Token(token)), Shown::Token(other)) if *token == other => {}
                (Some(Shown::Credentials(_) | Shown::Seed(_)), _) => {
                    return Err("--order: without a user, a password or a token where --order-credentials names a file: the servers are shown one of them".into());
                }
                (Some(_), _) => {
                    return Err("--order: the servers of an order know the same users: name the same user and password, or token, in each address, or in one".into());
                }
            }
        }
        let is_tls = addresses.iter().all(|address| address.starts_with("tls://"));
        if authorities.is_some() && !is_tls {
            return Err("--order-ca is for servers under TLS: each address of --order is tls://HOST:PORT then".into());
        }
        Ok((addresses, Access { shown: shown.unwrap_or_default(), authorities }))
    }

    /// The options of a connection with these credentials.
    ///
    /// # Errors
    /// The credentials cannot be read.
    pub(crate) fn options(&self) -> Result<ConnectOptions, String> {
        let options = ConnectOptions::new();
        let options = match &self.shown {
            Shown::Nothing => options,
            Shown::User(name, password) => options.user_and_password(name.clone(), password.to_string()),
            Shown::Token(token) => options.token(token.to_string()),
            Shown::Credentials(text) => options.credentials(text).map_err(|_| self.advice().to_owned())?,
            Shown::Seed(seed) => options.nkey(seed.to_string()),
        };
        Ok(match &self.authorities {
            Some(file) => options.add_root_certificates(file.clone()),
            None => options,
        })
    }

    /// Advice for when the servers refuse this node.
    pub(crate) fn advice(&self) -> &'static str {
        match self.shown {
            Shown::Nothing => {
                "they want to be shown who connects: name a user and a password in --order (nats://USER:PASSWORD@HOST:PORT), a token there (nats://TOKEN@HOST:PORT), or a file with --order-credentials"
            }
            Shown::User(..) => {
                "correct the user and the password in --order: what is no letter and no digit stands there as %XX"
            }
            Shown::Token(_) => "correct the token in --order: what is no letter and no digit stands there as %XX",
            Shown::Credentials(_) => {
                "have the file of --order-credentials made anew: its user must be one of the servers' account, not revoked and not expired, and its seed that user's"
            }
            Shown::Seed(_) => {
                "the seed in the file of --order-credentials must be that of a user whom the servers know"
            }
        }
    }
}

/// A file's text: a `.creds` file, or a user's seed alone.
fn read_credentials(text: &str) -> Result<Shown, String> {
    let text = text.trim();
    if text.len() > MOST_CREDENTIALS {
        return Err(format!("--order-credentials: the file is longer than {MOST_CREDENTIALS} bytes"));
    }
    if KeyPair::from_seed(text).is_ok() {
        return Ok(Shown::Seed(Zeroizing::new(text.to_owned())));
    }
    // The client expects an end of line after the last line, too.
    let whole = Zeroizing::new(format!("{text}\n"));
    let is_whole = ConnectOptions::new().credentials(&whole).is_ok();
    let wrong = "--order-credentials: the file holds no credentials of NATS (a JWT and a seed, as `nsc generate creds` writes them), and no user's seed (SU…)";
    if is_whole { Ok(Shown::Credentials(whole)) } else { Err(wrong.into()) }
}

/// An address without the part before its `@`, and that part.
fn read_address(text: &str, number: usize) -> Result<(String, Shown), String> {
    let wrong = || {
        format!(
            "--order: address {number} is none: nats://HOST:PORT, or tls://HOST:PORT, with USER:PASSWORD@ or TOKEN@ before the host where the servers want it, and nothing after the port; what is no letter and no digit of a password stands there as %XX"
        )
    };
    if !text.contains("://") {
        return Err(wrong());
    }
    let address: ServerAddr = text.parse().map_err(|_| wrong())?;
    let (host, scheme, port) = (address.host().to_owned(), address.scheme().to_owned(), address.port());
    let url = address.into_inner();
    let has_more = !matches!(url.path(), "" | "/") || url.query().is_some() || url.fragment().is_some();
    if host.is_empty() || has_more || !["nats", "tls"].contains(&scheme.as_str()) {
        return Err(wrong());
    }
    let plain = |text: &str| decoded(text).map(Zeroizing::new).ok_or_else(wrong);
    let shown = match (plain(url.username())?, url.password().map(plain).transpose()?) {
        (name, None) if name.is_empty() => Shown::Nothing,
        (token, None) => Shown::Token(token),
        (name, Some(_)) if name.is_empty() => return Err(wrong()),
        (name, Some(password)) => Shown::User(name.to_string(), password),
    };
    let host = if host.contains(':') { format!("[{host}]") } else { host };
    Ok((format!("{scheme}://{host}:{port}"), shown))
}

/// Decodes a text in which `%XX` stands for a byte.
fn decoded(text: &str) -> Option<String> {
    let (mut bytes, mut rest) = (Vec::with_capacity(text.len()), text.bytes());
    while let Some(byte) = rest.next() {
        let digit = |digit: Option<u8>| char::from(digit?).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        bytes.push(match byte {
            b'%' => (digit(rest.next())? << 4) | digit(rest.next())?,
            other => other,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn of(given: &[&str], credentials: Option<&str>) -> Result<(Vec<String>, Access), String> {
        Access::of(&given.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>(), credentials, None)
    }

    #[test]
    fn what_stands_before_the_host_is_shown_and_kept_out_of_the_address() {
        let (addresses, access) =
            of(&["nats://us%40er:pa%3Ass%2C%25@one:4222", "tls://[::1]", "nats://two"], None).unwrap();
        assert_eq!(addresses, ["nats://one:4222", "tls://[::1]:4222", "nats://two:4222"]);
        let Shown::User(name, password) = &access.shown else { panic!("{access:?}") };
        assert_eq!((name.as_str(), password.as_str()), ("us@er", "pa:ss,%"));
        let (addresses, access) = of(&["nats://to%2Fken@one:1", "nats://to%2Fken@two:1"], None).unwrap();
        assert_eq!(addresses, ["nats://one:1", "nats://two:1"]);
        assert!(matches!(&access.shown, Shown::Token(token) if token.as_str() == "to/ken"));
        assert!(matches!(of(&["nats://one"], None).unwrap().1.shown, Shown::Nothing));
        let seed = KeyPair::new(nkeys::Role::User, &[1; 32]).seed();
        assert!(matches!(of(&["nats://one"], Some(&format!("{}\n", *seed))).unwrap().1.shown, Shown::Seed(_)));
    }

    #[test]
    fn what_is_wrong_is_said_without_any_of_it() {
        let seed = KeyPair::new(nkeys::Role::User, &[1; 32]).seed();
        let wrong = [
            (vec!["nats://hidden:s3cret@"], None),
            (vec!["nats://hidden:s3cret@one:99999"], None),
            (vec!["nats://hidden:s3cret%zz@one"], None),
            (vec!["nats://hidden:s3cret%ff@one"], None),
            (vec!["nats://:s3cret@one"], None),
            (vec!["nats://hidden:s3/cret@one"], None),
            (vec!["nats://one/s3cret"], None),
            (vec!["hidden:s3cret@one"], None),
            (vec!["ws://hidden:s3cret@one"], None),
            (vec!["nats://hidden:s3cret@one", "nats://hidden:hidden@two"], None),
            (vec!["nats://s3cret@one", "nats://hidden@two"], None),
            (vec!["nats://s3cret@one"], Some(seed.as_str())),
            (vec!["nats://one"], Some("s3cret")),
            (vec!["nats://one"], Some("SUs3cret")),
        ];
        for (given, credentials) in wrong {
            let said = of(&given, credentials).unwrap_err();
            assert!(!said.contains("s3cret") && !said.contains("hidden") && said.starts_with("--order"), "{said}");
        }
        let said = Access::of(&["nats://one".into()], None, Some("file".into())).unwrap_err();
        assert!(said.contains("tls://"), "{said}");
        let (addresses, access) = of(&["nats://hidden:s3cret@one:1"], None).unwrap();
        let debug = format!("{addresses:?} {access:?}");
        assert!(!debug.contains("s3cret") && !debug.contains("hidden"), "{debug}");
    }
}
