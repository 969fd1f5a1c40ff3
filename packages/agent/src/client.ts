/**
 * HTTP client for the portal. Minimal by design: the agent idles on many hosts, and an isolated one must reach the portal by
 * address, without DNS.
 */
import { type LookupAddress, lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';
import type { Backoff } from './clock.ts';

// A static import would load all exports, including the WebSocket client: 10 MB that the agent never needs.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Temporary failure: unreachable, overloaded or restarting. The request is retried. */
export class PortalUnavailableError extends Error {
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
/** The response exceeds `maxAnswerBytes`. */
export class ResponseTooLargeError extends PortalUnavailableError {}
/** The portal rejected the agent's key (401). */
export class KeyRevokedError extends Error {}
/** The portal rejected the request; retrying cannot succeed. */
export class RequestRejectedError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

/** Retry interval for a revoked key; the host may have been re-enrolled. */
const revokedPauseMs = 10 * 60_000;

/** Delay in ms before a failed request is retried. */
export const retryDelayMs = (error: unknown, backoff: Backoff): number =>
  error instanceof KeyRevokedError
    ? revokedPauseMs
    : backoff.next(error instanceof PortalUnavailableError ? error.retryAfterMs : 0);

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  /** Objects are sent as JSON. */
  body?: object | Buffer | undefined;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxAnswerBytes?: number;
  signal?: AbortSignal;
}

export interface Client {
  call(call: Call): Promise<Buffer>;
  json(call: Call): Promise<unknown>;
  /** Host and port of the portal. */
  readonly host: string;
  readonly port: number;
  /** Restricts connections to these addresses, without DNS; empty: use DNS. */
  pin(addresses: readonly string[]): void;
  /** Remote address of the last response. */
  lastAddress(): string | undefined;
  close(): void;
}

export function createClient({ server, key, authority }: { server: string; key?: string; authority?: string }): Client {
  const base = new URL(server);
  const isTls = base.protocol === 'https:';
  const options = { keepAlive: true, maxSockets: 6, maxFreeSockets: 2, timeout: 90_000 };
  const agent = isTls
    ? new HttpsAgent({ ...options, ...(authority ? { ca: [...rootCertificates, authority] } : {}) })
    : new HttpAgent(options);
  const host = base.hostname.replace(/^\[|\]$/g, '');
  let pinned: readonly string[] = [];
  let turn = 0;
  let lastAddress: string | undefined;

  const lookupPinned: LookupFunction = (name, lookupOptions, done) => {
    if (pinned.length === 0 || isIP(name)) return lookup(name, lookupOptions, done as never);
    const order = pinned.map((_, i) => pinned[(i + turn) % pinned.length] as string);
    turn++;
    const found: LookupAddress[] = order.map((address) => ({ address, family: isIP(address) }));
    if (lookupOptions.all) (done as (error: null, found: LookupAddress[]) => void)(null, found);
    else done(null, found[0]!.address, found[0]!.family);
  };

  function call({ method, path, body, headers = {}, timeoutMs = 30_000, maxAnswerBytes = 16 * 1024 * 1024, signal }: Call) {
    return new Promise<Buffer>((resolve, reject) => {
      const bytes = body === undefined || Buffer.isBuffer(body) ? body : Buffer.from(JSON.stringify(body));
      const request = (isTls ? httpsRequest : httpRequest)(
        {
          method,
          host,
          port: base.port || (isTls ? 443 : 80),
          path: base.pathname.replace(/\/$/, '') + path,
          agent,
          lookup: lookupPinned,
          signal,
          headers: {
            ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
            ...(bytes === undefined ? {} : { 'content-length': String(bytes.length) }),
            ...(body !== undefined && !Buffer.isBuffer(body) ? { 'content-type': 'application/json' } : {}),
            ...headers,
          },
        },
        (answer) => {
          lastAddress = answer.socket.remoteAddress ?? lastAddress;
          read(answer, maxAnswerBytes).then((text) => {
            clearTimeout(timer);
            const error = errorOf(answer, text);
            if (error) reject(error);
            else resolve(text);
          }, fail);
        },
      );
      // Limits the whole exchange, not only idle time: covers servers that drip data, and a 101 response, whose end Node.js
      // does not emit.
      const timer = setTimeout(() => {
        const late = new Error(`no response within ${Math.round(timeoutMs / 1000)} s`);
        request.destroy(late);
        fail(late);
      }, timeoutMs);
      const fail = (error: Error) => {
        clearTimeout(timer);
        reject(
          error instanceof ResponseTooLargeError
            ? error
            : new PortalUnavailableError(`The portal at ${base.host} is unreachable: ${error.message}`),
        );
      };
      request.once('error', fail);
      request.end(bytes);
    });
  }

  return {
    call,
    async json(request) {
      const text = (await call(request)).toString('utf8');
      try {
        return JSON.parse(text);
      } catch {
        throw new PortalUnavailableError(`The response from ${base.host} is not JSON: ${text.slice(0, 100)}`);
      }
    },
    host,
    port: Number(base.port || (isTls ? 443 : 80)),
    pin: (addresses) => {
      pinned = addresses;
    },
    lastAddress: () => lastAddress,
    close: () => agent.destroy(),
  };
}

/** Error for a status other than 2xx. */
function errorOf({ statusCode = 0, headers }: IncomingMessage, text: Buffer): Error | undefined {
  if (statusCode >= 200 && statusCode < 300) return undefined;
  const detail = text.toString('utf8', 0, 300).trim();
  if (statusCode === 401) return new KeyRevokedError(detail);
  const message = `The portal returned ${statusCode}: ${detail}`;
  // The portal never redirects; a redirect comes from an intermediary and is no verdict on the request.
  const isTemporary = statusCode < 400 || [408, 425, 429].includes(statusCode) || statusCode >= 500;
  if (!isTemporary) return new RequestRejectedError(statusCode, message);
  const after = Number(headers['retry-after']);
  return new PortalUnavailableError(message, after > 0 ? Math.min(after, 3_600) * 1000 : 0);
}

async function read(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > maxBytes) throw new ResponseTooLargeError(`The portal’s response has more than ${maxBytes} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
