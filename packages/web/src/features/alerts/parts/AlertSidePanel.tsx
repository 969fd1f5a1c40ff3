/** Side panel of an alert. The fields of the list's row render at once, the rest after loading. */
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import type { AlertDetail, AlertRow } from '@parapet/contract/alerts.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { useQuery } from '@tanstack/react-query';
import { useContext } from 'react';
import { Count } from '../../../kit/Count.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { OpenInFullRounded } from '../../../kit/icons/OpenInFullRounded.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { exact } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { SeverityChip } from '../../../kit/Severity.tsx';
import { SidePanel } from '../../../kit/SidePanel.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { SplitContext } from '../../../kit/useSplit.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { RuleGuidance } from '../../../lib/RuleGuidance.tsx';
import { alertQuery } from '../alerts.queries.ts';
import { AlertActions } from './AlertActions.tsx';
import { AlertEvents } from './AlertEvents.tsx';
import { Why } from './Why.tsx';

const reasonsShown = 4;

interface Props {
  id: number | undefined;
  /** Row of the alert, where the list contains it. */
  row: AlertRow | undefined;
  timeZone: string;
  hasClients: boolean;
  onClose: () => void;
}

export function AlertSidePanel({ id, row, timeZone, hasClients, onClose }: Props) {
  const { data, error, refetch } = useQuery({ ...alertQuery(id ?? 1), enabled: id !== undefined });
  const detail = data?.id === id ? data : undefined;
  const alert: AlertRow | undefined = row ?? detail;
  const isMissing = error instanceof Problem && error.code === 'notFound';
  return (
    <SidePanel
      isOpen={id !== undefined}
      title={id === undefined ? 'Alert' : `Alert ${id}`}
      onClose={onClose}
      actions={
        alert && (
          <Button
            component={AppLink}
            href={paths.alert(alert.id)}
            size="small"
            startIcon={<OpenInFullRounded sx={{ '&&': { fontSize: 16 } }} />}
          >
            Open
          </Button>
        )
      }
    >
      {alert ? (
        <Essentials alert={alert} detail={detail} timeZone={timeZone} hasClients={hasClients} />
      ) : isMissing ? (
        <EmptyState
          title={`Alert ${id} not found`}
          text="It may have been removed after its retention period, or you don’t have access to it."
        />
      ) : error ? (
        <FailedState what="the alert" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={8} />
      )}
      {alert &&
        !detail &&
        (error ? <FailedState what="the details" error={error} onRetry={() => void refetch()} /> : <TextSkeleton lines={5} />)}
    </SidePanel>
  );
}

interface EssentialsProps extends Pick<Props, 'timeZone' | 'hasClients'> {
  alert: AlertRow;
  detail: AlertDetail | undefined;
}

function Essentials({ alert, detail, timeZone, hasClients }: EssentialsProps) {
  const isSplit = useContext(SplitContext);
  const maxReasons = isSplit ? Number.POSITIVE_INFINITY : reasonsShown;
  const more = (detail?.why.length ?? 0) - maxReasons;
  return (
    <Box sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
      <Box sx={{ display: 'flex', flexDirection: 'column', alignItems: 'flex-start', gap: 1 }}>
        <SeverityChip severity={alert.severity} />
        <Typography component="h2" sx={{ fontSize: 16, lineHeight: '22px', fontWeight: 600, overflowWrap: 'anywhere' }}>
          <VisibleText text={alert.rule} />
        </Typography>
        {alert.alertSummary !== alert.rule && (
          <Typography sx={{ fontSize: 13, overflowWrap: 'anywhere' }}>
            <VisibleText text={alert.alertSummary} keepLines />
          </Typography>
        )}
      </Box>
      <DefinitionList
        minWidth={150}
        facts={[
          { name: 'First seen', value: <AbsoluteTime at={alert.createdTime} timeZone={timeZone} /> },
          { name: 'Last seen', value: alert.count > 1 && <AbsoluteTime at={alert.lastSeenTime} timeZone={timeZone} /> },
          { name: 'Device', value: alert.deviceName && <VisibleText text={alert.deviceName} /> },
          { name: 'User', value: alert.userName && <VisibleText text={alert.userName} /> },
          { name: 'Client', value: hasClients && <VisibleText text={alert.clientOrganizationName} /> },
          { name: 'Count', value: <Count value={alert.count} /> },
          { name: 'Category', value: <VisibleText text={alert.category} /> },
          { name: 'Technique', value: alert.mitreTechnique && <MonoText>{alert.mitreTechnique}</MonoText> },
        ].map((fact) => ({ ...fact, value: fact.value || null }))}
      />
      {detail && (
        <Box sx={{ display: 'flex', flexWrap: 'wrap', gap: 1 }}>
          <AlertActions alert={detail} size="small" />
        </Box>
      )}
      {detail?.description && (
        <Typography sx={{ fontSize: 13, color: 'text.secondary', whiteSpace: 'pre-line', overflowWrap: 'anywhere' }}>
          <VisibleText text={detail.description} keepLines />
        </Typography>
      )}
      {detail?.guidance && <RuleGuidance guidance={detail.guidance} />}
      {detail && detail.why.length > 0 && (
        <section>
          <Typography component="h3" sx={{ fontSize: 13, fontWeight: 600, mb: 1 }}>
            Why it matched
          </Typography>
          <Why reasons={detail.why} maxReasons={maxReasons} />
          {more > 0 && (
            <Button component={AppLink} href={paths.alert(alert.id)} size="small">
              {exact(more)} more
            </Button>
          )}
        </section>
      )}
      {isSplit && detail && <AlertEvents alert={detail} timeZone={timeZone} />}
    </Box>
  );
}
