/** Device tags (spec §7.5). Reference feature: the complete pattern in its smallest form. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { clientId, id, name, organisationId, results } from './primitives.ts';

export const tag = z.object({
  id: z.number().int().describe('Tag ID.'),
  name: name.describe('Tag text.'),
  clientOrganizationID: organisationId.describe('Organisation of the tag.'),
  isDeleted: z.boolean().describe('True for a deleted tag.'),
});
export type Tag = z.infer<typeof tag>;

export const tagsApi = {
  list: endpoint({
    id: 'tags.list',
    route: 'GET /tags',
    allow: 'tags:read',
    freshness: 'none',
    summary: 'Lists the tags of a client by name.',
    query: z.object({ selectedClientOrgID: clientId.describe('The client; 0 for all in scope.') }),
    answer: results(tag),
  }),
  saveNew: endpoint({
    id: 'tags.saveNew',
    route: 'POST /tags/savenewtag',
    allow: 'tags:write',
    freshness: 'none',
    summary: 'Creates a tag.',
    body: z.object({
      clientOrganizationID: id.describe('Organisation of the tag.'),
      name: z.string().trim().min(1, 'A tag needs a name.').max(60, 'A tag has at most 60 characters.').describe('Tag text.'),
    }),
    answer: z.object({ id: z.number().int().describe('ID of the new tag.') }),
  }),
  remove: endpoint({
    id: 'tags.remove',
    route: 'POST /tags/deletetag',
    allow: 'tags:write',
    freshness: 'none',
    summary: 'Deletes a tag and removes it from its devices.',
    body: z.object({ id: id.describe('Tag ID.') }),
    answer: nothing,
  }),
  tagDevices: endpoint({
    id: 'tags.tagDevices',
    route: 'POST /tags/tagdevices',
    allow: 'tags:write',
    freshness: 'none',
    summary: 'Adds tags to devices, and removes those marked deleted.',
    body: z.object({
      devices: z.array(z.uuid()).min(1, 'Select at least one device.').max(1000).describe('Device UUIDs.'),
      tags: z
        .array(z.object({ id: id.describe('Tag ID.'), isDeleted: z.boolean().describe('true removes the tag, false adds it.') }))
        .min(1, 'Select at least one tag.')
        .max(50)
        .describe('Changes.'),
    }),
    answer: nothing,
  }),
};
