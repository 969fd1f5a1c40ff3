/** Paged list of the administration page with loading, error and empty states. */
import { styled } from '@mui/material/styles';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { palette } from '../../../kit/palette.ts';
import { Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { Pager } from '../../../kit/TablePager.tsx';
import { useSearchState } from '../../../lib/address.ts';
import type { Paging } from '../sapphire.queries.ts';

export const Column = styled('div')({
  display: 'grid',
  gap: 16,
  maxWidth: 880,
  '& > *': { minWidth: 0 },
  '& ol > li': { backgroundColor: palette.background.paper },
  '& .question': { margin: 0, fontWeight: 600, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '& .text': { margin: 0, whiteSpace: 'pre-wrap', overflowWrap: 'anywhere' },
  '& .fields': { display: 'grid', gap: 6 },
  '& .fields > *': { minWidth: 0 },
  '& .facts': {
    display: 'flex',
    flexWrap: 'wrap',
    gap: '2px 12px',
    margin: 0,
    fontSize: 12,
    lineHeight: '16px',
    color: palette.text.secondary,
    overflowWrap: 'anywhere',
  },
  '& summary': { fontSize: 13, cursor: 'pointer', color: palette.text.secondary },
});

interface Props<Row> {
  query: Pick<UseQueryResult<{ results: readonly Row[]; total: number }>, 'data' | 'error' | 'refetch'>;
  label: string;
  empty: { title: string; text: string };
  paging: Paging;
  children: (row: Row) => ReactNode;
}

export function Paged<Row>({ query: { data, error, refetch }, label, empty, paging, children }: Props<Row>) {
  const { change } = useSearchState();
  if (!data) {
    return error ? (
      <FailedState what={label.toLowerCase()} error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={5} lineHeight={64} />
    );
  }
  if (data.total === 0) return <EmptyState {...empty} />;
  return (
    <>
      <Rows aria-label={label}>{data.results.map(children)}</Rows>
      <Pager
        {...paging}
        total={data.total}
        shown={data.results.length}
        onChange={(page, pageSize) =>
          change({ page: page === 1 ? undefined : page, pageSize: pageSize === 25 ? undefined : pageSize })
        }
      />
    </>
  );
}
