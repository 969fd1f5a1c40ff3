/**
 * The 26 colour themes as data (spec §2.2): a mode, an accent and a surface tint each; everything else follows from these by contrast.
 * `app/theme/colors.test.ts` holds every palette to WCAG AA. Severity and device-type colours are not theirs: those mean the same in all.
 */
import { contrast, minContrast } from '@parapet/contract/rules/contrast.ts';
import { mixed, oklch } from './oklch.ts';

export type Mode = 'light' | 'dark';

export interface Palette {
  id: string;
  name: string;
  mode: Mode;
  /** Interactive elements. */
  accent: string;
  onAccent: string;
  /** The page background. */
  ground: string;
  /** Cards, tables, the drawer. */
  surface: string;
  hairline: string;
  /** Edges of inputs and checkboxes, with sufficient contrast. */
  control: string;
  text: string;
  quietText: string;
  error: string;
  warning: string;
  success: string;
  info: string;
  /** The text on a button in one of the four above. */
  onSignal: string;
}

const light = {
  mode: 'light',
  onAccent: '#ffffff',
  ground: '#f6f7f9',
  surface: '#ffffff',
  hairline: '#dfe3e9',
  control: '#868e9b',
  text: '#161b24',
  quietText: '#566072',
  error: '#b3261e',
  warning: '#8a5a00',
  success: '#1d6f42',
  info: '#1558b0',
  onSignal: '#ffffff',
} as const;

const dark = {
  mode: 'dark',
  onAccent: '#06201f',
  ground: '#101217',
  surface: '#171a21',
  hairline: '#2b303b',
  control: '#6b7484',
  text: '#e8eaef',
  quietText: '#a2abba',
  error: '#ff8a80',
  warning: '#f2c063',
  success: '#6fd19b',
  info: '#7db9f5',
  onSignal: '#14171d',
} as const;

/** The first lightness, going by `step`, at which a colour stands off all others by at least so much. */
function standingOff(others: readonly string[], least: number, from: number, step: number, chroma: number, hue: number): string {
  let color = oklch(from, chroma, hue);
  for (let lightness = from; lightness > 0 && lightness < 1; lightness += step) {
    color = oklch(lightness, chroma, hue);
    if (others.every((other) => contrast(color, other) >= least)) break;
  }
  return color;
}

/** The parameters of a theme. */
interface Seed {
  name: string;
  /** Hue and vividness of the accent. */
  accent: readonly [hue: number, chroma: number];
  /** Hue and strength of the tint of surfaces and texts. */
  tint: readonly [hue: number, chroma: number];
  /** Dark themes: lightness of the ground. */
  ground?: number;
}

/** Added to the required contrast, for the rounding of colours. */
const margin = 0.1;

function paletteFrom(id: string, mode: Mode, { name, accent, tint, ground: base = 0.19 }: Seed): Palette {
  const [hue, strength] = tint;
  const isLight = mode === 'light';
  const ground = isLight ? oklch(0.979, strength, hue) : oklch(base, strength * 1.4, hue);
  const surface = isLight ? oklch(1, 0, 0) : oklch(base + 0.035, strength * 1.5, hue);
  const text = isLight ? oklch(0.22, strength * 2.5, hue) : oklch(0.935, strength * 0.6, hue);
  // The accent is also read on a selected row.
  const grounds = [ground, surface, mixed(text, 0.1, surface)];
  const step = isLight ? -0.005 : 0.005;
  const accentColor = standingOff(grounds, minContrast + margin, isLight ? 0.56 : 0.7, step, accent[1], accent[0]);
  return {
    ...(isLight ? light : dark),
    id,
    name,
    ground,
    surface,
    text,
    accent: accentColor,
    onAccent: isLight ? '#ffffff' : oklch(0.2, 0.03, accent[0]),
    hairline: isLight ? oklch(0.912, strength * 1.6, hue) : oklch(base + 0.12, strength * 1.8, hue),
    control: standingOff([ground, surface], 3 + margin, isLight ? 0.72 : 0.4, step, strength * 2.4, hue),
    quietText: standingOff(grounds, 5, isLight ? 0.52 : 0.68, step, strength * 2.8, hue),
  };
}

const seeds: Record<string, Seed> = {
  legacy: { name: 'Legacy', accent: [252, 0.09], tint: [250, 0.009] },
  light1: { name: 'Harbour', accent: [250, 0.15], tint: [255, 0.004] },
  light2: { name: 'Paper', accent: [55, 0.1], tint: [85, 0.006] },
  light3: { name: 'Meadow', accent: [150, 0.12], tint: [145, 0.006] },
  light4: { name: 'Lavender', accent: [295, 0.16], tint: [295, 0.007] },
  light5: { name: 'Rosewood', accent: [5, 0.14], tint: [15, 0.005] },
  light6: { name: 'Glacier', accent: [215, 0.1], tint: [215, 0.007] },
  light7: { name: 'Graphite', accent: [260, 0.02], tint: [260, 0.001] },
  light8: { name: 'Olive', accent: [120, 0.1], tint: [110, 0.007] },
  light9: { name: 'Plum', accent: [330, 0.14], tint: [325, 0.005] },
  light10: { name: 'Copper', accent: [40, 0.13], tint: [50, 0.005] },
  light11: { name: 'Indigo', accent: [275, 0.18], tint: [275, 0.005] },
  light12: { name: 'Lagoon', accent: [190, 0.1], tint: [185, 0.006] },
  dark2: { name: 'Midnight', accent: [250, 0.13], tint: [262, 0.018], ground: 0.185 },
  dark3: { name: 'Ink', accent: [230, 0.1], tint: [260, 0.001], ground: 0.14 },
  dark4: { name: 'Forest', accent: [150, 0.14], tint: [155, 0.011], ground: 0.18 },
  dark5: { name: 'Aubergine', accent: [310, 0.13], tint: [310, 0.014], ground: 0.19 },
  dark6: { name: 'Ember', accent: [50, 0.13], tint: [45, 0.008], ground: 0.185 },
  dark7: { name: 'Slate', accent: [215, 0.09], tint: [245, 0.012], ground: 0.235 },
  dark8: { name: 'Graphite', accent: [90, 0.02], tint: [90, 0.002], ground: 0.2 },
  dark9: { name: 'Orchid', accent: [345, 0.13], tint: [340, 0.009], ground: 0.18 },
  dark10: { name: 'Moss', accent: [115, 0.13], tint: [115, 0.009], ground: 0.19 },
  dark11: { name: 'Indigo', accent: [280, 0.14], tint: [280, 0.02], ground: 0.205 },
  dark12: { name: 'Deep sea', accent: [190, 0.1], tint: [215, 0.018], ground: 0.18 },
};

/** default and dark1 stand on the grounds by which brands' accents are judged; only they take those accents. */
export const palettes: readonly Palette[] = [
  { ...light, id: 'default', name: 'Default', accent: '#0b6b66' },
  ...Object.entries(seeds)
    .filter(([id]) => !id.startsWith('dark'))
    .map(([id, seed]) => paletteFrom(id, 'light', seed)),
  { ...dark, id: 'dark1', name: 'Default', accent: '#4cc9bd' },
  ...Object.entries(seeds)
    .filter(([id]) => id.startsWith('dark'))
    .map(([id, seed]) => paletteFrom(id, 'dark', seed)),
];

export const standardOf = { light: 'default', dark: 'dark1' } as const;
export const palettesOf = (mode: Mode): readonly Palette[] => palettes.filter((palette) => palette.mode === mode);

/** The theme of a mode by its id; the standard one for an id that is unknown, or of the other mode. */
export const paletteOf = (mode: Mode, id: unknown): Palette =>
  palettes.find((palette) => palette.id === id && palette.mode === mode) ??
  palettes.find((palette) => palette.id === standardOf[mode])!;
