/** Export of the audit log as JSON lines that third parties can verify without the portal (docs/audit.md). */
import { Readable } from 'node:stream';
import { problem } from '@parapet/contract/problem.ts';
import { canonicalJson } from '../../core/canonical.ts';
import type { Database } from '../../core/db/connect.ts';
import { type Scope, scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { type AuditFilter, findActors, matchingEntries } from './audit.store.ts';
import { leafOf, noHash, sealedEntry } from './chain.format.ts';
import { allCheckpoints, type Link, listLinks, listRanges } from './chain.store.ts';

const maxLinks = 200_000;
const batchSize = 1_000;

export function createLines({
  db,
  actorsScope,
  searchedActors,
}: {
  db: Database;
  actorsScope: (actor: Actor) => Promise<Scope>;
  searchedActors: (known: Scope, search: string | undefined) => Promise<number[]>;
}) {
  const reading = { readOnly: true };

  return {
    /** Streams a gapless chain: entries outside the filter or the reader’s view are reduced to their leaf. Throws invalid beyond 200,000 links. */
    async exportLines(actor: Actor, client: number, filter: AuditFilter): Promise<Readable> {
      const scope = scopeFor(actor, client);
      const ranges = await scoped(db, scope, (tx) => listRanges(tx, scope, filter), reading);
      if (ranges.reduce((sum, { first, last }) => sum + last - first + 1, 0) > maxLinks)
        throw problem.invalid({
          end: [`There are more than ${maxLinks.toLocaleString('en-GB')} entries. Select a shorter timeframe.`],
        });
      await scoped(db, scope, (tx) =>
        recordAudit(tx, actor, {
          action: 'audit.exported',
          organisationId: client || actor.organisationId,
          after: { client, format: 'lines', ...filter },
        }),
      );
      const known = await actorsScope(actor);
      const searched = await searchedActors(known, filter.search);

      const textOf = async (links: readonly Link[], previous: string): Promise<string> => {
        const entries = links.flatMap(({ entry }) => entry ?? []);
        const shown = await scoped(
          db,
          scope,
          (tx) =>
            matchingEntries(
              tx,
              scope,
              filter,
              searched,
              entries.map(({ id }) => id),
            ),
          reading,
        );
        const actors = [...new Set(entries.flatMap(({ actorUserId }) => actorUserId ?? []))];
        const found = actors.length > 0 ? await scoped(db, known, (tx) => findActors(tx, known, actors), reading) : [];
        const knownActors = new Set(found.map(({ id }) => id));
        let before = previous;
        return links
          .map((link) => {
            const line = lineOf(link, before, shown, knownActors);
            before = link.hash;
            return line;
          })
          .join('');
      };

      async function* lines() {
        for (const { organisationId, first, last } of ranges) {
          const checkpoints = await scoped(db, scope, (tx) => allCheckpoints(tx, scope, organisationId), reading);
          const [before] = await scoped(
            db,
            scope,
            (tx) => listLinks(tx, scope, organisationId, { above: first - 2, through: first - 1, limit: 1 }),
            reading,
          );
          let previous = before?.hash ?? checkpoints.find(({ position }) => position === first - 1)?.hash ?? noHash;
          for (const checkpoint of checkpoints.filter(({ position }) => position >= first - 1 && position <= last))
            yield `${JSON.stringify({ type: 'checkpoint', ...checkpoint })}\n`;
          for (let position = first - 1; position < last; ) {
            const above = position;
            const links = await scoped(
              db,
              scope,
              (tx) => listLinks(tx, scope, organisationId, { above, through: last, limit: batchSize }),
              reading,
            );
            if (links.length === 0) break;
            yield await textOf(links, previous);
            position = links.at(-1)?.position ?? last;
            previous = links.at(-1)?.hash ?? previous;
          }
        }
      }
      return Readable.from(lines());
    },
  };
}

function lineOf(
  { position, auditId, salt, hash, entry }: Link,
  previous: string,
  shown: ReadonlySet<number>,
  known: ReadonlySet<number>,
): string {
  if (!entry) return `${canonicalJson({ type: 'entry', position, previous, hash, leaf: null })}\n`;
  const { organisationId, actorUserId, actorOrganisationId } = entry;
  const seal = { type: 'entry', organisationId, position, previous, leaf: leafOf(entry, salt), hash };
  if (!shown.has(auditId)) return `${canonicalJson(seal)}\n`;
  const who =
    actorUserId === null || known.has(actorUserId)
      ? { actor: { organisationId: actorOrganisationId, userId: actorUserId, salt: salt.toString('hex') } }
      : {};
  return `${canonicalJson({ ...seal, ...who, entry: sealedEntry(entry, salt) })}\n`;
}
