/** Contrast by WCAG 2.2 (relative luminance), enforced on the web's palettes and on brand colours. */

export type Rgb = [red: number, green: number, blue: number];

/** Converts #rrggbb to linear light, 0…1. */
export function linearOf(hex: string): Rgb {
  if (!/^#[0-9a-f]{6}$/i.test(hex)) throw new Error(`${hex} is not a colour such as #2f6f9f`);
  return [1, 3, 5].map((at) => {
    const value = Number.parseInt(hex.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  }) as Rgb;
}

function luminance(hex: string): number {
  const [red, green, blue] = linearOf(hex);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Contrast ratio, 1…21. */
export function contrast(one: string, other: string): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b) as [number, number];
  return (light + 0.05) / (dark + 0.05);
}

/** Minimum contrast of text (WCAG 2.2, AA). */
export const minContrast = 4.5;

/** Backgrounds of an accent in the web's palettes: the page, then cards and tables. */
export const grounds = { light: ['#f6f7f9', '#ffffff'], dark: ['#101217', '#171a21'] } as const;
/** Text colour of a button in the accent's colour. */
const onAccent = { light: '#ffffff', dark: '#06201f' } as const;

/** Reason that an accent is refused, with its ratio; undefined when readable on all backgrounds. */
export function accentError(accent: string, mode: keyof typeof grounds): string | undefined {
  const ratios = [...grounds[mode], onAccent[mode]].map((other) => ({ other, ratio: contrast(accent, other) }));
  const worst = ratios.reduce((least, each) => (each.ratio < least.ratio ? each : least));
  if (worst.ratio >= minContrast) return undefined;
  // Truncated, not rounded: 4.499 must not be shown as 4.5.
  const ratio = (Math.floor(worst.ratio * 100) / 100).toFixed(2);
  return `${accent} has a contrast of ${ratio}:1 with ${worst.other}; at least ${minContrast}:1 is needed. Choose a ${mode === 'light' ? 'darker' : 'lighter'} colour.`;
}
