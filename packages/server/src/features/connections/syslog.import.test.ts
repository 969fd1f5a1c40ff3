/** Entries of the setting SYSLOG that become connections. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { databaseWith, type TestApp, testApp } from '../../../test/app.ts';
import { readScoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { importEntries } from './syslog.import.ts';
import { listPlaces } from './syslog.store.ts';

const organisationId = 2401;
let t: TestApp;
beforeAll(async () => {
  t = await testApp({}, await databaseWith(organisationId));
}, 120_000);
afterAll(() => t.close());

test('logs an entry that the database refuses, and takes the others', async () => {
  const errors: unknown[] = [];
  const log = { ...silentLog, info() {}, warn() {}, error: (fields: unknown) => void errors.push(fields) };
  const entries = ['192.0.2.0/24/9', '192.0.2.0/24'].map((network) => ({
    organisationId,
    place: { transport: 'udp' as const, port: 0, networks: [network] },
  }));
  expect(await importEntries({ db: t.db, keys: t.keys, log }, entries)).toEqual([]);
  expect(errors).toEqual([expect.objectContaining({ entry: 'UDP 0 from 192.0.2.0/24/9' })]);
  const places = await readScoped(t.db, 'system', listPlaces);
  expect(places.map(({ settings }) => settings.senders)).toEqual(['192.0.2.0/24']);
});
