import { expect, test } from 'vitest';
import { parseSearch } from '../../lib/address.ts';
import { isShownNow, viewChange, viewQueryOf } from './viewQuery.ts';

test('keeps filters and order, drops position, client and timeframe', () => {
  const search = parseSearch(
    '?timeframe=lastMonth&severity=high,critical&page=4&peek=7&client=10&on=2026-11&sort=rule&order=asc&before=2026-11-01T00:00:00Z&query=eyJ',
  );
  expect(viewQueryOf(search)).toBe('order=asc&query=eyJ&severity=high,critical&sort=rule');
  expect(viewQueryOf({})).toBe('');
});

test('sorts parameters, so that equal views are equal texts', () => {
  expect(viewQueryOf(parseSearch('?b=2&a=1'))).toBe(viewQueryOf(parseSearch('?a=1&b=2')));
});

test('returns undefined for queries too long to store', () => {
  expect(viewQueryOf({ text: 'x'.repeat(2001) })).toBeUndefined();
});

test('replaces filters and page, keeps client and timeframe when applied', () => {
  const search = parseSearch('?timeframe=lastMonth&client=10&severity=low&text=a&page=3&peek=9&before=x');
  expect(viewChange(search, 'severity=high&sort=rule')).toEqual({
    severity: 'high',
    sort: 'rule',
    text: undefined,
    page: undefined,
    peek: undefined,
    before: undefined,
  });
});

test('ignores client, timeframe and page in stored queries', () => {
  expect(viewChange({}, 'client=4&timeframe=lastOneYear&page=9&severity=high')).toEqual({ severity: 'high' });
});

test('recognises the shown view by its filters and hidden columns', () => {
  const view = { query: 'sort=rule&severity=high', columns: ['user', 'device'] };
  const search = parseSearch('?severity=high&sort=rule&page=2');
  expect(isShownNow(view, search, ['device', 'user'])).toBe(true);
  expect(isShownNow(view, search, ['device'])).toBe(false);
  expect(isShownNow(view, { ...search, text: 'x' }, ['device', 'user'])).toBe(false);
});
