/** Possible roles of words of a question: the parts that readings are composed of. */
import type { QueryComparison, QueryEntity, QueryFilter, QueryTime } from '@parapet/contract/rules/query.ts';

/** A filter that a word stands for, if the entity is meant. */
export interface Option {
  entity: QueryEntity;
  field: string;
  filter: QueryFilter;
}

/** Attributes that a noun or verb names. */
export interface Named {
  entity: QueryEntity;
  field: string;
}

export type Item =
  | { kind: 'entity'; entity: QueryEntity }
  /** "Everything", "ones": a noun of any entity. */
  | { kind: 'anything' }
  | { kind: 'attribute'; options: Named[]; unit?: 'minutes' | 'percent' }
  /** `noun`: the word can stand alone ("servers", "criticals"). `ordered`: takes "or higher". `verbs`: times that it leads too. */
  | {
      kind: 'value';
      options: Option[];
      noun?: QueryEntity;
      isNounOnlyPlural?: boolean;
      verbs?: Named[];
      isName?: boolean;
      /** A word that occurs in texts: needs a clarification. */
      isGuess?: boolean;
      label: string;
    }
  | { kind: 'verb'; options: Named[] }
  | { kind: 'number'; value: number; unit?: 'minutes' | 'percent' }
  | { kind: 'compare'; comparison: QueryComparison; isAfter?: boolean; isAge?: boolean }
  | { kind: 'between' }
  | { kind: 'not' }
  | { kind: 'except' }
  | { kind: 'and' }
  | { kind: 'or' }
  | { kind: 'comma' }
  | { kind: 'only' }
  | { kind: 'group' }
  /** "Different": of values, each counted once. */
  | { kind: 'distinct' }
  | { kind: 'bucket'; field: string }
  | { kind: 'measure'; measure: 'count' | 'list' | 'exists' | 'share' | 'mean' | 'median' | 'max' | 'min' | 'sum' }
  /** Without options, or generic, of whatever follows ("most alerts"). */
  | { kind: 'superlative'; isMost: boolean; options?: Named[]; isTime?: boolean; isGeneric?: boolean }
  /** "First", "on top" after a superlative: an order without a limit. */
  | { kind: 'order' }
  /** "Alphabetically". */
  | { kind: 'alphabet' }
  /** "Trend", "over time": buckets that suit the time. */
  | { kind: 'trend' }
  | { kind: 'time'; time: QueryTime }
  | { kind: 'versus' }
  /** The mean over the other clients. */
  | { kind: 'average' }
  | { kind: 'reference'; isRest?: boolean; isSame?: boolean }
  | { kind: 'who' }
  | { kind: 'which' }
  | { kind: 'have' }
  | { kind: 'that' }
  | { kind: 'preposition' }
  | { kind: 'follow' }
  | { kind: 'filler' }
  | { kind: 'break' }
  | { kind: 'colon' }
  | { kind: 'unknown' };

/** An item over the tokens `from` to `to` (exclusive). */
export interface Edge {
  from: number;
  to: number;
  item: Item;
  cost: number;
}
