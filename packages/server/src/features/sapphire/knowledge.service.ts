/**
 * Taught knowledge: submitted by permitted users, used after an administrator’s approval. Its text is data, displayed and
 * never executed.
 */
import { isHost } from '@parapet/contract/access.ts';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SapphireKnowledge, sapphireApi } from '@parapet/contract/sapphire.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { storable } from '../../core/db/like.ts';
import { type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { readerOf } from '../../domain/visibility.ts';
import {
  type FoundKnowledge,
  findKnowledge,
  insertKnowledge,
  listKnowledge,
  searchKnowledge,
  updateKnowledge,
} from './knowledge.store.ts';
import { settleQuestion } from './sapphire.store.ts';
import { findPerson, findTeacher, listPeople, organisationsAbove, setTeacher } from './teachers.store.ts';

interface Parts {
  db: Database;
  clock: Clock;
}

const mayNotTeach = 'An administrator must permit you to submit knowledge. Ask yours for permission.';
/** Length stored in the audit log. */
const logged = (text: string) => text.slice(0, 500);
const pageOf = ({ page, pageSize }: { page: number; pageSize: number }) => ({ limit: pageSize, offset: (page - 1) * pageSize });

export function createTeachers({ db }: Parts) {
  const isTeacher = async (actor: Actor): Promise<boolean> =>
    isHost(actor) || scoped(db, ownScope(actor), (tx) => findTeacher(tx, ownScope(actor), actor.userId), { readOnly: true });
  return {
    isTeacher,

    async list(actor: Actor, client: number): Promise<AnswerOf<typeof sapphireApi.listTeachers>> {
      const scope = scopeFor(actor, client);
      const people = await scoped(db, scope, (tx) => listPeople(tx, scope), { readOnly: true });
      const results = people.map(({ isPartner, isAllowed, ...person }) => {
        const isAlways = isHost({ role: person.role, isPartner, organisationId: client });
        return { ...person, isAlways, isTeacher: isAlways || isAllowed };
      });
      return { results, total: results.length };
    },

    async set(actor: Actor, client: number, userId: number, isAllowed: boolean): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const person = await findPerson(tx, scope, userId);
        if (!person) throw problem.notFound('user', userId);
        await setTeacher(tx, { userId, organisationId: client, isTeacher: isAllowed, by: actor.userId });
        await recordAudit(tx, actor, {
          action: 'sapphire.teacherSet',
          organisationId: client,
          target: String(userId),
          before: { isTeacher: person.isAllowed },
          after: { isTeacher: isAllowed },
        });
      });
    },
  };
}

export function createKnowledge({
  db,
  clock,
  isTeacher,
  takeMessage,
}: Parts & { isTeacher: (actor: Actor) => Promise<boolean>; takeMessage: (actor: Actor) => Promise<void> }) {
  return {
    /** Returns false for empty text. */
    async submit(actor: Actor, given: string): Promise<boolean> {
      if (!(await isTeacher(actor))) throw problem.forbidden(mayNotTeach);
      await takeMessage(actor);
      const text = storable(given).trim();
      if (text === '') return false;
      await scoped(db, ownScope(actor), async (tx) => {
        const { id } = await insertKnowledge(tx, ownScope(actor), actor, {
          organisationId: actor.organisationId,
          text,
          reviewedAt: null,
        });
        await recordAudit(tx, actor, {
          action: 'sapphire.knowledgeSubmitted',
          organisationId: actor.organisationId,
          target: String(id),
          after: { text: logged(text) },
        });
      });
      return true;
    },

    async list(actor: Actor, client: number, query: { page: number; pageSize: number }) {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, (tx) => listKnowledge(tx, scope, pageOf(query)), { readOnly: true });
    },

    /** Adds an administrator’s entry, which needs no review. */
    async add(
      actor: Actor,
      client: number,
      input: { text: string; questionID?: number | undefined },
    ): Promise<SapphireKnowledge> {
      const scope = scopeFor(actor, client);
      const at = new Date(clock.now());
      return scoped(db, scope, async (tx) => {
        if (input.questionID !== undefined && !(await settleQuestion(tx, scope, input.questionID, at)))
          throw problem.notFound('open question', input.questionID);
        const text = storable(input.text);
        const entry = await insertKnowledge(tx, scope, actor, { organisationId: client, text, reviewedAt: at });
        await recordAudit(tx, actor, {
          action: 'sapphire.knowledgeAdded',
          organisationId: client,
          target: String(entry.id),
          after: { text: logged(text), ...(input.questionID !== undefined && { questionID: input.questionID }) },
        });
        return entry;
      });
    },

    async review(
      actor: Actor,
      client: number,
      id: number,
      { state, text }: { state: 'approved' | 'rejected'; text?: string | undefined },
    ): Promise<SapphireKnowledge> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, async (tx) => {
        const before = await findKnowledge(tx, scope, id);
        if (!before) throw problem.notFound('knowledge', id);
        const after = { state, text: text === undefined ? before.text : storable(text), at: new Date(clock.now()) };
        const entry = await updateKnowledge(tx, scope, actor, id, after);
        await recordAudit(tx, actor, {
          action: 'sapphire.knowledgeReviewed',
          organisationId: client,
          target: String(id),
          before: { state: before.state, text: logged(before.text) },
          after: { state, text: logged(entry.text) },
        });
        return entry;
      });
    },

    /** Finds entries for a question, best first. */
    async find(actor: Actor, question: string): Promise<FoundKnowledge[]> {
      const organisationIds = await scoped(db, 'system', (tx) => organisationsAbove(tx, actor.organisationId), {
        readOnly: true,
      });
      const scope: Scope = { organisationIds, reader: readerOf(ownScope(actor)) };
      return scoped(db, scope, (tx) => searchKnowledge(tx, scope, storable(question).slice(0, 1_000)), { readOnly: true });
    },
  };
}
