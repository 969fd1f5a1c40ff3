/** ATT&CK techniques and tactics with their rules: coverage as the ATT&CK page counts it, and alerts in the scope. */
import { sql } from 'kysely';
import { attackMatrix, proofsOf } from '../../facts.ts';
import { liveRule } from '../../logSources.ts';
import { lowered, wordsOf } from '../attributes.ts';
import { techniqueKeysIn } from '../ruleFacts.ts';
import type { Attribute, EntitySchema, QueryContext } from '../schema.ts';
import { of } from './columns.ts';

const found = new Map<string, { id: string; name: string; tactics: string[]; recordings: number }>();
for (const tactic of attackMatrix)
  for (const { id, name } of tactic.techniques) {
    const known = found.get(id);
    if (known) known.tactics.push(tactic.name);
    else found.set(id, { id, name, tactics: [tactic.name], recordings: proofsOf(id).length });
  }
const techniques = JSON.stringify([...found.values()]);
const tactics = JSON.stringify(
  attackMatrix.map(({ id, name, techniques }, place) => ({
    id,
    name,
    place: place + 1,
    techniques: techniques.map((each) => each.id),
  })),
);

/** Loaded rules by technique; a rule counts once for a technique and its sub-techniques. */
const ruleKeys = (context: QueryContext) => sql`select r.id, unnest(${techniqueKeysIn(sql`r.facts`)}) as technique,
  ${liveRule(sql`r.facts`, context.scope, context.now)} as is_live from rules r where r.is_loaded`;

const name = (kind: 'technique' | 'tactic'): Attribute => ({
  type: 'name',
  names: kind,
  title: 'name',
  words: [
    'name',
    `${kind} name`,
    'mitre att&ck technique',
    'attacker technique',
    'tactics technique',
    'attack method',
    'attack pattern',
  ],
  isShown: true,
  sql: of('name'),
  matches: (row, _, values) =>
    sql<boolean>`(lower(${row}.name) = any(${lowered(values)}) or lower(${row}.id) = any(${lowered(values)}))`,
});
const number: Attribute = {
  type: 'text',
  column: 'id',
  title: 'ATT&CK ID',
  words: wordsOf('id, att&ck id, mitre id, number'),
  isShown: true,
  sql: of('id'),
};
const rules: Attribute = {
  type: 'number',
  title: 'rules',
  words: wordsOf('rule, number of rules, rule count, detection'),
  superlatives: { most: ['best covered', 'most rules'], least: ['worst covered', 'fewest rules', 'least covered'] },
  isShown: true,
  sql: of('rules'),
};
const liveRules: Attribute = {
  type: 'number',
  title: 'rules with a live log source',
  words: wordsOf('live rule, rule with a live log source, working rule'),
  sql: of('live'),
};

export const techniqueSchema: EntitySchema = {
  entity: 'technique',
  title: ['technique', 'techniques'],
  words: wordsOf('technique, att&ck technique, mitre technique, ttp, attack technique'),
  allow: 'dashboard:read',
  from: (row, context) => sql`(select t.*, coalesce(r.rules, 0) as rules, coalesce(r.live, 0) as live
    from jsonb_to_recordset(${techniques}::jsonb) as t (id text, name text, tactics text[], recordings integer)
    left join (select k.technique, count(*)::integer as rules, count(*) filter (where k.is_live)::integer as live
      from (${ruleKeys(context)}) k group by 1) r on r.technique = t.id) ${row}`,
  within: () => sql<boolean>`true`,
  id: (row) => sql`${row}.id`,
  attributes: {
    number,
    name: name('technique'),
    tactic: {
      type: 'names',
      names: 'tactic',
      column: 'tactics',
      title: 'tactic',
      words: wordsOf('tactic, att&ck tactic, kill chain phase'),
      isShown: true,
      sql: of('tactics'),
    },
    coverage: {
      type: 'choice',
      choices: {
        covered: wordsOf('covered, with coverage, detected by live rules'),
        blind: wordsOf('blind, blind spot, covered on paper only'),
        none: wordsOf('uncovered, not covered, no coverage, without coverage, zero coverage, without rules, no rules'),
      },
      title: 'coverage',
      words: ['coverage', 'detection coverage'],
      isShown: true,
      sql: (row) => sql`case when ${row}.live > 0 then 'covered' when ${row}.rules > 0 then 'blind' else 'none' end`,
    },
    rules,
    liveRules,
    recordings: {
      type: 'number',
      title: 'recordings that prove a rule',
      words: ['recording', 'proof'],
      sql: (row) => sql`case when ${row}.rules > 0 then ${row}.recordings else 0 end`,
    },
    isProved: {
      type: 'flag',
      title: 'proved by a recording',
      words: ['proved state'],
      yes: wordsOf('proved, proven, proved by a recording, tested'),
      no: ['unproved', 'not proved', 'untested'],
      sql: (row) => sql`${row}.rules > 0 and ${row}.recordings > 0`,
    },
  },
  keys: {
    technique: { sql: (row) => sql`${row}.id` },
    tactic: { sql: (row) => sql`${row}.tactics`, isMany: true },
  },
  list: { page: 'attack-indicators', path: () => '/apps/attack-indicators' },
  order: { field: 'number', isAscending: true },
};

export const tacticSchema: EntitySchema = {
  entity: 'tactic',
  title: ['tactic', 'tactics'],
  words: wordsOf(
    'tactic, att&ck tactic, mitre tactic, kill chain phase, attack stage, attack phase, kill chain stage, mitre phase',
  ),
  allow: 'dashboard:read',
  from: (row, context) => sql`(with keys as materialized (${ruleKeys(context)})
    select t.id, t.name, t.place, cardinality(t.techniques) as techniques,
      (select count(distinct k.technique) from keys k where k.technique = any(t.techniques) and k.is_live)::integer as covered,
      (select count(distinct k.id) from keys k where k.technique = any(t.techniques))::integer as rules,
      (select count(distinct k.id) from keys k where k.technique = any(t.techniques) and k.is_live)::integer as live
    from jsonb_to_recordset(${tactics}::jsonb) as t (id text, name text, place integer, techniques text[])) ${row}`,
  within: () => sql<boolean>`true`,
  id: (row) => sql`${row}.id`,
  attributes: {
    number,
    name: name('tactic'),
    techniques: {
      type: 'number',
      title: 'techniques',
      words: wordsOf('technique, number of techniques'),
      superlatives: { most: ['largest'], least: ['smallest'] },
      isShown: true,
      sql: of('techniques'),
    },
    covered: {
      type: 'number',
      title: 'covered techniques',
      words: wordsOf('covered technique, coverage, technique with coverage'),
      superlatives: { most: ['best covered'], least: ['worst covered', 'least covered'] },
      isShown: true,
      sql: of('covered'),
    },
    place: { type: 'number', title: 'place in the matrix', words: wordsOf('place, position, order'), sql: of('place') },
    rules: { ...rules, superlatives: { most: ['most rules'], least: ['fewest rules'] } },
    liveRules,
  },
  keys: { tactic: { sql: (row) => sql`${row}.name` } },
  list: { page: 'attack-indicators', path: () => '/apps/attack-indicators' },
  order: { field: 'place', isAscending: true },
};
