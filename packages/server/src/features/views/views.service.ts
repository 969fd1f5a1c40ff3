/** Saved views of lists, private or shared within the organisation. Only the owner can change a view; private ones of others are 404. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { SavedView, ViewList, viewsApi } from '@parapet/contract/views.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, scoped, type Tx } from '../../core/db/scope.ts';
import { type Actor, ownScope } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { lockUser } from '../../domain/user-lock.ts';
import {
  countOwnViews,
  findOwnView,
  findOwnViewByName,
  insertView,
  listViews,
  listViewsFromAbove,
  maxListed,
  removeView,
  updateView,
  type ViewInput,
} from './views.store.ts';

const maxViews = 200;

/** Audited fields of a view. */
const logged = ({ list, name, query, columns, isShared, isSharedBelow }: SavedView): ViewInput => ({
  list,
  name,
  query,
  columns,
  isShared,
  isSharedBelow,
});

export type ViewsService = ReturnType<typeof createViewsService>;

export function createViewsService({ db }: { db: Database }) {
  /** Saves a view, or creates one, and returns it. Audits shared ones only, which others see. */
  const save = async (tx: Tx, actor: Actor, before: SavedView | undefined, view: ViewInput): Promise<SavedView> => {
    const scope = ownScope(actor);
    const id = before?.id ?? (await insertView(tx, actor, view));
    if (before) await updateView(tx, scope, id, view);
    if (before?.isShared || view.isShared)
      await recordAudit(tx, actor, {
        action: 'view.saved',
        organisationId: actor.organisationId,
        target: String(id),
        ...(before && { before: logged(before) }),
        after: view,
      });
    return { ...view, id, isMine: true, ownerName: actor.displayName, clientOrganizationID: actor.organisationId };
  };

  return {
    async list(actor: Actor, list: ViewList): Promise<AnswerOf<typeof viewsApi.list>> {
      const scope = ownScope(actor);
      return readScoped(db, scope, async (tx) => {
        const own = await listViews(tx, scope, actor.userId, list);
        const above = await listViewsFromAbove(tx, actor.organisationId, list);
        return { results: [...own.results, ...above].slice(0, maxListed), total: own.total + above.length };
      });
    },

    async create(actor: Actor, view: ViewInput): Promise<SavedView> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => {
        await lockUser(tx, scope, actor.userId);
        const before = await findOwnViewByName(tx, scope, actor.userId, view);
        if (!before && (await countOwnViews(tx, scope, actor.userId)) >= maxViews)
          throw problem.conflict(`You’ve reached the limit of ${maxViews} saved views. Delete one that you no longer need.`);
        return save(tx, actor, before, view);
      });
    },

    async update(actor: Actor, id: number, view: ViewInput): Promise<SavedView> {
      const scope = ownScope(actor);
      return scoped(db, scope, async (tx) => {
        await lockUser(tx, scope, actor.userId);
        const before = await findOwnView(tx, scope, actor.userId, id);
        if (!before) throw problem.notFound('view', id);
        const namesake = await findOwnViewByName(tx, scope, actor.userId, view);
        if (namesake && namesake.id !== id) throw problem.conflict(`You already have a view named "${view.name}" for this list.`);
        return save(tx, actor, before, view);
      });
    },

    async remove(actor: Actor, id: number): Promise<void> {
      const scope = ownScope(actor);
      await scoped(db, scope, async (tx) => {
        const before = await findOwnView(tx, scope, actor.userId, id);
        if (!before) throw problem.notFound('view', id);
        await removeView(tx, scope, id);
        if (before.isShared)
          await recordAudit(tx, actor, {
            action: 'view.deleted',
            organisationId: actor.organisationId,
            target: String(id),
            before: logged(before),
          });
      });
    },
  };
}
