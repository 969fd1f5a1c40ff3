/** Webhook sources as the intake uses them. */
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import type { WebhookAuthentication } from '@parapet/contract/webhookSources.ts';

export interface OpenedSource {
  id: number;
  organisationId: number;
  source: string;
  authentication: WebhookAuthentication;
  header: string;
  secret: string;
  mapping: EventMapping;
  isPaused: boolean;
}

export interface RequestCount {
  stored: number;
  refused: number;
  refusal: string | undefined;
}

export interface WebhookLookup {
  /** The source of an address; undefined for an unknown one, and for organisations that are deactivated. */
  find(address: string): Promise<OpenedSource | undefined>;
  count(source: Pick<OpenedSource, 'id' | 'organisationId'>, request: RequestCount): Promise<void>;
  /** Counts a request whose signature proves nothing: anyone may have sent it, so the state of the source stays. Writes once a minute. */
  countUnproven(source: Pick<OpenedSource, 'id' | 'organisationId'>): Promise<void>;
}
