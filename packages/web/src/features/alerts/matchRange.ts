/**
 * Which part of an event's value a rule's pattern hit, for highlighting. Only what can be known cheaply and for sure: literal patterns
 * with Sigma's wildcards. Regular expressions and encodings are not run again in the browser (an expression can hang a page): there
 * nothing is highlighted. Where a value was compared as a whole, the whole is the hit.
 */

export type Range = [start: number, end: number];

const whole = (value: string): Range[] => (value.length > 0 ? [[0, value.length]] : []);

/** `modifier` as the rule has it: '' or 'equals', 'contains', 'contains|all', 'endswith|windash', 're', 'cidr', 'base64offset|contains'. */
export function matchRange(modifier: string, pattern: string, value: string): Range[] {
  const modifiers = modifier.toLowerCase().split(/[|\s,]+/);
  const has = (name: string) => modifiers.includes(name);
  if (['re', 'base64', 'base64offset', 'wide', 'utf16', 'utf16le', 'utf16be', 'expand'].some(has)) return [];
  if (['cidr', 'exists', 'neq', 'lt', 'lte', 'gt', 'gte', 'fieldref', 'minute', 'hour', 'day', 'week', 'month', 'year'].some(has))
    return whole(value);

  const isCased = has('cased');
  const hay = fold(value, isCased);
  const parts = partsOf(fold(pattern, isCased), has('windash'));
  if (hay.length !== value.length || parts.length === 0) return whole(value);

  const startsFree = has('contains') || has('endswith') || has('keyword');
  const endsFree = has('contains') || has('startswith') || has('keyword');
  if (!startsFree && !endsFree) return whole(value);
  if (has('endswith')) {
    const at = findLast(hay, parts);
    return at ? [at] : whole(value);
  }
  const at = find(hay, parts, !startsFree);
  return at ? [at] : whole(value);
}

/** Windash patterns match with any dash; all of them are one here. */
const dashes = /[-/\u2013\u2014\u2015]/g;
const fold = (text: string, isCased: boolean) => (isCased ? text : text.toLowerCase());

interface Part {
  text: string;
  isWindash: boolean;
}

/** The literal parts between wildcards: `*` and `?`, `\` before them makes them literal. Without the open ends. */
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

const in_ = (hay: string, part: Part) => (part.isWindash ? hay.replace(dashes, '-') : hay);

/** From the first part's first place to the end of the last part, each after the other: one pass, no going back. */
function find(hay: string, parts: Part[], isAnchored: boolean): Range | undefined {
  let start = -1;
  let at = 0;
  for (const part of parts) {
    const found = in_(hay, part).indexOf(part.text, at);
    if (found < 0 || (isAnchored && start < 0 && found !== 0)) return undefined;
    if (start < 0) start = found;
    at = found + part.text.length;
  }
  return start < 0 ? undefined : [start, at];
}

function findLast(hay: string, parts: Part[]): Range | undefined {
  let start = hay.length;
  for (const [index, part] of [...parts].reverse().entries()) {
    const found = in_(hay, part).lastIndexOf(part.text, start - part.text.length);
    if (found < 0 || (index === 0 && found + part.text.length !== hay.length)) return undefined;
    start = found;
  }
  return [start, hay.length];
}
