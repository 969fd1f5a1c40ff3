/**
 * Event search (/apps/events): raw events, unprocessed input, and intake counts. Each event number of the reconciliation links to one
 * of these tabs.
 */
import { PageHeader } from '../../kit/PageHeader.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
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
  const { client, clientName, period, may } = useScope();
  const { search } = useSearchState();
  const tabs = (Object.keys(titles) as Tab[]).filter((tab) => tab !== 'intake' || may('dashboard:read'));
  const tab = oneIn(search.tab, tabs, 'search');
  const whose = client === 0 ? 'all clients' : clientName || 'your organisation';
  const purposes: Record<Tab, string> = {
    search: `Raw events of ${whose}, newest first. Searches are recorded in the audit log.`,
    aside: `Input for ${whose} that couldn’t be parsed as events, newest first. Access is recorded in the audit log.`,
    intake: `Received events for ${whose} and their outcome, by UTC day of arrival.`,
  };
  const hrefOf = (to: Tab) =>
    paths.events({
      client: search.client,
      timeframe: search.timeframe,
      on: search.on,
      // UTC days come from the reconciliation, which counts by arrival.
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
        <EmptyState title="Your role can’t view raw events" text="Ask an administrator of your organisation for access." />
      )}
    </>
  );
}
