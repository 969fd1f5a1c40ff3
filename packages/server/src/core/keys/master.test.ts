import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { readConfig } from '../config.ts';
import { masterKeyOf, readMasterKey } from './master.ts';

const text = 'a master key of the tests, long enough';
const folder = mkdtempSync(join(tmpdir(), 'parapet-keys-'));
afterAll(() => rmSync(folder, { recursive: true }));
const command = (script: string, timeoutMs?: number) =>
  readMasterKey({ kind: 'command', command: [process.execPath, '-e', script] }, 'SECRET_KEY', timeoutMs);

test('reads the same key from the environment, a file and a command, ignoring white space', async () => {
  const path = join(folder, 'key');
  writeFileSync(path, `${text}\n`);
  const keys = await Promise.all([
    readMasterKey({ kind: 'text', text }),
    readMasterKey({ kind: 'file', path }),
    command(`console.log('  ${text}  ')`),
  ]);
  expect(new Set(keys.map(({ id }) => id))).toEqual(new Set([masterKeyOf(text).id]));
  expect(keys[2]?.key).toEqual(masterKeyOf(text).key);
});

test.each([
  ['ends with an error', `console.log('${text}'); process.exit(3)`, /ended with code 3/, undefined],
  ['hangs', `console.log('${text}'); setInterval(() => {}, 1000)`, /printed no key within 0.5 seconds/, 500],
  ['prints too little', "console.log('short')", /has 5 characters; at least 32/, undefined],
  ['prints too much', "console.log('x'.repeat(100000))", /more than 4096 bytes/, undefined],
])('a command that %s is an error without what it printed', async (_what, script, message, timeoutMs) => {
  const failure = await command(script, timeoutMs).catch((error: Error) => error.message);
  expect(failure).toMatch(message);
  expect(failure).toMatch(/^SECRET_KEY_COMMAND: /);
  expect(failure).not.toContain(text);
  expect(failure).not.toContain('xxx');
});

test('names a missing file or program', async () => {
  await expect(readMasterKey({ kind: 'file', path: join(folder, 'none') }, 'SECRET_KEY_OLD')).rejects.toThrow(
    /^SECRET_KEY_OLD_FILE: .*none could not be read \(ENOENT\)/,
  );
  await expect(readMasterKey({ kind: 'command', command: ['no-such-program'] })).rejects.toThrow(/no-such-program was not found/);
});

test('runs a command as given, without a shell', async () => {
  const { masterKey } = readConfig({ SECRET_KEY_COMMAND: `vault read -field=key "$HOME"; rm` });
  expect(masterKey).toEqual({ kind: 'command', command: ['vault', 'read', '-field=key', '"$HOME";', 'rm'] });
  expect(readConfig({ SECRET_KEY_COMMAND: '["a b", "c d"]' }).masterKey).toEqual({ kind: 'command', command: ['a b', 'c d'] });
  expect(() => readConfig({ SECRET_KEY_COMMAND: '[1]' })).toThrow(/SECRET_KEY_COMMAND: must be a program/);
});

test('accepts a single source, and a former key only beside a current one', () => {
  expect(readConfig({}).masterKey).toBeUndefined();
  expect(() => readConfig({ SECRET_KEY: text, SECRET_KEY_FILE: '/x' })).toThrow('only one can be set');
  expect(() => readConfig({ SECRET_KEY_FILE: '/x', SECRET_KEY_COMMAND: 'y' })).toThrow('only one can be set');
  expect(() => readConfig({ SECRET_KEY_OLD: text })).toThrow('SECRET_KEY_OLD is the key before the present one');
  expect(() => readConfig({ SECRET_KEY: 'short' })).toThrow('must have at least 32 characters');
});
