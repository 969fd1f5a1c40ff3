/**
 * One document of each shape as real shippers send them, with hand-written expected fields: a rule that names one of them
 * must find it.
 */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cloud } from '../../../test/samples/cloud.expected.ts';
import { linux } from '../../../test/samples/linux.expected.ts';
import { evtx, winlogbeat } from '../../../test/samples/windows.expected.ts';
import type { Document } from '../event.ts';
import { read } from './doc.ts';
import { normalise } from './normalise.ts';

const now = Date.UTC(2026, 9, 8);
const samples = (file: string) =>
  JSON.parse(readFileSync(new URL(`../../../test/samples/${file}.json`, import.meta.url), 'utf8')) as Record<string, Document>;

describe.each([
  ['winlogbeat', winlogbeat],
  ['evtx', evtx],
  ['linux', linux],
  ['cloud', cloud],
] as const)('%s', (file, expected) => {
  const documents = samples(file);

  it('covers each sample', () => {
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
    // Normalising again (a replay) yields the same result.
    const again = normalise(structuredClone(made.document), now);
    expect([again.deviceName, again.userName, again.claimedAt]).toEqual([made.deviceName, made.userName, made.claimedAt]);
  });
});
