/** Email subscriptions by user (/apps/mailsubscriptions), for administrators. Changes are saved immediately. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SearchField } from '../../kit/SearchField.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { Pager, pageSizes } from '../../kit/TablePager.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { numberIn, useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { SubscriptionGrid } from './parts/SubscriptionGrid.tsx';
import { subscriptionsQuery, useChooseKind } from './subscriptions.queries.ts';
import { matching } from './subscriptions.ts';

const Bar = styled('div')({ marginBottom: 12 });

export function MailSubscriptionsPage() {
  useTitle('Email subscriptions');
  const { client, clientName, may } = useScope();
  const { search, change } = useSearchState();
  const isAllowed = may('mailSubscriptions:write');
  const { data, error, refetch } = useQuery({ ...subscriptionsQuery(client), enabled: isAllowed });
  const choose = useChooseKind(client);
  const text = (search.text ?? '').slice(0, 200);
  const size = numberIn(search.pageSize, 50);
  const pageSize = pageSizes.find((each) => each === size) ?? 50;

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
  const pages = Math.max(1, Math.ceil((found?.length ?? 0) / pageSize));
  const page = Math.min(numberIn(search.page, 1), pages);
  const rows = found?.slice((page - 1) * pageSize, page * pageSize);
  return (
    <>
      <PageHeader
        title="Email subscriptions"
        purpose={`Emails by user, for ${client === 0 ? 'all clients' : clientName || 'your organisation'}. Changes take effect immediately. Account security emails are always sent.`}
      />
      <Bar>
        <SearchField
          value={text}
          onChange={(text) => change({ text, page: undefined }, { replace: true })}
          label="Search users"
          hasShortcut
          width={260}
        />
      </Bar>
      {!rows || !found ? (
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
              <Button variant="outlined" size="small" onClick={() => change({ text: undefined, page: undefined })}>
                Clear search
              </Button>
            )
          }
        />
      ) : (
        <>
          <SubscriptionGrid
            rows={rows}
            hasClients={client === 0}
            onChoose={(row, kind, isOn) => choose.mutate({ row, kind, isOn })}
          />
          <Pager
            page={page}
            pageSize={pageSize}
            total={found.length}
            shown={rows.length}
            onChange={(page, pageSize) =>
              change({ page: page === 1 ? undefined : page, pageSize: pageSize === 50 ? undefined : pageSize })
            }
          />
        </>
      )}
    </>
  );
}
