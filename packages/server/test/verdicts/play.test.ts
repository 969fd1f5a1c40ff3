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
  expect(facts!.rules[0]).toMatchObject({ firedBefore: 2, clearedBefore: 2, outcomes: { benign: 2, malicious: 0 } });
});

test('reads the sign-in behind an activity in a cloud service', async () => {
  const address = '203.0.113.200';
  const user = 'adm-sommer@alder.example';
  const sessionOf = async (name: string, device: Record<string, unknown>) => {
    const events = [
      { at: 0, shape: 'entra-sign-in', fields: { userPrincipalName: user, ipAddress: address, ...device } },
      {
        at: 200,
        shape: 'm365-exchange-admin',
        fields: {
          UserId: user,
          ClientIP: address,
          Operation: 'New-ManagementRoleAssignment',
          Parameters: [{ Name: 'Role', Value: 'ApplicationImpersonation' }],
        },
      },
    ];
    const [facts] = (await stage.play(labelled({ name, events }))).facts as { rules: { session?: unknown }[] }[];
    return facts!.rules[0]!.session;
  };
  expect(await sessionOf('managed', { 'deviceDetail.isManaged': true })).toMatchObject({ isManaged: true, isRisky: false });
  expect(await sessionOf('own device', {})).toMatchObject({ isManaged: false });
  expect(await sessionOf('risky', { riskLevelDuringSignIn: 'high' })).toMatchObject({ isManaged: false, isRisky: true });
  expect(await sessionOf('elsewhere', { ipAddress: '192.0.2.9', 'deviceDetail.isManaged': true })).toBeUndefined();
});

test('reads on how many days an account worked on a server', async () => {
  const line = (programname: string, message: string) => ({
    at: 0,
    shape: 'linux-line',
    fields: { host: 'hr-01', 'fromhost-ip': '10.20.1.58', programname, facility: 'authpriv', message },
  });
  const usualOf = async (name: string, days: [number, number]) => {
    const history = [{ days, events: [line('sshd', ' Accepted publickey for lutz from 10.20.0.50 port 51990 ssh2')] }];
    const sudo = line('sudo', '     lutz : TTY=pts/0 ; PWD=/home/lutz ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow');
    const [facts] = (await stage.play(labelled({ name, history, events: [sudo] }))).facts as { rules: { usual?: unknown }[] }[];
    return facts!.rules[0]!.usual;
  };
  expect(await usualOf('at home', [7, 3])).toMatchObject({ days: 5, citation: { value: 'lutz' } });
  expect(await usualOf('a stranger', [20, 15])).toBeUndefined();
});
