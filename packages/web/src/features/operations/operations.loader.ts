/** First query of the operations page. */
import type { PageLoader } from '../../lib/pageLoader.ts';
import { findingsQuery, isolationQuery, operationsQuery } from './operations.queries.ts';

export const page: PageLoader = ({ scope: { may } }) =>
  may('operations:read') ? [operationsQuery, isolationQuery, findingsQuery] : [];
