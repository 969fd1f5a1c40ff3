/** Rows with a name, facts and one action, such as keys and tokens, with the states before and without them. */
import Button from '@mui/material/Button';
import type { ReactNode } from 'react';
import { DefinitionList, type Fact } from './DefinitionList.tsx';
import { Row, Rows } from './rows.styles.ts';
import { TextSkeleton } from './Skeletons.tsx';
import { FailedState, PageNotFound } from './States.tsx';
import { Pager } from './TablePager.tsx';
import type { TablePaging } from './table.ts';
import { VisibleText } from './VisibleText.tsx';

interface RowListProps<T> {
  label: string;
  /** Plural noun, as it stands within a sentence: "ingest keys". */
  what: string;
  query: { data?: { results: readonly T[] } | undefined; error: unknown; refetch: () => unknown };
  /** Shown when there is none. */
  empty: ReactNode;
  /** Above the rows, where there are any. */
  head?: ReactNode;
  paging?: TablePaging;
  /** Height of a row in pixels until it is loaded. */
  rowHeight?: number;
  children: (item: T) => ReactNode;
}

export function RowList<T>({ label, what, query, empty, head, paging, rowHeight = 48, children }: RowListProps<T>) {
  const rows = query.data?.results;
  if (!rows)
    return query.error ? (
      <FailedState what={what} error={query.error} onRetry={() => void query.refetch()} />
    ) : (
      <TextSkeleton lines={3} lineHeight={rowHeight} />
    );
  if ((paging?.total ?? rows.length) === 0) return empty;
  if (paging && rows.length === 0) return <PageNotFound page={paging.page} onFirst={() => paging.onChange(1, paging.pageSize)} />;
  return (
    <>
      {head}
      <Rows aria-label={label}>{rows.map(children)}</Rows>
      {paging && <Pager {...paging} shown={rows.length} />}
    </>
  );
}

interface FactRowProps {
  name: string;
  facts: readonly Fact[];
  minWidth?: number;
  /** Takes the row's subject away: "Revoke". Its label names the subject too. */
  action?: { text: string; label?: string; onClick: () => void } | false;
  /** Dialogs of the row. */
  children?: ReactNode;
}

export function FactRow({ name, facts, minWidth = 140, action, children }: FactRowProps) {
  return (
    <Row aria-label={name}>
      <div className="fields">
        <strong>
          <VisibleText text={name} />
        </strong>
        <DefinitionList minWidth={minWidth} facts={facts} />
      </div>
      {action && (
        <span className="buttons">
          <Button size="small" color="error" aria-label={action.label ?? `${action.text} ${name}`} onClick={action.onClick}>
            {action.text}
          </Button>
        </span>
      )}
      {children}
    </Row>
  );
}
