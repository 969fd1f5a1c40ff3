/**
 * Limits for stored documents: width, depth, and text that PostgreSQL rejects (`jsonb` takes no U+0000 and no lone
 * surrogates). Nothing recurses, so no document can exhaust the stack. Applied to the document as sent, before `normalise`
 * adds fields.
 */
import type { Document } from '../event.ts';

export const maxFields = 1_000;
export const greatestDepth = 20;

/** Counts the keys of all objects at any depth as fields; the document is at depth 1, each nested object or array adds one. */
export function checkLimits(document: Document): 'ok' | 'too-many-fields' | 'too-deep' {
  let fields = 0;
  let level: object[] = [document];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > greatestDepth) return 'too-deep';
    const next: object[] = [];
    for (const container of level) {
      fields += countFields(container, maxFields - fields, next);
      if (fields > maxFields) return 'too-many-fields';
    }
    level = next;
  }
  return 'ok';
}

/** Number of fields, counted up to one above `room`; adds the objects and arrays inside to `next`. */
function countFields(container: object, room: number, next: object[]): number {
  let fields = 0;
  if (Array.isArray(container)) {
    for (const value of container) if (typeof value === 'object' && value !== null) next.push(value);
    return fields;
  }
  for (const key in container) {
    if (++fields > room) break;
    const value = (container as Document)[key];
    if (typeof value === 'object' && value !== null) next.push(value);
  }
  return fields;
}

const halves = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * True when the raw JSON line may hold text that PostgreSQL rejects. Only a backslash escape can introduce it (bytes were
 * decoded as UTF-8 before), so the common line costs one search.
 */
export function needsCleaning(rawLine: string): boolean {
  if (rawLine.includes('\\u') && halves.test(rawLine)) return true;
  return rawLine.includes('\0') || !rawLine.isWellFormed();
}

/**
 * Returns a text that `text` and `jsonb` columns accept; the same string when nothing changes. Other control characters
 * stay: the UI shows them.
 */
export function cleanText(value: string): string {
  const well = value.isWellFormed() ? value : value.toWellFormed();
  return well.includes('\0') ? well.replaceAll('\0', '\ufffd') : well;
}

/** Replaces U+0000 and lone surrogates by U+FFFD in all texts and keys of a document, in place. */
export function cleanForStorage(document: Document): Document {
  const open: object[] = [document];
  for (let container = open.pop(); container !== undefined; container = open.pop()) {
    if (Array.isArray(container)) {
      for (let at = 0; at < container.length; at++) {
        const value: unknown = container[at];
        if (typeof value === 'string') {
          const clean = cleanText(value);
          if (clean !== value) container[at] = clean;
        } else if (typeof value === 'object' && value !== null) open.push(value);
      }
    } else cleanObject(container as Document, open);
  }
  return document;
}

function cleanObject(target: Document, open: object[]): void {
  for (const key of Object.keys(target)) {
    const value = target[key];
    let clean: unknown = value;
    if (typeof value === 'string') clean = cleanText(value);
    else if (typeof value === 'object' && value !== null) open.push(value);
    let name = cleanText(key);
    if (name !== key) {
      while (Object.hasOwn(target, name)) name += '\ufffd';
      delete target[key];
      Object.defineProperty(target, name, { value: clean, enumerable: true, configurable: true, writable: true });
    } else if (clean !== value)
      Object.defineProperty(target, key, { value: clean, enumerable: true, configurable: true, writable: true });
  }
}
