import { afterAll, beforeAll, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../database.ts';
import type { LabelledCase } from './cases.ts';
import { openStage, type Stage } from './play.ts';

let database: TestDatabase;
let stage: Stage;
beforeAll(async () => {
  database = await testDatabase();
  stage = await openStage(database.url);
});
afterAll(async () => {
  await stage.close();
  await database.close();
});

const dump = {
  at: 30,
  shape: 'sysmon-1',
  fields: {
    Image: 'C:\\Windows\\System32\\rundll32.exe',
    CommandLine: 'rundll32.exe C:\\windows\\System32\\comsvcs.dll, MiniDump 704 C:\\Windows\\Temp\\l.dmp full',
  },
};
const labelled = (more: Partial<LabelledCase>): LabelledCase => ({
  name: 'a dump',
  label: 'malicious',
  family: 'credential-access',
  by: 'written',
  why: 'The memory of LSASS was written to a file by a command.',
  events: [dump],
  ...more,
});

test('telemetry of an attack opens a case with a verdict and the facts of its model', async () => {
  const played = await stage.play(labelled({}));
  expect(played).toMatchObject({ opened: 1, label: 'malicious', cases: [{ verdict: played.verdict }] });
  expect(played.verdict).toEqual(expect.any(String));
  expect(Object.keys(played.rules)).toContain('Memory of LSASS Dumped by Command');
  expect(played.facts).toMatchObject([{ rules: expect.any(Array) }]);
});

test('organisations do not mix, and harmless telemetry opens no case', async () => {
  const played = await stage.play(labelled({ name: 'a shell', label: 'benign', events: [{ at: 0, shape: 'sysmon-1' }] }));
  expect(played).toMatchObject({ opened: 0, alerts: 0, verdict: undefined, probability: null });
});

test('a reviewed prelude becomes history and outcomes of its rules', async () => {
  const history = [
    { days: [5, 4], events: [dump], review: 'benign' } satisfies NonNullable<LabelledCase['history']>[number],
  ] as NonNullable<LabelledCase['history']>;
  const played = await stage.play(labelled({ name: 'a dump again', history }));
  const [facts] = played.facts as { rules: { firedBefore: number; outcomes: { benign: number } }[] }[];
  expect(facts!.rules[0]).toMatchObject({ firedBefore: 2, outcomes: { benign: 2, malicious: 0 } });
});
