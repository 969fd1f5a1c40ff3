/**
 * SQL of conversations: questions, replies and feedback. A conversation belongs to one person; administrators see unanswered
 * and unhelpful questions in their scope.
 */
import type { Query } from '@parapet/contract/rules/query.ts';
import type { SapphireAnswer, SapphireQuestion } from '@parapet/contract/sapphire.ts';
import { sql } from 'kysely';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { displayNameOf } from '../../domain/userState.ts';

/** Starting point of a follow-up. */
export interface Reading {
  version: 2;
  queries: Query[];
  /** Identities of the listed rows, at most 200. */
  ids: string[];
  /** Names of the first of them. */
  names: string[];
}

/** A question that an answer offered as a button, with its queries. */
export interface Offered {
  text: string;
  queries: Query[];
}

export interface NewMessage {
  userId: number;
  organisationId: number;
  conversation: string;
  question: string;
  answer: string;
  kind: SapphireAnswer['kind'];
  understood: string;
  reading: Reading | undefined;
  offered: readonly Offered[] | undefined;
}

export async function insertMessage(tx: Tx, message: NewMessage): Promise<number> {
  const { id } = await tx
    .insertInto('sapphire_messages')
    .values({
      organisation_id: message.organisationId,
      user_id: message.userId,
      conversation: message.conversation,
      question: message.question,
      answer: message.answer,
      kind: message.kind,
      understood: message.understood,
      reading: JSON.stringify({ ...message.reading, ...(message.offered && { offered: message.offered }) }),
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/**
 * Starting point of a follow-up in the caller’s own conversation: the last reading; `old` for one of an earlier version, and `unanswered` after a
 * question that was not understood, neither of which is continued.
 */
export type Previous = Reading | 'old' | 'unanswered';

export async function findPrevious(
  tx: Tx,
  scope: Scope,
  { userId, conversation }: Pick<NewMessage, 'userId' | 'conversation'>,
): Promise<Previous | undefined> {
  const rows = await tx
    .selectFrom('sapphire_messages')
    .select(['reading', 'kind'])
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('conversation', '=', conversation)
    .orderBy('id', 'desc')
    .limit(3)
    .execute();
  if (rows[0]?.kind === 'unknown') return 'unanswered';
  const found = rows.find(({ reading }) => Object.keys(reading).some((key) => key !== 'offered'))?.reading;
  return found && ('version' in found && found.version === 2 ? (found as Reading) : 'old');
}

/** Queries of a button in the caller’s own conversation, by its text. */
export async function findOffered(
  tx: Tx,
  scope: Scope,
  { userId, conversation, question }: Pick<NewMessage, 'userId' | 'conversation' | 'question'>,
): Promise<Query[] | undefined> {
  const rows = await tx
    .selectFrom('sapphire_messages')
    .select('reading')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('conversation', '=', conversation)
    .orderBy('id', 'desc')
    .limit(8)
    .execute();
  return rows.flatMap(({ reading }) => (reading as { offered?: Offered[] }).offered ?? []).find(({ text }) => text === question)
    ?.queries;
}

/** Returns true if this person’s conversation has that answer. */
export async function updateJudgement(
  tx: Tx,
  scope: Scope,
  message: { id: number; userId: number; conversation: string; flag: 0 | 1; feedback?: string },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sapphire_messages')
    .set({ flag: message.flag, ...(message.feedback !== undefined && { feedback: message.feedback }) })
    .where(within('organisation_id', scope))
    .where('id', '=', message.id)
    .where('user_id', '=', message.userId)
    .where('conversation', '=', message.conversation)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Open questions without an answer or with negative feedback; newest first. */
export async function listOpenQuestions(
  tx: Tx,
  scope: Scope,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ results: SapphireQuestion[]; total: number }> {
  const rows = await tx
    .selectFrom('sapphire_messages as m')
    .leftJoin('users as u', 'u.id', 'm.user_id')
    .where(within('m.organisation_id', scope))
    .where('m.settled_at', 'is', null)
    .where(sql<boolean>`(m.kind = 'unknown' or m.flag = 0)`)
    .select([
      'm.id',
      'm.organisation_id as clientOrganizationID',
      sql<string>`coalesce(${displayNameOf(sql`u`)}, '')`.as('askedBy'),
      'm.question',
      'm.answer',
      'm.understood',
      sql<SapphireQuestion['reason']>`case when m.flag = 0 then 'unhelpful' else 'unanswered' end`.as('reason'),
      'm.feedback',
      'm.created_at',
      sql<number>`(count(*) over ())::integer`.as('total'),
    ])
    .orderBy('m.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return {
    results: rows.map(({ total: _, created_at, ...row }) => ({ ...row, askedAt: created_at.toISOString() })),
    total: rows[0]?.total ?? 0,
  };
}

/** Returns true if the question was open. */
export async function settleQuestion(tx: Tx, scope: Scope, id: number, at: Date): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('sapphire_messages')
    .set({ settled_at: at })
    .where(within('organisation_id', scope))
    .where('id', '=', id)
    .where('settled_at', 'is', null)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}
