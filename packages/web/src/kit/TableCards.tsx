/** Rows as a plain list of cards, for frames too narrow for columns. Does not load the grid. */
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import { type MouseEvent, type RefObject, useImperativeHandle, useRef } from 'react';
import { ArrowDownwardRounded } from './icons/ArrowDownwardRounded.tsx';
import { ArrowUpwardRounded } from './icons/ArrowUpwardRounded.tsx';
import { palette } from './palette.ts';
import type { Column, DataTableProps, RowsHandle, TableSorting } from './table.ts';

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  '& > li': {
    position: 'relative',
    padding: '10px 12px',
    borderBottom: `1px solid ${palette.divider}`,
    fontSize: 13,
    minWidth: 0,
  },
  '& > li:last-child': { borderBottom: 0 },
  '& > li:hover': { backgroundColor: palette.action.hover },
  '& > li.is-peeked, & > li.is-peeked:hover': {
    backgroundColor: palette.action.selected,
    boxShadow: `inset 3px 0 0 ${palette.primary.main}`,
  },
  '& > li.is-selected': { outline: `1px solid ${palette.primary.main}`, outlineOffset: -2 },
  '& > li.is-fresh:not(.is-peeked)': { backgroundColor: `color-mix(in srgb, ${palette.primary.main} 7%, transparent)` },
});

interface Props<Row>
  extends Pick<DataTableProps<Row>, 'rowId' | 'card' | 'isFresh' | 'label' | 'split' | 'detail' | 'selection'> {
  rows: readonly Row[];
  handle: RefObject<RowsHandle | null>;
}

export function TableCards<Row>(props: Props<Row>) {
  const { rows, rowId, card, isFresh, label, handle, split, detail, selection } = props;
  const list = useRef<HTMLUListElement>(null);
  useImperativeHandle(handle, () => ({
    focusRow: (id) => {
      const index = rows.findIndex((row) => rowId(row) === id);
      const item = list.current?.children[index];
      item?.scrollIntoView({ block: 'nearest' });
      item?.querySelector<HTMLElement>('a, button')?.focus();
    },
    focusedRow: () => {
      const index = [...(list.current?.children ?? [])].findIndex((item) => item.contains(document.activeElement));
      const row = rows[index];
      return row === undefined ? undefined : rowId(row);
    },
  }));
  return (
    <List ref={list} aria-label={label}>
      {rows.map((row) => (
        <li
          key={rowId(row)}
          className={[
            isFresh?.(row) && 'is-fresh',
            split?.isOn && detail?.preview === rowId(row) && 'is-peeked',
            selection?.ids.has(rowId(row)) && 'is-selected',
          ]
            .filter(Boolean)
            .join(' ')}
          onClickCapture={(event) => split?.isOn && previewInstead(event, () => detail?.onPreview?.(row))}
        >
          {card(row)}
        </li>
      ))}
    </List>
  );
}

/** A plain click on the card’s link previews the row beside the list; Enter and clicks with a modifier follow the link. */
function previewInstead(event: MouseEvent, preview: () => void): void {
  const isLink = event.target instanceof Element && event.target.closest('a') !== null;
  if (!isLink || event.detail === 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  event.preventDefault();
  event.stopPropagation();
  preview();
}

const Orders = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 2,
  fontSize: 12,
  color: palette.text.secondary,
  '& select': {
    font: 'inherit',
    height: 32,
    marginLeft: 6,
    padding: '0 4px',
    color: palette.text.primary,
    backgroundColor: palette.background.paper,
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
  },
});

interface OrderProps<Row> {
  columns: readonly Column<Row>[];
  sorting: TableSorting;
}

/** Order of the cards, which have no column headers. */
export function CardsOrder<Row>({ columns, sorting: { sort, order, onChange } }: OrderProps<Row>) {
  const Arrow = order === 'asc' ? ArrowUpwardRounded : ArrowDownwardRounded;
  return (
    <Orders>
      <label>
        Sort by
        <select value={sort} onChange={(event) => onChange(event.target.value, 'desc')}>
          {columns
            .filter((column) => column.sort)
            .map((column) => (
              <option key={column.id} value={column.sort}>
                {column.header}
              </option>
            ))}
        </select>
      </label>
      <IconButton
        size="small"
        aria-label={order === 'asc' ? 'Ascending' : 'Descending'}
        onClick={() => onChange(sort, order === 'asc' ? 'desc' : 'asc')}
      >
        <Arrow sx={{ fontSize: 16 }} />
      </IconButton>
    </Orders>
  );
}
