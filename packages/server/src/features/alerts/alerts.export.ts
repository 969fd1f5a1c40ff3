/** CSV export of the alert list, newest first, by keyset paging: every page costs the same. */
import { Readable } from 'node:stream';
import { csvLine, csvStart } from '../../core/csv.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scopedRead } from '../../core/db/scope.ts';
import type { Range } from '../../domain/ranges.ts';
import type { Catalogue } from './alerts.catalogue.ts';
import type { Filter } from './alerts.filter.ts';
import { readPlacedPage, toAlertRows } from './alerts.rows.ts';

const maxExported = 100_000;
const exportedAtOnce = 1_000;
const columns = [
  'Number',
  'Time',
  'Last seen',
  'Client',
  'Severity',
  'Summary',
  'Rule',
  'Category',
  'Technique',
  'Device',
  'User',
  'Count',
  'Status',
  'Device isolated',
  'Device blocked',
  'User disabled',
];
const yesNo = (is: boolean) => (is ? 'yes' : 'no');

/** Without a filter, nothing matches. */
export function alertsCsv(
  db: Database,
  scope: Scope,
  catalogue: Catalogue,
  { filter, range }: { filter: Filter | undefined; range: Range },
): Readable {
  async function* lines() {
    yield csvStart(columns);
    if (!filter || range.start >= range.end) return;
    let below: { position: string; id: number } | undefined;
    for (let count = 0; count < maxExported; count += exportedAtOnce) {
      const ask = {
        filter,
        range,
        sort: 'createdTime' as const,
        order: 'desc' as const,
        offset: 0,
        limit: Math.min(exportedAtOnce, maxExported - count),
        ...(below && { below }),
      };
      const { rows, last } = await scopedRead(db, scope, async (tx) => {
        const stored = await readPlacedPage(tx, scope, ask);
        return { rows: await toAlertRows(tx, catalogue, stored), last: stored.at(-1) };
      });
      yield rows
        .map((row) =>
          csvLine([
            row.id,
            row.createdTime,
            row.lastSeenTime,
            row.clientOrganizationName,
            row.severity,
            row.alertSummary,
            row.rule,
            row.category,
            row.mitreTechnique,
            row.deviceName,
            row.userName,
            row.count,
            row.status,
            yesNo(row.deviceIsolated),
            yesNo(row.deviceBlocked),
            yesNo(row.userDisabled),
          ]),
        )
        .join('');
      below = last;
      if (rows.length < exportedAtOnce) return;
    }
  }
  return Readable.from(lines());
}
