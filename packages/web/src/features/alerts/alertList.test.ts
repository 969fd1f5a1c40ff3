import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Query } from '../../lib/paths.ts';
import { alertList } from './alertList.ts';

const { read, write } = alertList;
const entriesOf = (query: Query) => Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined));
/** The address of the parsed state. */
const validate = (search: Record<string, unknown>) => {
  const address = entriesOf(write(read(search) as Query));
  return Object.fromEntries(Object.entries(address).filter(([, value]) => !Array.isArray(value) || value.length > 0));
};
const changed = (search: Query, patch: Query) => validate({ ...search, ...write(patch) });
const isFiltered = (search: Query) => alertList.isFiltered(read(search));

describe('address', () => {
  it.each([
    [{}, {}],
    [{ severity: 'critical,high' }, { severity: ['critical', 'high'] }],
    [{ fate: 'inCase,AUTOCLOSED,gone' }, { fate: ['autoClosed', 'inCase'] }],
    [{ severity: ['HIGH', 'high', 'nonsense'] }, { severity: ['high'] }],
    [{ severity: 'nonsense', status: { a: 1 }, rule: null }, {}],
    [{ technique: 't1110,T1059.001,T1,none,x' }, { technique: ['T1110', 'T1059.001', 'NONE'] }],
    [{ rule: 'a,b,,a' }, { rule: ['a', 'b'] }],
    [{ rule: 'x'.repeat(65), category: 'y'.repeat(101), device: 'z'.repeat(256), text: 't'.repeat(201) }, {}],
    [
      { device: ' WS-01 ', user: 42 },
      { device: 'WS-01', user: '42' },
    ],
    [{ text: 4625 }, { text: '4625' }],
    [{ query: 'eyJ_-9' }, { query: 'eyJ_-9' }],
    [{ query: 'a b' }, {}],
    [{ query: 'x'.repeat(2001) }, {}],
    [{ sort: 'createdTime', order: 'desc', page: 1, pageSize: 50 }, {}],
    [
      { sort: 'count', order: 'asc', page: '3', pageSize: '100', peek: 7 },
      { sort: 'count', order: 'asc', page: 3, pageSize: 100, peek: 7 },
    ],
    [{ sort: '__proto__', order: 'up', page: '-1', pageSize: 7, peek: 0 }, {}],
    [{ page: '1e3', peek: 2_147_483_648 }, {}],
    [{ page: 99_999_999_999, pageSize: 1e300 }, {}],
    [{ timeframe: 'lastMonth', utm: 'x' }, {}],
  ])('%j', (search, expected) => expect(validate(search)).toEqual(expected));

  it('keeps at most 50 values', () => {
    expect(validate({ rule: Array.from({ length: 500 }, (_, i) => `r${i}`) }).rule).toHaveLength(50);
  });

  it('parses any address without an error and is stable after one round trip', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('severity', 'rule', 'device', 'text', 'page', 'pageSize', 'peek', 'sort'), fc.anything()),
        (search) => {
          const once = validate(search);
          expect(validate({ ...once })).toEqual(once);
          const filters = read(once);
          expect(filters.page).toBeGreaterThanOrEqual(1);
          expect([25, 50, 100]).toContain(filters.pageSize);
        },
      ),
    );
  });
});

describe('changes', () => {
  const search = validate({ severity: 'high', page: 4, peek: 9, sort: 'rule' });
  it('goes to page 1 and closes the panel for a filter or an order', () => {
    expect(changed(search, { device: 'WS-01' })).toEqual({ severity: ['high'], sort: 'rule', device: 'WS-01' });
    expect(changed(search, { sort: 'count', order: undefined })).toEqual({ severity: ['high'], sort: 'count' });
  });
  it('keeps everything else for a page or a preview', () => {
    expect(changed(search, { page: 5 })).toEqual({ ...search, page: 5 });
    expect(changed(search, { peek: undefined })).toEqual({ severity: ['high'], sort: 'rule', page: 4 });
  });
  it('drops empty values', () => {
    expect(changed(search, { severity: [] })).toEqual({ sort: 'rule' });
    expect(isFiltered({ sort: 'rule', page: 2, peek: 1 })).toBe(false);
    expect(isFiltered(search)).toBe(true);
  });
});
