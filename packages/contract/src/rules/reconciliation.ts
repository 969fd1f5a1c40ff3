/** Labels of reconciliation figures on the page, in reports and as alert dispositions; each total before its parts. */
export const reconciliationLabels = {
  received: 'Received',
  stored: 'Stored',
  duplicate: 'There already',
  dropped: 'Dropped',
  dead: 'Kept aside',
  raised: 'Raised',
  shown: 'Shown',
  folded: 'Folded',
  suppressed: 'Suppressed',
  autoClosed: 'Closed by itself',
  inCase: 'In cases',
} as const;

export type BalancePart = keyof typeof reconciliationLabels;
export const balanceParts = Object.keys(reconciliationLabels) as BalancePart[];
