/** Attributes that rows take from their rule: title, category, ATT&CK techniques and tactics. */
import { type RawBuilder, sql } from 'kysely';
import { categories } from '../../../../../detections/facts/facts.ts';
import { controlMapping, tacticNames, techniqueIdsOf } from '../facts.ts';
import { lowered, mapped } from './attributes.ts';
import type { Attribute } from './schema.ts';

type Row = RawBuilder<unknown>;
type Sql = RawBuilder<unknown>;

/** Category → its words. */
export const categoryChoices: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  categories.map(({ name }) => [name, [name.toLowerCase()]]),
);

const textsOf = (facts: Sql, name: 'techniques' | 'tactics'): Sql => sql`jsonb_array_elements_text(
  case when jsonb_typeof(${facts} -> ${sql.lit(name)}) = 'array' then ${facts} -> ${sql.lit(name)} else '[]' end)`;

export const techniquesIn = (facts: Sql): Sql => sql`array(select t.id from ${textsOf(facts, 'techniques')} t (id))`;
/** Techniques, and those of their sub-techniques, once each. */
export const techniqueKeysIn = (facts: Sql): Sql =>
  sql`array(select t.id from ${textsOf(facts, 'techniques')} t (id) union select split_part(t.id, '.', 1) from ${textsOf(facts, 'techniques')} t (id))`;
const names = Object.fromEntries(tacticNames);
export const tacticsIn = (facts: Sql): Sql =>
  sql`array(select distinct coalesce(${mapped(sql`t.id`, names)}, t.id) from ${textsOf(facts, 'tactics')} t (id))`;

/** Ids of the NIST SP 800-53 controls that answer the techniques; a technique without own ones has its parent's, as in `controlsOf`. */
export const controlsIn = (facts: Sql): Sql =>
  sql`array(select distinct c.id from ${textsOf(facts, 'techniques')} t (id),
    jsonb_array_elements_text(coalesce(${controlMap} -> t.id, ${controlMap} -> split_part(t.id, '.', 1), '[]')) c (id))`;
const controlMap = sql`${JSON.stringify(controlMapping)}::jsonb`;
export const hasControl = (facts: Sql, values: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`${controlsIn(facts)} && ${values.map((value) => value.toUpperCase())}::text[]`;

/** Condition that a rule has one of the techniques, given by id or name, or a sub-technique of one. */
export const hasTechnique = (facts: Sql, values: readonly string[]): RawBuilder<boolean> => {
  const ids = values.flatMap((value) => [value.toUpperCase(), ...techniqueIdsOf(value)]);
  return sql<boolean>`exists (select from ${textsOf(facts, 'techniques')} t (id) where t.id = any(${ids}::text[]) or split_part(t.id, '.', 1) = any(${ids}::text[]))`;
};
export const hasTactic = (facts: Sql, values: readonly string[]): RawBuilder<boolean> =>
  sql<boolean>`exists (select from unnest(${tacticsIn(facts)}) t (name) where lower(t.name) = any(${lowered(values)}))`;

export const controlWords = ['nist control', 'control', 'nist 800-53 control', 'security control'] as const;

/** Attributes of a row that has a rule's id; conditions select rules first, so that an index on the id can serve them. */
export const ruleAttributes = (ruleId: (row: Row) => Sql) => {
  const read = (row: Row, value: Sql) => sql`(select ${value} from rules r where r.id = ${ruleId(row)})`;
  const oneOf = (row: Row, condition: Sql) =>
    sql<boolean>`${ruleId(row)} = any(array(select r.id from rules r where ${condition}))`;
  return {
    rule: {
      type: 'name',
      names: 'rule',
      title: 'rule',
      words: [
        'rule',
        'detection rule',
        'signature',
        'alert type',
        'type of alert',
        'kind of alert',
        'alert kind',
        'alert name',
        'use case',
      ],
      isShown: true,
      sql: (row) => read(row, sql`r.title`),
      matches: (row, _, values) => oneOf(row, sql`lower(r.title) = any(${lowered(values)})`),
    },
    category: {
      type: 'choice',
      choices: categoryChoices,
      title: 'category',
      words: ['category', 'kind', 'type of attack', 'attack type'],
      sql: (row) => read(row, sql`r.category`),
      matches: (row, _, values) => oneOf(row, sql`r.category = any(${[...values]}::text[])`),
    },
    technique: {
      type: 'names',
      names: 'technique',
      title: 'technique',
      words: ['technique', 'att&ck technique', 'mitre technique', 'ttp', 'sub-technique'],
      column: 'mitreTechnique',
      sql: (row) => read(row, techniquesIn(sql`r.facts`)),
      matches: (row, _, values) => oneOf(row, hasTechnique(sql`r.facts`, values)),
    },
    tactic: {
      type: 'names',
      names: 'tactic',
      title: 'tactic',
      words: ['tactic', 'att&ck tactic', 'mitre tactic', 'kill chain phase'],
      sql: (row) => read(row, tacticsIn(sql`r.facts`)),
      matches: (row, _, values) => oneOf(row, hasTactic(sql`r.facts`, values)),
    },
    control: {
      type: 'names',
      names: 'control',
      title: 'NIST control',
      words: controlWords,
      sql: (row) => read(row, controlsIn(sql`r.facts`)),
      matches: (row, _, values) => oneOf(row, hasControl(sql`r.facts`, values)),
    },
  } satisfies Record<string, Attribute>;
};

/** Keys of a row that has a rule's id. */
export const ruleKeys = (ruleId: (row: Row) => Sql) => ({
  rule: { sql: (row: Row) => sql`${ruleId(row)}::text` },
  technique: {
    sql: (row: Row) => sql`(select ${techniqueKeysIn(sql`r.facts`)} from rules r where r.id = ${ruleId(row)})`,
    isMany: true,
  },
  tactic: {
    sql: (row: Row) => sql`(select ${tacticsIn(sql`r.facts`)} from rules r where r.id = ${ruleId(row)})`,
    isMany: true,
  },
});
