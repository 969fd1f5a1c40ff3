/** Event search (/apps/events): raw events, unprocessed input and intake figures. The reconciliation links here. */
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { DeadLettersTab } from './tabs/DeadLettersTab.tsx';
import { IntakeTab } from './tabs/IntakeTab.tsx';
import { SearchTab } from './tabs/SearchTab.tsx';

const titles = { search: 'Events', aside: 'Unprocessed', intake: 'Intake' } as const;
type Tab = keyof typeof titles;

export function EventsPage() {
  useTitle('Event search');
  const scope = useScope();
  const { period, may } = scope;
  const { search } = useSearchState();
  const tabs = (Object.keys(titles) as Tab[]).filter((tab) => tab !== 'intake' || may('dashboard:read'));
  const tab = oneIn(search.tab, tabs, 'search');
  const whose = clientLabel(scope);
  const purposes: Record<Tab, string> = {
    search: `Raw events of ${whose}, newest first. Searches are audited.`,
    aside: `Input for ${whose} that could not be parsed, newest first. Access is audited.`,
    intake: `Events received for ${whose} by outcome and UTC day of arrival.`,
  };
  const hrefOf = (to: Tab) =>
    paths.events({
      client: search.client,
      timeframe: search.timeframe,
      on: search.on,
      // UTC days are those of the reconciliation, which counts by arrival.
      by: period?.endsWith('Z') ? 'arrived' : search.by,
      tab: to === 'search' ? undefined : to,
    });
  return (
    <>
      <PageHeader title="Event search" purpose={purposes[tab]} />
      {may('events:read') ? (
        <>
          <TabLinks label="Event search" current={tab} tabs={tabs.map((id) => ({ id, title: titles[id], href: hrefOf(id) }))} />
          {tab === 'aside' ? <DeadLettersTab /> : tab === 'intake' ? <IntakeTab /> : <SearchTab />}
        </>
      ) : (
        <EmptyState
          title="No access to raw events"
          text="You don’t have permission to see raw events. Contact an administrator of your organisation."
        />
      )}
    </>
  );
}
