/** First queries of the audit log. */
import { queryOf } from '../../lib/listSchema.ts';
import type { PageLoader } from '../../lib/pageLoader.ts';
import { auditActionsQuery, auditList, auditListQuery, auditSealQuery, isolationQuery } from './audit.queries.ts';

export const list: PageLoader = ({ scope: { client, range, may }, search }) =>
  may('audit:read')
    ? [
        auditListQuery(client, range, queryOf(auditList.read(search))),
        auditActionsQuery(client, range),
        auditSealQuery(client),
        isolationQuery(client),
      ]
    : [];
