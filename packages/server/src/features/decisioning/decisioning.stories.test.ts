/** Stories through the whole pipeline: lines as rsyslog posts them, the product’s own rules, correlation, facts and verdict. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/database.ts';
import type { CaseEvent, LabelledCase } from '../../../test/verdicts/cases.ts';
import { openStage, type PlayedCase, type Stage } from '../../../test/verdicts/play.ts';
import { speaksOf } from './decisioning.check.ts';
import { decide } from './decisioning.model.ts';
import type { CaseFacts } from './decisioning.types.ts';

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

const line = (at: number, programname: string, message: string, more: Partial<CaseEvent> = {}): CaseEvent => ({
  at,
  shape: 'linux-line',
  fields: { host: 'ald-web-01', programname, syslogtag: `${programname}[2211]:`, message: ` ${message}` },
  ...more,
});
const play = (name: string, events: CaseEvent[], more: Partial<LabelledCase> = {}): Promise<PlayedCase> =>
  stage.play({ name, label: 'malicious', family: 'linux-auth', by: 'written', why: '', events, ...more });
const sentences = ({ facts }: PlayedCase) => decide(facts[0] as CaseFacts).evidence;

describe('a textbook intrusion on Linux', () => {
  test('becomes a malicious case whose steps cite their lines', async () => {
    const played = await play('textbook', [
      line(0, 'sshd', 'Failed password for root from 203.0.113.9 port 50{n} ssh2', { times: 9, every: 20 }),
      line(240, 'sshd', 'Accepted password for root from 203.0.113.9 port 50131 ssh2'),
      line(300, 'sudo', '    root : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/usr/bin/cat /etc/shadow'),
      line(330, 'sudo', '    root : TTY=pts/0 ; PWD=/root ; USER=root ; COMMAND=/bin/bash'),
    ]);
    expect(played).toMatchObject({ opened: 1, verdict: 'Malicious' });
    const evidence = sentences(played);
    const sequence = evidence.find(({ text }) => text.includes('steps in order'));
    expect(sequence?.text).toMatch(/^A guessed password and its use, [34] steps in order: failed sign-ins, a sign-in/);
    expect(evidence.some(({ field, value }) => field === 'source.ip' && value === '203.0.113.9')).toBe(true);
    expect(evidence.some(({ value }) => value?.includes('/etc/shadow'))).toBe(true);
    for (const { text, value } of evidence) expect(speaksOf(text, value!), text).toBe(true);
  });
});

describe('a person who mistyped', () => {
  test('opens no case by a few failures', async () => {
    const played = await play('mistyped', [
      line(0, 'sshd', 'Failed password for lutz from 10.20.4.17 port 50{n} ssh2', { times: 3, every: 10 }),
      line(60, 'sshd', 'Accepted password for lutz from 10.20.4.17 port 50131 ssh2'),
      line(90, 'sudo', '    lutz : TTY=pts/0 ; PWD=/home/lutz ; USER=root ; COMMAND=/usr/bin/apt update'),
    ]);
    expect(played.verdict).toBeUndefined();
  });
  test('opens no malicious case by many failures from inside', async () => {
    const played = await play('mistyped often', [
      line(0, 'sshd', 'Failed password for lutz from 10.20.4.17 port 50{n} ssh2', { times: 9, every: 10 }),
      line(120, 'sshd', 'Accepted password for lutz from 10.20.4.17 port 50131 ssh2'),
    ]);
    expect(played.opened).toBe(1);
    expect(played.verdict).not.toBe('Malicious');
  });
});

describe('a driver with wide rights from a folder of users', () => {
  const machine = { 'host.name': 'ALD-NB-07.alder.example', 'winlog.computer_name': 'ALD-NB-07.alder.example' };
  const file = 'C:\\Users\\Public\\Tool\\RTCore64.sys';
  const driver: CaseEvent[] = [
    { at: 60, shape: 'system-7045', fields: { ...machine, ServiceName: 'RTCore64', ImagePath: file } },
    { at: 61, shape: 'sysmon-6', fields: { ...machine, ImageLoaded: file, Signed: 'true', SignatureStatus: 'Valid' } },
  ];
  const started = (Image: string): CaseEvent => ({
    at: 0,
    shape: 'sysmon-1',
    fields: {
      ...machine,
      Image,
      CommandLine: 'setup.exe /quiet',
      User: 'NT AUTHORITY\\SYSTEM',
      ParentImage: 'C:\\Windows\\CCM\\CcmExec.exe',
    },
  });
  test('leaves a driver Suspicious after an installation by management software', async () => {
    const played = await play('deployed driver', [started('C:\\Windows\\ccmcache\\d4\\setup.exe'), ...driver]);
    expect(played).toMatchObject({ opened: 1, verdict: 'Suspicious' });
    const matching = sentences(played).filter(({ text }) => text.startsWith('Management software installed something'));
    expect(matching.length).toBeGreaterThan(0);
    for (const { field, value, weight } of matching) {
      expect([field, value]).toEqual(['host.name', 'ALD-NB-07.alder.example']);
      expect(weight).toBeLessThan(0);
    }
  });
  test('calls it Malicious after a program that anyone may have placed', async () => {
    const played = await play('brought driver', [started('C:\\Users\\Public\\setup.exe'), ...driver]);
    expect(played).toMatchObject({ opened: 1, verdict: 'Malicious' });
  });
});

test('counts no steps of requests that all got the same page', async () => {
  const request = (at: number, path: string, bytes: number): CaseEvent => ({
    at,
    shape: 'web-access',
    fields: {
      message: `203.0.113.45 - - [20/Nov/2026:09:14:05 +0000] "GET ${path} HTTP/1.1" 200 ${bytes} "-" "Mozilla/5.0 zgrab/0.x"`,
    },
  });
  const paths = ['/wp-content/plugins/a.php?cmd=id', '/.env', '/..%2f..%2fetc%2fpasswd'];
  const same = await play(
    'one page',
    paths.map((path, index) => request(index * 5, path, 1_452)),
  );
  expect(same.opened).toBe(1);
  expect(same.verdict).not.toBe('Malicious');
  const differing = await play(
    'three pages',
    paths.map((path, index) => request(index * 5, path, 1_452 + index)),
  );
  expect(differing.verdict).toBe('Malicious');
});

test('cites each country of sign-ins from several countries', async () => {
  const signIn = (at: number, countryOrRegion: string, ipAddress: string, more = {}): CaseEvent => ({
    at,
    shape: 'entra-sign-in',
    fields: { ipAddress, 'location.countryOrRegion': countryOrRegion, ...more },
  });
  // The countries alone open no case; the sign-in by device code does.
  const byCode = {
    authenticationProtocol: 'deviceCode',
    appDisplayName: 'Microsoft Authentication Broker',
    appId: '29d9ed98-a469-4536-ade2-f981bc1d605e',
  };
  const played = await play('countries', [
    signIn(0, 'DE', '203.0.113.20'),
    signIn(600, 'BR', '198.51.100.4'),
    signIn(900, 'BR', '198.51.100.4', byCode),
  ]);
  expect(played.rules).toHaveProperty('Sign-Ins from Several Countries within an Hour');
  const matching = sentences(played).filter(({ text }) => text.includes('Several Countries'));
  expect(matching.map(({ value }) => value)).toEqual(expect.arrayContaining(['DE', 'BR']));
  for (const { field } of matching) expect(field).not.toBe('event.outcome');
});
