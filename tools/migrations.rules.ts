/** Statements that a migration may not run on a table that is large or in use: portals of the version before run beside it (docs/reliability.md, F12). */
import { splitStatements } from '@parapet/server/core/db/statements.ts';

/** Tables whose rows grow with events, alerts, cases, people or days. */
const large = new Set(
  'alerts alert_events alert_event_packs alert_entities event_blocks recent_blocks cases case_alerts case_history case_artifacts audit access_looks deliveries responses agent_tasks devices users sessions mails findings daily_totals'.split(
    ' ',
  ),
);

interface Rule {
  pattern: RegExp;
  reason: string;
  /** Also of tables that are small. */
  ofAll?: true;
}

const blocksWrites = 'creates an index that blocks writes: write `-- no transaction` and `create index concurrently`';
const readsRows =
  'adds a constraint that reads every row under a lock: add it `not valid`, and validate it in a statement of its own';
const rewrites = 'rewrites every row under a lock: add the column, then its default or its values';
const writesRows = 'writes many rows in one transaction: use a job';
const isColumn = '^add (?:column )?(?!constraint |check\\b|unique\\b|primary |foreign |exclude\\b)(?:if not exists )?';

/** Of each action of `alter table`. */
const actions: readonly Rule[] = [
  { pattern: new RegExp(`${isColumn}.*\\b(?:references|check ?\\()`), reason: readsRows },
  { pattern: new RegExp(`${isColumn}.*\\b(?:unique|primary key)\\b`), reason: blocksWrites },
  {
    pattern: new RegExp(
      `${isColumn}.*(?:\\b(?:small|big)?serial\\d?\\b|\\bgenerated\\b.*\\b(?:stored|identity)\\b|\\bdefault \\(*(?!now\\()\\w+ ?\\()`,
    ),
    reason: rewrites,
  },
  { pattern: /^add (?:constraint \w+ )?(?:check|foreign key)\b(?!.*\bnot valid\b)/, reason: readsRows },
  { pattern: /^add (?:constraint \w+ )?(?:unique|primary key|exclude)\b(?!.*\busing index\b)/, reason: blocksWrites },
  { pattern: /^alter (?:column )?\w+ set not null/, reason: 'reads every row under a lock' },
  { pattern: /^alter (?:column )?\w+ (?:set data )?type\b/, reason: rewrites, ofAll: true },
  { pattern: /^set (?:unlogged|logged|tablespace|access method)\b/, reason: rewrites },
  {
    pattern: /^rename\b/,
    reason: 'takes a name from the version before: expand, and contract in a later release',
    ofAll: true,
  },
  { pattern: /^drop (?!constraint\b)/, reason: 'takes a column from the version before', ofAll: true },
];

/** Of other statements; the named group is the list of the tables that they change. */
const statements: readonly Rule[] = [
  {
    pattern: /^create (?:unique )?index (?!concurrently)(?:if not exists )?(?:(?!on )\w+ )?on (?:only )?(?<tables>\w+)/,
    reason: blocksWrites,
  },
  { pattern: /^(?:update|delete from|merge into) (?:only )?(?<tables>\w+)/, reason: writesRows },
  {
    pattern: /^drop table (?:if exists )?(?<tables>\w+(?: ?, ?\w+)*)/,
    reason: 'takes a table from the version before',
    ofAll: true,
  },
  {
    pattern: /^truncate (?:table )?(?:only )?(?<tables>\w+(?: ?, ?\w+)*)/,
    reason: 'locks a table, and takes its rows from the version before',
    ofAll: true,
  },
  { pattern: /^lock (?:table )?(?:only )?(?<tables>\w+(?: ?, ?\w+)*)/, reason: 'locks a table', ofAll: true },
  {
    pattern: /^(?:vacuum \(?full\)?|cluster|reindex (?:\([^)]*\) )?(?:table|index)(?! concurrently)) ?(?<tables>\w*)/,
    reason: 'locks a table',
    ofAll: true,
  },
];

/** Line of a file that takes the contract back: `-- contract: unused since 0.9.0`. */
const isContract = /^-- contract: \S/m;
const isOutside = /^\s*--\s*no transaction\b/i;

/** Lower case, without comments, contents of texts, quotes of names and the schema. */
const bareOf = (text: string): string =>
  text
    .replace(/--[^\n]*|\/\*[\s\S]*?\*\/|\b[eE]'(?:[^'\\]|\\.|'')*'|'(?:[^']|'')*'/g, (part) => (part.endsWith("'") ? "''" : ' '))
    .toLowerCase()
    .replace(/"|\bpublic\./g, '')
    .replace(/\s+/g, ' ')
    .replace(/ ?\*(?= |$)/g, '')
    .trim();

/** Parts between commas outside parentheses. */
function partsOf(list: string): string[] {
  let depth = 0;
  let part = '';
  const parts: string[] = [];
  for (const sign of list) {
    if (sign === '(' || sign === '[') depth++;
    if (sign === ')' || sign === ']') depth--;
    if (sign !== ',' || depth > 0) part += sign;
    else {
      parts.push(part.trim());
      part = '';
    }
  }
  return [...parts, part.trim()];
}

const change =
  /(?<!\b(?:for|do|key|before|after|or|of) )\b(?:update|delete from|merge into|truncate|lock|alter table|drop table|create (?:unique )?index)\b/g;

/** A statement, or the changes within a block, a query or the parts of `with`, each to its end. */
function changesOf(bare: string): string[] {
  if (!/^(?:do|with|select|insert into|explain)\b/.test(bare)) return [bare];
  return [...bare.matchAll(change)].map(({ index }) => bare.slice(index).split(';', 1)[0]!.trim());
}

/** Reasons of one statement; `added` holds the tables that got a constraint `not valid` earlier in the same transaction. */
function reasonsOf(bare: string, own: ReadonlySet<string>, added: Set<string>): string[] {
  const holds = ({ ofAll }: Rule, tables: readonly string[]) => tables.some((name) => (ofAll ? !own.has(name) : large.has(name)));
  const [, table, list] = /^alter table (?:if exists )?(?:only )?(\w+) (.*)$/.exec(bare) ?? [];
  if (table === undefined)
    return statements
      .filter((rule) => {
        const { tables } = rule.pattern.exec(bare)?.groups ?? {};
        return tables !== undefined && holds(rule, partsOf(tables));
      })
      .map(({ reason }) => reason);
  const reasons: string[] = [];
  for (const action of partsOf(list!)) {
    reasons.push(...actions.filter((rule) => holds(rule, [table]) && rule.pattern.test(action)).map(({ reason }) => reason));
    if (/\bnot valid\b/.test(action)) added.add(table);
    if (action.startsWith('validate ') && large.has(table) && added.has(table))
      reasons.push('validates a constraint under the lock that added it: write `-- no transaction`');
  }
  return reasons;
}

/** Reasons why a migration would stop portals that run beside it. */
export function locksOf(text: string): string[] {
  // Its own tables are empty, and used by nothing before.
  const own = new Set<string>();
  const added = new Set<string>();
  const reasons = new Set<string>();
  for (const statement of splitStatements(text)) {
    const bare = bareOf(statement.text);
    // Outside a transaction each statement gives its locks back.
    if (isOutside.test(text)) added.clear();
    if (/^do (?:language \w+ )?''/.test(bare) || /^do\b.*\bexecute\b/.test(bare))
      reasons.add('runs text as a statement, which the lint cannot read');
    for (const each of changesOf(bare)) for (const reason of reasonsOf(each, own, added)) reasons.add(reason);
    const [, name] = /^create (?:unlogged )?table (?:if not exists )?(\w+)/.exec(bare) ?? [];
    if (name !== undefined && !large.has(name)) own.add(name);
  }
  return [...reasons].filter((reason) => !(reason.startsWith('takes a') && isContract.test(text)));
}
