/** The four states of one panel, independent of others. */
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { NotificationsNoneRounded } from '../kit/icons/NotificationsNoneRounded.tsx';
import { RowsSkeleton } from '../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../kit/States.tsx';

interface LoadedProps {
  query: Pick<UseQueryResult, 'data' | 'error' | 'refetch'>;
  what: string;
  lines: number;
  isEmpty: boolean;
  empty: string;
  /** The next step. */
  next?: ReactNode;
  children: ReactNode;
}

const skeleton = [
  { id: 'icon', width: 40 },
  { id: 'text', flex: 1 },
  { id: 'number', width: 80, align: 'right' as const },
];

export function Loaded({ query, what, lines, isEmpty, empty, next, children }: LoadedProps) {
  if (query.data === undefined) {
    return query.error ? (
      <FailedState what={what} error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <RowsSkeleton rows={lines} columns={skeleton} rowHeight={44} />
    );
  }
  return isEmpty ? <EmptyState icon={<NotificationsNoneRounded />} title={empty} {...(next ? { text: next } : {})} /> : children;
}
