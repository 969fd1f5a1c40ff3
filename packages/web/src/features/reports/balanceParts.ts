/** The parts of both sums, the whole first, as people read them. */
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
    { id: 'shown', name: 'Shown' },
    { id: 'folded', name: 'Folded' },
    { id: 'suppressed', name: 'Suppressed' },
    { id: 'autoClosed', name: 'Closed by itself' },
    { id: 'inCase', name: 'In cases' },
  ],
};

export const amountOf = (sums: Sums, id: Part['id']): number => (id === 'dropped' ? droppedOf(sums) : sums[id]);
