/**
 * Step-up authentication within a session, for calls that require a recent proof. Shares the attempt limits of sign-in; a proof
 * is valid for its own session only.
 */
import { type authApi, wrongCodeText } from '@parapet/contract/auth.ts';
import { problem, type StepUpMethod } from '@parapet/contract/problem.ts';
import { proofOf, type SecondFactorProof } from '@parapet/contract/secondFactor.proof.ts';
import type { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, freshMs } from '../../core/http/actor.ts';
import { verifyPassword } from '../../core/passwords.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import { type AddressThrottle, clearPasswordAttempts, consumePasswordAttempt } from '../../domain/throttle.ts';
import { type Account, findAccount, findAccountForUpdate, updateProof } from './auth.store.ts';
import type { SecondFactor } from './mfa.service.ts';

const wrongPasswordText = 'Incorrect password.';

export type StepUp = ReturnType<typeof createStepUp>;

export function createStepUp({
  db,
  secondFactor,
  throttle,
  clock,
}: {
  db: Database;
  secondFactor: SecondFactor;
  throttle: AddressThrottle;
  clock: Clock;
}) {
  /** Re-checks under the account’s lock, then records the proof; undefined when refused. */
  const confirm = (actor: Actor, method: StepUpMethod, isRight: (tx: Tx, account: Account) => Promise<boolean>) =>
    scoped(db, 'system', async (tx) => {
      const account = await findAccountForUpdate(tx, actor.userId);
      const now = new Date(clock.now());
      const proof = { provenAt: now, secondFactorAt: method === 'code' ? now : null };
      if (!account || !(await isRight(tx, account)) || !(await updateProof(tx, actor.sessionId, actor.userId, proof))) {
        await recordOwnAudit(tx, actor, { action: 'user.stepUpRefused', after: { method } });
        return undefined;
      }
      await recordOwnAudit(tx, actor, { action: 'user.steppedUp', after: { method } });
      return new Date(now.getTime() + freshMs).toISOString();
    });

  const byPassword = async (actor: Actor, password: string): Promise<string | undefined> => {
    const account = await scoped(db, 'system', async (tx) => {
      await consumePasswordAttempt(tx, actor.email, actor.address);
      return findAccount(tx, actor.userId);
    });
    const isRight = await verifyPassword(account?.passwordHash, password);
    return confirm(actor, 'password', async (tx, locked) => {
      if (!isRight || locked.passwordHash !== account?.passwordHash) return false;
      await clearPasswordAttempts(tx, actor.email, actor.address);
      return true;
    });
  };

  const bySecondFactor = async (actor: Actor, proof: SecondFactorProof): Promise<string | undefined> => {
    await secondFactor.verify(actor, proof);
    return confirm(actor, 'code', async () => true);
  };

  return {
    /** Accepts exactly one proof. Throws invalid at the field of a wrong one. */
    async confirm(actor: Actor, body: z.output<(typeof authApi)['stepUp']['body']>): Promise<{ freshUntil: string }> {
      throttle('step-up', actor.address);
      const proof = proofOf(body);
      const freshUntil = proof ? await bySecondFactor(actor, proof) : await byPassword(actor, body.password as string);
      if (freshUntil === undefined) throw problem.invalid(proof ? { code: [wrongCodeText] } : { password: [wrongPasswordText] });
      return { freshUntil };
    },
  };
}
