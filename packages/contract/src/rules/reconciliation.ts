/** Labels of reconciliation figures on the page, in reports and as alert dispositions; each total before its parts. */
export const reconciliationLabels = {
  received: 'Received',
  stored: 'Stored',
  duplicate: 'Duplicate',
  dropped: 'Dropped',
  dead: 'Unprocessed',
  raised: 'Raised',
  shown: 'Shown',
  folded: 'Grouped',
  suppressed: 'Suppressed',
  autoClosed: 'Auto-closed',
  inCase: 'In cases',
} as const;

export type ReconciliationPart = keyof typeof reconciliationLabels;
export const reconciliationParts = Object.keys(reconciliationLabels) as ReconciliationPart[];
