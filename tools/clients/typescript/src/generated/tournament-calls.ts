// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// The calls of the contract as methods. What carries them out is in ../client.ts.
import type { Count, Name, Nothing, SignatureHeader } from './words.js';
import type {
  DealAnswer, DealProposal, DealWish, EventTableList, NewTournament, Standings, StructureList, StructureView,
  TournamentList, TournamentView,
} from './tournaments.js';
import type {
  Accepted, BountyOf, Cancellation, Disqualification, NoRebuy, Postponement, Registration, RegistrationTimes,
  SeatReveal, StakeOffer, StakePurchase, Substitute, TableEntries,
} from './views.js';
import type { CallOptions } from '../http.js';
import { Caller } from '../caller.js';

export abstract class TournamentCalls extends Caller {
  /** The structures that the product ships. */
  listStructures(options: CallOptions = {}): Promise<StructureList> {
    return this.call('listStructures', {}, options) as Promise<StructureList>;
  }

  /** A structure. */
  getStructure(args: { name: Name }, options: CallOptions = {}): Promise<StructureView> {
    return this.call('getStructure', args, options) as Promise<StructureView>;
  }

  /** The tournaments, by name. */
  listTournaments(
    args: { query?: { cursor?: Name; limit?: number } } = {},
    options: CallOptions = {},
  ): Promise<TournamentList> {
    return this.call('listTournaments', args, options) as Promise<TournamentList>;
  }

  /** Announce a tournament. */
  createTournament(args: { body: NewTournament }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('createTournament', args, options) as Promise<Accepted>;
  }

  /** A tournament as it stands. */
  getTournament(args: { tournament: Name }, options: CallOptions = {}): Promise<TournamentView> {
    return this.call('getTournament', args, options) as Promise<TournamentView>;
  }

  /** The standings. */
  listStandings(
    args: { tournament: Name; query?: { cursor?: Count; limit?: number } },
    options: CallOptions = {},
  ): Promise<Standings> {
    return this.call('listStandings', args, options) as Promise<Standings>;
  }

  /** Its tables, by number. */
  listTournamentTables(
    args: { tournament: Name; query?: { cursor?: number; limit?: number } },
    options: CallOptions = {},
  ): Promise<EventTableList> {
    return this.call('listTournamentTables', args, options) as Promise<EventTableList>;
  }

  /** A tournament's own entries in order. */
  listTournamentEntries(args: {
    tournament: Name;
    query?: { from_seq?: Count; limit?: number; wait_ms?: number; proofs?: boolean };
  }, options: CallOptions = {}): Promise<TableEntries> {
    return this.call('listTournamentEntries', args, options) as Promise<TableEntries>;
  }

  /** Enter, or enter again. */
  register(args: {
    tournament: Name;
    body: Registration;
    query?: { received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('register', args, options) as Promise<Accepted>;
  }

  /** Give the entry back. */
  unregister(args: {
    tournament: Name;
    query?: { received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('unregister', args, options) as Promise<Accepted>;
  }

  /** Reveal a seed for a draw of seats. */
  revealSeatSeed(args: {
    tournament: Name;
    draw_no: number;
    body: SeatReveal;
    query?: { proofs?: 'later'; received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('revealSeatSeed', args, options) as Promise<Accepted>;
  }

  /** Buy chips again. */
  rebuy(args: {
    tournament: Name;
    body?: Nothing;
    query?: { received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('rebuy', args, options) as Promise<Accepted>;
  }

  /** No rebuy: the player is out. */
  declineRebuy(
    args: { tournament: Name; body: NoRebuy; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('declineRebuy', args, options) as Promise<Accepted>;
  }

  /** Take the add-on. */
  addOn(args: {
    tournament: Name;
    body?: Nothing;
    query?: { received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('addOn', args, options) as Promise<Accepted>;
  }

  /** Offer a part of the entry. */
  offerStake(
    args: { tournament: Name; body: StakeOffer; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('offerStake', args, options) as Promise<Accepted>;
  }

  /** Buy a part of somebody's entry. */
  buyStake(args: {
    tournament: Name;
    seller: Name;
    body: StakePurchase;
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('buyStake', args, options) as Promise<Accepted>;
  }

  /** Wish for a deal, or not any more. */
  wantDeal(
    args: { tournament: Name; body: DealWish; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('wantDeal', args, options) as Promise<Accepted>;
  }

  /** Propose the numbers of a deal. */
  proposeDeal(
    args: { tournament: Name; body: DealProposal; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('proposeDeal', args, options) as Promise<Accepted>;
  }

  /** Accept a deal, or refuse it. */
  answerDeal(args: {
    tournament: Name;
    body: DealAnswer;
    query?: { received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('answerDeal', args, options) as Promise<Accepted>;
  }

  /** Say who has a bounty. */
  setBounty(args: { tournament: Name; body: BountyOf }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('setBounty', args, options) as Promise<Accepted>;
  }

  /** Disqualify a player. */
  disqualify(args: { tournament: Name; body: Disqualification }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('disqualify', args, options) as Promise<Accepted>;
  }

  /** Offer something else for a prize, or accept it. */
  substitutePrize(
    args: { tournament: Name; body: Substitute; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('substitutePrize', args, options) as Promise<Accepted>;
  }

  /** Change the times of registration. */
  changeRegistration(
    args: { tournament: Name; body: RegistrationTimes },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('changeRegistration', args, options) as Promise<Accepted>;
  }

  /** Begin later. */
  postpone(args: { tournament: Name; body: Postponement }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('postpone', args, options) as Promise<Accepted>;
  }

  /** Call it off. */
  cancelTournament(args: { tournament: Name; body: Cancellation }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('cancelTournament', args, options) as Promise<Accepted>;
  }
}
