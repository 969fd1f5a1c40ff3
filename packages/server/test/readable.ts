/** All text of a response: files are unpacked and rendered to their visible text. */
import { strFromU8, unzipSync } from 'fflate';
import { textsOf } from './pdf.ts';

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  Buffer.from(bytes.subarray(0, text.length)).toString('latin1') === text;

export function readable(bytes: Uint8Array): string {
  if (startsWith(bytes, '%PDF')) return textsOf(Buffer.from(bytes)).join('\n');
  // Workbooks and archives of reports.
  if (startsWith(bytes, 'PK')) return Object.values(unzipSync(bytes)).map(readable).join('\n');
  return strFromU8(bytes);
}
