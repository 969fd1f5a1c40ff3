import { describe, expect, test } from 'vitest';
import { enoughEvents, enoughHours, type FieldSighting, mergeSightings, type Sample, stateOf } from './fieldSightings.ts';

const hour = 3600;
const sample = (firstAt: number, lastAt: number, sampled: number, seen: [string, number][] = []): Sample => ({
  fields: ['A', 'B'],
  seen: new Map(seen),
  sampled,
  firstAt,
  lastAt,
});
const [a0] = mergeSightings([], sample(0, 10, 5, [['A', 10]])) as [FieldSighting];

describe('mergeSightings and stateOf', () => {
  test('follows each field from its first sample', () => {
    expect(mergeSightings([], sample(100, 200, 5, [['A', 150]]))).toEqual([
      { field: 'A', at: 150, missed: 0, since: 100, gap: 0 },
      { field: 'B', at: null, missed: 5, since: 100, gap: 0 },
    ]);
    const merged = mergeSightings([{ ...a0, field: 'C' }], sample(100, 200, 5));
    expect(merged.map(({ field, since }) => [field, since])).toEqual([
      ['A', 100],
      ['B', 100],
    ]);
  });

  test('takes a field for missing only after enough events and enough hours', () => {
    const [few] = mergeSightings([a0], sample(20, 30, enoughEvents - 1)) as [FieldSighting];
    const [many] = mergeSightings([a0], sample(20, 30, enoughEvents)) as [FieldSighting];
    const late = 10 + enoughHours * hour;
    expect([stateOf(few, late), stateOf(many, late - 1), stateOf(many, late)]).toEqual(['seen', 'seen', 'missing']);
    const [, never] = mergeSightings([], sample(0, 30, enoughEvents)) as [FieldSighting, FieldSighting];
    expect([stateOf(never, enoughHours * hour - 1), stateOf(never, enoughHours * hour)]).toEqual(['unknown', 'missing']);
  });

  test('takes it for seen with the next event, and never goes back in time', () => {
    const [missed] = mergeSightings([a0], sample(20, 90_000, 500)) as [FieldSighting];
    expect(stateOf(missed, 90_000)).toBe('missing');
    const [back] = mergeSightings([missed], sample(90_001, 90_001, 1, [['A', 90_001]])) as [FieldSighting];
    expect([stateOf(back, 90_001), back.at, back.missed]).toEqual(['seen', 90_001, 0]);
    const [late] = mergeSightings([back], sample(50, 50, 1, [['A', 50]])) as [FieldSighting];
    expect(late.at).toBe(90_001);
  });

  test('waits three times the longest gap for a field that is rare', () => {
    const [gone] = mergeSightings([a0], sample(20, 90_000, 400)) as [FieldSighting];
    const [rare] = mergeSightings([gone], sample(90_001, 90_001, 1, [['A', 90_001]])) as [FieldSighting];
    expect(rare.gap).toBe(400);
    const later = 90_001 + enoughHours * hour;
    const states = [1_199, 1_200].map((sampled) => stateOf(mergeSightings([rare], sample(later, later, sampled))[0]!, later));
    expect(states).toEqual(['seen', 'missing']);
  });
});
