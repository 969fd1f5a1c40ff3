/**
 * Password resets, invitations and account requests. Responses are sent before the lookup and are always the same,
 * so they do not reveal which accounts exist.
 */
import { providerId } from '@parapet/contract/access.ts';
import { type ResetForm, resetComplexityText } from '@parapet/contract/auth.ts';
import { Problem, problem } from '@parapet/contract/problem.ts';
import type { Afterwards } from '../../core/afterwards.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { hashPassword } from '../../core/passwords.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import { type PasswordCheck, passwordFaultTexts } from '../../domain/passwordCheck.ts';
import { type AddressThrottle, clearPasswordAttempts, consumeAttempt } from '../../domain/throttle.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { findAccount, findAccountByEmail, findAccountForUpdate, revokeAccessOf } from './auth.store.ts';
import type { AuthLinks } from './links.service.ts';
import { consumeLink, findLink } from './links.store.ts';
import { removeChallenges } from './mfa.store.ts';
import { findAdministrators, hasIdentity, updatePassword } from './reset.store.ts';
import { actorOf, type Origin } from './sessions.ts';

export type ResetService = ReturnType<typeof createResetService>;

const hourly = (text: string) => ({ max: 3, minutes: 60, text });
const resetLimit = hourly(
  'Three reset emails were requested for this address within the hour. Check the inbox, or try again later.',
);
const registerLimit = hourly('An account has already been requested for this address. Please wait for the reply.');
const invalidLink = () => new Problem('notFound', 'Password reset link is either invalid or has expired');

/** Throws invalid unless the text is a single deliverable email address. */
function checkAddress(field: string, email: string): void {
  if (!/^[^\s@<>(),;:"\\[\]\p{Cc}]+@[^\s@<>(),;:"\\[\]\p{Cc}]+$/u.test(email))
    throw problem.invalid({ [field]: ['Please provide a valid email address'] });
}

/** Throws not found for an invalid or expired link. */
async function findLinked(tx: Tx, token: string) {
  const link = await findLink(tx, token);
  const account = link && (await findAccount(tx, link.userId));
  if (!account) throw invalidLink();
  return { link, account };
}

export interface ResetDeps {
  db: Database;
  links: AuthLinks;
  outbox: OutboxService;
  brand: BrandService;
  throttle: AddressThrottle;
  allowsRegistration: boolean;
  checkPassword: PasswordCheck;
  afterwards: Afterwards;
}

const requestReset =
  ({ db, links, throttle, afterwards }: ResetDeps) =>
  async (email: string, origin: Origin): Promise<{ message: string }> => {
    throttle('reset', origin.address);
    checkAddress('resetEmail', email);
    await scoped(db, 'system', (tx) => consumeAttempt(tx, 'reset', email, resetLimit));
    afterwards.run(async (tx) => {
      const found = await findAccountByEmail(tx, email);
      // Re-read under a lock, so that an address that was just replaced gets no link.
      const account = found && (await findAccountForUpdate(tx, found.id));
      // Accounts with single sign-on only have no password to reset.
      if (!account || (account.passwordHash === null && (await hasIdentity(tx, account.id)))) return;
      await links.reset(tx, account);
      await recordOwnAudit(tx, actorOf(account, origin), { action: 'user.passwordResetAsked' });
    });
    return { message: 'Reset email has been sent' };
  };

/** Sets the password, consumes the link and revokes all sessions and API keys of the account. */
const setPassword =
  ({ db, outbox, brand, throttle, checkPassword }: ResetDeps) =>
  async (token: string, newPassword: string, origin: Origin): Promise<void> => {
    throttle('reset', origin.address);
    const { account, kind, brandName } = await readScoped(db, 'system', async (tx) => {
      const { link, account } = await findLinked(tx, token);
      return { account, kind: link.kind, brandName: (await brand.ofMails(tx, account.organisationId)).name };
    });
    const fault = await checkPassword(newPassword, [brandName, account.partnerName]);
    if (fault) throw problem.invalid({ newPassword: passwordFaultTexts(fault, resetComplexityText) }, resetComplexityText);
    const hash = await hashPassword(newPassword);
    await scoped(db, 'system', async (tx) => {
      // Locks the account before the link, in the order of link creation.
      if (!(await findAccountForUpdate(tx, account.id)) || !(await consumeLink(tx, token))) throw invalidLink();
      await updatePassword(tx, account.id, hash);
      await revokeAccessOf(tx, account.id);
      await removeChallenges(tx, account.id);
      await clearPasswordAttempts(tx, account.email, origin.address);
      await recordOwnAudit(tx, actorOf(account, origin), {
        action: kind === 'invitation' ? 'user.invitationAccepted' : 'user.passwordReset',
      });
      await outbox.queue(tx, {
        organisationId: account.organisationId,
        kind: 'password.changed',
        to: [account.email],
        subject: 'Your password was set',
        title: 'Your password was set',
        paragraphs: ['It was set with a link that was sent to this address. All sessions of the account have ended.'],
        notes: ['If this wasn’t you, contact your administrator at once.'],
      });
    });
  };

/** Emails the account request to the administrators of this host’s partner; creates nothing. */
const requestAccount =
  ({ db, outbox, brand, throttle, afterwards }: ResetDeps) =>
  async (
    input: { firstName: string; lastName: string; email: string; company: string },
    host: string,
    origin: Origin,
  ): Promise<{ access_token: null }> => {
    throttle('register', origin.address);
    checkAddress('email', input.email);
    const { organisationId = providerId } = await brand.siteOf(host);
    await scoped(db, 'system', (tx) => consumeAttempt(tx, 'register', input.email, registerLimit));
    afterwards.run(async (tx) => {
      const to = await findAdministrators(tx, organisationId);
      if (to.length === 0) return;
      await outbox.queue(tx, {
        organisationId,
        kind: 'account.asked',
        to,
        subject: 'Account requested',
        title: 'Account requested',
        paragraphs: [
          `Name: ${input.firstName} ${input.lastName}\nEmail address: ${input.email}\nCompany: ${input.company}`,
          'No account was created. If you know the requester, send an invitation from the Users page.',
        ],
        notes: ['The details above are unverified.'],
      });
    });
    return { access_token: null };
  };

export function createResetService(deps: ResetDeps) {
  const { db, allowsRegistration } = deps;

  return {
    allowsRegistration,
    forgot: requestReset(deps),

    form: (token: string): Promise<ResetForm> =>
      readScoped(db, 'system', async (tx) => {
        const { link, account } = await findLinked(tx, token);
        return { email: account.email, expirationDate: link.expiresAt.toISOString(), token };
      }),

    reset: setPassword(deps),
    register: requestAccount(deps),
  };
}
