/**
 * Compares two pictures of a screen. Tolerates a few differing pixels all over, since letter edges vary between browser
 * versions; missing or moved content differs strongly in one tile, however small its share.
 */
export interface Picture {
  width: number;
  height: number;
  /** RGB values per pixel. */
  data: Uint8Array;
}

export interface Difference {
  /** Share of all pixels, 0 to 1. */
  share: number;
  /** Share of pixels in the worst tile, 0 to 1. */
  worstTile: number;
  /** One byte per pixel: 1 where they differ. */
  mask: Uint8Array;
}

/** Tolerance per channel, 0 to 255. */
const minDifference = 24;
const maxShare = 0.005;
const tile = 32;
const maxOfTile = 0.5;

export function differenceOf(a: Picture, b: Picture): Difference {
  if (a.width !== b.width || a.height !== b.height)
    throw new Error(`The pictures have different sizes: ${a.width} × ${a.height} and ${b.width} × ${b.height}.`);
  const { width, height } = a;
  const mask = new Uint8Array(width * height);
  const across = Math.ceil(width / tile);
  const tiles = new Uint32Array(across * Math.ceil(height / tile));
  let different = 0;
  for (let at = 0; at < mask.length; at++) {
    let most = 0;
    for (let channel = 0; channel < 3; channel++)
      most = Math.max(most, Math.abs((a.data[at * 3 + channel] ?? 0) - (b.data[at * 3 + channel] ?? 0)));
    if (most <= minDifference) continue;
    mask[at] = 1;
    different++;
    const place = Math.floor(Math.floor(at / width) / tile) * across + Math.floor((at % width) / tile);
    tiles[place] = (tiles[place] ?? 0) + 1;
  }
  return { share: different / mask.length, worstTile: Math.max(0, ...tiles) / tile ** 2, mask };
}

export const isAlike = ({ share, worstTile }: Difference): boolean => share < maxShare && worstTile < maxOfTile;

/** The current picture, faint, with differences in red. */
export function drawnDifference(now: Picture, { mask }: Difference): Picture {
  const data = new Uint8Array(now.data.length);
  for (let at = 0; at < mask.length; at++) {
    for (let channel = 0; channel < 3; channel++)
      data[at * 3 + channel] = mask[at] ? (channel === 0 ? 230 : 0) : 180 + Math.round((now.data[at * 3 + channel] ?? 0) * 0.29);
  }
  return { ...now, data };
}
