/** Guesses the format and the list name of a threat intelligence file. */
import type { intelligenceFormats } from '@parapet/contract/intelligence.ts';

export type Format = (typeof intelligenceFormats)[number];
export const formatName: Record<Format, string> = { csv: 'CSV', misp: 'MISP JSON', stix: 'STIX 2.1 bundle' };

/** Format by the first characters of the file; anything that is not JSON is CSV. */
export function formatOf(head: string): Format {
  const text = head.replace(/^\uFEFF/, '').trimStart();
  if (!/^[[{]/.test(text)) return 'csv';
  return /"type"\s*:\s*"bundle"/.test(text) || /"spec_version"\s*:/.test(text) ? 'stix' : 'misp';
}

/** List name from the file name, without folder, extension and underscores. */
export const nameOf = (fileName: string): string =>
  fileName
    .replace(/^.*[\\/]/, '')
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .slice(0, 200);
