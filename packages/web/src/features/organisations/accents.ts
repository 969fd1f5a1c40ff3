/** Validation and contrast of a partner’s accent colour. */
import { accentError, contrast, grounds } from '@parapet/contract/rules/contrast.ts';

export type Mode = keyof typeof grounds;

export const isColour = (text: unknown): text is string => typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text);

/** Validation error of a colour; undefined for valid, empty and incomplete ones. */
export const faultIn = (colour: unknown, mode: Mode): string | undefined =>
  isColour(colour) ? accentError(colour, mode) : undefined;

/** Lowest contrast with the backgrounds of the mode, rounded down to one decimal. */
export const ratioOf = (colour: string, mode: Mode): string => {
  const lowest = Math.min(...grounds[mode].map((ground) => contrast(colour, ground)));
  return `${(Math.floor(lowest * 10) / 10).toFixed(1)} : 1`;
};
