/** Cells and columns shared by several lists. */
import type { ComponentProps } from 'react';
import type { Column } from './table.ts';
import { VisibleText } from './VisibleText.tsx';
import { visibleText } from './visible.ts';

type Text = Omit<ComponentProps<'span'>, 'className'>;

export const Ellipsis = (props: Text) => <span className="cell-ellipsis" {...props} />;
export const SecondaryText = (props: Text) => <span className="cell-secondary" {...props} />;
/** A title over its details; on one line in compact rows. */
export const TwoLines = (props: Text) => <span className="cell-lines" {...props} />;

export const textCell = (value: string | null) =>
  value ? (
    <Ellipsis title={visibleText(value)}>
      <VisibleText text={value} />
    </Ellipsis>
  ) : null;

/** Column of the client's name, where rows belong to several clients. */
export const clientColumn = <Row extends { clientOrganizationName: string }>(
  hasClients: boolean,
  more: Partial<Column<Row>> = {},
): Column<Row>[] =>
  hasClients
    ? [{ id: 'client', header: 'Client', flex: 1, width: 130, cell: (row) => textCell(row.clientOrganizationName), ...more }]
    : [];
