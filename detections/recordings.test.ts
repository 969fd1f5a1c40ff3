/** Recordings of techniques lead to alerts of the level that an analyst expects; those that do not yet are listed and only become fewer. */
import { beforeAll, expect, test } from 'vitest';
import { techniqueOf } from './facts/facts.ts';
import { compiled } from './testing/pairs.ts';
import {
  alertsOf,
  hashOf,
  isAsExpected,
  levels,
  locked,
  missed,
  type Recording,
  rawFiles,
  recordings,
} from './testing/recordings.ts';

const all = recordings();
const open = new Set(missed());

/** Recordings that the rules may miss; only falls. */
const maxMissed = 9;

/** Compiling takes seconds on a busy machine, which the first recording would be charged with. */
beforeAll(() => void compiled(), 60_000);

test('recordings have the form that the loader expects', () => {
  expect(all.length).toBeGreaterThan(0);
  for (const [slug, { title, techniques, origin, how, expected, events }] of all) {
    expect(slug).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
    expect(title, slug).toMatch(/^\S.{5,}/);
    expect(how, slug).toMatch(/^\S.{20,}\.$/s);
    expect(techniques.length, slug).toBeGreaterThan(0);
    expect(
      techniques.filter((id) => techniqueOf(id) === undefined),
      slug,
    ).toEqual([]);
    expect(['range', 'written'], slug).toContain(origin);
    expect([...levels, 'none'], slug).toContain(expected);
    expect(events.length, slug).toBeGreaterThan(0);
  }
});

test('every file of raw documents belongs to one recording', () => {
  const named = all.flatMap(([, { events }]) => (typeof events === 'string' ? [events] : []));
  expect(named.sort()).toEqual(rawFiles());
});

test.each(locked())('%s is as it was locked', (file, hash) => {
  expect(hashOf(file)).toBe(hash);
});

test('missed recordings exist and become fewer', () => {
  const slugs = new Set(all.map(([slug]) => slug));
  expect([...open].filter((slug) => !slugs.has(slug))).toEqual([]);
  expect(open.size).toBeLessThanOrEqual(maxMissed);
});

test.each(all)('%s', (slug: string, recording: Recording) => {
  const alerts = alertsOf(recording);
  const found = alerts.map(({ rule, level }) => `${level} ${rule.title}`);
  expect(isAsExpected(recording, alerts), `expected ${recording.expected}, found ${JSON.stringify(found)}`).toBe(!open.has(slug));
});
