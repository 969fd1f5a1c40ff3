/**
 * Rule filters (Sigma 2, "Sigma Filters"). As in pySigma and SigmaHQ's documentation, a filter's condition is joined to the
 * rule's by "and": an exclusion is therefore written `condition: not selection`.
 */
import type { Loaded, LogSource, Selection, SigmaRule } from './ast.ts';
import { type Condition, parseCondition } from './condition.ts';
import { logSourceOf } from './header.ts';
import type { Placeholders } from './modifiers.ts';
import { readSelections } from './selections.ts';
import { child, LoadError, type MapNode, readDocuments, textOf, textsOf } from './tree.ts';

export interface Filter {
  file: string;
  line: number;
  title: string | undefined;
  id: string | undefined;
  logsource: LogSource;
  /** Ids, names or titles; undefined means every rule of the log source. */
  rules: string[] | undefined;
  selections: Selection[];
  condition: Condition;
}

/** @throws LoadError */
export function readFilter(tree: MapNode, file: string, placeholders: Placeholders): Filter {
  const node = child(tree, 'filter');
  if (node?.kind !== 'map') throw new LoadError('the filter is not a map', node?.line ?? tree.line);
  const written = textsOf(child(node, 'condition'));
  if (written.length === 0) throw new LoadError('the filter has no condition', node.line);
  const rulesNode = child(node, 'rules');
  const rules = textsOf(rulesNode);
  const isForAll = !rulesNode || (rules.length === 1 && rules[0]!.toLowerCase() === 'any');
  const selections = readSelections(node, placeholders);
  const [missing] = placeholders.missing;
  if (missing !== undefined) throw new LoadError(`the placeholder %${missing}% has no value here`, node.line);
  const names = selections.map(({ name }) => name);
  try {
    const parts = written.map((text) => parseCondition(text, names));
    return {
      file,
      line: tree.line,
      title: textOf(child(tree, 'title')),
      id: textOf(child(tree, 'id')),
      logsource: logSourceOf(child(tree, 'logsource')),
      rules: isForAll ? undefined : rules,
      selections,
      condition: parts.length === 1 ? parts[0]! : { kind: 'or', parts },
    };
  } catch (error) {
    throw new LoadError((error as Error).message, child(node, 'condition')?.line ?? node.line);
  }
}

/** Joins each filter to the rules it names. An unknown rule is an error; the other rules are still filtered. */
export function applyFilters(filters: Filter[], loaded: Loaded): void {
  for (const filter of filters) {
    const unknown = new Set(filter.rules);
    for (const rule of loaded.rules) {
      const references = [rule.id, rule.writtenId, rule.name, rule.title].filter(
        (reference) => reference !== undefined && filter.rules?.includes(reference),
      );
      for (const reference of references) unknown.delete(reference!);
      if (filter.rules && references.length === 0) continue;
      if (!covers(filter.logsource, rule.logsource)) continue;
      Object.assign(rule, narrowedParts(rule, filter));
    }
    if (unknown.size > 0) {
      const { file, line, title, id } = filter;
      loaded.faults.push({ file, line, reason: `the filter names what is not loaded: ${[...unknown].join(', ')}`, title, id });
    }
  }
}

type Parts = Pick<SigmaRule, 'selections' | 'condition'>;

const narrowedParts = (rule: Parts, filter: Pick<Filter, 'selections' | 'condition'>): Parts => ({
  selections: [...rule.selections, ...filter.selections],
  condition: { kind: 'and', parts: [rule.condition, shifted(filter.condition, rule.selections.length)] },
});

/** The rule joined with a filter; the rule itself stays as it is. */
export const narrowed = (rule: SigmaRule, filter: Pick<Filter, 'selections' | 'condition'>): SigmaRule => ({
  ...rule,
  ...narrowedParts(rule, filter),
});

/** Reads the text of one filter. @throws LoadError */
export function filterOf(text: string): Filter {
  const documents = readDocuments(text);
  const [only] = documents;
  if (!only || documents.length > 1) throw new LoadError('exactly one filter is expected', 1);
  if ('fault' in only) throw only.fault;
  if (only.tree.kind !== 'map' || !child(only.tree, 'filter'))
    throw new LoadError('the document has no filter', only.tree.line || 1);
  return readFilter(only.tree, 'filter', { values: {}, missing: new Set() });
}

/** True if rules of this log source are among those of the filter’s. */
export const covers = (filter: LogSource, rule: LogSource): boolean =>
  (['product', 'category', 'service'] as const).every((key) => filter[key] === undefined || filter[key] === rule[key]);

function shifted(condition: Condition, by: number): Condition {
  if (condition.kind === 'selection') return { kind: 'selection', index: condition.index + by };
  if (condition.kind === 'not') return { kind: 'not', part: shifted(condition.part, by) };
  return { ...condition, parts: condition.parts.map((part) => shifted(part, by)) };
}
