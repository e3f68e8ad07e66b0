// The built package in a browser: a page of another origin loads it as a module, under a strict policy, plays and
// verifies a hand.
import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import path from 'node:path';
import { after, before, test } from 'node:test';
import { Service, built, folder, noService } from './harness.js';

const CHROMIUM = process.env.FAIRSHOE_CHROMIUM ?? '/usr/bin/chromium';
const noBrowser = fs.existsSync(CHROMIUM) ? false : 'there is no Chromium';
const options = { skip: noService || noBrowser };
const PAGE = '<!DOCTYPE html><html lang="en"><title>t</title><link rel="icon" href="data:,"></html>';

let pages, service, browser;
before(async () => {
  if (options.skip) return;
  pages = http.createServer((asked, answer) => {
    const at = /^\/package\/([a-z/-]+\.js)$/.exec(asked.url);
    const file = at && path.join(built, 'dist', at[1]);
    if (file && !fs.existsSync(file)) {
      answer.writeHead(404).end();
      return;
    }
    answer.writeHead(200, {
      'content-type': file ? 'text/javascript' : 'text/html',
      'content-security-policy': `default-src 'none'; script-src 'self'; img-src data:; connect-src ${service.url}`,
    });
    answer.end(file ? fs.readFileSync(file) : PAGE);
  });
  await new Promise(done => {
    pages.listen(0, '127.0.0.1', done);
  });
  pages.url = `http://127.0.0.1:${pages.address().port}`;
  service = await Service.start(['--cors-origins', pages.url]);
  const { chromium } = createRequire(path.join(folder, 'package.json'))('playwright-core');
  browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: [...(process.getuid() === 0 ? ['--no-sandbox'] : []), '--disable-dev-shm-usage', '--disable-gpu'],
  });
});
after(async () => {
  await browser?.close();
  await service?.end();
  pages?.closeAllConnections();
  pages?.close();
});

test('a guest plays in a browser, over a reload, and every hand is verified there', options, async () => {
  const page = await browser.newPage(),
    trouble = [];
  page.on('pageerror', error => trouble.push(String(error)));
  page.on('console', message => {
    if (message.type() === 'error') trouble.push(message.text());
  });
  await page.goto(pages.url);
  const play = () =>
    page.evaluate(
      async ([address, logKey]) => {
        const { Client, WebStore } = await import('/package/index.js');
        const store = new WebStore(localStorage),
          client = new Client({ addresses: address, logKey, store });
        await client.joinAsGuest();
        const { table } = await client.openTable({ body: { rules: 'joy-own' } });
        const at = await client.table(table).open(),
          streamed = [];
        const stop = new AbortController();
        const watching = (async () => {
          try {
            for await (const event of client.tableEvents(table, { signal: stop.signal, lastEventId: 0 }))
              streamed.push(event.type);
          } catch (error) {
            if (!stop.signal.aborted) throw error;
          }
        })();
        const strategy = {
          bets: () => [{ spot: '1', stake: 10 }],
          decide: ({ decision }) =>
            decision.options.some(({ action }) => action === 'insurance') ? { insurance: { take: false } } : 'stand',
        };
        const hands = [];
        for await (const { id, staked, returned, verdict } of at.play(strategy, { rounds: 2 }))
          hands.push({ id, staked, returned, verdict: verdict.verdict, cards: verdict.shoes[0].faces });
        await new Promise(done => {
          setTimeout(done, 300);
        });
        stop.abort();
        await watching;
        const wrong = await client.takeSeat({ table, body: {} }).catch(error => error.code);
        return {
          hands,
          streamed,
          wrong,
          player: client.player,
          checkpoint: client.checkpoint,
          kept: Object.keys(localStorage).filter(name => name.includes('checkpoint')).length,
        };
      },
      [service.url, service.logKey],
    );
  const first = await play();
  assert.equal(first.hands.length, 2);
  for (const { staked, verdict, cards } of first.hands) {
    assert.equal(verdict, 'sound');
    assert.ok(staked >= 10 && cards >= 3);
  }
  assert.ok(first.streamed.includes('entry') && first.streamed.includes('openings'), first.streamed.join());
  assert.equal(first.wrong, 'solo_table');
  assert.equal(first.kept, 1);
  await page.reload();
  const second = await play();
  assert.notEqual(second.player, first.player);
  assert.ok(Number(second.checkpoint.split('\n')[1]) > Number(first.checkpoint.split('\n')[1]));
  // The refusal that was asked for is the browser's to mention.
  assert.deepEqual(
    trouble.filter(text => !/status of 409/.test(text)),
    [],
  );
});

test('a service that does not list the page gives it no answer', options, async () => {
  const other = await Service.start();
  const page = await browser.newPage();
  await page.goto(pages.url);
  const name = await page.evaluate(async address => {
    const { Client } = await import('/package/index.js');
    return new Client({ addresses: address, retry: { attempts: 1 } }).getReady().catch(error => error.name);
  }, other.url);
  assert.equal(name, 'NoAnswer');
  await other.end();
});
