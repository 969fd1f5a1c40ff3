import { expect, it } from 'vitest';
import { trendOf } from './numbers.ts';

it.each([
  [110, 100, 'up', '10%'],
  [50, 100, 'down', '50%'],
  [100, 100, 'level', '0%'],
  [5, 0, 'up', 'new'],
  [100_000, 1, 'up', '>999%'],
])('%d after %d', (value, before, direction, text) => expect(trendOf(value, before)).toEqual({ direction, text }));
it('nothing after nothing is no trend', () => expect(trendOf(0, 0)).toBeUndefined());
