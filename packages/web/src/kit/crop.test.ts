import { expect, test } from 'vitest';
import { edgeOf, minZoom } from './crop.ts';

test.each([
  [{ x: 0, y: 0, width: 4000, height: 4000 }, 512],
  [{ x: 5, y: 9, width: 100, height: 100 }, 100],
  [{ x: 0, y: 0, width: 99.6, height: 100.2 }, 100],
  [{ x: 0, y: 0, width: 0, height: 0 }, 1],
])('%j becomes %i px', (area, edge) => {
  expect(edgeOf(area)).toBe(edge);
});

test.each([
  [100, { width: 300, height: 200 }, 0.5],
  [100, { width: 50, height: 80 }, 2],
  [100, { width: 0, height: 0 }, 1],
])('a frame of %i px over %j: zoom %f', (frame, shown, zoom) => {
  expect(minZoom(frame, shown)).toBe(zoom);
});
