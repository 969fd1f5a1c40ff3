/** Puts the questions of a set as their personas over the demo world, follow-ups in one conversation, and judges the results. */
import { randomUUID } from 'node:crypto';
import type { SapphireAnswer } from '@parapet/contract/sapphire.ts';
import { connect, type Database } from '@parapet/server/core/db/connect.ts';
import pg from 'pg';
import { startServer } from '../../cpu.ts';
import { percentile } from '../../figures.ts';
import { openPeople } from '../people.ts';
import { type Given, judge, type Outcome, outcomes } from './judge.ts';
import { conversationsOf, kinds, readSet, type SetName, type StrangersQuestion, type Truth, truthOf } from './questions.ts';

const zone = 'Europe/Berlin';

export interface Judged {
  question: StrangersQuestion;
  outcome: Outcome;
  /** Of a clarification: one of its choices is right. */
  leadsThere?: boolean | undefined;
  answer: SapphireAnswer;
  truth: Truth | undefined | { fault: string };
  ms: number;
}

interface World {
  url: string;
  pool: pg.Pool;
  db: Database;
}

/** `only`: ids of questions, with their conversations. `world`: ownerUrl of a world that runs. */
export async function evaluate(
  set: SetName,
  { only, world }: { only?: readonly string[] | undefined; world?: string | undefined } = {},
): Promise<Judged[]> {
  const { handshake, stop } = await startServer<{ url: string; ownerUrl: string; databaseUrl: string }>(
    './sapphire/world.server.ts',
    world ? { BENCH_WORLD: world } : {},
  );
  const db = connect({ url: handshake.databaseUrl, applicationName: 'bench', poolSize: 2 });
  const pool = new pg.Pool({ connectionString: handshake.ownerUrl, max: 2 });
  pool.on('error', () => {});
  try {
    const people = await openPeople(db);
    const judged: Judged[] = [];
    for (const conversation of conversationsOf(readSet(set))) {
      if (only && !conversation.some(({ id }) => only.includes(id))) continue;
      const { token } = await people.self(conversation[0]!.persona);
      const conversationUUID = randomUUID();
      for (const question of conversation)
        judged.push(await put({ url: handshake.url, pool, db }, question, token, conversationUUID));
    }
    return judged;
  } finally {
    await pool.end();
    await db.close();
    await stop();
  }
}

async function put(world: World, question: StrangersQuestion, token: string, conversationUUID: string): Promise<Judged> {
  const now = Date.now();
  const started = performance.now();
  const given = await ask(world, question.question, token, conversationUUID);
  const ms = performance.now() - started;
  const truth = await truthOf(world.db, world.pool, question, { now, zone }).catch((error: Error) => ({ fault: error.message }));
  const known = truth && 'fault' in truth ? undefined : truth;
  const outcome = judge(question.kind, given, known);
  const clarified = outcome === 'clarified' && known !== undefined;
  return {
    question,
    outcome,
    ...(clarified && { leadsThere: await oneLeadsThere(world, given.answer.choices, token, conversationUUID, known) }),
    answer: given.answer,
    truth,
    ms,
  };
}

async function oneLeadsThere(
  world: World,
  choices: readonly string[],
  token: string,
  conversation: string,
  truth: Truth,
): Promise<boolean> {
  for (const choice of choices)
    if (judge('answerable', await ask(world, choice, token, conversation), truth) === 'right') return true;
  return false;
}

async function ask({ url, pool }: World, question: string, token: string, conversationUUID: string): Promise<Given> {
  await pool.query(`delete from attempts where kind = 'sapphire'`);
  const response = await fetch(`${url}/api/v1/dashboard/sapphire-chat`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ clientRequest: question, conversationUUID, clientOrganizationID: 0, timeZone: zone }),
  });
  if (!response.ok) throw new Error(`A question returned ${response.status}.`);
  const answer = (await response.json()) as SapphireAnswer;
  return { answer, ids: await idsOf(pool, answer) };
}

/** Ids of the rows as the conversation keeps them, else those in the paths of the table's rows. */
async function idsOf(pool: pg.Pool, { messageID, table }: SapphireAnswer): Promise<string[]> {
  const { rows } = await pool.query<{ reading: { ids?: string[] } }>('select reading from sapphire_messages where id = $1', [
    messageID,
  ]);
  const readIds = rows[0]?.reading.ids;
  if (readIds) return readIds;
  const ids: string[] = [];
  for (const { path = '' } of table?.rows ?? []) {
    const [, page, first = '', name = ''] = /^\/apps\/(\w+)\/([^/?]+)(?:\/([^/?]+))?/.exec(path) ?? [];
    if (page === 'alert' || page === 'case') ids.push(first);
    if (page !== 'device') continue;
    const found = await pool.query<{ id: number }>('select id from devices where organisation_id = $1 and name = $2', [
      Number(first),
      decodeURIComponent(name),
    ]);
    ids.push(...found.rows.map(({ id }) => String(id)));
  }
  return ids;
}

/** A question with answer and truth, for a person. */
export function shown({ question, outcome, leadsThere, answer, truth }: Judged): object {
  return {
    id: question.id,
    ...(question.after && { after: question.after }),
    kind: question.kind,
    outcome,
    ...(leadsThere !== undefined && { leadsThere }),
    question: question.question,
    means: question.means,
    answer: answer.sapphireEndpointResponse,
    table: answer.table && { columns: answer.table.columns, rows: answer.table.rows.slice(0, 12).map(({ cells }) => cells) },
    sources: answer.sources.map(({ path }) => path.slice(0, 200)),
    choices: answer.choices,
    truth: truth && ('ids' in truth ? { ...truth, count: truth.ids.length, ids: truth.ids.slice(0, 20) } : truth),
  };
}

export function totalsOf(set: SetName, judged: readonly Judged[]): string {
  const count = (some: readonly Judged[], outcome: Outcome) => some.filter((each) => each.outcome === outcome).length;
  const lines = kinds.map((kind) => {
    const some = judged.filter(({ question }) => question.kind === kind);
    return `${kind.padEnd(14)}${String(some.length).padStart(4)}${outcomes.map((outcome) => String(count(some, outcome)).padStart(11)).join('')}`;
  });
  const clarified = judged.filter(({ outcome }) => outcome === 'clarified');
  return [
    `${set}${' '.repeat(14 - set.length)} all${outcomes.map((outcome) => outcome.padStart(11)).join('')}`,
    ...lines,
    `${'all'.padEnd(14)}${String(judged.length).padStart(4)}${outcomes.map((outcome) => String(count(judged, outcome)).padStart(11)).join('')}`,
    `Clarifications with SQL of which a choice is right: ${clarified.filter(({ leadsThere }) => leadsThere).length} of ${clarified.filter(({ leadsThere }) => leadsThere !== undefined).length}.`,
    `SQL that does not run: ${judged.filter(({ truth }) => truth && 'fault' in truth).length}.`,
    `p95 of an answer: ${Math.round(
      percentile(
        judged.map(({ ms }) => ms),
        0.95,
      ),
    )} ms.`,
  ].join('\n');
}
