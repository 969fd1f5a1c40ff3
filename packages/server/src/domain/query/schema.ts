/**
 * Vocabulary of queries: entities, their attributes with SQL, and their words in questions. One declaration serves the parser (words), the executor
 * (SQL), the answer (titles) and the links of lists.
 */
import type { Permission, Reach } from '@parapet/contract/access.ts';
import type { QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';
import type { RawBuilder } from 'kysely';
import type { Scope } from '../../core/db/scope.ts';

/** The viewer and the time. SQL of attributes must never depend on rows outside `scope`. */
export interface QueryContext {
  scope: Scope;
  /** The viewer: for "mine". */
  userId: number;
  organisationId: number;
  now: number;
  timeZone: string;
  /** Reach of the viewer’s permissions; undefined for those that the role, or the API key, lacks. */
  reach: (permission: Permission) => Reach | undefined;
  /** Average risk score by industry in lower case, over clients outside `scope` as well (domain/industryAverages.ts); without it, none is shown. */
  industryAverages?: Readonly<Record<string, number>>;
}

/** SQL over one row of the entity, whose alias is `row` (`sql.ref`-like raw text, such as `alert_1`). */
export type AttributeSql = (row: RawBuilder<unknown>, context: QueryContext) => RawBuilder<unknown>;

/** Names that are looked up in the viewer’s scope. */
export type NameKind = 'client' | 'device' | 'user' | 'rule' | 'technique' | 'tactic' | 'control' | 'tag' | 'account';

interface AttributeBase {
  /** As in a sentence: "severity", "last sign-in". */
  title: string;
  /** Nouns of questions, singular, lower case: "severity", "criticality". Multi-word allowed. */
  words: readonly string[];
  sql: AttributeSql;
  /** Condition that the value is one of these, where it is more than equality of `sql` (aliases) or an index can serve it. Values are strings. */
  matches?: (row: RawBuilder<unknown>, context: QueryContext, values: readonly string[]) => RawBuilder<boolean>;
  /** Field of the list’s row in the contract that this attribute is, if its name differs. */
  column?: string;
  /** Shown as a column of an answer’s table by default. */
  isShown?: boolean;
}

export type Attribute = AttributeBase &
  (
    | {
        /** One of few values. SQL yields the text. */
        type: 'choice';
        /** Value → its words ("critical", "crit"); with `isOrdered` in ascending order. */
        choices: Readonly<Record<string, readonly string[]>>;
        isOrdered?: boolean;
        superlatives?: { most: readonly string[]; least: readonly string[] };
      }
    /** SQL yields a boolean. `yes` and `no` are adjectives or phrases: "silent", "never scanned". */
    | { type: 'flag'; yes: readonly string[]; no?: readonly string[] }
    /** SQL yields a text (or null), compared without case. */
    | { type: 'name'; names: NameKind }
    /** SQL yields text[]; a filter matches if one element does. */
    | { type: 'names'; names: NameKind }
    /** SQL yields a text (or null) for `contains` and equality. */
    | { type: 'text' }
    /** SQL yields a number (or null). Durations are in minutes. */
    | {
        type: 'number';
        unit?: 'minutes' | 'percent' | 'points';
        superlatives?: { most: readonly string[]; least: readonly string[] };
      }
    /** SQL yields a timestamptz (or null). `verbs`: past participles that lead a time: "closed (last week)", "requested". */
    | { type: 'time'; verbs?: readonly string[]; superlatives?: { latest: readonly string[]; earliest: readonly string[] } }
  );

/** Rows and attributes of an entity that a statement reads. */
export interface RowsRead {
  time: QueryTime | undefined;
  where: QueryFilter | undefined;
  /** True if an attribute is among it; known when the statement runs. */
  has: (field: string) => boolean;
}

export interface EntitySchema {
  entity: QueryEntity;
  /** "alert", "alerts". */
  title: readonly [one: string, many: string];
  /** Nouns of questions, singular and lower case: "alert", "detection", "alarm". */
  words: readonly string[];
  /** Permission of the list whose rows these are. With the reach `me`, only queries about the viewer’s own rows (`isMine`) are run. */
  allow: Permission;
  /** Permission for the own rows alone. */
  ownAllow?: Permission;
  /** Attribute that names a row; `name` if absent. */
  named?: string;
  /** Filter that the list starts with; a question that names one of its attributes or of `except`, or a time with `isUntimed`, is without it. */
  initial?: { where: QueryFilter; isUntimed?: boolean; except?: readonly string[] };
  /** The own time must be bound: without a time in the question, to these last hours. */
  defaultHours?: number;
  /** FROM item with the alias, with the scope’s explicit condition left to `within`. */
  from: (row: RawBuilder<unknown>, context: QueryContext, read: RowsRead) => RawBuilder<unknown>;
  /** Always-true conditions of the list: scope (`organisation_id = any (…)`), merged rows, deleted rows. */
  within: (row: RawBuilder<unknown>, context: QueryContext) => RawBuilder<boolean>;
  /** Identity of a row, unique; for counts and for lists’ `id in (…)`. */
  id: (row: RawBuilder<unknown>) => RawBuilder<unknown>;
  /** The attribute that a bare time concerns ("alerts last week"); undefined for things that only are ("devices"). */
  time?: string;
  attributes: Readonly<Record<string, Attribute>>;
  /**
   * SQL of the keys by which records are related, all of type text: entity → key of that entity for this row. The key of a client is
   * `organisation_id::text`, which also is the organisation of a listed row. Its own entity is its identity for others: an alert has
   * keys alert, case, device, user, rule, client; a device has device and client. Two entities are related by the own key of one of them that the other
   * has as well, else by the most specific shared one. Keys that are text arrays are unnested with `isMany`. A key of names includes the organisation
   * (`organisation_id || '/' || lower(name)`), so that equal names of two clients never meet.
   */
  keys: Partial<Record<QueryEntity, { sql: AttributeSql; isMany?: boolean }>>;
  /** Page of the list, with the attribute that names a row and its address. */
  list?: { page: string; path: (row: RowIdentity) => string };
  /** Order of a list without a wish. */
  order: { field: string; isAscending: boolean };
}

/** Read of every listed row besides its columns. */
export interface RowIdentity {
  id: string;
  organisationId: number;
  name: string;
}
