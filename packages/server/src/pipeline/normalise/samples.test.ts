/**
 * One document of each shape, as the real shippers send them, and what becomes of it. The expected fields are written out by hand: a
 * rule that names one of them must find it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { Document } from '../event.ts';
import { read } from './doc.ts';
import { normalise } from './normalise.ts';
import { cloud, linux } from './samples/others.expected.ts';
import { evtx, winlogbeat } from './samples/windows.expected.ts';

const now = Date.UTC(2026, 9, 8);
const samples = (file: string) =>
  JSON.parse(readFileSync(new URL(`./samples/${file}.json`, import.meta.url), 'utf8')) as Record<string, Document>;

describe.each([
  ['winlogbeat', winlogbeat],
  ['evtx', evtx],
  ['linux', linux],
  ['cloud', cloud],
] as const)('%s', (file, expected) => {
  const documents = samples(file);

  it('has an expectation for each sample', () => {
    expect(Object.keys(expected).sort()).toEqual(Object.keys(documents).sort());
  });

  it.each(Object.keys(documents))('%s', (name) => {
    const want = expected[name]!;
    const sent = structuredClone(documents[name]!);
    const made = normalise(structuredClone(sent), now);
    expect(made.shape).toBe(want.shape);
    expect(made.deviceName).toBe(want.device);
    expect(made.userName).toBe(want.user);
    expect(made.claimedAt === undefined ? undefined : new Date(made.claimedAt).toISOString()).toBe(want.at);
    expect(made.text).toBe(want.text);
    const fields = Object.fromEntries(Object.keys(want.fields).map((path) => [path, read(made.document, path)]));
    expect(fields).toEqual(want.fields);
    // Told a second time (a replay), the same event says the same.
    const again = normalise(structuredClone(made.document), now);
    expect([again.deviceName, again.userName, again.claimedAt]).toEqual([made.deviceName, made.userName, made.claimedAt]);
  });
});
