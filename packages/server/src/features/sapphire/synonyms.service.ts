/** Synonyms of administrators: for their organisation and those below it, the provider’s for all. */
import { setImmediate } from 'node:timers/promises';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SapphireSynonym, sapphireApi } from '@parapet/contract/sapphire.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import type { Lexicon } from './parsing/lexicon.ts';
import type { Vocabulary } from './parsing/vocabulary.ts';
import { countSynonyms, deleteSynonym, findSynonyms, insertSynonym, listSynonyms } from './synonyms.store.ts';
import { applicable, createSynonymCheck, type Synonym } from './synonyms.ts';
import { organisationsAbove } from './teachers.store.ts';

/** Of an organisation. */
const maxSynonyms = 200;
/** Of an organisation and those above it. */
const maxUsed = 1_000;

export function createSynonyms({ db, lexicon }: { db: Database; lexicon: Lexicon }) {
  const faultOf = createSynonymCheck(lexicon);
  const withUse = (row: Omit<SapphireSynonym, 'isUsed'>): SapphireSynonym => ({ ...row, isUsed: faultOf(row) === undefined });

  return {
    async list(
      actor: Actor,
      client: number,
      { page, pageSize }: { page: number; pageSize: number },
    ): Promise<AnswerOf<typeof sapphireApi.listSynonyms>> {
      const scope = scopeFor(actor, client);
      const paging = { limit: pageSize, offset: (page - 1) * pageSize };
      const { results, total } = await scoped(db, scope, (tx) => listSynonyms(tx, scope, paging), { readOnly: true });
      const shown: SapphireSynonym[] = [];
      for (const row of results) {
        // A first check takes some 40 ms; other requests run between them.
        await setImmediate();
        shown.push(withUse(row));
      }
      return { results: shown, total };
    },

    async add(actor: Actor, client: number, synonym: Synonym): Promise<SapphireSynonym> {
      const scope = scopeFor(actor, client);
      const fault = faultOf(synonym);
      if (fault !== undefined) throw problem.invalid({ [fault.startsWith('Sapphire does not') ? 'to' : 'from']: [fault] });
      return scoped(db, scope, async (tx) => {
        if ((await countSynonyms(tx, scope, client)) >= maxSynonyms)
          throw problem.conflict(`This organisation has ${maxSynonyms} synonyms, the maximum. Remove one first.`);
        const stored = await insertSynonym(tx, scope, actor, client, synonym);
        if (!stored) throw problem.conflict(`This organisation has a synonym for “${synonym.from}”. Remove it first.`);
        await recordAudit(tx, actor, {
          action: 'sapphire.synonymAdded',
          organisationId: client,
          target: String(stored.id),
          after: synonym,
        });
        return withUse(stored);
      });
    },

    async remove(actor: Actor, client: number, id: number): Promise<void> {
      const scope = scopeFor(actor, client);
      await scoped(db, scope, async (tx) => {
        const before = await deleteSynonym(tx, scope, id);
        if (!before) throw problem.notFound('synonym', id);
        await recordAudit(tx, actor, {
          action: 'sapphire.synonymRemoved',
          organisationId: client,
          target: String(id),
          before,
        });
      });
    },

    /** Those of the actor’s organisation and the ones above it that the question contains, the own first. */
    async findFor(actor: Actor, question: string, vocabulary: Vocabulary): Promise<Synonym[]> {
      const above = await scoped(db, 'system', (tx) => organisationsAbove(tx, actor.organisationId), { readOnly: true });
      const scope = { organisationIds: above };
      const all = await scoped(db, scope, (tx) => findSynonyms(tx, scope, above, maxUsed), { readOnly: true });
      return applicable(question, all, vocabulary).filter((synonym) => faultOf(synonym) === undefined);
    },
  };
}
