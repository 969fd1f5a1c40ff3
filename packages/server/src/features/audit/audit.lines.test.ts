/** Verifiable export, checked by independent code. */
import { createHash, createHmac, createPublicKey, randomBytes, verify } from 'node:crypto';
import { auditApi } from '@parapet/contract/audit.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { runAs } from '../../../test/database.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';
import { silentLog } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { checkpointKey } from './chain.format.ts';
import { type AuditSealer, createAuditSealer } from './chain.sealer.ts';
import { verifyAll } from './chain.verify.ts';

const key = checkpointKey(randomBytes(32));
const t = useTestApp();
let sealer: AuditSealer;
let client: number;
let admin: TestUser;
let host: TestUser;
let partnerAdmin: TestUser;
beforeAll(async () => {
  const provider = await t.organisation({ id: 1, isPartner: true, name: 'The Provider' });
  const partner = await t.organisation({ isPartner: true, parentId: 1 });
  client = await t.organisation({ parentId: partner });
  admin = await t.user({ organisationId: client, role: 'Administrator' });
  host = await t.user({ organisationId: provider, role: 'Host' });
  partnerAdmin = await t.user({ organisationId: partner, role: 'Administrator' });
  sealer = createAuditSealer({ db: t.db, clock: systemClock, key, log: silentLog });
});

const range = () => ({ start: new Date(Date.now() - dayMs).toISOString(), end: new Date(Date.now() + dayMs).toISOString() });
const tag = (by: TestUser, name: string) =>
  scoped(t.db, 'system', (tx) =>
    recordAudit(
      tx,
      { userId: by.id, organisationId: by.organisationId, address: '192.0.2.7' },
      { action: 'tag.saved', organisationId: client, after: { name } },
    ),
  );
const exported = async (by: TestUser, query: { action?: string[] } = {}) => {
  const answer = await t.call(auditApi.exportLines, { params: { client, ...range() }, query }, by);
  expect([answer.statusCode, answer.headers['content-type']]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
  const lines = answer.body
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  return {
    entries: lines.filter(({ type }) => type === 'entry'),
    checkpoints: lines.filter(({ type }) => type === 'checkpoint'),
  };
};
/** Sorts members, which is canonical for the entries of these tests. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, part) =>
    part && typeof part === 'object' && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

test('links every line to the one before, up to a signed checkpoint, including filtered entries', async () => {
  await tag(admin, 'Größe');
  await tag(host, 'VIP');
  await sealer.seal();
  for (const query of [{}, { action: ['no.such'] }]) {
    const { entries, checkpoints } = await exported(admin, query);
    let previous = entries[0].previous;
    for (const line of entries) {
      expect(line.previous).toBe(previous);
      if (line.entry) expect(sha256(canonical(line.entry))).toBe(line.leaf);
      const { leaf, organisationId, position } = line;
      expect(sha256(canonical({ leaf, organisationId, position, previous }))).toBe(line.hash);
      previous = line.hash;
    }
    expect(entries.some(({ entry }) => entry)).toBe(!query.action);
    const { type: _type, signature, ...signed } = checkpoints.at(-1);
    expect(signed).toMatchObject({ hash: previous, position: entries.at(-1).position, organisationId: client });
    const publicKey = createPublicKey({
      key: Buffer.from(`302a300506032b6570032100${signed.publicKey}`, 'hex'),
      format: 'der',
      type: 'spki',
    });
    expect(
      verify(null, Buffer.from(canonical({ type: 'audit checkpoint', ...signed })), publicKey, Buffer.from(signature, 'hex')),
    ).toBe(true);
    await sealer.seal();
  }
});

test('discloses actors only to readers who see them by name', async () => {
  await sealer.seal();
  interface Line {
    entry?: { actor: string; after: { name?: string } | null };
    actor?: { userId: number; organisationId: number; salt: string };
  }
  const ofHost = (lines: Line[]): Line | undefined => lines.find(({ entry }) => entry?.after?.name === 'VIP');
  expect(ofHost((await exported(admin)).entries)?.actor).toBeUndefined();
  const { entry, actor } = ofHost((await exported(host)).entries) ?? {};
  expect(actor).toMatchObject({ userId: host.id, organisationId: 1 });
  const opened = createHmac('sha256', Buffer.from(actor?.salt ?? '', 'hex')).update(
    JSON.stringify([actor?.organisationId, actor?.userId]),
  );
  expect(opened.digest('hex')).toBe(entry?.actor);
});

test('requires an administrator within scope and writes an entry', async () => {
  const stranger = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  const analyst = await t.user({ organisationId: client, role: 'Analyst' });
  for (const by of [stranger, analyst]) {
    expect((await t.call(auditApi.exportLines, { params: { client, ...range() } }, by)).statusCode).toBe(403);
    expect((await t.call(auditApi.seal, { params: { client } }, by)).statusCode).toBe(403);
  }
  await exported(partnerAdmin);
  const { results } = (
    await t.call(auditApi.list, { params: { client, ...range() }, query: { action: ['audit.exported'] } }, host)
  ).json();
  expect(JSON.parse(results[0].after)).toMatchObject({ format: 'lines', client });
});

test('reports the sealed position and the last verification', async () => {
  await sealer.seal();
  const state = async () => (await t.call(auditApi.seal, { params: { client } }, admin)).json();
  expect(await state()).toMatchObject({
    sealed: expect.any(Number),
    checkpointAt: expect.any(String),
    verifiedAt: null,
    broken: [],
  });
  await verifyAll({ db: t.db, clock: systemClock, publicKey: key.publicKey, log: silentLog });
  expect(await state()).toMatchObject({ verifiedAt: expect.any(String), broken: [] });
  await runAs(t.database.ownerUrl, `update audit set target = 'forged' where organisation_id = ${client}`);
  await verifyAll({ db: t.db, clock: systemClock, publicKey: key.publicKey, log: silentLog });
  expect((await state()).broken).toEqual([{ clientOrganizationID: client, text: 'the entry differs from what was sealed' }]);
});
