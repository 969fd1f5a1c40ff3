/**
 * Ranges of an event's value that a rule's pattern matched, for highlighting. Covers literal patterns with Sigma's wildcards. Regular
 * expressions and encodings are not evaluated in the browser (an expression can hang a page) and highlight nothing. Comparisons of the
 * whole value highlight all of it.
 */

export type Range = [start: number, end: number];

const whole = (value: string): Range[] => (value.length > 0 ? [[0, value.length]] : []);

/** `modifier` as written in the rule: '' or 'equals', 'contains', 'contains|all', 'endswith|windash', 're', 'cidr', 'base64offset|contains'. */
export function matchRange(modifier: string, pattern: string, value: string): Range[] {
  const modifiers = modifier.toLowerCase().split(/[|\s,]+/);
  const has = (name: string) => modifiers.includes(name);
  if (['re', 'base64', 'base64offset', 'wide', 'utf16', 'utf16le', 'utf16be', 'expand'].some(has)) return [];
  if (['cidr', 'exists', 'neq', 'lt', 'lte', 'gt', 'gte', 'fieldref', 'minute', 'hour', 'day', 'week', 'month', 'year'].some(has))
    return whole(value);

  const isCased = has('cased');
  const haystack = foldCase(value, isCased);
  const parts = partsOf(foldCase(pattern, isCased), has('windash'));
  if (haystack.length !== value.length || parts.length === 0) return whole(value);

  const startsFree = has('contains') || has('endswith') || has('keyword');
  const endsFree = has('contains') || has('startswith') || has('keyword');
  if (!startsFree && !endsFree) return whole(value);
  if (has('endswith')) {
    const at = findLast(haystack, parts);
    return at ? [at] : whole(value);
  }
  const at = find(haystack, parts, !startsFree);
  return at ? [at] : whole(value);
}

/** Characters that windash patterns treat as equal. */
const dashes = /[-/\u2013\u2014\u2015]/g;
const foldCase = (text: string, isCased: boolean) => (isCased ? text : text.toLowerCase());

interface Part {
  text: string;
  isWindash: boolean;
}

/** Literal parts between the wildcards `*` and `?` (`\` escapes them), without the open ends. */
function partsOf(pattern: string, isWindash: boolean): Part[] {
  const parts: Part[] = [];
  let text = '';
  const end = () => {
    if (text !== '') parts.push({ text: isWindash ? text.replace(dashes, '-') : text, isWindash });
    text = '';
  };
  for (let at = 0; at < pattern.length; at++) {
    const char = pattern[at] ?? '';
    const next = pattern[at + 1] ?? '';
    if (char === '\\' && (next === '*' || next === '?' || next === '\\')) {
      text += next;
      at++;
    } else if (char === '*' || char === '?') end();
    else text += char;
  }
  end();
  return parts;
}

const textFor = (haystack: string, part: Part) => (part.isWindash ? haystack.replace(dashes, '-') : haystack);

/** Range from the first occurrence of the first part to the end of the last part, in order: one pass without backtracking. */
function find(haystack: string, parts: Part[], isAnchored: boolean): Range | undefined {
  let start = -1;
  let at = 0;
  for (const part of parts) {
    const found = textFor(haystack, part).indexOf(part.text, at);
    if (found < 0 || (isAnchored && start < 0 && found !== 0)) return undefined;
    if (start < 0) start = found;
    at = found + part.text.length;
  }
  return start < 0 ? undefined : [start, at];
}

function findLast(haystack: string, parts: Part[]): Range | undefined {
  let start = haystack.length;
  for (const [index, part] of [...parts].reverse().entries()) {
    const found = textFor(haystack, part).lastIndexOf(part.text, start - part.text.length);
    if (found < 0 || (index === 0 && found + part.text.length !== haystack.length)) return undefined;
    start = found;
  }
  return [start, haystack.length];
}
