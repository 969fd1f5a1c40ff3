import { describe, expect, test } from 'vitest';
import { instantOfLocal } from './zones.ts';

const at = (local: string, timeZone: string): string => new Date(instantOfLocal(local, timeZone)).toISOString();

describe('instantOfLocal', () => {
  test('reads a time by the clock of its zone, which is not the one of the machine', () => {
    expect(at('2026-07-01T08:00', 'America/New_York')).toBe('2026-07-01T12:00:00.000Z');
    expect(at('2026-07-01T08:00', 'Asia/Tokyo')).toBe('2026-06-30T23:00:00.000Z');
    expect(at('2026-07-01T08:00', 'UTC')).toBe('2026-07-01T08:00:00.000Z');
  });

  test('takes the first of two, and leaves a gap behind it', () => {
    expect(at('2026-10-25T02:30', 'Europe/Vienna')).toBe('2026-10-25T00:30:00.000Z');
    expect(at('2026-03-29T02:30', 'Europe/Vienna')).toBe('2026-03-29T01:30:00.000Z');
  });

  test('returns NaN for what is no time', () => {
    expect(instantOfLocal('', 'UTC')).toBeNaN();
  });
});
