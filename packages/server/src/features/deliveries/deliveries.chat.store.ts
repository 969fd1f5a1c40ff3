/** SQL of accounts in chat. */
import type { Press } from '@parapet/connectors/out/target.ts';
import type { Scope, Tx } from '../../core/db/scope.ts';
import { within } from '../../core/db/within.ts';
import { shownName } from '../../domain/visibility.ts';

export interface ChatAccountRow {
  id: number;
  kind: string;
  name: string;
  workspace: string;
  linkedAt: Date;
}

/** The person of an account in chat at targets of an owner; undefined before it is linked. The transaction has the system scope. */
export async function findChatUser(
  tx: Tx,
  { organisationId: owner, kind }: { organisationId: number; kind: string },
  { workspace, account }: Pick<Press, 'workspace' | 'account'>,
): Promise<number | undefined> {
  const row = await tx
    .selectFrom('chat_accounts')
    .select('user_id as userId')
    .where('owner_id', '=', owner)
    .where('kind', '=', kind)
    .where('workspace_id', '=', workspace)
    .where('account_id', '=', account)
    .executeTakeFirst();
  return row?.userId;
}

export const listAccounts = (tx: Tx, scope: Scope, userId: number): Promise<ChatAccountRow[]> =>
  tx
    .selectFrom('chat_accounts')
    .select(['id', 'kind', 'account_name as name', 'workspace_id as workspace', 'linked_at as linkedAt'])
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .orderBy('id')
    .limit(100)
    .execute();

/** Links an account, in place of an earlier link by the same person. Returns its id; undefined when it is linked to another one. */
export async function linkAccount(
  tx: Tx,
  link: {
    organisationId: number;
    userId: number;
    owner: number;
    kind: string;
    workspace: string;
    account: string;
    name: string;
    at: Date;
  },
): Promise<number | undefined> {
  const own = { organisation_id: link.organisationId, user_id: link.userId, account_name: link.name, linked_at: link.at };
  const row = await tx
    .insertInto('chat_accounts')
    .values({ ...own, owner_id: link.owner, kind: link.kind, workspace_id: link.workspace, account_id: link.account })
    .onConflict((conflict) =>
      conflict
        .columns(['owner_id', 'kind', 'workspace_id', 'account_id'])
        .doUpdateSet(own)
        .where('chat_accounts.user_id', '=', link.userId),
    )
    .returning('id')
    .executeTakeFirst();
  return row?.id;
}

/** Returns the removed link; undefined without one. */
export const unlinkAccount = (tx: Tx, scope: Scope, userId: number, id: number) =>
  tx
    .deleteFrom('chat_accounts')
    .where(within('organisation_id', scope))
    .where('user_id', '=', userId)
    .where('id', '=', id)
    .returning(['kind', 'workspace_id as workspace', 'account_id as account'])
    .executeTakeFirst();

/** The recorded acknowledgement of a case, with its person as the organisation may know them; undefined before it. */
export const findAcknowledgement = (tx: Tx, organisationId: number, caseId: number) =>
  tx
    .selectFrom('cases')
    .select([
      'acknowledged_by as userId',
      shownName({ organisationIds: [organisationId] }, 'acknowledged_by', 'acknowledged_by_name').as('name'),
    ])
    .where('id', '=', caseId)
    .where('acknowledged_at', 'is not', null)
    .executeTakeFirst();
