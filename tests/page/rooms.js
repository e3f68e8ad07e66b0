// The rooms, and a test's checks on one: whether it is drawn, axe-core's findings, untranslated texts, its width; and
// how a player signs in.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import { AXE } from './harness.js';
import { en, ja } from './words.js';

const LANGUAGES = { en, ja };

let spoken = 'en';
/** The language of the page from now on, for tests that do not name it. */
export const speak = language => { spoken = language; };

/** The page's words for a key. */
export function say(key, values = {}, language = spoken) {
  const text = LANGUAGES[language][key];
  assert.ok(text !== undefined, `no words for ${key}`);
  return text.replace(/\{([a-z_]+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/** A name that equals the words of this key, or, with `within`, contains them; `{…}` is anything. */
export function named(key, { within = false, language = spoken, values = {} } = {}) {
  const literal = text => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const parts = say(key, values, language).split(/\{[a-z_]+\}/).map(literal);
  return new RegExp(within ? parts.join('.*') : `^\\s*${parts.join('.*')}\\s*$`, 's');
}

/** Waits until the room is drawn and stable: a heading, no loading, no change for a while. */
export async function settled(page, quiet = 250) {
  await page.locator('main h1').first().waitFor();
  await page.waitForFunction(ms => {
    const now = performance.now();
    if (!window.fairshoeWatch) {
      const watch = { last: now };
      watch.observer = new MutationObserver(() => { watch.last = performance.now(); });
      watch.observer.observe(document.body, { childList: true, subtree: true, attributes: true });
      window.fairshoeWatch = watch;
    }
    const loads = document.querySelector('main [aria-busy=true], main[aria-busy=true]');
    return !loads && now - window.fairshoeWatch.last > ms;
  }, quiet, { polling: 50, timeout: 20_000 }).catch(async error => {
    // A running clock changes the page for ever: that counts as drawn, unless a part says that it is loading.
    if (await page.locator('main[aria-busy=true], main [aria-busy=true]').count() > 0) throw error;
  });
}

/** axe-core's findings, in words. */
export async function findings(page) {
  if (!await page.evaluate(() => typeof window.axe === 'object')) await page.evaluate(fs.readFileSync(AXE, 'utf8'));
  // Preloading style sheets would add style elements, which the page's policy refuses.
  const options = { resultTypes: ['violations'], preload: false };
  const { violations } = await page.evaluate(given => window.axe.run(document, given), options);
  return violations.map(({ id, nodes: [first, ...more] }) => (
    `${id}: ${first.target.join(' ')}${more.length > 0 ? ` and ${more.length} more` : ''}: `
    + `${first.failureSummary.replace(/\s+/g, ' ')} ${first.html.slice(0, 160)}`));
}

/** Keys that are shown instead of words, and values that were not filled in. */
export async function untold(page) {
  const prefixes = [...new Set(Object.keys(en).map(key => key.split('.')[0]))].join('|');
  const texts = await page.evaluate(() => {
    const all = [document.body.innerText, document.title];
    for (const node of document.querySelectorAll('[aria-label],[title],[alt],[placeholder]')) {
      all.push(...['aria-label', 'title', 'alt', 'placeholder'].map(name => node.getAttribute(name) ?? ''));
    }
    return all;
  });
  // The text `play.joy-1` is a table.
  const key = new RegExp(`(?<![/\\w.-])(${prefixes})\\.[a-z][a-z0-9_]+(?![\\w/(-])`, 'g');
  const unfilled = /(?<!\/)\{[a-z_]+\}|\bundefined\b|\bNaN\b|\[object /g;
  return texts.flatMap(text => [...text.matchAll(key), ...text.matchAll(unfilled)])
    .map(([found]) => found).filter(found => !/\.(js|json|md|txt|html|yaml)$/.test(found));
}

/** The pixels by which the page is wider than the window. */
export const overflow = page => page.evaluate(() => {
  const root = document.documentElement;
  return Math.max(0, root.scrollWidth - root.clientWidth);
});

/** Comes in with a token, through the page. */
export async function withToken(page, { player, token }, { keep = false } = {}) {
  await page.getByRole('banner').getByRole('button', { name: named('main.sign_in') }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel(say('main.player'), { exact: true }).fill(player);
  await dialog.getByLabel(say('main.token'), { exact: true }).fill(token);
  if (keep) await dialog.getByLabel(say('main.keep_token')).check();
  await dialog.getByRole('button', { name: named('main.sign_in') }).click();
  await dialog.waitFor({ state: 'hidden' });
}

/** Opens an address and waits until its room is drawn. */
export async function go(page, address) {
  await page.goto(address);
  await settled(page);
}

/** A picture of the window. Playwright's own would put a style element into the page, which its policy refuses. */
export async function picture(page, { format = 'png', quality, scale } = {}) {
  const session = await page.context().newCDPSession(page);
  const clip = scale && await page.evaluate(times => (
    { x: scrollX, y: scrollY, width: innerWidth, height: innerHeight, scale: times }), scale);
  const options = { format, ...(quality ? { quality } : {}), ...(clip ? { clip } : {}) };
  const { data } = await session.send('Page.captureScreenshot', options);
  await session.detach();
  return Buffer.from(data, 'base64');
}
