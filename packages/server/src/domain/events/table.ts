/** Events for SQL, as JSON records. */
import { type Scope, TookTooLongError, type Tx } from '../../core/db/scope.ts';
import { yieldToEventLoop } from '../../core/yielding.ts';
import { newestEvents } from './newest.ts';
import type { EventQuery } from './scanQuery.ts';
import type { StoredEvent } from './storedEvent.ts';

export interface TableQuery extends EventQuery {
  /** True if documents are not read, which are then null. Evaluated when the statement runs. */
  isOfHeads?: (() => boolean) | undefined;
}

const maxLength = 96 * 1024 * 1024;
const eventsPerTurn = 250;

export async function recordsOf(tx: Tx, scope: Scope, { isOfHeads, ...query }: TableQuery): Promise<string> {
  const records: string[] = [];
  let length = 0;
  for (const event of (await newestEvents(tx, scope, [query], { isOfHeads: isOfHeads?.() ?? false })).flat()) {
    const record = recordOf(event);
    length += record.length;
    if (length > maxLength)
      throw new TookTooLongError('The documents of more events were asked for than fit into memory at once.');
    records.push(record);
    if (records.length % eventsPerTurn === 0) await yieldToEventLoop();
  }
  return `[${records.join()}]`;
}

function recordOf({
  organisationId,
  id,
  at,
  receivedAt,
  clockSkew,
  shape,
  deviceName,
  userName,
  text,
  json,
}: StoredEvent): string {
  const head = JSON.stringify({
    organisation_id: organisationId,
    at: new Date(at).toISOString(),
    id,
    received_at: new Date(receivedAt).toISOString(),
    clock_skew: clockSkew,
    shape,
    device_name: deviceName,
    user_name: userName,
    text,
  });
  return storableJson(`${head.slice(0, -1)},"document":${json}}`);
}

/** U+0000 and half characters, which PostgreSQL’s JSON cannot hold, become U+FFFD. */
const storableJson = (json: string): string =>
  json.includes('\\u')
    ? json.replace(/\\(?:u0000|u[dD][89a-fA-F][\da-fA-F]{2}|.)/g, (found) => (/^\\u(?:0000|d)/i.test(found) ? '\\ufffd' : found))
    : json;
