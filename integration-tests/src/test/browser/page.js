// Drives the coordinator's web page in a real Chromium. Run by WebPageIT, one check in one process:
//   node page.js CHECK '{"page": "http://…", …}'
// Says what it saw on standard output and ends with 0, or with 1 and the reason on standard error.
'use strict';

const assert = require('node:assert/strict');
const fs = require('node:fs');
const path = require('node:path');
const { chromium } = require('playwright-core');

const PATIENCE_MS = 60_000;
const WIDE = { width: 1280, height: 900 };
const PHONE = { width: 390, height: 844 };
const AXE = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
const given = JSON.parse(process.argv[3]);

let browser;

/** The page as somebody with a token sees it; fails the check on any error of a script or of the page's policy. */
async function open(token, { viewport = WIDE, colorScheme = 'light' } = {}) {
  const context = await browser.newContext({ viewport, colorScheme });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  page.wrong = [];
  page.on('pageerror', (error) => page.wrong.push(String(error)));
  page.on('console', (message) => {
    // Refusals and a leader that is away are part of the checks; what they look like is asserted there.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text())) {
      page.wrong.push(message.text());
    }
  });
  await page.goto(given.page);
  if (token) {
    await page.getByLabel('Token').fill(token);
    await page.getByRole('button', { name: 'Use' }).press('Enter');
  }
  return page;
}

async function shown(token, options) {
  const page = await open(token, options);
  await page.waitForFunction((servers) => document.querySelectorAll('#server-rows tr').length === servers, given.servers);
  return page;
}

async function picture(page, name) {
  assert.deepEqual(page.wrong, [], 'errors in the page');
  await page.screenshot({ path: path.join(given.pictures, name + '.png'), fullPage: true });
}

const figure = (page, name) => page.locator('#figures div', { has: page.getByText(name, { exact: true }) }).locator('dd').innerText();

function bytes(text) {
  const [, number, unit] = text.match(/([\d.]+) ([KMGTP]?i?B)/);
  return number * 1024 ** ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'].indexOf(unit);
}

/** Where the focus is, in words. */
const focused = (page) => page.evaluate(() => {
  const at = document.activeElement;
  return at === document.body ? '' : at.dataset.does || at.id || at.getAttribute('href') || at.getAttribute('aria-labelledby') || at.textContent;
});

/** Tabs on until the focus is at a control. */
async function tabTo(page, wanted) {
  const met = [];
  for (let i = 0; i < 100; i++) {
    await page.keyboard.press('Tab');
    met.push(await focused(page));
    if (met.at(-1) === wanted) {
      return;
    }
  }
  assert.fail(wanted + ' is not reached by Tab, only ' + met.join(', '));
}

/** The row of a server, by what is written at a column of it. */
const stateOf = (server) => server.locator('td[data-label="State"]');

/** Answers the question that a dialog asks, by keyboard. */
async function say(page, button) {
  await page.locator('#confirm[open]').waitFor();
  assert.equal(await focused(page), 'confirm-no', 'what does no harm has the focus');
  if (button === 'Yes') {
    await page.keyboard.press('Shift+Tab');
    assert.equal(await focused(page), 'confirm-yes');
  }
  await page.keyboard.press('Enter');
  await page.locator('#confirm[open]').waitFor({ state: 'detached' });
}

/**
 * Drains by keyboard, again if that is refused: there are two servers, and while the other one is silent or the leader
 * is new nobody may have the first one drained.
 */
async function drained(page, button, undrain) {
  const question = page.locator('#confirm[open]');
  const problem = page.locator('#problem:not([hidden])');
  const refusals = new Set();
  for (const end = Date.now() + PATIENCE_MS; Date.now() < end; ) {
    await page.keyboard.press('Enter');
    await say(page, 'Yes');
    await undrain.or(question).or(problem).first().waitFor();
    if (await undrain.isVisible()) {
      return;
    }
    refusals.add(await (await question.isVisible() ? question : problem).innerText());
    if (await question.isVisible()) {
      await say(page, 'No');
    }
    await page.waitForFunction((servers) => [...document.querySelectorAll('#server-rows td[data-label="State"] span')]
      .filter((state) => state.innerText === 'active').length === servers, given.servers);
    // Gone with the page's next refresh: an answer that is seen is then one to what is done here.
    await page.locator('#problem').waitFor({ state: 'hidden' });
    await page.locator('[data-does="' + button + '"]').focus();
  }
  assert.fail('refused: ' + [...refusals].join('; '));
}

const checks = {
  /** Somebody without a token is told what is missing and sees nothing. */
  async stranger() {
    const page = await open('');
    await page.getByText('asks for a token').waitFor();
    assert.equal(await page.locator('#server-rows tr').count(), 0);
    assert.equal(await page.locator('#figures div').count(), 0);
    await picture(page, 'stranger');
  },

  /** Any coordinator's page shows what the leader knows; a reader has nothing to change things with. */
  async overview() {
    const page = await shown(given.readToken);
    assert.match(await page.locator('#leader').innerText(), new RegExp('Leader ' + given.leader.replaceAll('.', '\\.') + ', term \\d+; you may look'));
    assert.equal(await figure(page, 'Servers'), given.servers + ' active');
    for (const server of given.addresses) {
      await page.locator('#server-rows').getByText(server, { exact: true }).waitFor();
    }
    assert.deepEqual(await page.locator('#server-rows td[data-label="State"] span').allInnerTexts(), Array(given.servers).fill('active'));
    for (const disks of await page.locator('#server-rows td[data-label="Disks"]').allInnerTexts()) {
      assert.match(disks, /\(ssd\)[^]* of [^]* in use/, 'each disk with its tier and what it holds');
    }
    await page.locator('#event-rows li').first().waitFor();
    assert.equal(await page.getByRole('button', { name: /drain|exclude|include|^end/i }).count(), 0, 'buttons that a reader must not have');
    await page.getByRole('columnheader', { name: 'Change' }).waitFor({ state: 'hidden' });
    const refused = await page.evaluate(async (token) => {
      const id = document.querySelector('#server-rows tr').dataset.id;
      const answer = await fetch('/api/v1/servers/' + id + '/drain', { method: 'PUT', headers: { authorization: 'Bearer ' + token } });
      return answer.status + ' ' + (await answer.json()).error.code;
    }, given.readToken);
    assert.equal(refused, '403 ACCESS_DENIED');
    await picture(page, 'overview-reader');
  },

  /** What a running job writes and reads is seen to move. */
  async bytes() {
    const page = await shown(given.readToken);
    const steps = new Set();
    const written = [];
    for (const name of ['Written in all', 'Read in all']) {
      const before = bytes(await figure(page, name));
      for (let last = before, moves = 0; moves < 2; ) {
        await page.waitForFunction(([label, old]) => {
          const group = [...document.querySelectorAll('#figures div')].find((each) => each.querySelector('dt').textContent === label);
          return group && group.querySelector('dd').textContent !== old;
        }, [name, await figure(page, name)]);
        const now = bytes(await figure(page, name));
        assert.ok(now > last, name + ' went from ' + last + ' to ' + now);
        last = now;
        moves++;
        steps.add(now);
      }
      written.push(name + ' ' + (await figure(page, name)));
    }
    for (const chart of ['pushed', 'fetched']) {
      const rate = await page.locator('#' + chart + '-now').innerText();
      assert.ok(bytes(rate.split('at most')[1]) > 0, rate);
      assert.match(await page.locator('#' + chart + ' path').getAttribute('d'), /^M[\d. ]+L/);
      written.push(chart + ' ' + rate);
    }
    await page.getByRole('button', { name: /^Details of/ }).first().press('Enter');
    await page.locator('#detail h3').waitFor();
    await page.locator('#detail li').first().waitFor();
    await picture(page, 'job');
    console.log(written.join('; '));
  },

  /** By keyboard alone: an admin drains a server and takes that back; the focus stays at the control. */
  async drain() {
    const page = await shown(given.adminToken);
    const row = page.locator('#server-rows tr').first();
    const button = 'drain ' + (await row.getAttribute('data-id'));
    await page.locator('h1').click();
    await tabTo(page, button);
    await page.keyboard.press('Enter');
    await say(page, 'No');
    assert.equal(await focused(page), button);
    assert.match(await stateOf(row).innerText(), /active/);

    await drained(page, button, row.getByRole('button', { name: /^Undrain / }));
    await stateOf(row).getByText('draining').waitFor();
    assert.equal(await focused(page), button);
    await picture(page, 'draining');
    await stateOf(row).getByText('drained').waitFor();
    await page.locator('#event-rows').getByText('is to be drained').waitFor();

    await page.keyboard.press('Enter');
    await say(page, 'Yes');
    await stateOf(row).getByText('active').waitFor();
    await row.getByRole('button', { name: /^Drain / }).waitFor();
    assert.equal(await focused(page), button);
    assert.deepEqual(page.wrong, []);
  },

  /** Every control is reached by Tab, in the order of the page, and is seen to have the focus. */
  async keyboard() {
    const page = await shown(given.adminToken);
    await page.reload();
    await page.locator('#server-rows tr').first().waitFor();
    const all = await page.evaluate(() => [...document.querySelectorAll('a[href], button, input, [tabindex="0"]')]
      .filter((each) => each.checkVisibility())
      .map((each, i) => (each.dataset.nth = String(i))));
    assert.ok(all.length >= 12, all.length + ' controls');
    const met = [];
    for (let i = 0; i <= all.length && met.length < all.length; i++) {
      await page.keyboard.press('Tab');
      const at = await page.evaluate(() => {
        const active = document.activeElement;
        const style = getComputedStyle(active);
        return { nth: active.dataset.nth, seen: style.outlineStyle !== 'none' && parseFloat(style.outlineWidth) >= 2, html: active.outerHTML };
      });
      if (at.nth !== undefined) {
        met.push(at.nth);
        assert.ok(at.seen, 'the focus cannot be seen at ' + at.html);
      }
    }
    assert.deepEqual(met, all);
    await page.getByRole('link', { name: 'Skip to content' }).press('Enter');
    assert.equal(await focused(page), 'main');
  },

  /** No serious violation of accessibility, and nothing wider than a phone, in dark and light. */
  async looks() {
    for (const colorScheme of ['light', 'dark']) {
      for (const [size, viewport] of [['wide', WIDE], ['phone', PHONE]]) {
        const page = await shown(given.adminToken, { viewport, colorScheme });
        const details = page.getByRole('button', { name: /^Details of/ });
        if (await details.count()) {
          await details.first().press('Enter');
          await page.locator('#detail h3').waitFor();
        }
        await judged(page, colorScheme + ' ' + size);
        await picture(page, colorScheme + '-' + size);
        await page.getByRole('button', { name: /^Drain / }).first().press('Enter');
        await page.locator('#confirm[open]').waitFor();
        await judged(page, colorScheme + ' ' + size + ' question');
        await picture(page, colorScheme + '-' + size + '-question');
        await page.context().close();
      }
    }
  },

  /** A page that is open at a follower goes on when the leader ends, and invents no traffic. */
  async failover() {
    const page = await shown(given.readToken);
    const term = Number((await page.locator('#leader').innerText()).match(/term (\d+)/)[1]);
    const before = bytes(await figure(page, 'Written in all'));
    assert.ok(before > 0, 'a job has run');
    await page.getByText('0 B/s now').first().waitFor();
    process.kill(given.leaderPid, 'SIGTERM');
    await page.waitForFunction((old) => Number((document.getElementById('leader').textContent.match(/term (\d+)/) || [0, 0])[1]) > old, term);
    await page.waitForFunction((servers) => document.querySelector('#figures dd').textContent === servers + ' active', given.servers);
    await page.waitForFunction(() => document.getElementById('pushed-now').textContent.startsWith('0 B/s now'));
    assert.match(await page.locator('#leader').innerText(), new RegExp('Leader ' + given.follower.replaceAll('.', '\\.')));
    assert.equal(bytes(await figure(page, 'Written in all')), before);
    for (const chart of ['pushed', 'fetched', 'spilled']) {
      assert.match(await page.locator('#' + chart + '-now').innerText(), /at most 0 B\/s/);
    }
    await page.locator('#problem').waitFor({ state: 'hidden' });
    await picture(page, 'next-leader');
  },
};

async function judged(page, where) {
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  assert.ok(wide <= 0, where + ': ' + wide + ' pixels too wide');
  const cut = await page.evaluate(() => [...document.querySelectorAll('.scroll')].filter((each) => each.scrollWidth > each.clientWidth).length);
  assert.equal(cut, 0, where + ': tables have to be scrolled');
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const serious = found.violations
    .filter((each) => each.impact === 'serious' || each.impact === 'critical')
    .map((each) => each.id + ' (' + each.impact + '): ' + each.help + ' at ' + each.nodes.map((node) => node.html).join(' '));
  assert.deepEqual(serious, [], where);
  console.log(where + ': ' + found.passes.length + ' rules hold; less than serious: ' + (found.violations.map((each) => each.id).join(', ') || 'none'));
}

(async () => {
  browser = await chromium.launch({
    executablePath: given.chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update', '--disable-sync', '--no-first-run'],
  });
  try {
    await checks[process.argv[2]]();
  } finally {
    await browser.close();
  }
})().catch((problem) => {
  console.error(problem.stack || problem);
  process.exitCode = 1;
});
