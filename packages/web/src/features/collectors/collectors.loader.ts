/** First query of the collector pages. */
import { allClients } from '@parapet/contract/access.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { configQuery } from './collectors.queries.ts';
import { kindOfPath } from './kinds.ts';

export const config: PageLoader = ({ scope: { client, may }, pathname }) =>
  client !== allClients && may('ingestKeys:write') ? [configQuery(client, kindOfPath(pathname))] : [];
