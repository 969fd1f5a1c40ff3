/**
 * Parses a question into queries and replies with their results and sources. Modifies only the conversation: queries run in
 * the caller’s scope, restricted to the selected client.
 */
import { allClients, hasClientSelector } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SapphireAnswer, sapphireApi } from '@parapet/contract/sapphire.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeFor } from '../../core/http/actor.ts';
import type { Log } from '../../core/log.ts';
import { recordAudit } from '../../domain/audit.ts';
import { schemas } from '../../domain/query/schemas.ts';
import { createAnswering } from './answering.ts';
import { createKnowledge, createTeachers } from './knowledge.service.ts';
import { createPlanner, type Model } from './model.ts';
import { createLexicon } from './parsing/lexicon.ts';
import { findOffered, findPrevious, insertMessage, listOpenQuestions, updateJudgement } from './sapphire.store.ts';
import type { SkillServices } from './skills/facts.ts';
import { createSynonyms } from './synonyms.service.ts';
import { loadingPhrases } from './texts.ts';

type ChatInput = z.output<typeof sapphireApi.chat.body>;

export interface SapphireDeps {
  db: Database;
  clock: Clock;
  log: Log;
  services: SkillServices;
  /** Consumes one of a person’s messages per minute; throws tooManyRequests when none is left. */
  takeMessage: (actor: Actor) => Promise<void>;
  /** An OpenAI-compatible endpoint; undefined: the embedded answer stands. */
  model: Model | undefined;
}

export type SapphireService = ReturnType<typeof createSapphireService>;

/** Formats an offset as a zone: "+05:30". */
export function zoneOf({ timeZone, userUtcOffset }: Pick<ChatInput, 'timeZone' | 'userUtcOffset'>): string {
  if (timeZone !== undefined) return timeZone;
  const minutes = Math.min(Math.abs(userUtcOffset), 1_439);
  const two = (value: number) => String(value).padStart(2, '0');
  return minutes === 0 ? 'UTC' : `${userUtcOffset < 0 ? '-' : '+'}${two(Math.floor(minutes / 60))}:${two(minutes % 60)}`;
}

const lexicon = createLexicon(schemas);

export function createSapphireService(deps: SapphireDeps) {
  const { db, clock, takeMessage } = deps;
  const teachers = createTeachers(deps);
  const knowledge = createKnowledge({ ...deps, isTeacher: teachers.isTeacher });
  const planner = deps.model && createPlanner({ model: deps.model, log: deps.log });
  const synonyms = createSynonyms({ db, lexicon });
  const answering = createAnswering({ ...deps, lexicon, findKnowledge: knowledge.find, findSynonyms: synonyms.findFor, planner });

  return {
    teachers,
    knowledge,
    synonyms,
    chat: {
      async ask(actor: Actor, input: ChatInput): Promise<SapphireAnswer> {
        // Users without a client selector ask about their own organisation, whatever their page sends.
        const client = input.clientOrganizationID || (hasClientSelector(actor) ? allClients : actor.organisationId);
        const scope = scopeFor(actor, client);
        await takeMessage(actor);
        const own = ownScope(actor);
        const question = storable(input.clientRequest);
        const message = { userId: actor.userId, organisationId: actor.organisationId, conversation: input.conversationUUID };
        const [previous, offered] = await scoped(
          db,
          own,
          async (tx) => [await findPrevious(tx, own, message), await findOffered(tx, own, { ...message, question })] as const,
          { readOnly: true },
        );
        const {
          reading,
          offered: offers,
          ...answer
        } = await answering.answer({
          actor,
          scope,
          client,
          question,
          previous,
          offered,
          timeZone: zoneOf(input),
          now: clock.now(),
        });
        const messageID = await scoped(db, own, (tx) =>
          insertMessage(tx, {
            ...message,
            question,
            answer: storable(answer.sapphireEndpointResponse),
            kind: answer.kind,
            understood: storable(answer.understood),
            reading,
            offered: offers,
          }),
        );
        return { ...answer, messageID };
      },

      async judge(
        actor: Actor,
        input: { messageID: number; conversationUUID: string; flag: 0 | 1; text?: string },
      ): Promise<void> {
        const own = ownScope(actor);
        await scoped(db, own, async (tx) => {
          const isThere = await updateJudgement(tx, own, {
            id: input.messageID,
            userId: actor.userId,
            conversation: input.conversationUUID,
            flag: input.flag,
            ...(input.text !== undefined && { feedback: storable(input.text) }),
          });
          if (!isThere) throw problem.notFound('answer', input.messageID);
          await recordAudit(tx, actor, {
            action: 'sapphire.judged',
            organisationId: actor.organisationId,
            target: String(input.messageID),
            after: { flag: input.flag },
          });
        });
      },

      loadingPhrases: () => loadingPhrases,

      async listQuestions(
        actor: Actor,
        client: number,
        { page, pageSize }: { page: number; pageSize: number },
      ): Promise<AnswerOf<typeof sapphireApi.listQuestions>> {
        const scope = scopeFor(actor, client);
        return scoped(db, scope, (tx) => listOpenQuestions(tx, scope, { limit: pageSize, offset: (page - 1) * pageSize }), {
          readOnly: true,
        });
      },
    },
  };
}
