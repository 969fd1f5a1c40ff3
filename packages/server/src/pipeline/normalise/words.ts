/**
 * Displayed values: a one-line summary, a device name, a user name. Bounded in length and free of control characters,
 * because they appear in lists and emails and are untrusted.
 */
import type { Document } from '../event.ts';
import { isObject } from './doc.ts';

const longestText = 1000;
const longestName = 255;
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/;
const controls = /[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g;

/** Returns any text as one line of at most 1,000 characters (UTF-16 units), never splitting a surrogate pair. */
export function oneLine(value: string): string {
  let line = value.length > longestText * 2 ? value.slice(0, longestText * 2) : value;
  if (control.test(line)) line = line.replace(controls, ' ');
  line = line.trim();
  if (line.length > longestText) line = `${line.slice(0, longestText - 1).trimEnd()}…`;
  return line.isWellFormed() ? line : line.toWellFormed();
}

/** Returns the display form of a device or user name; undefined when nothing is left of it. */
export function shownName(value: string | undefined): string | undefined {
  if (value === undefined) return undefined;
  let name = value.length > 4 * longestName ? value.slice(0, 4 * longestName) : value;
  if (control.test(name)) name = name.replace(controls, '');
  name = name.trim();
  if (name.length > longestName) name = name.slice(0, longestName);
  if (name === '' || name === '-') return undefined;
  return name.isWellFormed() ? name : name.toWellFormed();
}

/**
 * Formats a document of unknown shape as `key=value` pairs, at most about 1,000 characters and 20 levels: enough to find it
 * again.
 */
export function compact(document: Document): string {
  const parts: string[] = [];
  let length = 0;
  const add = (path: string, value: unknown, depth: number): void => {
    if (length > longestText || value === null || value === undefined || depth > 20) return;
    if (Array.isArray(value)) {
      for (let at = 0; at < value.length && at < 50 && length <= longestText; at++) add(path, value[at], depth + 1);
    } else if (isObject(value)) {
      for (const key in value) {
        if (length > longestText) return;
        add(path === '' ? key.slice(0, 100) : `${path}.${key.slice(0, 100)}`, value[key], depth + 1);
      }
    } else {
      const part = `${path}=${String(value).slice(0, longestText)}`;
      length += part.length + 1;
      parts.push(part);
    }
  };
  add('', document, 0);
  return oneLine(parts.join(' '));
}
