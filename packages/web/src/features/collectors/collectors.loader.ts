/** First query of the collector pages. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { configQuery } from './collectors.queries.ts';
import { kindOfPath } from './kinds.ts';

export const config: PageLoader = ({ scope: { client, may }, pathname }) =>
  client !== 0 && may('ingestKeys:write') ? [configQuery(client, kindOfPath(pathname))] : [];
