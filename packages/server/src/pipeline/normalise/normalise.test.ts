/** Invariants for any document: nothing throws, no input is lost, and displayed values stay within bounds. */
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Document } from '../event.ts';
import { normalise } from './normalise.ts';

const now = Date.UTC(2026, 9, 8);
const samples = ['winlogbeat', 'evtx', 'linux', 'cloud'].flatMap(
  (file) =>
    Object.values(JSON.parse(readFileSync(new URL(`../../../test/samples/${file}.json`, import.meta.url), 'utf8'))) as Document[],
);

function check(document: Document): void {
  const made = normalise(document, now);
  expect(made.document).toBe(document);
  expect(made.text.length).toBeLessThanOrEqual(1000);
  for (const shown of [made.text, made.deviceName ?? '', made.userName ?? '']) {
    expect(/[\u0000-\u001f\u007f-\u009f]/.test(shown)).toBe(false);
    expect(shown.isWellFormed()).toBe(true);
  }
  expect(made.deviceName === undefined || (made.deviceName !== '' && made.deviceName.length <= 255)).toBe(true);
  expect(made.userName === undefined || (made.userName !== '' && made.userName.length <= 255)).toBe(true);
  expect(made.claimedAt === undefined || !Number.isNaN(new Date(made.claimedAt).getTime())).toBe(true);
  expect(Object.getPrototypeOf(document)).toBe(Object.prototype);
  // No cycles, nothing that JSON cannot represent.
  expect(() => JSON.stringify(document)).not.toThrow();
  expect(({} as Document).polluted).toBeUndefined();
}

const names = [...new Set(samples.flatMap((sample) => keysOf(sample)))];

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return [];
  const own = Array.isArray(value) ? [] : Object.keys(value);
  return [...own, ...Object.values(value).flatMap(keysOf)];
}

/** Lists every path in a value. */
function places(value: unknown, path: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, inner]) => places(inner, [...path, key]))];
}

const nasty = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(
    null,
    '',
    '-',
    0,
    -1,
    1e308,
    [],
    [[]],
    {},
    [null],
    ['a', {}],
    '\ud800',
    'x\0y\u001b[31m<script>alert(1)</script>',
    'x'.repeat(5000),
    '\\',
    '\\\\',
    '=,=,',
    '::',
    '[::1',
    '%',
    'a@',
    '@',
    { '#text': null },
    { '#attributes': 5 },
    { '#text': { '#text': 1 } },
    JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  ),
);

describe('normalise', () => {
  it('accepts any JSON object', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.oneof(fc.constantFrom(...names, 'event.action', 'host.name', '__proto__', 'constructor', 'a.b'), fc.string()),
          nasty,
        ),
        (made) => check(JSON.parse(JSON.stringify(made)) as Document),
      ),
      { numRuns: 1000 },
    );
  });

  it('accepts real documents with any value in any place', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...samples),
        fc.array(fc.tuple(fc.nat(), nasty), { minLength: 1, maxLength: 3 }),
        (sample, changes) => {
          const document = structuredClone(sample);
          for (const [seed, value] of changes) {
            const all = places(document).filter((path) => path.length > 0);
            const path = all[seed % all.length]!;
            let at: unknown = document;
            for (const part of path.slice(0, -1)) at = (at as Document)[part];
            (at as Document)[path.at(-1)!] = structuredClone(value);
          }
          check(JSON.parse(JSON.stringify(document)) as Document);
        },
      ),
      { numRuns: 2000 },
    );
  });

  it('preserves everything that was sent', () => {
    for (const sample of samples) {
      const sent = structuredClone(sample);
      const { document } = normalise(structuredClone(sample), now);
      for (const path of places(sent).filter((path) => path.length > 0)) {
        const value = path.reduce<unknown>((at, part) => (at as Document)?.[part], sent);
        if (typeof value === 'object') continue;
        const found = path.reduce<unknown>((at, part) => (at as Document | undefined)?.[part], document);
        // Four things move: dotted keys, a scalar in an object’s place, the shipper’s read time, and a task’s localised
        // name.
        const isMoved =
          path.join('.') === '@timestamp' ||
          path.join('.') === 'event.action' ||
          path[0] === 'host' ||
          path[0] === 'user' ||
          path.join('.') === 'user_agent' ||
          path.join('.') === 'source' ||
          String(path[0]).includes('.');
        if (isMoved) expect(JSON.stringify(document)).toContain(JSON.stringify(value).slice(1, -1));
        else
          expect(typeof found === 'string' ? found.trim() : found, path.join('.')).toEqual(
            typeof value === 'string' ? value.trim() : value,
          );
      }
    }
  });

  it('moves scalars found in place of objects', () => {
    const { document, deviceName, userName } = normalise(
      { host: 'web01', user: ['ann'], process: 'cat', source: '203.0.113.9', message: 'x', source_ip: 1, '@timestamp': 'soon' },
      now,
    );
    expect(document).toMatchObject({ host: { name: 'web01' } });
    expect([deviceName, userName]).toEqual(['web01', undefined]);
  });

  it('treats placeholders as missing users', () => {
    for (const name of ['-', '', 'N/A', '(null)', ' '])
      expect(normalise({ event: { kind: 'event' }, user: { name } }, now).userName).toBeUndefined();
    expect(normalise({ event: { kind: 'event' }, user: { name: 'SYSTEM', domain: 'NT AUTHORITY' } }, now).userName).toBe(
      'NT AUTHORITY\\SYSTEM',
    );
  });

  it('makes an unknown document searchable by text, however large', () => {
    const { shape, text } = normalise(
      { deep: JSON.parse(`${'{"a":'.repeat(10_000)}"z"${'}'.repeat(10_000)}`), word: 'needle', long: 'x'.repeat(1e6) },
      now,
    );
    expect(shape).toBe('unknown');
    expect(text).toContain('word=needle');
  });

  it.each([
    {
      host: { name: 'web01' },
      process: { name: 'sshd', pid: 7 },
      message: 'Failed password for invalid user x from 203.0.113.9 port 4 ssh2',
    },
    {
      host: { name: 'web01' },
      process: { name: '/usr/sbin/sshd' },
      event: { kind: 'event' },
      message: 'Failed password for invalid user x from 203.0.113.9 port 4 ssh2',
    },
    { message: 'Oct  7 23:30:00 web01 sshd[7]: Failed password for invalid user x from 203.0.113.9 port 4 ssh2' },
    { message: '<38>Oct  7 23:30:00 web01 sshd[7]: Failed password for invalid user x from 203.0.113.9 port 4 ssh2' },
  ])('parses a Linux program’s line from any shipper: %j', (document: Document) => {
    const made = normalise(document, now);
    expect(made).toMatchObject({ shape: 'syslog', deviceName: 'web01', userName: 'x' });
    expect(made.document).toMatchObject({ event: { dataset: 'system.auth', outcome: 'failure' }, source: { ip: '203.0.113.9' } });
  });

  it.each([
    { process: { name: 'sshd' }, event: { category: ['process'], action: 'fork' }, message: 'sshd forked' },
    { process: { name: 'editor' }, message: 'Failed password for x from 203.0.113.9 port 4 ssh2' },
    { message: 'May 2 we meet: bring x' },
  ])('leaves other lines unchanged: %j', (document: Document) => {
    expect(normalise(document, now).shape).not.toBe('syslog');
  });

  it('returns one line without control characters', () => {
    expect(normalise({ message: 'a\r\nb\u001b[2Jc\u2028d' }, now).text).toBe('a b [2Jc d');
  });

  it('derives year and zone of a file’s line from the shipper’s metadata', () => {
    const at = (timestamp: string, timezone?: string) =>
      new Date(
        normalise(
          {
            agent: { type: 'filebeat' },
            event: { dataset: 'system.auth', timezone },
            '@timestamp': timestamp,
            message: 'Dec 31 23:30:00 web01 sshd[1]: Invalid user x from 203.0.113.9 port 4',
          },
          now,
        ).claimedAt!,
      ).toISOString();
    expect(at('2024-01-01T00:00:05Z')).toBe('2023-12-31T23:30:00.000Z');
    expect(at('2024-01-01T00:00:05Z', '-05:00')).toBe('2024-01-01T04:30:00.000Z');
    expect(at('2024-01-01T00:00:05Z', 'Europe/Berlin')).toBe('2023-12-31T23:30:00.000Z');
    expect(at('garbage', '+02:00')).toBe('2025-12-31T21:30:00.000Z');
  });
});
