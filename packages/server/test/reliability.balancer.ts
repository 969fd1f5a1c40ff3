/**
 * A proxy before several portals, as docs/operating.md requires one: to those that are ready in turn, over connections that stay open; what gets 503 or no
 * connection goes to another portal. Every other failure counts as one that nothing retried.
 */
import { once } from 'node:events';
import { Agent, createServer, type IncomingMessage, type RequestOptions, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';

export interface Balancer {
  readonly origin: string;
  /** Requests that got a response of a portal. */
  answered: number;
  /** Attempts that went to another portal, by reason. */
  readonly retried: { refused: number; unreachable: number };
  /** Requests that failed without a retry. */
  readonly failed: string[];
  /** Longest time until a response began, long polls and streams aside, in milliseconds. */
  longestMs: number;
  close(): Promise<void>;
}

/** Until a request without any portal fails. */
const patienceMs = 20_000;
const checkMs = 250;
const isWaiting = (path: string) => path.startsWith('/agent/') || /\/live(\/|$|\?)/.test(path);

/** A response, or its refusal by a portal that is not there or not ready. */
async function attempt(options: RequestOptions, body: Buffer): Promise<IncomingMessage | 'refused' | 'unreachable'> {
  const call = request(options).end(body);
  try {
    const [answer] = (await once(call, 'response')) as [IncomingMessage];
    if (answer.statusCode !== 503) return answer;
    answer.resume();
    return 'refused';
  } catch (error) {
    // Refused, or reset before anything was sent.
    if ((error as NodeJS.ErrnoException).syscall === 'connect') return 'unreachable';
    throw error;
  }
}

/** Sends the response on; true when it was whole, or is a stream, which may end at any time. */
async function pass(answer: IncomingMessage, response: ServerResponse): Promise<boolean> {
  const { connection: _, 'keep-alive': __, 'transfer-encoding': ___, ...headers } = answer.headers;
  response.writeHead(answer.statusCode as number, headers);
  const isStream = answer.headers['content-type']?.startsWith('text/event-stream') ?? false;
  response.once('close', () => answer.destroy());
  try {
    for await (const part of answer) response.write(part);
    response.end();
    return true;
  } catch {
    const isLeft = response.destroyed;
    response.destroy();
    return isStream || isLeft;
  }
}

/** Checks the readiness of each portal; `next` is a ready one in turn, or any while none is. */
function createTurns(portals: readonly number[]) {
  const isReady = portals.map(() => true);
  let isClosed = false;
  let turn = 0;
  const check = async (index: number) => {
    while (!isClosed) {
      const call = fetch(`http://127.0.0.1:${portals[index]}/readyz`, { signal: AbortSignal.timeout(5_000) });
      isReady[index] = await call.then(
        ({ ok }) => ok,
        () => false,
      );
      await pause(checkMs);
    }
  };
  const checking = portals.map((_, index) => check(index));
  return {
    next(): number {
      const ready = [...portals.keys()].filter((index) => isReady[index]);
      const among = ready.length > 0 ? ready : [...portals.keys()];
      return among[turn++ % among.length] as number;
    },
    async close() {
      isClosed = true;
      await Promise.all(checking);
    },
  };
}

export async function balancer(portals: readonly number[]): Promise<Balancer> {
  const agents = portals.map(() => new Agent({ keepAlive: true }));
  const retried = { refused: 0, unreachable: 0 };
  const failed: string[] = [];
  const turns = createTurns(portals);
  const forward = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method, url = '/', headers } = incoming;
    const body = await buffer(incoming);
    const started = performance.now();
    const fail = (reason: string) => {
      failed.push(`${method} ${url.slice(0, 100)}: ${reason}`);
      response.writeHead(502).end();
    };
    while (performance.now() - started < patienceMs) {
      const index = turns.next();
      const options = {
        port: portals[index],
        host: '127.0.0.1',
        agent: agents[index],
        method,
        path: url,
        headers,
      } as RequestOptions;
      try {
        const answer = await attempt(options, body);
        if (typeof answer === 'string') {
          retried[answer]++;
          await pause(10);
          continue;
        }
        self.answered++;
        if (!isWaiting(url)) self.longestMs = Math.max(self.longestMs, performance.now() - started);
        if ((answer.statusCode ?? 0) >= 500) failed.push(`${method} ${url.slice(0, 100)}: ${answer.statusCode}`);
        if (!(await pass(answer, response))) failed.push(`${method} ${url.slice(0, 100)}: response cut`);
        return;
      } catch (error) {
        return fail((error as Error).message);
      }
    }
    fail('no portal took it');
  };
  const server = createServer((incoming, response) => {
    // A client that leaves while it sends.
    forward(incoming, response).catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const self: Balancer = {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    answered: 0,
    retried,
    failed,
    longestMs: 0,
    async close() {
      server.closeAllConnections();
      server.close();
      await turns.close();
      for (const agent of agents) agent.destroy();
    },
  };
  return self;
}
