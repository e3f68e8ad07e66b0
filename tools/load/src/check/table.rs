//! A table followed by one of its players from entry to entry: order, time, bets, shoes and deadlines
//! (spec/games/shared-tables.md). Rounds, seats, shoes and money are checked in the files beside it.

use super::answers::answers;
use super::dealing::Watched;
use super::flaw::same;
use super::money::Money;
use super::round::RoundCheck;
use super::seats::Seats;
use super::{Flaw, OnLog, Progress, ShoeCheck, Signers};
use fairshoe_api::ShownOpening;
use fairshoe_fairness::{Epoch, Origin, PlayerId, TableContext, TableId};
use fairshoe_games::{Chips, Crash, Decision, Mode, Offer, Reshuffle, RuleSet};
use fairshoe_house::{Account, Actor, Command, Entry, Event, Lapsed, PlacedBet, RetireCause, Signed, VoidCause};
use fairshoe_tlog::Hash;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// So many of the table's last entries are remembered, to recognise one that comes twice.
const REMEMBERED: usize = 512;

/// A betting window.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub round_no: u64,
    /// Absent at a solo table.
    pub closes_at: Option<u64>,
    /// Ascending by player.
    pub bets: Vec<PlacedBet>,
    /// Who is asked for their bet, so that the window does not close early without it.
    pub expected: BTreeSet<PlayerId>,
}

impl Window {
    /// A player's bets in it.
    pub fn of(&self, player: &PlayerId) -> Option<&PlacedBet> {
        self.bets.iter().find(|bet| bet.player == *player)
    }

    /// Places bets, in place of those the player placed before.
    pub fn put(&mut self, bet: PlacedBet) {
        self.bets.retain(|one| one.player != bet.player);
        let at = self.bets.partition_point(|one| one.player < bet.player);
        self.bets.insert(at, bet);
    }
}

/// A table followed by one of its players: every event of its entries must be the one that the rules, the public order,
/// the opened cards and the players' own choices leave no choice about.
///
/// It shares the engines with the house and not its decisions, so that a house that decides wrongly is found out.
pub struct TableCheck {
    pub(super) me: PlayerId,
    pub(super) table: TableId,
    pub(super) rules: Arc<RuleSet>,
    origin: Origin,
    /// In force; unknown after a restart, until it is said.
    epoch: Option<Epoch>,
    pub(super) money: Money,
    /// What was asked of the house in the player's name and is not on the log yet.
    sent: Vec<(Command, Option<Signed>)>,
    /// The keys of the run's players, where they sign, and the last nonce of each at this table.
    signers: Option<Arc<Signers>>,
    nonces: HashMap<PlayerId, u64>,
    next_seq: Option<u64>,
    pub(super) last_time: u64,
    pub(super) next_shoe: Option<u64>,
    pub(super) next_round: Option<u64>,
    pub(super) shoe: Option<ShoeCheck>,
    /// The log index of the entry that committed the shoe in use.
    pub(super) shoe_at: u64,
    pub(super) seats: Seats,
    pub(super) window: Option<Window>,
    pub(super) round: Option<RoundCheck>,
    /// Who bet in the shoe's last round; `None` before its first (C11).
    pub(super) bettors: Option<BTreeSet<PlayerId>>,
    pub(super) last_hand: bool,
    pub(super) last_hand_due: bool,
    /// The operator asked for a shuffle after this hand.
    pub(super) shuffle_asked: bool,
    /// A posting before the event that explains it was made.
    pub(super) prepaid: bool,
    /// A round ended in this entry: whether its shoe leaves then, and with which cause.
    pub(super) ended: Option<Option<Option<RetireCause>>>,
    pub(super) closed: bool,
    /// Who is missing from the last shuffle, which failed, and not yet out.
    pub(super) absent: Vec<PlayerId>,
    applied: BTreeMap<u64, (u64, Hash)>,
}

impl TableCheck {
    /// A table from its first entry on, or (`seq`) from the one that commits the shoe of its next round.
    pub fn new(me: PlayerId, funds: Chips, table: TableId, rules: Arc<RuleSet>, origin: Origin, seq: u64) -> Self {
        let first = seq == 0;
        TableCheck {
            money: Money::new(me.clone(), funds),
            me,
            table,
            rules,
            origin,
            epoch: None,
            sent: Vec::new(),
            signers: None,
            nonces: HashMap::new(),
            next_seq: Some(seq),
            last_time: 0,
            next_shoe: first.then_some(0),
            next_round: first.then_some(0),
            shoe: None,
            shoe_at: 0,
            seats: Seats::new(first),
            window: None,
            round: None,
            bettors: None,
            last_hand: false,
            last_hand_due: false,
            shuffle_asked: false,
            prepaid: false,
            ended: None,
            closed: false,
            absent: Vec::new(),
            applied: BTreeMap::new(),
        }
    }

    /// From now on what stands in the name of one of these must be signed with their key.
    pub fn signed_by(&mut self, signers: Arc<Signers>) {
        self.signers = Some(signers);
    }

    /// The name of the table that is followed.
    pub fn table(&self) -> &TableId {
        &self.table
    }

    /// The number of the entry that comes next.
    pub fn next_seq(&self) -> u64 {
        self.next_seq.unwrap_or_default()
    }

    /// The player's balance.
    pub fn funds(&self) -> Chips {
        self.money.funds()
    }

    /// The player's balance after chips came from elsewhere.
    pub fn credited(&mut self, balance: Chips) {
        self.money.credited(balance);
    }

    /// The same eyes under another name: a newcomer without chips, seat and bets.
    pub fn become_player(&mut self, me: PlayerId) {
        self.money.become_player(me.clone());
        self.me = me;
        self.sent.clear();
    }

    /// Whether the entry commits a shoe under an epoch that is not known here: [`TableCheck::epoch_is`] goes before.
    pub fn needs_epoch(&self, entry: &Entry) -> bool {
        let commits = entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. }));
        commits && (self.epoch.is_none() || matches!(entry.command, Command::Recover { .. }))
    }

    /// The epoch in force.
    pub fn epoch_is(&mut self, epoch: Epoch) {
        self.epoch = Some(epoch);
    }

    /// Notes what is about to be asked of the house in the player's name: nothing else may stand in their name on the
    /// log.
    pub fn send(&mut self, command: Command) {
        self.send_signed(command, None);
    }

    /// The same with the signature that goes with it.
    pub fn send_signed(&mut self, command: Command, signed: Option<Signed>) {
        // What was never accepted is of no use once so much came after it.
        if self.sent.len() >= 32 {
            self.sent.remove(0);
        }
        self.sent.push((command, signed));
    }

    /// Whether the entry was replayed already; that it is the same one is checked.
    ///
    /// # Errors
    /// [`Flaw::TwoEntries`] when another entry was seen at its place.
    pub fn knows(&self, on_log: &OnLog) -> Result<bool, Flaw> {
        let Some(at) = &on_log.entry.at else { return Ok(false) };
        match self.applied.get(&at.seq) {
            Some(seen) if *seen != (on_log.index, on_log.leaf) => Err(Flaw::TwoEntries { seq: at.seq }),
            Some(_) => Ok(true),
            None => Ok(self.next_seq.is_some_and(|next| at.seq < next)),
        }
    }

    /// Replays one entry of the table, with the openings that came with it or later.
    ///
    /// # Errors
    /// [`Flaw`] naming the first thing that is not as it must be.
    pub fn apply(&mut self, on_log: &OnLog, openings: &[ShownOpening]) -> Result<(), Flaw> {
        let entry = &on_log.entry;
        self.in_its_place(entry)?;
        self.in_my_name(entry)?;
        if let Some(signers) = &self.signers {
            signers.check(&self.origin, entry, &mut self.nonces)?;
        }
        self.money.begin(&entry.before)?;
        (self.prepaid, self.ended) = (false, None);
        if matches!(entry.command, Command::Recover { .. }) {
            self.epoch = None;
            if let Some(shoe) = &mut self.shoe {
                shoe.outdated = true;
            }
        }
        for (at, event) in entry.events.iter().enumerate() {
            self.event(on_log, event, entry.events.get(at + 1), openings)?;
        }
        self.at_rest(entry)?;
        let seq = entry.at.as_ref().map(|at| at.seq).unwrap_or_default();
        self.next_seq = seq.checked_add(1);
        self.last_time = entry.time;
        while self.applied.len() >= REMEMBERED {
            self.applied.pop_first();
        }
        self.applied.insert(seq, (on_log.index, on_log.leaf));
        Ok(())
    }

    fn in_its_place(&self, entry: &Entry) -> Result<(), Flaw> {
        let at = entry.at.as_ref();
        same("the entry's table", &Some(&self.table), &at.map(|at| &at.table))?;
        same("the command's table", &Some(&self.table), &entry.command.table())?;
        match (self.next_seq, at.map(|at| at.seq)) {
            (Some(expected), Some(found)) if expected != found => return Err(Flaw::Gap { expected, found }),
            _ => {}
        }
        if entry.time < self.last_time {
            return Err(Flaw::differs("the entry's time", format!("at least {}", self.last_time), entry.time));
        }
        Ok(())
    }

    /// What stands in the player's name is what they asked for, once each time they asked.
    fn in_my_name(&mut self, entry: &Entry) -> Result<(), Flaw> {
        if entry.by != Actor::Player(self.me.clone()) {
            return Ok(());
        }
        let asked = self.sent.iter().position(|(sent, signed)| *sent == entry.command && *signed == entry.signed);
        let asked = asked.ok_or_else(|| Flaw::Misplaced {
            event: format!("in {}'s name the command {}", self.me, text(&entry.command)),
        })?;
        self.sent.remove(asked);
        Ok(())
    }

    /// At the end of an entry the command was answered, nothing is owed, and the round waits for a choice or is over.
    fn at_rest(&mut self, entry: &Entry) -> Result<(), Flaw> {
        // A table without shoe and round has nothing to recover.
        let nothing_to_say = matches!(entry.command, Command::Recover { .. }) && entry.by == Actor::House;
        let answered = nothing_to_say || entry.events.iter().any(|event| answers(entry, event));
        same("whether the command was carried out", &true, &answered)?;
        self.money.nothing_owed("what is owed at the end of the entry")?;
        same("whether the cut card was announced", &false, &self.last_hand_due)?;
        self.seats.at_rest()?;
        if let Some(due) = self.ended {
            let needed = self.shoe.is_some() || self.round.as_ref().is_some_and(|round| !round.piles.is_empty());
            return same("whether the shoe is revealed", &due.is_some(), &!needed);
        }
        let Some(round) = self.live_round() else { return Ok(()) };
        match (round.progress, &round.pile) {
            (Progress::AwaitingReveals, _) => {
                same("whether the round waits for seeds", &false, &round.missing().is_empty())
            }
            (_, Some(pile)) => same("whether the pile waits for its players", &false, &pile.missing().is_empty()),
            _ => {
                let waits = matches!(round.game.step(&Watched::new(round, self.dealt_from(), &self.money)), Ok(None));
                let over = round.game.is_settled() || round.game.needs_pile().is_some();
                if !waits || over {
                    return Err(Flaw::Stalled);
                }
                let is_lapse = matches!(entry.command, Command::Lapse { lapsed: Lapsed::Turn, .. });
                let late = |open: &Decision| is_lapse && round.deadline_of(open) <= entry.time;
                same(
                    "the decisions left to lapse",
                    &None,
                    &round.game.open_decisions().into_iter().find(late).map(|open| open.number),
                )
            }
        }
    }

    /// Whether the shoe leaves after a round that ended so, and with which cause (C11).
    pub(super) fn retirement(&self, void: Option<VoidCause>) -> Option<Option<RetireCause>> {
        let reshuffle = self.rules.table.reshuffle;
        let shoe = self.shoe.as_ref();
        match void {
            _ if reshuffle == Reshuffle::EveryRound => Some(None),
            Some(VoidCause::Crash) => Some(Some(RetireCause::Restart)),
            Some(VoidCause::ShoeExhausted) => Some(Some(RetireCause::Exhausted)),
            _ if self.shuffle_asked => Some(Some(RetireCause::HouseShuffle)),
            _ if shoe.is_some_and(|shoe| shoe.outdated) => Some(Some(RetireCause::Restart)),
            _ if shoe.is_some_and(|shoe| reshuffle.is_due(shoe.undrawn.len())) => Some(Some(RetireCause::Threshold)),
            _ => None,
        }
    }

    /// A new shoe's context.
    pub(super) fn new_context(&self) -> Result<TableContext, Flaw> {
        let epoch = self.epoch.ok_or(Flaw::EpochUnknown)?;
        Ok(TableContext { origin: self.origin.clone(), table: self.table.clone(), epoch })
    }

    pub(super) fn escrow(&self) -> Account {
        Account::Table(self.table.clone())
    }

    pub(super) fn is_shared(&self) -> bool {
        self.rules.table.mode == Mode::Shared
    }

    pub(super) fn live_round(&self) -> Option<&RoundCheck> {
        self.round.as_ref().filter(|round| round.is_live())
    }

    /// The shoe or pile that the game is on: while a new pile that failed is replaced, the last one that was dealt.
    pub(super) fn dealt_from(&self) -> Option<&ShoeCheck> {
        self.shoe.as_ref().or_else(|| self.round.as_ref().and_then(|round| round.piles.last()))
    }

    pub(super) fn live_mut(&mut self, event: &Event) -> Result<&mut RoundCheck, Flaw> {
        self.round.as_mut().filter(|round| round.is_live()).ok_or_else(|| misplaced(event))
    }

    /// Whether a player may bet on the shoe in use: within a shoe bettors may only leave (C11); a wheel is exempt.
    pub(super) fn may_bet_on_shoe(&self, player: &PlayerId) -> bool {
        self.rules.composition().is_wheel() || self.bettors.as_ref().is_none_or(|bettors| bettors.contains(player))
    }

    /// What a void round moves, or a window that lapses.
    pub(super) fn owe_back(&mut self, event: Option<&Event>) -> Result<(), Flaw> {
        let escrow = self.escrow();
        match event {
            Some(Event::BetsLapsed { .. }) => {
                for bet in self.window.iter().flat_map(|window| &window.bets) {
                    let staked = bet.staked().ok_or(Flaw::Overflow)?.signed();
                    self.money.owe_stake(&bet.player, &escrow, -staked)?;
                }
            }
            Some(Event::RoundVoided { cause, .. }) => {
                let Some(round) = self.round.as_mut().filter(|round| round.is_live()) else { return Ok(()) };
                let pending = round.game.pending_stakes();
                let pending_of = |player: Option<&PlayerId>| {
                    let own = pending.iter().filter(|(name, _)| player.is_none_or(|player| name == player));
                    Chips::sum(own.map(|(_, stake)| *stake)).map(Chips::signed).ok_or(Flaw::Overflow)
                };
                let mut returned = 0;
                for part in &round.parts {
                    let player = &part.placed.player;
                    let owed = match cause {
                        VoidCause::Abandoned => pending_of(Some(player))?,
                        // Every wager comes back, and every payout with it (C22).
                        _ => part.staked.signed() - part.returned.signed(),
                    };
                    // But for what is spent: no account goes below zero.
                    let back = owed.max(-self.money.of(player).signed());
                    if let Some(retained) =
                        u64::try_from(back - owed).ok().and_then(Chips::new).filter(|retained| *retained > Chips::ZERO)
                    {
                        round.retained_winnings.push((player.clone(), retained));
                    }
                    returned += back;
                    self.money.owe(Account::Player(player.clone()), back)?;
                }
                let held = pending_of(None)?;
                self.money.owe(escrow, -held)?;
                self.money.owe(Account::House, held - returned)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// After a start a round of this table resumes, or is void.
    pub(super) fn resumes(&self) -> bool {
        self.rules.table.crash == Crash::Resume
    }
}

/// What a player is to do at their table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Nothing but wait.
    Wait,
    /// They may bet for this round.
    Bet {
        /// The number of the round that the window is for.
        round_no: u64,
    },
    /// Their bet binds and their seed is awaited; of a new pile too.
    Reveal {
        /// The round, or the pile's shuffle.
        round_no: u64,
        /// The log index of the entry that made it bind.
        bound_at: u64,
        /// The log index of the entry that committed the shoe.
        shoe_at: u64,
    },
    /// The hash of a fresh seed for a new pile is awaited.
    Commit {
        /// The shuffle.
        round_no: u64,
    },
    /// A decision of theirs is open.
    Act {
        /// The number of the round in progress.
        round_no: u64,
        /// Which.
        decision: Decision,
        /// What may be chosen.
        options: Vec<Offer>,
    },
}

impl TableCheck {
    /// What the player is to do.
    pub fn todo(&self) -> Todo {
        let Some(round) = self.live_round() else { return self.may_bet() };
        let open = round.game.open_decisions().into_iter().find(|open| open.player == self.me);
        match (round.progress, &round.pile, open) {
            (Progress::AwaitingReveals, ..) if round.part(&self.me).is_some_and(|part| part.seed.is_none()) => {
                Todo::Reveal { round_no: round.round_no, bound_at: round.closed_at, shoe_at: self.shoe_at }
            }
            (_, Some(pile), _) => match (pile.part(&self.me), pile.closed_at) {
                (Some(part), None) if part.commitment.is_none() => Todo::Commit { round_no: pile.round_no },
                (Some(part), Some(bound_at)) if part.seed.is_none() => {
                    Todo::Reveal { round_no: pile.round_no, bound_at, shoe_at: self.shoe_at }
                }
                _ => Todo::Wait,
            },
            (Progress::Open, None, Some(decision)) => {
                let options = round.game.options(decision.number, self.money.funds());
                Todo::Act { round_no: round.round_no, decision, options }
            }
            _ => Todo::Wait,
        }
    }

    fn may_bet(&self) -> Todo {
        let round_no = match &self.window {
            _ if self.closed => None,
            Some(window)
                if window.of(&self.me).is_none() && self.seat().is_some() && self.may_bet_on_shoe(&self.me) =>
            {
                Some(window.round_no)
            }
            None if !self.is_shared() => self.next_round.filter(|_| self.epoch.is_some()),
            _ => None,
        };
        round_no.map_or(Todo::Wait, |round_no| Todo::Bet { round_no })
    }

    /// What a seed for the next bet or pile is bound to: the shoe in use, or at a solo table the one that comes.
    pub fn context(&self) -> Option<TableContext> {
        self.shoe.as_ref().map(|shoe| shoe.context.clone()).or_else(|| self.new_context().ok())
    }

    /// The player's seat.
    pub fn seat(&self) -> Option<u8> {
        self.seats.of(&self.me)
    }

    /// Who is known to sit there.
    pub fn seated_at(&self, seat: u8) -> Option<&PlayerId> {
        self.seats.at(seat)
    }

    /// Whether the player has a bet that is placed or in play.
    pub fn is_in_play(&self) -> bool {
        self.is_in_round() || self.window.as_ref().is_some_and(|window| window.of(&self.me).is_some())
    }

    /// Whether the player has a bet in a round that is in play.
    pub fn is_in_round(&self) -> bool {
        self.live_round().is_some_and(|round| round.part(&self.me).is_some())
    }

    /// The open window's round, the player's bet in it or not.
    pub fn window(&self) -> Option<u64> {
        self.window.as_ref().map(|window| window.round_no)
    }

    /// The bets of others that are placed in the window.
    pub fn placed(&self) -> impl Iterator<Item = &PlacedBet> {
        self.window.iter().flat_map(|window| &window.bets)
    }

    /// The last round: its number, how far it has come, and whether the player has a bet in it.
    pub fn last_round(&self) -> Option<(u64, Progress, bool)> {
        self.round.as_ref().map(|round| (round.round_no, round.progress, round.part(&self.me).is_some()))
    }

    /// The game as everyone sees it.
    pub fn view(&self) -> serde_json::Value {
        self.round.as_ref().map(|round| round.game.view()).unwrap_or_default()
    }

    /// Whether the table takes no more rounds.
    pub fn is_closed(&self) -> bool {
        self.closed
    }
}

pub(super) fn text(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).unwrap_or_else(|e| e.to_string())
}

pub(super) fn misplaced(event: &Event) -> Flaw {
    Flaw::Misplaced { event: text(event) }
}
