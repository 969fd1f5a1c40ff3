import { expect, test } from 'vitest';
import { maxShortcuts, starred, withStar } from './shortcuts.ts';

const pages = [{ id: 'alerts' }, { id: 'devices' }, { id: 'audit' }];

test('stars and unstars a page', () => {
  expect(withStar(['alerts'], 'devices', [])).toEqual(['alerts', 'devices']);
  expect(withStar(['alerts', 'devices'], 'alerts', [])).toEqual(['devices']);
});

test('keeps and hides ids of unavailable pages, and drops them first', () => {
  expect(starred(['gone', 'devices', '__proto__', 'alerts', 'devices'], pages)).toEqual([{ id: 'devices' }, { id: 'alerts' }]);
  const full = ['alerts', ...Array.from({ length: maxShortcuts - 1 }, (_, index) => `gone${index}`)];
  const next = withStar(full, 'devices', ['alerts', 'devices']);
  expect(next).toHaveLength(maxShortcuts);
  expect(next).toEqual(expect.arrayContaining(['alerts', 'devices', 'gone1']));
  expect(next).not.toContain('gone0');
  expect(withStar(full, 'devices', full)).toBeUndefined();
});
