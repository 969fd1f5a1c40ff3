import { hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { database, detector, event, inOrganisation, noon, organisationId, setUpEventWriter } from '../../test/event-writer.ts';
import type { Detector } from './detector.ts';
import { rulesInForce } from './field-health.ts';
import { createFieldRegister, fieldsOfSource } from './field-register.ts';

setUpEventWriter();

const made = (at: number, action: string, document: Record<string, unknown> = {}) =>
  event({ at, document: { logsource: { product: 'linux' }, action, ...document } });
const many = (count: number, at: number, action: string, document: Record<string, unknown> = {}) =>
  Array.from({ length: count }, () => made(at, action, document));
const register = () => createFieldRegister(detector.fieldsOfSource);
const rows = async () =>
  (
    await inOrganisation((tx) =>
      sql<{
        source: string;
        code: string;
        sampled: number;
        missing: string[];
        unknown: string[];
        fields: [string, number | null][];
      }>`
        select source, code, sampled, missing, unknown, fields from field_sightings order by source, code`.execute(tx),
    )
  ).rows;
const blocked = async (now = noon, set: Pick<Detector, 'isLoaded' | 'current'> = detector) => {
  const scope = { organisationIds: [organisationId] };
  return inOrganisation(async (tx) => {
    const { organisations, nameFields } = await rulesInForce(set).listBlocked(tx, scope, now);
    const fields = await nameFields(new Set(organisations.keys()));
    return { rules: [...organisations.keys()].sort(), fields: fields.map(({ field, code }) => `${field} of ${code}`) };
  });
};

describe('createFieldRegister', () => {
  test('keeps only names that rules read, and one event of 16', async () => {
    const fields = register();
    fields.note(organisationId, many(1_600, noon, 'failed', { [`x${'y'.repeat(5_000)}`]: 1, secret: 'value' }));
    await fields.flush(database.db);
    const [row] = await rows();
    expect(row).toMatchObject({ source: 'any|linux||', code: 'failed', sampled: 100 });
    expect(row!.fields.map(([field]) => field).sort()).toEqual(['action', 'source.ip', 'user.name']);
  });

  test('samples small batches whole, never the portal’s own events', async () => {
    const fields = register();
    fields.note(organisationId, many(8, noon, 'failed'));
    const own = made(noon, 'plain');
    fields.note(organisationId, [{ ...own, arrival: { ...own.arrival, isPortals: true } }]);
    await fields.flush(database.db);
    expect((await rows()).map(({ code, sampled }) => [code, sampled])).toEqual([['failed', 8]]);
  });

  test('joins codes beyond a hundred of a source, and unreadable ones', async () => {
    const fields = register();
    for (let i = 0; i < 150; i++) fields.note(organisationId, [made(noon, `made up ${i}`)]);
    fields.note(organisationId, [made(noon, 'a\u0000b'), made(noon, 'z'.repeat(101))]);
    await fields.flush(database.db);
    const all = await rows();
    expect(all).toHaveLength(101);
    expect(all.find(({ code }) => code === '')!.sampled).toBe(52);
  });

  test('claims nothing of an organisation with more kinds than are followed', async () => {
    const fields = register();
    for (let i = 0; i < 600; i++)
      fields.note(organisationId, [event({ document: { logsource: { product: 'linux', service: `s${i}` }, action: 'failed' } })]);
    fields.note(organisationId, many(1_700, noon - 8 * hourMs, 'failed', { source: {} }));
    fields.note(organisationId, many(1_700, noon, 'failed', { source: {} }));
    await fields.flush(database.db);
    const all = await rows();
    expect(all).toHaveLength(501);
    expect(all.find(({ source }) => source === '*')).toBeDefined();
    expect(await blocked()).toEqual({ rules: [], fields: [] });
  });

  test('writes at once, then after ten minutes or a hundred events, and all at the end', async () => {
    const fields = register();
    const sampled = async () => (await rows()).map((row) => row.sampled);
    fields.note(organisationId, many(8, noon, 'failed'));
    await fields.flush(database.db);
    fields.note(organisationId, many(8, noon, 'failed'));
    await fields.flush(database.db);
    expect(await sampled()).toEqual([8]);
    for (let i = 0; i < 12; i++) fields.note(organisationId, many(8, noon, 'failed'));
    await fields.flush(database.db);
    expect(await sampled()).toEqual([112]);
    fields.note(organisationId, many(8, noon, 'failed'));
    await fields.flush(database.db, true);
    expect(await sampled()).toEqual([120]);
  });

  test('writes a field that is back with the next flush', async () => {
    const fields = register();
    for (const at of [noon - 8 * hourMs, noon]) fields.note(organisationId, many(1_700, at, 'failed', { source: {} }));
    await fields.flush(database.db);
    expect((await rows()).map(({ missing }) => missing)).toEqual([['source.ip']]);
    fields.note(organisationId, many(1, noon, 'failed'));
    await fields.flush(database.db);
    expect((await rows()).map(({ missing }) => missing)).toEqual([[]]);
  });

  test('keeps its samples when the rules are read again, and starts over when they read other fields', async () => {
    let set = detector.current();
    let of = fieldsOfSource(set);
    const fields = createFieldRegister((source) => of(source));
    const sampled = async () => (await rows()).map((row) => row.sampled);
    fields.note(organisationId, many(8, noon, 'failed'));
    of = fieldsOfSource(set);
    fields.note(organisationId, many(8, noon, 'failed'));
    await fields.flush(database.db);
    expect(await sampled()).toEqual([16]);
    fields.note(organisationId, many(8, noon, 'failed'));
    set = { ...set, correlations: new Map([...set.correlations].filter(([key]) => key !== 'spray')) };
    of = fieldsOfSource(set);
    fields.note(organisationId, many(4, noon, 'failed'));
    await fields.flush(database.db, true);
    expect(await sampled()).toEqual([20]);
  });

  test('keeps the newest time at which a field was seen', async () => {
    const fields = register();
    for (const hours of [9, 3, 6]) fields.note(organisationId, many(8, noon - hours * hourMs, 'failed'));
    await fields.flush(database.db);
    const [row] = await rows();
    expect(row!.fields.map(([, at]) => at)).toEqual(Array(3).fill((noon - 3 * hourMs) / 1000));
  });

  test('adds up the samples of two processes at once', async () => {
    const both = [register(), register()];
    for (const each of both) each.note(organisationId, many(8, noon, 'failed'));
    await Promise.all(both.map((each) => each.flush(database.db)));
    expect((await rows()).map(({ sampled }) => sampled)).toEqual([16]);
  });
});

describe('rulesInForce', () => {
  test('blocks correlations by the fields that they group by and count, and counts ordered ones’ rules', async () => {
    const fields = register();
    const send = (at: number, document: Record<string, unknown>) => {
      for (const action of ['failed', 'accepted']) fields.note(organisationId, many(1_700, at, action, document));
      return fields.flush(database.db);
    };
    await send(noon - 16 * hourMs, {});
    expect(await blocked()).toEqual({ rules: [], fields: [] });
    await send(noon - 8 * hourMs, { user: {} });
    // The rules themselves do not read the user, nor do correlations that only group by the address.
    expect(await blocked()).toEqual({ rules: ['spray'], fields: ['user.name of failed'] });
    // A rule of a partner that is not above the organisation, and with it the name of its field.
    const foreign = { isLoaded: detector.isLoaded, current: () => ({ ...detector.current(), owners: new Map([['spray', 7]]) }) };
    expect(await blocked(noon, foreign)).toEqual({ rules: [], fields: [] });
    await send(noon, { user: {}, source: {} });
    const all = await blocked();
    expect(all.rules).toEqual(['burst', 'first', 'spray', 'taken']);
    expect(all.fields.sort()).toEqual(['source.ip of accepted', 'source.ip of failed', 'user.name of failed']);
    expect((await blocked(noon + 8 * 24 * hourMs)).rules).toEqual([]);
  });
});
