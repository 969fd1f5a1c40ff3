import { eventsApi } from '@parapet/contract/events.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { seedMonths } from '../../../test/seed.ts';
import { putEvents } from '../../../test/storedEvents.ts';
import { scoped } from '../../core/db/scope.ts';

const now = Date.now();
const [start, end] = [new Date(now - dayMs).toISOString(), new Date(now + 1).toISOString()];
const t = useTestApp();
let client: number;
let analyst: TestUser;

const put = (organisationId: number, documents: readonly object[]) =>
  scoped(t.db, { organisationIds: [organisationId] }, (tx) =>
    putEvents(
      tx,
      organisationId,
      documents.map((document, index) => ({ at: now - index * 1_000, received_at: now, device_name: 'ws-01', document })),
    ),
  );
async function fieldsOf(search: string, id = client, user = analyst) {
  const answer = await t.call(eventsApi.fields, { params: { client: id, start, end }, query: { search } }, user);
  expect(answer.statusCode).toBe(200);
  return eventsApi.fields.answer.parse(answer.json());
}

beforeAll(async () => {
  [client] = [await t.organisation()];
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
  await seedMonths(t.db, now - dayMs, now + dayMs);
});

describe('events.fields', () => {
  test('counts fields and values of matching events, nested and dotted alike', async () => {
    await put(client, [
      { event: { code: 4625 }, source: { ip: '10.0.0.1' } },
      { 'event.code': '4625', source: { ip: ['10.0.0.2', '10.0.0.1'] } },
      { event: { code: 4624, reason: null }, message: 'x'.repeat(201) },
    ]);
    const { events, fields } = await fieldsOf('');
    expect(events).toBe(3);
    const byName = Object.fromEntries(fields.map(({ name, ...counts }) => [name, counts]));
    expect(byName['event.code']).toEqual({
      count: 3,
      values: [
        { value: '4625', count: 2 },
        { value: '4624', count: 1 },
      ],
    });
    expect(byName['source.ip']).toEqual({
      count: 2,
      values: [
        { value: '10.0.0.1', count: 2 },
        { value: '10.0.0.2', count: 1 },
      ],
    });
    expect(byName.message).toEqual({ count: 1, values: [] });
    expect(byName.device).toEqual({ count: 3, values: [{ value: 'ws-01', count: 3 }] });
    expect(byName['event.reason']).toBeUndefined();
    expect((await fieldsOf('event.code: 4624')).events).toBe(1);
  });

  test('survives names like those of JavaScript, and bounds names and values', async () => {
    const hostile = await t.organisation();
    const user = await t.user({ organisationId: hostile, role: 'Analyst' });
    await put(hostile, [
      JSON.parse('{"__proto__": {"x": 1}, "constructor": "c"}') as object,
      Object.fromEntries(Array.from({ length: 700 }, (_, n) => [`field${n}`, `value ${n}`])),
      { ['n'.repeat(301)]: 1, many: Array.from({ length: 2_000 }, (_, n) => n) },
    ]);
    const { fields } = await fieldsOf('', hostile, user);
    expect(fields).toHaveLength(500);
    expect(fields.every(({ values }) => values.length <= 10)).toBe(true);
    expect(Object.getOwnPropertyNames(Object.prototype)).not.toContain('x');
  });

  test('writes an audit entry, and shows nothing of other tenants', async () => {
    const stranger = await t.organisation();
    const theirs = await t.user({ organisationId: stranger, role: 'Analyst' });
    await put(stranger, [{ secret: 'theirs' }]);
    expect((await fieldsOf('secret: *')).events).toBe(0);
    const answer = await t.call(eventsApi.fields, { params: { client: stranger, start, end } }, analyst);
    expect(answer.statusCode).toBe(403);
    expect((await fieldsOf('secret: *', stranger, theirs)).events).toBe(1);
    const entries = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .where('organisation_id', '=', stranger)
        .where('action', '=', 'events.fieldsRead')
        .selectAll()
        .execute(),
    );
    expect(entries).toMatchObject([{ actor_user_id: theirs.id, after: { search: 'secret: *' } }]);
  });
});
