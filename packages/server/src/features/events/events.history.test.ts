import { eventsApi } from '@parapet/contract/events.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestUser, useTestApp } from '../../../test/app.ts';
import { scoped } from '../../core/db/scope.ts';
import { rememberSearch } from './events.history.ts';

const range = { start: new Date(Date.now() - dayMs).toISOString(), end: new Date().toISOString() };
const t = useTestApp();
let client: number;
let analyst: TestUser;

const search = (query: object, user = analyst) =>
  t.call(eventsApi.search, { params: { client, ...range }, query } as never, user);
const history = async (user = analyst) =>
  eventsApi.history.answer.parse((await t.call(eventsApi.history, {}, user)).json()).results.map(({ query }) => query);

beforeAll(async () => {
  client = await t.organisation();
  analyst = await t.user({ organisationId: client, role: 'Analyst' });
});

describe('events.history', () => {
  test('lists different searches of one person, the last first, until they are cleared', async () => {
    await search({});
    await search({ search: 'event.code: 4625', device: 'ws-01' });
    await search({ search: 'a and b' });
    await search({ search: 'event.code: 4625', device: 'ws-01' });
    await search({ search: 'a page of it', before: range.end });
    expect(await history()).toEqual(['search=event.code%3A+4625&device=ws-01', 'search=a+and+b']);
    const colleague = await t.user({ organisationId: client, role: 'Analyst' });
    expect(await history(colleague)).toEqual([]);
    await t.call(eventsApi.clearHistory, {}, colleague);
    expect(await history()).toHaveLength(2);
    await t.call(eventsApi.clearHistory, {}, analyst);
    expect(await history()).toEqual([]);
  });

  test('keeps the last 50', async () => {
    const person = { userId: analyst.id, organisationId: client };
    await scoped(t.db, { organisationIds: [client] }, async (tx) => {
      for (let n = 0; n < 60; n++) {
        const filter = { search: `n: ${n}`, text: '', field: [] };
        await rememberSearch(tx, person, filter, new Date(Date.now() + n * 1_000));
      }
    });
    const stored = await history();
    expect(stored).toHaveLength(50);
    expect(stored.at(-1)).toBe('search=n%3A+10');
  });
});
