/** Filters of the case list with their labels. */
import { type CaseStatus, type Resolution, resolutionLabel, statusLabel } from '@parapet/contract/rules/cases.ts';
import { severityLabel } from '../../kit/Severity.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';

const ageLabels: Record<string, string> = {
  day: 'Last 24 hours',
  week: '1 to 7 days ago',
  month: '7 to 30 days ago',
  older: 'more than 30 days ago',
};

/** `analystName`: of an id, where it is known. */
export const caseFilters = (analystName: (id: string) => string | undefined): ListFilter[] => [
  { name: 'severity', label: 'Criticality', textOf: (severity) => severityLabel[severity as keyof typeof severityLabel] },
  { name: 'status', label: 'Status', textOf: (status) => statusLabel(status as CaseStatus) },
  { name: 'resolution', label: 'Resolution', textOf: (resolution) => resolutionLabel(resolution as Resolution) },
  { name: 'verdict', label: 'Verdict' },
  { name: 'analyst', label: 'Analyst', textOf: (id) => (id === '0' ? 'Unassigned' : (analystName(id) ?? `user ${id}`)) },
  { name: 'breached', label: 'Target', textOf: () => 'breached' },
  { name: 'waiting', label: 'Waiting for', textOf: () => 'client' },
  { name: 'answered', label: 'Client answer', textOf: (isUnseen) => (isUnseen === 'true' ? 'new' : 'none new') },
  { name: 'confirmed', label: 'Attack', textOf: () => 'confirmed' },
  { name: 'excluded', label: 'Suppressed', textOf: (isExcluded) => (isExcluded === 'true' ? 'yes' : 'no') },
  { name: 'age', label: 'Opened', textOf: (age) => ageLabels[age] ?? age },
  { name: 'device', label: 'Device' },
  { name: 'user', label: 'User' },
  { name: 'text', label: 'Text' },
];
