/** Values of a connection, tried at the vendor. */
import type { Connector, Http } from '@parapet/connectors/connector.ts';
import { VendorError } from '@parapet/connectors/errors.ts';
import type { connectionsApi } from '@parapet/contract/connections.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';

export type Values = Record<string, string>;
export type Tested = AnswerOf<typeof connectionsApi.test>;

/** Tests an account. A refusal by the vendor becomes a fault of the form. */
export async function tryOut(http: Http, clock: Clock, connector: Connector, values: Values): Promise<Tested> {
  try {
    const results = [...(await connector.open(values, http, clock).test())].slice(0, 20);
    const [first] = results;
    if (first && !results.some(({ canRead }) => canRead)) throw refusal(first.detail);
    return { results, total: results.length };
  } catch (error) {
    throw error instanceof VendorError ? refusal(error.message) : error;
  }
}

const refusal = (text: string) => problem.invalid({ values: [text.slice(0, 500)] }, text.slice(0, 500));
