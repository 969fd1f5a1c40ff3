import { rulesApi } from '@parapet/contract/detectionRules.ts';
import { exceptionsApi } from '@parapet/contract/exceptions.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { suppressionsApi } from '@parapet/contract/suppressions.ts';
import { sql } from 'kysely';
import { beforeAll, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { publish } from '../../core/bus.ts';
import { systemClock } from '../../core/clock.ts';
import { scoped } from '../../core/db/scope.ts';

const t = useTestApp();
let [partner, client, sibling] = [0, 0, 0];
let admin: TestUser;
let analyst: TestUser;
let stranger: TestUser;
const ruleID = '00000000-0000-4000-8000-0000000000bb';
const yaml = `title: Tool starts\nid: ${ruleID}\nlogsource:\n  product: probe\ndetection:\n  selection:\n    action: hide-me\n  condition: selection\nlevel: medium\n`;
const filter =
  'title: Exception\nlogsource:\n  product: probe\nfilter:\n  rules:\n    - any\n  selection:\n    user.name: backup\n  condition: not selection\n';
const endTime = new Date(systemClock.now() + 10 * dayMs).toISOString();
const event = (user: string, number: number) => ({
  '@timestamp': new Date(systemClock.now() - 1000 * number).toISOString(),
  host: { name: 'h-1' },
  user: { name: user },
  logsource: { product: 'probe' },
  action: 'hide-me',
});

beforeAll(async () => {
  await t.organisation({ id: 1, isPartner: true });
  partner = await t.organisation({ isPartner: true });
  [client, sibling] = [await t.organisation({ parentId: partner }), await t.organisation({ parentId: partner })];
  admin = await t.user({ organisationId: partner, role: 'Administrator' });
  analyst = await t.user({ organisationId: partner, role: 'Partner Analyst' });
  stranger = await t.user({ organisationId: await t.organisation({ isPartner: true }), role: 'Administrator' });
  await scoped(t.db, 'system', (tx) =>
    sql`
      insert into rule_versions (organisation_id, rule_key, version, state, yaml, revision, title, criticality, note, author_name, created_at)
      values (${partner}, ${ruleID}, 1, 'live', ${yaml}, '', 'Tool starts', 3, '', '', now())`.execute(tx),
  );
  await scoped(t.db, 'system', (tx) => publish(tx, 'rules.changed', {}));
});

const list = async (user: TestUser, id = 0, query = {}) =>
  exceptionsApi.list.answer.parse((await t.call(exceptionsApi.list, { params: { client: id }, query } as never, user)).json());

test('lists exceptions and suppressions together, with what each hid', async () => {
  const add = (organisationId: number) =>
    t.call(
      rulesApi.addException,
      {
        body: {
          clientOrganizationID: organisationId,
          ruleID,
          yaml: filter,
          reason: 'The backup account',
          endTime,
          previewID: null,
        },
      },
      admin,
    );
  // Once the rule is live in this process, which is after it can be read.
  await expect.poll(async () => (await add(partner)).statusCode, { timeout: 20_000 }).toBe(200);
  const [key, siblingKey] = [await t.ingestKey(client), await t.ingestKey(sibling)];
  await t.send(key, [event('backup', 1), event('backup', 2), event('ana', 3)]);
  await t.send(siblingKey, [event('backup', 4)]);
  const created = await t.call(
    suppressionsApi.create,
    { body: { clientOrganizationID: sibling, deviceName: 'H-1', reason: 'A scanner of ours', endTime } } as never,
    analyst,
  );
  expect(created.statusCode).toBe(200);
  const { results, total } = await list(analyst);
  expect(total).toBe(2);
  expect(new Map(results.map((row) => [row.kind, row]))).toMatchObject(
    new Map<string, object>([
      [
        'exception',
        {
          organisationID: partner,
          ruleID,
          rule: 'Tool starts',
          filter,
          reason: 'The backup account',
          isActive: true,
          hidden: 3,
        },
      ],
      ['suppression', { organisationID: sibling, ruleID: null, deviceName: 'H-1', filter: null, hidden: 0, lastTime: null }],
    ]),
  );
  // Of one client: also the exception above it, by what it hid there.
  expect((await list(analyst, client)).results).toMatchObject([{ kind: 'exception', hidden: 2 }]);
  expect((await list(analyst, 0, { kind: 'suppression' })).results.map(({ kind }) => kind)).toEqual(['suppression']);
  expect((await list(analyst, 0, { state: 'ended' })).total).toBe(0);
  expect((await list(analyst, 0, { pageSize: 1, page: 2 })).results).toHaveLength(1);
});

test('hides those of others, and refuses a client’s people', async () => {
  expect(await list(stranger)).toEqual({ results: [], total: 0 });
  expect((await t.call(exceptionsApi.list, { params: { client }, query: {} } as never, stranger)).statusCode).toBe(403);
  const own = await t.user({ organisationId: client, role: 'Administrator' });
  expect((await t.call(exceptionsApi.list, { params: { client }, query: {} } as never, own)).statusCode).toBe(403);
  const rows = await scoped(t.db, { organisationIds: [client] }, (tx) =>
    sql<{ id: number }>`select organisation_id as id from rule_exception_days`.execute(tx),
  );
  expect(rows.rows).toEqual([{ id: client }]);
});
