// A person's play at a table of the page: sits down, lays chips, deals, decides, by mouse or by keyboard alone. Finds
// everything by role and name, like a screen reader.
import assert from 'node:assert/strict';
import { sleep, until } from './harness.js';
import { go, named, say } from './rooms.js';

/** The place of chips in each game, by the name of the spot. */
const SPOTS = {
  baccarat: 'baccarat.player', dragon_tiger: 'dragon_tiger.dragon', roulette: 'roulette.red', sic_bo: 'sic_bo.small',
};
/** The choices, the first offered one is taken. */
export const CALM = [
  'act.no_insurance', 'act.no_even_money', 'act.stand', 'poker.do_check', 'poker.do_call', 'poker.do_call_all',
  'poker.do_show', 'poker.do_muck', 'safe.do_stand', 'safe.do_accept', 'safe.do_pass', 'safe.do_open',
  'safe.do_discard', 'safe.do_face_down', 'safe.do_hit', 'poker.do_fold',
];

/** A control's name without the key shown next to it. */
const starting = key => new RegExp(`^\\s*${named(key, { within: true }).source}`, 's');

export class Player {
  constructor(visitor, table) {
    Object.assign(this, { ...visitor, table });
    const { page } = visitor;
    this.felt = page.getByRole('region', { name: say('play.felt') });
    this.actions = page.getByRole('region', { name: say('play.actions') });
    this.turn = this.actions.getByRole('group', { name: say('status.your_turn') });
    /** The outcome of the round, once there is one. */
    this.ended = this.felt.locator('[data-tone=over]:visible');
    this.halt = page.getByRole('alert').filter({ has: page.getByRole('heading', { name: named('halt.title') }) });
  }

  /** Opens the table. */
  static async at(visitor, table) {
    const player = new Player(visitor, table);
    await go(visitor.page, `/play/${table}`);
    await player.actions.waitFor();
    return player;
  }

  button(key, within = this.actions) { return within.getByRole('button', { name: starting(key) }); }

  /** Comes in as a guest, at the table. */
  async guest() { await this.button('main.as_guest').click(); }

  status() { return this.felt.getByRole('status').first().innerText(); }

  /** The page's own storage about the player. */
  async whoPlays() {
    return this.page.evaluate(() => {
      const who = sessionStorage.getItem('fairshoe.who') ?? localStorage.getItem('fairshoe.who');
      return who && JSON.parse(who);
    });
  }

  /** Takes a seat at a shared table, or buys in at a cash table. */
  async sit(seat) {
    const buyIn = this.button('play.sit_down');
    const chosen = seat === undefined
      ? this.actions.getByRole('button', { name: named('play.sit_at') }).first()
      : this.actions.getByRole('button', { name: named('play.sit_at', { values: { seat } }) });
    await buyIn.or(chosen).first().waitFor();
    if (await buyIn.count() > 0) {
      // The label holds the select, and so its options' text.
      const seats = this.actions.locator('.buy-in select');
      if (seat !== undefined) await seats.selectOption(String(seat));
      await buyIn.click();
    } else await chosen.click();
    await chosen.or(buyIn).first().waitFor({ state: 'hidden' });
  }

  /** The spot for chips in this game; in games of boxes the only one, or the first. */
  spot(game) {
    const key = SPOTS[game];
    const spots = this.actions.locator('[data-spot]');
    if (!key) return spots.first();
    const name = new RegExp(`^${named(key, { within: true }).source}(?!\\w)`);
    return this.actions.getByRole('button', { name }).first();
  }

  get placing() {
    return ['spin', 'throw', 'place', 'enter'].reduce((all, word) => all.or(this.button(`play.${word}`)),
      this.button('play.deal')).first();
  }

  /** Lays a chip if the game needs one, and deals or places the bet. */
  async bet(game) {
    await this.placing.waitFor();
    if (game !== 'safe') await this.spot(game).click();
    await this.placing.click();
  }

  /** The names of the buttons of the player's open decision. */
  async offered() {
    if (!await this.turn.isVisible()) return [];
    return this.turn.getByRole('button').allInnerTexts();
  }

  /**
   * Chooses the first offered one of the keys; returns it, or nothing: also if the decision is gone before the click,
   * because a clock ran out, or it was the one before.
   */
  async decide(order = CALM, press = button => button.click({ timeout: 2000 })) {
    const names = await this.offered();
    const key = order.find(one => names.some(name => starting(one).test(name)));
    if (key === undefined) return undefined;
    const button = this.button(key, this.turn).first();
    try {
      if (!await button.isEnabled({ timeout: 1000 })) return undefined;
      await press(button);
    } catch (error) {
      if (/Timeout|detached|not attached/.test(error.message)) return undefined;
      throw error;
    }
    return key;
  }

  /** Bets and deals until there is a choice of these; answers the others. A blackjack has none. */
  async dealt(keys = ['act.stand']) {
    await until(async () => {
      const names = await this.offered();
      if (keys.some(key => names.some(name => starting(key).test(name)))) return true;
      if (names.length > 0) await this.decide();
      else if (await this.placing.isVisible() && await this.placing.isEnabled({ timeout: 1000 }).catch(() => false)) {
        await this.bet('blackjack');
        await this.placing.waitFor({ state: 'hidden', timeout: 3000 }).catch(() => {});
      }
      return false;
    }, `a hand with a choice of ${keys}`, 120_000);
  }

  /** Plays on until the table shows the round's outcome; returns its words and the choices. */
  async playOn({ order = CALM, press, patience = 40_000 } = {}) {
    const chosen = [];
    const over = await until(async () => {
      if (await this.halt.isVisible()) throw new Error(`the page stopped: ${await this.halt.innerText()}`);
      // The next round removes the words some seconds after it began.
      const over = await this.ended.count() > 0 && await this.ended.innerText({ timeout: 1000 }).catch(() => '');
      if (over) return over;
      const key = await this.decide(order, press);
      if (key) { chosen.push(key); await sleep(60); }
      return undefined;
    }, async () => `the end of a round: ${await this.status()}`, patience);
    return { over, chosen };
  }

  /** The cards on the felt: `{card, seal}` of each, in order. */
  async cards() {
    return this.felt.locator('[data-seal]').evaluateAll(all => all.map(one => (
      { card: one.dataset.card, seal: one.dataset.seal, name: one.getAttribute('aria-label') })));
  }

  /** Waits until every face on the felt is proven. */
  async proven(patience = 20_000) {
    return until(async () => {
      const faces = (await this.cards()).filter(one => one.card);
      return faces.length > 0 && faces.every(one => one.seal === 'proven') && faces;
    }, async () => `proven faces: ${JSON.stringify(await this.cards())}`, patience);
  }

  /** Waits until the page says, in a screen reader's words, that everything so far is proven. */
  async allProven(patience = 20_000) {
    const line = this.page.locator('.proof-line.is-proven').first();
    await line.waitFor({ timeout: patience });
    assert.match(await line.innerText(), named('side.proven', { within: true }));
  }

  /** Waits until the page has stopped after a failed check; returns its words and the evidence, if offered. */
  async stopped(patience = 25_000) {
    await this.halt.waitFor({ timeout: patience });
    const check = await this.halt.getAttribute('data-check');
    const words = await this.halt.innerText();
    const save = this.halt.getByRole('button', { name: named('halt.save') });
    let evidence;
    if (await save.count() > 0) {
      const [download] = await Promise.all([this.page.waitForEvent('download'), save.click()]);
      evidence = { name: download.suggestedFilename(), file: await download.path() };
    }
    return { check, words, evidence };
  }

  // --- By keyboard alone -------------------------------------------------------------------------------------------

  /** Presses Tab until this control has the focus. */
  async tabTo(control, most = 80) {
    // Looked up each time, because the table may draw it again.
    for (let pressed = 0; pressed <= most; pressed += 1) {
      if (await control.evaluate(node => node === document.activeElement)) {
        await this.focusIsSeen();
        return;
      }
      await this.page.keyboard.press('Tab');
    }
    assert.fail(`${most} times Tab do not lead to ${await control.evaluate(node => node.outerHTML.slice(0, 200))}`);
  }

  /** The focus is visible: an outline, a shadow or a border that is absent without it. */
  async focusIsSeen() {
    const seen = await this.page.evaluate(() => {
      const node = document.activeElement;
      const styles = one => {
        const { outlineStyle, outlineWidth, boxShadow, borderColor, backgroundColor } = getComputedStyle(one);
        return { outline: outlineStyle === 'none' ? '0' : outlineWidth, boxShadow, borderColor, backgroundColor };
      };
      const holder = node.matches('input[type=radio],input[type=checkbox]') ? node.closest('label') ?? node : node;
      const [own, around] = [styles(node), styles(holder)];
      const ring = parseFloat(own.outline) > 0 || own.boxShadow !== 'none' || parseFloat(around.outline) > 0
        || [...holder.querySelectorAll('*')].some(one => parseFloat(styles(one).outline) > 0);
      return ring || node.outerHTML.slice(0, 200);
    });
    assert.equal(seen, true, `the focus is not seen on ${seen}`);
  }

  /** Presses the key that a button shows. */
  async pressShown(button) {
    const key = await button.getAttribute('aria-keyshortcuts', { timeout: 2000 });
    assert.ok(key, `no key is shown on ${await button.innerText()}`);
    const shown = await button.locator('kbd').innerText({ timeout: 2000 });
    assert.equal(shown.toLowerCase(), key.toLowerCase(), 'the key that is shown is the one that works');
    await this.page.keyboard.press(key.toLowerCase());
  }

  async sitByKeyboard() {
    const buyIn = this.button('play.sit_down');
    const chosen = this.actions.getByRole('button', { name: named('play.sit_at') }).first();
    await buyIn.or(chosen).first().waitFor();
    await this.tabTo(buyIn.or(chosen).first());
    await this.page.keyboard.press('Enter');
    await chosen.or(buyIn).first().waitFor({ state: 'hidden' });
  }

  async betByKeyboard(game) {
    await this.placing.waitFor();
    if (game !== 'safe') {
      const spot = this.spot(game);
      if (game === 'roulette') {
        // 157 spots are one Tab stop; arrows move on.
        await this.tabTo(this.actions.locator('[data-spot][tabindex="0"]'));
        for (let moved = 0; moved < 40; moved += 1) {
          if (await spot.evaluate(node => node === document.activeElement)) break;
          await this.page.keyboard.press(moved < 8 ? 'ArrowDown' : 'ArrowRight');
        }
        const reached = await this.page.evaluate(() => document.activeElement.ariaLabel);
        const there = await spot.evaluate(node => node === document.activeElement);
        assert.ok(there, `arrows lead to ${reached}, not to red`);
      } else await this.tabTo(spot);
      await this.page.keyboard.press('Space');
    }
    await this.tabTo(this.placing);
    await this.page.keyboard.press('Enter');
  }
}
