/** Export of the audit log as JSON lines that third parties can verify without the portal (docs/audit.md). */
import { Readable } from 'node:stream';
import { problem } from '@parapet/contract/problem.ts';
import { canonicalJson } from '../../core/canonical.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { queryText } from '../../domain/query/listed.ts';
import { namesOf, searchNamed } from './audit.actors.ts';
import { type AuditFilter, matchingEntries, selectionOf } from './audit.store.ts';
import { leafOf, noHash, sealedEntry } from './chain.format.ts';
import { allCheckpoints, type Link, listLinks, listRanges } from './chain.store.ts';

const maxLinks = 200_000;
const batchSize = 1_000;

/** Streams a gapless chain: entries outside the filter or the reader’s view are reduced to their leaf. Throws invalid beyond 200,000 links. */
export const exportLines =
  ({ db, clock }: { db: Database; clock: Clock }) =>
  async (actor: Actor, client: number, filter: AuditFilter): Promise<Readable> => {
    const scope = scopeFor(actor, client);
    const selected = selectionOf(actor, scope, filter, clock.now());
    const ranges = await readScoped(db, scope, (tx) => listRanges(tx, scope, selected));
    if (ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0) > maxLinks)
      throw problem.invalid({
        end: [`There are more than ${maxLinks.toLocaleString('en-GB')} entries. Select a shorter timeframe.`],
      });
    await scoped(db, scope, (tx) =>
      recordAudit(tx, actor, {
        action: 'audit.exported',
        organisationId: client || actor.organisationId,
        after: { client, format: 'lines', ...filter, query: queryText(filter.query) },
      }),
    );
    const { named, searchedActors } = await searchNamed(db, actor, filter.search);

    const textOf = async (links: readonly Link[], previous: string): Promise<string> => {
      const entries = links.flatMap(({ entry }) => entry ?? []);
      const ids = entries.map(({ id }) => id);
      const shown = await readScoped(db, scope, (tx) => matchingEntries(tx, scope, selected, searchedActors, ids));
      const actorIds = entries.map(({ actorUserId }) => actorUserId);
      const known = await namesOf(db, named, actorIds);
      let before = previous;
      return links
        .map((link) => {
          const line = lineOf(link, before, shown, known);
          before = link.hash;
          return line;
        })
        .join('');
    };

    async function* lines() {
      for (const { organisationId, first, last } of ranges) {
        const read = (above: number, through: number, limit: number) =>
          readScoped(db, scope, (tx) => listLinks(tx, scope, organisationId, { above, through, limit }));
        const checkpoints = await readScoped(db, scope, (tx) => allCheckpoints(tx, scope, organisationId));
        const [before] = await read(first - 2, first - 1, 1);
        let previous = before?.hash ?? checkpoints.find(({ position }) => position === first - 1)?.hash ?? noHash;
        for (const checkpoint of checkpoints.filter(({ position }) => position >= first - 1 && position <= last))
          yield `${JSON.stringify({ type: 'checkpoint', ...checkpoint })}\n`;
        for (let position = first - 1; position < last; ) {
          const links = await read(position, last, batchSize);
          if (links.length === 0) break;
          yield await textOf(links, previous);
          position = links.at(-1)?.position ?? last;
          previous = links.at(-1)?.hash ?? previous;
        }
      }
    }
    return Readable.from(lines());
  };

function lineOf(
  { position, auditId, salt, hash, erasedLeaf, entry }: Link,
  previous: string,
  shown: ReadonlySet<number>,
  known: ReadonlyMap<number, unknown>,
): string {
  if (!entry) return `${canonicalJson({ type: 'entry', position, previous, hash, leaf: null })}\n`;
  const { organisationId, actorUserId, actorOrganisationId } = entry;
  const seal = { type: 'entry', organisationId, position, previous, leaf: erasedLeaf ?? leafOf(entry, salt), hash };
  if (!shown.has(auditId) || erasedLeaf !== null) return `${canonicalJson(seal)}\n`;
  const who =
    actorUserId === null || known.has(actorUserId)
      ? { actor: { organisationId: actorOrganisationId, userId: actorUserId, salt: salt.toString('hex') } }
      : {};
  return `${canonicalJson({ ...seal, ...who, entry: sealedEntry(entry, salt) })}\n`;
}
