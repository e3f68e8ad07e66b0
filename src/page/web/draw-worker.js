// Draws of seats, computed beside the page with the verifier's own functions (spec/games/tournaments.md, 3): a seed's
// commitment, the house's chain of numbers, a draw's entropy. `tournament-draws.js` asks.
/* global fairshoe, importScripts */

importScripts('./fairshoe-verify.js');

const { concat, hex, unhex, label, u64, sha256, tableContext } = fairshoe;
const u16 = number => Uint8Array.of(number >> 8, number & 255);
const named = text => concat(u16(text.length), new TextEncoder().encode(text));

const CALLS = {
  /** The commitment to a seed for a seat, number `use` of this player in this event. */
  commitment: ({ origin, event, epoch, use, player, seed }) =>
    hex(sha256(concat(label('seat-seed'), tableContext(origin, event, epoch), u16(use), named(player),
      unhex(seed, 32)))),
  /** The link before the one that draw `draw` made public; of draw 0 it is the tip. */
  before: ({ origin, event, epoch, draw, link }) =>
    hex(sha256(concat(label('draw-chain'), tableContext(origin, event, epoch), u64(draw), unhex(link, 32)))),
  /** E_d over the seeds that are out, ascending by entry: `[{entry_no, player, seed}]`; `running` is X. */
  entropy: ({ origin, event, epoch, draw, link, running, seeds }) => {
    const records = [...seeds].sort((one, other) => one.entry_no - other.entry_no)
      .map(one => concat(u64(one.entry_no), named(one.player), unhex(one.seed, 32)));
    return hex(sha256(concat(label('draw'), tableContext(origin, event, epoch), u64(draw), unhex(link, 32),
      unhex(running, 32),
      u16(seeds.length), ...records)));
  },
};

self.onmessage = ({ data: { number, name, given } }) => {
  try {
    self.postMessage({ number, value: CALLS[name](given) });
  } catch (error) {
    self.postMessage({ number, error: error.message });
  }
};
