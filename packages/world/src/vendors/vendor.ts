/**
 * Ground of the simulated vendors: an HTTP server on a local port that follows a vendor's published description, and misbehaves on request.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Server } from 'node:net';

/** Spoils the next response. */
export type Disturbance =
  /** Leaves a response as it is, so that a later one is spoilt. */
  | { kind: 'none' }
  | { kind: 'throttle'; seconds: number }
  | { kind: 'outage' }
  | { kind: 'status'; status: number }
  /** JSON that ends in the middle. */
  | { kind: 'broken' }
  /** A body without an end. */
  | { kind: 'endless' }
  /** The connection closes without a response. */
  | { kind: 'reset' }
  | { kind: 'redirect'; to: string };

export interface VendorRequest {
  method: string;
  url: URL;
  headers: IncomingMessage['headers'];
  body: string;
  bytes: Buffer;
}

export interface VendorAnswer {
  status?: number;
  headers?: Record<string, string | string[]>;
  /** Sent as JSON; a text or bytes as they are. */
  body: unknown;
}

/** Course of an action: done when its state is read next, under way until set otherwise, or given up by the vendor. */
export type Course = 'done' | 'slow' | 'failed';

/** Devices and accounts that responses act on. */
export interface VendorTargets {
  /** Name of a device, or an account, that exists. */
  example: string;
  /** State of a target by the vendor's own words. */
  stateOf(target: string): string;
  /** Actions that were started, oldest first, such as `isolate alder-w11`. */
  started(): readonly string[];
  /** Course of the actions from now on, and of those under way. */
  set(course: Course): void;
}

/** A simulated vendor, as the tests and the demo use it. */
export interface Vendor {
  /** Kind of connection. */
  kind: string;
  url: string;
  /** Values of a working connection. */
  values: Record<string, string>;
  /** Adds events at a time, in milliseconds; returns their ids. */
  publish(count: number, at: number): string[];
  /** Adds the traces of an intrusion that the product's rules find. */
  intrude(at: number): void;
  /** Spoils the next responses, one each. */
  disturb(...list: Disturbance[]): void;
  /** Refuses the credentials until called with false. */
  refuse(isRefused: boolean): void;
  /** Ends access tokens; vendors without them do nothing. */
  expireTokens(): void;
  /** Makes every cursor given out so far unknown. */
  forgetCursors(): void;
  /** Repeats events of earlier pages and mixes the order within pages. */
  mixUp(isUntidy: boolean): void;
  requests(): number;
  /** Absent where nothing can be acted on. */
  targets?: VendorTargets;
  close(): Promise<void>;
}

/** Behaviour of a vendor that its switches change. */
export interface VendorState {
  isRefused: boolean;
  isUntidy: boolean;
  /** Number of the access tokens and of the cursors that are valid. */
  session: number;
  generation: number;
}

/** Cursors of an earlier start are unknown. */
export const newVendorState = (): VendorState => ({ isRefused: false, isUntidy: false, session: 1, generation: Date.now() });

export const switchesOf = (state: VendorState): Pick<Vendor, 'refuse' | 'expireTokens' | 'forgetCursors' | 'mixUp'> => ({
  refuse: (isRefused) => {
    state.isRefused = isRefused;
  },
  expireTokens: () => {
    state.session++;
  },
  forgetCursors: () => {
    state.generation++;
  },
  mixUp: (isUntidy) => {
    state.isUntidy = isUntidy;
  },
});

export const throttled = (seconds: number): VendorAnswer => ({
  status: 429,
  headers: { 'retry-after': String(seconds) },
  body: { message: 'Too many requests' },
});

export interface VendorServer {
  url: string;
  disturb(...list: Disturbance[]): void;
  requests(): number;
  close(): Promise<void>;
}

/** Starts a simulated vendor on this machine, at a free port if `port` is taken. */
export type StartVendor = (port?: number) => Promise<Vendor>;

/** Serves `answer` on this machine, at a free port if `port` is taken. */
export async function serveVendor(answer: (request: VendorRequest) => VendorAnswer, port = 0): Promise<VendorServer> {
  const waiting: Disturbance[] = [];
  let count = 0;
  const server = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on('data', (part: Buffer) => parts.push(part));
    request.on('end', () => {
      count++;
      const url = new URL(request.url ?? '/', `http://${request.headers.host}`);
      const { method = 'GET', headers } = request;
      const bytes = Buffer.concat(parts);
      const given = answer({ method, url, headers, body: bytes.toString(), bytes });
      const disturbance = waiting.shift();
      if (disturbance) spoil(response, disturbance, given);
      else send(response, given);
    });
  });
  await listenAtOrElsewhere(server, port);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    disturb: (...list) => void waiting.push(...list),
    requests: () => count,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** Listens on this machine, at a free port if `port` is taken. */
export const listenAtOrElsewhere = (server: Server, port: number): Promise<void> =>
  listen(server, port).catch(() => listen(server, 0));

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.off('error', reject);
      resolve();
    });
  });

const textOf = (body: unknown): string | Buffer =>
  typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);

function send(response: ServerResponse, { status = 200, headers = {}, body }: VendorAnswer): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers });
  response.end(textOf(body));
}

function spoil(response: ServerResponse, disturbance: Disturbance, given: VendorAnswer): void {
  switch (disturbance.kind) {
    case 'none':
      send(response, given);
      break;
    case 'reset':
      response.destroy();
      break;
    case 'endless':
      sendWithoutEnd(response);
      break;
    default:
      send(response, spoiled(disturbance, given));
  }
}

function spoiled(disturbance: Exclude<Disturbance, { kind: 'none' | 'reset' | 'endless' }>, given: VendorAnswer): VendorAnswer {
  switch (disturbance.kind) {
    case 'throttle':
      return throttled(disturbance.seconds);
    case 'outage':
      return { status: 503, headers: { 'content-type': 'text/html' }, body: '<html>Service Unavailable</html>' };
    case 'status':
      return { status: disturbance.status, body: { message: 'No.' } };
    case 'broken':
      return { ...given, body: textOf(given.body).toString().slice(0, -7) };
    default:
      return { status: 302, headers: { location: disturbance.to }, body: '' };
  }
}

function sendWithoutEnd(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  const more = () => {
    while (!response.destroyed && response.write(' '.repeat(1024 * 1024)));
  };
  response.on('drain', more);
  more();
}

/** A page as an untidy vendor sends it: in another order, with events of the page before. */
export function untidied<T>(all: readonly T[], from: number, page: readonly T[]): T[] {
  const repeated = all.slice(Math.max(0, from - 3), from);
  return [...repeated, ...page].reverse();
}
