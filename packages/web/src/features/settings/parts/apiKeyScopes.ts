import type { KeyScope } from '@parapet/contract/access.ts';

/** Scopes of API keys in the order of their reach. */
export const scopeLabels: Record<KeyScope, { title: string; effect: string }> = {
  read: { title: 'Read', effect: 'Alerts, cases, devices, events, reports' },
  triage: { title: 'Triage', effect: 'Mark alerts, work on cases, tags and suppressions' },
  respond: { title: 'Respond', effect: 'Request response actions' },
  ingest: { title: 'Ingest', effect: 'Create ingest keys and enrolment tokens' },
  administer: { title: 'Administer', effect: 'Change settings of clients' },
};
