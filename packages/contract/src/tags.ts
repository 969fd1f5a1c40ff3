/** Tags on devices (spec §7.5): the golden feature, the whole pattern in its smallest form. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, name, organisationId, results } from './primitives.ts';

export const tag = z.object({
  id: z.number().int().describe('Names the tag.'),
  name: name.describe('What the tag says.'),
  clientOrganizationID: organisationId.describe('The organisation that the tag belongs to.'),
  isDeleted: z.boolean().describe('Whether the tag was deleted.'),
});
export type Tag = z.infer<typeof tag>;

export const tagsApi = {
  list: endpoint({
    id: 'tags.list',
    method: 'GET',
    path: '/tags',
    allow: 'tags:read',
    freshness: 'none',
    summary: 'The tags of a client, by name.',
    query: z.object({ selectedClientOrgID: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(tag),
  }),
  saveNew: endpoint({
    id: 'tags.saveNew',
    method: 'POST',
    path: '/tags/savenewtag',
    allow: 'tags:write',
    freshness: 'none',
    summary: 'Makes a tag.',
    body: z.object({
      clientOrganizationID: id.describe('The organisation that the tag is for.'),
      name: z
        .string()
        .trim()
        .min(1, 'A tag needs a name.')
        .max(60, 'A tag has at most 60 characters.')
        .describe('What the tag says.'),
    }),
    answer: z.object({ id: z.number().int().describe('Names the new tag.') }),
  }),
  remove: endpoint({
    id: 'tags.remove',
    method: 'POST',
    path: '/tags/deletetag',
    allow: 'tags:write',
    freshness: 'none',
    summary: 'Deletes a tag and takes it off its devices.',
    body: z.object({ id: id.describe('The tag.') }),
    answer: nothing,
  }),
  tagDevices: endpoint({
    id: 'tags.tagDevices',
    method: 'POST',
    path: '/tags/tagdevices',
    allow: 'tags:write',
    freshness: 'none',
    summary: 'Puts tags on devices, and takes off those marked deleted.',
    body: z.object({
      devices: z.array(z.uuid()).min(1, 'Choose at least one device.').max(1000).describe('Which devices, by uuid.'),
      tags: z
        .array(
          z.object({ id: id.describe('The tag.'), isDeleted: z.boolean().describe('true takes the tag off, false puts it on.') }),
        )
        .min(1, 'Choose at least one tag.')
        .max(50)
        .describe('What changes.'),
    }),
    answer: nothing,
  }),
};
