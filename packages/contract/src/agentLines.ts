/**
 * Lines of a log file on their way from an agent to the portal. Within a bulk request they stand in place of a pair: one line of JSON that says what
 * they are, then their bytes as they are in the file. So a host spends nothing on making an event of each; the portal does.
 */
import { z } from 'zod';
import { count } from './primitives.ts';

export const linesHeader = z.object({
  lines: z.object({
    count: count.describe('Number of non-empty lines, one event each.'),
    bytes: count.describe('Length of the following bytes, including the last newline.'),
    crc: count.describe('CRC-32 of the bytes, to detect data torn by a power loss on the agent’s disk.'),
    stream: z
      .string()
      .regex(/^[\w-]{1,64}$/)
      .describe('Identifier of the file among all files that existed at its path.'),
    offset: count.describe('Offset of the first byte in the file.'),
    event: z.looseObject({ log: z.looseObject({}).optional() }).describe('Fields shared by all of these events.'),
  }),
});
export type LinesHeader = z.infer<typeof linesHeader>['lines'];

/** The id of an event, the same whenever its line is read again. */
export const lineId = (stream: string, offset: number): string => `${stream}-${offset.toString(36)}`;

/** Where each line that is not empty begins and ends, without CR and newline. Both sides count lines by this. */
export function* lineEnds(bytes: Uint8Array): Generator<[from: number, to: number], void> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(10, from);
    const stop = found === -1 ? bytes.length : found;
    const to = stop > from && bytes[stop - 1] === 13 ? stop - 1 : stop;
    if (to > from) yield [from, to];
    from = stop + 1;
  }
}
