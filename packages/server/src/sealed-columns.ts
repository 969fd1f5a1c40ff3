import { type ColumnList, keysColumns } from './core/keys/columns.ts';
import { authColumns } from './features/auth/auth.sealed.ts';
import { connectionsColumns } from './features/connections/connections.sealed.ts';
import { deliveriesColumns } from './features/deliveries/deliveries.sealed.ts';
import { intelligenceColumns } from './features/intelligence/intelligence.sealed.ts';
import { outboxColumns } from './features/outbox/outbox.sealed.ts';
import { webhookSourcesColumns } from './features/webhook-sources/webhook-sources.sealed.ts';

/** Sealed columns of all features. */
export const sealedColumns: ColumnList = {
  ...keysColumns,
  ...authColumns,
  ...connectionsColumns,
  ...deliveriesColumns,
  ...intelligenceColumns,
  ...outboxColumns,
  ...webhookSourcesColumns,
};
