/** Webhooks of a client: addresses to which its products post events. */
import Button from '@mui/material/Button';
import { useQuery } from '@tanstack/react-query';
import { AddRounded } from '../../kit/icons/AddRounded.tsx';
import { SendOutlined } from '../../kit/icons/SendOutlined.tsx';
import { Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
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
  const { data, error, refetch } = useQuery({ ...webhookSourcesQuery(client), refetchInterval: refreshMs });
  const refusal = !may('connections:write')
    ? 'Your role can see webhooks, not change them.'
    : client === 0
      ? 'Select a client to add a webhook.'
      : undefined;
  const sources = data?.results;
  const edited = sources?.find(({ id }) => String(id) === search.webhook);
  if (may('connections:write') && edited)
    return <EditWebhook key={edited.id} client={edited.clientOrganizationID} source={edited} />;
  if (!refusal && search.webhook === 'new') return <EditWebhook client={client} />;
  const add = (
    <span title={refusal}>
      <Button
        variant="contained"
        size="small"
        startIcon={<AddRounded />}
        disabled={refusal !== undefined}
        component={AppLink}
        href={paths.devices(client || undefined, { tab: 'webhooks', webhook: 'new' })}
      >
        Add webhook
      </Button>
    </span>
  );
  return (
    <>
      {sources && sources.length > 0 && (
        <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px 12px', marginBottom: 16 }}>
          {add}
          {refusal && <span style={{ fontSize: 12 }}>{refusal}</span>}
        </div>
      )}
      {!sources &&
        (error ? (
          <FailedState what="webhooks" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={3} lineHeight={88} />
        ))}
      {sources?.length === 0 && (
        <EmptyState
          icon={<SendOutlined />}
          title="No webhooks yet"
          text={`Products that can post JSON send events to a webhook of the portal. Paste a sample to map its fields. ${refusal ?? ''}`}
          actions={add}
        />
      )}
      {sources && sources.length > 0 && (
        <Rows aria-label="Webhooks">
          {sources.map((source) => (
            <WebhookRow key={source.id} source={source} />
          ))}
        </Rows>
      )}
    </>
  );
}
