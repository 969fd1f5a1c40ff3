import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ceilTo, floorTo, type Ladder, next, splitRange, type Unit } from './ranges.ts';

const at = (text: string) => Date.parse(text);
const now = at('2026-11-21T10:07:00Z');
const ladder = (units: readonly Unit[], since?: Ladder['since']): Ladder => ({ units, now, ...(since && { since }) });
const shown = (start: string, end: string, rungs: Ladder) =>
  splitRange({ start: at(start), end: at(end) }, rungs).map(
    ({ unit, from, to, sign }) =>
      `${sign > 0 ? '+' : '-'}${unit} ${new Date(from).toISOString().slice(0, 16)} ${new Date(to).toISOString().slice(0, 16)}`,
  );

describe('splitRange', () => {
  it('takes whole days as they are', () => {
    expect(shown('2026-11-01T00:00Z', '2026-11-08T00:00Z', ladder(['day', 'hour']))).toEqual([
      '+day 2026-11-01T00:00 2026-11-08T00:00',
    ]);
  });

  it('subtracts hours from days where a zone’s midnight lies before that of UTC', () => {
    expect(shown('2026-10-31T23:00Z', '2026-11-07T23:00Z', ladder(['day', 'hour']))).toEqual([
      '+day 2026-11-01T00:00 2026-11-08T00:00',
      '+hour 2026-10-31T23:00 2026-11-01T00:00',
      '-hour 2026-11-07T23:00 2026-11-08T00:00',
    ]);
  });

  it('counts half hours on the alerts', () => {
    expect(shown('2026-10-31T18:15Z', '2026-11-01T18:15Z', ladder(['day', 'hour']))).toEqual([
      '+day 2026-11-01T00:00 2026-11-02T00:00',
      '+edge 2026-11-01T18:00 2026-11-01T18:15',
      '-edge 2026-10-31T18:00 2026-10-31T18:15',
      '+hour 2026-10-31T18:00 2026-11-01T00:00',
      '-hour 2026-11-01T18:00 2026-11-02T00:00',
    ]);
  });

  it('reads what is still to come as nothing: today is a whole day less its future', () => {
    expect(shown('2026-11-21T00:00Z', '2026-11-21T10:10Z', ladder(['day', 'hour']))).toEqual([
      '+day 2026-11-21T00:00 2026-11-22T00:00',
      '-edge 2026-11-21T10:10 2026-11-21T11:00',
      '-hour 2026-11-21T11:00 2026-11-22T00:00',
    ]);
  });

  it('uses shorter pieces before the time from which a unit is kept', () => {
    expect(shown('2026-08-10T00:00Z', '2026-11-21T00:00Z', ladder(['month', 'day'], { day: at('2026-10-01T00:00Z') }))).toEqual([
      '-day 2026-11-21T00:00 2026-12-01T00:00',
      '-edge 2026-08-01T00:00 2026-08-10T00:00',
      '+month 2026-08-01T00:00 2026-12-01T00:00',
    ]);
  });

  const instants = fc.integer({ min: at('2025-01-01T00:00Z'), max: at('2027-03-01T00:00Z') });
  const aligned = fc.oneof(
    instants,
    instants.map((ms) => floorTo('hour', ms)),
    instants.map((ms) => floorTo('day', ms)),
    instants.map((ms) => floorTo('month', ms)),
  );
  const ladders = fc.constantFrom<readonly Unit[]>(['month', 'day', 'hour'], ['day', 'hour'], ['day'], ['month', 'day'], []);

  it('covers every instant of the range once and no other', () => {
    fc.assert(
      fc.property(
        aligned,
        aligned,
        ladders,
        fc.option(aligned, { nil: undefined }),
        fc.array(instants, { maxLength: 20 }),
        (a, b, units, since, probes) => {
          const [start, end] = a < b ? [a, b] : [b, a];
          const pieces = splitRange({ start, end }, ladder(units, since === undefined ? undefined : { day: since, hour: since }));
          const edges = [start, end, ...pieces.flatMap((piece) => [piece.from, piece.to])].flatMap((ms) => [ms - 1, ms, ms + 1]);
          for (const probe of [...probes, ...edges]) {
            const sum = pieces.reduce((total, { from, to, sign }) => total + (probe >= from && probe < to ? sign : 0), 0);
            expect(sum, new Date(probe).toISOString()).toBe(probe >= start && probe < end ? 1 : 0);
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  it('keeps units on their boundaries and after the time from which they are kept', () => {
    fc.assert(
      fc.property(aligned, aligned, ladders, aligned, (a, b, units, since) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        for (const { unit, from, to } of splitRange({ start, end }, ladder(units, { day: since }))) {
          expect(to).toBeGreaterThan(from);
          if (unit === 'edge') continue;
          expect([floorTo(unit, from), ceilTo(unit, to)]).toEqual([from, to]);
          if (unit === 'day') expect(from).toBeGreaterThanOrEqual(since);
        }
      }),
    );
  });

  it('counts alerts over hardly more than half of the smallest unit at each end', () => {
    fc.assert(
      fc.property(aligned, aligned, (a, b) => {
        const [start, end] = a < b ? [a, b] : [b, a];
        for (const [units, limit] of [
          [['day', 'hour'], hourMs * 0.6],
          [['day'], dayMs * 0.6],
        ] as const) {
          for (const piece of splitRange({ start, end }, ladder(units))) {
            if (piece.unit !== 'edge' || start >= floorTo(units.at(-1)!, end)) continue;
            // The two ends are one piece where they meet: 12:00 to midnight and midnight to 03:00.
            const boundary = Math.min(ceilTo(units.at(-1)!, piece.from), piece.to);
            for (const [from, to] of [
              [piece.from, boundary],
              [boundary, piece.to],
            ] as const)
              expect(Math.min(to, now) - from).toBeLessThanOrEqual(limit);
          }
        }
      }),
    );
  });

  it('steps over months of every length', () => {
    expect(next('month', at('2028-02-29T23:59:59.999Z'))).toBe(at('2028-03-01T00:00Z'));
    expect(ceilTo('month', at('2026-12-01T00:00:00.001Z'))).toBe(at('2027-01-01T00:00Z'));
  });
});
