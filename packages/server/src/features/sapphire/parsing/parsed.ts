/** Input and result of the parser. */
import type { Query } from '@parapet/contract/rules/query.ts';
import type { SapphireSlots } from '@parapet/contract/rules/sapphire.ts';
import type { Lexicon } from './lexicon.ts';
import type { Ranked } from './ranking.ts';
import type { Vocabulary } from './vocabulary.ts';

export interface ParserInput {
  text: string;
  lexicon: Lexicon;
  vocabulary: Vocabulary;
  /** Queries of the question before in this conversation. */
  previous: readonly Query[];
  /** The first rows of the last of these. */
  rows?: { ids: readonly string[]; names: readonly string[] };
  now: number;
  /** An IANA zone, or an offset such as +05:30. */
  timeZone: string;
  /** Skips similar names and further questions: the text is a proposal, or under verification. */
  isAgain?: boolean;
  /** A name in the text is one that is similar to the typed one. */
  isNamed?: boolean;
  /** A question that is read whole is not doubted: the grammar alone. */
  isUndoubted?: boolean;
  /** Receives what was ranked, and the marks of none, from which the ranking is learnt. */
  onRanked?: (ranked: readonly Ranked[], none: Readonly<Record<string, number>>) => void;
}

export interface Parsed {
  /** One per part of the question; empty when not understood. */
  queries: Query[];
  /** Words that no reading consumed; then there is no answer. */
  left: string[];
  /** A name that is not exact, or two readings alike: whole questions, or queries (of one question each) that are worded by the answer. */
  clarify?: { phrase: string; choices: string[]; queries: Query[][] };
  command?: { verb: string; text: string; page: string | undefined };
  refused?: { kind: 'forbidden' | 'notKept'; text: string };
  /** In scope, but another client is selected. */
  otherClient?: string;
  skill?: { name: string; slots: SapphireSlots };
  /** Readings without the words left behind; none runs before it is chosen. */
  nearest?: readonly Query[][];
}
