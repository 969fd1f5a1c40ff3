/** Tags of devices. */
import { type RawBuilder, sql } from 'kysely';
import { column, inScope, organisationAttributes, wordsOf } from '../attributes.ts';
import type { EntitySchema } from '../schema.ts';
import { addressOf, clientKey, of } from './columns.ts';

/** Tagged devices; duplicates count as the device they were merged into. */
const devices = (row: RawBuilder<unknown>, value: RawBuilder<unknown>) => sql`(select ${value} from device_tags t
  join devices d on d.id = t.device_id left join devices m on m.id = d.merged_into where t.tag_id = ${row}.id)`;

export const tagSchema: EntitySchema = {
  entity: 'tag',
  title: ['tag', 'tags'],
  words: ['tag', 'label', 'device tag', 'tagging', 'device label'],
  allow: 'tags:read',
  from: (row) => sql`tags ${row}`,
  within: (row, context) => sql<boolean>`${inScope(row, context)} and not ${row}.is_deleted`,
  id: (row) => column(row, 'id'),
  attributes: {
    name: { type: 'name', names: 'tag', title: 'name', words: ['name', 'tag name', 'text'], isShown: true, sql: of('name') },
    ...organisationAttributes(),
    devices: {
      type: 'number',
      title: 'devices',
      words: wordsOf('device, machine, host, box, computer, tagged device, use, usage, device count, number of devices'),
      superlatives: { most: ['most used', 'biggest', 'most common'], least: ['least used', 'smallest', 'rarest'] },
      isShown: true,
      sql: (row) => devices(row, sql`count(distinct coalesce(m.id, d.id))::integer`),
    },
    isUsed: {
      type: 'flag',
      title: 'in use',
      words: ['used tag'],
      yes: ['in use', 'used', 'we use'],
      no: ['unused', 'not used', 'empty', 'not in use'],
      sql: (row) => sql`exists (select from device_tags t where t.tag_id = ${row}.id)`,
    },
    createdAt: {
      type: 'time',
      title: 'created',
      words: ['creation', 'creation date'],
      verbs: ['created', 'added', 'made'],
      superlatives: { latest: ['newest', 'latest'], earliest: ['oldest'] },
      sql: of('created_at'),
    },
  },
  keys: {
    tag: { sql: (row) => sql`${row}.id::text` },
    client: clientKey,
  },
  list: {
    page: 'devices',
    path: ({ organisationId, name }) => addressOf('/apps/devices', { client: organisationId, tag: name }),
  },
  order: { field: 'name', isAscending: true },
};
