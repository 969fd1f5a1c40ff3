/** The state of the list of collectors, as it stands in the address; what makes no sense is as if not there. */
import type { Collector } from '@parapet/contract/agents.ts';
import { listIn, numberIn, type Search } from '../../lib/address.ts';

export const statesInOrder: readonly Collector['state'][] = ['online', 'stale', 'silent', 'revoked'];
export const kindLabel: Record<Collector['kind'], string> = {
  agent: 'Agent',
  beat: 'Beat',
  syslog: 'Syslog',
  other: 'Other',
};
export const kindsInOrder = Object.keys(kindLabel) as Collector['kind'][];

export interface AgentFilters {
  text: string;
  kind: Collector['kind'][];
  state: Collector['state'][];
  page: number;
  pageSize: number;
}

const pageSizes = [25, 50, 100];
const defaultPageSize = 50;

export function agentFiltersIn(search: Search): AgentFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  const words = (text: string | undefined) => listIn(text).map((word) => word.toLowerCase());
  const [kinds, states] = [words(search.kind), words(search.state)];
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    kind: kindsInOrder.filter((kind) => kinds.includes(kind)),
    state: statesInOrder.filter((state) => states.includes(state)),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

export const isFiltered = ({ text, kind, state }: AgentFilters) => text !== '' || kind.length > 0 || state.length > 0;

/** Names a row: a device may have had several agents. */
export const rowIdOf = ({ deviceUuid, agentID }: Pick<Collector, 'deviceUuid' | 'agentID'>): string =>
  `${deviceUuid}.${agentID ?? ''}`;
