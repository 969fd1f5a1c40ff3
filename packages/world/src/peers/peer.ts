/**
 * Ground of the simulated systems that receive deliveries. Each is written from its vendor's published description, not from the target, checks what
 * the vendor checks, and lists what it accepted under GET /received.
 */
import { type Disturbance, serveVendor, type VendorAnswer, type VendorRequest } from '../vendors/vendor.ts';

export interface Peer {
  /** Kind of target. */
  kind: string;
  url: string;
  /** Values of a working target. */
  values: Record<string, string>;
  /** Accepted requests, oldest first. */
  received: Received[];
  /** Spoils the next responses, one each. */
  disturb(...list: Disturbance[]): void;
  /** Number of requests of any outcome. */
  requests(): number;
  close(): Promise<void>;
}

export interface Received {
  path: string;
  headers: VendorRequest['headers'];
  body: string;
}

export type StartPeer = (port?: number) => Promise<Peer>;

/** Number of requests that a peer lists. */
const maxKept = 1_000;

/**
 * Serves `answer`, and keeps what it accepted with a status below 300.
 * @param valuesOf the target's values for the address of this peer
 * @param textOf what it lists as the body
 */
export async function servePeer(
  kind: string,
  port: number | undefined,
  answer: (request: VendorRequest) => VendorAnswer,
  valuesOf: (url: string) => Record<string, string>,
  textOf: (request: VendorRequest) => string = ({ body }) => body,
): Promise<Peer> {
  const received: Received[] = [];
  const server = await serveVendor((request) => {
    const { method, url, headers } = request;
    if (method === 'GET' && url.pathname === '/received') return { body: received };
    const given = answer(request);
    if (method === 'POST' && (given.status ?? 200) < 300) received.push({ path: url.pathname, headers, body: textOf(request) });
    if (received.length > maxKept) received.shift();
    return given;
  }, port);
  return { ...server, kind, received, values: valuesOf(server.url) };
}

export function jsonIn(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

export const plain = (status: number, text: string): VendorAnswer => ({
  status,
  headers: { 'content-type': 'text/plain' },
  body: text,
});
