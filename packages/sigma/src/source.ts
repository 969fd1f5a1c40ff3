/** Interned log sources of events, and the selection of rules for them. */
import type { LogSource } from './ast.ts';

export type Document = Record<string, unknown>;

const steady = new WeakMap<Document, Map<object, unknown>>();

/** For a document that stands for one event after another: in it and in the objects within it values change, names and their order never. */
export const markSteady = (document: Document): void => void steady.set(document, new Map());

/** Results derived from the names of a steady document, by whom they are for; undefined for any other document. */
export const derivedFromNames = (document: Document): Map<object, unknown> | undefined => steady.get(document);

/** Field layout; see `fields.ts`. */
export type Shape = 'evtx' | 'winlog' | 'flat' | 'ecs' | 'any';

export interface Source {
  /** Small and dense, for arrays. */
  index: number;
  shape: Shape;
  products: string[] | undefined;
  services: string[] | undefined;
  categories: string[] | undefined;
}

let sourceCount = 0;
const interned = new Map<string, Source>();

/** Returns the same object for equal input. Inputs come from tables, so that their number is bounded. */
export function sourceOf(
  shape: Shape,
  products: string[] | undefined,
  services: string[] | undefined,
  categories: string[] | undefined,
): Source {
  const key = `${shape}|${products ?? '?'}|${services ?? '?'}|${categories ?? '?'}`;
  let source = interned.get(key);
  if (!source) {
    source = { index: sourceCount++, shape, products, services, categories };
    interned.set(key, source);
  }
  return source;
}

/** Log sources that events state themselves, the last used last. Senders choose them, so that only so many are kept. */
const stated = new Map<string, Source>();
const MAX_STATED = 2_000;

/** Source of a stated log source. Beyond 2,000 the one unused for longest gives its index to the new one: compare the object too. */
export function statedSourceOf(
  products: string[] | undefined,
  services: string[] | undefined,
  categories: string[] | undefined,
): Source {
  const key = `${products ?? '?'}|${services ?? '?'}|${categories ?? '?'}`;
  let source = stated.get(key);
  if (source) stated.delete(key);
  else if (stated.size < MAX_STATED) source = { index: sourceCount++, shape: 'any', products, services, categories };
  else {
    const [oldest, { index }] = stated.entries().next().value!;
    stated.delete(oldest);
    source = { index, shape: 'any', products, services, categories };
  }
  stated.set(key, source);
  return source;
}

/** True if a rule of this log source applies to events of that source. */
export function accepts(source: Pick<Source, 'products' | 'services' | 'categories'>, rule: LogSource): boolean {
  return isIn(rule.product, source.products) && isIn(rule.service, source.services) && isIn(rule.category, source.categories);
}

const isIn = (wanted: string | undefined, known: string[] | undefined): boolean =>
  wanted === undefined || known === undefined || known.includes(wanted);

const splitPaths = new Map<string, string[]>();

/** Keys of a dotted path out of the program, which are split once. */
export function keysOf(path: string): string[] {
  let keys = splitPaths.get(path);
  if (!keys) {
    keys = path.split('.');
    splitPaths.set(path, keys);
  }
  return keys;
}
