/** What understanding takes and gives. Everything here is pure: a text, names that stand in it, a moment and a zone make a reading. */
import type { SapphireSkill, SapphireSlots } from '@parapet/contract/rules/sapphire.ts';

export interface Reading {
  skill: SapphireSkill;
  slots: SapphireSlots;
}

export interface NamedClient {
  id: number;
  name: string;
}

/** Names that may be meant: those in the caller's scope which the text comes near to. */
export interface Vocabulary {
  /** Organisations that may be asked about. */
  clients: readonly NamedClient[];
  /** In the caller's scope, but not of the selected client. */
  otherClients: readonly NamedClient[];
  devices: readonly string[];
  users: readonly string[];
  rules: readonly string[];
  techniques: readonly { id: string; name: string }[];
}

export interface Asked {
  text: string;
  vocabulary: Vocabulary;
  /** Milliseconds since 1970. */
  now: number;
  /** An IANA zone, or an offset such as +05:30. */
  timeZone: string;
  /** What was understood before in the same conversation. */
  previous: Reading | undefined;
}

export type Understood =
  | { kind: 'reading'; reading: Reading; confidence: number; isFollowUp?: true }
  /** Two readings are close, or a name stands for several things. */
  | { kind: 'question'; text: string; choices: string[] }
  /** A name that is nowhere in what the caller may see: the same, whether it does not exist or belongs to others. */
  | { kind: 'unknownName'; name: string }
  /** Of the caller's scope, but another client is selected. */
  | { kind: 'otherClient'; name: string }
  | { kind: 'support' }
  | { kind: 'greeting' }
  | { kind: 'unknown' };
