// The command line. Nothing here runs in a page.

const HELP = `A second, independent verifier of fairshoe's rounds, written from spec/ alone.

Usage: node fairshoe-verify.js COMMAND [OPTIONS]

  bundle SOURCE… [ROUND]   Judge rounds. SOURCE is a bundle file, a bundle's address, or the address of a service, with
                           the ROUND TABLE:NUMBER after it. Of several files each gets its verdict.
  receipt FILE             Check a .tlog-proof file (with --entry) or the receipts in a saved JSON reply
  checkpoint SOURCE        Check a signed checkpoint: a file, or a service's address
  shoe SOURCE [TABLE:NO]   Derive the shoes whose seeds a bundle reveals; or one shoe by --seed and --composition
  log SOURCE…              Judge whole logs: a file, the exact text of an entry a line, from the first on; or a mirror's
                           folder. One log also against what others kept of it
  cluster FOLDER FOLDER…   Judge logs that know each other, each in a mirror's folder, and then all together: what one
                           claimed was sent by the other; what was sent and not claimed is listed
  wallet LOG STATEMENT     Judge a log and hold it against the operator's wallet: LOG as with \`log\`; STATEMENT a file
                           with the wallet's operations of that log, JSON, one a line. Exit code 0 where nothing
                           differs, also while something is under way
  evidence FILE            Check what a monitor wrote at a finding, or \`fairshoe-audit log --evidence\`: whether it
                           proves by itself that a log is not sound
  refund FILE              What a cancelled tournament pays back, computed from a file (spec/games/refunds.md, 9); -
                           reads standard input
  prizes FILE              What a tournament pays that is played to its end, from a file of the same section
  vectors DIR              Run the data of spec/vectors

Options:
  --key VKEY               The log's verifier key, got by a way you trust. Without it a bundle's own key is used and
                           named as unverified; of a log no signature is checked, which is said. To check a log's
                           signature takes --checkpoint too. Of a cluster it can be given for each log
  --policy FILE            Which logs and witnesses count (c2sp.org/tlog-policy): for receipt, checkpoint and log
  --entry FILE             The entry's exact bytes, for a .tlog-proof file
  --seed HEX --composition TEXT [--root HEX] [--commitment HEX --origin NAME --table NAME --epoch HEX --shoe-no N]
                           A shoe by itself
  --kept FILE              Of a log: a receipt (NAME.tlog-proof, the entry's bytes beside it as NAME.entry), a saved
                           reply, a history of checkpoints, a signed checkpoint or note. Can be given often; takes --key
                           or --policy
  --earlier-key VKEY       Of a log: a key that you knew it by, where it has another now; what is kept under it shows
                           that. Can be given often
  --checkpoint FILE        Of a log in a file: its signed checkpoint
  --continues SOURCE       Of a log: the one that it goes on from (log_continues), judged up to there; what was carried
                           over is held against its end. A folder's checkpoint is judged by the key that the new log
                           names. Given again, the log that that one goes on from
  --rival SOURCE           Of a log that goes on from another: a second log that does so, or its signed statement. Two
                           statements of one old log that differ show a second history; so do two logs of one statement
                           and one key, in mirrors' folders, whose entries differ. Can be given often
  --from SIZE|FILE         Of a log: judge what came after so many entries alone. The state after them, which the log
                           must name, is taken as given: published in the mirror's folder (state/SIZE), or in a file of
                           that name
  --ledger-only            Of a log: check the tree and the money alone, without deciding anything again
  --now MS                 Of a log: the time by which its entries are judged, UTC milliseconds; this machine's clock if
                           not said
  --skew S --delay S       Of a log: how far clocks may differ (2 s), how late a witness may have been asked (60 s)
  --structures DIR         Of refund and prizes: where the structures that the product ships are (spec/structures)
  --strict-end             Of a log: a used shoe or a round that is open at its end gives exit code 1
  --json                   One JSON object; of several bundles one a line
  -h, --help               This text

Exit codes: 0 sound, as far as the verdict says, or not proven; 1 not sound, or proven; 2 wrong use or unusable input.

Examples:
  node fairshoe-verify.js bundle round.json
  node fairshoe-verify.js bundle http://127.0.0.1:8080 joy-1:0 --key 'ORIGIN+ID+KEY'
  node fairshoe-verify.js receipt reply.json --policy policy.txt
  node fairshoe-verify.js vectors spec/vectors`;

const FLAGS = [
    'key', 'policy', 'entry', 'seed', 'composition', 'root', 'commitment', 'origin', 'table', 'epoch', 'shoe-no',
    'kept', 'earlier-key', 'checkpoint', 'continues', 'rival', 'from', 'now', 'skew', 'delay', 'structures',
  ],
  REPEATED = ['kept', 'earlier-key', 'continues', 'rival'];
/** An address to which paths are added: text after `?` or `#` would swallow them. */
function isAddress(text) {
  if (!/^https?:\/\//.test(text)) return false;
  if (/[?#]/.test(text)) throw new Unusable(`${text}: name the address without ? and # and what follows them`);
  return true;
}
const LONGEST_ANSWER = 64 * 1024 * 1024;

function readArguments(args) {
  const options = {}, words = [];
  for (let i = 0; i < args.length; i++) {
    const [, flag, inline] = /^--([a-z-]+)(?:=(.*))?$/s.exec(args[i]) || [];
    if (args[i] === '-h' || flag === 'help') options.help = true;
    else if (['json', 'strict-end', 'ledger-only'].includes(flag)) options[flag] = true;
    else if (flag && FLAGS.includes(flag)) {
      const value = inline === undefined ? args[++i] : inline;
      if (value === undefined) throw new Unusable(`--${flag} needs a value`);
      if (flag === 'key') options.keys = [...(options.keys || []), value];
      if (REPEATED.includes(flag)) options[flag] = [...(options[flag] || []), value]; else options[flag] = value;
    } else if (args[i].startsWith('-') && args[i] !== '-')
      throw new Unusable(`there is no option ${args[i]}; --help lists them`);
    else words.push(args[i]);
  }
  return { options, words };
}

function readFile(name) {
  const fs = require('fs');
  try {
    return new Uint8Array(fs.readFileSync(name === '-' ? 0 : name));
  } catch (error) {
    throw new Unusable(`cannot read ${name}: ${error.message}`);
  }
}

const isFolder = name => {
  const fs = require('fs');
  return name !== '-' && fs.existsSync(name) && fs.statSync(name).isDirectory();
};

// An entry is ASCII: one with other bytes is refused as it is read.
const textOfEntry = bytes => Array.from(bytes, byte => String.fromCharCode(byte)).join('');

/**
 * A log in a file, or in a mirror's folder (spec/log.md, "Tiles"), with its checkpoint and tiles. From a folder,
 * entries before `from` are read on request (`before`); the tiles have the leaf hashes of the others.
 */
function readLog(name, from = 0) {
  const fs = require('fs'), path = require('path');
  if (!isFolder(name)) return logOfText(strictText(readFile(name), name));
  const note = readFile(path.join(name, 'checkpoint'));
  const tile = at => (fs.existsSync(path.join(name, at)) ? readFile(path.join(name, at)) : null);
  const size = Number(readCheckpointText(readNote(note).text).size), lines = Array(size), leaves = [];
  if (!size) throw new Unusable(`${name}: the log is signed and empty`);
  const widthOf = number => Math.min(256, size - 256 * number);
  const whole = (level, number) => {
    const at = tilePath(level, number, widthOf(number)), bytes = tile(at) || tile(tilePath(level, number));
    if (!bytes) throw new Unusable(`${name}/${at}: there is no such ${level === 'entries' ? 'bundle' : 'tile'}`);
    return { at, bytes };
  };
  const bundle = number => {
    const { at, bytes } = whole('entries', number),
      width = widthOf(number),
      entries = readEntryBundle(bytes).slice(0, width);
    if (entries.length < width) throw new Unusable(`${name}/${at} holds ${entries.length} entries`);
    return entries;
  };
  const servedLeaf = index =>
    whole('0', Math.floor(index / 256)).bytes.slice(32 * (index % 256), 32 * (index % 256) + 32);
  for (let first = 0; first < size; first += 256) {
    const number = first / 256, entries = first + 256 > from ? bundle(number) : [];
    for (let index = first; index < Math.min(first + 256, from, size); index++) leaves.push(servedLeaf(index));
    entries.forEach((bytes, at) => {
      if (first + at < from) return;
      lines[first + at] = textOfEntry(bytes);
      leaves.push(leafHash(bytes));
    });
  }
  return {
    lines, leaves, note, tile, servedLeaf,
    before: index => textOfEntry(bundle(Math.floor(index / 256))[index % 256]),
  };
}

/** The name in a mirror's checkpoint, unverified: it selects the key for judging it. */
const originSigned = ({ note }) => readCheckpointText(readNote(note).text).origin;

/** The value of `--from`: a size, whose state is published with a mirror's tiles, or a file of that name. */
function readGivenState(name, from) {
  const path = require('path'),
    wrong = () => new Unusable(`${from}: a state's file is named by its size, as in state/${STATE_INTERVAL}`);
  const size = text => (decimal(text) !== null && Number.isSafeInteger(Number(text)) ? Number(text) : null);
  if (size(from) === null) {
    const named = size(path.basename(from));
    if (named === null || from.endsWith('/')) throw wrong();
    return { size: named, bytes: readState(from) };
  }
  const file = isFolder(name) ? path.join(name, 'state', from) : null;
  if (!file || !require('fs').existsSync(file))
    throw new Unusable(`the state of ${from} entries is not published here: name its file, as in --from DIR/${from}`);
  return { size: size(from), bytes: readState(file) };
}

/** A state's file. Reading a pipe instead could wait without end. */
function readState(file) {
  const { statSync } = require('fs');
  let found;
  try { found = statSync(file); } catch (error) { throw new Unusable(`cannot read ${file}: ${error.message}`); }
  if (!found.isFile() || found.size > MOST_STATE) throw new Unusable(`${file} is no file of at most 1 GiB`);
  return readFile(file);
}

/** Other statements about the old log: from another log, or from a signed statement in a file. */
function readRival(source) {
  const fs = require('fs'),
    name = require('path').basename(source),
    bytes = fs.existsSync(source) && fs.statSync(source).isFile() ? readFile(source) : null;
  return bytes && sameBytes(bytes.slice(0, CONTINUES.length), ascii(CONTINUES))
    ? { name, bytes }
    : Object.assign(readLog(source), { name });
}

async function fetchBytes(address) {
  let answer, bytes;
  try {
    answer = await fetch(address, { signal: AbortSignal.timeout(30000) });
    bytes = new Uint8Array(await answer.arrayBuffer());
  } catch (error) {
    throw new Unusable(`${address} does not answer: ${error.cause ? error.cause.message : error.message}`);
  }
  if (bytes.length > LONGEST_ANSWER) throw new Unusable(`${address} answers with more than ${LONGEST_ANSWER} bytes`);
  if (!answer.ok) {
    let detail = '';
    try { detail = JSON.parse(new TextDecoder().decode(bytes)).detail; } catch (error) { /* not JSON */ }
    throw new Unusable(`${address} answers ${answer.status}${detail ? `: ${detail}` : ''}`);
  }
  return bytes;
}

const bundleAddress = (base, round) => `${base.replace(/\/+$/, '')}/v1/rounds/${round}/bundle`;

/** The texts of the bundles on the command line. */
async function bundleTexts(words) {
  const sources = [];
  for (let i = 0; i < words.length; i++) {
    const word = words[i],
      round = /^[a-z0-9_-][a-z0-9._-]{0,63}:[0-9]+$/.test(words[i + 1] || '') ? words[i + 1] : null;
    if (isAddress(word)) {
      if (round) i++;
      if (!round && !/\/bundle$/.test(word))
        throw new Unusable('name the round after the address of a service, as in joy-1:0');
      sources.push([word, await fetchBytes(round ? bundleAddress(word, round) : word)]);
    } else sources.push([word, readFile(word)]);
  }
  if (!sources.length) throw new Unusable('name a bundle file, or an address and a round; --help says more');
  return sources.map(([name, bytes]) => ({ name, bytes }));
}

/** Bytes that an address serves and the log did not sign say nothing about the log: they give no verdict. */
function requireSignature(name, report) {
  const [first] = report.findings;
  if (isAddress(name) && first && ['key', 'checkpoint', 'inclusion'].includes(first.check))
    throw new Unusable(`${name}: this is not what the log signed: ${first.message} [${first.check}]`);
  return report;
}

const visible = report => { const { entries, shoes, hand, deck, ...rest } = report; return rest; };

function printReport(report, options) {
  console.log(
    options.json
      ? JSON.stringify(visible(report), (key, value) => (typeof value === 'bigint' ? String(value) : value), 2)
      : report.story.join('\n'),
  );
  return report.verdict === 'not_sound' ? 1 : 0;
}

/** The data against which `log` checks a log. */
function logOptions(options) {
  const path = require('path'), number = (name, factor) => {
    const value = options[name];
    if (value !== undefined && !/^[0-9]{1,15}$/.test(value)) throw new Unusable(`--${name} is a whole number`);
    return value === undefined ? undefined : Number(value) * factor;
  };
  const beside = name => name.replace(/\.tlog-proof$/, '.entry');
  const kept = (options.kept || []).map(name => ({
    name: path.basename(name),
    bytes: readFile(name),
    entry: beside(name) !== name && require('fs').existsSync(beside(name)) ? readFile(beside(name)) : null,
  }));
  const [policy, checkpoint] = ['policy', 'checkpoint'].map(name => (options[name] ? readFile(options[name]) : null));
  const now = number('now', 1),
    continues = (options.continues || []).map(name => readLog(name)),
    rivals = (options.rival || []).map(readRival);
  return {
    continues,
    rivals,
    key: options.key || null,
    policy,
    checkpoint,
    kept,
    earlier: options['earlier-key'] || [],
    skew: number('skew', 1000),
    delay: number('delay', 1000),
    now: now === undefined ? Date.now() : now,
  };
}

/** The commands `refund` and `prizes`: they print JSON. */
function runEventFile(compute, [file, ...rest], options) {
  if (!file || rest.length) throw new Unusable('name one file, or - for standard input');
  const path = require('path'), fs = require('fs');
  const folder = options.structures || path.join(__dirname, '..', '..', 'spec', 'structures');
  const shipped = name => {
    const at = path.join(folder, `${name}.json`);
    return isName(name) && fs.existsSync(at) ? JSON.parse(fs.readFileSync(at, 'utf8')) : null;
  };
  console.log(JSON.stringify(compute(readFile(file), shipped), null, 2));
  return 0;
}

const NODE_COMMANDS = {
  async bundle(words, options) {
    const sources = await bundleTexts(words);
    if (options.key) under('key', () => readLogKey(options.key));
    const many = sources.length > 1;
    let worst = 0;
    for (const { name, bytes } of sources) {
      let code;
      try {
        const report = verifyBundleBytes(bytes, options.key || null), [first] = report.findings;
        if (first && first.check === 'bundle_form') throw new Unusable(`${name} is no bundle: ${first.message}`);
        requireSignature(name, report);
        if (many)
          console.log(
            options.json
              ? JSON.stringify({ source: name, ...visible(report) })
              : `${name}: ${report.story[report.story.length - 1]}`,
          );
        else printReport(report, options);
        code = report.verdict === 'not_sound' ? 1 : 0;
      } catch (error) {
        if (!(error instanceof Unusable) || !many) throw error;
        console.log(
          options.json
            ? JSON.stringify({ source: name, verdict: 'unusable', message: error.message })
            : `${name}: ${error.message}`,
        );
        code = 2;
      }
      worst = Math.max(worst, code);
    }
    return worst;
  },

  async receipt([file, ...rest], options) {
    if (!file || rest.length) throw new Unusable('name one receipt file');
    return printReport(
      verifyReceipts(
        readFile(file),
        options.entry ? readFile(options.entry) : null,
        options.policy ? readFile(options.policy) : null,
        options.key || null,
      ),
      options,
    );
  },

  async checkpoint([source, ...rest], options) {
    if (!source || rest.length) throw new Unusable('name one checkpoint file or address');
    const address = /\/checkpoint$/.test(source) ? source : `${source.replace(/\/+$/, '')}/checkpoint`;
    const bytes = isAddress(source) ? await fetchBytes(address) : readFile(source);
    const report = verifyCheckpoint(bytes, options.policy ? readFile(options.policy) : null, options.key || null);
    return printReport(requireSignature(source, report), options);
  },

  async shoe(words, options) {
    if (options.seed) return printReport(verifyShoe({ ...options, shoe_no: options['shoe-no'] }), options);
    const wanted = words.length > 1 && !isAddress(words[0]) ? words.pop() : null;
    const [{ name, bytes }] = await bundleTexts(words),
      report = requireSignature(name, verifyBundleBytes(bytes, options.key || null));
    if (report.verdict === 'not_sound') return printReport(report, options);
    const shoes = report.shoes.filter(({ shoe, table }) => !wanted || wanted === `${table}:${shoe}`);
    if (!shoes.length)
      throw new Unusable('no seed of that shoe is in the bundle: it is not out yet, or the shoe is of another bundle');
    const story = shoes.map(
      ({ shoe, table, derived, composition }) =>
        `Shoe ${shoe} of ${table} (${composition.text}), root ${derived.root}: ` +
        `${derived.faces.map(face => (composition.wheel ? face : cardOf(face))).join(' ')}`,
    );
    return printReport({ ...report, story: [...story, report.story[report.story.length - 1]] }, options);
  },

  async log(files, options) {
    if (!files.length) throw new Unusable('name a file with the entries of a log, one a line, or a mirror\'s folder');
    const one = ['kept', 'checkpoint', 'continues', 'rival', 'from'];
    if (files.length > 1 && one.some(name => options[name] !== undefined))
      throw new Unusable('what is held against a log is of one: name one');
    const without = (name, ...others) => {
      const other = others.find(flag => options[flag] !== undefined);
      if (options[name] !== undefined && other) throw new Unusable(`--${name} and --${other} do not go together`);
    };
    without('from', 'continues', 'rival', 'ledger-only');
    without('ledger-only', 'kept', 'continues', 'rival');
    const against = logOptions(options);
    let worst = 0;
    for (const name of files) {
      let report;
      try {
        const from = options.from === undefined ? null : readGivenState(name, options.from),
          log = readLog(name, from ? from.size : 0);
        report = options['ledger-only'] ? verifyLedger(log, against) : verifyLog(log, { ...against, from });
      } catch (error) {
        if (!(error instanceof Unusable) || files.length === 1) throw error;
        report = { verdict: 'unusable', message: error.message, story: [error.message] };
      }
      if (files.length > 1)
        console.log(
          options.json
            ? JSON.stringify({ source: name, ...report })
            : `${name}: ${report.story[report.story.length - 1]}`,
        );
      else printReport(report, options);
      const isLeft = [report.open, report.due].some(list => list && list.length);
      const open = options['strict-end'] && (isLeft || report.verdict === 'sound_so_far');
      worst = Math.max(worst, report.verdict === 'unusable' ? 2 : report.verdict === 'not_sound' || open ? 1 : 0);
    }
    return worst;
  },

  async cluster(folders, options) {
    if (folders.length < 2) throw new Unusable("name the mirrors' folders of two logs or more");
    const single = ['policy', 'kept', 'earlier-key', 'checkpoint', 'continues', 'rival', 'from', 'ledger-only'];
    const other = single.find(name => options[name] !== undefined);
    if (other) throw new Unusable(`--${other} is for a log by itself`);
    const { now, skew, delay } = logOptions(options), keys = new Map();
    for (const text of options.keys || []) keys.set(under('key', () => readLogKey(text)).name, text);
    const logs = folders.map(name => {
      if (!isFolder(name)) throw new Unusable(`${name} is no mirror's folder`);
      const log = readLog(name), key = keys.get(originSigned(log)) || null;
      keys.delete(originSigned(log));
      return { name, log, against: { key, now, skew, delay } };
    });
    if (keys.size) throw new Unusable(`no folder is a mirror of ${[...keys.keys()].join(', ')}, whose key was named`);
    const report = verifyCluster(logs);
    return Math.max(printReport(report, options), options['strict-end'] && report.open ? 1 : 0);
  },

  async wallet([name, file, ...rest], options) {
    if (!file || rest.length) throw new Unusable("name one log and the wallet's statement of it");
    const other = ['from', 'ledger-only', 'strict-end'].find(flag => options[flag] !== undefined);
    if (other) throw new Unusable(`--${other} is for the command log`);
    const log = readLog(name), sound = verifyLog(log, logOptions(options));
    if (sound.verdict === 'not_sound') return printReport(sound, options);
    const report = reconcile(log.lines, strictText(readFile(file), file));
    const words = [`The log by itself: ${sound.story[sound.story.length - 1]}`, ...reconciledInWords(report)];
    console.log(options.json ? JSON.stringify(report, null, 2) : words.join('\n'));
    return ['differs', 'overdue'].includes(report.verdict) ? 1 : 0;
  },

  async evidence([file, ...rest], options) {
    if (!file || rest.length) throw new Unusable('name one evidence file');
    const report = verifyEvidence(readFile(file), options.key || null);
    printReport(report, options);
    return report.verdict === 'proven' ? 1 : 0;
  },

  async refund(words, options) { return runEventFile(cancelledFile, words, options); },
  async prizes(words, options) { return runEventFile(prizesFile, words, options); },

  async vectors([dir, ...rest], options) {
    if (!dir || rest.length) throw new Unusable('name the folder spec/vectors');
    const fs = require('fs'), path = require('path');
    const load = folder => {
      try {
        return Object.fromEntries(
          fs
            .readdirSync(folder)
            .filter(name => name.endsWith('.json'))
            .map(name => [name, JSON.parse(fs.readFileSync(path.join(folder, name), 'utf8'))]),
        );
      } catch (error) {
        throw new Unusable(`cannot read ${folder}: ${error.message}`);
      }
    };
    const ruleSets = Object.fromEntries(
      Object.values(load(path.join(dir, '..', 'rulesets'))).map(rules => [rules.name, rules]),
    );
    const results = runVectors(load(dir), ruleSets),
      failed = Object.values(results).some(({ failed: list }) => list.length);
    if (options.json) console.log(JSON.stringify({ verdict: failed ? 'not_sound' : 'sound', files: results }, null, 2));
    else {
      for (const [name, { checks, failed: list }] of Object.entries(results))
        console.log(
          [
            `${name}: ${checks} checks, ${list.length ? `${list.length} FAILED` : 'all as they should be'}`,
            ...list.slice(0, 20),
          ].join('\n  '),
        );
    }
    return failed ? 1 : 0;
  },
};

/** Runs a command; returns the exit code. */
async function run(args) {
  try {
    const { options, words } = readArguments(args), [name, ...rest] = words;
    if (options.help || !name) { console.log(HELP); return options.help ? 0 : 2; }
    if (!Object.hasOwn(NODE_COMMANDS, name)) throw new Unusable(`there is no command ${name}; --help lists them`);
    return await NODE_COMMANDS[name](rest, options);
  } catch (error) {
    if (!(error instanceof Unusable) && !(error instanceof Unsound)) throw error;
    console.error(`fairshoe-verify: ${error.message}`);
    return 2;
  }
}

const main = args => { run(args).then(code => { process.exitCode = code; }); };

const api = {
  verifyAnything, verifyBundle, verifyBundleBytes, verifyReceipts, verifyCheckpoint, verifyShoe, verifyLog,
  verifyLedger, verifyCluster, verifyEvidence, verifyOwnCards, logOfText, readLog, statementText, statementNote,
  claimOf, handWords, storyOf, reconcile, reconciledInWords,
  runVectors, cancelledFile, prizesFile, eventRefund, Unusable, bundleAddress, main, run,
  roundInWords, verdictInWords, handsInWords, storyByRound, storyOutsideEntries, viewAtEnd, cardSign,
  // For a page that follows a table: spec/page.md, 4.
  Follower, verifyFollowed, replayOf, viewOf, tableOf, tilesFor, extends: extendsLog, readLogKey, placeWords,
  roundEntropy, openingsOfShoe,
  // For a page, and for tests of this verifier.
  House, Refusal, Unsound, copyOf, readEntry, houseOfState, signedText, serverCommitment, clientCommitment,
  publicShuffle, isCash,
  HOUSE_TIMES: { OVERDUE_GRACE_MS, SHOE_IDLE_MS, DAY_MS },
  games: GAMES, tilePath, readEntryBundle, hex, unhex, utf8, base64, hmac, label, u64, concat, sha256, treeRoot,
  leafHash, nodeHash, tableContext, rulesDigest, deriveShoe, readComposition, cardOf, codeOf, eventName, eventFields,
  clock,
};
