/** Fixes of lint findings as one replacement in the rule's text. Only where one text is surely meant: others are left to the author. */
import type { Finding, Subject } from './lint.ts';

export interface Fix {
  /** Label of the action. */
  name: string;
  /** Line of the text that it replaces, from 1. */
  line: number;
  /** Range of characters in the rule's text. */
  from: number;
  to: number;
  insert: string;
}

type Place = Pick<Fix, 'from' | 'to' | 'insert'> & { name: string };

/** Undefined for a finding without a sure fix. `newId` makes a UUID. */
export function fixOf(
  { code, subject }: { code: Finding['code']; subject?: Subject | undefined },
  text: string,
  newId: () => string,
): Fix | undefined {
  const place = placeOf(code, subject, text, newId);
  return place && { ...place, line: text.slice(0, place.from).split('\n').length };
}

function placeOf(code: Finding['code'], subject: Subject | undefined, text: string, newId: () => string): Place | undefined {
  switch (code) {
    case 'missing-id':
      return headed(text, 'id', newId(), 'Add an id');
    case 'missing-level':
      return headed(text, 'level', 'medium', 'Set the level to medium');
    case 'invalid-status':
      return headed(text, 'status', 'experimental', 'Set the status to experimental');
    case 'invalid-date':
      return dated(text);
    case 'modified-before-date': {
      const date = keyOf(text, 'date')?.value;
      return date === undefined ? undefined : headed(text, 'modified', date, 'Set modified to the date');
    }
    default:
      return subject && valuePlaceOf(code, subject, text);
  }
}

function valuePlaceOf(code: Finding['code'], { value, ...subject }: Subject, text: string): Place | undefined {
  switch (code) {
    case 'surrounding-space':
      return replaced(text, value, value.trim(), 'Remove the white space');
    case 'idle-expression-end':
      return replaced(text, value, value.replace(/^\.\*(?!\?)/, '').replace(/(?<!\\)\.\*$/, ''), 'Remove the .* at the ends');
    case 'repeated-value':
      return withoutRepeated(text, value);
    case 'wildcard-for-modifier':
      return modified(text, { value, ...subject });
    default:
      return undefined;
  }
}

/** A key of the header, at the beginning of a line. */
function keyOf(text: string, key: string): { from: number; to: number; value: string } | undefined {
  const found = new RegExp(`^${key}:[ \\t]*(.*?)[ \\t]*(?:#.*)?$`, 'm').exec(text);
  if (!found) return undefined;
  return { from: found.index, to: found.index + found[0].length, value: found[1]!.replaceAll(/^['"]|['"]$/g, '') };
}

/** Sets a key of the header; a new one goes after the title. */
function headed(text: string, key: string, value: string, name: string): Place | undefined {
  const written = keyOf(text, key);
  if (written) return { name, from: written.from, to: written.to, insert: `${key}: ${value}` };
  const title = keyOf(text, 'title');
  return title && { name, from: title.to, to: title.to, insert: `\n${key}: ${value}` };
}

/** A day with other separators or without leading zeros, in the order of year, month, day. */
function dated(text: string): Place | undefined {
  for (const key of ['date', 'modified']) {
    const written = keyOf(text, key);
    const [, year, month, day] = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})$/.exec(written?.value ?? '') ?? [];
    if (!written || year === undefined) continue;
    const meant = `${year}-${month!.padStart(2, '0')}-${day!.padStart(2, '0')}`;
    const at = new Date(`${meant}T00:00:00Z`);
    const isDay = !Number.isNaN(at.getTime()) && at.toISOString().startsWith(meant);
    if (isDay && /^\d{4}[-/]\d{2}[-/]\d{2}$/.test(written.value) === false)
      return { name: `Write ${meant}`, from: written.from, to: written.to, insert: `${key}: ${meant}` };
  }
  return undefined;
}

/** A text that stands once in the rule. */
function replaced(text: string, value: string, insert: string, name: string): Place | undefined {
  const from = text.indexOf(value);
  if (from < 0 || value === insert || insert === '' || text.indexOf(value, from + 1) >= 0) return undefined;
  return { name, from, to: from + value.length, insert };
}

const unquoted = (item: string): string => item.replaceAll(/^(['"])(.*)\1$/g, '$2').toLowerCase();

/** Removes the second of two equal items of a list. */
function withoutRepeated(text: string, value: string): Place | undefined {
  let from = 0;
  let isSecond = false;
  for (const line of text.split('\n')) {
    const item = /^\s*-\s+(.*?)\s*$/.exec(line)?.[1];
    if (item === undefined) isSecond = false;
    else if (unquoted(item) === value.toLowerCase()) {
      if (isSecond) return { name: 'Remove the repeated value', from: from - 1, to: from + line.length, insert: '' };
      isSecond = true;
    }
    from += line.length + 1;
  }
  return undefined;
}

/** A single value with wildcards at its ends, as a field with a modifier. */
function modified(text: string, { field, modifier, value }: Subject): Place | undefined {
  if (field === undefined || modifier === undefined) return undefined;
  const bare = value.replace(/^\*/, '').replace(/\*$/, '');
  for (const quote of [`'`, '"', '']) {
    const written = `${field}: ${quote}${value}${quote}`;
    const place = replaced(text, written, `${field}|${modifier}: ${quote}${bare}${quote}`, `Write ${field}|${modifier}`);
    // Not a part of a longer value.
    if (place && /^[ \t]*(?:\r?\n|$)/.test(text.slice(place.to))) return place;
  }
  return undefined;
}
