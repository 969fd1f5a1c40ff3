import { expect, test } from 'vitest';
import { chipsOf } from '../../lib/listFilters.ts';
import { caseFilters } from './caseFilters.ts';
import { caseFilterInput, caseList } from './caseList.ts';

const { read, isFiltered } = caseList;

const nothing = read({});

test('ignores invalid values', () => {
  expect(
    read({
      status: 'gone,closedd',
      severity: 'fatal',
      verdict: 'guilty',
      analyst: '-1,x,1e3,99999999999,',
      breached: 'maybe',
      excluded: 'x',
      sort: 'drop table',
      order: 'up',
      page: '0',
      pageSize: '7',
      device: 'x'.repeat(300),
    }),
  ).toEqual(nothing);
  expect(isFiltered(nothing)).toBe(false);
});

test('parses every filter', () => {
  const filters = read({
    status: 'Escalated:Closed,open',
    severity: 'critical',
    verdict: 'insufficient information,Likely Benign,suspicious',
    analyst: '0,5,5',
    breached: 'true',
    waiting: '1',
    excluded: 'false',
    text: ' ws ',
    sort: 'criticality',
    order: 'asc',
    page: '3',
    pageSize: '100',
  });
  expect(filters).toMatchObject({
    status: ['open', 'escalated:closed'],
    verdict: ['Suspicious', 'Insufficient Information', 'Likely Benign'],
    analyst: [0, 5],
    breached: true,
    waiting: true,
    excluded: false,
    text: 'ws',
    page: 3,
    pageSize: 100,
  });
  expect(isFiltered(filters)).toBe(true);
  expect(caseFilterInput(filters, 'WS-01')).toMatchObject({ device: 'WS-01', user: undefined, breached: true, excluded: false });
});

test('renders a chip per filter, each removing only itself', () => {
  const filters = read({ status: 'open,escalated:closed', analyst: '0,5,6', excluded: 'true', text: 'x' });
  const changes: unknown[] = [];
  const chips = chipsOf(
    caseFilters((id) => (id === '5' ? 'A. Lima' : undefined)),
    filters,
    (patch) => changes.push(patch),
  );
  expect(chips.map(({ name, value }) => `${name} ${value}`)).toEqual([
    'Status Open',
    'Status Escalated: Closed',
    'Analyst Unassigned',
    'Analyst A. Lima',
    'Analyst user 6',
    'Suppressed yes',
    'Text x',
  ]);
  for (const chip of chips) chip.onRemove();
  expect(changes[0]).toEqual({ status: ['escalated:closed'] });
  expect(changes[2]).toEqual({ analyst: ['5', '6'] });
  expect(changes[5]).toEqual({ excluded: [] });
});
