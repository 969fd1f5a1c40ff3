import { expect, test } from 'vitest';
import { manualReason, shownReason } from './grouping.ts';

test('shows the reason of a manual move alike, whichever version stored it', () => {
  expect(['a person, by hand', manualReason, 'the same device'].map(shownReason)).toEqual([
    'added manually',
    'added manually',
    'the same device',
  ]);
});
