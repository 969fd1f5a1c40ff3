/** Rules as coverage counts them: in force for an organisation, and able to match what arrives. */
import type { Scope, Tx } from '../core/db/scope.ts';

/** A field without which rules can match nothing, of the events of one log source. */
export interface MissingField {
  field: string;
  logSource: string;
  /** Value of the code field, such as an event ID; null for all events of the source. */
  code: string | null;
  lastSeenTime: string | null;
  /** Sampled events without it. */
  events: number;
  /** Start of the sampling. */
  sinceTime: string;
  ruleKeys: string[];
}

export interface BlockedRules {
  /** Organisations for which a rule can raise nothing, by key. */
  organisations: ReadonlyMap<string, ReadonlySet<number>>;
  /** At most 200 fields that some of these rules lack, those of most rules first; within the transaction that read them. */
  nameFields(keys: ReadonlySet<string>): Promise<MissingField[]>;
}

export interface RulesInForce {
  /** False for a rule that exists only in the database, is another partner’s, or is switched off for the organisation. */
  isInForce(key: string, organisationId: number): boolean;
  /** On the evidence of the events of late; of one rule, or of all. Rules count only for organisations for which they are in force. */
  listBlocked(tx: Tx, scope: Scope, now: number, key?: string): Promise<BlockedRules>;
}
