//! What the service says outside the log and signs with the log's key: that a command reached it by which a player keeps
//! from losing, or why it refused one (spec/receipts.md, "Received and refused").
//!
//! Owns: the text of these notes, how it is read and verified. Does not own: the signature (the log's crate), when the
//! service writes one, or what a note and a log together show (the auditor).

use crate::entry::has_greater_number;
use crate::{Actor, Command, Signed, TournamentCommand};
use fairshoe_fairness::Origin;
use fairshoe_games::Bet;
use fairshoe_games::MAX_BETS_PER_ROUND;
use fairshoe_tlog::{Note, NoteError, Signer, VerifierKey};
use std::fmt;
use thiserror::Error;

/// The most chips that one bet lists: 1000 of 1 are the most that document 000 lets a player place (R000.3).
pub const MAX_CHIPS_LISTED: usize = 1000;

/// The longest note, in bytes: the longest command, a few short lines and some signatures.
pub const MAX_HOUSE_NOTE: usize = 128 * 1024;

/// The first line of a note that says what was received. The space cannot stand in an origin, so that no checkpoint
/// begins so.
const RECEIVED: &str = "fairshoe received/v1";

/// The first line of a note that says what was refused.
const REFUSED: &str = "fairshoe refused/v1";

/// The greatest time of a note, as of every time beside the entries' own: exact in every language (spec/entries.md).
const MAX_TIME: u64 = (1 << 53) - 1;

/// The longest refusal code, in bytes.
const MAX_CODE: usize = 64;

/// The last line where the player signed nothing.
const UNSIGNED: &str = "-";

/// Why bytes are no note of this kind, or none that counts.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum HouseNoteError {
    /// The note around it is malformed, or its signature does not hold.
    #[error(transparent)]
    Note(#[from] NoteError),
    /// The text is none of the two.
    #[error("line {line} of the note is not what belongs there: {expected}")]
    Line {
        /// Counted from 1.
        line: usize,
        /// What does.
        expected: &'static str,
    },
    /// The command cannot be written: none that an entry holds is such a one.
    #[error("the command cannot be written")]
    Unwritable,
    /// It speaks of another log than the key that signed it.
    #[error("the note is of the log {found}, the key of {expected}")]
    OtherLog {
        /// Its second line.
        found: String,
        /// The key's name.
        expected: String,
    },
}

/// Commands of which the service signs that they came (spec/receipts.md, "Which commands").
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receivable {
    /// A seed, by anyone.
    Seed,
    /// A choice, a bet or a commitment, or that it is taken back: by a player, at a table.
    AtTable,
    /// An entry to a tournament, chips for it, or an answer: by a player.
    OfEvent,
}

impl Receivable {
    /// What a command is, if it is one of them.
    pub fn of(command: &Command) -> Option<Receivable> {
        match command {
            Command::Reveal { .. } | Command::LateSeed { .. } => Some(Receivable::Seed),
            Command::Act { .. }
            | Command::Bet { .. }
            | Command::CancelBet { .. }
            | Command::CommitSeed { .. }
            | Command::CommitHandSeed { .. }
            | Command::WithdrawHandSeed { .. } => Some(Receivable::AtTable),
            Command::Tournament(command) => match command {
                TournamentCommand::RevealSeatSeed { .. } => Some(Receivable::Seed),
                TournamentCommand::Register { .. }
                | TournamentCommand::Unregister { .. }
                | TournamentCommand::Rebuy { .. }
                | TournamentCommand::AddOn { .. }
                | TournamentCommand::AnswerDeal { .. } => Some(Receivable::OfEvent),
                _ => None,
            },
            _ => None,
        }
    }
}

/// A command by which a player keeps from losing reached the service at this time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceivedNote {
    /// The log's name.
    pub origin: Origin,
    /// When, UTC milliseconds by the service's clock.
    pub time: u64,
    /// Who sent it.
    pub by: Actor,
    /// What came: one of those of [`Receivable`].
    pub command: Command,
    /// The player's signature, if one came with it; whether it holds, the note does not say.
    pub signed: Option<Signed>,
}

/// The service refused a command at this time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RefusedNote {
    /// The log's name.
    pub origin: Origin,
    /// When, UTC milliseconds by the service's clock.
    pub time: u64,
    /// Why: a refusal's code (openapi.yaml).
    pub code: String,
    /// Who gave the command.
    pub by: Actor,
    /// What was refused, in the words in which it came.
    pub command: Command,
    /// The player's signature, if one came with it.
    pub signed: Option<Signed>,
}

impl ReceivedNote {
    /// The text that is signed.
    ///
    /// # Errors
    /// [`HouseNoteError::Unwritable`] of a command that no entry can hold.
    pub fn text(&self) -> Result<String, HouseNoteError> {
        let ReceivedNote { origin, time, by, command, signed } = self;
        Ok(format!("{RECEIVED}\n{origin}\n{time}\n{by}\n{}\n{}\n", json(command)?, signature(signed.as_ref())?))
    }

    /// The whole note under the log's key.
    ///
    /// # Errors
    /// [`HouseNoteError`], where the text cannot be a note's; no note made of an entry's parts is such a one.
    pub fn sign(&self, signer: &Signer) -> Result<String, HouseNoteError> {
        sign(&self.text()?, signer)
    }

    /// Reads the text of a note, which must be the one text of what it says.
    ///
    /// # Errors
    /// [`HouseNoteError::Line`].
    pub fn parse(text: &str) -> Result<ReceivedNote, HouseNoteError> {
        match HouseNote::parse(text)? {
            HouseNote::Received(note) => Ok(note),
            HouseNote::Refused(_) => Err(HouseNoteError::Line { line: 1, expected: RECEIVED }),
        }
    }
}

impl RefusedNote {
    /// The text that is signed.
    ///
    /// # Errors
    /// [`HouseNoteError::Unwritable`] of a command that no entry can hold.
    pub fn text(&self) -> Result<String, HouseNoteError> {
        let RefusedNote { origin, time, code, by, command, signed } = self;
        Ok(format!("{REFUSED}\n{origin}\n{time}\n{code}\n{by}\n{}\n{}\n", json(command)?, signature(signed.as_ref())?))
    }

    /// The whole note under the log's key.
    ///
    /// # Errors
    /// [`HouseNoteError`], where the text cannot be a note's; no note made of an entry's parts is such a one.
    pub fn sign(&self, signer: &Signer) -> Result<String, HouseNoteError> {
        sign(&self.text()?, signer)
    }

    /// Reads the text of a note, which must be the one text of what it says.
    ///
    /// # Errors
    /// [`HouseNoteError::Line`].
    pub fn parse(text: &str) -> Result<RefusedNote, HouseNoteError> {
        match HouseNote::parse(text)? {
            HouseNote::Refused(note) => Ok(note),
            HouseNote::Received(_) => Err(HouseNoteError::Line { line: 1, expected: REFUSED }),
        }
    }
}

fn json(command: &Command) -> Result<String, HouseNoteError> {
    if !can_be_logged(command) {
        return Err(HouseNoteError::Unwritable);
    }
    let text = command.to_json().map_err(|_| HouseNoteError::Unwritable)?;
    if has_greater_number(text.as_bytes()) { Err(HouseNoteError::Unwritable) } else { Ok(text) }
}

/// Whether an entry could hold it (spec/entries.md, "Commands"): its bets' count, spots and chips; its numbers
/// are looked at in its text.
fn can_be_logged(command: &Command) -> bool {
    let is_spot = |spot: &str| {
        (1..=32).contains(&spot.len())
            && spot.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b":-".contains(&b))
    };
    let bets: &[Bet] = if let Command::Bet { bets, .. } = command { bets } else { &[] };
    let listed = |bet: &Bet| bet.chips.as_ref().map_or(0, Vec::len);
    bets.len() <= MAX_BETS_PER_ROUND as usize
        && bets.iter().all(|bet| is_spot(&bet.spot) && listed(bet) <= MAX_CHIPS_LISTED)
}

fn signature(signed: Option<&Signed>) -> Result<String, HouseNoteError> {
    signed
        .map_or(Ok(UNSIGNED.to_owned()), |signed| serde_json::to_string(signed).map_err(|_| HouseNoteError::Unwritable))
}

fn sign(text: &str, signer: &Signer) -> Result<String, HouseNoteError> {
    let line = signer.sign(text)?;
    Ok(format!("{text}\n{line}"))
}

/// Either of the two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HouseNote {
    /// A command came.
    Received(ReceivedNote),
    /// A command was refused.
    Refused(RefusedNote),
}

impl HouseNote {
    /// Whether bytes begin like one, so that they are to be read as one.
    pub fn is_meant(bytes: &[u8]) -> bool {
        [RECEIVED, REFUSED]
            .iter()
            .any(|first| bytes.strip_prefix(first.as_bytes()).is_some_and(|rest| rest.starts_with(b"\n")))
    }

    /// Reads a signed note and checks that this log's key signed it as its own.
    ///
    /// # Errors
    /// [`HouseNoteError`]: such a note shows nothing, and accuses nobody.
    pub fn verify(signed: &[u8], key: &VerifierKey) -> Result<HouseNote, HouseNoteError> {
        let note = Note::parse(signed, MAX_HOUSE_NOTE)?;
        note.verified(std::slice::from_ref(key))?;
        let read = HouseNote::parse(note.text())?;
        if read.origin().as_str() != key.name() {
            return Err(HouseNoteError::OtherLog { found: read.origin().to_string(), expected: key.name().to_owned() });
        }
        Ok(read)
    }

    /// Reads the text of a note, which must be the one text of what it says: two texts would be two meanings to
    /// somebody.
    ///
    /// # Errors
    /// [`HouseNoteError::Line`], naming the first line that does not fit.
    pub fn parse(text: &str) -> Result<HouseNote, HouseNoteError> {
        let lines: Vec<&str> = text.strip_suffix('\n').unwrap_or(text).split('\n').collect();
        let wrong = |line: usize, expected| HouseNoteError::Line { line, expected };
        let (origin, time, code, by, command, signed) = match lines.as_slice() {
            [first, origin, time, by, command, signed] if *first == RECEIVED => {
                (*origin, *time, None, *by, *command, *signed)
            }
            [first, origin, time, code, by, command, signed] if *first == REFUSED => {
                (*origin, *time, Some(*code), *by, *command, *signed)
            }
            [first, ..] if [RECEIVED, REFUSED].contains(first) => {
                return Err(wrong(lines.len(), "the note's last line"));
            }
            _ => return Err(wrong(1, "`fairshoe received/v1` or `fairshoe refused/v1`")),
        };
        let last = lines.len();
        let (whose, what) = (last.saturating_sub(2), last.saturating_sub(1));
        let origin = Origin::parse(origin).map_err(|_| wrong(2, "the log's name"))?;
        let time =
            time.parse::<u64>().ok().filter(|time| *time <= MAX_TIME).ok_or(wrong(3, "UTC milliseconds below 2^53"))?;
        if code.is_some_and(|code| !is_code(code)) {
            return Err(wrong(4, "a refusal's code"));
        }
        let by = Actor::parse(by).map_err(|_| wrong(whose, "who gave the command"))?;
        let command =
            Command::parse_json(command.as_bytes()).map_err(|_| wrong(what, "a command as an entry holds it"))?;
        let signed = (signed != UNSIGNED).then(|| serde_json::from_slice::<Signed>(signed.as_bytes())).transpose();
        let signed = signed.map_err(|_| wrong(last, "the player's signature as an entry holds it, or `-`"))?;
        let note = match code {
            None => HouseNote::Received(ReceivedNote { origin, time, by, command, signed }),
            Some(code) => HouseNote::Refused(RefusedNote { origin, time, code: code.to_owned(), by, command, signed }),
        };
        if matches!(note, HouseNote::Received(_)) && Receivable::of(note.command()).is_none() {
            return Err(wrong(what, "a command of which the service signs that it came"));
        }
        let again = note.text()?;
        if again == text {
            Ok(note)
        } else {
            Err(wrong(first_difference(&again, text), "the one spelling of what it says"))
        }
    }

    /// The text that is signed.
    ///
    /// # Errors
    /// [`HouseNoteError::Unwritable`] of a command that no entry can hold.
    pub fn text(&self) -> Result<String, HouseNoteError> {
        match self {
            HouseNote::Received(note) => note.text(),
            HouseNote::Refused(note) => note.text(),
        }
    }

    /// The log's name.
    pub fn origin(&self) -> &Origin {
        match self {
            HouseNote::Received(note) => &note.origin,
            HouseNote::Refused(note) => &note.origin,
        }
    }

    /// When, UTC milliseconds by the service's clock.
    pub fn time(&self) -> u64 {
        match self {
            HouseNote::Received(note) => note.time,
            HouseNote::Refused(note) => note.time,
        }
    }

    /// Who gave the command.
    pub fn by(&self) -> &Actor {
        match self {
            HouseNote::Received(note) => &note.by,
            HouseNote::Refused(note) => &note.by,
        }
    }

    /// What came.
    pub fn command(&self) -> &Command {
        match self {
            HouseNote::Received(note) => &note.command,
            HouseNote::Refused(note) => &note.command,
        }
    }

    /// The player's signature of it, if one came.
    pub fn signed(&self) -> Option<&Signed> {
        match self {
            HouseNote::Received(note) => note.signed.as_ref(),
            HouseNote::Refused(note) => note.signed.as_ref(),
        }
    }
}

impl fmt::Display for HouseNote {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            HouseNote::Received(note) => write!(f, "received from {}", note.by),
            HouseNote::Refused(note) => write!(f, "refused to {} ({})", note.by, note.code),
        }
    }
}

/// A refusal's code: lower-case words joined by underscores.
fn is_code(text: &str) -> bool {
    (1..=MAX_CODE).contains(&text.len())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_')
}

/// The first line, from 1, in which two texts differ.
fn first_difference(one: &str, other: &str) -> usize {
    one.split('\n').zip(other.split('\n')).take_while(|(a, b)| a == b).count().saturating_add(1)
}
