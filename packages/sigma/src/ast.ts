/**
 * Parsed rule shapes, before indexing. The naive interpreter of the tests and the compiled matcher share them, so that they cannot disagree
 * about parsing.
 */
import type { Condition } from './condition.ts';

export type Level = 'informational' | 'low' | 'medium' | 'high' | 'critical';

/** Lower-cased; a missing part means "any". */
export interface LogSource {
  product?: string;
  category?: string;
  service?: string;
  definition?: string;
}

/** One piece of a Sigma string: literal text, `*`, `?`, or one dash of any kind (`windash`). */
export type Piece = string | typeof STAR | typeof ANY_CHAR | typeof DASH;
export const STAR = 1;
export const ANY_CHAR = 2;
export const DASH = 3;

export type TimePart = 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
export type Comparison = 'lt' | 'lte' | 'gt' | 'gte';

/** Comparison of a field's value. `cased` false compares after folding both sides. */
export type Atom =
  | { op: 'pattern'; pieces: Piece[]; cased: boolean }
  | { op: 'number'; number: number }
  | { op: 'regex'; source: string; flags: string }
  | { op: 'cidr'; network: string }
  | { op: 'compare'; comparison: Comparison; number: number }
  | { op: 'null' }
  | { op: 'exists'; expected: boolean }
  | { op: 'fieldref'; field: string; position: 'equals' | 'contains' | 'startswith' | 'endswith'; cased: boolean }
  | { op: 'time'; part: TimePart; comparison: Comparison | 'eq'; number: number };

/** A field (null: the whole event, "keywords") with its values. `all`: every value must match; `negated`: `neq`. */
export interface Item {
  field: string | null;
  /** The modifiers as written, joined by `|`; for explanations. */
  modifiers: string;
  values: { atom: Atom; written: string }[];
  /** Under `all`, numbers of consecutive values that are variants of one written value (any suffices); absent: one each. */
  groups?: number[];
  all: boolean;
  negated: boolean;
}

/** A search identifier: any of `alternatives`, each being all of its items. */
export interface Selection {
  name: string;
  alternatives: Item[][];
}

export interface SigmaRule {
  /** Rule ID, or file and title without one. Unique within one load: a second rule of the same ID gets `…:2`. */
  id: string;
  /** ID as written in the file. */
  writtenId: string;
  name?: string;
  title: string;
  description?: string;
  author?: string;
  references: string[];
  level?: Level;
  status?: string;
  date?: string;
  modified?: string;
  license?: string;
  tags: string[];
  falsepositives: string[];
  fields: string[];
  related: { id: string; type: string }[];
  logsource: LogSource;
  /** Every other top-level key, as plain values. */
  custom: Record<string, unknown>;
  file: string;
  line: number;
  /** The conditions as written; a rule matches if one of them does. */
  conditions: string[];
  selections: Selection[];
  condition: Condition;
  /**
   * Placeholders (`%name%` under `expand`) without values. Such a rule loads and matches nothing, because its meaning is unknown; an
   * unknown filter must not become one that excludes nothing.
   */
  awaits: string[];
  /** False if only correlations use the rule (`generate` is false): it matches, but is not a detection of its own. */
  standalone: boolean;
}

export type CorrelationType = 'event_count' | 'value_count' | 'temporal' | 'temporal_ordered';

export interface Correlation {
  id: string;
  writtenId: string;
  name?: string;
  title: string;
  description?: string;
  author?: string;
  references: string[];
  level?: Level;
  status?: string;
  date?: string;
  modified?: string;
  tags: string[];
  falsepositives: string[];
  custom: Record<string, unknown>;
  file: string;
  line: number;
  type: CorrelationType;
  /** Ids of rules or of other correlations, in the order written. */
  rules: string[];
  groupBy: string[];
  timespanMs: number;
  /** All must hold of the count; for temporal kinds of the number of different rules. */
  conditions: { operator: Comparison | 'eq' | 'neq'; number: number }[];
  /** The fields whose distinct values (together) are counted; value_count only. */
  valueFields: string[];
  /** alias → rule id → field. */
  aliases: Map<string, Map<string, string>>;
  generate: boolean;
  standalone: boolean;
}

export interface LoadFault {
  file: string;
  /** From 1. */
  line: number;
  reason: string;
  title?: string;
  id?: string;
}

export interface Loaded {
  rules: SigmaRule[];
  correlations: Correlation[];
  faults: LoadFault[];
}
