/** Schema of the list of collectors, with its kinds and states. */
import type { Collector } from '@parapet/contract/agents.ts';
import { answerRows, field, listSchema, search, words } from '../../lib/listSchema.ts';

export const statesInOrder: readonly Collector['state'][] = ['online', 'stale', 'silent', 'revoked'];
export const kindLabel: Record<Collector['kind'], string> = {
  agent: 'Agent',
  beat: 'Beat',
  syslog: 'Syslog',
  other: 'Other',
};
export const kindsInOrder = Object.keys(kindLabel) as Collector['kind'][];

export const collectorList = listSchema({
  text: search(),
  kind: words(kindsInOrder),
  state: words(statesInOrder),
  query: answerRows(),
  peek: field((text) => text || undefined),
});

/** Key of a row: a device may have had several agents. */
export const rowIdOf = ({ deviceUuid, agentID }: Pick<Collector, 'deviceUuid' | 'agentID'>): string =>
  `${deviceUuid}.${agentID ?? ''}`;
