//! Which checkpoint is under submission, to whom it goes next, and whether a quorum has cosigned it. Knows no network
//! and no disk, and takes the time as given.

use super::contact::Failure;
use crate::write::published::Published;
use fairshoe_tlog::Policy;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// At least so long passes between two submissions to one witness.
const BETWEEN_SUBMISSIONS: Duration = Duration::from_secs(1);

/// At least so long passes between two checkpoints that are submitted: a little more than a witness's second, so that
/// one that was late catches up.
const BETWEEN_CANDIDATES: Duration = Duration::from_millis(1050);

/// The longest pause after submissions that failed one after another.
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// A checkpoint under submission. All witnesses are shown the same one, or no quorum would ever be of one tree.
#[derive(Clone)]
pub struct Candidate {
    /// Counts the candidates of this process.
    pub number: u64,
    /// When it was chosen: it was the newest checkpoint then.
    pub chosen: Instant,
    pub published: Arc<Published>,
    /// The log's own time then.
    own_time: Option<String>,
    /// A cosignature line for each witness of the policy that gave one.
    lines: Vec<Option<String>>,
}

impl Candidate {
    /// The checkpoint with the log's own time and the cosignatures it has, by the policy's order.
    pub fn note(&self) -> String {
        let lines = self.own_time.iter().chain(self.lines.iter().flatten()).map(String::as_str);
        std::iter::once(self.published.checkpoint.as_str()).chain(lines).collect()
    }

    fn meets(&self, policy: &Policy) -> bool {
        let of =
            |key| policy.witnesses().iter().position(|witness| witness.key == key).and_then(|at| self.lines.get(at));
        policy.quorum_met(|witness| of(witness.key.clone()).is_some_and(Option::is_some))
    }
}

/// A checkpoint that met the quorum.
#[derive(Clone)]
pub struct Witnessed {
    /// The candidate it was.
    pub number: u64,
    /// Entries under it.
    pub size: u64,
    /// The signed note with its cosignatures.
    pub note: String,
    /// When it was the newest checkpoint; nothing if that was before this machine started.
    pub chosen: Option<Instant>,
}

/// What became of the submissions to one witness.
#[derive(Clone)]
pub struct Member {
    /// Its name in the operator's file.
    pub name: String,
    /// The size it cosigned last for this process.
    pub cosigned_size: Option<u64>,
    /// When, UTC milliseconds.
    pub cosigned_at: Option<u64>,
    /// The kind of failure of the last submission; nothing if it brought a cosignature.
    pub error: Option<&'static str>,
    /// Submissions that failed since the last cosignature.
    pub failures: u32,
    /// Whether the witness says that this log has a second history.
    pub alarm: bool,
    /// Not submitted to again before.
    not_before: Option<Instant>,
}

/// Everything that changes, behind one lock that is never held over a file or a connection.
pub struct State {
    /// The last one or two: a witness may answer for the one before while the newest is under way.
    candidates: VecDeque<Candidate>,
    next_number: u64,
    pub members: Vec<Member>,
    /// Met the quorum and is not kept yet.
    pub to_keep: Option<Witnessed>,
    /// The newest that met the quorum and is kept.
    pub witnessed: Option<Arc<Witnessed>>,
}

impl State {
    pub fn new(policy: &Policy, witnessed: Option<Witnessed>) -> Self {
        let member = |name: &[u8]| Member {
            name: String::from_utf8_lossy(name).into_owned(),
            cosigned_size: None,
            cosigned_at: None,
            error: None,
            failures: 0,
            alarm: false,
            not_before: None,
        };
        State {
            candidates: VecDeque::new(),
            next_number: 1,
            members: policy.witnesses().iter().map(|witness| member(&witness.name)).collect(),
            to_keep: None,
            witnessed: witnessed.map(Arc::new),
        }
    }

    /// Takes the newest checkpoint as the next candidate where it is time: the log has grown, or was idle for long
    /// enough.
    pub fn choose(&mut self, newest: &Arc<Published>, own_time: Option<String>, idle: Duration, now: Instant) {
        let is_due = match self.candidates.back() {
            None => newest.size() > 0,
            Some(last) => {
                let since = now.saturating_duration_since(last.chosen);
                let has_grown = newest.size() > last.published.size();
                since >= BETWEEN_CANDIDATES && (has_grown || since >= idle)
            }
        };
        if is_due {
            let lines = vec![None; self.members.len()];
            self.candidates.push_back(Candidate {
                number: self.next_number,
                chosen: now,
                published: newest.clone(),
                own_time,
                lines,
            });
            self.next_number += 1;
            if self.candidates.len() > 2 {
                self.candidates.pop_front();
            }
        }
    }

    /// The candidate that a witness is to be shown now, if it has not cosigned it and its time has come.
    pub fn task(&mut self, member: usize, now: Instant) -> Option<Candidate> {
        let candidate = self.candidates.back()?;
        let wanted = candidate.lines.get(member).is_some_and(Option::is_none);
        let known = self.members.get_mut(member)?;
        if !wanted || known.not_before.is_some_and(|at| now < at) {
            return None;
        }
        known.not_before = Some(now + BETWEEN_SUBMISSIONS);
        Some(candidate.clone())
    }

    /// Notes what a submission that was begun at `began` brought.
    pub fn record(
        &mut self,
        member: usize,
        task: &Candidate,
        outcome: Result<String, &Failure>,
        policy: &Policy,
        began: Instant,
        now_ms: u64,
    ) {
        let Some(known) = self.members.get_mut(member) else { return };
        match outcome {
            Ok(line) => {
                known.cosigned_size = Some(task.published.size());
                known.cosigned_at = Some(now_ms);
                (known.error, known.failures, known.alarm) = (None, 0, false);
                self.adopt(member, task.number, line, policy);
            }
            Err(failure) => {
                known.error = Some(failure.kind());
                known.alarm = failure.is_alarm();
                known.failures = known.failures.saturating_add(1);
                let doubled = BETWEEN_SUBMISSIONS.saturating_mul(1 << known.failures.min(8).saturating_sub(1));
                known.not_before = Some(began + doubled.min(LONGEST_PAUSE));
            }
        }
    }

    fn adopt(&mut self, member: usize, number: u64, line: String, policy: &Policy) {
        let Some(candidate) = self.candidates.iter_mut().find(|candidate| candidate.number == number) else { return };
        let Some(place) = candidate.lines.get_mut(member) else { return };
        *place = Some(line);
        let newest =
            self.to_keep.iter().map(|note| note.number).chain(self.witnessed.iter().map(|note| note.number)).max();
        if candidate.meets(policy) && newest.is_none_or(|newest| newest <= number) {
            let size = candidate.published.size();
            self.to_keep = Some(Witnessed { number, size, note: candidate.note(), chosen: Some(candidate.chosen) });
        }
    }

    /// The cosigned note of exactly this checkpoint, as far as there is one.
    pub fn note_of(&self, published: &Published) -> Option<String> {
        if let Some(witnessed) = self.witnessed.as_ref().filter(|witnessed| witnessed.size == published.size()) {
            return Some(witnessed.note.clone());
        }
        self.candidates
            .iter()
            .rev()
            .find(|candidate| candidate.published.size() == published.size())
            .map(Candidate::note)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fairshoe_tlog::{Cosigner, Tree, leaf_hash};

    const IDLE: Duration = Duration::from_secs(30);
    const SECOND: Duration = Duration::from_secs(1);

    fn policy(quorum: &str) -> Policy {
        let key = |name: &str| Cosigner::new(name, &[name.len() as u8; 32]).unwrap().verifier_key().to_string();
        let lines = format!("witness a {}\nwitness b {}\ngroup both all a b\nquorum {quorum}\n", key("a"), key("bb"));
        Policy::parse(lines.as_bytes()).unwrap()
    }

    fn published(size: u64) -> Arc<Published> {
        let mut tree = Tree::new();
        (0..size).for_each(|n| drop(tree.append(leaf_hash(&n.to_be_bytes()))));
        Arc::new(Published { tree, checkpoint: format!("checkpoint of {size}\n") })
    }

    fn line(name: &str) -> Result<String, &'static Failure> {
        Ok(format!("line of {name}\n"))
    }

    #[test]
    fn a_quorum_is_of_one_checkpoint() {
        let policy = policy("both");
        let mut state = State::new(&policy, None);
        let start = Instant::now();
        state.choose(&published(5), None, IDLE, start);
        let of_a = state.task(0, start).unwrap();
        let of_b = state.task(1, start).unwrap();
        assert!(state.task(0, start).is_none(), "a second has not passed");
        state.record(0, &of_a, line("a"), &policy, start, 1);
        state.choose(&published(6), None, IDLE, start + 2 * SECOND);
        let newer = state.task(1, start + 2 * SECOND).unwrap();
        assert_eq!(newer.published.size(), 6);
        state.record(1, &newer, line("b"), &policy, start, 2);
        assert!(state.to_keep.is_none(), "each cosigned another one");
        assert_eq!(state.note_of(&published(6)).unwrap(), "checkpoint of 6\nline of b\n");
        // The answer on the one before comes late, and makes its quorum.
        state.record(1, &of_b, line("b"), &policy, start, 3);
        let kept = state.to_keep.take().unwrap();
        assert_eq!((kept.size, kept.note.as_str()), (5, "checkpoint of 5\nline of a\nline of b\n"));
        assert_eq!(kept.chosen, Some(start), "what was logged later is not witnessed");
        state.witnessed = Some(Arc::new(kept));
        // Of two candidates back nothing is taken any more, and never what is older than what is kept.
        let last = state.task(0, start + 3 * SECOND).unwrap();
        state.record(0, &last, line("a"), &policy, start, 4);
        assert_eq!(state.to_keep.take().map(|kept| kept.size), Some(6));
        state.choose(&published(7), None, IDLE, start + 4 * SECOND);
        state.record(1, &of_b, line("b again"), &policy, start, 5);
        assert!(state.to_keep.is_none());
        assert!(state.note_of(&published(8)).is_none());
    }

    #[test]
    fn a_growing_log_gives_one_candidate_a_second_and_an_idle_one_the_same_again() {
        let policy = policy("a");
        let mut state = State::new(&policy, None);
        let start = Instant::now();
        state.choose(&published(0), None, IDLE, start);
        assert!(state.task(0, start).is_none(), "an empty log is not submitted");
        let mut chosen = Vec::new();
        for tenth in 0..700u32 {
            let now = start + tenth * SECOND / 10;
            // Ten entries a second for ten seconds, then none.
            state.choose(&published(1 + u64::from(tenth.min(100))), None, IDLE, now);
            if let Some(task) = state.task(0, now) {
                chosen.push((tenth, task.published.size()));
                state.record(0, &task, line("a"), &policy, now, 1);
            }
        }
        assert!(chosen.windows(2).all(|pair| pair[1].0 - pair[0].0 >= 10), "{chosen:?}");
        assert!((9..=11).contains(&chosen.iter().filter(|(tenth, _)| *tenth < 100).count()), "{chosen:?}");
        let idle: Vec<_> = chosen.iter().filter(|(tenth, _)| *tenth > 112).collect();
        assert!(!idle.is_empty() && idle.iter().all(|(_, size)| *size == 101), "{chosen:?}");
        assert!(idle.len() <= 2, "{chosen:?}");
    }

    #[test]
    fn who_fails_is_asked_less_often_until_he_cosigns() {
        let policy = policy("a");
        let mut state = State::new(&policy, None);
        let mut now = Instant::now();
        state.choose(&published(3), None, IDLE, now);
        for (failures, pause) in [(1, 1), (2, 2), (3, 4), (4, 5), (5, 5)] {
            let task = state.task(0, now).unwrap();
            state.record(0, &task, Err(&Failure::Ahead(9)), &policy, now, 1);
            assert_eq!(
                (state.members[0].failures, state.members[0].error, state.members[0].alarm),
                (failures, Some("ahead"), true)
            );
            assert!(state.task(0, now + pause * SECOND - SECOND / 10).is_none());
            now += pause * SECOND;
        }
        let task = state.task(0, now).unwrap();
        state.record(0, &task, line("a"), &policy, now, 7);
        let member = &state.members[0];
        assert_eq!((member.failures, member.error, member.alarm), (0, None, false));
        assert_eq!((member.cosigned_size, member.cosigned_at), (Some(3), Some(7)));
        assert!(state.task(0, now + 100 * SECOND).is_none(), "he has cosigned it");
        state.choose(&published(4), None, IDLE, now + SECOND + SECOND / 10);
        assert!(state.task(0, now + SECOND + SECOND / 10).is_some());
    }
}
