import { expect, test } from 'vitest';
import { foreignOf, nightsOfAll, type Place, targetsOf } from './isolation.plan.ts';

const partners = [2, 3, 4];
const places: Place[] = [
  { id: 1, parentId: null, isPartner: true },
  ...partners.map((id) => ({ id, parentId: 1, isPartner: true })),
  ...Array.from({ length: 90 }, (_, index) => ({ id: 10 + index, parentId: partners[index % 3]!, isPartner: false })),
];
const place = (id: number) => places.find((each) => each.id === id)!;

test('leaves the provider nothing foreign, a partner its clients, and a client itself', () => {
  expect(foreignOf(place(1), places)).toEqual([]);
  expect(foreignOf(place(2), places)).toHaveLength(1 + 2 + 60);
  expect(foreignOf(place(10), places)).toHaveLength(places.length - 1);
});

test('tries parent, siblings, another partner and a client of another one each night', () => {
  for (const night of [0, 1, 17]) {
    const targets = targetsOf(place(10), places, night).map(place);
    expect(targets.some(({ id }) => id === 2)).toBe(true);
    expect(targets.filter(({ parentId }) => parentId === 2).length).toBeGreaterThanOrEqual(2);
    expect(targets.some(({ id }) => id === 3 || id === 4)).toBe(true);
    expect(targets.some(({ parentId }) => parentId === 3 || parentId === 4)).toBe(true);
    expect(targets.length).toBeLessThan(15);
  }
});

test.each([2, 10, 57])('tries every foreign organisation of %i within thirty nights, and none of its own', (id) => {
  const tried = new Set(Array.from({ length: nightsOfAll }, (_, night) => targetsOf(place(id), places, night)).flat());
  expect([...tried].sort()).toEqual(
    foreignOf(place(id), places)
      .map((each) => each.id)
      .sort(),
  );
});

test('tries all pairs of a small installation each night', () => {
  const few = places.filter(({ id }) => id < 14);
  expect(targetsOf(place(10), few, 5)).toHaveLength(few.length - 1);
});
