/** Detection rules, shared by all clients, with their alerts in the scope. */
import { type RawBuilder, sql } from 'kysely';
import { within } from '../../../core/db/within.ts';
import { liveRule } from '../../logSources.ts';
import { lowered, severityAttribute, wordsOf } from '../attributes.ts';
import {
  categoryChoices,
  controlsIn,
  controlWords,
  hasControl,
  hasTactic,
  hasTechnique,
  tacticsIn,
  techniqueKeysIn,
  techniquesIn,
} from '../ruleFacts.ts';
import type { EntitySchema, QueryContext } from '../schema.ts';

type Row = RawBuilder<unknown>;
const ofAlerts = (row: Row, value: RawBuilder<unknown>, { scope }: QueryContext) =>
  sql`(select ${value} from alerts a where a.rule_id = ${row}.id and ${within('a.organisation_id', scope)})`;

export const ruleSchema: EntitySchema = {
  entity: 'rule',
  title: ['rule', 'rules'],
  words: wordsOf(
    'rule, detection rule, sigma rule, signature, use case, analytic, detection logic, detector, analytics rule, correlation rule, detection signature, detection use case',
  ),
  allow: 'alerts:read',
  from: (row) => sql`rules ${row}`,
  within: (row) => sql<boolean>`${row}.is_loaded`,
  id: (row) => sql`${row}.id`,
  attributes: {
    name: {
      type: 'name',
      names: 'rule',
      column: 'rule',
      title: 'name',
      words: ['name', 'title', 'rule name'],
      isShown: true,
      sql: (row) => sql`${row}.title`,
    },
    severity: severityAttribute,
    category: {
      type: 'choice',
      choices: categoryChoices,
      title: 'category',
      words: ['category', 'kind', 'type'],
      isShown: true,
      sql: (row) => sql`${row}.category`,
    },
    technique: {
      type: 'names',
      names: 'technique',
      title: 'technique',
      words: wordsOf('technique, att&ck technique, mitre technique, ttp, sub-technique'),
      isShown: true,
      sql: (row) => techniquesIn(sql`${row}.facts`),
      matches: (row, _, values) => hasTechnique(sql`${row}.facts`, values),
    },
    tactic: {
      type: 'names',
      names: 'tactic',
      title: 'tactic',
      words: wordsOf('tactic, att&ck tactic, mitre tactic, kill chain phase'),
      sql: (row) => tacticsIn(sql`${row}.facts`),
      matches: (row, _, values) => hasTactic(sql`${row}.facts`, values),
    },
    control: {
      type: 'names',
      names: 'control',
      title: 'NIST control',
      words: controlWords,
      sql: (row) => controlsIn(sql`${row}.facts`),
      matches: (row, _, values) => hasControl(sql`${row}.facts`, values),
    },
    confidence: {
      type: 'choice',
      choices: { low: ['low confidence'], medium: ['medium confidence'], high: ['high confidence'] },
      isOrdered: true,
      title: 'confidence',
      words: ['confidence', 'precision', 'fidelity'],
      sql: (row) => sql`coalesce(${row}.facts -> 'guidance' ->> 'confidence', ${row}.facts ->> 'confidence')`,
    },
    logSource: {
      type: 'text',
      title: 'log source',
      words: wordsOf('log source, log, telemetry'),
      sql: (row) => sql`${row}.facts ->> 'logSource'`,
      matches: (row, _, values) =>
        sql<boolean>`exists (select from unnest(string_to_array(${row}.facts ->> 'logSource', '; ')) s where lower(s) = any(${lowered(values)}))`,
    },
    isLive: {
      type: 'flag',
      title: 'with a live log source',
      words: ['log source state'],
      yes: wordsOf('live, with a live log source, fed, with live logs, working'),
      no: wordsOf('blind, without a live log source, without live logs, unfed, not fed'),
      sql: (row, { scope, now }) => liveRule(sql`${row}.facts`, scope, now),
    },
    lastAlertAt: {
      type: 'time',
      title: 'last alert',
      words: wordsOf('last alert, last match, newest alert'),
      verbs: wordsOf('last fired, fired last, last triggered, last matched, last seen'),
      superlatives: { latest: ['most recently fired'], earliest: ['least recently fired'] },
      sql: (row, context) => ofAlerts(row, sql`max(a.at)`, context),
    },
    description: {
      type: 'text',
      title: 'description',
      words: ['description', 'purpose'],
      sql: (row) => sql`${row}.facts ->> 'description'`,
    },
    text: {
      type: 'text',
      title: 'text',
      words: ['text', 'keyword'],
      sql: (row) => sql`concat_ws(chr(10), ${row}.title, ${row}.facts ->> 'description')`,
    },
  },
  keys: {
    rule: { sql: (row) => sql`${row}.id::text` },
    technique: { sql: (row) => techniqueKeysIn(sql`${row}.facts`), isMany: true },
    tactic: { sql: (row) => tacticsIn(sql`${row}.facts`), isMany: true },
  },
  order: { field: 'name', isAscending: true },
};
