import { canChangePassword, isClientAdmin, type TargetUser } from '@parapet/contract/access.ts';
import type { Actor } from '../../core/http/actor.ts';

/**
 * A one-time link gives the account to whoever opens it. It is shown to those who could set the password by themselves, and an invitation's
 * also to the client's administrator, who could have made the account with a password of their choice.
 */
export const mayReadLink = (actor: Actor, target: TargetUser & { isInvited: boolean }): boolean =>
  canChangePassword(actor, target) ||
  (target.isInvited && isClientAdmin(actor) && actor.organisationId === target.organisationId && target.role !== 'Host');
