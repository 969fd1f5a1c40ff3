/** Stories of `detections/cases/stories`: intrusions and noisy days of several hours, sent live through the intake of a running server. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { dayMs, hourMs } from '@parapet/contract/rules/duration.ts';
import { sql } from 'kysely';
import { scoped } from '../../src/core/db/scope.ts';
import type { TestApp } from '../app.ts';
import { type CaseEvent, casesFolder, documentsOf, type LabelledCase, type TimedDocument } from './cases.ts';
import { closeCases } from './reviewed.ts';

export interface Story extends Omit<LabelledCase, 'history' | 'begin'> {
  /** The same happened so many days before, and its cases were reviewed as benign. */
  sameDaysBefore?: number[];
  /** Names that were others on the days before: an earlier wave with its own machines and people. */
  renamedBefore?: [now: string, before: string][];
}

export interface SentStory {
  organisationId: number;
  events: number;
  alerts: number;
  cases: { id: number; title: string; verdict: string | null; probability: number | null; alerts: number }[];
}

/** Stories begin so long ago, so that their last event is in the past. */
const beginsHoursAgo = 8;
/** Events within this time are one request. */
const requestMs = 10 * 60_000;
const settleLimitMs = 50_000;

export function readStories(): Story[] {
  const folder = join(casesFolder, 'stories');
  return readdirSync(folder)
    .sort()
    .map((file) => JSON.parse(readFileSync(join(folder, file), 'utf8')) as Story);
}

/** Sends a story to an organisation of its own and waits until its cases are judged. */
export async function sendStory(t: TestApp, story: Story): Promise<SentStory> {
  const organisationId = await t.organisation({ name: story.name });
  const key = await t.ingestKey(organisationId);
  const begin = Date.now() - beginsHoursAgo * hourMs;
  const days = story.sameDaysBefore ?? [];
  const reviewer = await t.user({ organisationId: await t.organisation(), role: 'Administrator' });
  const send = async (events: readonly CaseEvent[], at: number, salt: string): Promise<number> => {
    const documents = documentsOf(events, at, salt);
    for (const request of requestsOf(documents)) {
      const answer = await t.send(
        key,
        request.map(({ document }) => document),
      );
      if (answer.statusCode !== 200 || answer.json().errors !== false)
        throw new Error(`${story.name}: ${answer.body.slice(0, 500)}`);
    }
    await settle(t, organisationId);
    return documents.length;
  };
  for (const day of [...days].sort((a, b) => b - a)) {
    const at = begin - day * dayMs;
    await send(eventsBefore(story), at, `${story.name} -${day}`);
    await closeCases(t.db, organisationId, { now: at + dayMs, outcome: 'benign', reviewerId: reviewer.id });
  }
  const events = await send(story.events, begin, story.name);
  return scoped(t.db, { organisationIds: [organisationId] }, async (tx) => {
    const cases = await tx
      .selectFrom('cases')
      .select(['id', 'title', 'verdict', 'probability', 'alert_count'])
      .where('organisation_id', '=', organisationId)
      .where('closed_at', 'is', null)
      .orderBy('alert_count', 'desc')
      .execute();
    const { count } = await tx
      .selectFrom('alerts')
      .select(sql<number>`count(*)::integer`.as('count'))
      .where('organisation_id', '=', organisationId)
      .where('at', '>=', new Date(begin))
      .executeTakeFirstOrThrow();
    return {
      organisationId,
      events,
      alerts: count,
      cases: cases.map(({ id, title, verdict, probability, alert_count }) => ({
        id,
        title,
        verdict,
        probability,
        alerts: alert_count,
      })),
    };
  });
}

function eventsBefore({ events, renamedBefore = [] }: Story): CaseEvent[] {
  const text = renamedBefore.reduce((renamed, [now, before]) => renamed.replaceAll(now, before), JSON.stringify(events));
  return JSON.parse(text) as CaseEvent[];
}

function requestsOf(documents: readonly TimedDocument[]): TimedDocument[][] {
  const requests: TimedDocument[][] = [];
  for (const document of documents) {
    const last = requests.at(-1);
    if (last && document.at - last[0]!.at < requestMs) last.push(document);
    else requests.push([document]);
  }
  return requests;
}

/** Waits until the worker has placed every alert and judged every case. */
async function settle(t: TestApp, organisationId: number): Promise<void> {
  for (const until = Date.now() + settleLimitMs; Date.now() < until; await pause(100)) {
    const { rows } = await scoped(t.db, 'system', (tx) =>
      sql<{ waits: boolean }>`select exists (select from correlation_queue where organisation_id = ${organisationId})
        or exists (select from cases where organisation_id = ${organisationId} and needs_decision) as waits`.execute(tx),
    );
    if (rows[0]?.waits === false) return;
  }
  throw new Error('The cases were not judged in time.');
}
