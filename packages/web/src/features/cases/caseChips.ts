/** Filter chips of the case list, one for each active filter value, each removable. */
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import type { FilterChip } from '../../kit/FilterChips.tsx';
import { severityLabel } from '../../kit/Severity.tsx';
import type { Query } from '../../lib/paths.ts';
import type { CaseListFilters } from './caseFilters.ts';

const ageLabels = {
  day: 'last 24 hours',
  week: '1 to 7 days ago',
  month: '7 to 30 days ago',
  older: 'more than 30 days ago',
};

/** `analystName` returns the name of an analyst's id, where known. */
export function caseChips(
  filters: CaseListFilters,
  analystName: (id: number) => string | undefined,
  change: (patch: Query) => void,
): FilterChip[] {
  const list = <T extends string | number>(field: string, name: string, values: readonly T[], label: (value: T) => string) =>
    values.map((value) => ({
      key: `${field}:${value}`,
      name,
      value: label(value),
      onRemove: () => change({ [field]: values.filter((each) => each !== value) }),
    }));
  const one = (field: string, name: string, value: string) =>
    value === '' ? [] : [{ key: field, name, value, onRemove: () => change({ [field]: undefined }) }];
  return [
    ...list('severity', 'Criticality', filters.severity, (severity) => severityLabel[severity]),
    ...list('status', 'Status', filters.status, statusLabel),
    ...list('verdict', 'Verdict', filters.verdict, (verdict) => verdict),
    ...list('analyst', 'Analyst', filters.analyst, (id) => (id === 0 ? 'Unassigned' : (analystName(id) ?? `user ${id}`))),
    ...one('breached', 'Target', filters.breached ? 'breached' : ''),
    ...one('waiting', 'Waiting for', filters.waiting ? 'client' : ''),
    ...one('excluded', 'Suppressed', filters.excluded === undefined ? '' : filters.excluded ? 'yes' : 'no'),
    ...one('age', 'Opened', filters.age === undefined ? '' : ageLabels[filters.age]),
    ...one('device', 'Device', filters.device),
    ...one('user', 'User', filters.user),
    ...one('text', 'Text', filters.text),
  ];
}
