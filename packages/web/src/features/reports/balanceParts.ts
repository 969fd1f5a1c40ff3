/** The parts of both sums, the whole first, as people read them. */
import { fateNames } from '../../lib/alertFates.ts';
import { type Count, droppedOf, type Sums } from './balance.ts';

export interface Part {
  id: Count | 'dropped';
  name: string;
}

export const parts: Record<'events' | 'alerts', readonly Part[]> = {
  events: [
    { id: 'received', name: 'Received' },
    { id: 'stored', name: 'Stored' },
    { id: 'duplicate', name: 'There already' },
    { id: 'dropped', name: 'Dropped' },
    { id: 'dead', name: 'Kept aside' },
  ],
  alerts: [
    { id: 'raised', name: 'Raised' },
    ...(['shown', 'folded', 'suppressed', 'autoClosed', 'inCase'] as const).map((id) => ({ id, name: fateNames[id] })),
  ],
};

export const amountOf = (sums: Sums, id: Part['id']): number => (id === 'dropped' ? droppedOf(sums) : sums[id]);
