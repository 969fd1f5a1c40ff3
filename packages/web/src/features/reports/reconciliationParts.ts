/** Parts of the event and alert sums with their labels, the total first. */
import { reconciliationLabels, reconciliationParts } from '@parapet/contract/rules/reconciliation.ts';
import { type Count, droppedOf, type Sums } from './balance.ts';

export interface Part {
  id: Count | 'dropped';
  name: string;
}

const named = (ids: readonly Part['id'][]): Part[] => ids.map((id) => ({ id, name: reconciliationLabels[id] }));

export const parts: Record<'events' | 'alerts', readonly Part[]> = {
  events: named(reconciliationParts.slice(0, reconciliationParts.indexOf('raised'))),
  alerts: named(reconciliationParts.slice(reconciliationParts.indexOf('raised'))),
};

export const amountOf = (sums: Sums, id: Part['id']): number => (id === 'dropped' ? droppedOf(sums) : sums[id]);
