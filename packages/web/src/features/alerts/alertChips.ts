/** Filter chips of the alert list, one for each active filter value, each removable. */
import { reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import type { FilterChip } from '../../kit/FilterChips.tsx';
import type { Facets } from './parts/AlertFacets.tsx';
import type { AlertFilters, AlertsChange } from './useAlertFilters.ts';

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

export function alertChips(
  filters: AlertFilters,
  facets: Facets | undefined,
  change: (next: AlertsChange) => void,
): FilterChip[] {
  const list = <K extends 'severity' | 'status' | 'category' | 'rule'>(field: K, name: string, labels = facets?.[field]) =>
    filters[field].map((value) => ({
      key: `${field}:${value}`,
      name,
      value: labels?.find((option) => option.value === value)?.label ?? (field === 'rule' ? value : capital(value)),
      onRemove: () => change({ [field]: filters[field].filter((each) => each !== value) }),
    }));
  const techniques = filters.technique.map((value) => ({
    key: `technique:${value}`,
    name: 'Technique',
    value: value === 'ANY' || value === 'NONE' ? value.toLowerCase() : value,
    onRemove: () => change({ technique: filters.technique.filter((each) => each !== value) }),
  }));
  const fates = filters.fate.map((value) => ({
    key: `fate:${value}`,
    name: 'Outcome',
    value: reconciliationLabels[value],
    onRemove: () => change({ fate: filters.fate.filter((each) => each !== value) }),
  }));
  const one = (field: 'device' | 'user' | 'text', name: string) =>
    filters[field] ? [{ key: field, name, value: filters[field], onRemove: () => change({ [field]: undefined }) }] : [];
  return [
    ...list('severity', 'Severity'),
    ...list('status', 'Status'),
    ...fates,
    ...list('category', 'Category'),
    ...list('rule', 'Rule'),
    ...techniques,
    ...one('device', 'Device'),
    ...one('user', 'User'),
    ...one('text', 'Text'),
  ];
}
