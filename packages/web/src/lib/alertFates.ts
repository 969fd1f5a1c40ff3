/** What became of an alert, as the balance sheet and the list of alerts call it. */
import type { alertFates } from '@parapet/contract/alerts.ts';

export type AlertFate = (typeof alertFates)[number];

export const fateNames: Record<AlertFate, string> = {
  shown: 'Shown',
  folded: 'Folded',
  suppressed: 'Suppressed',
  autoClosed: 'Closed by itself',
  inCase: 'In cases',
};
