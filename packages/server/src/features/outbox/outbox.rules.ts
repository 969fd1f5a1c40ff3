import { canChangePassword, isClientAdmin, type TargetUser } from '@parapet/contract/access.ts';
import { type Actor, isFreshSignIn } from '../../core/http/actor.ts';

/** Links that decide by themselves: a client's answer to a case, the end of a subscription. They are their recipient's alone. */
const ofRecipient = /\/(emailCaseAction\?|unsubscribe\/)[^\s"'<>]*/gi;
export const withoutLinksOfRecipient = (text: string): string =>
  text.replace(ofRecipient, (_link, door: string) => `/${door}(a link that only its recipient may use)`);

/**
 * A one-time link gives the account to whoever opens it. It is shown to those who could set the password by themselves, so after a fresh sign-in
 * (decision 9); an invitation's also to the client's administrator, who could have made the account with a password of their choice. To programs it
 * never is. Answers what stands in its place; undefined where it is shown.
 */
export function inPlaceOfLink(actor: Actor, target: (TargetUser & { isInvited: boolean }) | undefined): string | undefined {
  const recipientsOnly = '(a one-time link that only its recipient may use)';
  if (!target || actor.apiKey) return recipientsOnly;
  const couldHaveMade =
    isClientAdmin(actor) && actor.organisationId === target.organisationId && target.role !== 'Host' && !target.isDeleted;
  if (target.isInvited && couldHaveMade) return undefined;
  if (!canChangePassword(actor, target)) return recipientsOnly;
  return target.isInvited || isFreshSignIn(actor) ? undefined : '(a one-time link; sign in again to read it)';
}
