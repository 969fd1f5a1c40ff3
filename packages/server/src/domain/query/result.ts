/** Result of a query. */
import type { RowIdentity } from './schema.ts';

export type Cell = string | number | boolean | readonly string[] | null;

export interface QueryResult {
  /** Matching records: of all groups, and beyond the limit. */
  total: number;
  /** Of `share` the percentage, of `mean` … `sum` the value, of a time in milliseconds since 1970; null over no records. */
  value?: number | null;
  /** Of `share`: the records that match `of`. */
  part?: number;
  /** Of `list` (and `exists`): up to the limit, in order. Cells by attribute. */
  rows: { identity: RowIdentity; cells: Record<string, Cell> }[];
  /** With `groupBy`: the measure of each group, in order, up to the limit; keys in the order of `groupBy`. */
  groups?: { keys: Cell[]; value: number }[];
  /** Number of groups beyond the limit. */
  groupTotal?: number;
  /** Of `against`. With `average`, `value` is the mean over the other clients and `total` their number. */
  against?: { total: number; value?: number | null; groups?: { keys: Cell[]; value: number }[] };
}
