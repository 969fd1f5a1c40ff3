/** Values of a connection: checked by the fields of its kind, and tried at the vendor. */
import type { Connector, Field, Http } from '@parapet/connectors/connector.ts';
import { VendorError } from '@parapet/connectors/errors.ts';
import type { connectionsApi } from '@parapet/contract/connections.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';

export type Values = Record<string, string>;
export type Tested = AnswerOf<typeof connectionsApi.test>;

const fieldPath = (name: string) => `values.${name}`;

/** Throws the faults of each field; unknown names count as faults. */
export function checkValues(fields: readonly Field[], values: Values): void {
  const errors: Record<string, string[]> = {};
  for (const { name, pattern, fault } of fields) if (!pattern.test(values[name] ?? '')) errors[fieldPath(name)] = [fault];
  for (const name of Object.keys(values))
    if (!fields.some((field) => field.name === name)) errors[fieldPath(name.slice(0, 40))] = ['There is no such field.'];
  if (Object.keys(errors).length > 0) throw problem.invalid(errors);
}

export const pick = (fields: readonly Field[], values: Values, isSecret: boolean): Values =>
  Object.fromEntries(fields.filter((field) => field.isSecret === isSecret).map(({ name }) => [name, values[name] ?? '']));

/** Tests an account. A refusal by the vendor becomes a fault of the form. */
export async function tryOut(http: Http, connector: Connector, values: Values): Promise<Tested> {
  try {
    const results = [...(await connector.open(values, http).test())].slice(0, 20);
    const [first] = results;
    if (first && !results.some(({ canRead }) => canRead)) throw refusal(first.detail);
    return { results, total: results.length };
  } catch (error) {
    throw error instanceof VendorError ? refusal(error.message) : error;
  }
}

const refusal = (text: string) => problem.invalid({ values: [text.slice(0, 500)] }, text.slice(0, 500));
