import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../database.ts';
import type { LabelledCase } from './cases.ts';
import { openStage, type Stage } from './play.ts';

let database: TestDatabase;
let stage: Stage;
beforeAll(async () => {
  database = await testDatabase();
  stage = await openStage(database.url);
}, 120_000);
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

const line = (at: number, programname: string, message: string) => ({
  at,
  shape: 'linux-line',
  fields: { host: 'hr-01', 'fromhost-ip': '10.20.1.58', programname, facility: 'authpriv', message },
});
const accepted = (at: number, from: string) => line(at, 'sshd', ` Accepted publickey for lutz from ${from} port 51990 ssh2`);

async function personOf(name: string, days: [number, number], before: string, now?: string) {
  const history = [{ days, events: [accepted(0, before)] }];
  const sudo = line(60, 'sudo', '     lutz : TTY=pts/0 ; PWD=/home/lutz ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow');
  const events = now === undefined ? [sudo] : [accepted(0, now), sudo];
  const [facts] = (await stage.play(labelled({ name, history, events }))).facts as { rules: { person?: unknown }[] }[];
  return facts!.rules.find(({ person }) => person !== undefined)?.person;
}

test('reads on how many days an account worked on a server', async () => {
  const home = await personOf('at home', [7, 3], '10.20.0.50');
  expect(home).toMatchObject({ days: 5, citation: { value: 'lutz' } });
  expect(home).not.toHaveProperty('entry.isOutside');
  expect(await personOf('a stranger', [20, 15], '10.20.0.50')).toBeUndefined();
});

test('reads from where the account signed in, and whether it does so on other days', async () => {
  const entryOf = async (name: string, before: string, now: string) =>
    ((await personOf(name, [7, 3], before, now)) as { entry?: unknown }).entry;
  expect(await entryOf('as ever', '192.0.2.9', '192.0.2.9')).toEqual({ isOutside: true, days: 5 });
  expect(await entryOf('from elsewhere', '10.20.0.50', '203.0.113.9')).toEqual({ isOutside: true, days: 0 });
  expect(await entryOf('a longer address', '203.0.113.99', '203.0.113.9')).toEqual({ isOutside: true, days: 0 });
});

test('reads the person who became root, or else the last who signed in', async () => {
  const history = [{ days: [7, 3] as [number, number], events: [accepted(0, '10.20.0.50')] }];
  const process = {
    'host.name': 'hr-01',
    'process.args': ['shred', '-u', '/var/log/auth.log'],
    'process.executable': '/usr/bin/shred',
    'process.name': 'shred',
    'user.name': 'root',
  };
  const personIn = async (name: string, events: LabelledCase['events']) => {
    const [facts] = (await stage.play(labelled({ name, history, events }))).facts as { rules: { person?: unknown }[] }[];
    return facts!.rules[0]!.person;
  };
  const audited = { at: 60, shape: 'linux-exec', fields: { ...process, 'user.audit.name': 'lutz' } };
  expect(await personIn('audited', [audited])).toMatchObject({ days: 5, citation: { field: 'user.audit.name', value: 'lutz' } });
  const started = { at: 60, shape: 'linux-exec-parent', fields: process };
  expect(await personIn('signed in', [accepted(0, '10.20.0.50'), started])).toMatchObject({
    days: 5,
    citation: { field: 'user.name', value: 'root' },
    through: 'lutz',
  });
  expect(await personIn('long ago', [accepted(0, '10.20.0.50'), { ...started, at: 7_000 }])).toBeUndefined();
});

describe('the textbook intrusion on Linux', () => {
  const failures = (user: string, from: string) => ({
    ...line(0, 'sshd', ` Failed password for ${user} from ${from} port 4{n} ssh2`),
    times: 25,
    every: 4,
  });
  const entered = (user: string, from: string) =>
    line(110, 'sshd', ` Accepted password for ${user} from ${from} port 51990 ssh2`);
  const sudo = (at: number, user: string, command: string) =>
    line(at, 'sudo', ` ${user.padStart(8)} : TTY=pts/0 ; PWD=/tmp ; USER=root ; COMMAND=${command}`);
  const variants: [string, LabelledCase['events']][] = [
    [
      'failed root logins, a success, shadow, a root shell',
      [
        failures('root', '203.0.113.9'),
        entered('root', '203.0.113.9'),
        sudo(140, 'root', '/usr/bin/cat /etc/shadow'),
        sudo(170, 'root', '/bin/bash'),
      ],
    ],
    [
      'failed root logins, then a service account gets in',
      [
        failures('root', '198.51.100.9'),
        failures('deploy', '198.51.100.9'),
        entered('deploy', '198.51.100.9'),
        sudo(140, 'deploy', '/usr/bin/cat /etc/shadow'),
        sudo(170, 'deploy', '/bin/bash'),
      ],
    ],
    [
      'another reader and another shell',
      [
        failures('backup', '192.0.2.99'),
        entered('backup', '192.0.2.99'),
        sudo(500, 'backup', '/usr/bin/head -50 /etc/shadow'),
        sudo(900, 'backup', '/usr/bin/su -'),
      ],
    ],
    [
      'over an address of version 6',
      [
        failures('root', '2001:db8:7::9'),
        entered('root', '2001:db8:7::9'),
        sudo(140, 'root', '/bin/cat /etc/shadow'),
        sudo(170, 'root', '/bin/sh'),
      ],
    ],
  ];
  test.each(variants)('%s: Malicious', async (name, events) => {
    expect(await stage.play(labelled({ name, events }))).toMatchObject({ opened: 1, verdict: 'Malicious' });
  });

  test('an administrator at work as ever: not Malicious', async () => {
    const history = [{ days: [8, 1] as [number, number], events: [accepted(0, '10.20.0.50')] }];
    const events = [accepted(0, '10.20.0.50'), sudo(60, 'lutz', '/usr/bin/cat /etc/shadow'), sudo(90, 'lutz', '/bin/bash')];
    const { verdict } = await stage.play(labelled({ name: 'as ever', label: 'benign', history, events }));
    expect(verdict).not.toBe('Malicious');
  });
});
