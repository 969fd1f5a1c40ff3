/** Deliveries (/apps/deliveries), for administrators: targets, the deliveries to each, and routing rules. */
import { useQuery } from '@tanstack/react-query';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { numberIn, oneIn, useSearchState } from '../../lib/address.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { refreshMs, targetsQuery } from './deliveries.queries.ts';
import { OnCallTab } from './parts/OnCallTab.tsx';
import { RulesTab } from './parts/RulesTab.tsx';
import { TargetDeliveries } from './parts/TargetDeliveries.tsx';
import { TargetsTab } from './parts/TargetsTab.tsx';

const tabs = ['targets', 'rules', 'oncall'] as const;
const titles = { targets: 'Targets', rules: 'Routing rules', oncall: 'On call' } as const;

export function DeliveriesPage() {
  useTitle('Deliveries');
  const scope = useScope();
  const { client, hasSelector, may } = scope;
  const { search } = useSearchState();
  const tab = oneIn(search.tab, tabs, 'targets');
  const isAllowed = may('deliveries:write');
  const { data, error, refetch } = useQuery({ ...targetsQuery(client), enabled: isAllowed, refetchInterval: refreshMs });
  if (!isAllowed)
    return (
      <>
        <PageHeader title="Deliveries" />
        <EmptyState
          title="Deliveries are for administrators"
          text="They send cases, responses and reports to other systems. Your role can’t see or change them."
        />
      </>
    );
  const targets = data?.results;
  const target = targets?.find(({ id }) => id === numberIn(search.target, 0));
  const hrefOf = (id: (typeof tabs)[number]) =>
    paths.deliveries({ client: hasSelector ? client : undefined, tab: id === 'targets' ? undefined : id });
  return (
    <>
      <PageHeader
        title="Deliveries"
        purpose={`Cases, alerts, responses and reports for other systems, with their confirmations, for ${clientLabel(scope)}`}
      />
      <TabLinks label="Deliveries" current={tab} tabs={tabs.map((id) => ({ id, title: titles[id], href: hrefOf(id) }))} />
      {tab === 'oncall' ? (
        <OnCallTab />
      ) : !targets ? (
        error ? (
          <FailedState what="targets" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={88} />
        )
      ) : tab === 'rules' ? (
        <RulesTab targets={targets} />
      ) : target ? (
        <TargetDeliveries key={target.id} target={target} backHref={hrefOf('targets')} />
      ) : (
        <TargetsTab targets={targets} />
      )}
    </>
  );
}
