import { caseStatusValues, isClosed, mayFollow } from '@parapet/contract/rules/cases.ts';
import { expect, test } from 'vitest';
import { statusesBack } from './undoStatus.ts';

test('returns to the status before at once where it may follow, else by the shortest way', () => {
  expect(statusesBack('assigned', 'open')).toEqual(['open']);
  expect(statusesBack('investigating', 'open')).toEqual(['assigned', 'open']);
  expect(statusesBack('closed', 'open')).toEqual(['investigating', 'assigned', 'open']);
  expect(statusesBack('escalated:closed', 'escalated')).toEqual(['investigating', 'escalated']);
  expect(statusesBack('open', 'open')).toEqual([]);
});

test('leads from every status to every open one by permitted open statuses', () => {
  for (const now of caseStatusValues)
    for (const earlier of caseStatusValues) {
      const way = statusesBack(now, earlier);
      if (isClosed(earlier)) expect(way).toBeUndefined();
      else
        expect(
          way?.reduce((from, to) => (mayFollow(from, to) && !isClosed(to) ? to : from), now),
          `${now} → ${earlier}`,
        ).toBe(earlier);
    }
});
