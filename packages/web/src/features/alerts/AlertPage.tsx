/** Alert page: summary, rule match, source events, and other alerts of the device and user. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Hidden } from '../../kit/Announced.tsx';
import { Section } from '../../kit/Section.tsx';
import { SkeletonBar, TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { BackLink } from '../../lib/BackLink.tsx';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { paths } from '../../lib/paths.ts';
import { RuleGuidance } from '../../lib/RuleGuidance.tsx';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { alertQuery } from './alerts.queries.ts';
import { lastAlerts } from './lastList.ts';
import { AlertEvents } from './parts/AlertEvents.tsx';
import { AlertFacts } from './parts/AlertFacts.tsx';
import { AlertHeader } from './parts/AlertHeader.tsx';
import { AlertKnowledge } from './parts/AlertKnowledge.tsx';
import { RelatedAlerts } from './parts/RelatedAlerts.tsx';
import { WhatHappened } from './parts/WhatHappened.tsx';
import { Why } from './parts/Why.tsx';

export function AlertPage() {
  const { id: text } = useParams({ strict: false }) as { id?: string };
  const id = objectIdIn(text);
  const { timeZone, timeframe, range } = useScope();
  const { data, error, refetch } = useQuery({ ...alertQuery(id ?? 1), enabled: id !== undefined });
  const alert = data?.id === id ? data : undefined;
  const list = lastAlerts.last()?.address ?? paths.alerts();

  useTitle(id === undefined ? 'Alert' : `Alert ${id}`);
  useEffect(() => {
    if (id !== undefined) lastAlerts.remember({ address: list, alert: id });
  }, [id, list]);

  const back = <BackLink href={list}>Alerts</BackLink>;

  const isMissing = id === undefined || (error instanceof Problem && (error.code === 'notFound' || error.code === 'invalid'));
  if (!alert && (isMissing || error)) {
    return (
      <>
        {back}
        <Hidden as="h1">{id === undefined ? 'Alert' : `Alert ${id}`}</Hidden>
        {isMissing ? (
          <EmptyState
            title={id === undefined ? 'Invalid alert number' : `Alert ${id} not found`}
            text="It may have been removed after its retention period, or you don’t have access to its organisation."
            actions={
              <Button component={AppLink} href={list} variant="outlined" size="small">
                Back to alerts
              </Button>
            }
          />
        ) : (
          <FailedState what="the alert" error={error} onRetry={() => void refetch()} />
        )}
      </>
    );
  }
  if (!alert) return <Loading back={back} />;

  // Other alerts of the same device or user: in a timeframe that contains this one.
  const since = Date.parse(alert.createdTime) < Date.parse(range.start) ? 'lastOneYear' : timeframe;
  const listOf = (query: Record<string, string>) => paths.alerts(alert.clientOrganizationID, { timeframe: since, ...query });

  return (
    <Box component="article">
      <AlertHeader alert={alert} back={back} timeZone={timeZone} />
      <AlertFacts alert={alert} timeZone={timeZone} listOf={listOf} />
      <Box
        sx={{
          display: 'grid',
          gap: 3,
          gridTemplateColumns: 'minmax(0, 1fr)',
          '@media (min-width: 1200px)': { gridTemplateColumns: 'minmax(0, 1fr) 340px' },
        }}
      >
        <Box sx={{ display: 'flex', flexDirection: 'column', gap: 3, minWidth: 0 }}>
          <WhatHappened alert={alert} />
          {alert.guidance && (
            <Section
              title="What to check"
              note={alert.guidance.confidence && `Confidence of the rule: ${alert.guidance.confidence}`}
            >
              <RuleGuidance guidance={alert.guidance} />
            </Section>
          )}
          {(alert.why.length > 0 || alert.condition) && (
            <Section title="Why it matched">
              <Why reasons={alert.why} condition={alert.condition} />
            </Section>
          )}
          <AlertEvents alert={alert} timeZone={timeZone} />
        </Box>
        <Box sx={{ display: 'flex', flexDirection: 'column', gap: 3, minWidth: 0 }}>
          <AlertKnowledge alert={alert} />
          <RelatedAlerts alert={alert} timeZone={timeZone} listOf={listOf} />
        </Box>
      </Box>
    </Box>
  );
}

function Loading({ back }: { back: React.ReactNode }) {
  return (
    <Box aria-busy>
      {back}
      <Hidden as="h1">Loading the alert…</Hidden>
      <Box sx={{ display: 'flex', flexDirection: 'column', gap: 1, mt: 1, mb: 3 }}>
        <SkeletonBar width={90} height={22} />
        <SkeletonBar width="min(560px, 90%)" height={24} />
        <SkeletonBar width="min(320px, 60%)" height={14} />
      </Box>
      <Section>
        <TextSkeleton lines={3} />
      </Section>
      <Box sx={{ mt: 3 }}>
        <Section title="What happened">
          <TextSkeleton lines={4} />
        </Section>
      </Box>
      <Box sx={{ mt: 3 }}>
        <Section title="Why it matched">
          <TextSkeleton lines={6} />
        </Section>
      </Box>
    </Box>
  );
}
