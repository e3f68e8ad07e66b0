use super::Declined;
use super::accounts::require;
use super::draft::Draft;
use crate::{Account, Actor, Event, Lapsed, Phase, PlacedBet, Refusal, VoidCause};
use fairshoe_fairness::{ClientSeed, PlayerId, PublicShuffle, SeedCommitment, round_entropy, seed_commitment};
use fairshoe_games::{Action, Bet, Chips, Illegal};

/// The most chips that one bet lists: 1000 of 1 are the most that document 000 lets a player place (R000.3).
const MAX_CHIPS_LISTED: usize = 1000;

impl Draft<'_> {
    /// A bet at a solo table: it binds at once (spec/fairness.md, "On the log").
    pub fn bet(&mut self, player: PlayerId, round_no: u64, bets: &[Bet], commitment: &SeedCommitment) -> Result<(), Declined> {
        let table = &self.table;
        if table.owner.as_ref().is_some_and(|owner| *owner != player) {
            return Err(Refusal::NotAllowed("this table is another player's own").into());
        }
        if let Some(round) = table.live_round() {
            return Err(Refusal::RoundInProgress(round.round_no).into());
        }
        if round_no != table.next_round {
            return Err(Refusal::WrongRound { given: round_no, current: table.next_round }.into());
        }
        let shoe_no = table.shoe.as_ref().ok_or(Refusal::NoShoe)?.id.shoe_no;
        let funds = self.funds(&player);
        table.rules.check_bets(bets, funds).map_err(Refusal::from)?;
        let staked = Chips::sum(bets.iter().map(|bet| bet.stake)).filter(|sum| *sum <= funds);
        let staked = staked.ok_or_else(|| Declined::Broken("bets beyond the balance were let through".into()))?;
        // The list stands in the entry three times over, which is bounded (spec/log.md).
        if bets.iter().filter_map(|bet| bet.chips.as_ref()).any(|chips| chips.len() > MAX_CHIPS_LISTED) {
            return Err(Refusal::Malformed("a bet lists at most 1000 chips").into());
        }
        if !self.state.ledger.can_pay_out(funds) {
            return Err(Refusal::AmountOutOfRange(staked).into());
        }
        let placed = PlacedBet { player: player.clone(), bets: bets.to_vec(), commitment: *commitment };
        let as_game = fairshoe_games::Placed { player: player.clone(), bets: bets.to_vec() };
        let lanes = table.rules.open_round(&[as_game]).map_err(Refusal::from)?.lanes();
        let reveal_by = self.time.saturating_add(table.rules.table.reveal_time_ms);

        self.before = vec![(player.clone(), funds)];
        self.push(Event::BetsOpened { round_no, shoe_no })?;
        self.push(Event::BetPlaced { bet: placed.clone() })?;
        self.post(vec![(Account::Player(player), -staked.signed()), (self.escrow(), staked.signed())])?;
        self.push(Event::BetsClosed { round_no, shoe_no, contributors: vec![placed], lanes, reveal_by })
    }

    /// A seed; the last one opens the round and deals.
    pub fn reveal(&mut self, round_no: u64, player: &PlayerId, seed: &ClientSeed) -> Result<(), Declined> {
        let round = self.live_round(round_no)?;
        let Phase::AwaitingReveals { reveal_by } = round.phase else { return Err(Refusal::RevealsOver.into()) };
        let contributor = round.contributors.iter().find(|c| c.placed.player == *player);
        let contributor = contributor.ok_or_else(|| Refusal::NotAContributor(player.clone()))?;
        if contributor.seed.is_some() {
            return Err(Refusal::AlreadyRevealed(player.clone()).into());
        }
        let shoe = self.table.shoe.clone().ok_or_else(|| Declined::Broken("the round has no shoe".into()))?;
        if seed_commitment(&shoe.id.context, round_no, player, seed) != contributor.placed.commitment {
            return Err(Refusal::SeedDoesNotOpen.into());
        }
        if self.time >= reveal_by {
            return Err(Refusal::DeadlinePassed(reveal_by).into());
        }

        self.note_balances();
        self.push(Event::SeedRevealed { player: player.clone(), seed: seed.clone() })?;
        let round = self.table.live_round().ok_or_else(|| Declined::Broken("the round is gone".into()))?;
        let seeds: Vec<_> = round.contributors.iter().filter_map(|c| Some((c.placed.player.clone(), c.seed.clone()?))).collect();
        if seeds.len() < round.contributors.len() {
            return Ok(());
        }
        let roots: Vec<_> = shoe.candidates.iter().map(|candidate| candidate.root).collect();
        let entropy =
            round_entropy(&shoe.id.context, shoe.id.shoe_no, &roots, round_no, &seeds).map_err(|e| Declined::Broken(e.to_string()))?;
        let candidates = self.table.rules.candidates();
        let pick = PublicShuffle::new(&entropy, candidates, &[]).pick;
        let others = (0..candidates).filter(|k| *k != pick).map(|k| self.dealer.seed(&shoe.id, k)).collect::<Result<_, _>>()?;
        let settle_by = self.time.saturating_add(self.table.rules.table.round_time_ms);
        self.push(Event::RoundOpened { entropy, pick, others, settle_by })?;
        self.play_on()
    }

    /// A player's choice.
    pub fn act(&mut self, player: &PlayerId, round_no: u64, decision: u32, action: &Action) -> Result<(), Declined> {
        let round = self.live_round(round_no)?;
        let settle_by = match round.phase {
            Phase::Open { settle_by } => settle_by,
            _ => return Err(Refusal::AwaitingReveals(round.contributors.iter().filter(|c| c.seed.is_none()).count()).into()),
        };
        let event = round.game.accept(player, decision, action, self.funds(player)).map_err(Refusal::from)?;
        // C16: before the deadline, not at it.
        if self.time >= settle_by {
            return Err(Refusal::DeadlinePassed(settle_by).into());
        }
        self.note_balances();
        self.play(event)?;
        self.play_on()
    }

    /// A deadline passed: a round without its seeds is void (C15), an open one is finished by default play (C18, C19).
    pub fn lapse(&mut self, by: &Actor, round_no: u64, lapsed: Lapsed) -> Result<(), Declined> {
        require(by, &Actor::House, "the house declares deadlines passed")?;
        let round = self.live_round(round_no)?;
        let deadline = match (lapsed, round.phase) {
            (Lapsed::Reveal, Phase::AwaitingReveals { reveal_by }) => reveal_by,
            (Lapsed::Round, Phase::Open { settle_by }) => settle_by,
            _ => return Err(Refusal::NothingToDo("the round does not wait for that").into()),
        };
        if self.time < deadline {
            return Err(Refusal::DeadlineAhead(deadline).into());
        }
        self.note_balances();
        if lapsed == Lapsed::Reveal {
            let round = self.live_round(round_no)?;
            let missing = round.contributors.iter().filter(|c| c.seed.is_none()).map(|c| c.placed.player.clone()).collect();
            return self.void(VoidCause::RevealMissing, missing);
        }
        while let Some(round) = self.table.live_round() {
            let open =
                round.game.open_decisions().into_iter().next().ok_or_else(|| Declined::Broken("the round waits for nobody".into()))?;
            let event = round.game.default_play(open.number).map_err(|e: Illegal| Declined::Broken(e.to_string()))?;
            self.play(event)?;
            self.play_on()?;
        }
        Ok(())
    }
}
