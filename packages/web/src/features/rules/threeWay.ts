/** Three texts of an edited rule by lines: the text that the edit began from, the edit, and the new text of the origin (an upgrade, or an update of a pack). */
import { diffArrays } from 'diff';

export interface Part {
  /** own, theirs: changed there only; both: changed alike; conflict: changed differently in the same place. */
  kind: 'same' | 'own' | 'theirs' | 'both' | 'conflict';
  base: readonly string[];
  own: readonly string[];
  theirs: readonly string[];
}

const linesOf = (text: string): string[] => text.replace(/\n$/, '').split('\n');
const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((line, index) => line === b[index]);

/** Place in `changed` of each line of `base`; undefined for lines that are gone. */
function placesOf(base: string[], changed: string[]): (number | undefined)[] {
  const places: (number | undefined)[] = [];
  let at = 0;
  for (const { added, removed, count } of diffArrays(base, changed)) {
    if (added) at += count;
    else for (let line = 0; line < count; line++) places.push(removed ? undefined : at++);
  }
  return places;
}

function kindOf({ base, own, theirs }: Omit<Part, 'kind'>): Part['kind'] {
  if (isEqual(own, theirs)) return isEqual(own, base) ? 'same' : 'both';
  if (isEqual(theirs, base)) return 'own';
  return isEqual(own, base) ? 'theirs' : 'conflict';
}

/** Parts in order, adjacent equal lines as one. */
export function threeWay(baseText: string, ownText: string, theirText: string): Part[] {
  const [base, own, theirs] = [baseText, ownText, theirText].map(linesOf) as [string[], string[], string[]];
  const [inOwn, inTheirs] = [placesOf(base, own), placesOf(base, theirs)];
  const parts: Part[] = [];
  let [b, o, n] = [0, 0, 0];
  const add = (endB: number, endO: number, endN: number) => {
    const part = { base: base.slice(b, endB), own: own.slice(o, endO), theirs: theirs.slice(n, endN) };
    [b, o, n] = [endB, endO, endN];
    if (part.base.length + part.own.length + part.theirs.length > 0) parts.push({ kind: kindOf(part), ...part });
  };
  while (b < base.length) {
    let next = b;
    while (next < base.length && inOwn[next] === o + next - b && inTheirs[next] === n + next - b) next++;
    add(next, o + next - b, n + next - b);
    while (next < base.length && (inOwn[next] === undefined || inTheirs[next] === undefined)) next++;
    add(next, next < base.length ? inOwn[next]! : own.length, next < base.length ? inTheirs[next]! : theirs.length);
  }
  add(base.length, own.length, theirs.length);
  return parts;
}

/** The edit with the changes of the origin; undefined with a conflict. */
export function mergedText(parts: readonly Part[]): string | undefined {
  if (parts.some(({ kind }) => kind === 'conflict')) return undefined;
  return `${parts.flatMap(({ kind, own, theirs }) => (kind === 'theirs' ? theirs : own)).join('\n')}\n`;
}
