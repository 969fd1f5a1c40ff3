/** Tags of an organisation, assigned to its devices. Calls that span two organisations change nothing. */
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { tagsApi } from '@parapet/contract/tags.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped } from '../../core/db/scope.ts';
import { type Actor, scopeFor, scopeOf } from '../../core/http/actor.ts';
import { recordAudit } from '../../domain/audit.ts';
import { findDevices, findTags, insertTag, listTags, putTags, removeTag, takeTags } from './tags.store.ts';

export type TagsService = ReturnType<typeof createTagsService>;

export function createTagsService({ db }: { db: Database }) {
  return {
    async list(actor: Actor, client: number): Promise<AnswerOf<typeof tagsApi.list>> {
      const scope = scopeFor(actor, client);
      return scoped(db, scope, (tx) => listTags(tx, scope));
    },

    async saveNew(actor: Actor, input: { clientOrganizationID: number; name: string }): Promise<{ id: number }> {
      return scoped(db, scopeFor(actor, input.clientOrganizationID), async (tx) => {
        const id = await insertTag(tx, input.clientOrganizationID, input.name);
        if (id === undefined) throw problem.conflict(`A tag named "${input.name}" already exists.`);
        await recordAudit(tx, actor, {
          action: 'tag.saved',
          organisationId: input.clientOrganizationID,
          target: String(id),
          after: { name: input.name },
        });
        return { id };
      });
    },

    async remove(actor: Actor, id: number): Promise<void> {
      const scope = scopeOf(actor);
      await scoped(db, scope, async (tx) => {
        const [tag] = await findTags(tx, scope, [id]);
        if (!tag) throw problem.notFound('tag', id);
        await removeTag(tx, scope, id);
        await recordAudit(tx, actor, {
          action: 'tag.deleted',
          organisationId: tag.clientOrganizationID,
          target: String(id),
          before: { name: tag.name },
        });
      });
    },

    async tagDevices(actor: Actor, input: { devices: string[]; tags: { id: number; isDeleted: boolean }[] }): Promise<void> {
      const scope = scopeOf(actor);
      const deviceIds = [...new Set(input.devices)];
      const tagIds = [...new Set(input.tags.map((tag) => tag.id))];
      await scoped(db, scope, async (tx) => {
        const devices = await findDevices(tx, scope, deviceIds);
        const tags = await findTags(tx, scope, tagIds);
        const missingDevice = deviceIds.find((id) => !devices.some((device) => device.id === id));
        if (missingDevice) throw problem.notFound('device', missingDevice);
        const missingTag = tagIds.find((id) => !tags.some((tag) => tag.id === id));
        if (missingTag) throw problem.notFound('tag', missingTag);
        const organisations = new Set([
          ...devices.map((device) => device.organisationId),
          ...tags.map((tag) => tag.clientOrganizationID),
        ]);
        const [organisationId] = organisations;
        if (organisations.size !== 1 || organisationId === undefined) {
          throw problem.invalid({
            tags: ['Devices and tags must all belong to one client organisation. Select one and try again.'],
          });
        }
        await takeTags(
          tx,
          organisationId,
          deviceIds,
          input.tags.filter((tag) => tag.isDeleted).map((tag) => tag.id),
        );
        await putTags(
          tx,
          organisationId,
          deviceIds,
          input.tags.filter((tag) => !tag.isDeleted).map((tag) => tag.id),
        );
        await recordAudit(tx, actor, {
          action: 'devices.tagged',
          organisationId,
          target: deviceIds.join(','),
          after: input.tags,
        });
      });
    },
  };
}
