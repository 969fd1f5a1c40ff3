/** Tab-separated text of alerts, for tickets and spreadsheets. Quotes cells that a spreadsheet would run as a formula. */
import type { AlertRow } from '@parapet/contract/alerts.ts';

export function cell(value: string | number | null): string {
  const text = String(value ?? '').replace(/[\t\r\n]+/g, ' ');
  return typeof value === 'string' && /^\s*[=+\-@]/.test(value) ? `'${text}` : text;
}

export function rowsAsText(rows: readonly AlertRow[], addressOf: (id: number) => string): string {
  return rows
    .map((row) =>
      [
        row.id,
        row.severity,
        row.createdTime,
        row.clientOrganizationName,
        row.alertSummary,
        row.deviceName,
        row.userName,
        row.count,
        addressOf(row.id),
      ]
        .map(cell)
        .join('\t'),
    )
    .join('\n');
}
