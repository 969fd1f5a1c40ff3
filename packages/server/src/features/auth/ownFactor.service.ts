/** Settings of the user’s own MFA. Each change writes an audit entry and emails the owner. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import { maxPasskeys, type NewPasskey, type secondFactorApi } from '@parapet/contract/secondFactor.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, ownScope } from '../../core/http/actor.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import type { BrandService } from '../brand/brand.service.ts';
import type { OutboxService } from '../outbox/outbox.service.ts';
import { factorDisabledMail, passkeyAddedMail, passkeyRemovedMail, recoveryCodesRenewedMail } from './auth.mails.ts';
import { type Account, findAccount, findAccountForUpdate } from './auth.store.ts';
import type { SecondFactor } from './mfa.service.ts';
import { markFactorProved, removeSecondFactor } from './mfa.store.ts';
import { insertPasskey, listPasskeys, type PasskeyRow, removePasskey } from './passkeys.store.ts';
import { checkNewPasskey, passkeyCreationFor, passkeySiteOf } from './passkeys.ts';
import { countRecoveryCodes, newRecoveryCodes, replaceRecoveryCodes } from './recoveryCodes.ts';

export type OwnFactorService = ReturnType<typeof createOwnFactorService>;

const toPasskey = ({ id, name, rpId, createdAt, lastUsedAt }: PasskeyRow) => ({
  id,
  name,
  host: rpId,
  createdAt: createdAt.toISOString(),
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

export interface OwnFactorDeps {
  db: Database;
  outbox: OutboxService;
  brand: BrandService;
  secondFactor: SecondFactor;
}

async function accountOf(tx: Tx, { userId }: Actor): Promise<Account> {
  const account = await findAccount(tx, userId);
  if (!account) throw problem.notFound('user', userId);
  return account;
}

function checkLimit(passkeys: readonly PasskeyRow[]): void {
  if (passkeys.length >= maxPasskeys)
    throw problem.conflict(`You’ve reached the limit of ${maxPasskeys} passkeys. Remove one that you no longer use.`);
}

/** Changes an account with MFA under the lock on its row, in the portal’s own scope, as emails require. Throws conflict without MFA. */
const changeFactor = <T>({ db }: OwnFactorDeps, actor: Actor, work: (tx: Tx, account: Account) => Promise<T>): Promise<T> =>
  scoped(db, 'system', async (tx) => {
    const account = await findAccountForUpdate(tx, actor.userId);
    if (!account?.isMfaSet) throw problem.conflict('No authenticator app is set up. Set one up first.');
    return work(tx, account);
  });

const getOwnFactor =
  ({ db, brand }: OwnFactorDeps) =>
  async (actor: Actor, host: string): Promise<AnswerOf<typeof secondFactorApi.get>> => {
    const scope = ownScope(actor);
    const site = await passkeySiteOf(brand, host);
    return readScoped(db, scope, async (tx) => {
      const account = await accountOf(tx, actor);
      const [passkeys, recoveryCodesLeft] = [
        await listPasskeys(tx, scope, actor.userId),
        await countRecoveryCodes(tx, scope, actor.userId),
      ];
      return {
        isSet: account.isMfaSet,
        isRequired: account.isMfaDemanded,
        recoveryCodesLeft,
        passkeys: passkeys.map(toPasskey),
        host: site?.rpId ?? '',
      };
    });
  };

const startPasskey =
  (deps: OwnFactorDeps) =>
  async (actor: Actor, host: string): Promise<AnswerOf<typeof secondFactorApi.startPasskey>> => {
    const site = await passkeySiteOf(deps.brand, host);
    if (!site) throw problem.conflict('Passkeys can’t be used at this address. Open the portal at its own address.');
    return changeFactor(deps, actor, async (tx, owner) => {
      const passkeys = await listPasskeys(tx, ownScope(actor), owner.id);
      checkLimit(passkeys);
      const { name: brandName } = await deps.brand.ofMails(tx, owner.organisationId);
      return passkeyCreationFor(tx, { owner, passkeys, site, boundTo: actor.sessionId }, brandName);
    });
  };

const addPasskey =
  (deps: OwnFactorDeps) =>
  async (actor: Actor, input: { name: string; passkey: NewPasskey }): Promise<AnswerOf<typeof secondFactorApi.addPasskey>> => {
    const owner = await readScoped(deps.db, ownScope(actor), (tx) => accountOf(tx, actor));
    const checked = await checkNewPasskey(deps.db, owner, { ...input, boundTo: actor.sessionId });
    return changeFactor(deps, actor, async (tx, account) => {
      checkLimit(await listPasskeys(tx, ownScope(actor), account.id));
      const row = await insertPasskey(tx, checked);
      if (!row) throw problem.conflict('This passkey is already registered.');
      await recordOwnAudit(tx, actor, { action: 'user.passkeyAdded', after: { name: row.name, host: row.rpId } });
      await deps.outbox.queue(tx, passkeyAddedMail(account, row.rpId));
      return toPasskey(row);
    });
  };

export function createOwnFactorService(deps: OwnFactorDeps) {
  const { outbox, secondFactor } = deps;

  return {
    get: getOwnFactor(deps),

    async startAuthenticator(actor: Actor): Promise<AnswerOf<typeof secondFactorApi.startAuthenticator>> {
      const started = await secondFactor.startEnrolment(actor);
      if (!started) throw problem.conflict('An authenticator app is already set up.');
      return started;
    },

    async confirmAuthenticator(actor: Actor, input: { nonce: string; code: string }): Promise<{ recoveryCodes: string[] }> {
      const created = await newRecoveryCodes();
      await secondFactor.confirmEnrolment(actor, input, async (tx, account) => {
        await replaceRecoveryCodes(tx, ownScope(actor), account, created);
        // This session has now proven password and MFA.
        await markFactorProved(tx, ownScope(actor), actor.sessionId);
      });
      return { recoveryCodes: created.codes };
    },

    disable: (actor: Actor): Promise<void> =>
      changeFactor(deps, actor, async (tx, account) => {
        if (account.isMfaDemanded) throw problem.forbidden('Your organisation requires MFA, so it can’t be turned off.');
        await removeSecondFactor(tx, ownScope(actor), account.id, false);
        await recordOwnAudit(tx, actor, { action: 'user.mfaDisabled' });
        await outbox.queue(tx, factorDisabledMail(account));
      }),

    async renewRecoveryCodes(actor: Actor): Promise<{ recoveryCodes: string[] }> {
      const created = await newRecoveryCodes();
      await changeFactor(deps, actor, async (tx, account) => {
        await replaceRecoveryCodes(tx, ownScope(actor), account, created);
        await recordOwnAudit(tx, actor, { action: 'user.recoveryCodesMade' });
        await outbox.queue(tx, recoveryCodesRenewedMail(account));
      });
      return { recoveryCodes: created.codes };
    },
    startPasskey: startPasskey(deps),
    addPasskey: addPasskey(deps),

    removePasskey: (actor: Actor, id: number): Promise<void> =>
      changeFactor(deps, actor, async (tx, account) => {
        const removed = await removePasskey(tx, ownScope(actor), account.id, id);
        if (!removed) throw problem.notFound('passkey', id);
        await recordOwnAudit(tx, actor, { action: 'user.passkeyRemoved', before: { name: removed.name, host: removed.rpId } });
        await outbox.queue(tx, passkeyRemovedMail(account, removed.rpId));
      }),
  };
}
