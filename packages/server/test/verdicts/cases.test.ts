import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import {
  beginOf,
  casesFolder,
  documentsOf,
  hashOfCase,
  holdoutFolder,
  isLocked,
  type LabelledCase,
  lockOf,
  preludeOf,
  readCases,
} from './cases.ts';

const cases = readCases();
const locked = JSON.parse(readFileSync(join(casesFolder, 'locked.json'), 'utf8')) as Record<string, string>;

describe('labelled cases', () => {
  test('have unique names, a label, a reason and telemetry', () => {
    const count = (label: string) => cases.filter((each) => each.label === label).length;
    expect(count('malicious')).toBeGreaterThanOrEqual(200);
    expect(count('benign')).toBeGreaterThanOrEqual(200);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    const faulty = cases.filter(
      ({ label, family, by, why, events }) =>
        !['malicious', 'benign'].includes(label) ||
        !['written', 'range', 'world'].includes(by) ||
        family === '' ||
        !/^[A-Z].{40,}\.$/.test(why) ||
        events.length === 0,
    );
    expect(faulty.map(({ name }) => name)).toEqual([]);
  });

  test('differ in substance: at most six variants of one template', () => {
    const templates = Map.groupBy(
      cases,
      ({ name, label }) => `${label} ${name.replace(/^(?:added(?: to measure)?|everyday): /, '').split(':')[0]}`,
    );
    expect(templates.size).toBeGreaterThanOrEqual(200);
    expect([...templates].filter(([, own]) => own.length > 6).map(([template]) => template)).toEqual([]);
  });

  test('have harmless history before attacks as well as before benign days', () => {
    const known = cases.filter(
      ({ label, history }) => label === 'malicious' && history?.some(({ review }) => review === 'benign'),
    );
    expect(known.length).toBeGreaterThanOrEqual(20);
  });

  test('use known shapes and fields only', () => {
    const faults = cases.flatMap((labelled) => {
      try {
        documentsOf(labelled.events, beginOf(labelled), labelled.name);
        preludeOf(labelled);
        return [];
      } catch (error) {
        return [`${labelled.name}: ${(error as Error).message}`];
      }
    });
    expect(faults).toEqual([]);
  });

  test('keep their text in the locked third', () => {
    expect(lockOf(cases)).toEqual(locked);
    const lockable = cases.filter(({ name }) => !name.startsWith('added'));
    const share = Object.keys(locked).length / lockable.length;
    expect(share).toBeGreaterThan(0.25);
    expect(share).toBeLessThan(0.42);
  });

  test('change their hash with any change of label or telemetry', () => {
    const labelled = cases.find(({ name }) => isLocked(name))!;
    const relabelled: LabelledCase = { ...labelled, label: labelled.label === 'benign' ? 'malicious' : 'benign' };
    const shortened: LabelledCase = { ...labelled, events: labelled.events.slice(1) };
    expect(new Set([labelled, relabelled, shortened].map(hashOfCase)).size).toBe(3);
    expect(lockOf([relabelled])).not.toEqual(lockOf([labelled]));
  });
});

describe('the hold-out', () => {
  const holdout = readCases(holdoutFolder);

  test('holds at least 30 malicious and 30 benign cases, each of its own', () => {
    const count = (label: string) => holdout.filter((each) => each.label === label).length;
    expect(count('malicious')).toBeGreaterThanOrEqual(30);
    expect(count('benign')).toBeGreaterThanOrEqual(30);
    expect(new Set(holdout.map(({ name }) => name)).size).toBe(holdout.length);
    expect(holdout.every(({ name, why }) => isLocked(name) && /^[A-Z].{40,}\.$/.test(why))).toBe(true);
  });

  test('keeps its text and is of known shapes', () => {
    const pinned = JSON.parse(readFileSync(join(holdoutFolder, 'locked.json'), 'utf8')) as Record<string, string>;
    expect(lockOf(holdout)).toEqual(pinned);
    for (const each of holdout) {
      expect(documentsOf(each.events, beginOf(each), each.name).length, each.name).toBeGreaterThan(0);
      preludeOf(each);
    }
  });

  test('shares no machine with the cases that the weights are learnt from', () => {
    expect(JSON.stringify(cases)).not.toMatch(/birch\.example|\bbir-[a-z]/i);
  });
});

describe('documents', () => {
  const start = Date.UTC(2026, 10, 18, 10);

  test('carry the time where their source writes it, and their number', () => {
    const line = '192.0.2.1 - - [20/Nov/2026:09:14:05 +0000] "GET /{n} HTTP/1.1" 200 1 "-" "-"';
    const [first, second] = documentsOf(
      [{ at: 1, times: 2, every: 60, shape: 'web-access', fields: { message: line } }],
      start,
      'x',
    );
    expect(first!.document.message).toContain('[18/Nov/2026:10:00:01 +0000] "GET /1 ');
    expect(second!.document.message).toContain('[18/Nov/2026:10:01:01 +0000] "GET /2 ');
    const [signIn] = documentsOf([{ at: 5, shape: 'entra-sign-in' }], start, 'x');
    expect(signIn!.document.createdDateTime).toBe('2026-11-18T10:00:05.000Z');
    const [audit] = documentsOf([{ at: 5, shape: 'm365-login' }], start, 'x');
    expect(audit!.document.CreationTime).toBe('2026-11-18T10:00:05');
    const [started] = documentsOf([{ at: 5, shape: 'sysmon-1' }], start, 'x');
    expect(started!.document.winlog).toMatchObject({ event_data: { UtcTime: '2026-11-18 10:00:05.000' } });
  });

  test('lie on the days of their prelude, the oldest first', () => {
    const labelled = { ...cases[0]!, history: [{ days: [3, 1], events: [{ at: 0, shape: 'sysmon-1' }], review: 'benign' }] };
    const days = preludeOf(labelled as LabelledCase).map(
      ({ documents }) => (beginOf(labelled as LabelledCase) - documents[0]!.at) / 86_400_000,
    );
    expect(days).toEqual([3, 2, 1]);
  });
});
