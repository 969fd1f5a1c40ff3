/** Imports from end to end: a file, its events with their own times, and the result. */
import { type FileImport, type ImportFormat, importsApi } from '@parapet/contract/imports.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { eventRows } from '../../../test/storedEvents.ts';
import { sendFile } from '../../../test/vulnerabilities.fixture.ts';
import { scoped } from '../../core/db/scope.ts';
import { longestRequestMs } from '../../core/http/receiving.ts';

const t = useTestApp();
let client: number;
let admin: TestUser;

async function fresh(): Promise<void> {
  client = await t.organisation();
  admin = await t.user({ organisationId: client, role: 'Administrator' });
}

const prepare = (format: ImportFormat, more: object = {}, user = admin) =>
  t.call(importsApi.create, { params: { client }, body: { fileName: 'evidence.json', format, ...more } }, user);
async function importFile(format: ImportFormat, content: string | Buffer, more: object = {}): Promise<FileImport> {
  const prepared = await prepare(format, more);
  expect(prepared.statusCode).toBe(200);
  const path = `/imports/${client}/${prepared.json<FileImport>().id}/file`;
  const answer = await sendFile(t, path, content, admin, 'application/octet-stream');
  expect(answer.statusCode).toBe(200);
  return answer.json<FileImport>();
}
const rows = () => scoped(t.db, 'system', (tx) => eventRows(tx, client));
const begun = Math.floor(Date.now() / 1_000) * 1_000;
const at = (hours: number) => new Date(begun - hours * 3_600_000).toISOString();

const evtx = (id: number, time: string, data: object) => ({
  Event: {
    '#attributes': { xmlns: 'http://schemas.microsoft.com/win/2004/08/events/event' },
    System: {
      Provider: { '#attributes': { Name: 'Microsoft-Windows-Security-Auditing' } },
      EventID: id,
      TimeCreated: { '#attributes': { SystemTime: time } },
      EventRecordID: 77,
      Channel: 'Security',
      Computer: 'WS-07.alder.example',
    },
    EventData: data,
  },
});

describe('imports', () => {
  test('may take longer than other requests, whose headers stay limited', () => {
    const { requestTimeout, headersTimeout } = t.application.app.server;
    expect([requestTimeout, headersTimeout]).toEqual([longestRequestMs, 60_000]);
  });

  test('stores evtx_dump’s events with their own times, and nothing twice', async () => {
    await fresh();
    const created = evtx(4720, at(20), { TargetUserName: 'helper', SubjectUserName: 'ann', SubjectDomainName: 'ALDER' });
    const file = `Record 1\n${JSON.stringify(created, null, 2)}\nRecord 2\n${JSON.stringify(evtx(4624, at(19), { TargetUserName: 'bob' }), null, 2)}\n`;
    const first = await importFile('evtx', file);
    expect(first).toMatchObject({ state: 'done', records: 2, stored: 2, duplicates: 0, refused: 0, retimed: 0, failure: '' });
    expect(first.bytes).toBe(Buffer.byteLength(file));
    expect((await rows()).map(({ at: time }) => time.toISOString()).toSorted()).toEqual([at(20), at(19)].toSorted());
    expect((await rows())[0]).toMatchObject({ device_name: 'WS-07.alder.example' });
    expect(await importFile('evtx', file)).toMatchObject({ stored: 0, duplicates: 2 });
  });

  test('reads Get-WinEvent’s list, with values named by their order', async () => {
    await fresh();
    const values = [
      'S-1-5-18',
      'WS-07$',
      'ALDER',
      '0x3e7',
      'S-1-5-21-9',
      'ann',
      'ALDER',
      '0xc000006d',
      '%%2313',
      '0xc000006a',
      3,
    ];
    const event = {
      Id: 4625,
      LogName: 'Security',
      ProviderName: 'Microsoft-Windows-Security-Auditing',
      MachineName: 'WS-07.alder.example',
      RecordId: 9,
      TimeCreated: `/Date(${Date.parse(at(5))})/`,
      Properties: values.map((Value) => ({ Value })),
      Message: 'An account failed to log on.\r\n\r\nSubject: …',
    };
    const file = Buffer.from(`\uFEFF${JSON.stringify([event], null, 4)}`, 'utf16le');
    expect(await importFile('evtx', file)).toMatchObject({ state: 'done', stored: 1, refused: 0 });
    const [row] = await rows();
    expect(row?.at.toISOString()).toBe(at(5));
    expect(row?.document).toMatchObject({
      winlog: { channel: 'Security', event_id: '4625', event_data: { TargetUserName: 'ann', LogonType: 3 } },
      event: { outcome: 'failure' },
      user: { name: 'ann' },
    });
  });

  test('raises alerts by the rules, as for events of a shipper', async () => {
    await fresh();
    const cleared = { ...evtx(1102, at(2), {}), Event: { ...evtx(1102, at(2), {}).Event } };
    cleared.Event.System.Provider['#attributes'].Name = 'Microsoft-Windows-Eventlog';
    await importFile('evtx', JSON.stringify(cleared));
    const alerts = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('alerts').select('id').where('organisation_id', '=', client).execute(),
    );
    expect(alerts.length).toBeGreaterThan(0);
  });

  test('maps CSV rows, and names refused rows by line', async () => {
    await fresh();
    const mapping = {
      namespace: 'proxy',
      records: [],
      fields: [
        { to: '@timestamp', from: ['Time'] },
        { to: 'user.name', from: ['User'] },
        { to: 'destination.domain', from: ['Host'] },
      ],
    };
    const csv = `Time;User;Host;Bytes\n${at(3)};ann;evil.example;10\n${at(3)};bob;"a;b";11;extra\n${at(2)};cyd;ok.example;12\n`;
    const result = await importFile('csv', csv, { mapping, source: 'Proxy log' });
    expect(result).toMatchObject({ stored: 2, refused: 1, refusals: [{ line: 3, error: expect.stringContaining('5 cells') }] });
    const [row] = (await rows()).filter(({ user_name }) => user_name === 'ann');
    expect(row).toMatchObject({ device_name: 'Proxy log' });
    expect(row?.document).toMatchObject({ proxy: { Bytes: '10' }, destination: { domain: 'evil.example' } });
    expect(await importFile('csv', csv, { mapping, source: 'Proxy log' })).toMatchObject({
      stored: 0,
      duplicates: 2,
      refused: 1,
    });
  });

  test('counts events whose time is before the retention', async () => {
    await fresh();
    const lines = [
      { '@timestamp': '2019-05-01T00:00:00Z', message: 'old' },
      { '@timestamp': at(1), message: 'new' },
    ];
    const file = `${lines.map((line) => JSON.stringify(line)).join('\n')}\n{"broken"\n`;
    const result = await importFile('ndjson', file, { source: 'Old disk' });
    expect(result).toMatchObject({ stored: 2, retimed: 1, refused: 1, refusals: [{ line: 3 }] });
    expect((await rows()).every(({ device_name }) => device_name === 'Old disk')).toBe(true);
    const dead = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('dead_letters').select('raw').where('organisation_id', '=', client).execute(),
    );
    expect(dead.map(({ raw }) => raw.trim())).toEqual(['{"broken"']);
  });

  test('stores equal lines as often as they stand in the file, over slices', async () => {
    await fresh();
    const line = JSON.stringify({ '@timestamp': at(1), message: 'again' });
    const file = `${Array.from({ length: 6_000 }, () => line).join('\n')}\n`;
    expect(await importFile('ndjson', file)).toMatchObject({ stored: 6_000, duplicates: 0 });
    expect(await importFile('ndjson', file)).toMatchObject({ stored: 0, duplicates: 6_000 });
  });

  test('starts a prepared import once, audited', async () => {
    await fresh();
    expect((await prepare('csv')).statusCode).toBe(400);
    expect((await prepare('evtx', { mapping: { namespace: 'acme', records: [], fields: [] }, source: 'x' })).statusCode).toBe(
      400,
    );
    const { id } = await importFile('evtx', '[]');
    const path = `/imports/${client}/${id}/file`;
    expect((await sendFile(t, path, '[]', admin, 'application/octet-stream')).statusCode).toBe(409);
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    expect((await prepare('evtx', {}, analyst)).statusCode).toBe(403);
    const audit = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['action', 'after'])
        .where('target', '=', String(id))
        .where('action', 'like', 'import.%')
        .orderBy('id')
        .execute(),
    );
    expect(audit.map(({ action }) => action)).toEqual(['import.created', 'import.finished']);
    expect((await t.call(importsApi.list, { params: { client } }, analyst)).json()).toMatchObject({ total: 1 });
  });

  test('shows an import as failed once it makes no progress', async () => {
    await fresh();
    const { id } = (await prepare('evtx')).json<FileImport>();
    await scoped(t.db, 'system', (tx) =>
      sql`update file_imports set state = 'running', updated_at = now() - interval '3 minutes' where id = ${id}`.execute(tx),
    );
    expect((await t.call(importsApi.list, { params: { client } }, admin)).json().results[0]).toMatchObject({ state: 'failed' });
  });
});
