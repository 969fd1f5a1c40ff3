/** Saved list views: named filters, order and columns; private, or shared with the organisation. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, line, name, organisationId, results } from './primitives.ts';

/** Lists with saved views. */
export const viewLists = [
  'alerts',
  'devices',
  'users',
  'cases',
  'reviews',
  'audit',
  'events',
  'suppressions',
  'responses',
] as const;
export type ViewList = (typeof viewLists)[number];

const query = z.string().max(2000);
const columns = z.array(z.string().max(64)).max(50);

export const savedView = z.object({
  id: id.describe('View ID.'),
  list: z.enum(viewLists).describe('List of the view.'),
  name: name.describe('View name.'),
  query: query.describe('Filters and order, as the query string of the list.'),
  columns: columns.describe('Hidden columns.'),
  isShared: z.boolean().describe('True when shared with the owner’s organisation.'),
  isSharedBelow: z.boolean().describe('True when shared with the clients of the organisation as well.'),
  isMine: z.boolean().describe('True for the caller’s own view.'),
  ownerName: line.describe('Owner; empty for views of the provider or partner above.'),
  clientOrganizationID: organisationId.describe('Organisation of the owner.'),
});
export type SavedView = z.infer<typeof savedView>;

const body = z.object({
  list: z.enum(viewLists).describe('List of the view.'),
  name: name.describe('View name.'),
  query: query.describe('Filters and order, as the query string of the list.'),
  columns: columns.default([]).describe('Hidden columns.'),
  isShared: z.boolean().default(false).describe('True to share it with the caller’s organisation.'),
  isSharedBelow: z.boolean().default(false).describe('True to share it with the clients of that organisation as well.'),
});

export const viewsApi = {
  list: endpoint({
    id: 'views.list',
    route: 'GET /views/:list',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Lists the saved views of a list: the caller’s own and those shared in their organisation, or with it from above.',
    params: z.object({ list: z.enum(viewLists).describe('List name.') }),
    answer: results(savedView, 500),
  }),
  create: endpoint({
    id: 'views.create',
    route: 'POST /views',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Saves a view, replacing the caller’s own view of the same name.',
    body,
    answer: savedView,
  }),
  update: endpoint({
    id: 'views.update',
    route: 'PUT /views/:id',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Updates one of the caller’s views.',
    params: z.object({ id: id.describe('View ID.') }),
    body,
    answer: savedView,
  }),
  remove: endpoint({
    id: 'views.remove',
    route: 'DELETE /views/:id',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Deletes one of the caller’s views.',
    params: z.object({ id: id.describe('View ID.') }),
    answer: nothing,
  }),
};
