/** Threat intelligence: lists are imported completely or not at all; imports and removals are audited. */
import type { IndicatorKind, IntelligenceList, intelligenceFormats } from '@parapet/contract/intelligence.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queuePastSearch } from '../../domain/pastSearches.ts';
import { readList } from './intelligence.formats.ts';
import {
  findIndicators,
  isOfFeed,
  type Known,
  listLists,
  listUnknown,
  reconsiderCases,
  removeList,
  replaceList,
} from './intelligence.store.ts';

type Format = (typeof intelligenceFormats)[number];
const importTimeoutMs = 60_000;

export type IntelligenceService = ReturnType<typeof createIntelligenceService>;

export function createIntelligenceService({ db, clock }: { db: Database; clock: Clock }) {
  const put = async (actor: Actor | undefined, name: string, format: Format, bytes: Buffer) => {
    const { indicators, skipped, faults } = readList(format, bytes, clock.now());
    if (indicators.length === 0) {
      const why = `The list contains no address, domain or hash${faults.length > 0 ? `: ${faults[0]}` : '.'}`.slice(0, 500);
      throw problem.invalid({ file: [why] }, why);
    }
    const list = await scoped(
      db,
      'system',
      async (tx) => {
        const at = new Date(clock.now());
        if (await isOfFeed(tx, { name })) {
          const why = 'A feed keeps the list of this name. Choose another name.';
          throw problem.invalid({ file: [why] }, why);
        }
        const added = actor ? await listUnknown(tx, indicators) : [];
        const saved = await replaceList(tx, name, format, at, indicators);
        await reconsiderCases(tx, saved.id);
        if (actor) {
          await recordAudit(tx, actor, {
            action: 'intelligence.imported',
            organisationId: actor.organisationId,
            target: String(saved.id),
            after: { name, format, count: saved.count, skipped },
          });
          const terms = added.map((indicator) => ({ ...indicator, source: name }));
          await queuePastSearch(tx, { kind: 'indicators', name, terms, at });
        }
        return saved;
      },
      { statementTimeoutMs: importTimeoutMs },
    );
    return { list, skipped, faults };
  };

  return {
    list: (): Promise<{ results: IntelligenceList[]; total: number }> => scoped(db, 'system', listLists, { readOnly: true }),

    import: (actor: Actor, name: string, format: Format, bytes: Buffer) => put(actor, name, format, bytes),

    /** Imports the list shipped with the portal. */
    importOwn: (name: string, format: Format, text: string) => put(undefined, name, format, Buffer.from(text)),

    async remove(actor: Actor, id: number): Promise<Record<never, never>> {
      await scoped(
        db,
        'system',
        async (tx) => {
          if (await isOfFeed(tx, { id })) {
            const why = 'This is the list of a feed. Remove the feed, and its list goes with it.';
            throw problem.invalid({ id: [why] }, why);
          }
          await reconsiderCases(tx, id);
          const gone = await removeList(tx, id);
          if (!gone) throw problem.notFound('list', id);
          await recordAudit(tx, actor, {
            action: 'intelligence.removed',
            organisationId: actor.organisationId,
            target: String(id),
            before: { name: gone.name, format: gone.format, count: gone.count },
          });
        },
        { statementTimeoutMs: importTimeoutMs },
      );
      return {};
    },

    /** Entries for values normalised by `intelligence.values.ts`, worst first. */
    lookUp: (tx: Tx, wanted: readonly { kind: IndicatorKind; value: string }[]): Promise<Known[]> => findIndicators(tx, wanted),
  };
}
