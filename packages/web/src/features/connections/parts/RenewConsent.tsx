/** Asks for the consent of a connection again, by an invitation that names its tenant. */
import type { Connection } from '@parapet/contract/connections.ts';
import { useQuery } from '@tanstack/react-query';
import { kindsQuery } from '../connections.queries.ts';
import { InviteDialog } from './Invites.tsx';

export function RenewConsent({ connection, onClose }: { connection: Connection; onClose: () => void }) {
  const kind = useQuery(kindsQuery).data?.results.find(({ id }) => id === connection.kind);
  const { clientOrganizationID: client, name, account: tenant } = connection;
  return kind ? <InviteDialog client={client} kind={kind} renewed={{ name, tenant }} onClose={onClose} /> : null;
}
