/** A rule (/apps/rule/{id}): summary, text, versions, tests, differences by client, and history. */
import Button from '@mui/material/Button';
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { SeverityChip } from '../../kit/Severity.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { visibleText } from '../../kit/visible.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { BackLink } from '../../lib/BackLink.tsx';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { SettingsTab } from './parts/RuleSettings.tsx';
import { RuleStateMark } from './parts/RuleStateMark.tsx';
import { HistoryTab, SummaryTab } from './parts/RuleSummary.tsx';
import { TestsTab } from './parts/RuleTests.tsx';
import { NewRule, TextTab } from './parts/RuleText.tsx';
import { VersionsTab } from './parts/RuleVersions.tsx';
import { ruleQuery } from './rules.queries.ts';
import { shownState } from './rules.ts';

const tabs = {
  summary: { title: 'Summary', Tab: SummaryTab, isStaffs: false },
  text: { title: 'Text', Tab: TextTab, isStaffs: false },
  versions: { title: 'Versions', Tab: VersionsTab, isStaffs: false },
  tests: { title: 'Tests', Tab: TestsTab, isStaffs: true },
  clients: { title: 'Clients and exceptions', Tab: SettingsTab, isStaffs: false },
  history: { title: 'History', Tab: HistoryTab, isStaffs: true },
};
const tabIds = Object.keys(tabs) as (keyof typeof tabs)[];

export function RulePage() {
  const { ruleID = '' } = useParams({ strict: false }) as { ruleID?: string };
  const { client } = useScope();
  const back = <BackLink href={paths.rules({ client })}>Rules</BackLink>;
  return ruleID === 'new' ? (
    <>
      <PageHeader above={back} title="New rule" purpose="Saved as a draft: it raises no alerts until it goes live." />
      <NewRule />
    </>
  ) : (
    <Rule ruleID={ruleID} back={back} />
  );
}

function Rule({ ruleID, back }: { ruleID: string; back: ReactNode }) {
  const { client, hasSelector } = useScope();
  const { search } = useSearchState();
  const { data: rule, error, refetch } = useQuery(ruleQuery(client, ruleID));
  useTitle(rule ? visibleText(rule.title) : 'Rule');
  if (!rule)
    return (
      <>
        <PageHeader above={back} title="Rule" />
        {error instanceof Problem && error.code === 'notFound' ? (
          <EmptyState title="Rule not found" text="It may have been removed, or belongs to another organisation." />
        ) : error ? (
          <FailedState what="the rule" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={10} />
        )}
      </>
    );
  const shown = tabIds.filter((id) => hasSelector || !tabs[id].isStaffs);
  const tab = oneIn(search.tab, shown, 'summary');
  const { Tab } = tabs[tab];
  return (
    <article>
      <PageHeader
        above={
          <>
            {back}
            <SeverityChip severity={rule.criticality} />
            <RuleStateMark state={shownState(rule)} />
          </>
        }
        title={<VisibleText text={rule.title} />}
        purpose={<VisibleText text={rule.logSource || 'Any log source'} />}
        actions={
          <Button component={AppLink} href={paths.alerts(client || undefined, { rule: rule.ruleID, timeframe: 'last30Days' })}>
            Alerts
          </Button>
        }
      />
      <TabLinks
        label="Rule"
        current={tab}
        tabs={shown.map((id) => ({
          id,
          title: tabs[id].title,
          href: paths.rule(ruleID, { client, tab: id === 'summary' ? undefined : id }),
        }))}
      />
      <Tab rule={rule} />
    </article>
  );
}
