/** Columns as Kysely sees them: times arrive as Date, `date` columns as YYYY-MM-DD. */
import type { ColumnType } from 'kysely';

export type Time = ColumnType<Date, Date | string, Date | string>;
export type TimeDefault = ColumnType<Date, Date | string | undefined, Date | string>;
export type Json<T> = ColumnType<T, string, string>;
