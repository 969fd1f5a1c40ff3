import { expect, test } from 'vitest';
import { differenceOf, drawnDifference, isAlike, type Picture } from './visual.compare.ts';

const grey = (width = 320, height = 320): Picture => ({ width, height, data: new Uint8Array(width * height * 3).fill(128) });
function painted(picture: Picture, left: number, top: number, width: number, height: number, value: number): Picture {
  const data = picture.data.slice();
  for (let y = top; y < top + height; y++)
    for (let x = left; x < left + width; x++) data.fill(value, (y * picture.width + x) * 3, (y * picture.width + x) * 3 + 3);
  return { ...picture, data };
}

test('accepts identical pictures and softer letter edges', () => {
  expect(differenceOf(grey(), grey())).toMatchObject({ share: 0, worstTile: 0 });
  expect(isAlike(differenceOf(grey(), painted(grey(), 0, 0, 320, 320, 150)))).toBe(true);
  expect(isAlike(differenceOf(grey(), painted(grey(), 40, 40, 20, 20, 255)))).toBe(true);
});

test('detects missing parts of any size', () => {
  const small = differenceOf(grey(), painted(grey(), 32, 64, 32, 14, 255));
  expect(small.share).toBeLessThan(0.005);
  expect(isAlike(small)).toBe(true);
  const button = differenceOf(grey(640, 640), painted(grey(640, 640), 32, 64, 60, 30, 255));
  expect(button.share).toBeLessThan(0.005);
  expect(isAlike(button)).toBe(false);
});

test('detects many small differences', () => {
  let worn = grey();
  for (let at = 0; at < 100; at++) worn = painted(worn, (at % 10) * 32, Math.floor(at / 10) * 32, 3, 3, 255);
  const difference = differenceOf(grey(), worn);
  expect(difference.worstTile).toBeLessThan(0.05);
  expect(isAlike(difference)).toBe(false);
});

test('rejects another size', () => {
  expect(() => differenceOf(grey(), grey(320, 321))).toThrow(/320 × 320 and 320 × 321/);
});

test('draws the difference in red', () => {
  const now = painted(grey(), 0, 0, 1, 1, 255);
  const drawn = drawnDifference(now, differenceOf(grey(), now));
  expect([...drawn.data.slice(0, 6)]).toEqual([230, 0, 0, 217, 217, 217]);
});
