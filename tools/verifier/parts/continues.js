// A log that goes on from another under a new name: spec/recovery.md, "Under a new name"; spec/audit.md, "A log that
// goes on under a new name", "Two that go on from one".

const CONTINUES = 'fairshoe/v1/log-continues', CARRIED_OVER = 'carried over';
/** An exclusion that ends this soon after a log goes on is dropped. */
const LET_GO_MS = 3600000;
/** No structure lets its clock stand longer after a crash. */
const LONGEST_STOP_MS = 86400000;

/** The statement that the old log's key signs: the log `by`, with that key, goes on from it. */
const statementText = ({ origin, size, root, new_key: newKey }, by) =>
  `${CONTINUES}\n${origin}\n${size}\n${root}\n${by}\n${newKey}\n`;

/** The house's next duty in an event, if the dealer has been away longer than any limit. */
function windingUp(house, ev) {
  const duty = house.dutyOfEvent(ev), [lapsed] = eventDeadlines(ev);
  return duty && duty.tournament.start_clock && lapsed ? lapsed.command : duty;
}

extendHouse({
  /**
   * Ends every tournament, as if the dealer had come back too late to play on: finished events are paid as they ended,
   * all others are cancelled as of the log's last moment.
   */
  windUpEvents() {
    const ended = this.time, now = ended + LONGEST_STOP_MS;
    const give = (by, command) => {
      Object.assign(this, { by, time: now, logged: null, out: [], table: null, doubles: [], published: [] });
      this.tournament(command.tournament, null);
      this.entryEnds(command, 0);
    };
    for (const ev of [...this.events.values()].sort((a, b) => compareText(a.name, b.name))) {
      // Hands in progress are void.
      ev.tables.open.clear();
      ev.tables.unrecovered.clear();
      if (ev.stage === 'running') stopForCrash(ev, ended);
      if (ev.stage === 'registering')
        give('operator', eventCommand(ev, 'cancel', { cause: 'operator', instant: now, reason: CARRIED_OVER }));
      while (ev.stage !== 'ended') {
        const command = windingUp(this, ev);
        if (!command) throw new Unusable(`tournament ${ev.name} does not come to its end: nothing can be carried over`);
        give('house', command);
      }
    }
  },

  /**
   * The transfer commands if the log ends here and another goes on at this time: the operator's commands, in their
   * order. The house is then at its end.
   */
  carriedOver(at) {
    // Keys and limits as they stand here: events are wound up a day later.
    const keys = new Map(this.keys), allowed = new Map([...this.players].map(name => [name, this.limitsPart(name)]));
    this.windUpEvents();
    // Guests are not carried over: their chips have no value anywhere.
    const players = [...this.players].filter(player => !isGuest(player));
    const dollars = player => this.accounts.get(`tdollars:${player}`) || 0;
    const chips = new Map(players.map(player => [player, this.balance(player) + dollars(player)]));
    // Chips at the seats of a tournament's table are no money.
    const tables = [...this.tables.values()].filter(({ event }) => !event).sort((a, b) => compareText(a.name, b.name));
    for (const table of tables) {
      const { live, window } = table,
        give = (player, amount) =>
          isGuest(player) || chips.set(player, Math.max(0, chips.get(player) + amount));
      this.cashSeats(table).forEach(({ player, stack }) => give(player, stack));
      if (window) [...window.bets.values()].forEach(placed => give(placed.player, this.stakeOf(placed)));
      // Chips in the pot of a hand still belong to the seats until the hand is over.
      if (live && !isCash(table))
        live.contributors.forEach(({ player }) =>
          give(player, live.staked.get(player) - (live.returned.get(player) || 0)));
    }
    const commands = [...chips].sort(([a], [b]) => compareText(a, b)).flatMap(([player, amount]) => [
        { create_player: { player, ...orNone('key', keys.get(player)) } },
        ...(amount ? [{ credit: { player, amount, reference: CARRIED_OVER } }] : []),
        ...(allowed.get(player).limits || []).map(({ of, per, most }) => ({ set_limit: { player, of, per, most } })),
        ...(allowed.get(player).excluded > at + LET_GO_MS
          ? [{ exclude: { player, until: allowed.get(player).excluded } }]
          : []),
      ]);
    return [
      ...commands,
      ...tables.filter(({ owner }) => !owner).map(({ name, rules }) => ({ open_table: { table: name, rules } })),
    ];
  },
});

/**
 * A log's statement about the one that it goes on from, `{index, origin, key, size, root, signature, by}`, or null: the
 * log is sound as far as it states this.
 */
function claimOf(lines) {
  let by = null;
  for (const [index, line] of lines.entries()) {
    const {
      start_dealer: start,
      continue_log: claim,
      create_player: player,
      open_table: table,
    } = readEntry(line).command;
    if (start) by = start.origin;
    if (claim) return { index, by, time: readEntry(line).time, ...claim };
    if (player || table) return null;
  }
  return null;
}

const keyOfClaim = ({ origin, key }) => {
  const bytes = concat(Uint8Array.of(LOG_KEY), unhex(key, 32)),
    id = hex(sha256(concat(utf8(origin), Uint8Array.of(10), bytes)).slice(0, 4));
  return readLogKey(`${origin}+${id}+${base64(bytes)}`);
};

/** A claim as a note of the old log's: its text, signed. */
const statementNote = claim =>
  `${statementText(claim, claim.by)}\n— ${claim.origin} ` +
  `${base64(concat(unhex(keyOfClaim(claim).id, 4), unhex(claim.signature, 64)))}\n`;

/** Size, root and new name in such a note; it is signed by `key`. */
function readStatement(bytes, key) {
  const { text } = openNote(bytes, [key]), [kind, origin, size, root, by, newKey, end, ...rest] = text.split('\n');
  if (
    kind !== CONTINUES ||
    end !== '' ||
    rest.length ||
    origin !== key.name ||
    decimal(size) === null ||
    !hash64(root) ||
    !isOrigin(by) ||
    !isHash(newKey)
  )
    fault('it is no statement that a log goes on from this one');
  return text;
}

/**
 * The failed checks between a sound log, signed with `own`, and the one that it goes on from, as `findings`; without
 * findings `old`: that log's own verdict, and its open items. Without a checkpoint of that log only the claim about it
 * is signed. `older`: the logs that it goes on from in its turn, the latest first.
 */
function heldToOld(lines, [old, ...older], own) {
  const claim = claimOf(lines),
    find = (check, message, entry) => ({ findings: [{ check, ...(entry === undefined ? {} : { entry }), message }] });
  if (!claim) return find('continues', 'this log does not say that it goes on from another');
  const wrong = message => find('continues', message, claim.index),
    key = keyOfClaim(claim),
    more = count => `the log ${claim.origin} has ${count} entries, and this one goes on from ${claim.size}`;
  // Attack: two logs with the name that the old key signed, each with its own key.
  if (own && hex(own.key) !== claim.new_key)
    return wrong(
      `${claim.origin} signed that the log goes on with the key ${claim.new_key}, and this one is signed with ` +
        hex(own.key),
    );
  let size = BigInt(old.lines.length), root = claim.root;
  try {
    if (old.note) { const signed = openCheckpoint(old.note, key); size = signed.size; root = base64(signed.root); }
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    throw new Unusable(
      `this log goes on from the one whose key is ${key.text}; the one named is not signed with it: ${error.message}`,
    );
  }
  if (size < BigInt(claim.size))
    throw new Unusable(
      `the old log named has ${size} entries, and ${claim.size} are needed to follow: name a copy that has them`,
    );
  if (size > BigInt(claim.size)) {
    if (!old.note)
      throw new Unusable(`${more(size)}; no checkpoint shows that the others were signed: name a mirror's folder`);
    return wrong(`${more(size)}: what the others hold is left out`);
  }
  if (root !== claim.root)
    return wrong(`this log goes on from root ${claim.root}, ${claim.origin} signed ${root} for that size`);
  if (!old.note && base64(treeRoot(old.leaves)) !== root)
    throw new Unusable(
      `the entries of the old log named do not have the root that this log goes on from, ${root}: they are another ` +
        `log's, or changed`,
    );
  const { house, findings: [unsound] } = followed(old, { key, checkpoint: old.note });
  if (unsound)
    return wrong(
      'the log that this one goes on from is not sound: ' +
        `${unsound.entry === undefined ? '' : `entry ${unsound.entry}: `}${unsound.message} [${unsound.check}]`,
    );
  // Attack: a thief of the old key signs that their own log goes on, after the old log named another.
  if (house.ended && (house.ended.origin !== claim.by || house.ended.key !== claim.new_key))
    return wrong(
      `${claim.origin} ended for the log ${house.ended.origin} with the key ${house.ended.key}, and this one is ` +
        `${claim.by} with the key ${claim.new_key}`,
    );
  const open = leftOpen(house), late = lateWaits(house, walletWaits(house, old.lines, { operations: 0 }));
  for (const [i, command] of house.carriedOver(claim.time).entries()) {
    const index = claim.index + 1 + i, wanted = quote(command).slice(0, 200);
    if (index >= lines.length)
      return find('carried_over', `what stood at the end of ${claim.origin} is not carried over: ${wanted} is missing`);
    const entry = readEntry(lines[index]);
    if (entry.by !== 'operator' || quote(entry.command) !== quote(command))
      return find('carried_over', `what stood at the end of ${claim.origin} asks for ${wanted} here`, index);
  }
  // Attack: a house leaves a log for an empty one, and that for a third, and nobody looks at the first.
  const before = older.length ? heldToOld(old.lines, older, key) : { findings: [] }, [unfit] = before.findings;
  if (unfit) return wrong(`the log that this one goes on from is not sound: ${unfit.message} [${unfit.check}]`);
  const isShown = !house.continues || (!!before.old && before.old.verdict === 'sound');
  return {
    findings: [],
    old: {
      verdict: open.length || late || !isShown ? 'sound_so_far' : 'sound',
      origin: claim.origin,
      entries: claim.size,
      ...(house.continues ? { goes_on_from: { origin: house.continues.origin, size: house.continues.size } } : {}),
      ...(before.old ? { old_log: before.old } : {}),
      open,
      wallet_late: late,
    },
  };
}

/** Fails unless the key signed exactly these entries. */
function signedWhole({ leaves }, note, key) {
  if (!note) fault('there is no checkpoint over them');
  const { size, root } = openCheckpoint(note, key);
  if (size !== BigInt(leaves.length) || !sameBytes(root, treeRoot(leaves)))
    fault(`they do not lead to the root that is signed for ${size} entries`);
}

/**
 * Two logs of one statement are one log. Attack: half of the players sees one, the other half another, under one key. A
 * copy that was changed, or signed with another key, proves nothing about the house.
 */
function heldToTwin(log, note, twin, { by, new_key: newKey }) {
  const same = `${twin.name} states the same: that this log, and no other, goes on from the old one`;
  for (const [whose, one, signed] of [["this log's", log, note], ["that one's", twin, twin.note]]) {
    try {
      signedWhole(one, signed, keyOfClaim({ origin: by, key: newKey }));
    } catch (error) {
      if (!(error instanceof Unsound)) throw error;
      return {
        findings: [],
        words: `${same}. The entries were not compared, for the key that the statement names does not vouch for ` +
          `${whose}: ${error.message}.`,
      };
    }
  }
  const both = Math.min(log.leaves.length, twin.leaves.length),
    at = log.leaves.findIndex((leaf, index) => index < both && !sameBytes(leaf, twin.leaves[index]));
  if (at < 0) return { findings: [], words: `${same}; the ${both} entries that both have are the same.` };
  const message = `${twin.name}: entry ${at} differs from this log's, and ${by}'s key signed both`;
  return { findings: [{ check: 'fork', entry: at, message }] };
}

/**
 * Compares other statements about the old log, from a log `{name, lines, leaves, note}` or a note `{name, bytes}`, with
 * this log's; `note` is this log's checkpoint. Without a finding, returns words about the comparison.
 */
function heldToRival(log, note, rival) {
  const { name, lines: others, bytes } = rival, claim = claimOf(log.lines);
  if (!claim) throw new Unusable('this log does not say that it goes on from another');
  const key = keyOfClaim(claim);
  let text;
  try {
    const shown = others ? claimOf(others) || fault('it does not say that it goes on from another') : null;
    if (shown && (shown.origin !== claim.origin || shown.key !== claim.key))
      fault(`it goes on from ${keyOfClaim(shown).text}, this one from ${key.text}`);
    text = readStatement(shown ? utf8(statementNote(shown)) : bytes, key);
  } catch (error) {
    if (!(error instanceof Unsound)) throw error;
    throw new Unusable(`${name} shows nothing about this log: ${error.message}`);
  }
  if (text === statementText(claim, claim.by))
    return others
      ? heldToTwin(log, note, rival, claim)
      : { findings: [], words: `${name} states the same: that this log, and no other, goes on from the old one.` };
  const [, , size, root, by, newKey] = text.split('\n');
  const message =
    `${name}: ${claim.origin} signed that ${claim.by} goes on, with the key ${claim.new_key}, from its first ` +
    `${claim.size} entries (root ${claim.root}), and that ${by} goes on, with the key ${newKey}, from its first ` +
    `${size} (root ${root})`;
  return { findings: [{ check: 'continued_twice', entry: claim.index, message }] };
}
