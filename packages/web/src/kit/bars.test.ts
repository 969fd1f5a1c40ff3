import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { axisLabels, geometryOf, minHeight, tableOf, ticksOf } from './bars.ts';

describe('lines across', () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [42, [0, 20, 40, 60]],
    [1000, [0, 500, 1000]],
    [Number.NaN, [0, 1]],
  ])('up to %d', (highest, ticks) => expect(ticksOf(highest)).toEqual(ticks));
});

describe('bars', () => {
  it('stack from the bottom and fill the scale', () => {
    const { bars, top } = geometryOf(
      [
        [2, 0, 2],
        [0, 0, 0],
      ],
      200,
      100,
    );
    expect(top).toBe(4);
    expect(bars[0]?.segments).toEqual([
      { series: 0, value: 2, y: 50, height: 50 },
      { series: 2, value: 2, y: 0, height: 50 },
    ]);
    expect(bars[1]).toMatchObject({ total: 0, segments: [], slotX: 100, slotWidth: 100 });
  });

  it('show one critical alert among ten thousand', () => {
    const [bar] = geometryOf([[10_000, 1]], 100, 100).bars;
    expect(bar?.segments[1]?.height).toBe(minHeight);
    expect(bar?.segments[1]?.y).toBeCloseTo(100 - (10_001 / 15_000) * 100, 2);
  });

  it('stay inside the picture without overlaps and add up', () => {
    const bucket = fc.array(fc.nat(100_000), { minLength: 5, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(bucket, { maxLength: 60 }), fc.integer({ min: 40, max: 1400 }), (values, width) => {
        const { bars } = geometryOf(values, width, 160);
        bars.forEach((bar, index) => {
          expect(bar.total).toBe(values[index]?.reduce((sum, value) => sum + value, 0));
          expect(bar.x).toBeGreaterThanOrEqual(-0.01);
          expect(bar.x + bar.width).toBeLessThanOrEqual(width + 1);
          let floor = 160;
          for (const segment of bar.segments) {
            expect(segment.height).toBeGreaterThanOrEqual(minHeight - 0.001);
            expect(segment.y + segment.height).toBeCloseTo(floor, 3);
            floor = segment.y;
          }
          expect(floor).toBeGreaterThanOrEqual(-minHeight * 5);
        });
      }),
    );
  });
});

describe('labels below', () => {
  const even = (count: number, width: number) => Array.from({ length: count }, (_, index) => (width / count) * (index + 0.5));
  const days = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1} Nov`);
  const chosen = (labels: string[], places: number[], right: number) =>
    axisLabels(labels, places, right)
      .map(({ index }) => index)
      .reverse();

  it('thin out evenly where there is no room, keeping the last', () => {
    expect(chosen(days(3), even(3, 400), 400)).toEqual([0, 1, 2]);
    expect(chosen(days(31), even(31, 640), 640)).toEqual([2, 6, 10, 14, 18, 22, 26, 30]);
    expect(axisLabels([], [], 400)).toEqual([]);
  });
  it('turn inwards at the right edge', () => {
    expect(axisLabels(days(31), even(31, 640), 640)[0]).toEqual({ index: 30, x: 640, anchor: 'end' });
    expect(axisLabels(days(2), even(2, 400), 400)[0]).toEqual({ index: 1, x: 300, anchor: 'middle' });
  });
  it.each([
    ['long texts', Array.from({ length: 24 }, (_, index) => `22 November, ${index}:00`), even(24, 900)],
    ['uneven places', days(40), Array.from({ length: 40 }, (_, index) => 900 * (index / 40) ** 3)],
  ])('keep apart: %s', (_, labels, places) => {
    const edges = axisLabels(labels, places, 900)
      .reverse()
      .map(({ index, x, anchor }) => {
        const width = labels[index]!.length * 6.5;
        return anchor === 'end' ? [x - width, x] : [x - width / 2, x + width / 2];
      });
    expect(edges.length).toBeGreaterThan(3);
    for (const [at, [start]] of edges.slice(1).entries()) expect(start!).toBeGreaterThan(edges[at]![1]!);
  });
});

it('includes the expected value in scale and table', () => {
  expect(geometryOf([[1], [2]], 100, 100, 90).top).toBeGreaterThanOrEqual(90);
  expect(geometryOf([[1], [2]], 100, 100).top).toBe(2);
  const bars = [
    { title: 'a', values: [1], usual: 0.5 },
    { title: 'b', values: [2] },
  ];
  expect(tableOf([{ name: 'Events' }], bars)).toEqual({
    head: ['Time', 'Events', 'Usual'],
    rows: [
      ['a', 1, 0.5],
      ['b', 2, '–'],
    ],
  });
  expect(tableOf([{ name: 'Events' }], bars.slice(1)).head).toEqual(['Time', 'Events']);
});
