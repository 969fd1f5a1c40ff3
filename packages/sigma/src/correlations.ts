/**
 * Parses correlation documents (Sigma 2, "Correlation Rules") and resolves their references once everything is loaded, because a
 * correlation may precede the rules it names, or be in another file.
 */
import type { Comparison, Correlation, CorrelationType, Loaded, LoadFault, SigmaRule } from './ast.ts';
import type { Aggregation } from './condition.ts';
import type { Header } from './header.ts';
import { child, LoadError, type MapNode, type Node, textOf, textsOf } from './tree.ts';

const TYPES = new Set(['event_count', 'value_count', 'temporal', 'temporal_ordered']);
const OPERATORS = new Set(['gt', 'gte', 'lt', 'lte', 'eq', 'neq']);
const UNITS: Record<string, number> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000, w: 604_800_000 };

/** @throws LoadError */
export function readCorrelation(tree: MapNode, header: Header): Correlation {
  const node = child(tree, 'correlation');
  if (node?.kind !== 'map') throw new LoadError('the correlation is not a map', node?.line ?? tree.line);
  const type = textOf(child(node, 'type'))?.toLowerCase() ?? '';
  if (!TYPES.has(type))
    throw new LoadError(`the correlation type "${type}" is not known`, child(node, 'type')?.line ?? node.line);
  const rules = textsOf(child(node, 'rules'));
  if (rules.length === 0) throw new LoadError('the correlation names no rules', node.line);
  const isTemporal = type === 'temporal' || type === 'temporal_ordered';
  const { conditions, valueFields } = readCondition(child(node, 'condition'), node.line);
  if (conditions.length === 0) {
    if (!isTemporal) throw new LoadError('the correlation has no condition', node.line);
    conditions.push({ operator: 'gte', number: new Set(rules).size });
  }
  if (type === 'value_count' && valueFields.length === 0)
    throw new LoadError('a value_count needs the field whose values it counts (condition: field)', node.line);
  const { custom: written, ...common } = header;
  const custom: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(written)) if (key !== 'correlation' && key !== 'generate') custom[key] = written[key];
  return {
    ...common,
    custom,
    type: type as CorrelationType,
    rules,
    groupBy: textsOf(child(node, 'group-by')),
    timespanMs: timespan(textOf(child(node, 'timespan') ?? child(node, 'timeframe')), child(node, 'timespan')?.line ?? node.line),
    conditions,
    valueFields,
    aliases: readAliases(child(node, 'aliases')),
    generate: [child(node, 'generate'), child(tree, 'generate')].some((flag) => textOf(flag)?.toLowerCase() === 'true'),
    standalone: true,
  };
}

function readCondition(node: Node | undefined, line: number): Pick<Correlation, 'conditions' | 'valueFields'> {
  const conditions: Correlation['conditions'] = [];
  let valueFields: string[] = [];
  if (!node) return { conditions, valueFields };
  if (node.kind !== 'map') throw new LoadError('the condition of a correlation is a map such as "gte: 10"', node.line || line);
  for (const entry of node.entries) {
    if (entry.key === 'field') {
      valueFields = textsOf(entry.value);
      continue;
    }
    const number = entry.value.kind === 'scalar' ? Number(entry.value.value ?? Number.NaN) : Number.NaN;
    if (!OPERATORS.has(entry.key)) throw new LoadError(`the condition "${entry.key}" is not known`, entry.line);
    if (!Number.isFinite(number)) throw new LoadError(`the condition "${entry.key}" takes a number`, entry.line);
    conditions.push({ operator: entry.key as Comparison | 'eq' | 'neq', number });
  }
  return { conditions, valueFields };
}

function timespan(text: string | undefined, line: number): number {
  const found = /^(\d{1,9})\s*([smhdwM])$/.exec(text?.trim() ?? '');
  const unit = found && (found[2] === 'M' ? 30 * UNITS.d! : UNITS[found[2]!]!);
  if (!found || !unit || Number(found[1]) === 0)
    throw new LoadError(`the timespan "${text ?? ''}" is not a number with s, m, h or d`, line);
  return Number(found[1]) * unit;
}

function readAliases(node: Node | undefined): Correlation['aliases'] {
  const aliases: Correlation['aliases'] = new Map();
  if (!node) return aliases;
  if (node.kind !== 'map') throw new LoadError('the aliases are not a map', node.line);
  for (const { key, line, value } of node.entries) {
    if (value.kind !== 'map') throw new LoadError(`the alias "${key}" is not a map of rule to field`, line);
    const fields = new Map<string, string>();
    for (const entry of value.entries) {
      const field = textOf(entry.value);
      if (field === undefined) throw new LoadError(`the alias "${key}" gives no field for ${entry.key}`, entry.line);
      fields.set(entry.key, field);
    }
    aliases.set(key, fields);
  }
  return aliases;
}

/** Converts a Sigma 1 aggregation into the equivalent correlation. The rule itself becomes its hidden part. */
export function aggregationOf(aggregation: Aggregation, rule: SigmaRule, timeframe: string | undefined): Correlation {
  const { field, groupBy, operator, number } = aggregation;
  return {
    ...rule,
    type: field ? 'value_count' : 'event_count',
    rules: [`${rule.id}:base`],
    groupBy,
    timespanMs: timeframe === undefined ? UNITS.d! : timespan(timeframe, rule.line),
    conditions: [{ operator: operator as Comparison, number }],
    valueFields: field ? [field] : [],
    aliases: new Map(),
    generate: false,
    standalone: true,
  };
}

/**
 * Replaces names by IDs and determines which rules are detections of their own. A correlation with an unresolved or circular reference is
 * removed with an error, together with those that build on it. Rules loaded before (`beside`) can be referenced and stay as they are.
 */
export function resolveCorrelations(loaded: Loaded, beside: Pick<Loaded, 'rules' | 'correlations'>): void {
  const ids = new Map<string, string>();
  const parts = [...beside.rules, ...beside.correlations, ...loaded.rules, ...loaded.correlations];
  for (const part of parts) if (part.name !== undefined) ids.set(part.name, part.id);
  for (const part of parts) ids.set(part.id, part.id);
  for (const correlation of loaded.correlations) {
    correlation.rules = correlation.rules.map((reference) => ids.get(reference) ?? reference);
    for (const fields of correlation.aliases.values())
      for (const [reference, field] of [...fields]) fields.set(ids.get(reference) ?? reference, field);
  }
  const correlations = [...beside.correlations, ...loaded.correlations];
  const known = new Map(correlations.map((correlation) => [correlation.id, correlation]));
  const rules = new Set([...beside.rules, ...loaded.rules].map(({ id }) => id));
  const verdicts = new Map<string, string | undefined>();
  for (const correlation of loaded.correlations) judge(correlation, known, rules, verdicts, new Set());
  loaded.correlations = loaded.correlations.filter((correlation) => {
    const reason = verdicts.get(correlation.id);
    if (reason !== undefined) loaded.faults.push(faultOf(correlation, reason));
    return reason === undefined;
  });
  markHidden(loaded, [...beside.correlations, ...loaded.correlations]);
}

function judge(
  correlation: Correlation,
  known: Map<string, Correlation>,
  rules: Set<string>,
  verdicts: Map<string, string | undefined>,
  path: Set<string>,
): string | undefined {
  if (verdicts.has(correlation.id)) return verdicts.get(correlation.id);
  if (path.has(correlation.id)) return 'the correlation leads back to itself';
  path.add(correlation.id);
  let reason: string | undefined;
  for (const id of correlation.rules) {
    const inner = known.get(id);
    if (inner) {
      const fault = judge(inner, known, rules, verdicts, path);
      if (fault !== undefined) reason ??= `the correlation builds on "${inner.title}", which does not load: ${fault}`;
    } else if (!rules.has(id)) reason ??= `the correlation names the rule "${id}", which is not loaded`;
  }
  path.delete(correlation.id);
  verdicts.set(correlation.id, reason);
  return reason;
}

function markHidden(loaded: Loaded, correlations: readonly Correlation[]): void {
  const isOwnDetection = isStandalone(correlations);
  for (const part of [...loaded.rules, ...loaded.correlations]) part.standalone = isOwnDetection(part.id);
}

/** Spec, "generate": referenced rules are no detections of their own, unless one of the correlations sets `generate`. By ID. */
export function isStandalone(correlations: readonly Correlation[]): (id: string) => boolean {
  const used = new Map<string, boolean>();
  for (const { rules, generate } of correlations) for (const id of rules) used.set(id, generate || used.get(id) === true);
  return (id) => used.get(id) ?? true;
}

function faultOf({ file, line, title, id }: Correlation, reason: string): LoadFault {
  return { file, line, title, id, reason };
}
