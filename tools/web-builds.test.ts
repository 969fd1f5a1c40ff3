/** A build replaces another beside a running portal, whose open pages keep the files that they name. */
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createApp } from '@parapet/server/app.ts';
import { silentLog } from '@parapet/server/core/log.ts';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { exchangeBuild } from './web-builds.ts';

let dist: string;
beforeEach(() => {
  dist = mkdtempSync(join(tmpdir(), 'parapet-builds-'));
});
afterEach(() => rmSync(dist, { recursive: true, force: true }));

/** A build whose page loads `scripts`, put into force `day` days after the first. */
function build(day: number, scripts: readonly string[], others: readonly string[] = []): void {
  const next = mkdtempSync(join(dist, 'next-'));
  mkdirSync(join(next, 'assets'));
  for (const name of scripts) writeFileSync(join(next, 'assets', name), `// ${name}`);
  for (const name of others) writeFileSync(join(next, name), name);
  writeFileSync(join(next, 'index.html'), `<html><head></head><body>${scripts.join(' ')}</body></html>`);
  exchangeBuild(next, dist, new Date(Date.UTC(2026, 0, 1 + day)));
}
const namesIn = (folder: string) => readdirSync(join(dist, folder)).sort();

async function portal() {
  const { app } = await createApp({
    features: [],
    servesPeople: true,
    servesIntake: false,
    identify: async () => undefined,
    denied: async () => {},
    log: silentLog,
    trustProxy: false,
    webDir: dist,
    notReady: async () => [],
    metrics: { text: async () => '', token: undefined },
  });
  const read = async (url: string, encoding = 'identity') => {
    const { statusCode, body, headers } = await app.inject({ url, headers: { 'accept-encoding': encoding } });
    return { status: statusCode, body, encoding: headers['content-encoding'] };
  };
  return { read, close: () => app.close() };
}

test('serves the scripts of the former build to the pages of a running portal', async () => {
  build(0, ['shell-1.js', 'cases-1.js', 'cases-1.js.gz', 'react.js']);
  const running = await portal();
  build(1, ['shell-2.js', 'cases-2.js', 'react.js']);
  const restarted = await portal();
  try {
    expect((await running.read('/apps/cases')).body).toContain('shell-1.js cases-1.js');
    expect((await restarted.read('/apps/cases')).body).toContain('shell-2.js cases-2.js');
    for (const { read } of [running, restarted]) {
      for (const name of ['shell-1.js', 'cases-1.js', 'shell-2.js', 'react.js'])
        expect(await read(`/assets/${name}`)).toMatchObject({ status: 200, body: `// ${name}` });
      expect(await read('/assets/cases-1.js', 'gzip')).toMatchObject({ status: 200, encoding: 'gzip' });
      expect(await read('/assets/never.js')).toMatchObject({ status: 404 });
      expect((await read('/former/assets/cases-1.js')).body).not.toContain('// cases-1.js');
    }
  } finally {
    await running.close();
    await restarted.close();
  }
});

test('leaves the present build alone beside its former ones, and removes what it lacks', () => {
  build(0, ['a-1.js', 'react.js'], ['logo.svg']);
  build(1, ['a-2.js', 'react.js'], ['icon.svg']);
  expect(namesIn('.')).toEqual(['assets', 'former', 'icon.svg', 'index.html']);
  expect(namesIn('assets')).toEqual(['a-2.js', 'react.js']);
  expect(namesIn('former/assets')).toEqual(['a-1.js']);
  expect(readFileSync(join(dist, 'index.html'), 'utf8')).toContain('a-2.js');
});

test('removes what five later builds or thirty days have replaced', () => {
  for (let number = 0; number <= 6; number++) build(number, [`a-${number}.js`]);
  expect(namesIn('former/assets')).toEqual(['a-1.js', 'a-2.js', 'a-3.js', 'a-4.js', 'a-5.js']);
  build(36, ['a-7.js']);
  expect(namesIn('former/assets')).toEqual(['a-5.js', 'a-6.js']);
  expect(existsSync(join(dist, 'assets/a-7.js'))).toBe(true);
});
