// Made by scripts/generate.js from openapi.yaml: change that, and run it again.
// The calls of the contract as methods. What carries them out is in ../client.ts.
import type { Count, DealMethod, EntryNo, Hex32, Name, Pay, Reference, SignatureHeader, Time } from './words.js';
import type {
  EventTableList, Standings, Structure, StructureView, TournamentList, TournamentView,
} from './tournaments.js';
import type { Accepted, Amounts, TableEntries } from './views.js';
import type { CallOptions } from '../http.js';
import { Caller } from '../caller.js';

export abstract class TournamentCalls extends Caller {
  /** The structures that the product ships. */
  listStructures(options: CallOptions = {}): Promise<{ structures: StructureView[] }> {
    return this.call('listStructures', {}, options) as Promise<{ structures: StructureView[] }>;
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
  createTournament(args: {
    body: {
      /** At most 56 characters, never used before by a tournament or a table, and not ending in a dot and a number. */
      tournament: Name;
      /** The name of a structure of `GET /v1/structures`, or one of the operator's own. */
      structure: Name | Structure;
      /** Options of the rule set that are to differ. */
      options?: Record<string, unknown>;
      /** When it begins. */
      starts_at: Time;
      /** From when on players register; absent: at once. */
      registration_from?: Time;
    };
  }, options: CallOptions = {}): Promise<Accepted> {
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
    body: { commitment: Hex32; pay: Pay };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('register', args, options) as Promise<Accepted>;
  }

  /** Give the entry back. */
  unregister(
    args: { tournament: Name; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('unregister', args, options) as Promise<Accepted>;
  }

  /** Reveal a seed for a draw of seats. */
  revealSeatSeed(args: {
    tournament: Name;
    draw_no: number;
    body: { entry_no: EntryNo; seed: Hex32; next?: Hex32 };
    query?: { received?: 'first' };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('revealSeatSeed', args, options) as Promise<Accepted>;
  }

  /** Buy chips again. */
  rebuy(
    args: { tournament: Name; body?: Record<string, never>; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('rebuy', args, options) as Promise<Accepted>;
  }

  /** No rebuy: the player is out. */
  declineRebuy(
    args: { tournament: Name; body: { entry_no: EntryNo }; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('declineRebuy', args, options) as Promise<Accepted>;
  }

  /** Take the add-on. */
  addOn(
    args: { tournament: Name; body?: Record<string, never>; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('addOn', args, options) as Promise<Accepted>;
  }

  /** Offer a part of the entry. */
  offerStake(args: {
    tournament: Name;
    body: {
      /** At most 10000. */
      basis_points: Count;
    };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('offerStake', args, options) as Promise<Accepted>;
  }

  /** Buy a part of somebody's entry. */
  buyStake(args: {
    tournament: Name;
    seller: Name;
    body: { basis_points: Count };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('buyStake', args, options) as Promise<Accepted>;
  }

  /** Wish for a deal, or not any more. */
  wantDeal(
    args: { tournament: Name; body: { want: boolean }; signature?: SignatureHeader },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('wantDeal', args, options) as Promise<Accepted>;
  }

  /** Propose the numbers of a deal. */
  proposeDeal(args: {
    tournament: Name;
    body: { method: DealMethod; amounts?: Amounts };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('proposeDeal', args, options) as Promise<Accepted>;
  }

  /** Accept a deal, or refuse it. */
  answerDeal(args: {
    tournament: Name;
    body: {
      /** Of the proposal: what the player read. */
      digest: Hex32;
      accept: boolean;
    };
    signature?: SignatureHeader;
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('answerDeal', args, options) as Promise<Accepted>;
  }

  /** Say who has a bounty. */
  setBounty(
    args: { tournament: Name; body: { player: Name; has: boolean } },
    options: CallOptions = {},
  ): Promise<Accepted> {
    return this.call('setBounty', args, options) as Promise<Accepted>;
  }

  /** Disqualify a player. */
  disqualify(args: {
    tournament: Name;
    body: {
      player: Name;
      /** It stands on the log. */
      reason: Reference;
    };
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('disqualify', args, options) as Promise<Accepted>;
  }

  /** Put something else in the place of a prize. */
  substitutePrize(args: {
    tournament: Name;
    body: {
      place: number;
      /** What it is. */
      what: Reference;
      /** What it is worth, minor units. */
      value: Count;
    };
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('substitutePrize', args, options) as Promise<Accepted>;
  }

  /** Change the times of registration. */
  changeRegistration(args: {
    tournament: Name;
    body: {
      late_levels: number;
      /** How long before the start an entry can no longer be given back; absent: never. */
      unregister_ms?: Count;
      /** It stands on the log. */
      reason: Reference;
    };
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('changeRegistration', args, options) as Promise<Accepted>;
  }

  /** Begin later. */
  postpone(args: {
    tournament: Name;
    body: {
      starts_at: Time;
      /** It stands on the log. */
      reason: Reference;
    };
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('postpone', args, options) as Promise<Accepted>;
  }

  /** Call it off. */
  cancelTournament(args: {
    tournament: Name;
    body: {
      /** The reference instant; absent: now. */
      instant?: Time;
      /** It stands on the log. */
      reason: Reference;
    };
  }, options: CallOptions = {}): Promise<Accepted> {
    return this.call('cancelTournament', args, options) as Promise<Accepted>;
  }
}
