/** Checks and text of a file before its upload. */

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
    return `This isn’t a ${types
      .map(kindOf)
      .join(', ')
      .replace(/, ([^,]+)$/, ' or $1')} file.`;
  if (file.size > maxBytes) {
    return `This file has ${(file.size / mebi).toFixed(1)} MiB; the maximum is ${(maxBytes / mebi).toFixed(0)} MiB.`;
  }
  return file.size === 0 ? 'This file is empty.' : undefined;
}

/** Text of a file in UTF-8, in UTF-16 with its mark, or in Windows-1252, as spreadsheets of Western Europe save CSV. */
export async function textOf(file: Blob): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const isMarked = (first: number, second: number) => bytes[0] === first && bytes[1] === second;
  if (isMarked(0xff, 0xfe)) return new TextDecoder('utf-16le').decode(bytes);
  if (isMarked(0xfe, 0xff)) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}
