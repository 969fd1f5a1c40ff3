/**
 * The colour themes as data: mode, accent, surfaces. The theme is made from one light and one dark palette at a time, so that switching
 * between them only flips an attribute. `colors.test.ts` holds every palette to WCAG AA.
 */
import type { Mode } from './signals.ts';

export interface Palette {
  id: string;
  name: string;
  mode: Mode;
  /** What one can act on. */
  accent: string;
  onAccent: string;
  /** Behind everything. */
  ground: string;
  /** Cards, tables, the drawer. */
  surface: string;
  hairline: string;
  text: string;
  quietText: string;
  error: string;
  warning: string;
  success: string;
  info: string;
}

const light = {
  mode: 'light',
  onAccent: '#ffffff',
  ground: '#f6f7f9',
  surface: '#ffffff',
  hairline: '#dfe3e9',
  text: '#161b24',
  quietText: '#566072',
  error: '#b3261e',
  warning: '#8a5a00',
  success: '#1d6f42',
  info: '#1558b0',
} as const;

const dark = {
  mode: 'dark',
  onAccent: '#06201f',
  ground: '#101217',
  surface: '#171a21',
  hairline: '#2b303b',
  text: '#e8eaef',
  quietText: '#a2abba',
  error: '#ff8a80',
  warning: '#f2c063',
  success: '#6fd19b',
  info: '#7db9f5',
} as const;

export const palettes = [
  { ...light, id: 'default', name: 'Default', accent: '#0b6b66' },
  { ...dark, id: 'dark1', name: 'Dark 1', accent: '#4cc9bd' },
] as const satisfies Palette[];

export type PaletteId = (typeof palettes)[number]['id'];
export const paletteOf = (id: PaletteId): Palette => palettes.find((palette) => palette.id === id) ?? palettes[0];
