/** Contract of a pipeline step: examines one event in the context of its batch and returns its outcome. */
import type { Event } from './event.ts';
import type { Result } from './result.ts';
import type { OrganisationRules } from './rule-view.ts';

/** Context shared by the steps of one batch. */
export interface Batch {
  organisationId: number;
  receivedAt: number;
  /** Retention of raw events; older timestamps are rejected as implausible. */
  eventRetentionMs: number;
  detector: Pick<OrganisationRules, 'match' | 'matchShadow'>;
  /** Event ids seen in this batch. */
  ids: Set<string>;
  /** Occurrences of each content in this batch. */
  contents: Map<string, number>;
}

export type Step = (event: Event, batch: Batch) => Result;
