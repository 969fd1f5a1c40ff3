import { expect, it } from 'vitest';
import { fitting } from './tableFit.ts';
import { defaultState } from './tableState.ts';

const columns = [
  { id: 'severity', width: 100, isFixed: true },
  { id: 'summary', width: 200, isFixed: true },
  { id: 'device', width: 100, hidePriority: 1 },
  { id: 'count', width: 50, hidePriority: 3 },
  { id: 'technique', width: 100, hidePriority: 2 },
  { id: 'status', width: 100, isHidden: true },
];
const ids = (room: number, state = {}) => fitting(columns, { ...defaultState, ...state }, room).map((column) => column.id);

it('gives a column what it deserves before others', () => {
  const widened = columns.map((column) => (column.id === 'summary' ? { ...column, minWidth: 350 } : column));
  expect(fitting(widened, defaultState, 549).map((column) => column.id)).toEqual(['severity', 'summary']);
  expect(fitting(widened, { ...defaultState, widths: { summary: 200 } }, 549)).toHaveLength(4);
});

it.each([
  [1000, {}, ['severity', 'summary', 'device', 'count', 'technique']],
  [549, {}, ['severity', 'summary', 'device', 'technique']],
  [400, {}, ['severity', 'summary', 'device']],
  [10, {}, ['severity', 'summary']],
  [10, { shown: { count: true, status: true } }, ['severity', 'summary', 'count', 'status']],
  [549, { widths: { summary: 400 } }, ['severity', 'summary']],
  [1000, { shown: { device: false } }, ['severity', 'summary', 'count', 'technique']],
])('in %d px with %j', (room, state, expected) => expect(ids(room, state)).toEqual(expected));
