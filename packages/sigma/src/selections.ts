/** Parses the detection's search identifiers: maps (all must hold), lists of maps (any), lists of keywords (any), mixed lists. */
import type { Item, Selection } from './ast.ts';
import { type Placeholders, readItem } from './modifiers.ts';
import { LoadError, type MapNode, type Node } from './tree.ts';

const NOT_SELECTIONS = new Set(['condition', 'timeframe', 'rules']);

/** @throws LoadError */
export function readSelections(detection: MapNode, placeholders: Placeholders): Selection[] {
  const selections: Selection[] = [];
  for (const { key, line, value } of detection.entries) {
    if (NOT_SELECTIONS.has(key)) continue;
    if (selections.some(({ name }) => name === key)) throw new LoadError(`the search identifier "${key}" stands twice`, line);
    const alternatives = alternativesOf(value, line, placeholders);
    if (alternatives.length === 0) throw new LoadError(`the search identifier "${key}" is empty`, line);
    selections.push({ name: key, alternatives });
  }
  if (selections.length === 0) throw new LoadError('the detection has no search identifier', detection.line);
  return selections;
}

function alternativesOf(node: Node, line: number, placeholders: Placeholders): Item[][] {
  if (node.kind === 'map') {
    if (node.entries.length === 0) throw new LoadError('an empty map would match every event', node.line || line);
    return [node.entries.map((entry) => readItem(entry.key, entry.line, entry.value, placeholders))];
  }
  if (node.kind === 'scalar') {
    if (node.value === null) throw new LoadError('a search identifier is null', node.line || line);
    return [[readItem('', node.line || line, node, placeholders)]];
  }
  const keywords = node.items.filter((item) => item.kind === 'scalar');
  const result = node.items
    .filter((item) => item.kind !== 'scalar')
    .flatMap((item) => alternativesOf(item, item.line || line, placeholders));
  if (keywords.length > 0) result.unshift([readItem('', line, { kind: 'list', line, items: keywords }, placeholders)]);
  return result;
}
