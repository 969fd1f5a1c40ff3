/**
 * Parses a detection's key and value (`CommandLine|windash|contains`: …) into an `Item`. Transformations apply in the written
 * order; position (`contains` …), `cased`, `all` and `neq` may occur anywhere, as they do in published rules.
 */
import type { Atom, Comparison, Item, Piece, TimePart } from './ast.ts';
import { STAR } from './ast.ts';
import { parseNetwork } from './ip.ts';
import {
  append,
  type Encoded,
  literalOf,
  parsePattern,
  positioned,
  toBase64,
  toBase64Offsets,
  toUtf16,
  withAnyDash,
} from './pattern.ts';
import { compileRegex } from './regex.ts';
import { LoadError, type Node, type ScalarNode } from './tree.ts';

/** Values for `%name%`, and requested names without a value. */
export interface Placeholders {
  values: Record<string, string[]>;
  missing: Set<string>;
}
type Position = 'equals' | 'contains' | 'startswith' | 'endswith';

const POSITIONS = new Set(['contains', 'startswith', 'endswith']);
const TRANSFORMS = new Set(['base64', 'base64offset', 'wide', 'utf16', 'utf16le', 'utf16be', 'windash', 'expand']);
const TYPES = new Set(['re', 'cidr', 'exists', 'fieldref', 'lt', 'lte', 'gt', 'gte']);
const TIMES = new Set(['minute', 'hour', 'day', 'week', 'month', 'year']);
const REGEX_FLAGS: Record<string, string> = { i: 'i', ignorecase: 'i', m: 'm', multiline: 'm', s: 's', dotall: 's' };
const MAX_VARIANTS = 20_000;

interface Modifiers {
  position: Position;
  transforms: string[];
  type: string | undefined;
  time: TimePart | undefined;
  flags: string;
  cased: boolean;
  all: boolean;
  negated: boolean;
}

/** @throws LoadError for an invalid key or value */
export function readItem(key: string, line: number, value: Node, placeholders: Placeholders): Item {
  const [fieldName = '', ...names] = key.split('|');
  const modifiers = readModifiers(names, line);
  const values: Item['values'] = [];
  for (const node of value.kind === 'list' ? value.items : [value]) {
    if (node.kind !== 'scalar') throw new LoadError(`"${key}" has a ${node.kind} where a value is expected`, node.line || line);
    try {
      for (const atom of atomsOf(node, modifiers, placeholders)) values.push({ atom, written: node.source });
    } catch (error) {
      throw new LoadError(`"${key}": ${error instanceof Error ? error.message : String(error)}`, node.line || line);
    }
    if (values.length > MAX_VARIANTS) throw new LoadError(`"${key}" stands for more than ${MAX_VARIANTS} values`, line);
  }
  if (values.length === 0) throw new LoadError(`"${key}" has no value`, line);
  const item: Item = {
    field: fieldName === '' ? null : fieldName,
    modifiers: names.join('|'),
    values,
    all: modifiers.all,
    negated: modifiers.negated,
  };
  if (item.field === null) return asKeywords(item, key, line);
  return modifiers.all ? withAlternatives(item, value, modifiers, placeholders) : item;
}

/**
 * Under `all` every value as written must match, but the variants that one value stands for (`windash`, `base64offset`, a
 * placeholder) are alternatives. Only then are the values grouped; see `Item.groups`.
 */
function withAlternatives(item: Item, value: Node, modifiers: Modifiers, placeholders: Placeholders): Item {
  const nodes = value.kind === 'list' ? value.items : [value];
  const groups = nodes.map((node) => atomsOf(node as ScalarNode, modifiers, placeholders).length);
  return groups.every((size) => size === 1) ? item : { ...item, groups };
}

function readModifiers(names: string[], line: number): Modifiers {
  const result: Modifiers = {
    position: 'equals',
    transforms: [],
    type: undefined,
    time: undefined,
    flags: '',
    cased: false,
    all: false,
    negated: false,
  };
  for (const written of names) {
    const name = written.trim().toLowerCase();
    if (POSITIONS.has(name)) {
      if (result.position !== 'equals' && result.position !== name)
        throw new LoadError(`the modifiers "${result.position}" and "${name}" contradict each other`, line);
      result.position = name as Position;
    } else if (TRANSFORMS.has(name)) result.transforms.push(name);
    else if (TYPES.has(name)) {
      if (result.type && result.type !== name)
        throw new LoadError(`the modifiers "${result.type}" and "${name}" contradict each other`, line);
      result.type = name;
    } else if (TIMES.has(name)) {
      if (result.time) throw new LoadError(`the modifiers "${result.time}" and "${name}" contradict each other`, line);
      result.time = name as TimePart;
    } else if (name === 'cased') result.cased = true;
    else if (name === 'all') result.all = true;
    else if (name === 'neq') result.negated = true;
    else if (name in REGEX_FLAGS) result.flags += REGEX_FLAGS[name];
    else throw new LoadError(`the modifier "${written}" is not known`, line);
  }
  const { type, position, transforms, flags, time } = result;
  if (flags && type !== 're') throw new LoadError('the modifiers i, m and s belong to "re"', line);
  if (type && type !== 'fieldref' && position !== 'equals')
    throw new LoadError(`the modifiers "${type}" and "${position}" contradict each other`, line);
  const coder = transforms.find((name) => name !== 'expand' && name !== 'windash');
  if ((type || time) && coder) throw new LoadError(`the modifiers "${type ?? time}" and "${coder}" contradict each other`, line);
  if (time && type && !['lt', 'lte', 'gt', 'gte'].includes(type))
    throw new LoadError(`the modifiers "${time}" and "${type}" contradict each other`, line);
  return result;
}

/** Converts a written value into one or more atoms, any of which suffices. */
function atomsOf(node: ScalarNode, modifiers: Modifiers, placeholders: Placeholders): Atom[] {
  const { type, time, cased } = modifiers;
  if (type === 'exists') return [{ op: 'exists', expected: truth(node) }];
  if (time) return [{ op: 'time', part: time, comparison: (type as Comparison | undefined) ?? 'eq', number: numeric(node) }];
  if (type === 'lt' || type === 'lte' || type === 'gt' || type === 'gte')
    return [{ op: 'compare', comparison: type, number: numeric(node) }];
  if (node.value === null) {
    if (type || modifiers.transforms.length > 0) throw new Error('null cannot be modified');
    return [{ op: 'null' }];
  }
  const raw = typeof node.value === 'string' ? node.value : node.source;
  if (type) {
    const expands = modifiers.transforms.includes('expand');
    const texts = expands ? expandText(raw, placeholders) : [raw];
    // The rule waits for the value; there is no network or expression to parse yet.
    if (expands && placeholdersOf(raw).some((name) => placeholders.missing.has(name)))
      return [{ op: 'pattern', pieces: parsePattern(raw), cased }];
    return texts.map((text): Atom => {
      if (type === 'fieldref') return { op: 'fieldref', field: text, position: modifiers.position, cased };
      if (type === 'cidr') {
        parseNetwork(text);
        return { op: 'cidr', network: text };
      }
      compileRegex(text, modifiers.flags);
      return { op: 'regex', source: text, flags: modifiers.flags };
    });
  }
  if (typeof node.value === 'number' && modifiers.position === 'equals' && modifiers.transforms.length === 0) {
    const { value } = node;
    const isExact = !Number.isInteger(value) || Number.isSafeInteger(value);
    // `AccessMask: 0x100` without quotes is 256 in YAML, but rules mean the text written by Windows.
    if (isExact && String(value) === raw) return [{ op: 'number', number: value }];
    if (isExact)
      return [
        { op: 'number', number: value },
        { op: 'pattern', pieces: parsePattern(raw), cased },
      ];
  }
  const text = typeof node.value === 'boolean' ? String(node.value) : raw;
  return transformed(text, modifiers, placeholders).map((pieces) => ({ op: 'pattern', pieces, cased }));
}

function transformed(text: string, modifiers: Modifiers, placeholders: Placeholders): Piece[][] {
  let pending: Piece[][] = modifiers.transforms.includes('expand') ? expanded(text, placeholders) : [parsePattern(text)];
  let { position } = modifiers;
  const bytes = new Set<Piece[]>();
  for (const name of modifiers.transforms) {
    if (name === 'expand') continue;
    if (name === 'windash') {
      pending = pending.flatMap(withAnyDash);
      continue;
    }
    if (name === 'base64offset') position = 'contains';
    pending = pending.flatMap((pieces) => {
      const value: Encoded = { text: literalOf(pieces, name), isBytes: bytes.has(pieces) };
      return encoded(name, value).map((result) => {
        const next: Piece[] = result.text ? [result.text] : [];
        if (result.isBytes) bytes.add(next);
        return next;
      });
    });
  }
  return pending.map((pieces) => positioned(pieces, position));
}

function encoded(name: string, value: Encoded): Encoded[] {
  if (name === 'base64') return [toBase64(value)];
  if (name === 'base64offset') return toBase64Offsets(value);
  return [toUtf16(value, name === 'utf16' ? 'bom' : name === 'utf16be' ? 'be' : 'le')];
}

/**
 * `%name%`, with `\%` for the character; every placeholder is replaced by each of its values, which may hold wildcards. One without a
 * value is noted as missing and stands for itself, so that the rest of the rule can still be checked.
 */
function expanded(text: string, placeholders: Placeholders): Piece[][] {
  return expandText(text, placeholders, '\u0000').map((variant) =>
    variant.split('\u0000').reduce<Piece[]>((all, part) => parsePattern(part).reduce(append, all), []),
  );
}

const PLACEHOLDER = /(?<!\\)%([^%\\]+)(?<!\\)%/g;
const placeholdersOf = (text: string): string[] => [...text.matchAll(PLACEHOLDER)].map(([, name]) => name!);

function expandText(text: string, placeholders: Placeholders, joint = ''): string[] {
  let variants = [''];
  let from = 0;
  const add = (texts: string[]) => {
    variants = variants.flatMap((start) => texts.map((value) => start + value));
    if (variants.length > MAX_VARIANTS) throw new Error(`the placeholders stand for more than ${MAX_VARIANTS} values`);
  };
  for (const found of text.matchAll(PLACEHOLDER)) {
    const name = found[1]!;
    const values = Object.hasOwn(placeholders.values, name) ? placeholders.values[name]! : [];
    if (values.length === 0) placeholders.missing.add(name);
    add([text.slice(from, found.index).replaceAll('\\%', '%') + joint]);
    add((values.length === 0 ? [found[0]] : values).map((value) => value + joint));
    from = found.index + found[0].length;
  }
  add([text.slice(from).replaceAll('\\%', '%')]);
  return variants;
}

function truth(node: ScalarNode): boolean {
  if (typeof node.value === 'boolean') return node.value;
  const text = String(node.value).toLowerCase();
  if (['true', 'yes', '1'].includes(text)) return true;
  if (['false', 'no', '0'].includes(text)) return false;
  throw new Error('"exists" takes true or false');
}

function numeric(node: ScalarNode): number {
  const number =
    typeof node.value === 'number' ? node.value : typeof node.value === 'string' ? parseNumber(node.value.trim()) : Number.NaN;
  if (Number.isNaN(number)) throw new Error(`"${node.source}" is not a number`);
  return number;
}

/** A decimal number, or NaN; unlike `Number` it takes no hexadecimal and no empty text. */
export function parseNumber(text: string): number {
  const first = text.charCodeAt(0);
  if (!((first >= 48 && first <= 57) || first === 43 || first === 45 || first === 46)) return Number.NaN;
  return /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : Number.NaN;
}

/** Keywords match anywhere in the event's values, so that equality becomes containment. */
function asKeywords(item: Item, key: string, line: number): Item {
  const values = item.values.map(({ atom, written }): Item['values'][number] => {
    if (atom.op === 'number')
      return { written, atom: { op: 'pattern', pieces: positioned([String(atom.number)], 'contains'), cased: false } };
    if (atom.op === 'pattern') return { written, atom: { ...atom, pieces: positioned(atom.pieces, 'contains') } };
    if (atom.op === 'regex') return { written, atom };
    throw new LoadError(`"${key}": a keyword must be text`, line);
  });
  if (values.some(({ atom }) => atom.op === 'pattern' && atom.pieces.every((piece) => piece === STAR)))
    throw new LoadError(`"${key}": an empty keyword would match every event`, line);
  return { ...item, values };
}
