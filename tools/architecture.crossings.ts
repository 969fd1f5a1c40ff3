/** Imports from one feature to another, each with its reason. */

/** Web features whose parts another feature shows; tests included. */
export const webCrossings = new Set<string>([
  'dashboard → cases',
  'devices → tags',
  // Tabs of data sources.
  'devices → connections',
  'devices → webhook-sources',
  'devices → imports',
  // Files are mapped as the bodies of webhooks.
  'imports → webhook-sources',
  // Targets are added with the form of connections, made from the fields of a kind.
  'deliveries → connections',
  // The checklist stands on the dashboard until it is done, and on each client's details.
  'dashboard → setup',
  'organisations → setup',
  // Collectors belong to a device; tokens, keys and files to a client.
  'agents → devices',
  'agents → collectors',
  'agents → organisations',
  // Selected alerts are suppressed as long as new suppressions last.
  'alerts → suppressions',
  // A case shows, approves and confirms its responses.
  'cases → responses',
  // Device types have one set of names.
  'responses → devices',
  'vulnerabilities → devices',
  // A device lists its findings.
  'devices → vulnerabilities',
  // Acceptances end as suppressions do.
  'vulnerabilities → suppressions',
  // A client is selected as in client details.
  'reports → organisations',
  // The emails of a case show their delivery as the outbox does.
  'cases → outbox',
  // A rule’s text is edited, compared and checked as a configuration; exceptions last as suppressions do.
  'rule-packs → rules',
  // Each list and pack starts a search of the past.
  ...['intelligence', 'rule-packs'].map((page) => `${page} → past-searches`),
  'intelligence → rules',
  'rules → collectors',
  'rules → suppressions',
  // Every list has saved views.
  ...['alerts', 'devices', 'users', 'audit', 'cases', 'reviews', 'events', 'responses'].map((list) => `${list} → views`),
  'collectors → organisations',
  'responses → organisations',
  'sapphire → organisations',
  // A review shows the verdict of its case, and emails its narrative by the same preview.
  'reviews → cases',
  // An authenticator app is set up as at sign-in.
  'settings → auth',
  // Frame of the pages without a session, and of a consent.
  ...['assistants', 'case-answer', 'connections', 'mail-subscriptions'].map((page) => `${page} → auth`),
]);

/** Casework: responses, emails and reviews change their case and write its history. */
export const serverCrossings = new Set<string>(['case-mails → cases', 'responses → cases', 'reviews → cases']);

/** Server features whose tests run another feature’s code instead of a stand-in. */
export const testCrossings = new Set<string>([
  'account → auth',
  'balance → correlation',
  'brand → outbox',
  // Marked objects of the probe are no part of a count.
  'billing → isolation',
  'bulk → auth',
  'bulk → cases',
  'decisioning → intelligence',
  'demo → vulnerabilities',
  'mail-subscriptions → outbox',
  'mail-subscriptions → responses',
  'reports → outbox',
  'responses → agents',
  'setup → correlation',
  'silence → ingest',
]);
