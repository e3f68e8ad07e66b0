//! A table followed by one of its players from entry to entry: order, time, bets, shoes and deadlines
//! (spec/games/shared-tables.md). The files beside it check rounds, seats, shoes and money.

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
use fairshoe_house::{
    Account, Actor, Command, Entry, Event, Lapsed, PlacedBet, RetireCause, Signed, VoidCause, waits_ms,
};
use fairshoe_tlog::Hash;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

/// So many of the table's last entries are remembered, to recognise a repeated one.
const REMEMBERED: usize = 512;

/// A betting window.
#[derive(Clone, Debug)]
pub(super) struct Window {
    pub round_no: u64,
    /// The end of the window; absent at a solo table.
    pub closes_at: Option<u64>,
    /// The bets, ascending by player.
    pub bets: Vec<PlacedBet>,
    /// The players who are asked for their bet; the window must not close early without it.
    pub expected: BTreeSet<PlayerId>,
}

impl Window {
    /// A player's bets in it.
    pub fn of(&self, player: &PlayerId) -> Option<&PlacedBet> {
        self.bets.iter().find(|bet| bet.player == *player)
    }

    /// Places bets; they replace the player's earlier ones.
    pub fn put(&mut self, bet: PlacedBet) {
        self.bets.retain(|one| one.player != bet.player);
        let at = self.bets.partition_point(|one| one.player < bet.player);
        self.bets.insert(at, bet);
    }
}

/// A table followed by one of its players: the rules, the public order, the opened cards and the players' own choices
/// determine every event of its entries.
///
/// It shares the engines with the house but not its decisions, so that it finds a wrong decision of the house.
pub struct TableCheck {
    pub(super) me: PlayerId,
    pub(super) table: TableId,
    pub(super) rules: Arc<RuleSet>,
    origin: Origin,
    /// The epoch in force; unknown after a restart until the service tells it.
    epoch: Option<Epoch>,
    pub(super) money: Money,
    /// Commands sent in the player's name that are not on the log yet.
    sent: Vec<(Command, Option<Signed>)>,
    /// The keys of the run's players, if they sign, and the last nonce of each at this table.
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
    /// The players who bet in the shoe's last round; `None` before its first (C11).
    pub(super) bettors: Option<BTreeSet<PlayerId>>,
    pub(super) last_hand: bool,
    pub(super) last_hand_due: bool,
    /// Whether the operator asked for a shuffle after this hand.
    pub(super) shuffle_asked: bool,
    /// Whether a posting came before the event that explains it.
    pub(super) prepaid: bool,
    /// Set if a round ended in this entry: whether its shoe leaves then, and the cause.
    pub(super) ended: Option<Option<Option<RetireCause>>>,
    pub(super) closed: bool,
    /// The players missing from the last shuffle, which failed, who are not out yet.
    pub(super) absent: Vec<PlayerId>,
    applied: BTreeMap<u64, (u64, Hash)>,
}

impl TableCheck {
    /// A table from its first entry on, or (`seq`) from the entry that commits the shoe of its next round.
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

    /// From now on commands in the name of one of these players must be signed with their key.
    pub fn signed_by(&mut self, signers: Arc<Signers>) {
        self.signers = Some(signers);
    }

    /// The name of the followed table.
    pub fn table(&self) -> &TableId {
        &self.table
    }

    /// How long seeds and commitments are awaited here.
    pub(super) fn reveal_time_ms(&self) -> u64 {
        waits_ms(&self.table, self.rules.table.reveal_time_ms)
    }

    /// How long a solo table's round may take.
    pub(super) fn round_time_ms(&self) -> u64 {
        waits_ms(&self.table, self.rules.table.round_time_ms)
    }

    /// The number of the next entry.
    pub fn next_seq(&self) -> u64 {
        self.next_seq.unwrap_or_default()
    }

    /// The player's balance.
    pub fn funds(&self) -> Chips {
        self.money.funds()
    }

    /// Sets the player's balance after chips came from elsewhere.
    pub fn credited(&mut self, balance: Chips) {
        self.money.credited(balance);
    }

    /// Continues as another player: a newcomer without chips, seat and bets.
    pub fn become_player(&mut self, me: PlayerId) {
        self.money.become_player(me.clone());
        self.me = me;
        self.sent.clear();
    }

    /// Whether the entry commits a shoe under an unknown epoch: then [`TableCheck::epoch_is`] must be called first.
    pub fn needs_epoch(&self, entry: &Entry) -> bool {
        let commits = entry.events.iter().any(|event| matches!(event, Event::ShoeCommitted { .. }));
        commits && (self.epoch.is_none() || matches!(entry.command, Command::Recover { .. }))
    }

    /// The epoch in force.
    pub fn epoch_is(&mut self, epoch: Epoch) {
        self.epoch = Some(epoch);
    }

    /// Records a command before it is sent in the player's name: the log may hold only such commands for them.
    pub fn send(&mut self, command: Command) {
        self.send_signed(command, None);
    }

    /// The same with its signature.
    pub fn send_signed(&mut self, command: Command, signed: Option<Signed>) {
        // Commands that were never accepted are dropped once so many came after them.
        if self.sent.len() >= 32 {
            self.sent.remove(0);
        }
        self.sent.push((command, signed));
    }

    /// Whether the entry was replayed already; if so, checks that it is the same.
    ///
    /// # Errors
    /// [`Flaw::TwoEntries`] if another entry was seen at its place.
    pub fn knows(&self, on_log: &OnLog) -> Result<bool, Flaw> {
        let Some(at) = &on_log.entry.at else { return Ok(false) };
        match self.applied.get(&at.seq) {
            Some(seen) if *seen != (on_log.index, on_log.leaf) => Err(Flaw::TwoEntries { seq: at.seq }),
            Some(_) => Ok(true),
            None => Ok(self.next_seq.is_some_and(|next| at.seq < next)),
        }
    }

    /// Replays one entry of the table, with its openings.
    ///
    /// # Errors
    /// [`Flaw`] naming the first wrong part.
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

    /// Checks that a command in the player's name was sent, and is on the log once for each sending.
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

    /// At the end of an entry the command is answered, all debts are paid, and the round waits for a choice or is over.
    fn at_rest(&mut self, entry: &Entry) -> Result<(), Flaw> {
        // A table without shoe and round needs no recovery.
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

    /// Whether the shoe leaves after a round that ended this way, and the cause (C11).
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

    /// The shoe or pile of the game; while a failed new pile is replaced, the last one that was dealt.
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

    /// The movements of a void round, or of a window that lapses.
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
                        // Every wager goes back to its player, and every payout to the house (C22).
                        _ => part.staked.signed() - part.returned.signed(),
                    };
                    // The spent part is excepted: no account goes below zero.
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

    /// Whether a round of this table resumes after a start; otherwise it is void.
    pub(super) fn resumes(&self) -> bool {
        self.rules.table.crash == Crash::Resume
    }
}

/// The player's next action at their table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Todo {
    /// Only wait.
    Wait,
    /// They may bet for this round.
    Bet {
        /// The number of the window's round.
        round_no: u64,
    },
    /// Their bet is binding and their seed is awaited; also for a new pile.
    Reveal {
        /// The number of the round, or of the pile's shuffle.
        round_no: u64,
        /// The log index of the entry that made it binding.
        bound_at: u64,
        /// The log index of the entry that committed the shoe.
        shoe_at: u64,
    },
    /// The hash of a fresh seed for a new pile is awaited.
    Commit {
        /// The number of the shuffle.
        round_no: u64,
    },
    /// A decision of theirs is open.
    Act {
        /// The number of the round in progress.
        round_no: u64,
        /// The decision.
        decision: Decision,
        /// Its options.
        options: Vec<Offer>,
    },
}

impl TableCheck {
    /// The player's next action.
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

    /// The context of a seed for the next bet or pile: the shoe in use, or at a solo table the next one.
    pub fn context(&self) -> Option<TableContext> {
        self.shoe.as_ref().map(|shoe| shoe.context.clone()).or_else(|| self.new_context().ok())
    }

    /// The player's seat.
    pub fn seat(&self) -> Option<u8> {
        self.seats.of(&self.me)
    }

    /// The player known to sit there.
    pub fn seated_at(&self, seat: u8) -> Option<&PlayerId> {
        self.seats.at(seat)
    }

    /// Whether the player has a placed bet or one in play.
    pub fn is_in_play(&self) -> bool {
        self.is_in_round() || self.window.as_ref().is_some_and(|window| window.of(&self.me).is_some())
    }

    /// Whether the player has a bet in a round in play.
    pub fn is_in_round(&self) -> bool {
        self.live_round().is_some_and(|round| round.part(&self.me).is_some())
    }

    /// The open window's round, even without a bet of the player.
    pub fn window(&self) -> Option<u64> {
        self.window.as_ref().map(|window| window.round_no)
    }

    /// The other players' bets in the window.
    pub fn placed(&self) -> impl Iterator<Item = &PlacedBet> {
        self.window.iter().flat_map(|window| &window.bets)
    }

    /// The last round: its number, its phase, and whether the player has a bet in it.
    pub fn last_round(&self) -> Option<(u64, Progress, bool)> {
        self.round.as_ref().map(|round| (round.round_no, round.progress, round.part(&self.me).is_some()))
    }

    /// The public view of the game.
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
