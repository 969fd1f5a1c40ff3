/** Reporting (/apps/reporting): monthly report, reconciliation and email schedules. The toolbar’s timeframe selects the month (spec §2.2). */
import { allClients } from '@parapet/contract/access.ts';
import { reportingMonthOf } from '@parapet/contract/rules/timeframe.ts';
import { useMemo } from 'react';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { paths, type Query } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { ChooseClient } from '../organisations/parts/ChooseClient.tsx';
import { AllReports } from './parts/AllReports.tsx';
import { FileButtons } from './parts/FileButtons.tsx';
import { ReconciliationTab } from './tabs/ReconciliationTab.tsx';
import { ReportTab } from './tabs/ReportTab.tsx';
import { SchedulesTab } from './tabs/SchedulesTab.tsx';

const titles = { report: 'Report', balance: 'Reconciliation', schedules: 'Schedules' } as const;
type Tab = keyof typeof titles;

export function ReportingPage() {
  useTitle('Reporting');
  const { client, clientName, clients, hasSelector, timeframe, timeZone, may } = useScope();
  const { search } = useSearchState();
  const month = useMemo(() => reportingMonthOf(timeframe, Date.now(), timeZone), [timeframe, timeZone]);
  const tabs = (Object.keys(titles) as Tab[]).filter((tab) => tab !== 'schedules' || may('reports:schedule'));
  const tab = oneIn(search.tab, tabs, 'report');
  const isPartner = hasSelector && (clients.find(({ id }) => id === client)?.isPartner ?? false);
  // A partner opens the chooser of its clients; `own=1` opens its own report.
  const isChoosing = client === allClients || (isPartner && search.own !== '1');
  const own: Query = isPartner && !isChoosing ? { own: 1 } : {};
  const which = { client, year: month.year, month: month.month };
  const whose = client === allClients ? 'all clients' : clientName || 'your organisation';
  const to = (client: number, tab: Tab, more: Query = {}) =>
    paths.reporting({ client, timeframe: month.value, tab: tab === 'report' ? undefined : tab, ...more });
  const choice = (
    <ChooseClient
      purpose="Reports"
      partner={isPartner ? client : undefined}
      hrefOf={(id) => to(id, tab, id === client ? { own: 1 } : {})}
    />
  );
  return (
    <>
      <PageHeader
        title="Reporting"
        purpose={`${month.label}, ${whose}: incidents, response and recommendations`}
        actions={tab === 'report' && !isChoosing && <FileButtons which={which} clientName={clientName} />}
      />
      <TabLinks label="Reporting" current={tab} tabs={tabs.map((id) => ({ id, title: titles[id], href: to(client, id, own) }))} />
      {tab === 'balance' ? (
        <ReconciliationTab key={client} month={month} />
      ) : isChoosing ? (
        <>
          {tab === 'report' && may('reports:schedule') && <AllReports client={client} whose={whose} month={month} />}
          {choice}
        </>
      ) : tab === 'schedules' ? (
        <SchedulesTab key={client} client={client} />
      ) : (
        <ReportTab key={`${client} ${month.label}`} which={which} month={month} />
      )}
    </>
  );
}
