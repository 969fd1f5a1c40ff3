/**
 * YAML as a small tree with line numbers, the only input of the engine: every load error can name a line, and keys such as
 * `__proto__` are data and never touch an object's prototype. Aliases and depth are bounded, because rule files are
 * untrusted.
 */
import { isAlias, isMap, isScalar, isSeq, LineCounter, type ParsedNode, parseAllDocuments } from 'yaml';

export interface MapNode {
  kind: 'map';
  line: number;
  entries: { key: string; line: number; value: Node }[];
}
export interface ListNode {
  kind: 'list';
  line: number;
  items: Node[];
}
export interface ScalarNode {
  kind: 'scalar';
  line: number;
  value: string | number | boolean | null;
  /** The text as written, for numbers that a double cannot hold. */
  source: string;
}
export type Node = MapNode | ListNode | ScalarNode;

/** Load error of a document, a rule or a part of it; `line` counts from 1 in the file. */
export class LoadError extends Error {
  readonly line: number;
  constructor(reason: string, line: number) {
    super(reason);
    this.line = line;
  }
}

const MAX_DEPTH = 64;
const MAX_NODES = 200_000;

/** Document of a file: its tree, or its load error. */
export type ReadDocument = { tree: Node } | { fault: LoadError };

/** Parses all documents of a file. Never throws; an unreadable document yields its error and the others still load. */
export function readDocuments(text: string): ReadDocument[] {
  const lines = new LineCounter();
  const clean = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text;
  let documents: ReturnType<typeof parseAllDocuments>;
  try {
    documents = parseAllDocuments(clean, { lineCounter: lines, prettyErrors: false, merge: true, logLevel: 'silent' });
  } catch (error) {
    return [{ fault: new LoadError(`not readable as YAML: ${messageOf(error)}`, 1) }];
  }
  const result: ReadDocument[] = [];
  for (const document of documents) {
    const [error] = document.errors;
    if (error) {
      result.push({ fault: new LoadError(`not valid YAML: ${error.message}`, lines.linePos(error.pos[0]).line || 1) });
      continue;
    }
    if (document.contents === null) continue;
    try {
      const reader = { lines, document, budget: MAX_NODES };
      result.push({ tree: read(reader, document.contents as ParsedNode, 0) });
    } catch (fault) {
      result.push({ fault: fault instanceof LoadError ? fault : new LoadError(`not readable as YAML: ${messageOf(fault)}`, 1) });
    }
  }
  return result;
}

interface Reader {
  lines: LineCounter;
  document: { get?: unknown };
  budget: number;
}

function read(reader: Reader, node: unknown, depth: number): Node {
  const line = lineOf(reader, node);
  if (depth > MAX_DEPTH) throw new LoadError(`nested deeper than ${MAX_DEPTH} levels`, line);
  if (--reader.budget < 0) throw new LoadError(`more than ${MAX_NODES} values in one document`, line);
  if (isAlias(node)) {
    const target = node.resolve(reader.document as Parameters<typeof node.resolve>[0]);
    if (!target) throw new LoadError(`the alias *${node.source} points nowhere`, line);
    return read(reader, target, depth + 1);
  }
  if (isMap(node)) {
    const entries: MapNode['entries'] = [];
    for (const pair of node.items) {
      const keyLine = lineOf(reader, pair.key) || line;
      const value = read(reader, pair.value, depth + 1);
      if (isScalar(pair.key) && (pair.key.value === '<<' || typeof pair.key.value === 'symbol')) {
        for (const source of value.kind === 'list' ? value.items : [value])
          for (const merged of source.kind === 'map' ? source.entries : [])
            if (!entries.some((entry) => entry.key === merged.key)) entries.push(merged);
        continue;
      }
      const key = isScalar(pair.key) ? pair.key.value : pair.key;
      if (key !== null && typeof key === 'object') throw new LoadError('a key is not plain text', keyLine);
      entries.push({
        key: key === null ? '' : String(key),
        line: keyLine,
        value: value.line ? value : { ...value, line: keyLine },
      });
    }
    return { kind: 'map', line, entries };
  }
  if (isSeq(node)) return { kind: 'list', line, items: node.items.map((item) => read(reader, item, depth + 1)) };
  if (isScalar(node)) {
    const { value } = node;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
      return { kind: 'scalar', line, value, source: node.source ?? String(value) };
    if (typeof value === 'bigint') return { kind: 'scalar', line, value: String(value), source: String(value) };
    return { kind: 'scalar', line, value: null, source: '' };
  }
  return { kind: 'scalar', line, value: null, source: '' };
}

function lineOf(reader: Reader, node: unknown): number {
  const range = (node as { range?: [number, number, number] | null } | null)?.range;
  return range ? reader.lines.linePos(range[0]).line : 0;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error)).split('\n')[0] ?? '';

/** The value under a key of a map, or undefined. */
export function child(node: Node | undefined, key: string): Node | undefined {
  return node?.kind === 'map' ? node.entries.find((entry) => entry.key === key)?.value : undefined;
}

/** A scalar as text; numbers and booleans as written; undefined for null, lists and maps. */
export function textOf(node: Node | undefined): string | undefined {
  if (node?.kind !== 'scalar' || node.value === null) return undefined;
  return typeof node.value === 'string' ? node.value : node.source;
}

/** A scalar or a list of scalars as a list of texts; everything else is left out. */
export function textsOf(node: Node | undefined): string[] {
  if (!node) return [];
  const nodes = node.kind === 'list' ? node.items : [node];
  return nodes.map(textOf).filter((text) => text !== undefined);
}

/** The tree as plain values, maps without a prototype. */
export function plain(node: Node): unknown {
  if (node.kind === 'scalar') return node.value;
  if (node.kind === 'list') return node.items.map(plain);
  const map: Record<string, unknown> = Object.create(null);
  for (const entry of node.entries) map[entry.key] = plain(entry.value);
  return map;
}
