/** Lines of a block as the portal reads them: for tests, and as the baseline for the shipping benchmark. */
import { lineEnds, lineId } from '@parapet/contract/agentLines.ts';
import type { Block } from '../src/bulk.ts';

export interface Line {
  id: string;
  text: string;
  offset: number;
  isCut: boolean;
}

export function linesOf({ stream, offset, bytes, isCut }: Block): Line[] {
  return Array.from(lineEnds(bytes), ([from, to]) => ({
    id: lineId(stream, offset + from),
    text: bytes.toString('utf8', from, to),
    offset: offset + from,
    isCut,
  }));
}
