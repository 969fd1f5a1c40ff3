/** The numbers of the balance sheet as people read them, each whole before its parts: on the page, in the report, and as outcomes of alerts. */
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
