/** Wording of grouping parameters. */
import { providerId } from '@parapet/contract/access.ts';
import type { GroupingDetail, GroupingVersion } from '@parapet/contract/caseGrouping.ts';
import { severityOf } from '@parapet/contract/primitives.ts';
import { type GroupingParameter, parameterById, windowText } from '@parapet/contract/rules/grouping.ts';
import { severityLabel } from '../../kit/Severity.tsx';
import type { Scope } from '../../lib/scope.ts';

export const mayManageGrouping = ({ may, who }: Pick<Scope, 'may' | 'who'>): boolean =>
  may('caseGrouping:write') && who.organisationId === providerId;

/** Values of an editor: by parameter, those that differ from the inherited ones. */
export type Values = Readonly<Record<string, number>>;

export function valueText({ unit }: Pick<GroupingParameter, 'unit'>, value: number): string {
  if (unit === 'switch') return value === 1 ? 'On' : 'Off';
  if (unit === 'severity') return severityLabel[severityOf(value)];
  return unit === 'minutes' ? windowText(value) : String(value);
}

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

export const differenceText = ({ parameters, common }: Pick<GroupingVersion, 'parameters' | 'common'>): string =>
  [
    ...parameters.map(({ parameter, value }) => `${parameter}: ${valueText(parameterById.get(parameter)!, value)}`),
    ...common.map(({ kind, value }) => `${kind} ${value} joins nothing`),
  ].join(', ') || 'No differences from the inherited set';

export const stateLabel = { draft: 'Draft', shadow: 'Shadow', live: 'Live', retired: 'Retired' } as const;
