/** Email subscriptions by user (/apps/mailsubscriptions), for administrators. Changes are saved immediately. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { Pager } from '../../kit/TablePager.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { listSchema, search } from '../../lib/listSchema.ts';
import { pageOf } from '../../lib/paging.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { useListState } from '../../lib/useListState.ts';
import { SubscriptionGrid } from './parts/SubscriptionGrid.tsx';
import { subscriptionsQuery, useChooseKind } from './subscriptions.queries.ts';
import { matching } from './subscriptions.ts';

const subscriptionList = listSchema({ text: search() });

const Bar = styled('div')({ marginBottom: 12 });

export function MailSubscriptionsPage() {
  useTitle('Email subscriptions');
  const { client, clientName, may } = useScope();
  const list = useListState(subscriptionList);
  const isAllowed = may('mailSubscriptions:write');
  const { data, error, refetch } = useQuery({ ...subscriptionsQuery(client), enabled: isAllowed });
  const choose = useChooseKind(client);
  const { text } = list.state;

  if (!isAllowed) {
    return (
      <>
        <PageHeader title="Email subscriptions" />
        <EmptyState
          title="Other users’ subscriptions are for administrators"
          text="Manage your own in your settings."
          actions={
            <Button component={AppLink} href={paths.settings({ tab: 'notifications' })} variant="outlined" size="small">
              My notifications
            </Button>
          }
        />
      </>
    );
  }

  const found = data && matching(data.results, text);
  const { rows, paging } = pageOf(list, found);
  return (
    <>
      <PageHeader
        title="Email subscriptions"
        purpose={`Emails by user, for ${client === allClients ? 'all clients' : clientName || 'your organisation'}. Changes take effect immediately. Account security emails are always sent.`}
      />
      <Bar>
        <SearchField
          value={text}
          onChange={(text) => list.set({ text }, { replace: true })}
          label="Search users"
          hasShortcut
          width={260}
        />
      </Bar>
      {!rows ? (
        error ? (
          <FailedState what="subscriptions" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={12} lineHeight={44} />
        )
      ) : rows.length === 0 ? (
        <EmptyState
          title={text ? 'No matching users' : 'No users yet'}
          text={text ? 'Shorten the search or select another client.' : 'Users appear here once they are invited.'}
          actions={
            text && (
              <Button variant="outlined" size="small" onClick={list.reset}>
                Clear search
              </Button>
            )
          }
        />
      ) : (
        <>
          <SubscriptionGrid
            rows={rows}
            hasClients={client === allClients}
            onChoose={(row, kind, isOn) => choose.mutate({ row, kind, isOn })}
          />
          <Pager {...paging} shown={rows.length} />
        </>
      )}
    </>
  );
}
