// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// Entries of the log: commands and what followed from them.
import type { Count, Name, Time } from './words.js';
import type {
  CommandOfTournament, DealerStartedEvent, DealerStoppedEvent, DealtRoundEvent, EventOfTournament,
  OpenEventTableCommand, StartDealerCommand, StopDealerCommand,
} from './tournaments.js';
import type {
  HandBegunEvent, HandCalledEvent, HandSeedCommittedEvent, HandSeedWithdrawnEvent, PokerRoundEvent,
  SafeRoundEvent,
} from './games.js';
import type {
  WalletAnswerCommand, WalletAnsweredEvent, WalletAskedEvent, WalletCancelCommand, WalletDepositCommand,
  WalletWithdrawCommand,
} from './records.js';
import type {
  AbsentRoundEvent, ActCommand, ActedRoundEvent, AddChipsCommand, AdmitGuestCommand, AskToPlayCommand,
  BalanceBefore, BankUsedEvent, BetCancelledEvent, BetCommand, BetPlacedEvent, BetsClosedEvent, BetsLapsedEvent,
  BetsOpenedEvent, CallHandCommand, CallLapsedEvent, CancelBetCommand, ChipsAddedEvent, ChipsAskedEvent,
  CloseBetsCommand, CloseCallCommand, CloseTableCommand, CommitHandSeedCommand, CommitSeedCommand,
  CommitShoeCommand, ContinueLogCommand, CooldownEvent, CorrectCommand, CreatePlayerCommand, CreditCommand,
  DiscloseShoeCommand, DismissGuestCommand, EndLogCommand, ExcludeCommand, ExcludedEvent, GuestAdmittedEvent,
  GuestDismissedEvent, IssueTokenCommand, KeySetEvent, KnowLogCommand, LapseCommand, LastHandEvent,
  LateSeedCommand, LeaveAskedEvent, LeaveSeatCommand, LeftEarlyEvent, LimitSetEvent, LogContinuesEvent,
  LogEndedEvent, LogKnownEvent, NextCommittedEvent, NoteRefusedStartCommand, NoteStateCommand, OfferedRoundEvent,
  OpenBetsCommand, OpenTableCommand, PaidRoundEvent, PeekedRoundEvent, PileClosedEvent, PileFailedEvent,
  PileOpenedEvent, PileShuffledEvent, PlayAskedEvent, PlayEvent, PlayerCreatedEvent, PostedEvent, PostsTakenEvent,
  RecoverCommand, RetireShoeCommand, RevealCommand, RoundOpenedEvent, RoundResumedEvent, RoundSettledEvent,
  RoundVoidedEvent, SatInEvent, SatOutEvent, SeatLeftEvent, SeatTakenEvent, SeatWantedEvent, SeedCommittedEvent,
  SeedLateEvent, SeedRevealedEvent, SetKeyCommand, SetLimitCommand, SetSeatsCommand, SetSeatsEvent,
  ShoeCommittedEvent, ShoeDisclosedEvent, ShoeRevealedEvent, ShoeSealedEvent, ShuffleAskedEvent,
  ShuffledRoundEvent, SitDownCommand, SitInCommand, SitOutCommand, SpunRoundEvent, StartRefusedEvent,
  StateNotedEvent, TableClosedEvent, TableNotedEvent, TableOpenedEvent, TakeSeatCommand, TidySeatsCommand,
  TokenIssuedEvent, TransferInCommand, TransferOutCommand, TransferredInEvent, TransferredOutEvent,
  TurnedRoundEvent, UnseatCommand, VoidRoundCommand, WantSeatCommand, WithdrawCommand, WithdrawHandSeedCommand,
} from './views.js';

/** One accepted command with all the events it caused, in order. */
export type Entry = {
  v: 1;
  time: Time;
  by: string;
  /** The table, and the entry's place in its gapless sequence. */
  at?: { table: Name; seq: Count };
  /** What the players concerned had before it. */
  before?: BalanceBefore[];
  command: Command;
  /** The signature of the player who gave it, where they have a key (spec/entries.md, "Signed commands"). */
  signed?: { nonce: number; signature: string };
  events: LogEvent[];
};

/** A command to the house: one property, the command's name. */
export type Command =
  | StartDealerCommand
  | CreatePlayerCommand
  | AdmitGuestCommand
  | DismissGuestCommand
  | SetKeyCommand
  | SetLimitCommand
  | ExcludeCommand
  | IssueTokenCommand
  | CreditCommand
  | WithdrawCommand
  | OpenTableCommand
  | CloseTableCommand
  | CommitShoeCommand
  | BetCommand
  | RevealCommand
  | LateSeedCommand
  | ActCommand
  | LapseCommand
  | VoidRoundCommand
  | RecoverCommand
  | CorrectCommand
  | StopDealerCommand
  | KnowLogCommand
  | TransferOutCommand
  | TransferInCommand
  | WalletDepositCommand
  | WalletWithdrawCommand
  | WalletCancelCommand
  | WalletAnswerCommand
  | ContinueLogCommand
  | EndLogCommand
  | NoteRefusedStartCommand
  | NoteStateCommand
  | TakeSeatCommand
  | SitDownCommand
  | SitOutCommand
  | AddChipsCommand
  | TidySeatsCommand
  | DiscloseShoeCommand
  | AskToPlayCommand
  | SitInCommand
  | WantSeatCommand
  | UnseatCommand
  | LeaveSeatCommand
  | OpenBetsCommand
  | CancelBetCommand
  | CloseBetsCommand
  | CallHandCommand
  | CommitHandSeedCommand
  | WithdrawHandSeedCommand
  | CloseCallCommand
  | RetireShoeCommand
  | CommitSeedCommand
  | OpenEventTableCommand
  | SetSeatsCommand
  | CommandOfTournament;

/** An event: one property, the event's name, which tells the variants apart. */
export type LogEvent =
  | DealerStartedEvent
  | PlayerCreatedEvent
  | GuestAdmittedEvent
  | GuestDismissedEvent
  | KeySetEvent
  | LimitSetEvent
  | ExcludedEvent
  | TokenIssuedEvent
  | TableOpenedEvent
  | TableClosedEvent
  | ShoeCommittedEvent
  | TableNotedEvent
  | BetsOpenedEvent
  | BetPlacedEvent
  | BetsClosedEvent
  | HandCalledEvent
  | HandSeedCommittedEvent
  | HandSeedWithdrawnEvent
  | CallLapsedEvent
  | HandBegunEvent
  | SeedLateEvent
  | SeedRevealedEvent
  | RoundOpenedEvent
  | PlayEvent
  | PostedEvent
  | RoundSettledEvent
  | RoundVoidedEvent
  | RoundResumedEvent
  | ShoeRevealedEvent
  | DealerStoppedEvent
  | LogKnownEvent
  | TransferredOutEvent
  | TransferredInEvent
  | WalletAskedEvent
  | WalletAnsweredEvent
  | LogContinuesEvent
  | LogEndedEvent
  | StartRefusedEvent
  | StateNotedEvent
  | SeatTakenEvent
  | SeatWantedEvent
  | SeatLeftEvent
  | PlayAskedEvent
  | CooldownEvent
  | BetCancelledEvent
  | BetsLapsedEvent
  | LastHandEvent
  | PileOpenedEvent
  | SeedCommittedEvent
  | PileClosedEvent
  | PileShuffledEvent
  | PileFailedEvent
  | ShuffleAskedEvent
  | ShoeSealedEvent
  | ShoeDisclosedEvent
  | ChipsAddedEvent
  | ChipsAskedEvent
  | SatInEvent
  | SatOutEvent
  | LeaveAskedEvent
  | BankUsedEvent
  | LeftEarlyEvent
  | NextCommittedEvent
  | SetSeatsEvent
  | PostsTakenEvent
  | EventOfTournament;

/** An event of the game: one property. */
export type RoundEvent =
  | DealtRoundEvent
  | TurnedRoundEvent
  | PeekedRoundEvent
  | OfferedRoundEvent
  | ActedRoundEvent
  | PaidRoundEvent
  | SpunRoundEvent
  | ShuffledRoundEvent
  | AbsentRoundEvent
  | PokerRoundEvent
  | SafeRoundEvent;
