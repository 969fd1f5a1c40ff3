/** Calls to the portal. Small on purpose: the agent idles on many hosts, and an isolated one must reach the portal by address, without names. */
import { type LookupAddress, lookup } from 'node:dns';
import type { IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP, type LookupFunction } from 'node:net';
import { rootCertificates } from 'node:tls';

// Imported by its name, all that it exports would be loaded, among it a browser's WebSocket: ten megabytes that the agent never needs.
const { Agent: HttpAgent, request: httpRequest } = process.getBuiltinModule('node:http');

/** Not now: no way there, too busy, just restarting. What was sent is sent again later. */
export class PortalUnavailableError extends Error {
  readonly retryAfterMs: number;
  constructor(message: string, retryAfterMs = 0) {
    super(message);
    this.retryAfterMs = retryAfterMs;
  }
}
/** What came is more than was asked for. */
export class TooMuch extends PortalUnavailableError {}
/** The portal does not know this key any more. */
export class Revoked extends Error {}
/** The portal understood and said no; sending it again would not help. */
export class RequestRejectedError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface Call {
  method: 'GET' | 'POST' | 'PUT';
  path: string;
  /** An object is sent as JSON. */
  body?: object | Buffer | undefined;
  headers?: Record<string, string>;
  timeoutMs?: number;
  maxAnswerBytes?: number;
  signal?: AbortSignal;
}

export interface Client {
  call(call: Call): Promise<Buffer>;
  json(call: Call): Promise<unknown>;
  /** Host name and port of the portal. */
  readonly host: string;
  readonly port: number;
  /** While set, the portal is looked for at these addresses alone. */
  pin(addresses: readonly string[]): void;
  /** The address that last answered. */
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

  const find: LookupFunction = (name, wish, done) => {
    if (pinned.length === 0 || isIP(name)) return lookup(name, wish, done as never);
    const order = pinned.map((_, i) => pinned[(i + turn) % pinned.length] as string);
    turn++;
    const found: LookupAddress[] = order.map((address) => ({ address, family: isIP(address) }));
    if (wish.all) (done as (error: null, found: LookupAddress[]) => void)(null, found);
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
          lookup: find,
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
          read(answer, maxAnswerBytes).then((text) => settle(answer, text), away);
        },
      );
      // The whole exchange, not only silence on the line: a server that drips holds nobody up. Nor one whose end node does not tell (of a 101).
      const timer = setTimeout(() => {
        const late = new Error(`no answer within ${Math.round(timeoutMs / 1000)} s`);
        request.destroy(late);
        away(late);
      }, timeoutMs);
      const away = (error: Error) => {
        clearTimeout(timer);
        reject(
          error instanceof TooMuch
            ? error
            : new PortalUnavailableError(`The portal at ${base.host} was not reached: ${error.message}`),
        );
      };
      function settle(answer: IncomingMessage, text: Buffer) {
        clearTimeout(timer);
        const status = answer.statusCode ?? 0;
        if (status >= 200 && status < 300) return resolve(text);
        const said = text.toString('utf8', 0, 300).trim();
        if (status === 401) return reject(new Revoked(said));
        // The portal redirects nobody: what does is something else on the way, and says nothing of what was sent.
        if (status < 400 || status === 408 || status === 425 || status === 429 || status >= 500) {
          const after = Number(answer.headers['retry-after']);
          return reject(
            new PortalUnavailableError(`The portal answered ${status}: ${said}`, after > 0 ? Math.min(after, 3_600) * 1000 : 0),
          );
        }
        reject(new RequestRejectedError(status, `The portal answered ${status}: ${said}`));
      }
      request.once('error', away);
      request.end(bytes);
    });
  }

  return {
    call,
    async json(wanted) {
      const text = (await call(wanted)).toString('utf8');
      try {
        return JSON.parse(text);
      } catch {
        throw new PortalUnavailableError(`What answers at ${base.host} is no portal: ${text.slice(0, 100)}`);
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

async function read(answer: IncomingMessage, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > most) throw new TooMuch(`The portal’s answer has more than ${most} bytes.`);
    parts.push(part);
  }
  return Buffer.concat(parts, length);
}
