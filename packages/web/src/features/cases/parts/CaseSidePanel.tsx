/** Side panel of a case: judgement, actions, SLA timer, story and first alerts. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { CaseDetail } from '@parapet/contract/caseDetail.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { investigationStatusName } from '@parapet/contract/rules/cases.ts';
import { judgementOfDetail } from '@parapet/contract/rules/judgement.ts';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { OpenInFullRounded } from '../../../kit/icons/OpenInFullRounded.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime, RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SeverityIcon, severityLabel } from '../../../kit/Severity.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { SplitContext } from '../../../kit/useSplit.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { caseQuery } from '../cases.queries.ts';
import { disabledReason, likeOf } from '../caseTexts.ts';
import type { CaseActions } from '../useCaseActions.tsx';
import { ClockMark, JudgementLine, StatusChip } from './CaseMarks.tsx';
import { StoryParagraph } from './CaseStory.tsx';
import { thresholdText } from './caseColumns.tsx';

const alertsShown = 5;

interface Props {
  id: number | undefined;
  timeZone: string;
  hasClients: boolean;
  actions: CaseActions;
  onClose: () => void;
}

export function CaseSidePanel({ id, timeZone, hasClients, actions, onClose }: Props) {
  const { data, error, refetch } = useQuery({ ...caseQuery(id ?? 1, useScope()), enabled: id !== undefined });
  const detail = data?.caseGeneralInfo.id === id ? data : undefined;
  const isMissing = error instanceof Problem && error.code === 'notFound';
  return (
    <SidePanel
      isOpen={id !== undefined}
      title={detail ? `Case ${detail.caseGeneralInfo.incidentID}` : 'Case'}
      onClose={onClose}
      actions={
        id !== undefined && (
          <Button
            component={AppLink}
            href={paths.case(id)}
            size="small"
            startIcon={<OpenInFullRounded sx={{ '&&': { fontSize: 16 } }} />}
          >
            Open
          </Button>
        )
      }
    >
      {detail ? (
        <Essentials detail={detail} timeZone={timeZone} hasClients={hasClients} actions={actions} />
      ) : isMissing ? (
        <EmptyState title={`Case ${id} not found`} text="It doesn’t exist, or you don’t have access to it." />
      ) : error ? (
        <FailedState what="the case" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={10} />
      )}
    </SidePanel>
  );
}

const Heading = ({ children }: { children: string }) => (
  <Typography component="h3" sx={{ fontSize: 13, fontWeight: 600, mb: 0.5 }}>
    {children}
  </Typography>
);

function Essentials({ detail, timeZone, hasClients, actions }: { detail: CaseDetail } & Omit<Props, 'id' | 'onClose'>) {
  const { caseGeneralInfo: info, can } = detail;
  const shown = useContext(SplitContext) ? detail.alerts : detail.alerts.slice(0, alertsShown);
  const of = likeOf(detail);
  const next = info.clocks.find((clock) => clock.doneAt === null);
  const button = (text: string, reason: string | undefined, act: (anchor: Element) => void) => (
    <span title={reason}>
      <Button size="small" variant="outlined" disabled={reason !== undefined} onClick={(event) => act(event.currentTarget)}>
        {text}
      </Button>
    </span>
  );
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
      <Box sx={{ display: 'flex', flexDirection: 'column', alignItems: 'flex-start', gap: 1 }}>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 1 }}>
          <StatusChip status={info.status} />
        </Box>
        <Typography component="h2" sx={{ fontSize: 16, lineHeight: '22px', fontWeight: 600, overflowWrap: 'anywhere' }}>
          <VisibleText text={info.title} />
        </Typography>
        <Box sx={{ fontSize: 13 }}>
          <JudgementLine judgement={judgementOfDetail(detail)} note={thresholdText(detail.casePercentage)} />
        </Box>
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          {button('Status', disabledReason.changeStatus(can.changeStatus), (anchor) => actions.askStatus(of, anchor))}
          {button('Assign', disabledReason.write(can.write), (anchor) => actions.askAnalyst(of, anchor))}
          {button('Investigation', disabledReason.write(can.write), (anchor) => actions.askInvestigation(of, anchor))}
        </Box>
      </Box>
      <DefinitionList
        minWidth={150}
        facts={[
          { name: 'SLA timer', value: next && <ClockMark clock={next} timeZone={timeZone} isNamed />, isWide: true },
          { name: 'Analyst', value: <VisibleText text={info.analyst ?? 'Unassigned'} /> },
          { name: 'Investigation', value: investigationStatusName(info.investigationStatus) },
          {
            name: 'Client',
            value: hasClients ? <VisibleText text={detail.clientOrganizationDetails.clientOrganization.name} /> : null,
          },
          { name: 'Opened', value: <AbsoluteTime at={info.createdTime} timeZone={timeZone} /> },
        ]}
      />
      <section>
        <Heading>Story</Heading>
        <StoryParagraph detail={detail} isSmall />
      </section>
      <section>
        <Heading>Alerts</Heading>
        <Box component="ul" sx={{ m: 0, p: 0, listStyle: 'none', fontSize: 13 }}>
          {shown.map((alert) => (
            <Box component="li" key={alert.id} sx={{ display: 'flex', gap: 1, alignItems: 'center', py: 0.5 }}>
              <SeverityIcon severity={alert.severity} label={severityLabel[alert.severity]} />
              <Box
                component={AppLink}
                href={paths.alert(alert.id)}
                sx={{
                  flex: 1,
                  minWidth: 0,
                  color: 'inherit',
                  overflow: 'hidden',
                  textOverflow: 'ellipsis',
                  whiteSpace: 'nowrap',
                }}
              >
                <VisibleText text={alert.rule} />
              </Box>
              <Box component="span" sx={{ color: 'text.secondary', fontSize: 12 }}>
                <RelativeTime at={alert.createdTime} timeZone={timeZone} />
              </Box>
            </Box>
          ))}
        </Box>
        {info.alertCount > shown.length && (
          <Button component={AppLink} href={paths.case(info.id, { tab: 'alerts' })} size="small">
            All {exact(info.alertCount)} alerts
          </Button>
        )}
      </section>
    </Box>
  );
}
