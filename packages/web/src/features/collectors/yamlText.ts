/**
 * Reads and writes single settings of a YAML text. The text is the source of truth: comments and settings without a field stay. Keys may
 * be dotted paths (`filebeat.inputs`) or nested.
 */
import { type Document, isMap, isScalar, isSeq, parseDocument, YAMLMap } from 'yaml';

export type Path = readonly (string | number)[];
export type Yaml = Document;

/** Undefined for unparseable text, which forms must not change. */
export function readYaml(text: string): Yaml | undefined {
  try {
    const document = parseDocument(text, { uniqueKeys: false, prettyErrors: false, logLevel: 'silent' });
    const { contents } = document;
    const isEmpty = contents === null || (isScalar(contents) && contents.value === null);
    return document.errors.length === 0 && (isEmpty || isMap(contents)) ? document : undefined;
  } catch {
    return undefined;
  }
}

/** Spelling of `a.b.c` beneath a node; `rest` is the part that doesn't exist yet. */
function find(document: Yaml, base: Path, key: string): { path: Path; rest: string } {
  const map = base.length === 0 ? document.contents : document.getIn(base, true);
  if (!isMap(map)) return { path: base, rest: key };
  let best: { path: Path; rest: string } = { path: base, rest: key };
  for (const { key: name, value } of map.items) {
    const written = isScalar(name) ? String(name.value) : '';
    const here = isScalar(name) ? (name.value as string) : written;
    if (written === key) return { path: [...base, here], rest: '' };
    if (written === '' || !key.startsWith(`${written}.`) || !isMap(value)) continue;
    const deeper = find(document, [...base, here], key.slice(written.length + 1));
    if (deeper.rest.length < best.rest.length) best = deeper;
  }
  return best;
}

/** Plain value at a path, or undefined. */
export function valueAt(document: Yaml, base: Path, key: string): unknown {
  const { path, rest } = find(document, base, key);
  if (rest !== '') return undefined;
  const node = document.getIn(path, true) as { toJS?: (document: Document) => unknown } | undefined;
  return node?.toJS ? node.toJS(document) : node;
}

/** Paths of a list’s items. */
export function itemsAt(document: Yaml, key: string): Path[] {
  const { path, rest } = find(document, [], key);
  const list = rest === '' ? document.getIn(path, true) : undefined;
  return isSeq(list) ? list.items.map((_, index) => [...path, index]) : [];
}

/** First key of a map, which names a processor. */
export function firstKeyAt(document: Yaml, path: Path): string {
  const map = document.getIn(path, true);
  const key = isMap(map) ? map.items[0]?.key : undefined;
  return isScalar(key) ? String(key.value) : '';
}

const write = (document: Yaml): string => {
  const text = document.toString({ lineWidth: 0 });
  return text === 'null\n' || text === '{}\n' ? '' : text;
};

/** Returns the text with the value set; undefined removes it. */
export function withValue(text: string, base: Path, key: string, value: unknown): string {
  const document = readYaml(text);
  if (!document) return text;
  const { path, rest } = find(document, base, key);
  if (value === undefined) {
    if (rest === '') document.deleteIn(path);
    return write(document);
  }
  const old = rest === '' ? document.getIn(path, true) : undefined;
  if (isScalar(old) && (value === null || typeof value !== 'object')) {
    old.value = value;
    // Keeps the number format, for example 0x10 for 16.
    delete old.source;
    return write(document);
  }
  const node = document.createNode(value);
  // Numbers on one line, texts one per line, unless the text has another style.
  if (isSeq(node))
    node.flow = isSeq(old) ? old.flow === true : Array.isArray(value) && value.every((each) => typeof each === 'number');
  put(document, rest === '' ? path : [...path, rest], node);
  return write(document);
}

function put(document: Yaml, path: Path, node: unknown): void {
  if (!isMap(document.contents)) document.contents = new YAMLMap() as never;
  const parent = path.length > 1 ? document.getIn(path.slice(0, -1), true) : document.contents;
  // `filebeat:` with an empty value.
  if (isMap(parent) || isSeq(parent)) document.setIn(path, node);
  else document.setIn(path.slice(0, -1), document.createNode({ [String(path.at(-1))]: node }));
}

export function withItem(text: string, key: string, item: object): string {
  const document = readYaml(text);
  if (!document) return text;
  const { path, rest } = find(document, [], key);
  const list = rest === '' ? document.getIn(path, true) : undefined;
  const node = document.createNode(item);
  if (isSeq(list)) {
    list.add(node);
    // The list was an empty `[]`.
    if (list.items.length === 1) list.flow = false;
  } else put(document, rest === '' ? path : [...path, rest], document.createNode([item]));
  return write(document);
}

export function withoutItem(text: string, path: Path): string {
  const document = readYaml(text);
  if (!document) return text;
  document.deleteIn(path);
  const list = document.getIn(path.slice(0, -1), true);
  if (isSeq(list) && list.items.length === 0) list.flow = true;
  return write(document);
}
