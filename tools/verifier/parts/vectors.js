// Checks the data of spec/vectors with this verifier. `files` maps names to parsed JSON, `ruleSets` names to rule sets.

class Tally {
  constructor() { this.checks = 0; this.failed = []; }
  same(what, given, expected) {
    this.checks++;
    if (quote(given) !== quote(expected))
      this.failed.push(`${what}: ${quote(given)}, not ${quote(expected)}`.slice(0, 500));
  }
  /** Equal values, in any order of fields. */
  alike(what, given, expected) { this.same(what, sortedText(given), sortedText(expected)); }
  /** What is refused is so for this reason, where one is given. */
  holds(what, action, expected, because = '') {
    let holds = true;
    try {
      action();
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      holds = !error.message.includes(because);
      what += `: ${error.message} [${error.check}]`;
    }
    this.same(what, holds, expected);
    return holds;
  }
}

const listWords = words => {
  let at = 0;
  return {
    rejected: 0,
    word() {
      if (at === words.length) throw new RangeError('used up');
      return words[at++];
    },
  };
};
const contextOf = ({ origin, table, epoch }) => tableContext(origin, table, epoch);

const VECTORS = {
  'fairness-draws.json'(tally, file) {
    for (const { key, words } of file.streams) {
      const stream = new Stream(unhex(key, 32));
      tally.same(
        'stream',
        words.map(() => stream.word()),
        words,
      );
    }
    for (const { m, words, draws } of file.below_words) {
      const stream = listWords(words), drawn = [];
      try { for (;;) drawn.push(below(stream, m)); } catch (error) { if (!(error instanceof RangeError)) throw error; }
      tally.same(`below(${m})`, drawn, draws);
    }
    for (const { m, key, draws, thrown_away } of file.below_key) {
      const stream = new Stream(unhex(key, 32));
      tally.same(`below(${m}) of a key`, draws.map(() => below(stream, m)), draws);
      const words = new Stream(unhex(key, 32)), refused = [];
      for (let i = 0; i < 8; i++) if (words.word() >= 4294967296 - (4294967296 % m)) refused.push(i);
      tally.same('thrown away', refused, thrown_away);
    }
  },

  'fairness-shoes.json'(tally, file) {
    const master = unhex(file.master, 32);
    tally.same('master id', hex(sha256(concat(label('master-id'), master))), file.master_id);
    for (const shoe of file.shoes) {
      const tctx = contextOf(shoe.context), composition = readComposition(shoe.composition);
      tally.same('tctx', hex(tctx), shoe.tctx);
      tally.same('slots', composition.slots, shoe.slots);
      shoe.candidates.forEach(candidate => {
        const seed = hmac(
            master,
            concat(label('server-seed'), tctx, u64(shoe.shoe_no), Uint8Array.of(candidate.candidate)),
          ),
          derived = deriveShoe(seed, composition);
        tally.same('server seed', hex(seed), candidate.server_seed);
        tally.same('commitment', serverCommitment(tctx, shoe.shoe_no, candidate.candidate, seed), candidate.commitment);
        tally.same(
          'house key',
          [hex(derived.houseKey), hex(derived.saltKey)],
          [candidate.house_key, candidate.salt_key],
        );
        tally.same('order', derived.faces, candidate.order);
        tally.same('salts', derived.salts.map(hex), candidate.salts);
        tally.same('root', derived.root, candidate.root);
        tally.same('words thrown away', derived.rejected, candidate.thrown_away.length);
      });
    }
  },

  'fairness-rounds.json'(tally, file) {
    for (const session of file.sessions) {
      const tctx = contextOf(session.context), composition = readComposition(session.composition);
      const undrawn = new Set(Array.from({ length: composition.slots }, (_, i) => i));
      const shoes = session.server_seeds.map(seed => deriveShoe(unhex(seed, 32), composition));
      tally.same('roots', shoes.map(shoe => shoe.root), session.roots);
      for (const round of session.rounds) {
        if (round.burnt !== undefined) {
          tally.same('burnt', Math.min(...undrawn), round.burnt);
          undrawn.delete(round.burnt);
          continue;
        }
        for (const { player, seed, client_secret, commitment } of round.contributors) {
          if (client_secret)
            tally.same(
              'derived seed',
              hex(hmac(unhex(client_secret, 32), concat(label('client-derive'), tctx, u64(round.round_no)))),
              seed,
            );
          tally.same('client commitment', clientCommitment(tctx, round.round_no, player, unhex(seed, 32)), commitment);
        }
        const entropy = roundEntropy(tctx, session.shoe_no, session.roots, round.round_no, round.contributors);
        tally.same('entropy', hex(entropy), round.entropy);
        const { pick, order } = publicShuffle(entropy, session.roots.length, composition.wheel ? [] : [...undrawn]);
        tally.same('pick', pick, round.pick);
        const faceAt = slot => shoes[pick].faces[slot];
        if (composition.wheel) {
          const slot = Math.min(...undrawn), offset = wheelOffset(entropy, composition.wheel);
          undrawn.delete(slot);
          const pocket = (faceAt(slot) + offset) % composition.wheel;
          tally.same('spin', [slot, offset, pocket], [round.slot, round.offset, round.pocket]);
        } else {
          tally.same('undrawn', [...undrawn].sort((a, b) => a - b), round.undrawn);
          tally.same('order', order, round.order);
          const taken = Array(round.lanes).fill(0);
          const drawn = round.draws.map(lane => {
            const slot = laneSlot(order, round.lanes, lane, taken[lane]++, undrawn);
            undrawn.delete(slot);
            return slot;
          });
          tally.same('drawn', drawn, round.drawn);
        }
        for (const opening of round.openings) {
          tally.same('opening', openingHolds(opening, composition, session.roots[pick]), true);
          tally.same('value', opening.value, faceAt(opening.slot));
        }
      }
    }
  },

  'fairness-openings.json'(tally, file) {
    for (const { name, composition, root, opening, holds } of file.cases) {
      const read = readComposition(composition);
      tally.same(name, !!read && openingHolds(opening, read, root), holds);
    }
  },

  'fairness-refusals.json'(tally, file) {
    const forms = {
      origin: isOrigin,
      table: isName,
      player: isName,
      composition: text => readComposition(text) !== null,
      card: isCard,
      hash: isHash,
    };
    for (const { kind, text, valid } of file.texts)
      tally.same(`${kind} ${text.slice(0, 60)}`, forms[kind](text), valid);
    for (const c of file.server_commitments)
      tally.same(
        c.name,
        serverCommitment(contextOf(c.context), c.shoe_no, c.candidate, unhex(c.server_seed, 32)) === c.commitment,
        c.opens,
      );
    for (const c of file.client_commitments)
      tally.same(
        c.name,
        clientCommitment(contextOf(c.context), c.round_no, c.player, unhex(c.seed, 32)) === c.commitment,
        c.opens,
      );
    const tctx = tableContext('example.com/log', 't1', '00'.repeat(32));
    for (const { name, roots, contributors, valid } of file.contributor_lists)
      tally.same(name, roundEntropy(tctx, 0, roots, 0, contributors) !== null, valid);
  },

  'log-tree.json'(tally, file) {
    const key = readLogKey(file.log_key),
      entries = file.entries_hex.map(text => unhex(text, text.length / 2)),
      leaves = entries.map(leafHash);
    const rootOf = size => treeRoot(leaves.slice(0, size));
    tally.same('leaf hashes', leaves.map(base64), file.leaf_hashes);
    tally.same('roots', file.roots.map((_, size) => base64(rootOf(size))), file.roots);
    file.checkpoints.forEach((text, size) =>
      tally.same('checkpoint', base64(openCheckpoint(utf8(text), key).root), file.roots[size]),
    );
    for (const { index, size, proof } of file.inclusion)
      tally.holds(
        'inclusion',
        () => checkInclusion(leaves[index], BigInt(index), BigInt(size), proof.map(hash64), rootOf(size)),
        true,
      );
    for (const { old, size, proof } of file.consistency)
      tally.holds(
        'consistency',
        () => checkConsistency(BigInt(old), rootOf(old), BigInt(size), rootOf(size), proof.map(hash64)),
        true,
      );
    for (const { size, full_and_partial_width_by_level: levels } of file.layouts)
      tally.same('layout', tileLayout(size), levels);
    for (const { index, level, path } of file.paths) {
      tally.same('path', tilePath(level, index), path);
      tally.same('path read', String(readTilePath(path).number), index);
    }
    for (const { path, hex: bytes } of file.resources) {
      const { level, width } = readTilePath(path), data = unhex(bytes, bytes.length / 2);
      const hashes =
        level === 'entries'
          ? readEntryBundle(data).map(leafHash)
          : Array.from({ length: data.length / 32 }, (_, i) => data.slice(32 * i, 32 * i + 32));
      tally.same(path, hashes.map(base64), file.leaf_hashes.slice(0, width));
    }
  },

  'log-receipts.json'(tally, file) {
    for (const { what, receipt, entry_hex: entry, policy, index, size, cosigned_at: times } of file.receipts) {
      const result = verifyReceipt(utf8(receipt), unhex(entry, entry.length / 2), readPolicy(utf8(policy)));
      tally.same(
        what,
        [Number(result.index), Number(result.checkpoint.size), result.cosigned.map(({ time }) => Number(time))],
        [index, size, times],
      );
    }
    for (const { what, hex: bytes } of file.policies)
      tally.holds(what, () => readPolicy(unhex(bytes, bytes.length / 2)), true);
    for (const { what, key, name } of file.keys) tally.same(what, readLogKey(key).name, name);
    for (const { what, checkpoint, log_key: key, own_time: time } of file.own_times) {
      const found = ownTime(utf8(checkpoint), readLogKey(key));
      tally.same(what, found === null ? null : String(found), time);
    }
  },

  'log-broken.json'(tally, file) {
    const key = readLogKey(file.log_key);
    for (const { why, hex: bytes } of file.bundles)
      tally.holds(why, () => readEntryBundle(unhex(bytes, bytes.length / 2)), false);
    for (const { why, input } of file.checkpoints) tally.holds(why, () => openCheckpoint(utf8(input), key), false);
    for (const c of file.consistency)
      tally.holds(
        c.why,
        () => checkConsistency(BigInt(c.old), hash64(c.old_root), BigInt(c.size), hash64(c.root), c.proof.map(hash64)),
        false,
      );
    for (const { why, input } of file.keys) tally.holds(why, () => readLogKey(input), false);
    for (const { why, hex: bytes, type } of file.policies)
      tally.holds(why, () => readPolicy(unhex(bytes, bytes.length / 2)), false, type && `type is ${type},`);
    for (const path of file.paths) tally.holds(path, () => readTilePath(path), false);
    for (const { why, input, entry_hex: entry, policy } of file.receipts)
      tally.holds(
        why,
        () => verifyReceipt(utf8(input), unhex(entry, entry.length / 2), readPolicy(utf8(policy))),
        false,
      );
  },

  'log-notes.json'(tally, file, ruleSets, files) {
    const given = (note, key = file.log_key) => ({ key, kept: [{ name: 'note', bytes: utf8(note) }] }),
      log = `${file.entries.join('\n')}\n`;
    const judge = (entries, { about, note, check, entry }, key) => {
      const [finding] = verifyLog(entries, given(note, key)).findings;
      tally.same(about, finding ? [finding.check, finding.entry] : [null, null], [check, entry]);
    };
    file.notes.forEach(one => judge(log, one));
    for (const { file: other, until, log_key: key, notes } of file.others)
      notes.forEach(one => judge(`${files[other].entries.slice(0, until).join('\n')}\n`, one, key));
    for (const { about, note } of file.refused) {
      let usable = true;
      try {
        verifyLog(log, given(note));
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        usable = false;
      }
      tally.same(about, usable, false);
    }
  },

  'log-continued.json'(tally, { pool, cases, stated, rivals }, _, files) {
    const textsOf = ({ file, first }) => files[file].entries.slice(0, first);
    const read = ({ entries, checkpoint }) => ({
      ...logOfText((entries.file ? textsOf(entries) : entries.map(at => pool[at])).join('\n')),
      note: checkpoint === null ? null : utf8(checkpoint),
    });
    const said = (log, key, more, told = () => {}) => {
      try {
        const report = verifyLog(read(log), { key, ...more }), [finding] = report.findings;
        if (!finding) told(report);
        return finding ? [finding.check, finding.entry === undefined ? null : finding.entry] : [null, null];
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        return ['unusable', null];
      }
    };
    for (const { about, new: log, old, older, check, entry, old_verdict: ofOld, alone } of cases) {
      if (alone) said(log, log.key, {}, ({ verdict }) => tally.same(`${about}: alone`, verdict, alone));
      // A new log is at most as sound as the old one.
      const told = ({ verdict, old_log: { verdict: said } }) =>
        tally.same(`${about}: the old log`, [said, said === 'sound' || verdict === said], [ofOld, true]);
      tally.same(about, said(log, log.key, { continues: [old, ...(older || [])].map(read) }, told), [check, entry]);
    }
    for (const { about, statement, check } of stated.statements)
      tally.same(
        about,
        said(stated.new, stated.new.key, { rivals: [{ name: about, bytes: utf8(statement) }] })[0],
        check,
      );
    for (const { about, new: log, rival, check, entry } of rivals)
      tally.same(about, said(log, log.key, { rivals: [{ name: about, ...read(rival) }] }), [check, entry]);
  },

  'player-keys.json'(tally, file) {
    for (const { about, key, usable } of file.keys) tally.same(about, ed25519.usable(unhex(key, 32)), usable);
    for (const { about, origin, by, nonce, command, key, signature, text, holds } of file.signatures) {
      tally.same(`${about}: the text`, signedText(origin, by, nonce, command), text);
      tally.same(about, ed25519.verify(unhex(key, 32), utf8(text), unhex(signature, 64)), holds);
    }
    checkEntries(tally, file);
  },

  'wallet.json'(tally, file, ruleSets, files) {
    const { entries } = files['entries-wallet.json'];
    for (const { about, origin, entries: size, now, statement, gives, unreadable } of file.cases) {
      const lines = entries.slice(0, size);
      let given = null;
      try {
        given = reconcile(lines, statement.map(line => `${line}\n`).join(''), now);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
      }
      tally.same(`${about}: the log`, nameOfLog({ lines }), origin);
      tally.alike(about, given, unreadable ? null : gives);
    }
  },

  'bundles.json'(tally, file) {
    for (const { about, bundle, verdict, check, exact, entry } of file.cases) {
      let report;
      try {
        report = verifyBundle(bundle);
      } catch (error) {
        if (!(error instanceof Unusable)) throw error;
        // An input that cannot be read at all counts as refused.
        report = { verdict: 'not_sound', findings: [] };
      }
      // If several checks fail in one entry, the page says only for some which is named first.
      const [finding] = report.findings;
      if (exact) tally.same(`${about}: the code`, finding && finding.check, check);
      tally.same(about, [report.verdict, finding && finding.entry], [verdict, entry]);
    }
  },

  'play.json'(tally, file, ruleSets) {
    for (const round of file.cases) {
      for (const name of round.rules) playCase(tally, round, ruleSets[name]);
    }
  },
};

/**
 * A whole log of entries-*.json: each command decided again, the refusals, the balances, and the shoes from the master.
 */
function checkEntries(tally, file) {
  const house = new House(false), entries = file.entries.map(readEntry), master = unhex(file.master, 32);
  const refusedAfter = count => {
    for (const row of file.refused.filter(c => c.after_entries === count)) {
      const { by, now, command, command_text: text, signed, code } = row;
      const given = text ? JSON.parse(text) : inOrder(command);
      tally.same(`refused after ${count}`, copyOf(house).refusalOf(now, by, given, signed), code);
    }
  };
  for (const [index, entry] of entries.entries()) {
    refusedAfter(index);
    if (!tally.holds(`entry ${index}`, () => house.judge(entry, index), true)) break;
    if (file.state_roots) tally.same(`state after ${index + 1}`, house.stateRoot(), file.state_roots[index]);
    for (const { shoe_committed: shoe } of entry.events) {
      if (!shoe) continue;
      const tctx = house.tctx({ epoch: house.start.epoch }),
        seed = hmac(master, concat(label('server-seed'), tctx, u64(shoe.shoe_no), Uint8Array.of(0)));
      tally.same(
        'shoe',
        [serverCommitment(tctx, shoe.shoe_no, 0, seed), deriveShoe(seed, readComposition(shoe.composition)).root],
        [shoe.candidates[0].commitment, shoe.candidates[0].root],
      );
    }
  }
  refusedAfter(entries.length);
  for (const [account, balance] of Object.entries(file.balances))
    tally.same(account, house.accounts.get(account), balance);
  if (file.state_lines)
    house.stateLines().forEach((line, i) => tally.same(`line ${i} of the state`, line, file.state_lines[i]));
  // Each is a number below 2^53; the sum may be larger.
  tally.same('sum of all accounts', String(sumBig([...house.accounts.values()], balance => balance)), '0');
}

/** A command with its fields in the order in which they are written, and signed. */
function inOrder(command) {
  const [[name, fields]] = Object.entries(command);
  // One whose fields' order matters has its text.
  if (name === 'tournament') return command;
  const sorted = (object, names) =>
    Object.fromEntries(names.filter(field => object[field] !== undefined).map(field => [field, object[field]]));
  const ordered = sorted(fields, Object.keys(COMMANDS[name]).map(field => field.replace('?', '')));
  if (ordered.rules) {
    const { name: called, table, game } = ordered.rules,
      [kind] = Object.keys(game),
      options = gameOf(ordered.rules).fields;
    ordered.rules = { name: called, table: sorted(table, TABLE_FIELDS), game: { [kind]: sorted(game[kind], options) } };
  }
  if (ordered.bets) ordered.bets = ordered.bets.map(bet => sorted(bet, ['spot', 'stake', 'chips']));
  return { [name]: ordered };
}

/** A house that can be asked for refusals without changing the first. */
const copyOf = house =>
  Object.assign(
    Object.create(House.prototype),
    structuredClone({ ...house, table: null, logged: null, out: [], doubles: [], published: [] }),
  );

VECTORS['words.json'] = (tally, { entries, words }) => {
  for (const [choice, known] of Object.entries(words))
    for (const [word, sample] of Object.entries(known))
      for (const key of sample ? ['read', 'refused'] : [])
        for (const fields of sample[key]) {
          const text = entries[choice].replace('%', () => `{"${word}":${fields}}`);
          tally.holds(`${word} ${fields}`, () => readEntry(text), key === 'read');
        }
};

/** All existing files of spec/vectors, by name: `{file: {checks, failed}}`. */
function runVectors(files, ruleSets) {
  const results = {};
  for (const name of Object.keys(VECTORS)) {
    if (!files[name]) continue;
    results[name] = new Tally();
    VECTORS[name](results[name], files[name], ruleSets, files);
  }
  for (const [name, file] of Object.entries(files)) {
    if (!/^entries-.*\.json$/.test(name)) continue;
    results[name] = new Tally();
    checkEntries(results[name], file);
  }
  return results;
}
