//! One round judged from a file alone: signature, proofs, order, rules, faces (spec/audit.md, "The bundle",
//! "Verdicts").

use super::{Bundle, Proven, RoundFacts, RoundPhase, Soundness, Verdict};
use crate::audit::{Check, Face, FaceClaim, Finding, Known, Replay, decode};
use crate::narrate::{Money, Narrator};
use fairshoe_fairness::{Opening, Origin, TableId};
use fairshoe_house::{Command, Entry, Event, Shoe};
use fairshoe_tlog::{Checkpoint, Hash, VerifierKey, leaf_hash, verify_checkpoint, verify_inclusion};
use std::collections::HashSet;
use std::sync::Arc;

/// Reads a bundle and replays its round: signature, proofs, order, rules, faces (spec/audit.md, "round").
///
/// The end of a story whose reader named no key.
const ON_TRUST: &str = " The log's own key was taken on trust: you named none.";

/// Without `trusted` the bundle's own key is used, and the verdict says so: whoever made the bundle could have made the
/// key. Bytes that are no bundle are not sound, by the check `bundle_form`.
pub fn verify(bytes: &[u8], trusted: Option<&VerifierKey>) -> Verdict {
    match Bundle::parse(bytes) {
        Ok(bundle) => bundle.verify(trusted),
        Err(error) => {
            let finding = Finding::new(Check::BundleForm, error.to_string());
            let story = vec![format!("NOT SOUND. {finding}")];
            Verdict {
                verdict: Soundness::NotSound,
                findings: vec![finding],
                story,
                key: String::new(),
                key_trusted: false,
                round: None,
            }
        }
    }
}

impl Bundle {
    /// The verdict on a bundle that was read; see [`verify`].
    pub fn verify(&self, trusted: Option<&VerifierKey>) -> Verdict {
        let mut trial = Trial {
            bundle: self,
            story: Vec::new(),
            facts: None,
            shoes: Vec::new(),
            faces: Vec::new(),
            proven: Vec::new(),
            revealed: None,
            sealed: false,
        };
        let (verdict, findings) = match trial.run(trusted) {
            Ok(word) => (word, Vec::new()),
            Err(finding) => {
                trial.story.push(format!("NOT SOUND. {finding}"));
                (Soundness::NotSound, vec![finding])
            }
        };
        let key_trusted = trusted.is_some_and(|key| key.to_string() == self.vkey);
        Verdict { verdict, findings, story: trial.story, key: self.vkey.clone(), key_trusted, round: trial.facts }
    }
}

/// An entry read out of a bundle.
struct Item {
    index: u64,
    entry: Entry,
    in_context: bool,
}

struct Trial<'b> {
    bundle: &'b Bundle,
    story: Vec<String>,
    facts: Option<RoundFacts>,
    /// The shoes of the bundle, in order: one, or a game's piles.
    shoes: Vec<Arc<Shoe>>,
    /// Faces of shoes whose seed is not out.
    faces: Vec<FaceClaim>,
    /// Faces that a published seed has proven.
    proven: Vec<FaceClaim>,
    /// The entry that retired the shoe: that published its seed, or sealed it.
    revealed: Option<u64>,
    /// The shoe was sealed: its seed stays secret, and openings prove what was shown.
    sealed: bool,
}

impl Trial<'_> {
    fn run(&mut self, trusted: Option<&VerifierKey>) -> Result<Soundness, Finding> {
        let checkpoint = self.check_signature(trusted)?;
        let items = self.read_entries(&checkpoint)?;
        self.check_context(&items, &checkpoint)?;
        self.replay(&items, &checkpoint)?;
        self.check_openings()?;
        Ok(self.conclude(trusted.is_some()))
    }

    fn table(&self) -> &TableId {
        &self.bundle.round.table
    }

    fn check_signature(&mut self, trusted: Option<&VerifierKey>) -> Result<Checkpoint, Finding> {
        let named: VerifierKey =
            self.bundle.vkey.parse().map_err(|e| Finding::new(Check::Key, format!("the bundle's key is none: {e}")))?;
        if let Some(trusted) = trusted.filter(|trusted| **trusted != named) {
            return Err(Finding::new(
                Check::Key,
                format!("the trusted key is {trusted}, the bundle is of the key {named}"),
            ));
        }
        let checkpoint = verify_checkpoint(&self.bundle.checkpoint, &named)
            .map_err(|e| Finding::new(Check::Checkpoint, e.to_string()))?;
        self.story.push(format!(
            "The log {} vouches for {} entries under root {}.",
            checkpoint.origin, checkpoint.size, checkpoint.root
        ));
        self.story.push(match trusted {
            Some(_) => format!("It is signed with the key you trust: {named}"),
            None => {
                format!("It is signed with the key {named}. Nobody vouched for this key here: compare it with the one you know the log by.")
            }
        });
        Ok(checkpoint)
    }

    fn read_entries(&self, checkpoint: &Checkpoint) -> Result<Vec<Item>, Finding> {
        let mut items = Vec::new();
        for (list, in_context) in [(&self.bundle.context, true), (&self.bundle.entries, false)] {
            for proven in list {
                let entry = read(proven, checkpoint)?;
                items.push(Item { index: proven.index, entry, in_context });
            }
            if let Some(pair) = list.windows(2).find(|pair| matches!(pair, [a, b] if a.index >= b.index)) {
                let index = pair.last().map(|proven| proven.index).unwrap_or_default();
                return Err(Finding::at(
                    Check::BundleOrder,
                    index,
                    Some(self.table()),
                    "the entries' indices do not ascend",
                ));
            }
        }
        items.sort_by_key(|item| item.index);
        if let Some(twice) =
            items.windows(2).find(|pair| matches!(pair, [a, b] if a.index == b.index)).and_then(<[Item]>::first)
        {
            return Err(Finding::at(
                Check::BundleOrder,
                twice.index,
                Some(self.table()),
                "the entry is in the bundle twice",
            ));
        }
        Ok(items)
    }

    /// Checks the facts before the shoe: the table's rules and the epoch its seeds are bound to.
    fn check_context(&self, items: &[Item], checkpoint: &Checkpoint) -> Result<(), Finding> {
        let table = self.table();
        let missing = |what: &str| Err(Finding::new(Check::BundleContext, format!("the bundle does not hold {what}")));
        let Some(first) = items.iter().find(|item| !item.in_context) else { return missing("any entry of the table") };
        let last = items.iter().rfind(|item| !item.in_context).map(|item| item.index).unwrap_or_default();
        let (mut opened, mut started) = (0, 0);
        for item in items {
            let at = |check, what: String| Err(Finding::at(check, item.index, item.entry.command.table(), what));
            match &item.entry.command {
                Command::StartDealer { origin, .. } if item.in_context => {
                    if origin.as_str() != checkpoint.origin {
                        return at(
                            Check::Origin,
                            format!(
                                "the dealer starts on the log `{origin}`, the checkpoint is of `{}`",
                                checkpoint.origin
                            ),
                        );
                    }
                    if item.index > last {
                        return at(
                            Check::BundleContext,
                            "this start of the dealer is after all entries of the table".into(),
                        );
                    }
                    started += usize::from(item.index < first.index);
                }
                Command::OpenTable { table: opens, .. } | Command::OpenEventTable { table: opens, .. }
                    if item.in_context && opens == table && item.index < first.index =>
                {
                    opened += 1
                }
                Command::CreatePlayer { key: Some(_), .. } | Command::SetKey { .. }
                    if item.in_context && item.index > last =>
                {
                    return at(Check::BundleContext, "this key was set after all entries of the table".into());
                }
                Command::CreatePlayer { key: Some(_), .. } | Command::SetKey { .. } if item.in_context => {}
                _ if item.in_context => {
                    let what =
                        "this entry is neither the table's opening, nor a start of the dealer, nor does it set a key";
                    return at(Check::BundleContext, what.into());
                }
                command if command.table() != Some(table) => {
                    return at(Check::BundleOrder, format!("this entry is not of table {table}"));
                }
                _ => {}
            }
        }
        match (opened, started) {
            (1, 1) => Ok(()),
            (0, _) => missing("the table's opening"),
            (_, 0) => missing("the dealer's start before the shoe was committed"),
            _ => Err(Finding::new(
                Check::BundleContext,
                "the bundle holds the table's opening or the start before the shoe more than once",
            )),
        }
    }

    fn replay(&mut self, items: &[Item], checkpoint: &Checkpoint) -> Result<(), Finding> {
        // The table may have been opened before the first start that the bundle holds; its owner signed for this log.
        let mut replay = Replay::partial(Origin::parse(&checkpoint.origin).ok());
        let mut narrator = Narrator::default();
        let (mut standing, mut known) = (false, Known::default());
        for Item { index, entry, in_context } in items {
            if !in_context && !standing {
                self.stand_at(&mut replay, *index, entry, items)?;
                standing = true;
            }
            if let Some(revealed) = self.revealed.filter(|_| !in_context) {
                let what = format!("the shoe was retired in entry {revealed}; what follows is not of this bundle");
                return Err(Finding::at(Check::BundleOrder, *index, Some(self.table()), what));
            }
            let lines = narrator.entry(entry);
            self.story.extend(
                lines.into_iter().enumerate().map(|(n, line)| if n == 0 { format!("[{index}] {line}") } else { line }),
            );
            let checks = replay.step(*index, entry)?;
            replay.memory.take_once().into_iter().try_for_each(|once| known.first_time(once))?;
            self.follow(&replay, *index, entry);
            for check in checks {
                self.proven.extend(check.claims.faces.iter().copied());
                check.run().finding().cloned().map_or(Ok(()), Err)?;
            }
        }
        self.faces = replay.memory.shoes.values().flat_map(|claims| &claims.faces).copied().collect();
        // The shoes are in no order; what is said of the faces begins with the first that was shown.
        self.faces.sort_by_key(|claim| (claim.entry, claim.shoe_no));
        if self.facts.is_none() {
            return Err(Finding::new(
                Check::BundleRound,
                format!("the bundle does not hold round {}", self.bundle.round),
            ));
        }
        Ok(())
    }

    /// How the table stands before the first entry is that entry's word.
    fn stand_at(&self, replay: &mut Replay, index: u64, entry: &Entry, items: &[Item]) -> Result<(), Finding> {
        if !entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. })) {
            let what = "the first entry of the table does not commit the round's shoe";
            return Err(Finding::at(Check::BundleOrder, index, Some(self.table()), what));
        }
        let impossible = |why| {
            let what = format!("no table of these rules stands as the entry states it: {why}");
            Finding::at(Check::TableNoted, index, Some(self.table()), what)
        };
        // The opening, or the start after it, at which the table was put in order before anything else.
        let context = items.iter().filter(|item| item.in_context && item.index < index);
        let earliest = context.filter(|item| opens_or_starts(&item.entry.command));
        replay
            .piece
            .stand_before(entry, earliest.map(|item| item.entry.time).max().unwrap_or_default())
            .map_err(impossible)
    }

    fn follow(&mut self, replay: &Replay, index: u64, entry: &Entry) {
        let id = &self.bundle.round;
        if let Some(table) = replay.piece.table(&id.table) {
            if let Some(round) = table.round.as_ref().filter(|round| round.round_no == id.round_no) {
                self.facts = Some(RoundFacts::of(id, &table.rules.name, round));
            }
            if let Some(shoe) = table
                .shoe
                .as_ref()
                .filter(|shoe| self.shoes.last().is_none_or(|last| last.id.shoe_no != shoe.id.shoe_no))
            {
                self.shoes.push(shoe.clone());
            }
        } else if let Some(facts) = &mut self.facts {
            facts.void_at_close(entry);
        }
        // In mid-game an unused pile is revealed and the game goes on; what ends the shoe's history comes between
        // rounds, or with the end of the table.
        let in_play = replay.piece.table(&id.table).is_some_and(|table| table.live_round().is_some());
        let sealed = entry.events.iter().any(|event| matches!(event, Event::ShoeSealed { .. }));
        if !in_play && (sealed || entry.events.iter().any(|event| matches!(event, Event::ShoeRevealed { .. }))) {
            self.revealed = Some(index);
            self.sealed = sealed;
        }
    }

    /// Before the seed is out every face shown must be opened, at its slot, against the root of the candidate dealt.
    fn check_openings(&self) -> Result<(), Finding> {
        let table = Some(self.table());
        let openings = &self.bundle.openings;
        let mut shown: Vec<&FaceClaim> = self.faces.iter().chain(&self.proven).collect();
        shown.sort_by_key(|claim| (claim.shoe_no, claim.entry));
        let mut opened_before = HashSet::new();
        for opening in openings {
            let extra = |what: &str| Err(Finding::new(Check::OpeningExtra, format!("slot {} {what}", opening.slot)));
            let wrong = |claim: &FaceClaim, what: String| Err(Finding::at(Check::Opening, claim.entry, table, what));
            // A game of several piles shows a slot number once in each: an opening is of the pile to whose root it
            // leads.
            let mut of_slot = shown.iter().filter(|claim| claim.slot == opening.slot);
            let proven = of_slot.clone().find_map(|claim| Some((claim, self.opened(opening, claim)?)));
            match (proven, of_slot.next()) {
                (Some((claim, Err(what))), _) => return wrong(claim, what),
                (Some((claim, Ok(()))), _) if !opened_before.insert((claim.shoe_no, claim.slot)) => {
                    return extra("is opened twice");
                }
                (Some(_), _) => {}
                (None, Some(claim)) if !self.leads_to_a_pile(opening) => {
                    return wrong(
                        claim,
                        format!("the opening of slot {} leads to no root that was committed", opening.slot),
                    );
                }
                (None, _) => return extra("is opened, no entry shows its face"),
            }
        }
        let opened = |claim: &FaceClaim| openings.iter().any(|opening| self.opened(opening, claim) == Some(Ok(())));
        let unopened = self.faces.iter().find(|claim| !opened(claim));
        match unopened.filter(|_| self.revealed.is_none()) {
            Some(claim) => {
                let what = format!(
                    "{} was shown from slot {}, the seed is not out, and the bundle has no opening of that slot",
                    claim.face, claim.slot
                );
                Err(Finding::at(Check::OpeningMissing, claim.entry, table, what))
            }
            None => Ok(()),
        }
    }

    /// Whether an opening is of the slot that an entry shows: it leads there, to the root of the candidate dealt; then,
    /// whether it holds that face.
    fn opened(&self, opening: &Opening, claim: &FaceClaim) -> Option<Result<(), String>> {
        let shoe = self.shoes.iter().find(|shoe| shoe.id.shoe_no == claim.shoe_no)?;
        let committed = shoe.candidates.get(usize::from(claim.candidate))?;
        if opening.slot != claim.slot || opening.verify(&committed.root, &shoe.id.composition).is_err() {
            return None;
        }
        if opening.value == claim.face.value() {
            return Some(Ok(()));
        }
        let other = match claim.face {
            Face::Wheel(_) => opening.value.to_string(),
            Face::Card(_) => opening.card().map_or_else(|| "no card".to_owned(), |card| card.to_string()),
        };
        Some(Err(format!("slot {} was shown as {}, its opening holds {other}", claim.slot, claim.face)))
    }

    /// Whether an opening leads to the root of a pile of a game that has several, of one candidate each.
    fn leads_to_a_pile(&self, opening: &Opening) -> bool {
        let leads = |shoe: &Shoe| match shoe.candidates.as_slice() {
            [committed] => opening.verify(&committed.root, &shoe.id.composition).is_ok(),
            _ => false,
        };
        self.shoes.iter().any(|shoe| leads(shoe))
    }

    fn conclude(&mut self, is_trusted: bool) -> Soundness {
        let shown = self.faces.len() + self.proven.len();
        let shoe_no = self.shoes.last().map(|shoe| shoe.id.shoe_no).unwrap_or_default();
        self.story.push(match self.revealed {
            Some(entry) if self.sealed => format!(
                "Shoe {shoe_no} was sealed in entry {entry}: folded hands stay private. All {shown} faces shown are opened there against the root committed before any seed was revealed, and the deck that was not dealt is proven proper by its seed."
            ),
            Some(entry) => format!(
                "The seed of shoe {shoe_no}, out in entry {entry}, opens its commitment; the proper shoe it orders has the committed root; all {shown} faces shown are the ones in their slots."
            ),
            None => format!("The seed of shoe {shoe_no} is not out yet. Each of the {shown} faces shown is opened against the root committed before the bets."),
        });
        self.story.push("Every slot follows from the players' seeds, every event and payment from the rules.".into());
        self.story.push(
            "Balances before the round, and how the table stood, are the log's statement: a bundle holds one table's entries; a check of the whole log covers them."
                .into(),
        );
        let Some(facts) = &self.facts else { return Soundness::NotSound };
        self.story.extend(facts.sums_in_words(&Money::default()));
        let done = facts.is_over() && self.revealed.is_some();
        let word = if done { Soundness::Sound } else { Soundness::SoundSoFar };
        let mut end = match (word, facts.phase) {
            (Soundness::Sound, RoundPhase::Voided) => {
                format!("SOUND. Round {} is void, as its cause demands; what was dealt is as committed.", facts.id)
            }
            (Soundness::Sound, _) => format!("SOUND. Round {} was dealt and paid as committed.", facts.id),
            _ => {
                format!(
                    "SOUND SO FAR. Everything shown of round {} holds; ask again when it is over and the shoe's seed is out.",
                    facts.id
                )
            }
        };
        // A reader of the last line alone has to know whose log it is, too.
        if !is_trusted {
            end.push_str(ON_TRUST);
        }
        self.story.push(end);
        word
    }
}

/// Checks that the entry is under the checkpoint at its index, and reads it.
fn read(proven: &Proven, checkpoint: &Checkpoint) -> Result<Entry, Finding> {
    let bytes = proven.entry.as_bytes();
    let path: Vec<Hash> = proven.proof.iter().map(|hash| hash.0).collect();
    verify_inclusion(&leaf_hash(bytes), proven.index, checkpoint.size, &path, &checkpoint.root).map_err(|e| {
        Finding::at(Check::Inclusion, proven.index, None, format!("the entry is not under the checkpoint: {e}"))
    })?;
    decode(proven.index, bytes)
}

/// Whether a command opens a table, or starts the dealer.
fn opens_or_starts(command: &Command) -> bool {
    matches!(command, Command::OpenTable { .. } | Command::OpenEventTable { .. } | Command::StartDealer { .. })
}
