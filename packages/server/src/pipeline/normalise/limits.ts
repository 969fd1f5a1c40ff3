/**
 * What no stored document may be: too wide, too deep, or with text PostgreSQL refuses (`jsonb` takes no U+0000 and no half of a surrogate
 * pair). Nothing here recurses, so no document can exhaust the stack. Checked on the document as it was sent, before `normalise`
 * adds its fields.
 */
import type { Document } from '../event.ts';

export const maxFields = 1_000;
export const greatestDepth = 20;

/** Fields are the keys of all objects, at any depth; the document itself is at depth 1, each object or array within adds one. */
export function checkLimits(document: Document): 'ok' | 'too-many-fields' | 'too-deep' {
  let fields = 0;
  let level: object[] = [document];
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > greatestDepth) return 'too-deep';
    const next: object[] = [];
    for (const container of level) {
      if (Array.isArray(container)) {
        for (const value of container) if (typeof value === 'object' && value !== null) next.push(value);
        continue;
      }
      for (const key in container) {
        if (++fields > maxFields) return 'too-many-fields';
        const value = (container as Document)[key];
        if (typeof value === 'object' && value !== null) next.push(value);
      }
    }
    level = next;
  }
  return 'ok';
}

const halves = /\\u(?:0000|[dD][89a-fA-F])/;

/**
 * True when the raw JSON line may hold text that PostgreSQL refuses. Only a backslash escape can bring it in (the bytes were decoded as
 * UTF-8 before), so the common line costs one search.
 */
export function needsCleaning(rawLine: string): boolean {
  if (rawLine.includes('\\u') && halves.test(rawLine)) return true;
  return rawLine.includes('\0') || !rawLine.isWellFormed();
}

/** A text that `text` and `jsonb` columns take; the same string when there is nothing to do. Other control characters stay: the screen shows them. */
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
