/** Statements that a migration may not run on a table that is large or in use: portals of the version before run beside it (docs/reliability.md, F12). */

/** Tables whose rows grow with events, alerts, cases, people or days. */
const large =
  'alerts|alert_events|alert_entities|event_blocks|recent_blocks|cases|case_alerts|case_history|case_artifacts|audit|access_looks|deliveries|responses|agent_tasks|devices|users|sessions|mails|findings|daily_totals';

interface Rule {
  pattern: RegExp;
  reason: string;
}

const rules: readonly Rule[] = [
  {
    pattern: new RegExp(`create (?:unique )?index (?!concurrently)[^;]*? on (?:only )?(?:${large})\\b`),
    reason: 'creates an index that blocks writes: write `-- no transaction` and `create index concurrently`',
  },
  {
    pattern: new RegExp(
      `alter table (?:only )?(?:${large})\\b(?=[^;]*\\badd (?:constraint|check|foreign key))(?![^;]*not valid)`,
    ),
    reason: 'adds a constraint that reads every row under a lock: add it `not valid`, and validate it in a statement of its own',
  },
  { pattern: new RegExp(`alter table (?:only )?(?:${large})\\b[^;]*\\bset not null`), reason: 'reads every row under a lock' },
  { pattern: /alter table [^;]*\balter (?:column )?\w+ (?:set data )?type\b/, reason: 'rewrites every row under a lock' },
  {
    pattern: new RegExp(
      `alter table (?:only )?(?:${large})\\b[^;]*\\badd column [^;]*default (?:gen_random_uuid|clock_timestamp|random)`,
    ),
    reason: 'rewrites every row under a lock: add the column, then its default',
  },
  {
    pattern: /alter table [^;]*\brename\b/,
    reason: 'takes a name from the version before: expand, and contract in a later release',
  },
  { pattern: /alter table [^;]*\bdrop column\b/, reason: 'takes a column from the version before' },
  { pattern: /\bdrop table\b/, reason: 'takes a table from the version before' },
  {
    pattern: new RegExp(`(?:^|;)\\s*(?:update|delete from) (?:${large})\\b`),
    reason: 'writes many rows in one transaction: use a job',
  },
  { pattern: /\b(?:lock table|vacuum full|cluster\b|reindex (?!.*concurrently))/, reason: 'locks a table' },
];

/** Line of a file that takes the contract back: `-- contract: unused since 0.9.0`. */
const isContract = /^-- contract: \S/m;

/** Reasons why a migration would stop portals that run beside it. */
export function locksOf(text: string): string[] {
  const bare = text
    .replace(/--[^\n]*/g, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
  // Its own tables are empty, and used by nothing before.
  const own = [...bare.matchAll(/create table (?:if not exists )?(\w+)/g)].map(([, name]) => name);
  const statements = bare
    .split(';')
    .filter((each) => !own.some((name) => new RegExp(`\\b(?:on|table|update|from) ${name}\\b`).test(each)));
  return rules
    .filter(({ reason }) => !(reason.startsWith('takes a') && isContract.test(text)))
    .filter(({ pattern }) => statements.some((each) => pattern.test(each.trim())))
    .map(({ reason }) => reason);
}
