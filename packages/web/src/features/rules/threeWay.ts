/** Three texts of an edited rule by lines: the built-in text that the edit began from, the edit, and the built-in text of an upgrade. */
import { diffArrays } from 'diff';

export interface Part {
  /** own, builtIn: changed there only; both: changed alike; conflict: changed differently in the same place. */
  kind: 'same' | 'own' | 'builtIn' | 'both' | 'conflict';
  base: readonly string[];
  own: readonly string[];
  builtIn: readonly string[];
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

function kindOf({ base, own, builtIn }: Omit<Part, 'kind'>): Part['kind'] {
  if (isEqual(own, builtIn)) return isEqual(own, base) ? 'same' : 'both';
  if (isEqual(builtIn, base)) return 'own';
  return isEqual(own, base) ? 'builtIn' : 'conflict';
}

/** Parts in order, adjacent equal lines as one. */
export function threeWay(baseText: string, ownText: string, builtInText: string): Part[] {
  const [base, own, builtIn] = [baseText, ownText, builtInText].map(linesOf) as [string[], string[], string[]];
  const [inOwn, inBuiltIn] = [placesOf(base, own), placesOf(base, builtIn)];
  const parts: Part[] = [];
  let [b, o, n] = [0, 0, 0];
  const add = (endB: number, endO: number, endN: number) => {
    const part = { base: base.slice(b, endB), own: own.slice(o, endO), builtIn: builtIn.slice(n, endN) };
    [b, o, n] = [endB, endO, endN];
    if (part.base.length + part.own.length + part.builtIn.length > 0) parts.push({ kind: kindOf(part), ...part });
  };
  while (b < base.length) {
    let next = b;
    while (next < base.length && inOwn[next] === o + next - b && inBuiltIn[next] === n + next - b) next++;
    add(next, o + next - b, n + next - b);
    while (next < base.length && (inOwn[next] === undefined || inBuiltIn[next] === undefined)) next++;
    add(next, next < base.length ? inOwn[next]! : own.length, next < base.length ? inBuiltIn[next]! : builtIn.length);
  }
  add(base.length, own.length, builtIn.length);
  return parts;
}

/** The edit with the changes of the upgrade; undefined with a conflict. */
export function mergedText(parts: readonly Part[]): string | undefined {
  if (parts.some(({ kind }) => kind === 'conflict')) return undefined;
  return `${parts.flatMap(({ kind, own, builtIn }) => (kind === 'builtIn' ? builtIn : own)).join('\n')}\n`;
}
