// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// What entries say of tournaments.
import type {
  AddOnTournamentCommand, AddedOnTournamentEvent, AnswerDealTournamentCommand, BountyPaidTournamentEvent,
  BountySetTournamentEvent, BountyWonTournamentEvent, BreakBegunTournamentEvent, BreakEndedTournamentEvent,
  BuyStakeTournamentCommand, CallDrawTournamentCommand, CancelTournamentCommand, CancelledTournamentEvent,
  CarryOutTournamentCommand, ChangeRegistrationTournamentCommand, ClockStartedTournamentEvent,
  ClockStoppedTournamentEvent, CreateTournamentCommand, CreatedTournamentEvent, DealAnsweredTournamentEvent,
  DealMadeTournamentEvent, DealOffTournamentEvent, DealProposedTournamentEvent, DealWantedTournamentEvent,
  DeclineRebuyTournamentCommand, DisqualifyTournamentCommand, DrawCalledTournamentEvent,
  DrawSeatsTournamentCommand, EndRegistrationTournamentCommand, EndTournamentCommand, EndedTournamentEvent,
  HandForHandTournamentEvent, LevelBegunTournamentEvent, MovePlayerTournamentCommand, NextLevelTournamentCommand,
  NextRoundTournamentCommand, NoteDroppedTournamentEvent, NotedTournamentEvent, OfferStakeTournamentCommand,
  PayBountiesTournamentCommand, PayPlacesTournamentCommand, PayRefundsTournamentCommand,
  PlayerDisqualifiedTournamentEvent, PlayerEliminatedTournamentEvent, PlayerMovedTournamentEvent,
  PoolFinalTournamentEvent, PostponeTournamentCommand, PostponedTournamentEvent, PrizePaidTournamentEvent,
  PrizeSubstitutedTournamentEvent, ProposeDealTournamentCommand, ReboughtTournamentEvent,
  RebuyAwaitedTournamentEvent, RebuyTournamentCommand, RefundedTournamentEvent, RegisterTournamentCommand,
  RegisteredTournamentEvent, RegistrationChangedTournamentEvent, RegistrationEndedTournamentEvent,
  RevealSeatSeedTournamentCommand, SeatSeedRevealedTournamentEvent, SeatsDrawnTournamentEvent,
  SetBountyTournamentCommand, SettleHandTournamentCommand, StakeOfferedTournamentEvent, StakeSoldTournamentEvent,
  StakesDividedTournamentEvent, StartClockTournamentCommand, StartTournamentCommand, StartedTournamentEvent,
  SubstituteAcceptedTournamentEvent, SubstitutePrizeTournamentCommand, TicketReturnedTournamentEvent,
  UnregisterTournamentCommand, UnregisteredTournamentEvent, WantDealTournamentCommand,
} from './tournaments.js';

/** What is asked of a tournament: one property, the command's name (spec/games/tournaments.md, 14). */
export type TournamentCommand =
  | CreateTournamentCommand
  | RegisterTournamentCommand
  | SetBountyTournamentCommand
  | UnregisterTournamentCommand
  | RebuyTournamentCommand
  | DeclineRebuyTournamentCommand
  | CarryOutTournamentCommand
  | AddOnTournamentCommand
  | OfferStakeTournamentCommand
  | BuyStakeTournamentCommand
  | StartTournamentCommand
  | CallDrawTournamentCommand
  | RevealSeatSeedTournamentCommand
  | DrawSeatsTournamentCommand
  | MovePlayerTournamentCommand
  | NextLevelTournamentCommand
  | SettleHandTournamentCommand
  | NextRoundTournamentCommand
  | EndRegistrationTournamentCommand
  | PayPlacesTournamentCommand
  | PayBountiesTournamentCommand
  | StartClockTournamentCommand
  | EndTournamentCommand
  | WantDealTournamentCommand
  | ProposeDealTournamentCommand
  | AnswerDealTournamentCommand
  | DisqualifyTournamentCommand
  | SubstitutePrizeTournamentCommand
  | ChangeRegistrationTournamentCommand
  | PostponeTournamentCommand
  | CancelTournamentCommand
  | PayRefundsTournamentCommand;

/** An event of a tournament: one property (spec/games/tournaments.md, 15). */
export type TournamentEvent =
  | CreatedTournamentEvent
  | RegisteredTournamentEvent
  | BountySetTournamentEvent
  | UnregisteredTournamentEvent
  | ReboughtTournamentEvent
  | AddedOnTournamentEvent
  | NotedTournamentEvent
  | NoteDroppedTournamentEvent
  | StakeOfferedTournamentEvent
  | StakeSoldTournamentEvent
  | StakesDividedTournamentEvent
  | TicketReturnedTournamentEvent
  | StartedTournamentEvent
  | DrawCalledTournamentEvent
  | SeatSeedRevealedTournamentEvent
  | SeatsDrawnTournamentEvent
  | PlayerMovedTournamentEvent
  | LevelBegunTournamentEvent
  | BreakBegunTournamentEvent
  | BreakEndedTournamentEvent
  | PlayerEliminatedTournamentEvent
  | RebuyAwaitedTournamentEvent
  | BountyWonTournamentEvent
  | HandForHandTournamentEvent
  | RegistrationEndedTournamentEvent
  | PoolFinalTournamentEvent
  | PrizePaidTournamentEvent
  | BountyPaidTournamentEvent
  | DealWantedTournamentEvent
  | DealProposedTournamentEvent
  | DealAnsweredTournamentEvent
  | DealMadeTournamentEvent
  | DealOffTournamentEvent
  | PlayerDisqualifiedTournamentEvent
  | PrizeSubstitutedTournamentEvent
  | SubstituteAcceptedTournamentEvent
  | RegistrationChangedTournamentEvent
  | PostponedTournamentEvent
  | ClockStoppedTournamentEvent
  | ClockStartedTournamentEvent
  | CancelledTournamentEvent
  | RefundedTournamentEvent
  | EndedTournamentEvent;
