/** Presses in chat: a linked account acts on the case of a message, with the rights that its person has now. */
import type { Callbacks, Message, Press, Send } from '@parapet/connectors/out/target.ts';
import { casesApi } from '@parapet/contract/cases.ts';
import { Problem } from '@parapet/contract/problem.ts';
import type { Clock } from '../../core/clock.ts';
import type { Database } from '../../core/db/connect.ts';
import { isDatabaseAway, readScoped, type Tx } from '../../core/db/scope.ts';
import type { Actor } from '../../core/http/actor.ts';
import { refusalOf } from '../../core/http/serve.ts';
import type { Log } from '../../core/log.ts';
import { onOneLine } from '../../core/mail/render.ts';
import type { Values } from '../../domain/vault.ts';
import type { BrandService } from '../brand/brand.service.ts';
import { type CallbackTarget, findSentMessage } from './deliveries.callbacks.store.ts';
import { sealLink } from './deliveries.chat.accounts.ts';
import { findAcknowledgement, findChatUser } from './deliveries.chat.store.ts';

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
  by?: string;
}

/** Replies that wait for the chat at a time; further ones are left out. */
const maxReplies = 100;

export type Chat = ReturnType<typeof createChat>;

export function createChat(deps: ChatDeps) {
  const { db } = deps;
  const replies = new Set<Promise<void>>();

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

  /** An acknowledgement stays that of its first person. */
  const outcomeOf = async (target: CallbackTarget, actor: Pick<Actor, 'userId'>, { action }: Press, caseId: number) => {
    if (action === 'assign') return { text: 'Assigned' };
    const found = await readScoped(db, 'system', (tx) => findAcknowledgement(tx, target.organisationId, caseId));
    return !found || found.userId === actor.userId
      ? { text: 'Acknowledged' }
      : { text: 'Acknowledged before', by: onOneLine(found.name, 200) || 'the portal' };
  };

  const replyTo = async (place: Place, press: Press): Promise<Reply> => {
    const { target } = place;
    const sent = await readScoped(db, 'system', (tx) => findSentMessage(tx, target.id, press.messageId));
    if (!sent) return { text: 'This message is too old. Open the case in the portal.' };
    const person = await readScoped(db, 'system', async (tx) => {
      const userId = await findChatUser(tx, target, press);
      return userId === undefined ? undefined : deps.actorNow(tx, userId, undefined);
    });
    if (!person) return { text: await linkText(place, press) };
    try {
      // The request comes from the chat, so its address is not that of the person.
      await act({ ...person, address: 'slack', chat: 'slack' }, press, sent.caseId);
      return { ...(await outcomeOf(target, person, press, sent.caseId)), original: sent.message };
    } catch (error) {
      if (isDatabaseAway(error) || !(error instanceof Problem)) throw error;
      return { text: error.message };
    }
  };

  /** A reply that fails changes nothing: the case shows what happened. */
  const send = async ({ target, callbacks, values, send }: Place, press: Press, reply: Reply): Promise<void> => {
    try {
      await callbacks.reply?.(press, reply, values, send);
    } catch (error) {
      deps.log.warn({ err: error, target: target.id }, 'a reply in chat was not sent');
    }
  };

  return {
    /** Acts, and begins the reply: the chat waits 3 seconds for its response, and may take longer to receive one. */
    async pressed(place: Place, press: Press): Promise<void> {
      const reply = await replyTo(place, press);
      if (replies.size >= maxReplies) {
        deps.log.warn({ target: place.target.id }, 'a reply in chat was left out: too many wait');
        return;
      }
      const sending = send(place, press, reply).finally(() => replies.delete(sending));
      replies.add(sending);
    },

    /** Resolves when no reply is under way. */
    async close(): Promise<void> {
      await Promise.all(replies);
    },
  };
}
