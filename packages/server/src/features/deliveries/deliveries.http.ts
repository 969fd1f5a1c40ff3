/** Requests to targets: through `core/outbound` only, with bounded responses, and recorded without secrets. */
import { RefusedError, UnavailableError } from '@parapet/connectors/errors.ts';
import type { OutRequest, Send } from '@parapet/connectors/out/target.ts';
import { reasonOf } from '@parapet/connectors/requests.ts';
import { storable } from '../../core/db/like.ts';
import { NotPublic, type Outbound } from '../../core/outbound.ts';

/** Read of an answer, and kept of a request and an answer, in bytes and characters. */
const defaultAnswerBytes = 16 * 1024;
const maxKept = 16_000;

/** The newest request and its answer, as they are stored. */
export interface Exchange {
  request: string | null;
  answer: string | null;
  status: number | null;
}

/** Sends by `outbound`, and records the newest exchange with the secrets blotted out. */
export function createSend(outbound: Pick<Outbound, 'fetch'>, secrets: readonly string[]): { send: Send; exchange: Exchange } {
  const exchange: Exchange = { request: null, answer: null, status: null };
  const kept = (text: string) => storable(withoutSecrets(text, secrets)).slice(0, maxKept).toWellFormed();
  const send: Send = async (request) => {
    const { method, url, headers, body, maxBytes = defaultAnswerBytes, isConfidential = false } = request;
    Object.assign(exchange, { request: isConfidential ? null : kept(describe(request)), answer: null, status: null });
    const response = await outbound.fetch(url, { method, headers, ...(body !== undefined && { body }) }).catch((error) => {
      throw wordedError(url, error);
    });
    const text = await readBounded(response, maxBytes);
    Object.assign(exchange, { answer: isConfidential ? null : kept(text.slice(0, 4 * maxKept)), status: response.status });
    return { status: response.status, headers: response.headers, text };
  };
  return { send, exchange };
}

/** Addresses may be secrets themselves, headers are. */
const describe = ({ method, url, body }: OutRequest): string => body ?? `${method} ${new URL(url).pathname}`;

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, '•••');
  return clean;
}

function wordedError(url: string, error: unknown): Error {
  const { host } = new URL(url);
  if (error instanceof NotPublic || (error as Error).cause instanceof NotPublic)
    return new RefusedError(`${host} isn’t a public https address, so the portal doesn’t connect to it.`);
  return new UnavailableError(`${host} can’t be reached: ${reasonOf(error)}`);
}

/** The beginning of an answer. Ends early for an answer that breaks off or comes too slowly: its status was received. */
async function readBounded(response: Response, maxBytes: number): Promise<string> {
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body?.getReader();
  try {
    while (reader && size < maxBytes) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      size += value.length;
    }
  } catch {
    // The part that was read stands.
  }
  await reader?.cancel().catch(() => {});
  return Buffer.concat(parts).toString('utf8', 0, maxBytes);
}
