/**
 * Loads rule files into rules, correlations and errors. A faulty rule never stops the others. Rule filters are merged into the rules they
 * name; the aggregations of Sigma 1 (`| count() by x > 5`) become correlations; `action: global` documents are merged into those that
 * follow, as Sigma 1 collections expect.
 */
import type { Loaded, LoadFault, SigmaRule } from './ast.ts';
import { parseCondition, splitAggregation } from './condition.ts';
import { aggregationOf, readCorrelation, resolveCorrelations } from './correlations.ts';
import { applyFilters, type Filter, readFilter } from './filters.ts';
import { logSourceOf, readHeader } from './header.ts';
import type { Placeholders } from './modifiers.ts';
import { readSelections } from './selections.ts';
import { child, LoadError, type MapNode, type Node, type ReadDocument, readDocuments, textOf, textsOf } from './tree.ts';

export type { Correlation, Loaded, LoadFault, SigmaRule } from './ast.ts';

interface RuleFile {
  file: string;
  text: string;
}

export interface LoadOptions {
  /** Values for `%name%` under the modifier `expand`; a rule with a missing value loads and waits (`awaits`). */
  placeholders?: Record<string, string[]>;
  /** Parsed documents of a file’s text, for a caller that keeps them; parses the text by default. */
  documentsOf?: (text: string) => ReadDocument[];
  /** Rules of an earlier load, which correlations may name. */
  beside?: Pick<Loaded, 'rules' | 'correlations'>;
}

/** Loads all rules in the order of files and documents. Never throws. */
export function loadRules(files: Iterable<RuleFile>, options: LoadOptions = {}): Loaded {
  const loaded: Loaded = { rules: [], correlations: [], faults: [] };
  const filters: Filter[] = [];
  const ids = new Map<string, string>();
  for (const { file, text } of files) {
    let global: MapNode | undefined;
    let previous: MapNode | undefined;
    for (const read of (options.documentsOf ?? readDocuments)(text)) {
      if ('fault' in read) {
        loaded.faults.push({ file, line: read.fault.line, reason: read.fault.message });
        continue;
      }
      let tree = read.tree;
      const action = textOf(child(tree, 'action'));
      if (tree.kind === 'map' && action === 'global') {
        global = tree;
        continue;
      }
      if (action === 'reset') global = undefined;
      if (tree.kind === 'map' && action === 'repeat' && previous) tree = merged(previous, tree);
      else if (tree.kind === 'map' && global) tree = merged(global, tree);
      if (tree.kind === 'map') previous = tree;
      try {
        const placeholders: Placeholders = { values: options.placeholders ?? {}, missing: new Set() };
        if (tree.kind !== 'map') throw new LoadError('the document is not a map of attributes', tree.line || 1);
        if (child(tree, 'filter')) filters.push(readFilter(tree, file, placeholders));
        else if (child(tree, 'correlation')) {
          const correlation = readCorrelation(tree, readHeader(tree, file));
          correlation.id = freeId(ids, correlation.id, file);
          loaded.correlations.push(correlation);
        } else if (action !== 'reset' || child(tree, 'detection')) readRule(tree, file, placeholders, loaded, ids);
      } catch (error) {
        loaded.faults.push(faultOf(error, file, tree));
      }
    }
  }
  applyFilters(filters, loaded);
  resolveCorrelations(loaded, options.beside ?? { rules: [], correlations: [] });
  return loaded;
}

function readRule(tree: MapNode, file: string, placeholders: Placeholders, loaded: Loaded, ids: Map<string, string>): void {
  const detection = child(tree, 'detection');
  if (!detection) throw new LoadError('the rule has no detection', tree.line);
  if (detection.kind !== 'map') throw new LoadError('the detection is not a map', detection.line);
  const conditionNode = child(detection, 'condition');
  const written = textsOf(conditionNode);
  if (!conditionNode || written.length === 0) throw new LoadError('the detection has no condition', detection.line);
  const selections = readSelections(detection, placeholders);
  const names = selections.map((selection) => selection.name);
  try {
    const split = written.map(splitAggregation);
    const parts = split.map(({ condition }) => parseCondition(condition, names));
    const rule: SigmaRule = {
      ...readHeader(tree, file),
      license: textOf(child(tree, 'license')),
      fields: textsOf(child(tree, 'fields')),
      related: relatedOf(child(tree, 'related')),
      logsource: logSourceOf(child(tree, 'logsource')),
      conditions: written,
      selections,
      condition: parts.length === 1 ? parts[0]! : { kind: 'or', parts },
      awaits: [...placeholders.missing],
      standalone: true,
    };
    const aggregations = split.map(({ aggregation }) => aggregation).filter((aggregation) => aggregation !== undefined);
    if (aggregations.length > 0 && split.length > 1) throw new Error('an aggregation cannot stand in a list of conditions');
    rule.id = freeId(ids, rule.id, file);
    if (aggregations[0]) {
      const timeframe = textOf(child(detection, 'timeframe'));
      loaded.correlations.push(aggregationOf(aggregations[0], rule, timeframe));
      rule.id = `${rule.id}:base`;
    }
    loaded.rules.push(rule);
  } catch (error) {
    throw error instanceof LoadError
      ? error
      : new LoadError(String((error as Error).message), conditionNode.line || detection.line);
  }
}

/**
 * Assigns a unique ID to a second rule of the same ID: documents under one `action: global` share theirs, and collections contain
 * duplicates (moved, or copied into another folder). Both are kept, since they may differ, and everything downstream identifies rules
 * by ID; `writtenId` keeps the original.
 */
function freeId(ids: Map<string, string>, id: string, file: string): string {
  let free = id;
  for (let n = 2; ids.has(free); n++) free = `${id}:${n}`;
  ids.set(free, file);
  return free;
}

function relatedOf(node: Node | undefined): SigmaRule['related'] {
  const items = node?.kind === 'list' ? node.items : [];
  return items
    .map((item) => ({ id: textOf(child(item, 'id')) ?? '', type: textOf(child(item, 'type')) ?? '' }))
    .filter(({ id }) => id);
}

/** Merges the second map over the first, recursively. */
function merged(first: MapNode, second: MapNode): MapNode {
  const entries = first.entries.filter((entry) => entry.key !== 'action');
  for (const entry of second.entries) {
    if (entry.key === 'action') continue;
    const at = entries.findIndex((other) => other.key === entry.key);
    const before = entries[at]?.value;
    if (!before) entries.push(entry);
    else
      entries[at] =
        before.kind === 'map' && entry.value.kind === 'map' ? { ...entry, value: merged(before, entry.value) } : entry;
  }
  return { kind: 'map', line: second.line, entries };
}

function faultOf(error: unknown, file: string, tree: Node): LoadFault {
  const reason = error instanceof Error ? error.message : String(error);
  return {
    file,
    line: (error instanceof LoadError && error.line) || tree.line || 1,
    reason,
    title: textOf(child(tree, 'title')),
    id: textOf(child(tree, 'id')),
  };
}
