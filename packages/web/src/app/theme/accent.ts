/** A brand’s accent where its contrast is sufficient, else the palette’s. */
import { contrast, minContrast } from '@parapet/contract/rules/contrast.ts';
import { mixed } from '../../lib/oklch.ts';
import type { Palette } from '../../lib/palettes.ts';

export function withAccent(palette: Palette, wanted: string): Palette {
  if (!/^#[0-9a-f]{6}$/i.test(wanted)) return palette;
  if ([palette.ground, palette.surface].some((surface) => contrast(wanted, surface) < minContrast)) return palette;
  // A colour with contrast to a dark surface has more to black, one with contrast to a light surface more to white.
  const onAccent = [palette.onAccent, '#ffffff', '#000000'].find((text) => contrast(text, wanted) >= minContrast);
  return onAccent === undefined ? palette : { ...palette, accent: wanted, onAccent };
}

/** The hovered button’s accent: moved away from its text colour, so that the contrast does not drop. */
export function hoveredAccent({ accent, onAccent }: Pick<Palette, 'accent' | 'onAccent'>): string {
  const isLight = contrast(onAccent, '#ffffff') > contrast(onAccent, '#000000');
  return mixed(accent, 0.85, isLight ? '#ffffff' : '#000000');
}
