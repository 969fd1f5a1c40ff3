/** What is said of a partner's accent colour while it is being chosen. */
import { accentFault, contrast, grounds } from '@parapet/contract/rules/contrast.ts';

export type Mode = keyof typeof grounds;

export const isColour = (text: unknown): text is string => typeof text === 'string' && /^#[0-9a-f]{6}$/i.test(text);

/** Why the colour is refused; undefined for a good one, for none, and for what is no colour yet. */
export const faultIn = (colour: unknown, mode: Mode): string | undefined =>
  isColour(colour) ? accentFault(colour, mode) : undefined;

/** The lowest contrast with what stands behind it, cut so that it never claims more than there is. */
export const ratioOf = (colour: string, mode: Mode): string => {
  const least = Math.min(...grounds[mode].map((ground) => contrast(colour, ground)));
  return `${(Math.floor(least * 10) / 10).toFixed(1)} : 1`;
};
