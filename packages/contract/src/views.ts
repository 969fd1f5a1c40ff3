/** Saved views of lists: filters, order and columns under a name; one's own, or shared with one's organisation. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { id, line, name, organisationId, results } from './primitives.ts';

/** Lists that have views; each later list adds its own. */
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
  id: id.describe('Names the view.'),
  list: z.enum(viewLists).describe('Which list it is of.'),
  name: name.describe('What people call it.'),
  query: query.describe('The filters and the order, as the query of the list’s address.'),
  columns: columns.describe('Hidden columns.'),
  isShared: z.boolean().describe('Whether everybody of the owner’s organisation sees it.'),
  isMine: z.boolean().describe('Whether it is the caller’s own.'),
  ownerName: line.describe('Whose it is.'),
  clientOrganizationID: organisationId.describe('The owner’s organisation.'),
});
export type SavedView = z.infer<typeof savedView>;

const body = z.object({
  list: z.enum(viewLists).describe('Which list it is of.'),
  name: name.describe('What people call it.'),
  query: query.describe('The filters and the order, as the query of the list’s address.'),
  columns: columns.default([]).describe('Hidden columns.'),
  isShared: z.boolean().default(false).describe('Whether everybody of one’s organisation sees it.'),
});

export const viewsApi = {
  list: endpoint({
    id: 'views.list',
    method: 'GET',
    path: '/views/:list',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Saved views of a list: one’s own and those shared within one’s organisation.',
    params: z.object({ list: z.enum(viewLists).describe('Which list.') }),
    answer: results(savedView, 500),
  }),
  create: endpoint({
    id: 'views.create',
    method: 'POST',
    path: '/views',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Saves a view; one’s own of the same name is written anew.',
    body,
    answer: savedView,
  }),
  update: endpoint({
    id: 'views.update',
    method: 'PUT',
    path: '/views/:id',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Changes one’s own view.',
    params: z.object({ id: id.describe('The view.') }),
    body,
    answer: savedView,
  }),
  remove: endpoint({
    id: 'views.remove',
    method: 'DELETE',
    path: '/views/:id',
    allow: 'views:use',
    freshness: 'none',
    summary: 'Deletes one’s own view.',
    params: z.object({ id: id.describe('The view.') }),
    answer: nothing,
  }),
};
