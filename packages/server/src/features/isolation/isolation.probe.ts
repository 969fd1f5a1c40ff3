/**
 * Tries, as a person of one organisation, to read marked objects of others by every call that reads, in a portal that runs in a rehearsal: nothing
 * that the probe makes is ever seen by another transaction, so it stands in no figure, list, report or bill.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { hasClientSelector } from '@parapet/contract/access.ts';
import type { Endpoint } from '@parapet/contract/endpoint.ts';
import { dayMs } from '@parapet/contract/rules/duration.ts';
import type { Database } from '../../core/db/connect.ts';
import { rehearse } from '../../core/db/rehearsal.ts';
import { insertRow } from '../../core/db/rows.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { type About, isStream, measuring, namesObject, namesOf, probed, type Request, requestOf } from './isolation.calls.ts';
import { insertMarks, type Marks, newWords, type Words } from './isolation.marks.ts';

export interface Answer {
  /** HTTP status. */
  status: number;
  bytes: Buffer;
}

/** The portal in a rehearsal. */
export interface Stage {
  send(request: Request, actor: Actor): Promise<Answer>;
  /** Opens live streams, lets the objects’ messages pass, and returns what each has received. */
  follow(requests: readonly Request[], actor: Actor, objects: readonly Marks[]): Promise<Answer[]>;
  close(): Promise<void>;
}

export interface ProbeDeps {
  db: Database;
  open: (rehearsal: Database, now: number) => Promise<Stage>;
  /** The person as a session would find them. */
  actorOf: (tx: Tx, userId: number) => Promise<Omit<Actor, 'address'> | undefined>;
  /** Milliseconds since 1970. */
  now: () => number;
  /** Rest after a request, as a share of its time: people use the same process. */
  restShare: number;
  /** Called before each request; throws to end the trial. */
  check?: () => void;
}

/**
 * Evidence that foreign data was returned: a call about it succeeded, a response or stream contains its text, or a response about something else
 * changed when its objects came into being.
 */
export type How = 'answered' | 'content' | 'changed';
export interface Finding {
  /** Organisation whose data was had. */
  organisationId: number;
  operation: string;
  how: How;
}

export interface Trial {
  /** Requests of which an answer could have contained something of the target; by target. */
  attempts: ReadonlyMap<number, number>;
  /** Of these, how many were refused. */
  refused: ReadonlyMap<number, number>;
  findings: readonly Finding[];
  /** Calls that could not be tried, for another reason than a refusal. */
  failed: readonly string[];
  /** Calls in which the first target’s own administrator found the marked text: without them nothing would be proved. */
  seenByOwner: readonly string[];
}

/** Marked objects lie ahead: nothing is counted there yet. */
const aheadMs = 1.5 * dayMs;

/** Ahead of all other records, and within the month, whose report is read. */
function marksAt(now: number): Date {
  const day = new Date(now);
  const monthEnd = Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + 1) - 1;
  return new Date(Math.min(now + aheadMs, monthEnd));
}

interface Target {
  words: Words;
  marks: Marks;
}

/** Each target with its own marks; the actor is an administrator who exists for as long. */
export async function tryIsolation(deps: ProbeDeps, actorOrganisationId: number, targets: readonly number[]): Promise<Trial> {
  const now = deps.now();
  return rehearse(deps.db, async (db) => {
    const opened = await deps.open(db, now);
    const stage = { ...opened, send: resting(opened.send, deps) };
    try {
      const actor = await createActor(deps, db, actorOrganisationId);
      const record = createRecord(targets);
      const before = await readOwn(stage, actor, now);
      const again = await readOwn(stage, actor, now);
      const at = marksAt(now);
      const marked: Target[] = [];
      for (const organisationId of targets) {
        const words = newWords();
        marked.push({ words, marks: await scoped(db, 'system', (tx) => insertMarks(tx, organisationId, words, at)) });
      }
      const after = await readOwn(stage, actor, now);
      compare(record, marked, before, again, after);
      for (const target of marked) await tryTarget(stage, record, actor, target, now);
      await tryStreams(stage, record, actor, marked, now);
      if (marked[0])
        await readAsOwner(stage, record, await createActor(deps, db, marked[0].marks.organisationId), marked[0], now);
      return record;
    } finally {
      await stage.close();
    }
  });
}

type Results = Trial & {
  attempts: Map<number, number>;
  refused: Map<number, number>;
  findings: Finding[];
  failed: string[];
  seenByOwner: string[];
};

const createRecord = (targets: readonly number[]): Results => ({
  attempts: new Map(targets.map((id) => [id, 0])),
  refused: new Map(targets.map((id) => [id, 0])),
  findings: [],
  failed: [],
  seenByOwner: [],
});

const add = (counts: Map<number, number>, id: number) => counts.set(id, (counts.get(id) ?? 0) + 1);

async function createActor({ actorOf }: ProbeDeps, db: Database, organisationId: number): Promise<Actor> {
  const actor = await scoped(db, 'system', async (tx) => {
    const { name } = newWords();
    const person = { email: `${name}@probe.example`, first_name: 'Isolation', last_name: 'probe', role: 'Administrator' };
    return actorOf(tx, await insertRow(tx, 'users', { ...person, organisation_id: organisationId }));
  });
  if (!actor) throw new Error(`An administrator of organisation ${organisationId} could not be made: is it deactivated?`);
  return { ...actor, address: '127.0.0.1' };
}

const rangeOf = (now: number) => ({ now: new Date(now), start: new Date(now - 20 * dayMs), end: new Date(now + 3 * dayMs) });
const ownIdsOf = (actor: Actor) => (hasClientSelector(actor) ? [actor.organisationId, 0] : [actor.organisationId]);
const isAnswered = ({ status }: Answer) => status >= 200 && status < 300;
const isFailed = ({ status }: Answer) => status >= 500;
/** Any other error of the caller proves nothing about isolation. */
const isRefused = ({ status }: Answer) => status === 401 || status === 403 || status === 404;

/** Text in lower case, unpacked. */
function textOf({ bytes }: Answer): string {
  const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return (isPacked ? gunzipSync(bytes) : bytes).toString('utf8').toLowerCase();
}

const maxRestMs = 1_000;
const resting =
  (send: Stage['send'], { restShare, check }: Pick<ProbeDeps, 'restShare' | 'check'>): Stage['send'] =>
  async (request, actor) => {
    check?.();
    const started = performance.now();
    const answer = await send(request, actor);
    await pause(Math.min(restShare * (performance.now() - started), maxRestMs));
    return answer;
  };

/** Answers about the actor's own organisation and whole scope, by call. */
async function readOwn(stage: Stage, actor: Actor, now: number): Promise<Map<string, { endpoint: Endpoint; answer: Answer }>> {
  const answers = new Map<string, { endpoint: Endpoint; answer: Answer }>();
  for (const endpoint of probed)
    if (!isStream(endpoint) && !namesObject(endpoint) && endpoint.id !== 'sapphire.chat')
      for (const organisationId of namesOf(endpoint) === 'self' ? [0] : ownIdsOf(actor)) {
        const request = requestOf(endpoint, { organisationId, marks: noMarks, ...rangeOf(now) });
        answers.set(`${endpoint.id} ${organisationId}`, { endpoint, answer: await stage.send(request, actor) });
      }
  return answers;
}
const noMarks = { name: 'zqnone' } as Marks;

type Answers = Awaited<ReturnType<typeof readOwn>>;

/** An answer that was twice the same changes only for what came into being. */
function compare(record: Results, marked: readonly Target[], before: Answers, again: Answers, after: Answers): void {
  for (const [key, { endpoint, answer }] of after) {
    if (isFailed(answer)) record.failed.push(endpoint.id);
    for (const { marks } of marked) add(record.attempts, marks.organisationId);
    const [first, second, third] = [before.get(key)!.answer, again.get(key)!.answer, answer].map(textOf) as [
      string,
      string,
      string,
    ];
    const had = marked.filter(({ words }) => third.includes(words.witness));
    for (const { marks } of had) find(record, marks, endpoint, 'content');
    if (had.length === 0 && first === second && first !== third && !measuring.has(endpoint.id))
      for (const { marks } of marked) find(record, marks, endpoint, 'changed');
  }
}

const find = ({ findings }: Results, { organisationId }: Marks, { id: operation }: Endpoint, how: How): void =>
  void findings.push({ organisationId, operation, how });

/** Calls about the target, then calls about oneself that name or look for its objects. */
async function tryTarget(stage: Stage, record: Results, actor: Actor, { words, marks }: Target, now: number): Promise<void> {
  const { organisationId } = marks;
  const take = async (endpoint: Endpoint, about: About, isSearching: boolean): Promise<Answer> => {
    const request = requestOf(endpoint, about, { isSearching });
    const answer = isStream(endpoint) ? (await stage.follow([request], actor, [marks]))[0]! : await stage.send(request, actor);
    add(record.attempts, organisationId);
    if (isFailed(answer)) record.failed.push(endpoint.id);
    else if (isRefused(answer)) add(record.refused, organisationId);
    else if (!isAnswered(answer) && !isSearching) record.failed.push(endpoint.id);
    if (textOf(answer).includes(words.witness)) find(record, marks, endpoint, 'content');
    return answer;
  };
  for (const endpoint of probed) {
    const named = namesOf(endpoint);
    if (named !== 'self') {
      const isOpen = isAnswered(await take(endpoint, { organisationId, marks, ...rangeOf(now) }, false));
      if (isOpen) find(record, marks, endpoint, 'answered');
    }
    if (isStream(endpoint)) continue;
    if (named !== 'object')
      for (const own of named === 'self' ? [0] : ownIdsOf(actor))
        await take(endpoint, { organisationId: own, marks, ...rangeOf(now) }, true);
  }
}

/** Streams of the actor's own organisations while the messages of all targets pass. */
async function tryStreams(stage: Stage, record: Results, actor: Actor, marked: readonly Target[], now: number): Promise<void> {
  const streams = probed
    .filter(isStream)
    .flatMap((endpoint) => ownIdsOf(actor).map((organisationId) => ({ endpoint, organisationId })));
  const requests = streams.map(({ endpoint, organisationId }) =>
    requestOf(endpoint, { organisationId, marks: noMarks, ...rangeOf(now) }),
  );
  const objects = marked.map(({ marks }) => marks);
  for (const [index, answer] of (await stage.follow(requests, actor, objects)).entries()) {
    const { endpoint } = streams[index]!;
    if (isFailed(answer)) record.failed.push(endpoint.id);
    const text = textOf(answer);
    for (const { words, marks } of marked) {
      add(record.attempts, marks.organisationId);
      if (text.includes(words.witness)) find(record, marks, endpoint, 'content');
    }
  }
}

async function readAsOwner(stage: Stage, record: Results, owner: Actor, { words, marks }: Target, now: number): Promise<void> {
  const request = (endpoint: Endpoint) => requestOf(endpoint, { organisationId: marks.organisationId, marks, ...rangeOf(now) });
  const streams = probed.filter(isStream);
  const followed = await stage.follow(streams.map(request), owner, [marks]);
  for (const endpoint of probed) {
    const answer = followed[streams.indexOf(endpoint)] ?? (await stage.send(request(endpoint), owner));
    if (isAnswered(answer) && textOf(answer).includes(words.witness)) record.seenByOwner.push(endpoint.id);
    if (isFailed(answer)) record.failed.push(endpoint.id);
  }
}
