/** Lines and search hits of a code viewer. Lines are counted from 0. */

/** The lines that contain the text, without regard to case; at most `most`. */
export function findLines(lines: readonly string[], wanted: string, most = 10_000): number[] {
  const needle = wanted.trim().toLowerCase();
  const found: number[] = [];
  if (needle === '') return found;
  for (const [index, line] of lines.entries()) {
    if (line.toLowerCase().includes(needle)) found.push(index);
    if (found.length === most) break;
  }
  return found;
}

/** The bounded part that is drawn: from the start, or around a hit that lies beyond it. */
export function drawnLines(count: number, limit: number, current: number | undefined): { from: number; to: number } {
  const from = current === undefined || current < limit ? 0 : Math.max(0, current - Math.floor(limit / 2));
  return { from, to: Math.min(count, from + limit) };
}
