import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { onCallAt, onCallTurns, type Span } from './onCall.ts';

const span = fc
  .record({
    place: fc.integer({ min: 1, max: 3 }),
    userId: fc.integer({ min: 1, max: 4 }),
    starts: fc.integer({ min: -50, max: 150 }),
    length: fc.integer({ min: 1, max: 60 }),
  })
  .map(({ length, ...rest }): Span => ({ ...rest, ends: rest.starts + length }));
const spans = fc.array(span, { maxLength: 12 });

describe('onCallTurns', () => {
  test('covers the window without gap or overlap, and agrees with each moment', () => {
    fc.assert(
      fc.property(spans, spans, (shifts, overrides) => {
        const turns = onCallTurns(shifts, overrides, { from: 0, until: 100 });
        for (const place of new Set([...shifts, ...overrides].map((each) => each.place))) {
          const own = turns.filter((turn) => turn.place === place);
          expect(own[0]?.starts).toBe(0);
          expect(own.at(-1)?.ends).toBe(100);
          for (const [index, turn] of own.entries()) {
            if (index > 0) expect(turn.starts).toBe(own[index - 1]!.ends);
            for (let at = turn.starts; at < turn.ends; at++)
              expect(onCallAt(shifts, overrides, place, at)).toEqual({ userId: turn.userId, isOverride: turn.isOverride });
          }
        }
      }),
    );
  });

  test('prefers the newest override, and shows gaps', () => {
    const shift = { place: 1, userId: 1, starts: 0, ends: 50 };
    const overrides = [
      { place: 1, userId: 2, starts: 10, ends: 30 },
      { place: 1, userId: 3, starts: 20, ends: 25 },
    ];
    const turns = onCallTurns([shift], overrides, { from: 0, until: 60 });
    expect(turns.map(({ userId, starts, ends }) => [userId, starts, ends])).toEqual([
      [1, 0, 10],
      [2, 10, 20],
      [3, 20, 25],
      [2, 25, 30],
      [1, 30, 50],
      [null, 50, 60],
    ]);
  });
});
