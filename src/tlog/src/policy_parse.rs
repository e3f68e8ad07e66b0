//! Reads a policy file, line by line; `policy` gives it meaning.

use std::collections::HashMap;

use crate::key::{KeyError, KeyType, VerifierKey};
use crate::policy::{MAX_POLICY, MAX_POLICY_NAMES, Node, Policy, PolicyLog, PolicyWitness};
use crate::text::decimal;

/// The predefined name for "no cosignature needed".
const NONE: &[u8] = b"none";

/// Why a policy file is refused; lines are counted from 1.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// Longer than [`MAX_POLICY`].
    #[error("a policy of {length} bytes, more than {MAX_POLICY}")]
    TooLong {
        /// Bytes given.
        length: usize,
    },
    /// An octet the format forbids.
    #[error("octet {octet:#04x} at {offset} is not allowed in a policy")]
    BadOctet {
        /// Its value, as it stands in the file.
        octet: u8,
        /// Where.
        offset: usize,
    },
    /// The last line has no newline: the file may have been cut short.
    #[error("the policy's last line is not terminated")]
    Unterminated,
    /// A line does not begin with log, witness, group or quorum, or has too few or too many items.
    #[error("line {line} is not a policy line")]
    BadLine {
        /// Line number.
        line: usize,
    },
    /// A key that does not parse.
    #[error("line {line}: {source}")]
    BadKey {
        /// Line number.
        line: usize,
        /// Why.
        source: KeyError,
    },
    /// A log's key in place of a witness's, or the reverse.
    #[error("line {line}: the key's signature type does not fit its role")]
    WrongKeyType {
        /// Line number.
        line: usize,
    },
    /// The same public key on two lines of logs and witnesses: *a log that is its own witness*.
    #[error("line {line}: this public key is already listed")]
    DuplicateKey {
        /// Line number.
        line: usize,
    },
    /// A name defined twice, or the reserved name `none` defined.
    #[error("line {line}: this name is already defined or reserved")]
    DuplicateName {
        /// Line number.
        line: usize,
    },
    /// A name that no earlier line defines.
    #[error("line {line}: a name is not defined on an earlier line")]
    UnknownName {
        /// Line number.
        line: usize,
    },
    /// A name that is a group member already: a witness would count twice.
    #[error("line {line}: a name is already a member of a group")]
    MemberTwice {
        /// Line number.
        line: usize,
    },
    /// A threshold that is not `any`, `all` or a decimal from 1 to the number of members.
    #[error("line {line}: the threshold does not fit the group")]
    BadThreshold {
        /// Line number.
        line: usize,
    },
    /// More than [`MAX_POLICY_NAMES`] logs, witnesses or groups.
    #[error("line {line}: more than {MAX_POLICY_NAMES} of its kind")]
    TooMany {
        /// Line number.
        line: usize,
    },
    /// A second quorum line.
    #[error("line {line}: a second quorum")]
    SecondQuorum {
        /// Line number.
        line: usize,
    },
    /// No quorum line.
    #[error("the policy has no quorum line")]
    NoQuorum,
}

impl Policy {
    /// Reads a policy file (spec/receipts.md, "Policy").
    ///
    /// # Errors
    /// [`PolicyError`] naming the first rule broken and its line.
    pub fn parse(bytes: &[u8]) -> Result<Self, PolicyError> {
        if bytes.len() > MAX_POLICY {
            return Err(PolicyError::TooLong { length: bytes.len() });
        }
        let allowed = |octet: u8| matches!(octet, b'\t' | b'\n' | 0x20..=0x7e | 0x80..=0xff);
        if let Some(offset) = bytes.iter().position(|&octet| !allowed(octet)) {
            return Err(PolicyError::BadOctet { octet: bytes[offset], offset });
        }
        // A file cut short could end in a shorter name that is defined too, and so in a weaker quorum.
        if !bytes.is_empty() && !bytes.ends_with(b"\n") {
            return Err(PolicyError::Unterminated);
        }
        let mut reader = Reader::default();
        for (number, line) in bytes.split(|&octet| octet == b'\n').enumerate() {
            let blank = |octet: &u8| matches!(octet, b' ' | b'\t');
            let items: Vec<&[u8]> = line.split(blank).filter(|item| !item.is_empty()).collect();
            reader.line(number + 1, &items)?;
        }
        reader.finish()
    }
}

#[derive(Default)]
struct Reader<'a> {
    logs: Vec<PolicyLog>,
    witnesses: Vec<PolicyWitness>,
    nodes: Vec<Node>,
    /// Each defined name's node, and whether a group has it as a member.
    names: HashMap<&'a [u8], (usize, bool)>,
    quorum: Option<Option<usize>>,
}

impl<'a> Reader<'a> {
    fn line(&mut self, line: usize, items: &[&'a [u8]]) -> Result<(), PolicyError> {
        match items {
            [] => Ok(()),
            [first, ..] if first.starts_with(b"#") => Ok(()),
            [b"log", key] => self.log(line, key, None),
            [b"log", key, url] => self.log(line, key, Some(url)),
            [b"witness", name, key] => self.witness(line, name, key, None),
            [b"witness", name, key, url] => self.witness(line, name, key, Some(url)),
            [b"group", name, threshold, members @ ..] if !members.is_empty() => {
                self.group(line, name, threshold, members)
            }
            [b"quorum", name] => self.quorum(line, name),
            _ => Err(PolicyError::BadLine { line }),
        }
    }

    fn log(&mut self, line: usize, key: &[u8], url: Option<&[u8]>) -> Result<(), PolicyError> {
        let key = parse_key(line, key, KeyType::Ed25519)?;
        self.require_new(line, &key)?;
        if self.logs.len() == MAX_POLICY_NAMES {
            return Err(PolicyError::TooMany { line });
        }
        self.logs.push(PolicyLog { key, url: url.map(<[u8]>::to_vec) });
        Ok(())
    }

    fn witness(&mut self, line: usize, name: &'a [u8], key: &[u8], url: Option<&[u8]>) -> Result<(), PolicyError> {
        let key = parse_key(line, key, KeyType::CosignatureV1)?;
        self.require_new(line, &key)?;
        if self.witnesses.len() == MAX_POLICY_NAMES {
            return Err(PolicyError::TooMany { line });
        }
        self.define(line, name, Node::Witness(self.witnesses.len()))?;
        let url = url.map(<[u8]>::to_vec);
        self.witnesses.push(PolicyWitness { name: name.to_vec(), key, url });
        Ok(())
    }

    fn require_new(&self, line: usize, key: &VerifierKey) -> Result<(), PolicyError> {
        let mut listed = self.logs.iter().map(|log| &log.key).chain(self.witnesses.iter().map(|witness| &witness.key));
        if listed.any(|other| other.public_key() == key.public_key()) {
            return Err(PolicyError::DuplicateKey { line });
        }
        Ok(())
    }

    fn group(
        &mut self,
        line: usize,
        name: &'a [u8],
        threshold: &[u8],
        members: &[&'a [u8]],
    ) -> Result<(), PolicyError> {
        if self.nodes.len() - self.witnesses.len() == MAX_POLICY_NAMES {
            return Err(PolicyError::TooMany { line });
        }
        let mut nodes = Vec::new();
        for member in members {
            let (node, taken) = self.names.get_mut(member).ok_or(PolicyError::UnknownName { line })?;
            if std::mem::replace(taken, true) {
                return Err(PolicyError::MemberTwice { line });
            }
            nodes.push(*node);
        }
        let threshold = match threshold {
            b"any" => 1,
            b"all" => nodes.len(),
            number => std::str::from_utf8(number)
                .ok()
                .and_then(decimal)
                .and_then(|k| usize::try_from(k).ok())
                .filter(|k| (1..=nodes.len()).contains(k))
                .ok_or(PolicyError::BadThreshold { line })?,
        };
        self.define(line, name, Node::Group { threshold, members: nodes })
    }

    fn quorum(&mut self, line: usize, name: &[u8]) -> Result<(), PolicyError> {
        if self.quorum.is_some() {
            return Err(PolicyError::SecondQuorum { line });
        }
        self.quorum = Some(if name == NONE {
            None
        } else {
            let (node, _) = self.names.get(name).ok_or(PolicyError::UnknownName { line })?;
            Some(*node)
        });
        Ok(())
    }

    fn define(&mut self, line: usize, name: &'a [u8], node: Node) -> Result<(), PolicyError> {
        if name == NONE || self.names.contains_key(name) {
            return Err(PolicyError::DuplicateName { line });
        }
        self.names.insert(name, (self.nodes.len(), false));
        self.nodes.push(node);
        Ok(())
    }

    fn finish(self) -> Result<Policy, PolicyError> {
        let quorum = self.quorum.ok_or(PolicyError::NoQuorum)?;
        Ok(Policy { logs: self.logs, witnesses: self.witnesses, nodes: self.nodes, quorum })
    }
}

fn parse_key(line: usize, key: &[u8], role: KeyType) -> Result<VerifierKey, PolicyError> {
    let malformed = PolicyError::BadKey { line, source: KeyError::Malformed };
    let text = std::str::from_utf8(key).map_err(|_| malformed)?;
    let key: VerifierKey = text.parse().map_err(|source| PolicyError::BadKey { line, source })?;
    if key.key_type() != role {
        return Err(PolicyError::WrongKeyType { line });
    }
    Ok(key)
}
