/** Checks of a file before its upload. */

const mebi = 1024 * 1024;
const kindOf = (type: string) => (type.split('/')[1] ?? type.replace(/^\./, '')).toUpperCase();

/**
 * Reason to reject a file; undefined when it is accepted. `types`: media types, or extensions (".csv") where browsers have no
 * type.
 */
export function faultOfFile(
  file: { type: string; size: number; name?: string },
  types: readonly string[],
  maxBytes: number,
): string | undefined {
  const isEnding = (type: string) => type.startsWith('.') && (file.name ?? '').toLowerCase().endsWith(type);
  if (!types.some((type) => type === file.type || isEnding(type)))
    return `This is no ${types
      .map(kindOf)
      .join(', ')
      .replace(/, ([^,]+)$/, ' or $1')} file.`;
  if (file.size > maxBytes) {
    return `This file has ${(file.size / mebi).toFixed(1)} MiB; at most ${(maxBytes / mebi).toFixed(0)} MiB are taken.`;
  }
  return file.size === 0 ? 'This file is empty.' : undefined;
}
