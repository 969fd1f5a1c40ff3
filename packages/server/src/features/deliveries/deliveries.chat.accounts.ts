/** Accounts in chat that people link to their own: by a link that only the account got, confirmed with a fresh sign-in. */
import { createHmac } from 'node:crypto';
import { isSame } from '@parapet/connectors/out/callbacks.ts';
import type { Press } from '@parapet/connectors/out/target.ts';
import type { ChatAccount } from '@parapet/contract/deliveryCallbacks.ts';
import { problem } from '@parapet/contract/problem.ts';
import { readScoped, scoped } from '../../core/db/scope.ts';
import { type Actor, ownScope } from '../../core/http/actor.ts';
import { onOneLine } from '../../core/mail/render.ts';
import { recordOwnAudit } from '../../domain/audit.ts';
import type { CallbackTarget } from './deliveries.callbacks.store.ts';
import * as store from './deliveries.chat.store.ts';
import type { DeliveriesDeps } from './deliveries.deps.ts';

const linkMs = 10 * 60_000;

interface Link {
  organisation: number;
  kind: string;
  workspace: string;
  account: string;
  /** Names for the page that confirms. */
  name: string;
  until: number;
}

const signatureOf = (key: Buffer, text: string): string => createHmac('sha256', key).update(text).digest('base64url');

/** Token of a link for the account of a press. Its first part can be read by the page, the second proves it. */
export function sealLink(
  key: Buffer,
  { organisationId: organisation, kind }: Pick<CallbackTarget, 'organisationId' | 'kind'>,
  { workspace, account, name }: Pick<Press, 'workspace' | 'account' | 'name'>,
  now: number,
): string {
  const link: Link = { organisation, kind, workspace, account, name: onOneLine(name, 60), until: now + linkMs };
  const text = Buffer.from(JSON.stringify(link)).toString('base64url');
  return `${text}.${signatureOf(key, text)}`;
}

/** Undefined for a token that is not the portal's, or whose time is over. */
function openLink(key: Buffer, token: string, now: number): Link | undefined {
  const [text = '', signature = ''] = token.split('.');
  if (!isSame(signature, signatureOf(key, text))) return undefined;
  const link = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Link;
  return link.until > now ? link : undefined;
}

export function createChatAccounts({ db, clock, chatKey, kindOf }: DeliveriesDeps) {
  const shown = ({ id, kind, name, workspace, linkedAt }: store.ChatAccountRow): ChatAccount => ({
    id,
    product: kindOf(kind)?.title ?? kind,
    name,
    workspace,
    linkedAt: linkedAt.toISOString(),
  });

  return {
    async chatAccounts(actor: Actor): Promise<{ results: ChatAccount[]; total: number }> {
      const rows = await readScoped(db, ownScope(actor), (tx) => store.listAccounts(tx, ownScope(actor), actor.userId));
      return { results: rows.map(shown), total: rows.length };
    },

    async linkChat(actor: Actor, token: string): Promise<ChatAccount> {
      const link = openLink(chatKey, token, clock.now());
      if (!link) throw problem.conflict('This link is over. Press the button in the chat again for a new one.');
      if (!actor.organisationIds.includes(link.organisation))
        throw problem.forbidden('You don’t have access to the organisation of this chat.');
      const { organisation: owner, kind, workspace, account, name } = link;
      // The account may be linked to a person of another organisation.
      return scoped(db, 'system', async (tx) => {
        const at = new Date(clock.now());
        const { organisationId, userId } = actor;
        const id = await store.linkAccount(tx, { organisationId, userId, owner, kind, workspace, account, name, at });
        if (id === undefined)
          throw problem.conflict('This account is linked to another person, who has to unlink it first: Settings › Chat.');
        await recordOwnAudit(tx, actor, { action: 'user.chatLinked', after: { kind, workspace, account } });
        return shown({ id, kind, name, workspace, linkedAt: at });
      });
    },

    async unlinkChat(actor: Actor, id: number): Promise<void> {
      await scoped(db, ownScope(actor), async (tx) => {
        const removed = await store.unlinkAccount(tx, ownScope(actor), actor.userId, id);
        if (!removed) throw problem.notFound('linked account', id);
        await recordOwnAudit(tx, actor, { action: 'user.chatUnlinked', before: removed });
      });
    },
  };
}
