/** A report shows equal figures in each form and on the pages: random data, in a zone offset by half an hour. */
import { alertsApi } from '@parapet/contract/alerts.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { dashboardApi } from '@parapet/contract/dashboard.ts';
import { balanceApi } from '@parapet/contract/reconciliation.ts';
import { type Report, type ReportFigure, reportsApi } from '@parapet/contract/reports.ts';
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { riskApi } from '@parapet/contract/risk.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import fc from 'fast-check';
import { beforeAll, describe, expect, test } from 'vitest';
import { type TestApp, type TestUser, useTestApp } from '../../../test/app.ts';
import { textsOf } from '../../../test/pdf.ts';
import { type SeedRule, seedAlerts, seedCase, seedRule } from '../../../test/seed.ts';
import { sheetsOf } from '../../../test/workbook.ts';
import { scoped } from '../../core/db/scope.ts';
import { calendarDay, type Month, monthBefore, monthRange } from './reports.months.ts';
import { shownValue } from './reports.words.ts';

const t = useTestApp();
let partner: number;
let staff: TestUser;
let rules: SeedRule[];
const zone = 'Asia/Kolkata';
/** A complete month within alert retention. */
const month: Month = monthBefore(calendarDay(Date.now(), zone));

beforeAll(async () => {
  partner = await t.organisation({ isPartner: true, name: 'Quay' });
  staff = await t.user({ organisationId: partner, role: 'Administrator' });
  rules = await Promise.all(
    [1, 2, 3, 4, 5].map((criticality) => seedRule(t.db, { criticality, title: `Rule of ${criticality}` })),
  );
});

const newClient = async (name: string, timeZone = zone) => {
  const client = await t.organisation({ parentId: partner, name });
  await scoped(t.db, 'system', (tx) =>
    tx
      .updateTable('organisations')
      .set({ time_zone: timeZone, created_at: new Date(0) })
      .where('id', '=', client)
      .execute(),
  );
  return client;
};
const request = (
  endpoint: typeof reportsApi.get | typeof reportsApi.pdf,
  client: number,
  { year, month: number }: Month,
  user = staff,
) => t.call(endpoint as typeof reportsApi.get, { params: { client, year, month: number } }, user);
const reportOf = async (client: number, of = month): Promise<Report> => {
  const answer = await request(reportsApi.get, client, of);
  expect([answer.statusCode, answer.statusCode === 200 ? '' : answer.body]).toEqual([200, '']);
  return answer.json();
};
const figuresOf = (report: Report) =>
  new Map(report.sections.flatMap(({ figures }) => figures.map((figure) => [figure.id, figure] as const)));
const figureOf = (report: Report, id: string) => figuresOf(report).get(id)?.value;
const sectionOf = (report: Report, id: string) => report.sections.find((section) => section.id === id)!;

/** Independent CSV reader: quoted or plain cells. */
function cellsOf(csv: string): string[][] {
  return csv
    .slice(1)
    .split('\r\n')
    .map((line) =>
      [...line.matchAll(/"((?:[^"]|"")*)"|([^,]+)|(?<=,|^)(?=,|$)/g)].map(
        ([, quoted, plain]) => quoted?.replaceAll('""', '"') ?? plain ?? '',
      ),
    );
}

/** Letters and digits only: line breaks and gaps are irrelevant. */
const bare = (text: string) => text.replace(/[\s\u200b\u00a0]+/g, '');

/** Sheet names exclude some characters. */
const sheetName = (title: string) => title.replace(':', ' ').slice(0, 31);

const range = monthRange(month, zone);
const around = { start: new Date(range.start).toISOString(), end: new Date(range.end).toISOString() };

const world = fc.record({
  alerts: fc.array(
    fc.record({
      minute: fc.integer({ min: -3_000, max: 50_000 }),
      rule: fc.integer({ min: 0, max: 4 }),
      device: fc.integer({ min: 1, max: 3 }),
    }),
    { maxLength: 40 },
  ),
  // At the edges of the month, where zones matter.
  edges: fc.array(fc.record({ atEnd: fc.boolean(), ms: fc.integer({ min: -1, max: 1 }) }), { maxLength: 4 }),
  cases: fc.array(
    fc.record({
      minute: fc.integer({ min: -2_000, max: 44_000 }),
      criticality: fc.integer({ min: 1, max: 5 }),
      closedAfter: fc.option(fc.integer({ min: 1, max: 30_000 })),
      acknowledgedAfter: fc.option(fc.integer({ min: 1, max: 500 })),
      isMalicious: fc.boolean(),
    }),
    { maxLength: 8 },
  ),
  responses: fc.array(fc.constantFrom('requested', 'verified', 'failed', 'released'), { maxLength: 5 }),
});

/** With one of each. */
const smallWorld = {
  alerts: [{ minute: 100, rule: 0, device: 0 }],
  edges: [],
  cases: [{ minute: 100, criticality: 3, closedAfter: null, acknowledgedAfter: null, isMalicious: false }],
  responses: ['verified' as const],
};

describe('report formats', () => {
  test('show equal numbers in report, CSV, workbook, PDF and on the pages', async () => {
    const seen = { alerts: 0, cases: 0, responses: 0 };
    await fc.assert(
      fc.asyncProperty(world, async ({ alerts, edges, cases, responses }) => {
        const client = await newClient('Alder');
        const at = (minute: number) => range.start + minute * 60_000;
        await seedAlerts(t.db, client, [
          ...alerts.map(({ minute, rule, device }) => ({ at: at(minute), rule: rules[rule]!, device: `host-${device}` })),
          ...edges.map(({ atEnd, ms }) => ({ at: (atEnd ? range.end : range.start) + ms, rule: rules[2]! })),
        ]);
        for (const { minute, criticality, closedAfter, acknowledgedAfter, isMalicious } of cases) {
          const closedAt = closedAfter === null ? null : new Date(at(minute) + closedAfter * 60_000);
          await seedCase(t.db, {
            organisationId: client,
            at: at(minute),
            alerts: [{ at: at(minute), rule: rules[criticality - 1]! }],
            criticality,
            set: {
              status: closedAt ? 'closed' : isMalicious ? 'malicious' : 'open',
              investigation_status: isMalicious ? 6 : 4,
              closed_at: closedAt,
              closed_by: closedAt ? staff.id : null,
              acknowledged_at: acknowledgedAfter === null ? null : new Date(at(minute) + acknowledgedAfter * 60_000),
            },
          });
        }
        await scoped(t.db, { organisationIds: [client] }, async (tx) => {
          for (const [index, state] of responses.entries()) {
            const { id } = await tx
              .insertInto('responses')
              .values({
                organisation_id: client,
                action: 'block',
                target: `10.0.0.${index}`,
                state,
                requested_at: new Date(at(60 + index)),
                expires_at: new Date(range.end),
              })
              .returning('id')
              .executeTakeFirstOrThrow();
            if (state === 'verified')
              await tx.insertInto('response_steps').values({ organisation_id: client, response_id: id, state }).execute();
          }
        });

        const report = await reportOf(client);
        await likeThePages(report, client);
        await inEachForm(report, client);
        seen.alerts += figureOf(report, 'alerts') ?? 0;
        seen.cases += figureOf(report, 'cases.opened') ?? 0;
        seen.responses += figureOf(report, 'response.done') ?? 0;
      }),
      { numRuns: 8, endOnFailure: true, examples: [[smallWorld]] },
    );
    for (const [name, count] of Object.entries(seen)) expect([name, count > 0]).toEqual([name, true]);
  }, 180_000);
});

async function likeThePages(report: Report, client: number): Promise<void> {
  const page = async (endpoint: Parameters<TestApp['call']>[0], input: object) => {
    const answer = await t.call(endpoint, input as never, staff);
    expect([endpoint.id, answer.statusCode]).toEqual([endpoint.id, 200]);
    return answer.json();
  };
  const list = await page(alertsApi.list, { params: { client, ...around } });
  expect(figureOf(report, 'alerts')).toBe(list.total);
  for (const severity of severities) {
    const { total } = await page(alertsApi.list, { params: { client, ...around }, query: { severity } });
    expect([severity, figureOf(report, `alerts.${severity}`)]).toEqual([severity, total]);
  }
  const over = await page(dashboardApi.alertsOverTime, { params: { client, ...around }, query: { timeZone: zone } });
  const { chart } = sectionOf(report, 'alerts');
  if (chart)
    expect(chart.labels.map((_, index) => chart.series.reduce((sum, { values }) => sum + values[index]!, 0))).toEqual(
      over.buckets.map((bucket: Record<string, number>) => severities.reduce((sum, name) => sum + bucket[name]!, 0)),
    );
  const overview = await page(dashboardApi.overview, { params: { client, ...around } });
  expect(sectionOf(report, 'alerts').rows.map(([name, count]) => [name, count])).toEqual(
    overview.topRules.map(({ name, count }: { name: string; count: number }) => [name, count]),
  );
  const opened = await page(casesApi.list, { body: { selectedClientOrganizationID: client, ...around } });
  expect(figureOf(report, 'cases.opened')).toBe(opened.total);
  const times = await page(casesApi.times, { params: { client, ...around } });
  expect([figureOf(report, 'targets.acknowledge'), figureOf(report, 'targets.resolve')]).toEqual([
    times.results[0]?.meanMinutesToAcknowledge ?? null,
    times.results[0]?.meanMinutesToResolve ?? null,
  ]);
  const requests = await page(responseRequestsApi.list, { params: { client, ...around } });
  expect(figureOf(report, 'response.asked')).toBe(requests.total);
  const balance = await page(balanceApi.get, { params: { client, ...around } });
  for (const name of ['received', 'raised', 'shown', 'folded', 'inCase'] as const)
    expect([name, figureOf(report, `balance.${name}`)]).toEqual([
      name,
      balance.results.reduce((sum: number, day: Record<string, number>) => sum + day[name]!, 0),
    ]);
  const history = await page(riskApi.history, { params: { client, ...around } });
  expect(figureOf(report, 'risk.score') ?? null).toBe(history.results.at(-1)?.riskScore ?? null);
}

async function inEachForm(report: Report, client: number): Promise<void> {
  const figures = report.sections.flatMap(({ title, figures }) => figures.map((figure) => ({ title, ...figure })));
  const isMet = ({ isMet }: ReportFigure) => (isMet === null ? '' : isMet ? 'met' : 'missed');
  const text = (value: number | null) => (value === null ? '' : String(value));

  const csv = cellsOf((await request(reportsApi.csv, client, month)).body);
  for (const figure of figures)
    expect(csv).toContainEqual([
      figure.title,
      figure.name,
      text(figure.value),
      expect.any(String),
      text(figure.before),
      text(figure.target),
      isMet(figure),
    ]);
  for (const { rows } of report.sections)
    for (const row of rows) expect(csv).toContainEqual(row.map((cell) => (cell === null ? '' : String(cell))));

  const sheets = sheetsOf((await request(reportsApi.xlsx, client, month)).rawPayload);
  const written = sheets.get('Figures')!;
  for (const figure of figures) {
    const row = written.find(([part, name]) => part === figure.title && name === figure.name)!;
    expect([row[2] ?? null, row[4] ?? null, row[5] ?? null]).toEqual([figure.value, figure.before, figure.target]);
  }
  for (const { title, rows } of report.sections.filter((section) => section.rows.length > 0))
    expect(
      sheets
        .get(sheetName(title))!
        .slice(1)
        .map((row) => row.map((cell) => cell ?? null)),
    ).toEqual(rows.map((row) => row.map((cell) => (cell === '' ? null : cell))));

  const drawn = textsOf((await request(reportsApi.pdf, client, month)).rawPayload).map(bare);
  const shows = (wanted: string) => expect([wanted, drawn.some((font) => font.includes(bare(wanted)))]).toEqual([wanted, true]);
  for (const paragraph of report.summary) shows(paragraph);
  for (const figure of figures) {
    shows(figure.name);
    shows(shownValue(figure.value, figure.unit));
    if (figure.before !== null) shows(`${shownValue(figure.before, figure.unit)} the month before`);
  }
  for (const { rows } of report.sections)
    for (const row of rows)
      for (const cell of row) if (cell !== null) shows(typeof cell === 'number' ? cell.toLocaleString('en') : cell);
}

describe('edge months', () => {
  test('marks verdicts and containments that an earlier report has otherwise', async () => {
    const client = await newClient('Alder');
    const at = range.start + 100 * 60_000;
    const add = (set: Parameters<typeof seedCase>[1]['set']) =>
      seedCase(t.db, { organisationId: client, at, alerts: [{ at, rule: rules[2]! }], criticality: 3, set });
    const textOf = async (id: string) => JSON.stringify(sectionOf(await reportOf(client), id).text);
    await add({ status: 'closed', closed_at: new Date(at + 60_000), closed_by: staff.id });
    expect(await textOf('cases')).not.toContain('closed after it ended');
    expect(await textOf('targets')).not.toContain('a report generated before then');
    await add({ status: 'closed', closed_at: new Date(range.end), closed_by: staff.id });
    await add({ contained_at: new Date(at + 60_000), containment: 'unverified' });
    expect(await textOf('cases')).toContain('1 case opened in the month was closed after it ended');
    expect(await textOf('targets')).toContain('1 case has a containment recorded before containments were verified');
  });

  test('states missing devices and estimates no number', async () => {
    const client = await newClient('Empty');
    const report = await reportOf(client);
    expect(report).toMatchObject({ isComplete: true, timeZone: zone, clientOrganizationName: 'Empty' });
    expect(report.summary[0]).toContain('No device is connected yet');
    expect(figureOf(report, 'alerts')).toBe(0);
    for (const id of ['risk.score', 'targets.acknowledge', 'targets.within', 'devices.perDay'] as const)
      expect([id, figureOf(report, id) ?? null]).toEqual([id, id === 'devices.perDay' ? 0 : null]);
    expect(sectionOf(report, 'vulnerabilities').text.join()).toContain('not measured');
    expect(report.recommendations[0]?.text).toContain('Connect the first devices');
    for (const endpoint of [reportsApi.pdf, reportsApi.csv, reportsApi.xlsx])
      expect((await request(endpoint, client, month)).statusCode).toBe(200);
  });

  test.each([
    ['long ago', { year: 2000, month: 2 }],
    ['a leap February', { year: 2024, month: 2 }],
  ])('returns a report for %s', async (_what, of) => {
    const client = await newClient('Old');
    expect(figureOf(await reportOf(client, of), 'alerts')).toBe(0);
    expect((await request(reportsApi.pdf, client, of)).statusCode).toBe(200);
  });

  test('rejects a future month and marks the current one as incomplete', async () => {
    // In UTC, since the reconciliation's days are.
    const client = await newClient('Now', 'UTC');
    const now = calendarDay(Date.now(), 'UTC');
    expect((await request(reportsApi.get, client, { year: now.year + 1, month: now.month })).json()).toMatchObject({
      error: expect.stringContaining('has not started yet'),
    });
    expect((await reportOf(client, now)).summary).toEqual([
      expect.stringContaining('is not over'),
      expect.stringContaining('Nothing was received'),
    ]);
    await t.send(await t.ingestKey(client), [{ message: 'x' }]);
    const running = await reportOf(client, now);
    expect(running.isComplete).toBe(false);
    expect(running.summary[0]).toContain('is not over');
    expect(figureOf(running, 'balance.received')).toBe(1);
    for (const of of [
      { year: 1999, month: 1 },
      { year: 2026, month: 13 },
      { year: 2026, month: 0 },
    ])
      expect((await request(reportsApi.get, client, of)).statusCode).toBe(400);
  });

  test('compares a client’s first month with nothing', async () => {
    const client = await t.organisation({ parentId: partner });
    const report = await reportOf(client, calendarDay(Date.now(), 'UTC'));
    expect(figuresOf(report).get('alerts')).toMatchObject({ value: 0, before: null });
  });
});

test('keeps untrusted input as text in every format', async () => {
  const hostile = `=HYPERLINK("https://evil.example","x")<script>alert(1)</script>\u0000\u202e`;
  const client = await newClient('=cmd|calc!A0 "\r\nx: y');
  const rule = await seedRule(t.db, { title: '@SUM(1+1)*cmd|calc', criticality: 5 });
  await seedAlerts(t.db, client, [{ at: range.start + 1_000, rule, device: '=1+1', user: '+1' }]);
  await seedCase(t.db, { organisationId: client, at: range.start + 1_000, set: { title: hostile.replace('\u0000', '') } });
  const csv = await request(reportsApi.csv, client, month);
  expect(csv.headers['content-disposition']).toMatch(/^attachment; filename="report-[\w.-]+\.csv"$/);
  for (const cell of cellsOf(csv.body).flat()) expect(cell).not.toMatch(/^[=+\-@\t\r]/);
  const workbook = await request(reportsApi.xlsx, client, month);
  const { strFromU8, unzipSync } = await import('fflate');
  for (const [name, bytes] of Object.entries(unzipSync(workbook.rawPayload)).filter(([name]) => name.endsWith('.xml'))) {
    const xml = strFromU8(bytes);
    expect([name, /<f[ >]/.test(xml), xml.includes('<script>'), xml.includes('\u0000')]).toEqual([name, false, false, false]);
  }
  expect(sheetsOf(workbook.rawPayload).get('Cases of the month')!.flat().join()).toContain('=HYPERLINK(');
  const pdf = (await request(reportsApi.pdf, client, month)).rawPayload.toString('latin1');
  expect(pdf).not.toMatch(/\/(JavaScript|JS|URI|Launch|EmbeddedFile|OpenAction)\b/);
});

test('puts the partner’s brand and a structure into the PDF', async () => {
  const client = await newClient('Branded');
  await scoped(t.db, 'system', (tx) =>
    tx
      .insertInto('brands')
      .values({ organisation_id: partner, sub_domain: 'quay', name: 'Quayside Guard', pdf_footer: 'Confidential' })
      .execute(),
  );
  const { rawPayload } = await request(reportsApi.pdf, client, month);
  const texts = textsOf(rawPayload).map(bare);
  for (const wanted of ['QuaysideGuard', 'Confidential', 'Securityreport'])
    expect([wanted, texts.some((text) => text.includes(wanted))]).toEqual([wanted, true]);
  expect(rawPayload.toString('latin1')).not.toMatch(/parapet/i);
});

describe('access', () => {
  test('allows clients their own reports and staff those in scope', async () => {
    const [client, sibling, foreign] = [await newClient('Mine'), await newClient('Sibling'), await t.organisation()];
    const analyst = await t.user({ organisationId: client, role: 'Analyst' });
    for (const endpoint of [reportsApi.get, reportsApi.pdf, reportsApi.csv, reportsApi.xlsx]) {
      expect((await request(endpoint, client, month, analyst)).statusCode).toBe(200);
      expect((await request(endpoint, sibling, month, analyst)).statusCode).toBe(403);
      expect((await request(endpoint, foreign, month)).statusCode).toBe(403);
      expect((await t.call(endpoint as typeof reportsApi.get, { params: { client, year: 2026, month: 1 } })).statusCode).toBe(
        401,
      );
    }
  });

  test('audits exports, and no export for refused ones', async () => {
    const [client, foreign] = [await newClient('Audited'), await t.organisation()];
    await request(reportsApi.csv, client, month);
    await request(reportsApi.csv, foreign, month);
    const rows = await scoped(t.db, 'system', (tx) =>
      tx
        .selectFrom('audit')
        .select(['organisation_id', 'action', 'after'])
        .where('action', '=', 'report.exported')
        .where('organisation_id', 'in', [client, foreign])
        .execute(),
    );
    expect(rows).toEqual([{ organisation_id: client, action: 'report.exported', after: { ...month, format: 'csv' } }]);
  });
});
