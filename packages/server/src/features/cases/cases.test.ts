import { casesApi } from '@parapet/contract/cases.ts';
import { hourMs } from '@parapet/contract/rules/duration.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { TestUser } from '../../../test/app.ts';
import { casesWorld, range } from '../../../test/cases.fixture.ts';
import { textsOf } from '../../../test/pdf.ts';
import { type SeededCase, seedCase, seedRule } from '../../../test/seed.ts';
import { scoped } from '../../core/db/scope.ts';
import { listCases } from './cases.list.ts';

const { t, partner, client, sibling, analyst, clientAdmin, clientAnalyst, stranger, ok, statusOf, list, detail, row, audit } =
  await casesWorld();
afterAll(() => t.close());

describe('the list', () => {
  let org: number;
  let owner: TestUser;
  const ids: number[] = [];
  beforeAll(async () => {
    org = await t.organisation({ parentId: partner, name: 'Listed' });
    owner = await t.user({ organisationId: org, role: 'Administrator' });
    const base = Date.now() - 100 * hourMs;
    for (let i = 0; i < 6; i++) {
      const made = await seedCase(t.db, {
        organisationId: org,
        at: base + i * hourMs,
        alerts: i + 1,
        criticality: (i % 5) + 1,
        device: i === 2 ? 'WS_100%' : `ws-${i}`,
        user: `user-${i}`,
        set: {
          title: i === 4 ? 'Ransom <script>alert(1)</script>' : `Case ${i}`,
          ...(i === 3 && { status: 'closed', acknowledged_at: new Date(base), closed_at: new Date(base + 5 * hourMs) }),
          ...(i === 0 && { verdict: 'Benign', confidence: 80 }),
          ...(i === 2 && { verdict: 'Insufficient Information', confidence: null }),
          ...(i === 3 && { verdict: 'Likely Benign', confidence: 70 }),
          ...(i === 4 && { verdict: 'Suspicious', confidence: 60 }),
          ...(i === 1 && { verdict: 'Malicious', confidence: 91, analyst_user_id: analyst.id, analyst_name: 'A. Lima' }),
        },
      });
      ids.push(made.id);
    }
  });
  const found = async (filters: object, more: object = {}) =>
    (await list(owner, { selectedClientOrganizationID: org, filters: filters as never, ...more })).results.map(
      (each: { id: number }) => ids.indexOf(each.id),
    );

  test('sorts newest first and pages with the total', async () => {
    const answer = await list(owner, { selectedClientOrganizationID: org, pageSize: 4 });
    expect(answer).toMatchObject({ total: 6, totalIsAtLeast: false });
    expect(answer.results.map((each: { id: number }) => ids.indexOf(each.id))).toEqual([5, 4, 3, 2]);
    expect(await found({}, { page: 2, pageSize: 4 })).toEqual([1, 0]);
    expect(await list(owner, { selectedClientOrganizationID: org, pageSize: 4, page: 9 })).toMatchObject({
      results: [],
      total: 6,
    });
    expect(answer.results[1]).toMatchObject({
      title: 'Ransom <script>alert(1)</script>',
      clientOrganizationName: 'Listed',
      alertCount: 5,
      deviceNames: ['ws-4'],
      clock: { name: 'acknowledge', state: 'breached' },
    });
    expect(answer.results[2].clock).toBeNull();
  });

  test.each<[string, object, number[]]>([
    ['status', { status: ['closed'] }, [3]],
    ['severity', { severity: ['critical', 'informational'] }, [5, 4, 0]],
    ['verdict', { verdict: ['Malicious'] }, [1]],
    ['verdicts', { verdict: ['Suspicious', 'Likely Benign'] }, [4, 3]],
    ['unassigned', { analyst: [0], status: ['open'] }, [5, 4, 2, 0]],
    ['device, the whole name', { device: 'WS_100%' }, [2]],
    ['device, not a part of it', { device: 'ws' }, []],
    ['user', { user: 'user-5' }, [5]],
    ['breached', { breached: true }, [4, 2, 1, 0]],
    ['not breached', { breached: false }, [5, 3]],
    ['excluded', { excluded: true }, []],
    ['a text in the title', { text: 'ransom <SCRIPT' }, [4]],
    ['a text in a device: its signs stand for themselves', { text: '_100%' }, [2]],
    ['a text that nothing has', { text: 'no such text' }, []],
  ])('filtered by %s', async (_name, filters, wanted) => {
    expect(await found(filters)).toEqual(wanted);
  });

  test('filters by analyst, by case number, by analyst or unassigned', async () => {
    expect(await found({ analyst: [analyst.id] })).toEqual([1]);
    expect(await found({ analyst: [analyst.id, 0] })).toHaveLength(6);
    expect(await found({ text: `#${ids[3]}` })).toEqual([3]);
  });

  test.each<[string, string, number[]]>([
    ['createdTime', 'asc', [0, 1, 2, 3, 4, 5]],
    ['lastAlertTime', 'desc', [5, 4, 3, 2, 1, 0]],
    ['criticality', 'desc', [4, 3, 2, 1, 5, 0]],
    ['alertCount', 'asc', [0, 1, 2, 3, 4, 5]],
    ['status', 'desc', [3, 5, 4, 2, 1, 0]],
    ['client', 'asc', [0, 1, 2, 3, 4, 5]],
    ['casePercentage', 'asc', [0, 5, 1, 2, 3, 4]],
    ['verdict', 'asc', [1, 4, 2, 3, 0, 5]],
    ['verdict', 'desc', [5, 0, 3, 2, 4, 1]],
  ])('sorted by %s %s', async (sort, order, wanted) => {
    expect(await found({}, { sort, order })).toEqual(wanted);
  });

  test('excludes the end of the timeframe', async () => {
    const openedAt = async (index: number) => (await row(ids[index]!)).created_at.toISOString();
    expect(await found({}, { start: await openedAt(1), end: await openedAt(3) })).toEqual([2, 1]);
    expect(
      await statusOf(casesApi.list, { body: { selectedClientOrganizationID: org, start: range.end, end: range.start } }, owner),
    ).toBe(400);
  });

  test('refuses pages beyond 10,000 rows', async () => {
    const body = { selectedClientOrganizationID: org, ...range, page: 51, pageSize: 200 };
    expect(await statusOf(casesApi.list, { body }, owner)).toBe(400);
    expect(await statusOf(casesApi.list, { body: { ...body, page: 50 } }, owner)).toBe(200);
  });

  test('lists filter options with counts', async () => {
    const facets = await ok(casesApi.filters, { params: { client: org, ...range } }, owner);
    const counts = (facet: { value: string; count: number }[]) =>
      Object.fromEntries(facet.map(({ value, count }) => [value, count]));
    expect(counts(facets.status)).toMatchObject({ open: 5, closed: 1, assigned: 0 });
    expect(counts(facets.severity)).toEqual({ critical: 1, high: 1, medium: 1, low: 1, informational: 2 });
    expect(facets.verdict.map(({ value, count }: { value: string; count: number }) => [value, count])).toEqual([
      ['Malicious', 1],
      ['Suspicious', 1],
      ['Insufficient Information', 1],
      ['Likely Benign', 1],
      ['Benign', 1],
    ]);
    expect(facets.analyst).toEqual([
      { value: '0', label: 'Unassigned', count: 5 },
      { value: String(analyst.id), label: 'A. Lima', count: 1 },
    ]);
  });

  test('exports as CSV with an audit entry', async () => {
    const answer = await t.call(casesApi.exportList, { params: { client: org, ...range }, query: { status: ['open'] } }, owner);
    expect(answer.headers['content-type']).toBe('text/csv; charset=utf-8');
    const lines = answer.body.trim().split('\r\n');
    expect(lines).toHaveLength(6);
    expect(lines[2]).toContain('"Ransom <script>alert(1)</script>"');
    expect(lines[2]).toMatch(/,"?Suspicious"?,"?60"?,/);
    expect(lines[3]).toMatch(/,"?Insufficient Information"?,"?"?,/);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx.selectFrom('audit').selectAll().where('action', '=', 'cases.exported').where('organisation_id', '=', org).execute(),
    );
    expect(rows).toMatchObject([{ actor_user_id: owner.id, after: { client: org, status: ['open'] } }]);
  });

  test('returns mean times and cases under investigation', async () => {
    const times = await ok(casesApi.times, { params: { client: org, ...range } }, owner);
    expect(times).toMatchObject({
      total: 1,
      results: [
        {
          clientOrganizationID: org,
          cases: 6,
          meanMinutesToContain: null,
          meanMinutesToResolve: 120,
          // Closed without containment.
          withinTarget: 0,
          breached: 4,
        },
      ],
    });
    const open = await ok(casesApi.underInvestigation, { params: { client: org } }, owner);
    expect(open).toMatchObject({
      total: 5,
      results: [{ id: ids[5], status: 'open', investigationStatusID: 1, investigationStatus: 'Not started' }, {}, {}, {}, {}],
    });
  });

  test('covers all clients of the scope and no others', async () => {
    const all = await list(analyst, { selectedClientOrganizationID: 0, pageSize: 200 });
    expect(all.results.filter((each: { id: number }) => ids.includes(each.id))).toHaveLength(6);
    expect(await statusOf(casesApi.list, { body: { selectedClientOrganizationID: 0, ...range } }, owner)).toBe(403);
    expect(await statusOf(casesApi.list, { body: { selectedClientOrganizationID: client, ...range } }, owner)).toBe(403);
    expect((await list(stranger, { selectedClientOrganizationID: 0 })).total).toBe(0);
    // The argument is the whole scope, the transaction only the stranger's organisation.
    const request = {
      filters: { status: [], severity: [], verdict: [], analyst: [], resolution: [], text: '' },
      range: { start: 0, end: Date.now() },
    };
    const hidden = await scoped(t.db, { organisationIds: [stranger.organisationId] }, (tx) =>
      listCases(tx, 'system', { ...request, sort: 'createdTime', order: 'desc', offset: 0, limit: 200, now: 0 }),
    );
    expect(hidden.total).toBe(0);
  });
});

describe('one case', () => {
  const guidanceOf = (whyItMatters: string) => ({ confidence: null, whyItMatters, checkFirst: ['Look at the <i>process</i>.'] });
  let made: SeededCase;
  beforeAll(async () => {
    const rules = [
      await seedRule(t.db, { title: 'Whoami', criticality: 2 }, { guidance: guidanceOf('The account is explored.') }),
      await seedRule(t.db, { title: 'Ransom note', criticality: 5 }, { guidance: guidanceOf('Files are lost.') }),
    ];
    const at = Date.now() - 5 * hourMs;
    made = await seedCase(t.db, {
      organisationId: client,
      at,
      alerts: Array.from({ length: 120 }, (_, i) => ({
        at: at + i * 60_000,
        rule: rules[i % 60 === 0 ? 1 : 0]!,
        device: 'WS-1',
        summary: i === 119 ? '<img src=x onerror=alert(1)>' : `Alert ${i}`,
      })),
      artifacts: [
        { kind: 'destinationIp', value: '203.0.113.9', count: 3 },
        { kind: 'sourceIp', value: '198.51.100.7' },
        { kind: 'hash', value: 'ABCDEF' },
        { kind: 'user', value: '203.0.113.9' },
      ],
    });
    await scoped(t.db, 'system', async (tx) => {
      const lists = await tx
        .insertInto('intelligence_lists')
        .values([
          { name: 'good', format: 'csv' },
          { name: 'bad', format: 'csv' },
        ])
        .returning('id')
        .execute();
      const [good, bad] = lists.map(({ id }) => id) as [number, number];
      await tx
        .insertInto('indicators')
        .values([
          { list_id: good, kind: 'ip', value: '203.0.113.9', reputation: 'Benign' },
          { list_id: bad, kind: 'ip', value: '203.0.113.9', reputation: 'Malicious' },
          { list_id: bad, kind: 'hash', value: 'abcdef', reputation: 'Suspicious' },
        ])
        .execute();
    });
    await ok(casesApi.saveNote, { body: { caseID: made.id, text: 'only for us' } }, analyst);
    await ok(casesApi.saveNote, { body: { caseID: made.id, text: 'for all readers', isInternal: false } }, analyst);
    await ok(casesApi.saveNarrative, { params: { clientId: client }, body: { caseID: made.id, text: 'a draft' } }, analyst);
  });

  test('returns all details', async () => {
    const seen = await detail(analyst, made.id);
    expect(seen.caseGeneralInfo).toMatchObject({ id: made.id, incidentID: made.id, status: 'open', alertCount: 120, version: 1 });
    expect(seen.caseGeneralInfo.clocks.map(({ state }: { state: string }) => state)).toEqual(['breached', 'breached', 'running']);
    expect(seen.alerts).toHaveLength(50);
    expect(seen.alerts[0]).toMatchObject({ alertSummary: '<img src=x onerror=alert(1)>', joinedBy: 'the same device' });
    expect(seen.alertNarrative).toMatch(/the account “user-1” ran PowerShell commands on “WS-1” \(2 times\)\./);
    expect(seen.story.steps).toMatchObject([
      { rule: 'Ransom note', count: 2 },
      { rule: 'Whoami', count: 118 },
    ]);
    expect(seen.guidance).toEqual([
      { ...guidanceOf('Files are lost.'), rule: 'Ransom note', severity: 'critical', alertID: made.alerts[0]!.id },
      { ...guidanceOf('The account is explored.'), rule: 'Whoami', severity: 'low', alertID: made.alerts[1]!.id },
    ]);
    const data = seen.autonomousResponseData;
    expect(data.maliciousArtifacts).toBe(1);
    expect(data.caseArtifacts).toMatchObject([
      { kind: 'destinationIp', value: '203.0.113.9', reputation: 'Malicious', source: 'bad', count: 3 },
      { kind: 'hash', value: 'ABCDEF', reputation: 'Suspicious' },
      { kind: 'sourceIp', reputation: 'Unknown', source: '' },
      { kind: 'user', value: '203.0.113.9', reputation: 'Unknown' },
    ]);
    const times = data.caseArtifactsTimeline.map(({ time }: { time: string }) => time);
    expect(times).toEqual([...times].sort());
    expect(
      data.caseArtifactsTimeline.some(({ text }: { text: string }) =>
        text.startsWith('First seen: destination address 203.0.113.9'),
      ),
    ).toBe(true);
    expect(seen.analystCaseNotes).toMatchObject([
      { text: 'for all readers' },
      { text: 'only for us', isInternal: true, isMine: true },
    ]);
    expect(seen.caseNarrative).toMatchObject([{ text: 'a draft', emailSentTimestamp: null, isGenerated: false }]);
    expect(seen.can).toEqual({
      write: true,
      changeStatus: true,
      markAlerts: true,
      respond: true,
      answer: false,
      mail: true,
      readMails: true,
      seeInternals: true,
      review: true,
      suppress: true,
    });
  });

  test('hides internals from clients', async () => {
    const answer = await t.call(casesApi.detail, { params: { id: made.id, clientOrgId: client } }, clientAnalyst);
    for (const secret of ['only for us', 'a draft', 'internal note', 'narrative'])
      expect(answer.body.replace(/"(alert|case)Narrative"/g, '')).not.toContain(secret);
    expect(answer.json().analystCaseNotes).toMatchObject([{ text: 'for all readers', isMine: false }]);
    expect(answer.json().guidance).toMatchObject([{ rule: 'Ransom note' }, { rule: 'Whoami' }]);
    expect(answer.json().can).toMatchObject({
      write: false,
      changeStatus: false,
      markAlerts: true,
      respond: false,
      seeInternals: false,
    });
  });

  test('audits reads by another organisation only', async () => {
    const other = await seedCase(t.db, { organisationId: client });
    await detail(clientAdmin, other.id);
    expect(await audit('case.read', other.id)).toEqual([]);
    await detail(analyst, other.id);
    expect(await audit('case.read', other.id)).toMatchObject([{ actor_user_id: analyst.id, organisation_id: client }]);
  });

  test('pages through its alerts', async () => {
    const page = await ok(casesApi.alerts, { params: { caseId: made.id }, query: { page: 3, pageSize: 50 } }, clientAnalyst);
    expect(page).toMatchObject({ currentPage: 3, pageSize: 50, total: 120 });
    expect(page.alertList.map(({ id }: { id: number }) => id)).toEqual(
      made.alerts
        .slice(0, 20)
        .map(({ id }) => id)
        .reverse(),
    );
    const first = await ok(casesApi.alerts, { params: { caseId: made.id }, query: {} }, analyst);
    expect(first.alertList).toHaveLength(50);
  });

  test('exports as JSON with all alerts and as PDF, each audited', async () => {
    const json = await t.call(casesApi.exportJson, { params: { caseId: made.id } }, clientAnalyst);
    expect(json.headers['content-disposition']).toBe(`attachment; filename="case-${made.id}.json"`);
    expect(json.json().alerts.map(({ id }: { id: number }) => id)).toEqual(made.alerts.map(({ id }) => id).reverse());
    expect(json.body).not.toContain('only for us');
    await scoped(t.db, 'system', (tx) =>
      tx.insertInto('brands').values({ organisation_id: partner, sub_domain: 'harbor', name: 'Harbor Managed' }).execute(),
    );
    const pdf = await t.call(casesApi.exportPdf, { params: { caseId: made.id } }, analyst);
    expect(pdf.headers['content-type']).toBe('application/pdf');
    expect(pdf.rawPayload.subarray(0, 5).toString()).toBe('%PDF-');
    const [brand, ...others] = ['(Harbor Managed)', 'Parapet', 'pdfmake'];
    expect(pdf.rawPayload.toString('latin1')).toContain(brand);
    for (const other of others) expect(pdf.rawPayload.toString('latin1')).not.toContain(other);
    const texts = textsOf(pdf.rawPayload);
    expect(texts.join(' ')).toContain('Files are lost.');
    expect(texts.some((text) => text.includes('for all readers') && text.includes('<img src=x onerror=alert(1)>'))).toBe(true);
    // It is made to be handed on: an analyst's has no internals either.
    expect(texts.some((text) => text.includes('only for us') || text.includes('a draft'))).toBe(false);
    expect((await audit('case.exported', made.id)).map((each) => each.actor_user_id)).toEqual([clientAnalyst.id, analyst.id]);
  });

  test('returns 404 for another tenant’s and missing cases, 403 for foreign organisations, 401 to anonymous callers', async () => {
    const body = (answer: { json(): { error: string } }) => ({
      ...answer.json(),
      requestId: '',
      error: answer.json().error.replace(/\d+/, 'N'),
    });
    for (const endpoint of [casesApi.alerts, casesApi.exportJson, casesApi.exportPdf] as const) {
      const read = (caseId: number) => t.call(endpoint, { params: { caseId }, query: {} } as never, stranger);
      const [foreign, missing] = [await read(made.id), await read(2_000_000_000)];
      expect(foreign.statusCode).toBe(404);
      expect(body(foreign)).toEqual(body(missing));
    }
    const list = (user: TestUser | undefined, clientOrgId: number) =>
      statusOf(casesApi.detail, { params: { id: made.id, clientOrgId } }, user);
    expect(await list(stranger, stranger.organisationId)).toBe(404);
    expect(await list(stranger, 0)).toBe(404);
    expect(await list(stranger, client)).toBe(403);
    expect(await list(analyst, sibling)).toBe(404);
    expect(await list(analyst, 0)).toBe(200);
    expect(await list(undefined, client)).toBe(401);
    expect(await audit('case.read', 2_000_000_000)).toEqual([]);
  });
});
