/** Collections of indicators of the clients that a caller may read, by TAXII 2.1 (OASIS standard of 10 June 2021). */
import { problem } from '@parapet/contract/problem.ts';
import { z } from 'zod';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope, scopeOf } from '../../core/http/actor.ts';
import { parsePart } from '../../core/http/serve.ts';
import { recordAudit } from '../../domain/audit.ts';
import { type StixObject, stixType } from '../../domain/stix.ts';
import { type CollectionTlp, collectionIds, collectionTlps, indicatorOf, tlpOf } from './taxii.objects.ts';
import { listShared, refreshShared, type SharedIndicator } from './taxii.store.ts';

export const taxiiType = 'application/taxii+json;version=2.1';

/** Filters of objects and manifests (§3.4). Other matches are not supported, and refused. */
const filters = z.object({
  added_after: z.iso.datetime({ offset: true }).optional(),
  limit: z.coerce.number().int().min(1).default(100),
  next: z
    .string()
    .regex(/^\d{1,19}$/, 'Use the value of next in the last answer.')
    .refine((text) => text.length < 19 || text <= '9223372036854775807', 'Use the value of next in the last answer.')
    .optional(),
  'match[id]': z.string().max(2_000).optional(),
  'match[type]': z.string().max(200).optional(),
  'match[version]': z.string().max(200).optional(),
  'match[spec_version]': z.string().max(200).optional(),
});
const maxPage = 1_000;

export interface Part {
  more: boolean;
  next: string | undefined;
  objects: StixObject[];
  /** Times of addition of the first and the last object. */
  first: string | undefined;
  last: string | undefined;
}

const titles: Record<CollectionTlp, { title: string; description: string }> = {
  green: { title: 'Indicators, TLP:GREEN', description: 'Indicators of malicious cases, without client and case.' },
  amber: { title: 'Indicators, TLP:AMBER', description: 'Indicators of malicious cases, with client and case.' },
};

const collectionOf = (tlp: CollectionTlp) => ({
  id: collectionIds[tlp],
  ...titles[tlp],
  can_read: true,
  can_write: false,
  media_types: [stixType],
});

export type TaxiiService = ReturnType<typeof createTaxiiService>;

export function createTaxiiService({
  db,
  siteOf,
}: {
  db: Database;
  siteOf: (host: string) => Promise<{ organisationId: number | undefined; origin: string }>;
}) {
  const wanted = (id: string): CollectionTlp => {
    const tlp = tlpOf(id);
    if (!tlp) throw problem.notFound('collection', id.slice(0, 60));
    return tlp;
  };

  return {
    discovery: async (host: string) => {
      const root = `${(await siteOf(host)).origin}/taxii2/indicators/`;
      return { title: 'Threat indicators', default: root, api_roots: [root] };
    },
    root: () => ({ title: 'Threat indicators', versions: [taxiiType], max_content_length: 1 }),
    collections: () => ({ collections: collectionTlps.map(collectionOf) }),
    collection: (id: string) => collectionOf(wanted(id)),

    /** A page of a collection. Throws invalid for filters that do not parse. */
    async read(
      actor: Actor,
      host: string,
      id: string,
      query: unknown,
      resource: 'objects' | 'manifest',
      objectId?: string,
    ): Promise<Part> {
      const tlp = wanted(id);
      const filter = parsePart(filters, query);
      const { origin } = await siteOf(host);
      const limit = Math.min(filter.limit, maxPage);
      const addedAfter = filter.added_after === undefined ? undefined : new Date(filter.added_after);
      const isDistinct = tlp === 'green';
      const wantedIds = listOf(filter['match[id]']);
      const objectIds = objectId === undefined ? wantedIds : [objectId].filter((each) => wantedIds?.includes(each) ?? true);
      const page = {
        addedAfter,
        after: filter.next,
        limit,
        isDistinct,
        of: { origin, tlp },
        objectIds,
        versions: versionsOf(filter),
      };
      const scope = scopeOf(actor);
      const rows = isOfIndicators(filter) ? await readScoped(db, scope, (tx) => listShared(tx, scope, page)) : [];
      if (objectId !== undefined && rows.length === 0) throw problem.notFound('object', objectId.slice(0, 60));
      const shown = rows.slice(0, limit);
      const pairs = shown.flatMap((row): { row: SharedIndicator; object: StixObject }[] => {
        const object = indicatorOf(row, tlp, { origin, name: 'portal' });
        return object ? [{ row, object }] : [];
      });
      await scoped(db, ownScope(actor), (tx) =>
        recordAudit(tx, actor, {
          action: 'taxii.read',
          organisationId: actor.organisationId,
          target: tlp,
          after: { collection: tlp, resource, addedAfter: filter.added_after ?? null, count: pairs.length },
        }),
      );
      const more = rows.length > limit;
      return {
        more,
        next: more ? shown.at(-1)?.id : undefined,
        objects: pairs.map(({ object }) => object),
        first: pairs[0]?.row.addedAt.toISOString(),
        last: pairs.at(-1)?.row.addedAt.toISOString(),
      };
    },

    /** Scheduled. */
    refresh: () => scoped(db, 'system', refreshShared),
  };
}

type Filter = z.output<typeof filters>;

const listOf = (given: string | undefined): string[] | undefined => given?.split(',');

/** Every object is an indicator of STIX 2.1. */
const isOfIndicators = (filter: Filter): boolean =>
  (listOf(filter['match[type]'])?.includes('indicator') ?? true) &&
  (listOf(filter['match[spec_version]'])?.includes('2.1') ?? true);

/** Times of the versions to match; undefined for all. */
function versionsOf(filter: Filter): Date[] | undefined {
  const given = listOf(filter['match[version]']);
  if (given === undefined || given.some((version) => ['all', 'first', 'last'].includes(version))) return undefined;
  return given.map((version) => new Date(version)).filter((at) => !Number.isNaN(at.getTime()));
}
