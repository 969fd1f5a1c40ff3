/** Words about an incident of a vendor. */
import type { CaseIncident } from '@parapet/contract/connections.ts';

/** `inProgress` → `In progress`. */
export function incidentStatusText({ status, goneAt }: Pick<CaseIncident, 'status' | 'goneAt'>): string {
  if (goneAt !== null) return 'No longer at the vendor';
  const words = status.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
  return words === '' ? 'Not read yet' : words.slice(0, 1).toUpperCase() + words.slice(1);
}

export function incidentSyncText({
  incidentMode,
  isSending,
  error,
}: Pick<CaseIncident, 'incidentMode' | 'isSending' | 'error'>): string {
  if (incidentMode === 'read') return 'Shown only';
  if (error !== null) return 'Retrying';
  if (isSending) return 'Waiting for confirmation';
  return incidentMode === 'both' ? 'Both ways' : 'From case to incident';
}
