/** Columns that hold sealed values. A rotation finds all of them before it removes a data key. */

export interface SealedColumn {
  /** Names the row within its table, and is bound into the value. */
  readonly id: string;
  readonly type: 'integer' | 'text' | 'bytea';
  /** null: values are the installation's. */
  readonly organisation: string | null;
  /** Key and bound text of versions before data keys. */
  readonly before?: { readonly purpose: string; readonly about: (id: string) => string };
}

/** Sealed columns of core. */
export const keysColumns = {
  'secrets.value': { id: 'name', type: 'text', organisation: null },
} as const satisfies Record<string, SealedColumn>;

type OfCore = typeof keysColumns;
/**
 * Every sealed column, as `table.column`: a value can only be sealed for one of them. Each feature declares its own in `<feature>.sealed.ts` by merging
 * with this interface.
 */
export interface SealedColumns extends OfCore {}
export type ColumnName = keyof SealedColumns;
export type ColumnList = Readonly<Record<ColumnName, SealedColumn>>;

export const columnsIn = (list: ColumnList) => Object.entries(list) as [ColumnName, SealedColumn][];

/** Location that a sealed value is bound to; it opens nowhere else. */
export interface Place {
  /** null: the installation. */
  organisationId: number | null;
  column: ColumnName;
  /** Of the row, as the column's declaration names it. */
  id: number | string | Buffer;
}

export const idText = (id: Place['id']): string => (Buffer.isBuffer(id) ? id.toString('hex') : String(id));
