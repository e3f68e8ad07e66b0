// Chips from and to the operator's wallet, in the browser: requested, pending, refused, cancelled, over a silence, a
// reload and a second tab; with the player's stakes; and in the end money and chips add up to the unit.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { after, afterEach, before, test } from 'node:test';
import { promisify } from 'node:util';
import { Bot } from './bots.js';
import { assertNone, AUDIT, closeBrowser, Service, slow, until, visit } from './harness.js';
import { Player } from './playing.js';
import { findings, go, named, overflow, say, untold, withToken } from './rooms.js';
import { Wallet } from './wallet.js';

const MONEY = 1000;
const inSlowRun = { skip: !slow && 'in the slow run' };
const figure = (amount, language = 'en') => amount.toLocaleString(language === 'ja' ? 'ja-JP' : 'en-GB');

const houses = {};
let made = 0;
before(async () => {
  await Promise.all(['chips', 'rounds'].map(async style => {
    const wallet = await Wallet.start();
    const options = [...wallet.options(style), '--connections-per-address', '0'];
    houses[style] = { wallet, service: await Service.start({ options }) };
  }));
});
after(async () => {
  await closeBrowser();
  for (const { service, wallet } of Object.values(houses)) {
    await service.end();
    await wallet.end();
  }
});
afterEach(() => {
  for (const { wallet } of Object.values(houses)) {
    Object.assign(wallet, { silent: false, latency: 0, refusals: [] });
    assert.equal(wallet.broken, undefined, 'the wallet');
  }
});

/** A player with money at the wallet and no chips, signed in at the lobby. */
async function atHouse(style, { look, keep, language = 'en' } = {}) {
  const { service, wallet } = houses[style];
  const player = `payer-${made += 1}`;
  const { token } = await service.operator('/v1/players', { player });
  wallet.open(player, MONEY);
  const bot = new Bot(service, player, token);
  const visitor = await visit(service, look);
  await go(visitor.page, '/');
  if (language === 'en') await withToken(visitor.page, bot, { keep });
  return { ...visitor, visitor, service, wallet, bot, player, language };
}

const chipsOf = async ({ bot }) => (await bot.must(`/v1/players/${bot.player}`)).balance;

/** Chips and money equal the initial sum plus winnings. */
async function addsUp(at, won = 0) {
  const chips = await chipsOf(at);
  const { wallet, player } = at;
  assert.equal(chips + wallet.has(player) + wallet.sum(player, 'reserved'), MONEY + won);
  return chips;
}

/** The purse of a page. */
class Purse {
  constructor(page, language = 'en') {
    Object.assign(this, { page, language });
    this.dialog = page.getByRole('dialog', { name: say('purse.title', {}, language) });
    this.way = page.getByRole('banner').getByRole('button', { name: named('purse.chips', { within: true, language }) });
    this.amount = this.dialog.getByLabel(say('purse.amount', {}, language), { exact: true });
    this.news = this.dialog.getByRole('status');
    this.open = this.dialog.getByRole('listitem');
  }

  static async of({ page, language }) {
    const purse = new Purse(page, language);
    await purse.way.click();
    await purse.dialog.waitFor();
    return purse;
  }

  button(key) { return this.dialog.getByRole('button', { name: named(key, { language: this.language }) }); }

  async ask(kind, amount) {
    await this.amount.fill(String(amount));
    await this.button(`purse.${kind}`).click();
  }

  /** Waits until this is reported for an amount. */
  async told(key, amount, values = {}) {
    const { language } = this;
    const words = say(key, { amount: figure(amount, language), ...values }, language);
    await this.news.getByText(words, { exact: true }).waitFor();
  }

  /** Waits until only this call is pending. */
  async waits(kind, amount, call) {
    const words = `${say(`purse.${kind}_of`, { amount: figure(amount) })}: ${say(`purse.waits_${call}`)}`;
    await this.open.filter({ hasText: words }).waitFor();
    assert.equal(await this.open.count(), 1);
  }

  async close() {
    await this.button('main.close').click();
    await this.dialog.waitFor({ state: 'hidden' });
  }
}

const shows = (page, amount) => until(
  async () => await page.locator('[data-balance]').innerText() === figure(amount), `a balance of ${amount}`);

/** Plays a hand of blackjack at a table for one hand; returns the win. */
async function hand({ visitor, service }) {
  const { table } = await service.operator('/v1/tables', { table: `hand-${made += 1}`, rules: 'joy' });
  const player = await Player.at(visitor, table);
  await player.bet('blackjack');
  await player.playOn();
  const { round } = await service.must(`/v1/rounds/${table}:0`);
  const [{ staked, returned }] = round.contributors;
  return { staked, won: returned - staked };
}

test('chips from the wallet, a hand, and chips to the wallet', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  at.wallet.latency = 100;
  let purse = await Purse.of(at);
  await purse.dialog.getByText(say('purse.chips_says'), { exact: true }).waitFor();
  await purse.ask('deposit', 400);
  await purse.told('purse.deposit_done', 400);
  await shows(at.page, 400);
  await purse.close();
  const { won } = await hand(at);
  const chips = await addsUp(at, won);
  await shows(at.page, chips);
  purse = await Purse.of(at);
  await purse.ask('withdrawal', chips);
  await purse.told('purse.withdrawal_done', chips);
  await shows(at.page, 0);
  assert.equal(at.wallet.has(at.player), MONEY + won, 'all of it is at the wallet again');
  assert.equal(await addsUp(at, won), 0);
  await at.checked();
});

test('refused: the wallet\'s reason is said, and nothing moved', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  const purse = await Purse.of(at);
  const because = key => ({ reason: say(`purse.reason_${key}`) });
  await purse.ask('deposit', MONEY + 1);
  await purse.told('purse.deposit_refused_because', MONEY + 1, because('insufficient_funds'));
  at.wallet.refusals = ['Tuesday/closed', null];
  await purse.ask('deposit', 7);
  await purse.told('purse.deposit_refused_because', 7, { reason: 'Tuesday/closed' });
  await purse.ask('deposit', 8);
  await purse.told('purse.deposit_refused', 8);
  await purse.ask('deposit', 50);
  await purse.told('purse.deposit_done', 50);
  at.wallet.refusals = ['account_full'];
  await purse.ask('withdrawal', 50);
  await purse.told('purse.withdrawal_refused_because', 50, because('account_full'));
  await shows(at.page, 50);
  // The house's refusals are shown by their code.
  await purse.ask('withdrawal', 51);
  await purse.dialog.getByRole('alert').filter({ hasText: say('trouble.insufficient_balance') }).waitFor();
  assert.equal(await addsUp(at), 50);
  await at.checked();
});

test('a silent wallet: a reload and a second tab show what waits, its end is told', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips', { keep: true });
  const { page, wallet } = at;
  wallet.silent = true;
  let purse = await Purse.of(at);
  await purse.ask('deposit', 120);
  await purse.waits('deposit', 120, 'reserve');
  await page.reload();
  purse = await Purse.of(at);
  await purse.waits('deposit', 120, 'reserve');
  const other = await at.context.newPage();
  await go(other, '/');
  const second = await Purse.of({ page: other, language: 'en' });
  await second.waits('deposit', 120, 'reserve');
  // The dialog is closed: the end is still reported, in the general place.
  await purse.close();
  wallet.silent = false;
  await second.told('purse.deposit_done', 120);
  await page.locator('#live').getByText(say('purse.deposit_done', { amount: '120' }), { exact: true }).waitFor();
  for (const tab of [page, other]) await shows(tab, 120);
  await second.open.waitFor({ state: 'hidden' });
  assert.ok(wallet.calls.filter(call => call === `reserve ${wallet.of(at.player)[0].no}`).length > 1, 'asked again');
  assert.equal(await addsUp(at), 120);
  await at.checked();
});

test('cancelled by mouse: the wallet lets go of what it holds', { ...inSlowRun, timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  const { wallet } = at;
  wallet.silent = true;
  const purse = await Purse.of(at);
  await purse.ask('deposit', 90);
  await purse.waits('deposit', 90, 'reserve');
  await purse.open.getByRole('button', { name: named('purse.cancel', { within: true }) }).click();
  await purse.waits('deposit', 90, 'cancel');
  assert.equal(await purse.open.getByRole('button').count(), 0, 'it is cancelled once');
  wallet.silent = false;
  await purse.told('purse.cancelled', 90);
  assert.equal(wallet.has(at.player), MONEY);
  assert.equal(await addsUp(at), 0);
  await at.checked();
});

test('a reply that is lost, and a reload: the same request again counts once', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  const { page, proxy, wallet, player } = at;
  let purse = await Purse.of(at);
  proxy.recording = true;
  const fault = proxy.fault('lost', { match: /\/deposits$/, method: 'POST', times: Infinity });
  await purse.ask('deposit', 70);
  await until(() => fault.happened.length > 1, 'a repeat');
  await page.reload();
  proxy.honest();
  purse = await Purse.of(at);
  const what = say('purse.deposit_of', { amount: '70' });
  await purse.dialog.getByText(say('purse.unsure', { what }), { exact: true }).waitFor();
  assert.equal(await purse.amount.inputValue(), '70');
  // A request in between does not change another's key.
  await purse.ask('deposit', 50);
  await purse.told('purse.deposit_done', 50);
  await purse.dialog.getByText(say('purse.unsure', { what }), { exact: true }).waitFor();
  await purse.ask('deposit', 70);
  await until(() => wallet.sum(player, 'committed') === 120, 'both');
  await purse.dialog.getByText(say('purse.unsure', { what }), { exact: true }).waitFor({ state: 'hidden' });
  assert.equal(wallet.of(player).length, 2, 'each once');
  // Another request of the same amount is separate.
  await purse.ask('deposit', 70);
  await until(() => wallet.sum(player, 'committed') === 190, 'the third');
  await shows(page, 190);
  assert.equal(await addsUp(at), 190);
  await at.checked();
});

test('by keyboard alone', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  const { page } = at;
  const purse = new Purse(page);
  const keys = new Player(at.visitor, '');
  await keys.tabTo(purse.way);
  await page.keyboard.press('Enter');
  const isFocused = node => node.evaluate(one => one === document.activeElement);
  await until(() => isFocused(purse.amount), 'the focus on the amount');
  await page.keyboard.type('60');
  await keys.tabTo(purse.button('purse.deposit'));
  await page.keyboard.press('Enter');
  await purse.told('purse.deposit_done', 60);
  at.wallet.silent = true;
  await keys.tabTo(purse.amount);
  await page.keyboard.type('30');
  await page.keyboard.press('Enter');
  await purse.waits('deposit', 30, 'reserve');
  await keys.tabTo(purse.open.getByRole('button'));
  await page.keyboard.press('Enter');
  await purse.waits('deposit', 30, 'cancel');
  assert.equal(await isFocused(purse.dialog.getByRole('heading', { name: named('purse.waiting') })), true);
  at.wallet.silent = false;
  await purse.told('purse.cancelled', 30);
  await page.keyboard.press('Escape');
  await purse.dialog.waitFor({ state: 'hidden' });
  assert.equal(await isFocused(purse.way), true, 'the focus is where it was');
  assert.equal(await addsUp(at), 60);
  await at.checked();
});

const LOOKS = [
  { language: 'ja', look: { locale: 'ja-JP', scheme: 'dark', width: 390, height: 844 } },
  { language: 'en', look: { locale: 'en-GB', scheme: 'light', width: 390, height: 844 } },
  { language: 'ja', look: { locale: 'ja-JP', scheme: 'light', width: 360, height: 740 } },
];
for (const [number, { language, look }] of LOOKS.entries()) {
  const skip = !slow && number > 0 && 'in the slow run';
  test(`${look.locale}, ${look.scheme}, ${look.width} wide`, { skip, timeout: 60_000 }, async () => {
    const at = await atHouse('chips', { look, language: 'ja' });
    const { page, wallet, bot } = at;
    // Signed in by the page's storage: another test covers the sign-in itself.
    await page.evaluate(who => sessionStorage.setItem('fairshoe.who', JSON.stringify(who)),
      { player: bot.player, token: bot.token, isGuest: false });
    await go(page, '/');
    wallet.refusals = ['insufficient_funds'];
    const purse = await Purse.of({ page, language });
    await purse.ask('deposit', 1234);
    const reason = say('purse.reason_insufficient_funds', {}, language);
    await purse.told('purse.deposit_refused_because', 1234, { reason });
    wallet.silent = true;
    await purse.ask('deposit', 999);
    await purse.open.getByRole('button').waitFor();
    await purse.told('purse.deposit_asked', 999);
    const wider = await purse.dialog.evaluate(node => node.scrollWidth - node.clientWidth);
    const found = [...await findings(page), ...await untold(page)];
    if (wider > 0) found.push(`${wider} pixels wider than the dialog`);
    await purse.close();
    if (await overflow(page) > 0) found.push(`${await overflow(page)} pixels wider than the window`);
    assertNone(found, 'faults');
    await at.checked();
  });
}

test('style rounds: a hand with no chips here, and back what came', { timeout: 60_000 }, async () => {
  const at = await atHouse('rounds');
  const { page, wallet, player } = at;
  const { won, staked } = await hand(at);
  assert.ok(staked > 0 && wallet.of(player).some(one => one.kind === 'deposit' && one.amount <= staked),
    'chips came with the bet');
  const before = await addsUp(at, won);
  const purse = await Purse.of(at);
  await purse.dialog.getByText(say('purse.rounds_says'), { exact: true }).waitFor();
  await purse.ask('deposit', 25);
  await purse.told('purse.deposit_done', 25);
  await shows(page, before + 25);
  await purse.ask('withdrawal', before + 25);
  await purse.told('purse.withdrawal_done', before + 25);
  assert.equal(wallet.has(player), MONEY + won);
  assert.equal(await addsUp(at, won), 0);
  await at.checked();
});

test('style rounds: what goes back by itself is seen to have gone', { ...inSlowRun, timeout: 90_000 }, async () => {
  const at = await atHouse('rounds');
  const purse = await Purse.of(at);
  await purse.ask('deposit', 40);
  await purse.told('purse.deposit_done', 40);
  await purse.close();
  await shows(at.page, 40);
  await until(async () => await at.page.locator('[data-balance]').innerText() === '0', 'no chips here', 40_000);
  assert.equal(at.wallet.has(at.player), MONEY);
  // Their first request made their key.
  assert.equal(await at.page.locator('#live').innerText(), say('main.key_made'), 'no news');
  await at.checked();
});

const freshKey = () => Buffer.from(generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }).x, 'base64url')
  .toString('hex');

test('whose commands need a signature is told so, and sends nothing', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  const { bot, wallet } = at;
  await bot.must(`/v1/players/${bot.player}/key`, { key: freshKey() });
  const purse = await Purse.of(at);
  await purse.dialog.getByText(say('purse.signed'), { exact: true }).waitFor();
  assert.deepEqual(await purse.dialog.getByRole('button').allInnerTexts(), [say('main.close')]);
  assert.equal(await purse.amount.count(), 0);
  assert.deepEqual(wallet.of(bot.player), []);
  await at.checked();
});

test('a key of the operator that waits gives way to the first one of the player', { timeout: 60_000 }, async () => {
  const at = await atHouse('chips');
  const { bot, player, service } = at;
  await service.operator(`/v1/players/${player}/key`, { key: freshKey(), reason: 'asked for' });
  assert.ok((await bot.must(`/v1/players/${player}`)).key_waits, 'it waits');
  const purse = await Purse.of(at);
  await purse.ask('deposit', 10);
  await purse.told('purse.deposit_done', 10);
  const { key, key_waits: waits } = await bot.must(`/v1/players/${player}`);
  assert.ok(key && waits === null);
  await purse.ask('withdrawal', 4);
  await purse.told('purse.withdrawal_done', 4);
  assert.equal(await addsUp(at), 6);
  await at.checked();
});

test('another amount on the log than was asked for stops the page', { timeout: 60_000 }, async () => {
  // With a key the house itself refuses requests changed on the way.
  const at = await atHouse('chips', { look: { signs: false } });
  at.proxy.lies.push({
    ask: message => /\/deposits$/.test(message.path) && (message.json.amount = 900) > 0,
    answer: () => false,
  });
  const purse = await Purse.of(at);
  await purse.ask('deposit', 9);
  const halt = purse.dialog.getByRole('alert').filter({ hasText: say('halt.title') });
  await halt.waitFor();
  assert.match(await halt.innerText(), /\bamount\b.*\b9\b.*\b900\b/s);
  assert.equal(await purse.button('purse.deposit').count(), 0, 'nothing more is sent');
  await at.checked();
});

test('a guest has no way to a wallet', { ...inSlowRun, timeout: 60_000 }, async () => {
  const { service } = houses.chips;
  const guest = await visit(service);
  guest.proxy.recording = true;
  await go(guest.page, '/');
  await guest.page.getByRole('main').getByRole('button', { name: named('lobby.play_now') }).click();
  await guest.page.waitForURL(/\/play\//);
  await guest.page.locator('[data-balance]').filter({ hasText: /\d/ }).waitFor();
  assert.equal(await new Purse(guest.page).way.count(), 0);
  assert.deepEqual(guest.proxy.traffic.filter(one => /wallet/.test(one.path)), [], 'a guest is not asked about');
  await guest.checked();
});

test('a house without a wallet: no way to one', { timeout: 60_000 }, async () => {
  const { service } = houses.chips;
  const bot = await Bot.credited(service, 'no-wallet');
  const visitor = await visit(service);
  visitor.proxy.recording = true;
  visitor.proxy.lies.push({
    ask: () => false,
    answer: message => /\/wallet$/.test(message.path) && message.json && (message.json.style = null) === null,
  });
  await go(visitor.page, '/');
  await withToken(visitor.page, bot);
  await until(() => visitor.proxy.traffic.some(one => /\/wallet$/.test(one.path) && one.status === 200), 'the answer');
  await go(visitor.page, '/');
  await shows(visitor.page, 1_000_000);
  assert.equal(await new Purse(visitor.page).way.count(), 0);
  await visitor.checked();
});

for (const style of ['chips', 'rounds']) {
  test(`style ${style}: the log and the wallet's statement agree`, { timeout: 60_000 }, async () => {
    const { service, wallet } = houses[style];
    const audit = async () => {
      const args = ['wallet', service.url, wallet.url, '--token-file', wallet.tokenFile, '--json'];
      const { stdout } = await promisify(execFile)(AUDIT, args, { maxBuffer: 1 << 26 });
      return JSON.parse(stdout);
    };
    const report = await until(async () => {
      const { wallet: told } = await audit();
      return told.verdict !== 'under_way' && told;
    }, 'the end of what is under way', 30_000);
    assert.equal(report.verdict, 'reconciled', JSON.stringify(report).slice(0, 400));
    assert.ok(report.agree > 0 && report.agree === wallet.operations.size);
  });
}
