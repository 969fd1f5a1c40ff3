/** Sets of grouping parameters: what an organisation inherits and changes, made into the rules in force. */
import type { GroupingSetInput } from '@parapet/contract/caseGrouping.ts';
import { problem } from '@parapet/contract/problem.ts';
import { type CommonKind, parameterById } from '@parapet/contract/rules/grouping.ts';
import { storable } from '../../core/db/like.ts';
import { hostNameOf, notationOf } from './correlation.identities.ts';
import { bounded, type Entity, type Grouping, groupingOf } from './correlation.rules.ts';

export interface CommonEntity {
  kind: CommonKind;
  value: string;
  reason: string;
}

/** Differences of one organisation from what it inherits. */
export interface GroupingSet {
  parameters: Readonly<Record<string, number>>;
  common: readonly CommonEntity[];
}

/** A set in force of an organisation in the chain. */
export interface GroupingRow extends GroupingSet {
  id: number;
  organisationId: number;
  state: 'live' | 'shadow';
}

/** Sets by organisation, the provider's first. */
type Layers = ReadonlyMap<number, GroupingSet>;

const liveLayers = (rows: readonly GroupingRow[]): Map<number, GroupingSet> =>
  new Map(rows.flatMap((row) => (row.state === 'live' ? [[row.organisationId, row]] : [])));

/** Values of the layers, later ones before earlier ones. Parameters that a former product had are left out, values moved into the bounds. */
export function valuesOf(layers: Layers): Map<string, { value: number; organisationId: number }> {
  const values = new Map<string, { value: number; organisationId: number }>();
  for (const [organisationId, { parameters }] of layers)
    for (const [id, value] of Object.entries(parameters)) {
      const parameter = parameterById.get(id);
      if (!parameter || !Number.isInteger(value)) continue;
      values.set(id, { value: Math.min(parameter.max, Math.max(parameter.min, value)), organisationId });
    }
  return values;
}

/** The entity that a set names, in the form of alerts' entities; undefined for a name that stands for no single one. */
export function commonEntity({ kind, value }: Pick<CommonEntity, 'kind' | 'value'>): Entity | undefined {
  if (kind === 'user') {
    const found = notationOf(value.trim(), null);
    // Without a domain the account in every one, also of services, whose accounts belong to their device.
    return found && { kind, value: bounded(found.domain === '' ? found.account : found.value) };
  }
  const name = kind === 'device' ? hostNameOf(value.trim()) : value.trim().toLowerCase();
  return name === '' ? undefined : { kind, value: bounded(name) };
}

function groupingFor(layers: Layers): Grouping {
  const values = new Map([...valuesOf(layers)].map(([id, { value }]) => [id, value]));
  return groupingOf(
    values,
    [...layers.values()].flatMap(({ common }) => common.flatMap((each) => commonEntity(each) ?? [])),
  );
}

export interface InForce {
  live: Grouping;
  /** Each takes the place of the live set of its organisation. */
  shadows: { id: number; set: Grouping }[];
}

export function inForce(rows: readonly GroupingRow[]): InForce {
  const shadows = rows.filter(({ state }) => state === 'shadow');
  return {
    live: groupingFor(liveLayers(rows)),
    shadows: shadows.map((row) => ({ id: row.id, set: withLayer(rows, row.organisationId, row) })),
  };
}

/** The rules in force with another set of one organisation; `chain`: provider, partner, client. */
export function withLayer(
  rows: readonly GroupingRow[],
  organisationId: number,
  set: GroupingSet,
  chain: readonly number[] = rows.map((row) => row.organisationId),
): Grouping {
  const live = liveLayers(rows).set(organisationId, set);
  return groupingFor(new Map([...new Set(chain)].flatMap((id) => (live.has(id) ? [[id, live.get(id)!]] : []))));
}

/** The set of an input. Throws invalid for values out of bounds and names that stand for no single entity. */
export function setOf({ parameters, common }: GroupingSetInput): GroupingSet {
  for (const { parameter, value } of parameters) {
    const { min, max } = parameterById.get(parameter)!;
    if (value < min || value > max) throw problem.invalid({ parameters: [`${parameter} must be between ${min} and ${max}.`] });
  }
  for (const each of common)
    if (!commonEntity(each)) throw problem.invalid({ common: [`“${each.value}” names no single ${each.kind}.`] });
  return {
    parameters: Object.fromEntries(parameters.map(({ parameter, value }) => [parameter, value]).sort()),
    common: common.map(({ kind, value, reason }) => ({ kind, value: storable(value), reason: storable(reason) })),
  };
}

export const isSameSet = (a: GroupingSet, b: GroupingSet): boolean => canonical(a) === canonical(b);
const canonical = ({ parameters, common }: GroupingSet): string =>
  JSON.stringify([Object.entries(parameters).sort(), common.map(({ kind, value, reason }) => [kind, value, reason]).sort()]);
