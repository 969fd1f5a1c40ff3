/** Attributes shared by rules, correlations and filters. */
import type { Level, LogSource } from './ast.ts';
import { child, LoadError, type MapNode, type Node, plain, textOf, textsOf } from './tree.ts';

const LEVELS = new Set(['informational', 'low', 'medium', 'high', 'critical']);
const KNOWN_KEYS = new Set(
  (
    'action author correlation date description detection falsepositives fields filter id level license logsource modified name ' +
    'references related status tags taxonomy title'
  ).split(' '),
);

export interface Header {
  id: string;
  writtenId: string;
  name?: string;
  title: string;
  description?: string;
  author?: string;
  references: string[];
  level?: Level;
  status?: string;
  date?: string;
  modified?: string;
  tags: string[];
  falsepositives: string[];
  custom: Record<string, unknown>;
  file: string;
  line: number;
}

/** Parses the attributes shared by rules and correlations. Only the title is required. */
export function readHeader(tree: MapNode, file: string): Header {
  const title = textOf(child(tree, 'title'));
  if (title === undefined) throw new LoadError('the rule has no title', tree.line);
  const level = textOf(child(tree, 'level'))?.toLowerCase();
  const custom: Record<string, unknown> = Object.create(null);
  for (const entry of tree.entries) if (!KNOWN_KEYS.has(entry.key)) custom[entry.key] = plain(entry.value);
  const id = textOf(child(tree, 'id')) ?? `${file}#${title}`;
  return {
    id,
    writtenId: id,
    name: textOf(child(tree, 'name')),
    title,
    description: textOf(child(tree, 'description')),
    author: textsOf(child(tree, 'author')).join(', ') || undefined,
    references: textsOf(child(tree, 'references')),
    level: level && LEVELS.has(level) ? (level as Level) : undefined,
    status: textOf(child(tree, 'status')),
    date: textOf(child(tree, 'date')),
    modified: textOf(child(tree, 'modified')),
    tags: textsOf(child(tree, 'tags')),
    falsepositives: textsOf(child(tree, 'falsepositives')),
    custom,
    file,
    line: tree.line,
  };
}

export function logSourceOf(node: Node | undefined): LogSource {
  const source: LogSource = {};
  for (const key of ['product', 'category', 'service'] as const) {
    const value = textOf(child(node, key))?.trim().toLowerCase();
    if (value) source[key] = value;
  }
  const definition = textOf(child(node, 'definition'));
  if (definition) source.definition = definition;
  return source;
}
