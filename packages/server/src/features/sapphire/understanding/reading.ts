/** Input and output of parsing, which is pure: a text, the names in it, a time and a zone yield an intent. */
import type { SapphireSkill, SapphireSlots } from '@parapet/contract/rules/sapphire.ts';

export interface Reading {
  skill: SapphireSkill;
  slots: SapphireSlots;
}

export interface NamedClient {
  id: number;
  name: string;
}

/** Candidate names: those in the caller’s scope that are similar to the text. */
export interface Vocabulary {
  /** Organisations that can be queried. */
  clients: readonly NamedClient[];
  /** In the caller’s scope, but not of the selected client. */
  otherClients: readonly NamedClient[];
  devices: readonly string[];
  users: readonly string[];
  rules: readonly string[];
  techniques: readonly { id: string; name: string }[];
}

export interface ParserInput {
  text: string;
  vocabulary: Vocabulary;
  /** Milliseconds since 1970. */
  now: number;
  /** An IANA zone, or an offset such as +05:30. */
  timeZone: string;
  /** Previous intent of the conversation. */
  previous: Reading | undefined;
}

export type Understood =
  | { kind: 'reading'; reading: Reading; confidence: number; isFollowUp?: true }
  /** Two intents score alike, or a name is ambiguous. */
  | { kind: 'question'; text: string; choices: string[] }
  /** A name absent from the caller’s scope: identical for missing names and other tenants’. */
  | { kind: 'unknownName'; name: string }
  /** In the caller’s scope, but another client is selected. */
  | { kind: 'otherClient'; name: string }
  | { kind: 'support' }
  | { kind: 'greeting' }
  | { kind: 'unknown' };
