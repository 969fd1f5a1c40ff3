/** Ledger of acknowledged events: each has a mark in its text, and what was acknowledged must be stored once. */

export interface Ledger {
  /** Marks that a shipper got an acknowledgement for. */
  readonly acknowledged: Set<string>;
  mark(): string;
}

export function createLedger(name: string): Ledger {
  let next = 0;
  return { acknowledged: new Set(), mark: () => `${name}-${(next++).toString(36).padStart(6, '0')}.` };
}

const markShape = /\b[\w]+-[0-9a-z]{6}\./;

/** Acknowledged marks that are not stored, and marks that are stored twice. */
export function ledgerFaults({ acknowledged }: Ledger, texts: readonly string[]): { lost: string[]; double: string[] } {
  const counts = new Map<string, number>();
  for (const text of texts) {
    const mark = markShape.exec(text)?.[0];
    if (mark) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  }
  return {
    lost: [...acknowledged].filter((mark) => !counts.has(mark)),
    double: [...counts].flatMap(([mark, count]) => (count > 1 ? [mark] : [])),
  };
}

/** The share `part` of the values lies at or below it. */
export function quantile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? 0;
}
