/**
 * A list wired to its address and its query: search, filters with their chips, pages, order, preview and empty states. The header is
 * `ListPage`'s; a list on a tab uses this part alone.
 */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { type ComponentType, type ReactNode, useEffect } from 'react';
import { DataTable } from '../kit/DataTable.tsx';
import { FacetPane, useFacetPane } from '../kit/FacetPane.tsx';
import { FilterBar } from '../kit/FilterBar.tsx';
import { type FilterChip, FilterChips } from '../kit/FilterChips.tsx';
import { FilterMenu } from '../kit/FilterMenu.tsx';
import { SearchField } from '../kit/SearchField.tsx';
import { EmptyState, PageNotFound } from '../kit/States.tsx';
import type { Column, DataTableProps } from '../kit/table.ts';
import { SplitContext, useSplit } from '../kit/useSplit.ts';
import { useGo } from './address.ts';
import { answerChip, chipsOf, type ListFilter, valuesOf } from './listFilters.ts';
import type { ListControl } from './useListState.ts';

interface Empty {
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
}

export interface Places {
  page: number;
  pageSize: number;
  peek?: unknown;
  sort?: string;
  order?: 'asc' | 'desc';
  text?: string;
  query?: string | undefined;
}

/** Input of a list's side panel. */
export interface PreviewPanel<Row, Id = number | undefined> {
  /** The row that the address names. */
  id: Id;
  /** undefined where it is not on this page. */
  row: Row | undefined;
  isLoading: boolean;
  onClose: () => void;
}

export interface ListTableProps<Row, S>
  extends Pick<DataTableProps<Row>, 'id' | 'label' | 'rowId' | 'news' | 'selection' | 'isFresh' | 'keys'> {
  list: ListControl<S>;
  query: {
    data: { results: readonly Row[]; total?: number; totalIsAtLeast?: boolean } | undefined;
    isFetching: boolean;
    error: unknown;
    refetch: () => unknown;
  };
  columns: readonly Column<Row>[];
  card: (row: Row, preview: () => void) => ReactNode;
  /** "entries", where the label is not the plural of a row. */
  noun?: string;
  /** Address of a row's page, or undefined. Without it rows open in the preview. */
  hrefOf?: (row: Row) => string | undefined;
  returnTo?: number | undefined;
  /** Side panel. Its presence makes rows previewable. */
  panel?: (panel: PreviewPanel<Row, S extends { peek?: infer P } ? P : never>) => ReactNode;
  /** Turning a page leaves the preview open, which loads its row itself. */
  keepsPreview?: boolean;
  /** Label of the search field. */
  search?: string;
  filters?: readonly ListFilter[];
  /** Further controls between the filters and their chips. */
  toolbar?: ReactNode;
  /** Chips of filters that are not plain values. */
  chips?: readonly FilterChip[];
  /** Filters with counts, in a pane beside the list in place of menus. */
  facets?: ReactNode;
  /** No rows, no filters. */
  empty: Empty;
  /** Behind the last row of a list that is read by cursor. */
  end?: Empty | false;
  /** Hint for no rows that match the filters. */
  noMatch?: ReactNode;
  /** In place of page numbers. */
  pager?: ReactNode;
  /** The feature's menu of saved views. */
  views?: ComponentType<{ list: never; hidden: readonly string[]; onHidden: (hidden: readonly string[]) => void }>;
}

export function ListTable<Row, S extends Places>(props: ListTableProps<Row, S>) {
  const { id, label, list, query, panel, views: Views, facets } = props;
  const go = useGo();
  const { state, set } = list;
  const rows = query.data?.results;
  const preview = (row: Row) => set({ peek: props.rowId(row) });
  const open = (row: Row) => {
    const href = props.hrefOf?.(row);
    if (href !== undefined) go(href);
    else if (panel) preview(row);
  };
  const [isPaneOpen, setPaneOpen, isBeside] = useFacetPane();
  const split = useSplit(id, panel !== undefined);
  const first = rows?.[0] === undefined ? undefined : props.rowId(rows[0]);
  // The right side of a split list is never empty.
  useEffect(() => {
    if (split.isOn && state.peek === undefined && first !== undefined) set({ peek: first }, { replace: true });
  }, [split.isOn, state.peek, first, set]);
  const closes = props.keepsPreview ? {} : { peek: undefined };

  return (
    <Box sx={{ display: 'flex', alignItems: 'flex-start', gap: 2 }}>
      {facets !== undefined && !(split.isOn && isBeside) && (
        <FacetPane isOpen={isPaneOpen} isBeside={isBeside} onClose={() => setPaneOpen(false)}>
          {facets}
        </FacetPane>
      )}
      <DataTable
        id={id}
        label={label}
        columns={props.columns}
        rows={rows}
        rowId={props.rowId}
        card={(row) => props.card(row, () => (panel ? preview(row) : open(row)))}
        paging={
          props.pager === undefined
            ? {
                page: state.page,
                pageSize: state.pageSize,
                total: query.data?.total ?? 0,
                isAtLeast: query.data?.totalIsAtLeast ?? false,
                onChange: (page, pageSize) => set({ page, pageSize, ...closes }, { replace: false }),
              }
            : { pager: props.pager }
        }
        sorting={
          state.sort === undefined
            ? undefined
            : { sort: state.sort, order: state.order ?? 'desc', onChange: (sort, order) => set({ sort, order }) }
        }
        selection={props.selection}
        detail={{
          onOpen: open,
          returnTo: props.returnTo,
          ...(panel && { preview: state.peek as number | string | undefined, onPreview: preview }),
        }}
        isFetching={query.isFetching}
        error={query.error}
        onRetry={() => void query.refetch()}
        empty={<NoRows {...props} />}
        toolbar={<Toolbar {...props} isOpen={isPaneOpen} onOpen={setPaneOpen} />}
        news={props.news}
        split={split}
        views={Views && ((look) => <Views list={id as never} {...look} />)}
        {...(props.isFresh && { isFresh: props.isFresh })}
        {...(props.keys && { keys: props.keys })}
      />
      <SplitContext value={split.isOn}>
        {panel?.({
          id: state.peek as Parameters<typeof panel>[0]['id'],
          row: rows?.find((row) => props.rowId(row) === state.peek),
          isLoading: rows === undefined,
          onClose: () => {
            if (split.isOn) split.toggle?.();
            set({ peek: undefined });
          },
        })}
      </SplitContext>
    </Box>
  );
}

function NoRows<Row, S extends Places>(props: ListTableProps<Row, S>) {
  const { list, label, noun = label.toLowerCase(), empty, end, noMatch } = props;
  const button = (text: string, onClick: () => void) => (
    <Button variant="outlined" size="small" onClick={onClick}>
      {text}
    </Button>
  );
  if (end) return <EmptyState {...end} />;
  if (list.state.page > 1) return <PageNotFound page={list.state.page} onFirst={() => list.set({ page: 1 })} />;
  if (list.isFiltered)
    return (
      <EmptyState
        title={`No matching ${noun}`}
        text={noMatch ?? 'Remove a filter or change the search.'}
        actions={button('Clear all filters', list.reset)}
      />
    );
  return <EmptyState {...empty} />;
}

function Toolbar<Row, S extends Places>({
  list,
  search,
  filters = [],
  toolbar,
  chips: more = [],
  facets,
  isOpen,
  onOpen,
}: ListTableProps<Row, S> & { isOpen: boolean; onOpen: (isOpen: boolean) => void }) {
  const { state, set } = list;
  const chosen = (name: string) => valuesOf(state, name);
  const chips = [...chipsOf(filters, state, set), ...answerChip(state.query, set), ...more];
  const onText = (text: string) => set({ text }, { replace: true });
  if (facets !== undefined)
    return (
      <FilterBar
        isOpen={isOpen}
        onOpen={onOpen}
        text={state.text ?? ''}
        onText={onText}
        label={search ?? ''}
        chips={chips}
        onClear={list.reset}
      />
    );
  return (
    <>
      {search && <SearchField value={state.text ?? ''} onChange={onText} label={search} hasShortcut width={240} />}
      {filters.map(
        ({ name, label, options, none = 'None', isSingle }) =>
          options && (
            <FilterMenu
              key={name}
              label={label}
              none={none}
              options={options.map(({ value, text, label }) => ({ value: String(value), label: label ?? text }))}
              chosen={chosen(name)}
              onChange={(next) => set({ [name]: isSingle ? next.filter((each) => !chosen(name).includes(each)) : next })}
            />
          ),
      )}
      {toolbar}
      <FilterChips chips={chips} onClear={list.reset} />
    </>
  );
}
