/** What a file of threat intelligence seems to be, so that its reader need only agree. */
import type { intelligenceFormats } from '@parapet/contract/intelligence.ts';

export type Format = (typeof intelligenceFormats)[number];
export const formatName: Record<Format, string> = { csv: 'CSV', misp: 'MISP JSON', stix: 'STIX 2.1 bundle' };

/** By its first characters; what is no JSON is CSV. */
export function formatOf(head: string): Format {
  const text = head.replace(/^\uFEFF/, '').trimStart();
  if (!/^[[{]/.test(text)) return 'csv';
  return /"type"\s*:\s*"bundle"/.test(text) || /"spec_version"\s*:/.test(text) ? 'stix' : 'misp';
}

/** A list's name from its file's: without folder, ending and signs that say nothing. */
export const nameOf = (fileName: string): string =>
  fileName
    .replace(/^.*[\\/]/, '')
    .replace(/\.[a-z0-9]{1,5}$/i, '')
    .replace(/[_\s]+/g, ' ')
    .trim()
    .slice(0, 200);
