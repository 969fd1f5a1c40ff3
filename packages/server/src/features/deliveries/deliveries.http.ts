/** Requests and bytes to targets: through `core/outbound` only, with bounded responses, and recorded without secrets. */
import { isIPv6 } from 'node:net';
import { RefusedError, UnavailableError } from '@parapet/connectors/errors.ts';
import type { OutBytes, OutRequest, Send, SendBytes } from '@parapet/connectors/out/target.ts';
import { reasonOf } from '@parapet/connectors/requests.ts';
import { storable } from '../../core/db/like.ts';
import { NotPublic, type Outbound } from '../../core/outbound.ts';

/** Read of an answer, and kept of a request and an answer, in bytes and characters. */
const defaultAnswerBytes = 16 * 1024;
const maxStored = 16_000;

/** The newest request and its answer, as they are stored. */
export interface Exchange {
  request: string | null;
  answer: string | null;
  status: number | null;
}

/** Sends by `outbound`, and records the newest exchange with the secrets blotted out. */
export function createSend(
  outbound: Pick<Outbound, 'fetch' | 'openTls'>,
  secrets: readonly string[],
  maxWriteMs = defaultWriteMs,
): { send: Send; sendBytes: SendBytes; exchange: Exchange } {
  const exchange: Exchange = { request: null, answer: null, status: null };
  const excerpt = (text: string) => storable(withoutSecrets(text, secrets)).slice(0, maxStored).toWellFormed();
  const send: Send = async (request) => {
    const { method, url, headers, body, maxBytes = defaultAnswerBytes, isConfidential = false } = request;
    Object.assign(exchange, { request: isConfidential ? null : excerpt(describe(request)), answer: null, status: null });
    const response = await outbound.fetch(url, { method, headers, ...(body !== undefined && { body }) }).catch((error) => {
      throw wordedError(new URL(url).host, error);
    });
    const text = await readBounded(response, maxBytes);
    Object.assign(exchange, { answer: isConfidential ? null : excerpt(text.slice(0, 4 * maxStored)), status: response.status });
    return { status: response.status, headers: response.headers, text };
  };
  const sendBytes: SendBytes = async (bytes) => {
    Object.assign(exchange, { request: excerpt(bytes.body), answer: null, status: null });
    await writeAll(outbound, bytes, maxWriteMs).catch((error) => {
      throw wordedError(isIPv6(bytes.host) ? `[${bytes.host}]:${bytes.port}` : `${bytes.host}:${bytes.port}`, error);
    });
  };
  return { send, sendBytes, exchange };
}

/** From the opened connection until the receiver closed it; what it sends prolongs nothing. */
const defaultWriteMs = 20_000;
/** Between our last byte and our end: a receiver that refuses the certificate after the handshake closes within it. */
const lingerMs = 500;

/**
 * Resolves once all bytes were handed over and the receiver, having read to our end, closed its own side. Throws for a reset, for an end before ours and
 * for a receiver that stays open.
 */
async function writeAll(
  { openTls }: Pick<Outbound, 'openTls'>,
  { host, port, body, ca, cert, key }: OutBytes,
  maxMs: number,
): Promise<void> {
  const socket = await openTls({ hostname: host, port, ca, cert, key });
  let deadline: NodeJS.Timeout | undefined;
  let linger: NodeJS.Timeout | undefined;
  let isEnded = false;
  try {
    await new Promise<void>((resolve, reject) => {
      const early = () => reject(new Error('The receiver closed the connection early.'));
      const late = () => reject(new Error('The receiver did not close the connection, so nothing is confirmed.'));
      deadline = setTimeout(late, maxMs);
      socket.once('error', reject);
      socket.once('end', () => isEnded || early());
      socket.once('close', (hadError) => (!hadError && socket.writableFinished && socket.readableEnded ? resolve() : early()));
      // Nothing is expected; what comes is dropped.
      socket.resume();
      socket.write(body, () => {
        linger = setTimeout(() => {
          isEnded = true;
          socket.end();
        }, lingerMs);
      });
    });
  } finally {
    clearTimeout(deadline);
    clearTimeout(linger);
    socket.destroy();
  }
}

/** Addresses may be secrets themselves, headers are. */
const describe = ({ method, url, body, summary }: OutRequest): string =>
  summary ?? (typeof body === 'string' ? body : `${method} ${new URL(url).pathname}`);

function withoutSecrets(text: string, secrets: readonly string[]): string {
  let clean = text;
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, '•••');
  return clean;
}

function wordedError(host: string, error: unknown): Error {
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
