import { alertsApi } from '@parapet/contract/alerts.ts';
import type { ReconciliationDay } from '@parapet/contract/reconciliation.ts';
import { expect, test } from 'vitest';
import { addUp, byClient, byDay, droppedOf } from './balance.ts';
import { reconciliationHref } from './reconciliationHrefs.ts';
import { amountOf, parts } from './reconciliationParts.ts';
import { cellHref, figureHref } from './reports.links.ts';
import {
  bucketsOf,
  changeOf,
  chartTableOf,
  chartTitle,
  dayIn,
  isNumberColumn,
  minutesText,
  pointsOf,
  reportFileName,
  severityNamed,
  tableTitle,
  titleIn,
  valueText,
} from './reportText.ts';

test.each([
  [0, '0 min'],
  [59.4, '59 min'],
  [60, '1 h'],
  [90, '1 h 30 min'],
  [1440, '1 d'],
  [3000, '2 d 2 h'],
])('formats %d minutes as %s', (minutes, text) => {
  expect(minutesText(minutes)).toBe(text);
});

test('formats values with their unit, and missing ones as not measured', () => {
  expect(valueText(12_345, 'count')).toEqual({ text: '12.3K', whole: '12,345' });
  expect(valueText(98.46, 'percent').text).toBe('98.5%');
  expect(valueText(1, 'days').text).toBe('1 day');
  expect(valueText(612, 'score').text).toBe('612');
  expect(valueText(null, 'count').text).toBe('not measured');
});

test('formats changes against the previous month in the figure’s unit', () => {
  expect(changeOf({ value: 38, before: 34, unit: 'count' })).toEqual({
    direction: 'up',
    text: '12%',
    whole: '34 the previous month',
  });
  expect(changeOf({ value: 600, before: 650, unit: 'score' })).toMatchObject({ direction: 'down', text: '50' });
  expect(changeOf({ value: 90, before: 30, unit: 'minutes' })).toMatchObject({ direction: 'up', text: '1 h' });
  expect(changeOf({ value: 5, before: 5, unit: 'days' })).toMatchObject({ direction: 'level', text: 'the same' });
  expect(changeOf({ value: null, before: 3, unit: 'count' })).toBeUndefined();
  expect(changeOf({ value: 3, before: null, unit: 'count' })).toBeUndefined();
});

const chart = {
  kind: 'bars' as const,
  labels: ['1', '2', '29'],
  series: [
    { name: 'High', values: [1, 2] },
    { name: 'Low', values: [3, 4, 5] },
  ],
  alternative: '',
};

test('builds bars, points and the table of a chart', () => {
  expect(bucketsOf(chart).map(({ values }) => values)).toEqual([
    [1, 3],
    [2, 4],
    [0, 5],
  ]);
  expect(pointsOf({ ...chart, kind: 'line' }, titleIn({ year: 2028, month: 2 })).map(({ title }) => title)).toEqual([
    '1 February 2028',
    '2 February 2028',
  ]);
  expect(chartTableOf(chart)).toEqual({
    head: ['', 'High', 'Low'],
    rows: [
      ['1', 1, 3],
      ['2', 2, 4],
      ['29', '–', 5],
    ],
  });
});

test('reads day labels and severities only where they are valid', () => {
  const day = dayIn({ year: 2026, month: 10 });
  expect(['5', '31', '32', '05', 'Servers', ''].map(day)).toEqual([
    '2026-10-05',
    '2026-10-31',
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  expect(severityNamed(' High ')).toBe('high');
  expect(severityNamed('Devices')).toBeUndefined();
});

test('titles charts and tables by their content', () => {
  expect(chartTitle('Risk', { alternative: 'Risk score by day: from 300 to 400.' })).toBe('Risk score by day');
  expect(chartTitle('Risk', { alternative: '' })).toBe('Risk chart');
  expect(tableTitle('Cases', ['Criticality', 'Opened'])).toBe('Cases by criticality');
  expect(tableTitle('Cases of the month', ['Case'])).toBe('Cases of the month in detail');
  expect(tableTitle('Vulnerabilities', ['Vulnerability'])).toBe('Vulnerabilities in detail');
});

test('finds columns with numbers only', () => {
  const rows = [
    ['a', 1, null],
    ['b', null, 'none yet'],
  ];
  expect([0, 1, 2, 3].map((index) => isNumberColumn(rows, index))).toEqual([false, true, false, false]);
});

test('names files by client and month, without unsafe characters', () => {
  expect(reportFileName('Alder & Sons / Ltd.', 2026, 3, 'pdf')).toBe('report-alder-sons-ltd-2026-03.pdf');
  expect(reportFileName('../../x', 2026, 10, 'xlsx')).toBe('report-x-2026-10.xlsx');
});

const day = (date: string, client: number, more: Partial<ReconciliationDay> = {}): ReconciliationDay => ({
  date,
  clientOrganizationID: client,
  clientOrganizationName: `Client ${client}`,
  received: 10,
  stored: 7,
  duplicate: 1,
  dropped: [{ reason: 'too-large', count: 1 }],
  dead: 1,
  raised: 6,
  shown: 1,
  folded: 1,
  suppressed: 1,
  autoClosed: 1,
  inCase: 2,
  isBalanced: true,
  ...more,
});
const days = [
  day('2026-10-02', 10),
  day('2026-10-02', 11, { received: 30, stored: 26, dropped: [{ reason: 'not-json', count: 2 }], isBalanced: false }),
  day('2026-10-01', 10),
];

test('adds up days and clients, keeping the sums balanced', () => {
  const whole = addUp(days);
  expect(whole).toMatchObject({ received: 50, stored: 40, duplicate: 3, dead: 3, raised: 18, isBalanced: false });
  expect(whole.dropped).toEqual([
    { reason: 'too-large', count: 2 },
    { reason: 'not-json', count: 2 },
  ]);
  for (const [first, ...rest] of [parts.events, parts.alerts])
    expect(rest.reduce((sum, { id }) => sum + amountOf(whole, id), 0)).toBe(amountOf(whole, first!.id));
  expect(droppedOf(whole)).toBe(4);
  expect(byDay(days).map(({ key, sums }) => [key, sums.received, sums.isBalanced])).toEqual([
    ['2026-10-02', 40, false],
    ['2026-10-01', 10, true],
  ]);
  expect(byClient(days).map(({ key, sums }) => [key, sums.received])).toEqual([
    ['11', 30],
    ['10', 20],
  ]);
  expect(addUp([])).toMatchObject({ received: 0, dropped: [], isBalanced: true });
});

const may = () => true;

test('links numbers of a day to that day', () => {
  const where = { client: 10, timeframe: 'October', date: '2026-10-31' } as const;
  const hrefs = (['received', 'stored', 'duplicate', 'dropped', 'dead', 'raised'] as const).map((name) =>
    reconciliationHref(name, where, may),
  );
  expect(hrefs).toEqual([
    '/apps/events?client=10&timeframe=October&on=2026-10-31Z&tab=intake',
    '/apps/events?client=10&timeframe=October&on=2026-10-31Z&by=arrived',
    '/apps/events?client=10&timeframe=October&on=2026-10-31Z&tab=intake&outcome=duplicate',
    '/apps/events?client=10&timeframe=October&on=2026-10-31Z&tab=intake&outcome=dropped',
    '/apps/events?client=10&timeframe=October&on=2026-10-31Z&tab=aside',
    '/apps/alerts/10?timeframe=October&on=2026-10-31Z',
  ]);
  expect(reconciliationHref('stored', { ...where, date: '2026-10-01..2026-10-31' }, may)).toBe(
    '/apps/events?client=10&timeframe=October&on=2026-10-01..2026-10-31Z&by=arrived',
  );
});

test('returns no links without permission for events or alerts', () => {
  const where = { client: 10, timeframe: 'October', date: '2026-10-31' } as const;
  for (const { id } of parts.events) expect(reconciliationHref(id, where, (each) => each !== 'events:read')).toBeUndefined();
  for (const { id } of parts.alerts) expect(reconciliationHref(id, where, (each) => each !== 'events:read')).toBeDefined();
  for (const { id } of parts.alerts) expect(reconciliationHref(id, where, (each) => each !== 'alerts:read')).toBeUndefined();
  for (const { id } of parts.events) expect(reconciliationHref(id, where, (each) => each !== 'alerts:read')).toBeDefined();
});

test.each(['shown', 'folded', 'suppressed', 'autoClosed', 'inCase'] as const)(
  'links %s to alerts of that disposition',
  (disposition) => {
    const where = { client: 0, timeframe: 'October', date: '2026-10-01..2026-10-31' } as const;
    expect(reconciliationHref(disposition, where, may)).toBe(
      `/apps/alerts/0?timeframe=October&on=2026-10-01..2026-10-31Z&fate=${disposition}`,
    );
    expect(alertsApi.list.query.parse({ fate: disposition })).toMatchObject({ fate: [disposition] });
  },
);

test('links figures and rows only to lists with equal counts', () => {
  const place = { client: 10, timeframe: 'October', isComplete: true, may } as const;
  expect(figureHref('alerts.critical', place)).toBe('/apps/alerts/10?timeframe=October&severity=critical');
  expect(figureHref('alerts', place)).toBe('/apps/alerts/10?timeframe=October');
  expect(figureHref('cases.open', place)).toBeUndefined();
  expect(figureHref('cases.open', { ...place, isComplete: false })).toMatch(/^\/apps\/cases\/10\?timeframe=allTime&status=open,/);
  expect(figureHref('unknown.figure', place)).toBeUndefined();
  expect(cellHref({ ...place, section: 'caseList', column: 'Case', row: [7, 'Title'] })).toBe('/apps/case/7');
  expect(cellHref({ ...place, section: 'caseList', column: 'Case', row: ['javascript:alert(1)'] })).toBeUndefined();
  expect(cellHref({ ...place, section: 'balance', column: 'Raised', row: ['2026-10-31', 4] })).toBe(
    '/apps/alerts/10?timeframe=October&on=2026-10-31Z',
  );
  expect(cellHref({ ...place, section: 'balance', column: 'Day', row: ['2026-10-31', 4] })).toBeUndefined();
  expect(cellHref({ ...place, section: 'devices', column: 'Silent device', row: ['a/b ?'] })).toBe('/apps/device/10/a%2Fb%20%3F');
});
