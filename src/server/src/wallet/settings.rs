//! Where the operator's wallet is, and how chips come from it: from the options, checked.

use crate::ops::keys;
use crate::witness::address;
use clap::ValueEnum;
use serde::Deserialize;
use std::path::Path;
use zeroize::Zeroizing;

/// The longest token, in bytes.
const MOST_TOKEN: usize = 1_024;

/// When chips come from the wallet and go back.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Style {
    /// When a player asks for it.
    #[default]
    Chips,
    /// With what a player plays for, and back once it has not moved for ten seconds.
    Rounds,
}

/// See the module.
#[derive(Clone)]
pub struct Settings {
    /// Its address, without a slash at the end.
    pub url: String,
    /// What it wants to be shown.
    pub token: Zeroizing<String>,
    pub style: Style,
}

impl Settings {
    /// Those of a service that has a wallet.
    pub fn read(url: Option<&str>, token: Option<&Path>, style: Option<Style>) -> Result<Option<Settings>, String> {
        let Some(url) = url else {
            return match token.is_none() && style.is_none() {
                true => Ok(None),
                false => {
                    Err("--wallet-token and --wallet-style are for a service with a wallet: name it with --wallet"
                        .into())
                }
            };
        };
        if url.contains('@') {
            return Err("--wallet: without a user and a password, which would stand in logs; what the wallet wants to be shown is the token".into());
        }
        let url = address(url.as_bytes())
            .ok_or_else(|| format!("--wallet {url}: http:// or https://, a host, and no query after it"))?;
        let token = token.ok_or("--wallet needs --wallet-token: a file with what the wallet wants to be shown")?;
        let read = keys::read_shared_secret(token).map_err(|error| format!("--wallet-token: {error}"))?;
        let text = read.trim();
        if text.is_empty() || text.len() > MOST_TOKEN || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(format!(
                "--wallet-token {}: it holds no token, which is printable and without blanks",
                token.display()
            ));
        }
        Ok(Some(Settings { url, token: Zeroizing::new(text.to_owned()), style: style.unwrap_or_default() }))
    }
}
