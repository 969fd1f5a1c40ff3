/** Number of leading entries that fit in a row of `width` px, with room for “More” of `moreWidth` px unless all fit. */
export function fitting(widths: readonly number[], width: number, gap: number, moreWidth: number): number {
  const total = widths.reduce((sum, each) => sum + each + gap, -gap);
  if (total <= width) return widths.length;
  let used = moreWidth;
  let count = 0;
  for (const each of widths) {
    used += each + gap;
    if (used > width) break;
    count++;
  }
  return count;
}
