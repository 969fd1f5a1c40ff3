import type { TargetKind } from '@parapet/connectors/out/target.ts';
import { isClientAdmin } from '@parapet/contract/access.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import type { Keys } from '../../core/keys/keys.ts';
import type { Values } from '../../domain/vault.ts';
import type { PushDeps } from './deliveries.push.ts';
import type { TargetRow } from './deliveries.store.ts';
import type { TurnDeps } from './deliveries.turn.ts';

export interface DeliveriesDeps extends TurnDeps, Pick<PushDeps, 'pushVault' | 'pushKeys'> {
  keys: Pick<Keys, 'seal' | 'open'>;
  kinds: readonly TargetKind[];
  /** Key of the links by which people link their accounts in chat. */
  chatKey: Buffer;
  /** Values of the demo's simulated systems, by kind. */
  examples: Readonly<Record<string, Values>>;
}

/** True for kinds that the actor may administrate. */
export const mayUse = (actor: Actor, kind: TargetKind): boolean => kind.isForClients || !isClientAdmin(actor);

/** Finds a target of the scope that the actor may administrate. Throws notFound or forbidden. */
export type FindTarget = (tx: Tx, actor: Actor, scope: Scope, id: number) => Promise<TargetRow>;
