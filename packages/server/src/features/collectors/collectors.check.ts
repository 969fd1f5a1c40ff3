/**
 * Validates a configuration and reports problems with their lines. Written by users and run by hosts, it is untrusted: size,
 * depth and number of settings are limited. Keys may be dotted paths (`filebeat.inputs`) or nested, as Beats allow.
 */
import type { ConfigKind, ConfigProblem } from '@parapet/contract/collectors.ts';
import {
  type Document,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  visit,
  type YAMLSeq,
} from 'yaml';
import { fileOf, lines, reading } from './collectors.file.ts';
import { ownSettings } from './collectors.own.ts';
import { shapes } from './shapes.kinds.ts';
import { errorOfValue, type Keys, list, type MapShape, type Shape } from './shapes.ts';

export const maxLength = 60_000;
const maxDepth = 24;
const maxNodes = 10_000;
const maxProblems = 200;

class TooMuch extends Error {}

export function check(kind: ConfigKind, yaml: string): ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  const report: Report = (line, path, text, isError) => {
    problems.push({ line, path: path.slice(0, 300), text: text.slice(0, 600), isError });
    if (problems.length >= maxProblems) throw new TooMuch();
  };
  try {
    examine(kind, yaml, report, () => problems.some(({ isError }) => isError));
  } catch (error) {
    // The parser recurses into nested brackets.
    if (error instanceof RangeError) return [{ line: null, path: '', text: 'This is nested too deeply.', isError: true }];
    if (!(error instanceof TooMuch)) throw error;
  }
  return problems.sort((a, b) => (a.line ?? 0) - (b.line ?? 0));
}

type LineAt = (node: Node | null | undefined) => number | null;
type Report = (line: number | null, path: string, text: string, isError: boolean) => undefined;

function examine(kind: ConfigKind, yaml: string, report: Report, wasRefused: () => boolean): undefined {
  if (yaml.length > maxLength)
    return report(null, '', `A configuration may have ${maxLength} characters; this one has ${yaml.length}.`, true);
  const wrong = /[^\P{Cc}\n\t]|[\u2028\u2029\ufeff]|\p{Cs}/u.exec(yaml);
  if (wrong)
    return report(lines(yaml.slice(0, wrong.index)).length, '', 'This line has an invisible character. Retype the line.', true);
  const counter = new LineCounter();
  const lineAt: LineAt = (node) => (node?.range ? counter.linePos(node.range[0]).line : null);
  const documents = parseAllDocuments(yaml, { ...reading, lineCounter: counter });
  if (!Array.isArray(documents)) return;
  const [document, second] = documents;
  const completable = (): undefined => {
    if (kind !== 'client' && kind !== 'rsyslog' && !wasRefused() && !canBeCompleted(kind, yaml))
      report(
        null,
        '',
        'The portal’s lines cannot be put below this. Begin each setting at the left edge, and end with one.',
        true,
      );
  };
  if (!document) return completable();
  if (second) return report(lineAt(second.contents), '', 'A file holds one configuration. Remove the line "---".', true);
  for (const { pos, message } of [...document.errors, ...document.warnings])
    report(counter.linePos(pos[0]).line, '', messageOf(message), true);
  if (document.errors.length > 0) return;
  const root = document.contents;
  if (isMap(root) ? root.flow : root !== null && !(isScalar(root) && root.value === null))
    return report(lineAt(root), '', 'Write one setting a line, each with its name and a colon.', true);

  if (kind === 'client' || kind === 'rsyslog') return checkOwn(kind, document, lineAt, report);
  walker(document, lineAt, report)(root, shapes[kind], '', 0);
  completable();
}

/** A valid configuration must remain valid with the added lines. */
function canBeCompleted(kind: ConfigKind, yaml: string): boolean {
  const whole = parseAllDocuments(fileOf({ kind, yaml, ...sample }), reading);
  if (!Array.isArray(whole) || whole.length !== 1) return false;
  const [document] = whole;
  return document !== undefined && document.errors.length === 0 && isMap(document.contents) && document.has('setup.ilm.enabled');
}

/** Any portal and client will do. */
const sample = {
  clientName: '',
  version: 0,
  key: 'pk_sample',
  settings: ownSettings.client.parse({}),
  origin: 'https://portal.example',
};

function checkOwn(kind: 'client' | 'rsyslog', document: Document, lineAt: LineAt, report: Report): undefined {
  let hasAlias = false;
  visit(document, {
    Alias: (_key, node) => {
      hasAlias = true;
      report(lineAt(node), '', 'Anchors and aliases are not for this configuration. Write the value itself.', true);
    },
    Map: (_key, node) => {
      tellDoubles(node.items, lineAt, report, '');
    },
  });
  if (hasAlias) return;
  const parsed = ownSettings[kind].safeParse(document.toJS() ?? {});
  for (const { path, message, code, ...issue } of parsed.error?.issues ?? []) {
    const at = (keys: readonly PropertyKey[]): Node | undefined => {
      for (let length = keys.length; length > 0; length--) {
        const node = document.getIn(keys.slice(0, length), true);
        if (node) return node as Node;
      }
      return undefined;
    };
    const unknown = code === 'unrecognized_keys' ? ((issue as { keys?: string[] }).keys ?? []) : [];
    for (const key of unknown.length > 0 ? unknown : [undefined]) {
      const whole = key === undefined ? path : [...path, key];
      report(lineAt(at(whole)), whole.map(String).join('.'), key === undefined ? message : `There is no setting "${key}".`, true);
    }
  }
}

const messageOf = (message: string) => `${message.replace(/\s+/g, ' ').slice(0, 300)}${/[.!]$/.test(message) ? '' : '.'}`;
const secretKey = /(^|[._])(password|passphrase|secret|api_key|token|client_secret|secret_access_key)$/i;

function tellDoubles(pairs: readonly Pair[], lineAt: LineAt, report: Report, path: string): undefined {
  const seen = new Set<string>();
  for (const { key } of pairs) {
    const name = isScalar(key) ? String(key.value) : '';
    if (seen.has(name) && name !== '<<')
      report(lineAt(key as Node), path, `"${name.slice(0, 100)}" stands here twice. Keep one of them.`, true);
    seen.add(name);
  }
}

interface Setting {
  key: string;
  at: Node;
  value: Node | null;
}

/** Walks a document along its shape. */
function walker(document: Document, lineAt: LineAt, report: Report) {
  const anchored = new Map<string, Node>();
  visit(document, {
    Node: (_key, node) => {
      if (!isAlias(node) && node.anchor) anchored.set(node.anchor, node);
    },
  });
  let nodes = 0;
  const walk = (node: Node | null | undefined, shape: Shape, path: string, depth: number): undefined => {
    if (++nodes > maxNodes || depth > maxDepth) {
      report(lineAt(node), path, nodes > maxNodes ? 'These are too many settings.' : 'This is nested too deeply.', true);
      throw new TooMuch();
    }
    if (!node) return;
    if (isAlias(node)) return walk(anchored.get(node.source), shape, path, depth + 1);
    const chosen = chosenOf(shape, node);
    if (chosen.is === 'refused') return report(lineAt(node), path, chosen.text, true);
    if (isMap(node) && chosen.is === 'map')
      return walkMap(node.items as Pair<Node, Node | null>[], chosen, path, depth, lineAt(node));
    if (isMap(node)) {
      if (chosen.is !== 'any') return report(lineAt(node), path, wantsOf(chosen), true);
      for (const { key, value } of node.items) walk(value as Node | null, chosen, `${path}.${String(key)}`, depth + 1);
      return;
    }
    if (isSeq(node)) return walkList(node, chosen, path, depth);
    checkValue(node, chosen, path);
  };

  const walkList = (node: YAMLSeq, shape: Shape, path: string, depth: number): undefined => {
    if (shape.is !== 'list' && shape.is !== 'any') return report(lineAt(node), path, wantsOf(shape), true);
    const of = shape.is === 'list' ? shape.of : shape;
    for (const [index, item] of node.items.entries()) walk(item as Node | null, of, `${path}.${index}`, depth + 1);
  };

  const checkValue = (node: Node, shape: Shape, path: string): void => {
    const value = isScalar(node) ? node.value : null;
    const fault = errorOfValue(shape, value);
    if (fault) report(lineAt(node), path, fault, true);
    if (typeof value === 'string' && value !== '' && secretKey.test(path) && !value.includes('${'))
      report(
        lineAt(node),
        path,
        'Everyone who can read this configuration can read this secret. Keep it in the Beat’s keystore, and write its name there as a variable.',
        false,
      );
  };

  const walkMap = (
    pairs: readonly Pair<Node, Node | null>[],
    shape: MapShape,
    path: string,
    depth: number,
    line: number | null,
  ): undefined => {
    tellDoubles(pairs, lineAt, report, path);
    const named = pairs.flatMap((pair): Setting[] => {
      if (isScalar(pair.key)) return [{ key: String(pair.key.value), at: pair.key, value: pair.value }];
      report(lineAt(pair.key), path, 'The name of a setting is one plain word.', true);
      return [];
    });
    for (const name of shape.needs ?? [])
      if (!named.some(({ key }) => key === name)) report(line, path, `This has no "${name}:". Write one.`, true);
    const own = kindOf(shape, named, path);
    const keys: Keys = { ...shape.keys, ...own, ...(shape.by && { [shape.by.key]: { is: 'text' } as const }) };
    const isOpen = shape.isOpen === true || (shape.by !== undefined && !own);
    for (const setting of named) {
      const { key, value } = setting;
      // Content of an anchor is merged here.
      if (key === '<<') walk(value, value && isSeq(value) ? list(shape) : shape, path, depth + 1);
      else walkSetting(setting, keys, isOpen, path, depth);
    }
  };

  /** Settings of the kind that the map names; reports an unknown kind. */
  const kindOf = ({ by }: MapShape, named: readonly Setting[], path: string): Keys | undefined => {
    const kind = by && named.find(({ key }) => key === by.key)?.value;
    if (!by || !isScalar(kind)) return undefined;
    const name = String(kind.value);
    const own = by.kinds[name];
    if (!own && !by.others.includes(name) && !name.includes('${'))
      report(lineAt(kind), `${path}.${by.key}`, unknownText(name, [...Object.keys(by.kinds), ...by.others], 'kind'), false);
    return own;
  };

  const walkSetting = ({ key, at, value }: Setting, keys: Keys, isOpen: boolean, path: string, depth: number): void => {
    const whole = path === '' ? key : `${path}.${key}`;
    const found = shapeAt(keys, key) ?? (isOpen ? ({ is: 'any' } as const) : undefined);
    if (found === undefined)
      report(lineAt(at), whole, unknownText(key, Object.keys(keys), 'setting'), path === '' && !key.includes('.'));
    else if (found.is === 'refused') report(lineAt(at), whole, found.text, true);
    else walk(value, found, whole, depth + 1);
  };
  return walk;
}

/** Finds the shape of `a.b.c` within these keys. */
function shapeAt(keys: Keys, key: string): Shape | undefined {
  if (Object.hasOwn(keys, key)) return keys[key];
  const dot = key.indexOf('.');
  if (dot < 0) return undefined;
  const head = key.slice(0, dot);
  const shape = Object.hasOwn(keys, head) ? keys[head] : undefined;
  if (shape?.is === 'refused' || shape?.is === 'any') return shape;
  const inner = shape?.is === 'either' ? shape.shapes.find((each) => each.is === 'map') : shape;
  if (inner?.is !== 'map') return undefined;
  return shapeAt(inner.keys, key.slice(dot + 1)) ?? (inner.isOpen ? { is: 'any' } : undefined);
}

/** Selects the alternative that fits this node. */
function chosenOf(shape: Shape, node: Node): Shape {
  if (shape.is !== 'either') return shape;
  const wanted = isMap(node) ? 'map' : isSeq(node) ? 'list' : undefined;
  return (wanted && shape.shapes.find(({ is }) => is === wanted)) ?? shape;
}

const wantsOf = (shape: Shape): string =>
  shape.is === 'list'
    ? 'This must be a list: one item a line, each after a dash.'
    : shape.is === 'map'
      ? 'This must have settings beneath it, each with its name and a colon.'
      : shape.is === 'either' && shape.shapes.some(({ is }) => is === 'list')
        ? 'This must be one value or a list of values.'
        : 'This must be one value.';

function unknownText(key: string, known: readonly string[], what: string): string {
  const near = known
    .map((each) => ({ each, apart: distance(key.slice(0, 60), each) }))
    .filter(({ apart }) => apart <= 2)
    .sort((a, b) => a.apart - b.apart)[0];
  return `There is no documented ${what} "${key.slice(0, 100)}" here.${near ? ` Is it "${near.each}"?` : ''}`;
}

/** Levenshtein distance. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min((next[j - 1] ?? 0) + 1, (row[j] ?? 0) + 1, (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row.at(-1) ?? 0;
}
