/** CSV export of the alert list, newest first, by keyset paging: every page costs the same. */
import type { Readable } from 'node:stream';
import type { AlertRow } from '@parapet/contract/alerts.ts';
import { type Columns, csvOf } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, type Scope } from '../../core/db/scope.ts';
import type { Range } from '../../domain/ranges.ts';
import type { Catalogue } from './alerts.catalogue.ts';
import type { Filter } from './alerts.filter.ts';
import { type AlertPageQuery, readPlacedPage, toAlertRows } from './alerts.rows.ts';

const maxExported = 100_000;
const exportedAtOnce = 1_000;
const yesNo = (is: boolean) => (is ? 'yes' : 'no');
const columns: Columns<AlertRow> = [
  ['Number', (row) => row.id],
  ['Time', (row) => row.createdTime],
  ['Last seen', (row) => row.lastSeenTime],
  ['Client', (row) => row.clientOrganizationName],
  ['Severity', (row) => row.severity],
  ['Summary', (row) => row.alertSummary],
  ['Rule', (row) => row.rule],
  ['Category', (row) => row.category],
  ['Technique', (row) => row.mitreTechnique],
  ['Device', (row) => row.deviceName],
  ['User', (row) => row.userName],
  ['Count', (row) => row.count],
  ['Status', (row) => row.status],
  ['Device isolated', (row) => yesNo(row.deviceIsolated)],
  ['Device blocked', (row) => yesNo(row.deviceBlocked)],
  ['User disabled', (row) => yesNo(row.userDisabled)],
];

/** Without a filter, nothing matches. */
export function alertsCsv(
  db: Database,
  scope: Scope,
  catalogue: Catalogue,
  { filter, range }: { filter: Filter | undefined; range: Range },
): Readable {
  const read = (below: AlertPageQuery['below']) =>
    readScoped(db, scope, async (tx) => {
      if (!filter || range.start >= range.end) return { rows: [], below: undefined };
      const query = { filter, range, sort: 'createdTime', order: 'desc', offset: 0, limit: exportedAtOnce } as const;
      const stored = await readPlacedPage(tx, scope, { ...query, ...(below && { below }) });
      const last = stored.length === exportedAtOnce ? stored.at(-1) : undefined;
      return { rows: await toAlertRows(tx, catalogue, stored), below: last };
    });
  return csvOf(columns, read, maxExported);
}
