/**
 * Framing of log file lines from agent to portal. Within a bulk request a frame replaces an action–document pair: one line of JSON that describes
 * the block, then its bytes exactly as in the file. The host spends no work on building an event per line; the portal does.
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

/** Event ID of a line, stable across repeated reads. */
export const lineId = (stream: string, offset: number): string => `${stream}-${offset.toString(36)}`;

/** Start and end of each non-empty line, without CR and newline. Agent and portal both count lines with it. */
export function* lineEnds(bytes: Uint8Array): Generator<[from: number, to: number], void> {
  for (let from = 0; from < bytes.length; ) {
    const found = bytes.indexOf(10, from);
    const stop = found === -1 ? bytes.length : found;
    const to = stop > from && bytes[stop - 1] === 13 ? stop - 1 : stop;
    if (to > from) yield [from, to];
    from = stop + 1;
  }
}
