/** Wording of grouping parameters. */
import { providerId } from '@parapet/contract/access.ts';
import type { GroupingDetail, GroupingSetInput, GroupingVersion } from '@parapet/contract/caseGrouping.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import {
  type GroupingField,
  type GroupingParameter,
  groupingFields,
  groupingRules,
  parameterById,
  sentenceOf,
  tacticsOf,
  windowText,
} from '@parapet/contract/rules/grouping.ts';
import { severityLabel } from '../../kit/Severity.tsx';
import type { Scope } from '../../lib/scope.ts';

export const mayManageGrouping = ({ may, who }: Pick<Scope, 'may' | 'who'>): boolean =>
  may('caseGrouping:write') && who.organisationId === providerId;

/** Values of an editor: by parameter, those that differ from the inherited ones. */
export type Values = Readonly<Record<string, number>>;

export function valueText({ unit }: Pick<GroupingParameter, 'unit'>, value: number): string {
  if (unit === 'switch') return value === 1 ? 'On' : 'Off';
  if (unit === 'severity') return severityLabel[severityOf(value)];
  if (unit === 'tactics') return tacticsOf(value).map(tacticLabel).join(', ');
  return unit === 'minutes' ? windowText(value) : String(value);
}

/** "Command and Control" of `command-and-control`. */
export const tacticLabel = (tactic: string): string =>
  tactic
    .split('-')
    .map((word) => (word === 'and' ? word : capitalised(word)))
    .join(' ');

export const fromLabel: Record<GroupingDetail['parameters'][number]['from'], string> = {
  builtIn: 'Built-in',
  provider: 'Provider',
  partner: 'Partner',
  own: 'Changed here',
};

export const valuesOf = (version: Pick<GroupingVersion, 'parameters'> | undefined): Values =>
  Object.fromEntries((version?.parameters ?? []).map(({ parameter, value }) => [parameter, value]));

export const inputOf = (values: Values) =>
  Object.entries(values)
    .sort()
    .map(([parameter, value]) => ({ parameter, value }));

/** Effect of a field, for its tooltip. */
export const fieldHint: Partial<Record<GroupingField, string>> = {
  maxParties: 'Devices on which a value may occur within 2 weeks; shared by more, it joins no alerts',
  maxOwn: 'Devices that the source may have reached before the case began',
  widens: 'A shared value still joins alerts if it spread only after the case began',
  bridges: 'A severe alert that fits several open cases merges them',
};

/** A parameter and its value in few words; empty for a switch that is off. */
export function briefly(parameter: GroupingParameter, value: number): string {
  const { field, unit } = parameter;
  const text = valueText(parameter, value);
  if (field === 'from') return value === 1 ? 'any severity' : value === 5 ? text : `${text} or higher`;
  if (unit === 'tactics') return `${groupingFields[field].toLowerCase()} ${tacticsOf(value).length}`;
  if (unit === 'switch') return value === 1 ? groupingFields[field].toLowerCase() : '';
  return field === 'value' ? text : `${groupingFields[field].toLowerCase()} ${text}`;
}

/** Rule and field of a parameter: "The same user: Window". */
export function parameterLabel({ rule, field }: GroupingParameter): string {
  const { sentence } = groupingRules.find(({ id }) => id === rule)!;
  const short = sentenceOf({ sentence: sentence.replace(/,? within \{window\}/, '') }, 0);
  const title = capitalised(short);
  return field === 'value' ? title : `${title}: ${groupingFields[field].toLowerCase()}`;
}

export const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Differences of a set from what it inherits, one per line. */
export const differencesOf = ({ parameters, common }: GroupingSetInput): string[] => [
  ...parameters.map(({ parameter, value }) => {
    const known = parameterById.get(parameter)!;
    return `${parameterLabel(known)} ${valueText(known, value)}`;
  }),
  ...common.map(({ kind, value }) => `${capitalised(kind)} ${value} joins no alerts`),
];

export const isSameSet = (a: GroupingSetInput, b: GroupingSetInput): boolean => canonical(a) === canonical(b);
const canonical = ({ parameters, common }: GroupingSetInput): string =>
  JSON.stringify([
    parameters.map(({ parameter, value }) => [parameter, value]).sort(),
    common.map(({ kind, value, reason }) => [kind, value, reason]).sort(),
  ]);

export const stateLabel = { draft: 'Draft', shadow: 'Shadow', live: 'Live', retired: 'Retired' } as const;
