/** Composition of one part of a question. */
import type { Query, QueryEntity, QueryMeasure, QueryTime, QueryValue } from '@parapet/contract/rules/query.ts';
import type { Condition, Frame, Joiner } from './frames.ts';
import type { Option } from './items.ts';

/** Different values of one attribute for each value of another, over records of an entity that has both. */
export interface Bridge {
  entity: QueryEntity;
  distinct: string;
  by: string;
}

export interface Composed {
  head: QueryEntity;
  frames: Frame[];
  /** Counted part of a share. */
  of: Condition[];
  measure: QueryMeasure['kind'] | undefined;
  measured: string | undefined;
  /** The measure is one of times: "how long". */
  isDuration: boolean;
  groups: string[];
  /** Attribute of the head whose different values are counted: "how many distinct CVEs". */
  distinct: string | undefined;
  /** "Different" stands before the records. */
  isDistinct: boolean;
  /** Records in which two kinds meet that are not related: "the rule that fired on the most hosts" is of alerts. */
  bridge: Bridge | undefined;
  superlative:
    | {
        isMost: boolean;
        isTime: boolean;
        isWorst: boolean;
        isMore: boolean;
        isTop: boolean;
        /** "The first 3": of an order that is there already, else the oldest. */
        isFirst: boolean;
        /** "Most common": by number, also of what has an order. */
        isOften: boolean;
        /** "Longest", "slowest": the most of a duration; undefined for other words. */
        isLongest: boolean | undefined;
        field?: string;
        related?: QueryEntity;
        isPlural: boolean;
        /** The word can be of any number: "top", "most". */
        isGeneric: boolean;
      }
    | undefined;
  isOrder: boolean;
  limit: number | undefined;
  shown: string[];
  /** Times compared with, after the first. */
  times: QueryTime[];
  /** The second time stood after "and" or "or". */
  areTimesJoined: boolean;
  isCompared: boolean;
  isAverage: boolean;
  /** "Are all …": the last condition is counted. */
  isUniversal: boolean;
  /** "Birch and Cedar combined": one figure. */
  isCombined: boolean;
  /** Values of names before "versus". */
  comparedWith: readonly QueryValue[] | undefined;
  isTrend: boolean;
  /** Time of the given state: "closed cases". */
  stateTime: string | undefined;
  /** The time of a state of which two are compared: "closed this month against last month". */
  comparedState: string | undefined;
  /** The time was led by a verb of the entity’s own time. */
  hasTimeVerb: boolean;
  isEach: boolean;
  /** Divided with "per" or "by". */
  isGroupSaid: boolean;
  isGroupPlural: boolean;
  isWho: boolean;
  /** The verb beside "who": "closed". */
  whoVerb: string | undefined;
  reference: 'those' | 'rest' | 'same' | undefined;
  /** "How many aren't": the last condition of the question before is negated. */
  isElliptic: boolean;
  /** "Were open": a state at the given time. */
  isPastOpen: boolean;
  /** A to Z. */
  isAlphabetic: boolean;
  /** Bound of what is grouped: "hours with more than 50 alerts". */
  having: Query['having'];
  /** A word was read as a text to look for. */
  isGuess: boolean;
  left: string[];
  cost: number;
  isHeadSaid: boolean;
}

/** A value that waits for its noun. */
export interface Pending {
  option: readonly Option[];
  label: string;
  noun: QueryEntity | undefined;
  isNegated: boolean;
  isStrong: boolean;
  joiner: Joiner;
  isExcept: boolean;
  /** After "that is": concerns the noun besides the words before it. */
  isAfterThat: boolean;
  isAfterComma: boolean;
  /** After "only". */
  isOnly: boolean;
  /** The noun of the records has not appeared yet. */
  isBeforeNoun: boolean;
  fields: readonly string[];
}

/** "Sorted by". */
export const plainSuperlative = {
  isMost: true,
  isTime: false,
  isWorst: false,
  isMore: false,
  isTop: false,
  isFirst: false,
  isOften: false,
  isLongest: undefined,
  isPlural: true,
  isGeneric: false,
};
