import { readFileSync } from 'node:fs';
import { sql } from 'kysely';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../test/app.ts';
import { runAs } from '../../test/database.ts';
import { scoped } from '../core/db/scope.ts';
import { type AuditEntry, recordAudits } from './audit.ts';
import { auditVisibility } from './audit.visibility.ts';
import { asClient, findShownName, shownName, visible } from './visibility.ts';

const t = useTestApp();
const at = { provider: 1, direct: 30, partner: 2, client: 10 };
let soc: TestUser;
let ours: TestUser;

beforeAll(async () => {
  await t.organisation({ id: at.provider, isPartner: true });
  await t.organisation({ id: at.direct, parentId: at.provider });
  await t.organisation({ id: at.partner, isPartner: true, parentId: at.provider });
  await t.organisation({ id: at.client, parentId: at.partner });
  soc = await t.user({ organisationId: at.provider, role: 'Analyst' });
  ours = await t.user({ organisationId: at.partner, role: 'Partner Analyst' });
});

describe('a name', () => {
  const seen = (reader: number, userId: number | null) =>
    scoped(t.db, 'system', (tx) => findShownName(tx, reader, { userId, name: 'Ann' }));

  test('shows names of the provider’s staff to the provider and its direct clients; others see one name', async () => {
    const names = await Promise.all([...Object.values(at), 0].map((reader) => seen(reader, soc.id)));
    expect(names).toEqual(['Ann', 'Ann', 'SOC Analyst', 'SOC Analyst', 'SOC Analyst']);
  });

  test('shows names of a partner’s staff and of unknown users to all', async () => {
    for (const reader of Object.values(at))
      expect([await seen(reader, ours.id), await seen(reader, null)]).toEqual(['Ann', 'Ann']);
  });

  test('depends on the reader, whatever the transaction’s scope', async () => {
    const reader = { organisationId: at.client, canSeeInternal: false };
    const scope = { organisationIds: [at.client], reader };
    for (const transaction of ['system', scope] as const)
      for (const [given, name] of [
        [scope, 'SOC Analyst'],
        ['system', 'SOC Analyst'],
        [{ organisationIds: [1] }, 'SOC Analyst'],
        [{ organisationIds: [at.client], reader: { organisationId: 1, canSeeInternal: true } }, 'Ann'],
      ] as const) {
        const { rows } = await scoped(t.db, transaction, (tx) =>
          sql<{ name: string }>`select ${shownName(given, sql`${soc.id}::integer`, sql`'Ann'::text`)} as name`.execute(tx),
        );
        expect(rows).toEqual([{ name }]);
      }
  });
});

test('nothing internal is read without a reader, or as the client', async () => {
  await scoped(t.db, 'system', (tx) => recordAudits(tx, { ...ours, userId: ours.id, address: '' }, entries(at.client)));
  const reader = { organisationId: at.partner, canSeeInternal: true };
  const staff = { organisationIds: [at.client], reader };
  for (const [scope, isInternalRead] of [
    [staff, true],
    [asClient(staff, at.client), false],
    [{ organisationIds: [at.client] }, false],
    ['system', false],
  ] as const) {
    const rows = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .where('organisation_id', '=', at.client)
        .where(visible('audit', scope))
        .select('visibility')
        .execute(),
    );
    expect(rows.some(({ visibility }) => visibility === 'client')).toBe(true);
    expect(rows.some(({ visibility }) => visibility === 'internal')).toBe(isInternalRead);
  }
});

test('the migration says of old entries what the catalogue says of new ones', async () => {
  await scoped(t.db, 'system', (tx) => recordAudits(tx, { ...soc, userId: soc.id, address: '' }, entries(at.direct)));
  const texts = async () =>
    (
      await runAs(
        t.database.ownerUrl,
        `select action, after, visibility from audit where organisation_id = ${at.direct} order by id`,
      )
    )[0]!.rows;
  const before = await texts();
  expect(before.map(({ visibility }) => visibility)).toEqual(entries(at.direct).map(auditVisibility));
  const migration = readFileSync(new URL('../migrations/0019_visibility.sql', import.meta.url), 'utf8');
  const [update = ''] = /update audit set visibility[^;]*;/.exec(migration) ?? [];
  await runAs(t.database.ownerUrl, "update audit set visibility = 'client'", update);
  expect(await texts()).toEqual(before);
});

/** As rows of every kind of action are stored, also of those that are no longer written. */
function entries(organisationId: number): AuditEntry[] {
  const note = (before: boolean | undefined, after: boolean) => ({
    action: 'case.noteSaved',
    organisationId,
    ...(before !== undefined && { before: { isInternal: before } }),
    after: { isInternal: after },
  });
  const plain = (action: string) => ({ action, organisationId, after: { text: 'x' } });
  return [
    note(undefined, true),
    note(undefined, false),
    note(true, false),
    note(false, true),
    note(false, false),
    ...['case.narrativeSaved', 'case.decisioningJudged', 'case.markedIncorrect', 'review.assigned', 'review.decided'].map(plain),
    ...['suppression.created', 'suppression.ended', 'bulk.suppress', 'sapphire.knowledgeReviewed'].map(plain),
    ...['case.closed', 'tag.saved', 'call.denied', 'case.mailed'].map(plain),
  ] as AuditEntry[];
}
