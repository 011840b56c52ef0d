import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { pino } from 'pino';
import { type Monitor, startMonitor, Tally } from '../../src/observe/index.ts';
import { BrowserPage, findChromium } from '../support/chromium.ts';
import { startDaemon, type TestDaemon } from '../support/daemon.ts';
import { startNatsServer, type TestNatsServer } from '../support/nats-server.ts';
import { tempDir } from '../support/tmp.ts';
import { waitFor } from '../support/wait.ts';
import { WireCaller, wireCall } from '../support/wire-caller.ts';

const skip = findChromium() === undefined ? 'not run: no chromium here' : false;
const SUBJECT = 'choria.fisk-ai.tool.workshop';
const tally = new Tally('workshop', '1.2.3');
let nats: TestNatsServer;
let daemon: TestDaemon;
let caller: WireCaller;
let monitor: Monitor;
let page: BrowserPage;

const text = (selector: string) =>
  page.evaluate(`document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`) as Promise<string>;

const warning = () => page.evaluate(`getComputedStyle(document.getElementById('stale')).display`);

before(async () => {
  if (skip) return;
  nats = await startNatsServer();
  const a2a = 'max_concurrent_tools: 4\ntool_timeout: 4s';
  daemon = await startDaemon({ url: nats.url, identity: 'workshop', a2a, observer: tally });
  monitor = await startMonitor({ host: '127.0.0.1', port: 0 }, tally, pino({ level: 'silent' }));
  caller = await WireCaller.connect(nats.url);
  for (let i = 0; i < 30; i++) {
    await caller.call('workshop', 'echo', { words: ['a'] });
    if (i % 7 === 3) await caller.call('workshop', 'exit', { code: '3' });
    if (i % 5 === 1) await caller.call('workshop', 'sleep', { seconds: `0.${i % 4}` });
  }
  await caller.call('workshop', 'sleep', { seconds: '9' });
  await caller.call('workshop', 'nothing');
  await caller.send(SUBJECT, 'no json');
  page = await BrowserPage.open();
  await page.resize(1160, 1500);
  await page.goto(`http://127.0.0.1:${monitor.address.port}/`);
});

after(async () => {
  if (skip) return;
  await page.close();
  monitor.close();
  await caller.close();
  await daemon.stop();
  await nats.stop();
});

test('the page shows the state, the slots, each tool with what it may do, the last calls and what was refused', {
  skip,
}, async () => {
  assert.match(await text('header'), /workshop[\s\S]*1\.2\.3[\s\S]*ready/);
  assert.match(await text('#tiles'), /0 of 4/);
  assert.match(await text('#recent'), /echo\s+application\s+ok[\s\S]*exit\s+application\s+nonzero/);
  assert.match(await text('#recent'), /sleep\s+application\s+timeout\s+[45]\.\d\d s/);
  assert.match(await text('#tools'), /echo\s+application\s+read-only\s+none\s+served/);
  assert.match(await text('#tools'), /approved\s+application[\s\S]*approval \(ai:confirm\)\s+withheld/);
  assert.match(await text('#refusals'), /unknown_tool\s+refused\s+1[\s\S]*json\s+malformed\s+1/);
  assert.match(await text('#connection'), /connected\s+127\.0\.0\.1:\d+/);
});

test('the page never shows what a caller sent or a command wrote', { skip }, async () => {
  await caller.call('workshop', 'echo', { words: ['s3cr3t'] });
  await caller.send(SUBJECT, wireCall('workshop', '<img src=x onerror=alert(1)>s3cr3t'));
  const answer = await fetch(`http://127.0.0.1:${monitor.address.port}/`);
  assert.doesNotMatch(await answer.text(), /s3cr3t|slept|sleeping|exiting/);
});

test('the page renews itself and keeps the focus where it is', { skip }, async () => {
  await page.evaluate(`document.getElementById('tools-part').focus()`);
  const running = caller.open(SUBJECT, wireCall('workshop', 'sleep', { seconds: '30' }));
  await waitFor(async () => /sleep/.test(await text('#calls')), { timeout: 8_000, what: 'the running call' });
  assert.match(await text('#tiles'), /1 of 4/);
  await waitFor(async () => /No call runs now/.test(await text('#calls')), { timeout: 8_000, what: 'its end' });
  assert.equal(await page.evaluate('document.activeElement.id'), 'tools-part');
  assert.equal(await warning(), 'none');
  running.close();
});

test('every part can be reached and scrolled without a mouse, and has a name for those who do not see it', {
  skip,
}, async () => {
  await page.goto(`http://127.0.0.1:${monitor.address.port}/`);
  const reached: string[] = [];
  for (let i = 0; i < 20; i++) {
    await page.press('Tab', 9);
    reached.push(
      String(await page.evaluate('document.activeElement.id || document.activeElement.getAttribute("href")')),
    );
  }
  assert.equal(reached[0], '#content', 'the first one leads past the links');
  for (const part of ['#calls', '/metrics', 'recent-part', 'tools-part', 'refusals-part', 'connection-part'])
    assert.ok(reached.includes(part), part);
  const { nodes } = (await page.send('Accessibility.getFullAXTree')) as { nodes: Record<string, { value?: string }>[] };
  const regions = nodes.filter(({ role }) => role?.value === 'region').map(({ name }) => name?.value);
  assert.ok(regions.includes('Last calls') && regions.includes('Tools'));
  assert.ok(nodes.some(({ role, name }) => role?.value === 'image' && /Durations of the last/.test(name?.value ?? '')));
});

test('it is readable in the dark and in the light, and on a small screen nothing sticks out', { skip }, async () => {
  const colors = async (scheme: 'dark' | 'light') => {
    await page.preferColors(scheme);
    const found = await page.evaluate(
      `[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color,
        ...[...document.querySelectorAll('.pill')].flatMap((pill) => [getComputedStyle(pill).backgroundColor, getComputedStyle(pill).color])]`,
    );
    return found as string[];
  };
  for (const scheme of ['dark', 'light'] as const) {
    const found = await colors(scheme);
    for (let i = 0; i < found.length; i += 2) {
      assert.ok(contrast(found[i] ?? '', found[i + 1] ?? '') >= 4.5, `${scheme}: ${found[i]} on ${found[i + 1]}`);
    }
  }
  assert.notDeepEqual(await colors('dark'), await colors('light'));
  await page.resize(380, 900);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
  await page.resize(1160, 1500);
});

test('a policy that allows nothing else is kept: no complaint, no request to anywhere, and it blocks what it must', {
  skip,
}, async () => {
  assert.equal(page.complaints.length, 0, page.complaints.join('\n'));
  const requested = await page.evaluate(
    `performance.getEntriesByType('resource').map(({name}) => new URL(name).origin)`,
  );
  const own = `http://127.0.0.1:${monitor.address.port}`;
  assert.ok((requested as string[]).every((origin) => origin === own));
  const outcome = await page.evaluate(`new Promise((resolve) => {
    const script = document.createElement('script');
    script.textContent = 'window.injected = true';
    document.body.append(script);
    fetch('http://127.0.0.1:9/').then(() => resolve('fetched'), () => resolve(String(window.injected)));
  })`);
  assert.equal(outcome, 'undefined');
  for (const rule of ['script-src', 'connect-src'])
    assert.ok(
      page.complaints.some((complaint) => complaint.includes(rule)),
      rule,
    );
});

test('it can be seen', { skip }, async () => {
  const path = process.env['FISK_SCREENSHOT'] ?? join(tempDir(), 'status-page.png');
  await page.preferColors(process.env['FISK_SCREENSHOT_DARK'] ? 'dark' : 'light');
  const running = caller.open(SUBJECT, wireCall('workshop', 'sleep', { seconds: '3' }));
  await waitFor(() => tally.running.size === 1, { what: 'the call to run' });
  await page.goto(`http://127.0.0.1:${monitor.address.port}/`);
  await page.screenshot(path);
  running.close();
  assert.ok(readFileSync(path).length > 20_000);
});

test('the page says so when the daemon no longer answers', { skip }, async () => {
  monitor.close();
  await waitFor(async () => (await warning()) === 'block', { timeout: 12_000, what: 'the warning' });
});

/** The contrast of two colours as the accessibility guidelines count it. */
function contrast(one: string, other: string): number {
  const luminance = (color: string) => {
    const [r = 0, g = 0, b = 0] = (color.match(/\d+(\.\d+)?/g) ?? []).map((part) => {
      const value = Number(part) / 255;
      return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}
