/** People, shippers and agents before two portals that are exchanged, each with a ledger of what was acknowledged. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { endpoints } from '@parapet/contract/api.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import { personaOf, personaPassword } from '@parapet/world/personas.ts';
import { createLedger, type Ledger } from './reliability.ledger.ts';

/** Client of the demo. */
export const client = 10;
const api = '/api/v1';

export type Call = <T>(path: string, body?: unknown) => Promise<{ status: number; body: T }>;

/** Signs in at a portal; calls go there, or to `origin`. */
export async function signIn(at: string, persona: string, origin = at): Promise<Call> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ email: personaOf(persona).email, password: personaPassword });
  const answer = await fetch(`${at}${api}/auth/authenticate`, { method: 'POST', headers, body });
  const { user } = (await answer.json()) as { user?: { accessToken: string } };
  if (!user) throw new Error(`${persona} could not sign in: ${answer.status}`);
  return callerOf(origin, user.accessToken);
}

const tokens = new WeakMap<Call, string>();
export const tokenOf = (call: Call): string => tokens.get(call) as string;

/** Calls another portal in the same session. */
export function callerOf(origin: string, token: string): Call {
  const call: Call = async <T>(path: string, body?: unknown) => {
    const answer = await fetch(`${origin}${api}${path}`, {
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, body: (text.startsWith('{') ? JSON.parse(text) : text) as T };
  };
  tokens.set(call, token);
  return call;
}

/** Paths of all reads without parameters besides a client and a period. */
export function readPaths(): string[] {
  const now = Date.now();
  const known: Record<string, string> = {
    ...{ client: String(client), clientId: String(client), clientOrgId: String(client), clientOrganizationID: String(client) },
    ...{ start: new Date(now - 30 * dayMs).toISOString(), end: new Date(now + dayMs).toISOString() },
  };
  const queries = [
    {},
    { selectedClientOrgID: client },
    { text: 'a' },
    { selectedClientOrganizationId: client, start: known.start, end: known.end },
  ];
  return endpoints.flatMap(({ method, path, prefix, answers, allow, query }) => {
    if (method !== 'GET' || answers !== 'json' || prefix !== api || allow === 'anyone') return [];
    const names = [...path.matchAll(/:([A-Za-z]+)/g)].map(([, name]) => name as string);
    if (names.some((name) => known[name] === undefined)) return [];
    const filled = path.replace(/:([A-Za-z]+)/g, (_, name: string) => known[name] as string);
    const search = query ? queries.find((each) => query.safeParse(each).success) : {};
    return search
      ? [`${filled}?${new URLSearchParams(Object.entries(search).map(([name, value]) => [name, String(value)]))}`]
      : [];
  });
}

/** An alert of the rule of `probeRules`, at a device of its own. */
const alarmOf = (device: string) => ({
  message: 'alarm',
  host: { name: device },
  logsource: { product: 'probe' },
  action: 'alarm',
});

export async function postEvents(origin: string, key: string, events: readonly object[]): Promise<boolean> {
  const lines = events.flatMap((event) => [
    '{"create":{}}',
    JSON.stringify({ '@timestamp': new Date().toISOString(), ...event }),
  ]);
  const answer = await fetch(`${origin}/ingest/_bulk`, {
    method: 'POST',
    headers: { authorization: `ApiKey ${key}`, 'content-type': 'application/x-ndjson' },
    body: `${lines.join('\n')}\n`,
  });
  const text = await answer.text();
  if (answer.ok && (JSON.parse(text) as { errors: boolean }).errors) throw new Error(text.slice(0, 500));
  return answer.ok;
}
export const postAlarm = (origin: string, key: string, device: string) => postEvents(origin, key, [alarmOf(device)]);

export interface Stream {
  /** Names of the devices of its alerts. */
  readonly devices: Set<string>;
  readonly opened: Promise<void>;
  close(): Promise<void>;
}

/** Live alerts of the client; a stream that ends is resumed. */
export function follow(origin: string, token: string): Stream {
  const abort = new AbortController();
  const devices = new Set<string>();
  const opened = Promise.withResolvers<void>();
  let lastId = '';
  const read = async () => {
    const headers = { authorization: `Bearer ${token}`, ...(lastId && { 'last-event-id': lastId }) };
    const answer = await fetch(`${origin}${api}/alerts/live/${client}`, { headers, signal: abort.signal });
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of answer.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      const parts = text.split('\n\n');
      text = parts.pop() ?? '';
      for (const part of parts) {
        if (part.startsWith('retry:')) opened.resolve();
        lastId = /^id: ?(.+)$/m.exec(part)?.[1] ?? lastId;
        const data = /^data: ?(.+)$/m.exec(part)?.[1];
        if (data) devices.add((JSON.parse(data) as { deviceName: string }).deviceName);
      }
    }
  };
  const following = (async () => {
    while (!abort.signal.aborted) {
      await read().catch(() => {});
      await pause(100);
    }
  })();
  return {
    devices,
    opened: opened.promise,
    async close() {
      abort.abort();
      await following;
    },
  };
}

export interface HostAgent {
  readonly name: string;
  /** Lines of its log, which it acknowledges by reading them. */
  readonly ledger: Ledger;
  write(): Promise<void>;
  stop(): Promise<void>;
}

/** The agent of a version as a process, which ships a log and simulates its tasks. */
export async function hostAgent(folder: string, origin: string, token: string, name: string): Promise<HostAgent> {
  const home = await mkdtemp(join(tmpdir(), 'parapet-agent-'));
  const [state, log, machine] = ['state', 'log', 'machine-id'].map((each) => join(home, each)) as [string, string, string];
  await mkdir(state);
  await writeFile(log, '');
  await writeFile(machine, Buffer.from(name).toString('hex').padEnd(32, '0').slice(0, 32));
  let output = '';
  const start = (...words: string[]) => {
    const child = spawn(process.execPath, [join(folder, 'packages/agent/src/main.ts'), ...words, '--state', state], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output = (output + chunk.toString()).slice(-4_000);
      });
    return child;
  };
  const own = ['--name', name, '--machine-id', machine, '--no-journal', '--file', log];
  const [code] = (await once(start('enrol', '--server', origin, '--token', token, ...own), 'exit')) as [number];
  if (code !== 0) throw new Error(`The agent ${name} could not enrol: ${output}`);
  const running = start('run', '--dry');
  const ledger = createLedger(name);
  return {
    name,
    ledger,
    async write() {
      const mark = ledger.mark();
      await appendFile(log, `${mark} a line\n`);
      ledger.acknowledged.add(mark);
    },
    async stop() {
      const ended = once(running, 'exit');
      running.kill('SIGTERM');
      if (running.exitCode === null) await ended;
      await rm(home, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

export interface Load {
  /** Acknowledged things: tags by name, events by text, alerts by device. */
  readonly ledgers: { readonly tags: Ledger; readonly events: Ledger; readonly alarms: Ledger };
  /** Responses that were no success, and batches that were sent again. */
  readonly faults: string[];
  resent: number;
  reads: number;
  stop(): Promise<void>;
}

export interface LoadOptions {
  origin: string;
  person: Call;
  key: string;
  paths: readonly string[];
  agents: readonly HostAgent[];
}

let loads = 0;
/** Four readers, two writers of tags, two shippers, one of alarms, and lines for the agents, until it is stopped. */
export function startLoad({ origin, person, key, paths, agents }: LoadOptions): Load {
  let isOver = false;
  const [tags, events, alarms] = ['tag', 'shipped', 'alarm'].map((name) => createLedger(`${name}${loads}`)) as [
    Ledger,
    Ledger,
    Ledger,
  ];
  const ledgers = { tags, events, alarms };
  loads++;
  const faults: string[] = [];
  const repeat = async (work: () => Promise<void>, everyMs: number) => {
    while (!isOver) {
      await work().catch((error: Error) => faults.push(error.message));
      await pause(everyMs);
    }
  };
  /** As every shipper does: the same batch, until it is taken. */
  const ship = async (events: readonly object[]) => {
    while (!(await postEvents(origin, key, events))) {
      load.resent++;
      await pause(200);
    }
  };
  let next = 0;
  const read = async () => {
    const path = paths[next++ % paths.length] as string;
    const { status } = await person(path);
    load.reads++;
    if (status !== 200) faults.push(`GET ${path}: ${status}`);
  };
  const write = async () => {
    const name = ledgers.tags.mark();
    const { status, body } = await person('/tags/savenewtag', { clientOrganizationID: client, name });
    if (status === 200) ledgers.tags.acknowledged.add(name);
    else faults.push(`POST tag: ${status} ${JSON.stringify(body)}`);
  };
  const shipMany = async () => {
    const marks = Array.from({ length: 50 }, () => ledgers.events.mark());
    await ship(marks.map((mark) => ({ message: `${mark} shipped` })));
    for (const mark of marks) ledgers.events.acknowledged.add(mark);
  };
  const shipAlarm = async () => {
    const mark = ledgers.alarms.mark();
    await ship([alarmOf(mark)]);
    ledgers.alarms.acknowledged.add(mark);
  };
  const works = [
    ...Array.from({ length: 4 }, () => repeat(read, 20)),
    ...Array.from({ length: 2 }, () => repeat(write, 50)),
    ...Array.from({ length: 2 }, () => repeat(shipMany, 50)),
    repeat(shipAlarm, 300),
    ...agents.map((agent) => repeat(() => agent.write(), 100)),
  ];
  const load: Load = {
    ledgers,
    faults,
    resent: 0,
    reads: 0,
    async stop() {
      isOver = true;
      await Promise.all(works);
    },
  };
  return load;
}
