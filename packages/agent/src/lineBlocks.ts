/** Splits bytes of a log file into blocks of complete lines. */
import type { Block } from './bulk.ts';

const newline = 10;
const carriageReturn = 13;
export const longestLine = 64 * 1024;
/** Maximum lines per block; batches end at block boundaries. */
const maxLines = 2_500;

export interface SplitOptions {
  /** No more bytes follow: an unfinished line counts as complete. */
  isLast: boolean;
  /** The bytes begin with the rest of an overlong line, which is skipped. */
  isSkipping: boolean;
}

/** Returns the blocks and the number of bytes used; an overlong line becomes a block of its own. */
export function splitLines(
  bytes: Buffer,
  { stream, offset }: Pick<Block, 'stream' | 'offset'>,
  { isLast, isSkipping }: SplitOptions,
): { blocks: Block[]; used: number; isSkipping: boolean } {
  const blocks: Block[] = [];
  let begin = 0;
  let count = 0;
  const add = (end: number, isCut = false) => {
    if (count > 0) blocks.push({ stream, offset: offset + begin, bytes: bytes.subarray(begin, end), count, isCut });
    count = 0;
  };
  let from = 0;
  while (from < bytes.length) {
    const found = bytes.indexOf(newline, from);
    const stop = found === -1 ? bytes.length : found;
    const next = found === -1 ? stop : found + 1;
    const isWhole = found !== -1 || isLast;
    if (isSkipping) {
      isSkipping = found === -1;
      begin = next;
    } else if (stop - from > longestLine || (!isWhole && stop - from === longestLine)) {
      add(from);
      begin = from;
      count = 1;
      add(from + longestLine, true);
      begin = next;
      isSkipping = !isWhole;
    } else if (!isWhole) {
      break;
    } else {
      if (stop > from + 1 || (stop > from && bytes[from] !== carriageReturn)) count++;
      if (count === maxLines) {
        add(next);
        begin = next;
      }
    }
    from = next;
  }
  add(from);
  return { blocks, used: from, isSkipping };
}
