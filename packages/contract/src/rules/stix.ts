/** Marks of the Traffic Light Protocol on exported cases. This file does not import zod. */

export const tlps = ['clear', 'green', 'amber', 'red'] as const;
export type Tlp = (typeof tlps)[number];

export const tlpLabel = (tlp: Tlp): string => `TLP:${tlp.toUpperCase()}`;

/** Circles of readers (FIRST, TLP 2.0). */
export const tlpReaders: Record<Tlp, string> = {
  clear: 'Anyone',
  green: 'The recipient’s community',
  amber: 'The recipient’s organisation and its clients',
  red: 'The named recipients only',
};
