/** Parts of the event and alert sums with their labels, the total first. */
import { balanceParts, reconciliationLabels } from '@parapet/contract/rules/reconciliation.ts';
import { type Count, droppedOf, type Sums } from './balance.ts';

export interface Part {
  id: Count | 'dropped';
  name: string;
}

const named = (ids: readonly Part['id'][]): Part[] => ids.map((id) => ({ id, name: reconciliationLabels[id] }));

export const parts: Record<'events' | 'alerts', readonly Part[]> = {
  events: named(balanceParts.slice(0, balanceParts.indexOf('raised'))),
  alerts: named(balanceParts.slice(balanceParts.indexOf('raised'))),
};

export const amountOf = (sums: Sums, id: Part['id']): number => (id === 'dropped' ? droppedOf(sums) : sums[id]);
