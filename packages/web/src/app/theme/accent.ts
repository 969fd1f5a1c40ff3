/** A brand's accent, where it can be read on our surfaces; else the palette's own (ui.md: "only after its contrast passed"). */
import { contrast, minContrast } from '@parapet/contract/rules/contrast.ts';
import { mixed } from '../../lib/oklch.ts';
import type { Palette } from '../../lib/palettes.ts';

export function withAccent(palette: Palette, wanted: string): Palette {
  if (!/^#[0-9a-f]{6}$/i.test(wanted)) return palette;
  if ([palette.ground, palette.surface].some((surface) => contrast(wanted, surface) < minContrast)) return palette;
  // What stands off a dark surface stands off black still more, and off a light one off white.
  const onAccent = [palette.onAccent, '#ffffff', '#000000'].find((text) => contrast(text, wanted) >= minContrast);
  return onAccent === undefined ? palette : { ...palette, accent: wanted, onAccent };
}

/** The accent of a button under the pointer: away from the text on it, so that this reads no worse. */
export function hoveredAccent({ accent, onAccent }: Pick<Palette, 'accent' | 'onAccent'>): string {
  const isLight = contrast(onAccent, '#ffffff') > contrast(onAccent, '#000000');
  return mixed(accent, 0.85, isLight ? '#ffffff' : '#000000');
}
