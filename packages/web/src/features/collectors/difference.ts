/** Line difference of two texts, with a few unchanged lines around each change. */
import { structuredPatch } from 'diff';

export interface DiffLine {
  kind: 'same' | 'added' | 'removed' | 'gap';
  text: string;
  /** Line numbers in the older and the newer text. */
  before: number | undefined;
  after: number | undefined;
}

/** Undefined for texts with almost nothing in common. */
export function differenceOf(before: string, after: string): DiffLine[] | undefined {
  const patch = structuredPatch('', '', before, after, '', '', { context: 3, maxEditLength: 4_000 });
  if (!patch) return undefined;
  const lines: DiffLine[] = [];
  for (const hunk of patch.hunks) {
    let [old, now] = [hunk.oldStart, hunk.newStart];
    if (lines.length > 0 || old > 1) lines.push({ kind: 'gap', text: '', before: undefined, after: undefined });
    for (const line of hunk.lines) {
      const text = line.slice(1);
      if (line.startsWith('+')) lines.push({ kind: 'added', text, before: undefined, after: now++ });
      else if (line.startsWith('-')) lines.push({ kind: 'removed', text, before: old++, after: undefined });
      else if (line.startsWith(' ')) lines.push({ kind: 'same', text, before: old++, after: now++ });
    }
  }
  return lines;
}
