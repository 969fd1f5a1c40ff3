/** Webhooks of a client: addresses to which its products post events. */
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { AddButton } from '../../kit/AddButton.tsx';
import { SendOutlined } from '../../kit/icons/SendOutlined.tsx';
import { RowList } from '../../kit/RowList.tsx';
import { RowsBar } from '../../kit/rows.styles.ts';
import { EmptyState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { EditWebhook } from './parts/EditWebhook.tsx';
import { WebhookRow } from './parts/WebhookRow.tsx';
import { webhookSourcesQuery } from './webhookSources.queries.ts';

const refreshMs = 15_000;

export function WebhooksTab() {
  const { client, may } = useScope();
  const { search } = useSearchState();
  const query = useQuery({ ...webhookSourcesQuery(client), refetchInterval: refreshMs });
  const refusal = !may('connections:write')
    ? 'Your role can see webhooks, not change them.'
    : client === allClients
      ? 'Select a client to add a webhook.'
      : undefined;
  const edited = query.data?.results.find(({ id }) => String(id) === search.webhook);
  if (may('connections:write') && edited)
    return <EditWebhook key={edited.id} client={edited.clientOrganizationID} source={edited} />;
  if (!refusal && search.webhook === 'new') return <EditWebhook client={client} />;
  const add = (
    <AddButton
      reason={refusal}
      component={AppLink}
      href={paths.devices(client || undefined, { tab: 'webhooks', webhook: 'new' })}
    >
      Add webhook
    </AddButton>
  );
  return (
    <RowList
      label="Webhooks"
      what="webhooks"
      query={query}
      rowHeight={88}
      empty={
        <EmptyState
          icon={<SendOutlined />}
          title="No webhooks yet"
          text={`Products that can post JSON send events to a webhook of the portal. Paste a sample to map its fields. ${refusal ?? ''}`}
          actions={add}
        />
      }
      head={
        <RowsBar>
          {add}
          {refusal && <span className="hint">{refusal}</span>}
        </RowsBar>
      }
    >
      {(source) => <WebhookRow key={source.id} source={source} />}
    </RowList>
  );
}
