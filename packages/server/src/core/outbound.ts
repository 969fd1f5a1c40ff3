/**
 * Fetches user-supplied addresses: https only, never this machine or its network. The address is checked as the connection opens, which
 * defeats DNS rebinding; redirects are not followed. Public addresses are reached through the operator's egress proxy, if there is one.
 */
import { type LookupAddress, type LookupOptions, lookup } from 'node:dns';
import { lookup as lookUpAll } from 'node:dns/promises';
import { isIP, isIPv4, type Socket } from 'node:net';
import { Agent, buildConnector, type RequestInit, fetch as undiciFetch } from 'undici';
import { openTunnel } from './egressProxy.ts';
import { subnets } from './subnets.ts';

/** Non-public addresses: RFC 6890 and later. Of IPv6 only global unicast is let through, without what carries an IPv4 address inside or is for documents. */
const isBlocked = subnets(
  [
    ['0.0.0.0', 8],
    ['10.0.0.0', 8],
    ['100.64.0.0', 10],
    ['127.0.0.0', 8],
    ['169.254.0.0', 16],
    ['172.16.0.0', 12],
    ['192.0.0.0', 24],
    ['192.0.2.0', 24],
    ['192.168.0.0', 16],
    ['198.18.0.0', 15],
    ['198.51.100.0', 24],
    ['203.0.113.0', 24],
    ['224.0.0.0', 3],
  ],
  [
    ['::', 3],
    ['4000::', 2],
    ['8000::', 1],
    ['2001::', 23],
    ['2001:db8::', 32],
    ['2002::', 16],
    ['3fff::', 20],
  ],
);

export const isPublicAddress = (address: string): boolean => isIP(address) !== 0 && !isBlocked(address);

export class NotPublic extends Error {}

const defaultTimeoutMs = 5_000;
const defaultMaxBytes = 1024 * 1024;

/** Of a connection without HTTP. */
export interface TlsTarget {
  hostname: string;
  port: number;
  /** PEM; absent for public authorities. */
  ca?: string | undefined;
  cert?: string | undefined;
  key?: string | undefined;
}

export interface Outbound {
  fetch(url: string, init?: object): Promise<Response>;
  /** Opens TLS 1.2 or later to a host whose certificate is valid for its name. The caller ends the socket. */
  openTls(target: TlsTarget): Promise<Socket>;
  close(): Promise<void>;
}

interface OutboundOptions {
  allowsInsecure: boolean;
  /** The only allowed origin. It comes from the operator’s configuration, so it may be http and internal. */
  onlyOrigin?: string;
  /** Origins that the operator allows besides public addresses: http or internal. */
  alsoOrigins?: readonly string[];
  timeoutMs?: number;
  /** Larger responses fail. */
  maxBytes?: number;
  /** Address of the egress proxy; undefined: none. */
  proxy?: string | undefined;
}

export function openOutbound({
  allowsInsecure,
  onlyOrigin,
  alsoOrigins = [],
  timeoutMs = defaultTimeoutMs,
  maxBytes = defaultMaxBytes,
  proxy,
}: OutboundOptions): Outbound {
  const judge = (host: string, addresses: readonly string[]) => {
    if (allowsInsecure || onlyOrigin !== undefined || addresses.every(isPublicAddress)) return;
    throw new NotPublic(`${host} is no public address.`);
  };
  const limits = { maxResponseSize: maxBytes, headersTimeout: timeoutMs, bodyTimeout: timeoutMs };
  const listed = alsoOrigins.length > 0 ? new Agent({ ...limits, connect: { timeout: timeoutMs } }) : undefined;
  const lookUp = (
    host: string,
    options: LookupOptions,
    answer: (error: Error | null, address: string | LookupAddress[], family?: number) => void,
  ) =>
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return answer(error, []);
      try {
        judge(
          host,
          addresses.map(({ address }) => address),
        );
      } catch (refusal) {
        return answer(refusal as Error, []);
      }
      const [first] = addresses;
      return options.all ? answer(null, addresses) : answer(null, first?.address ?? '', first?.family);
    });
  const connectorWith = (tls: Pick<TlsTarget, 'ca' | 'cert' | 'key'>, isJudged = true): buildConnector.connector =>
    buildConnector({ timeout: timeoutMs, ...(isJudged && { lookup: lookUp }), ...tls } as buildConnector.BuildOptions);
  const direct = connectorWith({});
  const throughProxy = (to: string, direct: buildConnector.connector): buildConnector.connector => {
    const open = async ({ hostname, port }: buildConnector.Options) => {
      const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ''));
      judge(hostname, addresses);
      // An internal address that the operator allows is not the proxy's.
      if (!addresses.every(isPublicAddress)) return undefined;
      return openTunnel(to, addresses.find(isIPv4) ?? addresses[0]!, Number(port || 443), timeoutMs);
    };
    return (options, callback) => {
      if (options.protocol !== 'https:') return direct(options, callback);
      void open(options).then(
        (httpSocket) => direct(httpSocket ? { ...options, httpSocket } : options, callback),
        (error: Error) => callback(error, null),
      );
    };
  };
  const agent = new Agent({ ...limits, connect: proxy === undefined ? direct : throughProxy(proxy, direct) });
  return {
    async fetch(url, init) {
      const { protocol, hostname, origin } = new URL(url);
      if (onlyOrigin !== undefined && origin !== onlyOrigin) throw new NotPublic(`${origin} is not ${onlyOrigin}.`);
      const isListed = listed !== undefined && alsoOrigins.includes(origin);
      if (!isListed && onlyOrigin === undefined && protocol !== 'https:' && !(allowsInsecure && protocol === 'http:'))
        throw new NotPublic(`${url} does not start with https://.`);
      // A literal address is never looked up.
      const literal = hostname.replace(/^\[|\]$/g, '');
      if (!isListed && isIP(literal)) judge(hostname, [literal]);
      const response = await undiciFetch(url, {
        ...(init as RequestInit),
        redirect: 'manual',
        dispatcher: isListed ? listed : agent,
        signal: AbortSignal.timeout(timeoutMs),
      });
      return bounded(response as unknown as Response, maxBytes);
    },
    async openTls({ hostname, port, ...tls }) {
      if (onlyOrigin !== undefined) throw new NotPublic(`${hostname} is not ${onlyOrigin}.`);
      const isListed = alsoOrigins.includes(`tls://${hostname}:${port}`);
      if (!isListed && isIP(hostname)) judge(hostname, [hostname]);
      const own = connectorWith(tls, !isListed);
      const connector = proxy === undefined || isListed ? own : throughProxy(proxy, own);
      return new Promise<Socket>((resolve, reject) =>
        connector({ hostname, host: hostname, protocol: 'https:', port: String(port) }, (error, socket) =>
          socket ? resolve(socket) : reject(error ?? new Error(`${hostname} did not answer.`)),
        ),
      );
    },
    close: async () => void (await Promise.all([agent.close(), listed?.close()])),
  };
}

/** Limits what a compressed response becomes: undici's own limit counts the bytes of the connection. */
function bounded(response: Response, maxBytes: number): Response {
  if (response.body === null || !response.headers.has('content-encoding')) return response;
  let left = maxBytes;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      left -= chunk.byteLength;
      if (left >= 0) controller.enqueue(chunk);
      else controller.error(Object.assign(new Error('The response is too large.'), { code: 'UND_ERR_RES_EXCEEDED_MAX_SIZE' }));
    },
  });
  const { status, statusText, headers } = response;
  return new Response(response.body.pipeThrough(counter), { status, statusText, headers });
}

const addressesOf = async (host: string): Promise<string[]> =>
  isIP(host) ? [host] : (await lookUpAll(host, { all: true })).map(({ address }) => address);
