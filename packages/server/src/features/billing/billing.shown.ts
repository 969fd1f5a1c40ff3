/** Counts as the contract has them, and the same lines as CSV. */
import type { BillingRow } from '@parapet/contract/billing.ts';
import { subscriptionLevels } from '@parapet/contract/organisations.ts';
import {
  type BillingCounts,
  billingMeasures,
  billingMeasureValues,
  correctionCounts,
  countsOf,
} from '@parapet/contract/rules/billing.ts';
import { type Cell, csvLine, csvStart } from '../../core/csv.ts';
import type { CorrectionRow, MonthRow } from './billing.store.ts';

const levelOf = (id: number): BillingRow['level'] =>
  (subscriptionLevels.find((level) => level.id === id) ?? subscriptionLevels[0]).name;

export const shownRow = (row: MonthRow, month: string, corrections: readonly CorrectionRow[]): BillingRow => ({
  clientOrganizationID: row.organisationId,
  clientOrganizationName: row.name.slice(0, 200),
  month,
  level: levelOf(row.level),
  counts: countsOf(row),
  corrections: corrections.map(({ id, measure, amount, reason, by, at }) => ({
    id,
    measure,
    amount,
    reason,
    by,
    at: at.toISOString(),
  })),
  countedAt: row.countedAt.toISOString(),
  closedAt: row.closedAt?.toISOString() ?? null,
});

const cellsOf = (counts: BillingCounts): Cell[] => billingMeasureValues.map((measure) => counts[measure]);

/** A line for each client, and one for each correction; a client's lines add up to what is billed. */
export function billingCsv(rows: readonly BillingRow[]): string {
  const head = ['Month', 'Client', 'Service level', 'State', 'Line', ...billingMeasures.map(({ label }) => label), 'Reason'];
  const lines = rows.flatMap(({ month, clientOrganizationName: client, level, closedAt, counts, corrections }) => {
    const start = [month, client, level, closedAt === null ? 'Open' : 'Closed'];
    return [
      csvLine([...start, 'Count', ...cellsOf(counts), '']),
      ...corrections.map((line) => csvLine([...start, 'Correction', ...cellsOf(correctionCounts(line)), line.reason])),
    ];
  });
  return csvStart(head) + lines.join('');
}
