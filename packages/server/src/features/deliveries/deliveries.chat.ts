/** Presses in chat: a linked account acts on the case of a message, with the rights that its person has now. */
import { VendorError } from '@parapet/connectors/errors.ts';
import type { Callbacks, Message, Press, Send } from '@parapet/connectors/out/target.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { Problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, readScoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { refusalOf } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { type CallbackTarget, findSentMessage } from './deliveries.callbacks.store.ts';
import { sealLink } from './deliveries.chat.accounts.ts';
import { findChatUser } from './deliveries.chat.store.ts';
import type { Values } from './deliveries.vault.ts';

/** Needed from cases: as in the portal, with its rules and its audit entries. */
export interface ChatCases {
  acknowledge(actor: Actor, body: { incidentID: number }): Promise<unknown>;
  changeAnalyst(actor: Actor, body: { caseID: number; analystUserAccountID: number | null }): Promise<unknown>;
}

export interface ChatDeps {
  db: Database;
  clock: Clock;
  brand: Pick<BrandService, 'ofMails'>;
  chatKey: Buffer;
  cases: () => ChatCases;
  actorNow: (tx: Tx, userId: number, apiKeyId: undefined) => Promise<Omit<Actor, 'address'> | undefined>;
  log: Log;
}

interface Place {
  target: CallbackTarget;
  callbacks: Callbacks;
  values: Values;
  send: Send;
}

interface Reply {
  text: string;
  original?: Message;
}

const texts = { acknowledge: 'Acknowledged', assign: 'Assigned' } as const;

export type Chat = ReturnType<typeof createChat>;

export function createChat(deps: ChatDeps) {
  const { db } = deps;

  const linkText = async ({ target }: Place, press: Press): Promise<string> => {
    const origin = await readScoped(db, 'system', async (tx) => (await deps.brand.ofMails(tx, target.organisationId)).origin);
    const link = sealLink(deps.chatKey, target, press, deps.clock.now());
    return `Link your account to the portal first (this link is yours alone, and works for 10 minutes): ${origin}/apps/settings?tab=chat&token=${link}`;
  };

  const act = async (actor: Actor, { action }: Press, caseId: number): Promise<void> => {
    const endpoint = action === 'assign' ? casesApi.changeAnalyst : casesApi.acknowledge;
    const refusal = refusalOf(actor, endpoint);
    if (refusal !== undefined) throw new Problem('forbidden', refusal);
    if (action === 'assign') await deps.cases().changeAnalyst(actor, { caseID: caseId, analystUserAccountID: actor.userId });
    await deps.cases().acknowledge(actor, { incidentID: caseId });
  };

  const replyTo = async (place: Place, press: Press, from: string): Promise<Reply> => {
    const { target } = place;
    const sent = await readScoped(db, 'system', (tx) => findSentMessage(tx, target.id, press.messageId));
    if (!sent) return { text: 'This message is too old. Open the case in the portal.' };
    const person = await readScoped(db, 'system', async (tx) => {
      const userId = await findChatUser(tx, target.kind, press);
      return userId === undefined ? undefined : deps.actorNow(tx, userId, undefined);
    });
    if (!person) return { text: await linkText(place, press) };
    try {
      await act({ ...person, address: from, chat: 'slack' }, press, sent.caseId);
      return { text: texts[press.action], original: sent.message };
    } catch (error) {
      if (isDatabaseAway(error) || !(error instanceof Problem)) throw error;
      return { text: error.message };
    }
  };

  return {
    /** Acts, and replies in chat. A reply that fails changes nothing: the case shows what happened. */
    async pressed(place: Place, press: Press, from: string): Promise<void> {
      const reply = await replyTo(place, press, from);
      await place.callbacks.reply?.(press, reply, place.values, place.send).catch((error) => {
        if (!(error instanceof VendorError)) throw error;
        deps.log.warn({ err: error, target: place.target.id }, 'a reply in chat was not sent');
      });
    },
  };
}
