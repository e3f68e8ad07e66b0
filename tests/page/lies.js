// The proxy's lies: each changes one part of a reply or of a request, and reports its change. All clients behind the
// proxy get the lie; the page must notice every one.
import { createHash, generateKeyPairSync, sign } from 'node:crypto';

const RANKS = 'A23456789TJQK';
const SUITS = 'cdhs';
const faceOf = value => RANKS[value % 13] + SUITS[Math.floor(value / 13)];
const valueOf = face => SUITS.indexOf(face[1]) * 13 + RANKS.indexOf(face[0]);
const base64 = /[A-Za-z0-9+/]{43}=/;

/** Another hash or signature of the same length: the lowest bit of the first byte is flipped. */
function otherBase64(text) {
  const bytes = Buffer.from(text, 'base64');
  bytes[0] ^= 1;
  return bytes.toString('base64');
}

/** Every string and object below a value, with a function to replace it. */
function visit(value, see, path = []) {
  if (value === null || typeof value !== 'object') return;
  for (const [key, inner] of Object.entries(value)) {
    see(inner, [...path, key], other => { value[key] = other; });
    visit(value[key], see, [...path, key]);
  }
}

/** Changes the texts of entries in a message, at any depth, until one was changed. */
function inEntries(message, change) {
  let changed;
  const text = (said, put) => {
    if (changed || typeof said !== 'string') return;
    const made = change(said);
    if (made !== undefined) { put(made.text); changed = made.what; }
  };
  if (message.event === 'entry') text(message.data, other => { message.data = other; });
  else if (message.json) visit(message.json, (inner, path, put) => { if (path.at(-1) === 'entry') text(inner, put); });
  return changed;
}

/** The first checkpoint or receipt of a message, changed; with `every` all of them, and the house's notes. */
function inNotes(message, change, every = false) {
  let changed;
  const text = (said, put) => {
    if ((changed && !every) || typeof said !== 'string' || !/\n\u2014 /.test(said)) return;
    // A note of what was received that does not hold shows nothing, and is passed over.
    if (!every && said.startsWith('fairshoe ')) return;
    const made = change(said);
    if (made !== undefined && made !== said) { put(made); changed = `${message.path}: a checkpoint`; }
  };
  if (typeof message.text === 'string') text(message.text, other => { message.text = other; });
  if (message.json) visit(message.json, (inner, path, put) => text(inner, put));
  return changed;
}

/** The openings of a message: those of entries, of replies, of own cards. */
function openingsOf(message) {
  const all = [];
  const root = message.event ? { data: message.json } : message.json;
  visit({ root }, inner => {
    if (inner && typeof inner === 'object' && Number.isInteger(inner.value) && typeof inner.salt === 'string') {
      all.push(inner);
    }
  });
  return all;
}

const ownOf = message => (message.event === 'own' ? message.json : message.json?.own);

/**
 * The lies by name. `answer(message, told)` changes an answer (`{method, path, status, json, text}`) or an event of a
 * stream (`{path, event, id, data, json}`) and returns its change, or nothing; `ask(request)` changes a request's body.
 * `told` is the lie's own memory. A lie with `always` is told each time, because otherwise it would contradict itself
 * rather than the proofs.
 */
export const LIES = {
  // One face in an entry's text.
  card: {
    answer: message => inEntries(message, text => {
      const found = /"card":"([A2-9TJQK])([cdhs])"/.exec(text);
      if (!found) return undefined;
      const other = found[1] + (found[2] === 's' ? 'h' : 's');
      return { text: text.replace(found[0], `"card":"${other}"`), what: `${found[1]}${found[2]} became ${other}` };
    }),
  },
  // The number a wheel shows.
  pocket: {
    answer: message => inEntries(message, text => {
      const found = /"(spun|pocket|number)":(\{[^}]*?"(?:pocket|number)":)?(\d+)/.exec(text);
      if (!found) return undefined;
      const other = (Number(found[3]) + 1) % 37;
      const made = found[0].replace(/\d+$/, String(other));
      return { text: text.replace(found[0], made), what: `${found[3]} became ${other}` };
    }),
  },
  // The money an entry moves.
  payment: {
    answer: message => inEntries(message, text => {
      const found = /\["player:[^"]+",(-?\d+),(\d+)\]/.exec(text);
      if (!found) return undefined;
      const other = found[0].replace(`,${found[1]},`, `,${Number(found[1]) + 1},`);
      return { text: text.replace(found[0], other), what: `${found[0]} became ${other}` };
    }),
  },
  // The round in a reply's view; the entries are true.
  view: {
    always: true,
    answer: message => {
      let changed;
      visit(message.json?.round?.game, (inner, path, put) => {
        if (changed || typeof inner !== 'string' || !/^[A2-9TJQK][cdhs]$/.test(inner)) return;
        const other = inner[0] + (inner[1] === 's' ? 'h' : 's');
        put(other);
        changed = `${inner} is shown as ${other}`;
      });
      return changed;
    },
  },
  // The face of an opening: the leaf is different.
  opening: {
    answer: message => {
      const [first] = openingsOf(message);
      if (!first) return undefined;
      const before = first.value;
      first.value = (first.value + 1) % 37;
      return `slot ${first.slot}: value ${before} became ${first.value}`;
    },
  },
  // The salt of an opening.
  salt: {
    answer: message => {
      const [first] = openingsOf(message);
      if (!first) return undefined;
      first.salt = (first.salt[0] === '0' ? '1' : '0') + first.salt.slice(1);
      return `slot ${first.slot}: another salt`;
    },
  },
  // A hash on the path from an opening to the shoe's root.
  path: {
    answer: message => {
      const first = openingsOf(message).find(opening => opening.path.length > 0);
      if (!first) return undefined;
      first.path[0] = (first.path[0][0] === '0' ? '1' : '0') + first.path[0].slice(1);
      return `slot ${first.slot}: another path`;
    },
  },
  // Openings never come: faces are shown without proof.
  withheld: {
    always: true,
    answer: message => {
      if (message.event === 'openings') { message.drop = true; return 'openings of the stream'; }
      let changed;
      visit({ root: message.json }, (inner, path) => {
        if (inner?.openings && path.at(-1) !== 'own') { delete inner.openings; changed = 'openings of a reply'; }
      });
      return changed;
    },
  },
  // One hash of an inclusion proof.
  proof: {
    answer: message => {
      let changed;
      visit(message.json ?? {}, (inner, path, put) => {
        if (changed || path.at(-1) !== 'proof') return;
        if (Array.isArray(inner) && inner.length > 0) {
          inner[0] = otherBase64(inner[0]);
          changed = `${message.path}: the first hash of a proof`;
        } else if (typeof inner === 'string') {
          const lines = inner.split('\n');
          const at = lines.findIndex((line, n) => n > 1 && base64.test(line));
          if (at < 0 || at >= lines.indexOf('')) return;
          lines[at] = otherBase64(lines[at]);
          put(lines.join('\n'));
          changed = `${message.path}: the first hash of a receipt`;
        }
      });
      return changed;
    },
  },
  // A checkpoint that the log's key did not sign.
  checkpoint: {
    answer: message => inNotes(message, note => note.replace(/(\n\u2014 \S+ )([A-Za-z0-9+/=]+)/, (all, name, made) => {
      const bytes = Buffer.from(made, 'base64');
      bytes[bytes.length - 1] ^= 1;
      return name + bytes.toString('base64');
    })),
  },
  // A checkpoint with another root and the old signature.
  root: {
    answer: message => inNotes(message, note => note.replace(
      /((?:^|\n)\d+\n)([A-Za-z0-9+/]{43}=)(\n(?:[^\n]+\n)*\n\u2014 )/,
      (all, size, hash, rest) => size + otherBase64(hash) + rest)),
  },
  // Another key, with everything signed by it: only the memory of the first visit distinguishes them.
  key: {
    always: true,
    answer: (message, told) => {
      if (!told.key) {
        const pair = generateKeyPairSync('ed25519');
        told.key = pair.privateKey;
        told.raw = pair.publicKey.export({ type: 'spki', format: 'der' }).subarray(-32);
      }
      const idOf = name => createHash('sha256').update(`${name}\n`).update(Buffer.concat([Buffer.from([1]), told.raw]))
        .digest().subarray(0, 4);
      let changed;
      visit(message.json ?? {}, (inner, path, put) => {
        if (path.at(-1) !== 'vkey' || typeof inner !== 'string') return;
        const name = inner.slice(0, inner.search(/\+[0-9a-f]{8}\+/));
        const key = Buffer.concat([Buffer.from([1]), told.raw]).toString('base64');
        put(`${name}+${idOf(name).toString('hex')}+${key}`);
        changed = `${message.path}: another key`;
      });
      const signed = inNotes(message, note => note.replace(
        /([^\n]+\n\d+\n[A-Za-z0-9+/]{43}=\n(?:[^\n]+\n)*)\n((?:\u2014 [^\n]+\n)+)$/, (all, body, lines) => {
          const name = lines.split(' ')[1];
          const made = Buffer.concat([idOf(name), sign(null, Buffer.from(body), told.key)]).toString('base64');
          return `${body}\n\u2014 ${name} ${made}\n`;
        }), true);
      return changed ?? signed;
    },
  },
  // A player's own cards with one face changed.
  'own-face': {
    always: true,
    answer: message => {
      const own = ownOf(message);
      if (!own) return undefined;
      const other = (own.openings[0].value + 1) % 52;
      const what = `${own.cards[0]} became ${faceOf(other)}`;
      own.openings[0].value = other;
      own.cards[0] = faceOf(other);
      return what;
    },
  },
  // The cards of another player instead of the player's own, with true openings: `others` is their store, filled by the
  // other player's proxy (`keepOwn`).
  own: {
    always: true,
    answer: (message, told) => {
      const own = ownOf(message);
      const theirs = own && told.others?.get(own.round);
      if (!theirs) return undefined;
      const what = `${own.cards} became ${theirs.cards}`;
      Object.assign(own, structuredClone(theirs));
      return what;
    },
  },
  // An entry of the table is left out.
  gap: {
    answer: message => {
      if (message.event !== 'entry' || !/"(dealt|acted|spun)"/.test(message.data)) return undefined;
      message.drop = true;
      return `entry ${message.id} is left out`;
    },
  },
  // The service gets another bet than the placed one. Its receipt is true.
  stake: {
    ask: request => {
      const bet = request.json?.bets?.[0];
      if (!bet || !/\/bets$/.test(request.path)) return undefined;
      bet.stake *= 2;
      if (bet.chips) bet.chips.push(...bet.chips);
      return `a stake of ${bet.stake / 2} became ${bet.stake}`;
    },
  },
  // The service gets another commitment.
  commitment: {
    ask: request => {
      const said = request.json?.commitment;
      if (typeof said !== 'string') return undefined;
      request.json.commitment = (said[0] === '0' ? '1' : '0') + said.slice(1);
      return 'another commitment is handed on';
    },
  },
  // The service gets another choice.
  choice: {
    ask: request => {
      if (request.json?.action !== 'hit' && request.json?.action !== 'stand') return undefined;
      const before = request.json.action;
      request.json.action = before === 'hit' ? 'stand' : 'hit';
      return `${before} became ${request.json.action}`;
    },
  },
};

/** A lie in progress: `what` lists the changes so far. */
export class Lie {
  /** With `match` it is limited to paths, `after` skips so many chances, `times` is the most times it is told. */
  constructor(kind, { match = /./, after = 0, times, others } = {}) {
    if (!LIES[kind]) throw new Error(`no lie is called ${kind}: ${Object.keys(LIES).join(', ')}`);
    Object.assign(this, { kind, match, after, what: [], told: { others } });
    this.times = times ?? (LIES[kind].always ? Infinity : 1);
  }

  #tell(form, message) {
    const made = LIES[this.kind][form];
    if (!made || this.what.length >= this.times || !this.match.test(message.path)) return false;
    if (this.after > 0) {
      const copy = structuredClone(message);
      if (made(copy, structuredClone({ others: this.told.others })) !== undefined) this.after -= 1;
      return false;
    }
    const what = made(message, this.told);
    if (what !== undefined) this.what.push(what);
    return what !== undefined;
  }

  answer(message) { return this.#tell('answer', message); }
  ask(request) { return this.#tell('ask', request); }
}

/** Stores own cards that an honest proxy passes on, for the lie `own` of another one. */
export function keepOwn(message, kept) {
  const own = ownOf(message);
  if (own) kept.set(own.round, structuredClone(own));
}

export { faceOf, valueOf };
