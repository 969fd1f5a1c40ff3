/** Leaves of entries whose content is to be erased (migration 0053): the chain verifies through them afterwards. */
import type { Tx } from '../../core/db/scope.ts';
import { leafOf } from './chain.format.ts';
import { linksToErase } from './chain.store.ts';

export const leavesToErase = async (
  tx: Tx,
  organisationId: number,
  limit: number,
): Promise<{ auditId: number; leaf: string }[]> =>
  (await linksToErase(tx, organisationId, limit)).map(({ salt, entry }) => ({ auditId: entry.id, leaf: leafOf(entry, salt) }));
