import type { Connector } from '@parapet/connectors/connector.ts';

/** Name of a connection's data source. Two connections to one account are one source. */
export const sourceOf = ({ title }: Pick<Connector, 'title'>, account: string): string => `${title} (${account})`;
