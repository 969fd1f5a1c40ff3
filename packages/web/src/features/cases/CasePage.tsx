/** Case page (/apps/case/{id}): header, tabs of which the first is the story, and verdict, SLA timers and actions at the side. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { type ComponentType, Suspense, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Hidden } from '../../kit/Announced.tsx';
import { lazyPanel } from '../../kit/LazyPanel.tsx';
import { palette } from '../../kit/palette.ts';
import { Section } from '../../kit/Section.tsx';
import { SkeletonBar, TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedLine, FailedState } from '../../kit/States.tsx';
import { UnsavedDialog } from '../../kit/UnsavedDialog.tsx';
import { useShortcuts } from '../../kit/useShortcut.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { oneIn, useSearchState } from '../../lib/address.ts';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { useLeaveGuard } from '../../lib/useLeaveGuard.ts';
import { caseQuery } from './cases.queries.ts';
import { type CaseTab, caseTabs, tabIds } from './caseTabs.ts';
import { likeOf } from './caseTexts.ts';
import { lastCases } from './lastCases.ts';
import { AcknowledgeDialog } from './parts/AcknowledgeDialog.tsx';
import { BackToCases, CaseHeader } from './parts/CaseHeader.tsx';
import { CaseRail } from './parts/CaseRail.tsx';
import { ClientQuestion } from './parts/ClientQuestion.tsx';
import { StoryTab } from './tabs/StoryTab.tsx';
import { type Draft, type NoteDraft, newNote, type TabProps } from './tabs/tab.ts';
import { useCaseActions } from './useCaseActions.tsx';
import { useFollowedCase } from './useFollowedCase.ts';
import { usePrint } from './usePrint.ts';
import { useRespond } from './useRespond.tsx';

const tabs: Record<CaseTab, ComponentType<TabProps>> = {
  story: StoryTab,
  alerts: lazyPanel('the alerts', () => import('./tabs/AlertsTab.tsx').then((module) => module.AlertsTab)),
  timeline: lazyPanel('the timeline', () => import('./tabs/TimelineTab.tsx').then((module) => module.TimelineTab)),
  artifacts: lazyPanel('the artifacts', () => import('./tabs/ArtifactsTab.tsx').then((module) => module.ArtifactsTab)),
  tasks: lazyPanel('the tasks', () => import('./tabs/TasksTab.tsx').then((module) => module.TasksTab)),
  notes: lazyPanel('the notes', () => import('./tabs/NotesTab.tsx').then((module) => module.NotesTab)),
  mail: lazyPanel('the emails', () => import('./tabs/MailTab.tsx').then((module) => module.MailTab)),
  contact: lazyPanel('the contacts', () => import('./tabs/ContactTab.tsx').then((module) => module.ContactTab)),
};

const TabBar = styled('div')({
  position: 'sticky',
  top: 'var(--toolbar-height, 56px)',
  zIndex: 2,
  backgroundColor: palette.background.default,
});
/** Height of the tab bar with its margin. */
const tabBarHeight = 54;

const Columns = styled('div')({
  display: 'grid',
  gap: 24,
  gridTemplateColumns: 'minmax(0, 1fr)',
  '& > .rail': { display: 'flex', flexDirection: 'column', gap: 16, minWidth: 0 },
  '@media (min-width: 1100px)': {
    gridTemplateColumns: 'minmax(0, 1fr) 300px',
    '& > .rail': {
      position: 'sticky',
      top: `calc(var(--toolbar-height, 56px) + ${tabBarHeight}px)`,
      alignSelf: 'start',
      maxHeight: `calc(100dvh - var(--toolbar-height, 56px) - var(--bottom-height, 0px) - ${tabBarHeight + 16}px)`,
      overflowY: 'auto',
      scrollbarWidth: 'thin',
    },
  },
});

export function CasePage() {
  const { id: text } = useParams({ strict: false }) as { id?: string };
  const id = objectIdIn(text);
  const { data, error, refetch } = useQuery({ ...caseQuery(id ?? 1, useScope()), enabled: id !== undefined });
  const detail = data?.caseGeneralInfo.id === id ? data : undefined;
  const list = lastCases.last()?.address ?? paths.cases();

  useTitle(detail ? `Case ${detail.caseGeneralInfo.incidentID}` : 'Case');
  useFollowedCase(detail);
  useEffect(() => {
    if (id !== undefined) lastCases.remember({ address: list, case: id });
  }, [id, list]);

  if (detail) return <Opened key={id} detail={detail} error={error} onRetry={() => void refetch()} />;
  const isMissing = id === undefined || (error instanceof Problem && (error.code === 'notFound' || error.code === 'invalid'));
  if (!isMissing && !error) return <Loading />;
  return (
    <>
      <BackToCases />
      <Hidden as="h1">{id === undefined ? 'Case' : `Case ${id}`}</Hidden>
      {isMissing ? (
        <EmptyState
          title={id === undefined ? 'Invalid case number' : `Case ${id} not found`}
          text="You may not have access to its organisation."
          actions={
            <Button component={AppLink} href={list} variant="outlined" size="small">
              Back to cases
            </Button>
          }
        />
      ) : (
        <FailedState what="the case" error={error} onRetry={() => void refetch()} />
      )}
    </>
  );
}

function Opened({ detail, error, onRetry }: { detail: CaseDetail; error: unknown; onRetry: () => void }) {
  const { timeZone } = useScope();
  const { search } = useSearchState();
  const tab = oneIn(search.tab, tabIds, 'story');
  const actions = useCaseActions(detail.can);
  const respond = useRespond(detail);
  const { Report, print } = usePrint(true);
  const [narrative, setNarrative] = useState<Draft>();
  const [note, setNote] = useState<NoteDraft>(newNote);
  const hasDraft = (narrative?.text.trim() ?? '') !== '' || note.text.trim() !== '';
  const guard = useLeaveGuard(hasDraft);
  const { id, newAlerts } = detail.caseGeneralInfo;
  const of = likeOf(detail);
  const onAction = (name: string) =>
    document.querySelector(`.rail button[aria-label^="${name}"]`) ?? document.activeElement ?? document.body;
  useShortcuts({
    a: () => actions.assignToMe(of),
    s: () => actions.askStatus(of, onAction('Status')),
    c: () => actions.close(of),
    z: actions.undo,
  });
  const Tab = tabs[tab];
  const unseen = newAlerts > 99 ? '99+' : newAlerts;
  const top = useTabTop(tab);

  return (
    <>
      {Report && <Report detail={detail} timeZone={timeZone} />}
      <article className={Report ? 'no-print' : undefined}>
        {error ? <FailedLine what="the latest state of this case" error={error} onRetry={onRetry} /> : null}
        <CaseHeader detail={detail} />
        <ClientQuestion detail={detail} />
        <div ref={top} />
        <TabBar className="no-print">
          <TabLinks
            label="Case"
            current={tab}
            tabs={caseTabs.map(({ id: name, title }) => ({
              id: name,
              title: name === 'alerts' && newAlerts > 0 ? `${title} (${unseen} new)` : title,
              href: paths.case(id, name === 'story' ? {} : { tab: name }),
            }))}
          />
        </TabBar>
        <Columns>
          <Box sx={{ minWidth: 0 }}>
            <Suspense fallback={<TextSkeleton lines={8} />}>
              <Tab detail={detail} timeZone={timeZone} respond={respond} drafts={{ narrative, setNarrative, note, setNote }} />
            </Suspense>
          </Box>
          <aside className="rail no-print" aria-label="Case actions">
            <CaseRail detail={detail} timeZone={timeZone} actions={actions} respond={respond} onPrint={print} />
          </aside>
        </Columns>
      </article>
      {actions.dialogs}
      <AcknowledgeDialog detail={detail} actions={actions} />
      {respond.dialog}
      <UnsavedDialog {...guard.dialog} />
    </>
  );
}

/** Place of the tab bar; a switched tab begins below the bar, however far the tab before was scrolled. */
function useTabTop(tab: CaseTab) {
  const top = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another tab begins at its top.
  useLayoutEffect(() => {
    const place = top.current;
    if (place && place.getBoundingClientRect().top < 0) place.scrollIntoView({ block: 'start' });
  }, [tab]);
  return top;
}

function Loading() {
  return (
    // Keeps the footer below the fold, as the case will.
    <Box aria-busy sx={{ minHeight: '100dvh' }}>
      <BackToCases />
      <Hidden as="h1">Loading the case…</Hidden>
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1, mt: 1, mb: 2 }}>
        <SkeletonBar width={220} height={22} />
        <SkeletonBar width="min(560px, 90%)" height={24} />
        <SkeletonBar width="min(320px, 60%)" height={14} />
      </Box>
      <Columns>
        <Section title="Story">
          <TextSkeleton lines={8} />
        </Section>
        <Section title="Verdict">
          <TextSkeleton lines={6} />
        </Section>
      </Columns>
    </Box>
  );
}
