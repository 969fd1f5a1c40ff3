/** Queue of actions at vendors. Callers already hold the locks of the case and the response; rows of tasks come after them. */
import { connectors } from '@parapet/connectors/all.ts';
import { sql } from 'kysely';
import { publish } from '../../core/bus.ts';
import type { VendorTarget, VendorTask, VendorTaskQueue } from '../responses/responses.ports.ts';
import { sourceOf } from './connections.names.ts';

type Found = { connectionId: number; kind: string; account: string; target: string };

const titles = new Map(connectors.map(({ id, title }) => [id, title]));
const targetOf = ({ connectionId, kind, account, target }: Found): VendorTarget => ({
  connectionId,
  place: sourceOf({ title: titles.get(kind) ?? kind }, account),
  target,
});

/** Two connections to one account count once. */
export const vendorTaskQueue: VendorTaskQueue = {
  async listTargets(tx, wanted) {
    const { organisationId, action } = wanted;
    const kinds = connectors.filter(({ actions }) => actions.includes(action)).map(({ id }) => id);
    const usable = sql`c.organisation_id = ${organisationId} and c.may_act and c.state = 'active' and c.kind = any(${kinds})`;
    const { rows } =
      'deviceIds' in wanted
        ? await sql<Found>`select distinct on (c.kind, c.account, v.vendor_id) c.id as "connectionId", c.kind, c.account, v.vendor_id as target
            from connection_devices v join connections c on c.id = v.connection_id
            where ${usable} and v.organisation_id = ${organisationId} and v.device_id = any(${[...wanted.deviceIds]}::uuid[])
            order by c.kind, c.account, v.vendor_id, c.id limit 20`.execute(tx)
        : await sql<Found>`select distinct on (c.kind, c.account) c.id as "connectionId", c.kind, c.account, ${wanted.account}::text as target
            from connections c where ${usable} order by c.kind, c.account, c.id limit 20`.execute(tx);
    return rows.map(targetOf);
  },

  async queueTask(tx, { organisationId, responseId, connectionId, createdAt, expiresAt, ...task }) {
    await tx
      .insertInto('connection_tasks')
      .values({
        ...task,
        organisation_id: organisationId,
        response_id: responseId,
        connection_id: connectionId,
        next_at: createdAt,
        created_at: createdAt,
        expires_at: expiresAt,
      })
      .execute();
    await publish(tx, 'connections.taskQueued', {});
  },

  async cancelTasks(tx, responseId) {
    await tx
      .updateTable('connection_tasks')
      .set({ state: 'cancelled', next_at: null, ended_at: sql<Date>`now()` })
      .where('response_id', '=', responseId)
      .where('state', '=', 'queued')
      .execute();
    await tx
      .updateTable('connection_tasks')
      .set({ state: 'expired' })
      .where('response_id', '=', responseId)
      .where('state', '=', 'sent')
      .execute();
  },

  listTasks: (tx, { id, organisation_id }) =>
    tx
      .selectFrom('connection_tasks')
      .select(['id', 'connection_id as connectionId', 'place', 'target', 'state', 'detail'])
      .where('organisation_id', '=', organisation_id)
      .where('response_id', '=', id)
      .where('state', '<>', 'cancelled')
      .orderBy('id')
      .limit(100)
      .$narrowType<VendorTask>()
      .execute(),
};
