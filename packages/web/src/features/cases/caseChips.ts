/** The filters in use, in words, each with what takes it away. */
import { statusLabel } from '@parapet/contract/rules/cases.ts';
import type { FilterChip } from '../../kit/FilterChips.tsx';
import { severityLabel } from '../../kit/Severity.tsx';
import type { Query } from '../../lib/paths.ts';
import type { CaseListFilters } from './caseFilters.ts';

const ageLabels = {
  day: 'within a day',
  week: '1 to 7 days ago',
  month: '7 to 30 days ago',
  older: 'more than 30 days ago',
};

/** `analystName`: of an id, where it is known. */
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
    ...list('analyst', 'Analyst', filters.analyst, (id) => (id === 0 ? 'Nobody' : (analystName(id) ?? `user ${id}`))),
    ...one('breached', 'Target', filters.breached ? 'breached' : ''),
    ...one('waiting', 'Waiting for', filters.waiting ? 'client' : ''),
    ...one('excluded', 'Suppressed', filters.excluded === undefined ? '' : filters.excluded ? 'yes' : 'no'),
    ...one('age', 'Opened', filters.age === undefined ? '' : ageLabels[filters.age]),
    ...one('device', 'Device', filters.device),
    ...one('user', 'User', filters.user),
    ...one('text', 'Text', filters.text),
  ];
}
