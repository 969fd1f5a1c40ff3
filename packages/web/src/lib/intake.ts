/** The outcomes of received events: labels, and addresses of their rows. */
import type { ReconciliationPart } from '@parapet/contract/rules/reconciliation.ts';
import { paths, type Query } from './paths.ts';

const words: Record<string, string> = {
  stored: 'Stored',
  duplicate: 'Sent twice, kept once',
  'not-json': 'Not JSON',
  'not-an-object': 'Not a JSON object',
  'too-large': 'Too large',
  'too-many-fields': 'Too many fields',
  'too-deep': 'Nested too deep',
  'step-failed': 'Could not be read',
  'not-storable': 'Holds what cannot be stored',
  'unknown-action': 'Not an event to be stored',
  'too-long': 'A line too long',
  'udp-lost': 'Lost over UDP',
  'udp-overload': 'Too much over UDP',
  reserved: 'Named like the portal’s own',
};

export const reasonLabel = (reason: string): string => words[reason] ?? reason;

/** The first sum of the reconciliation: the total and its parts. */
export type Outcome = Extract<ReconciliationPart, 'received' | 'stored' | 'duplicate' | 'dropped' | 'dead'>;

/** `date` is a UTC day of arrival, or a range: 2026-10-01..2026-10-31. */
export function outcomeHref(outcome: Outcome, { date, ...where }: Query & { date?: string | undefined }): string {
  const of = { ...where, on: date && `${date}Z` };
  switch (outcome) {
    case 'stored':
      return paths.events({ ...of, by: 'arrived' });
    case 'dead':
      return paths.events({ ...of, tab: 'aside' });
    default:
      return paths.events({ ...of, tab: 'intake', outcome: outcome === 'received' ? undefined : outcome });
  }
}
