/**
 * Risk score (/apps/risk-score): score, breakdown, top improvements and history. Device counts and practices of one client can be edited
 * with a live preview of the score. All clients: a table, worst first.
 */
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { Panel } from '../../kit/Panel.tsx';
import { SkeletonBar } from '../../kit/Skeletons.tsx';
import { FailedState } from '../../kit/States.tsx';
import { UnsavedDialog } from '../../kit/UnsavedDialog.tsx';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { useLeaveGuard } from '../../lib/useLeaveGuard.ts';
import { CasesOpen } from './parts/CasesOpen.tsx';
import { ClientScores } from './parts/ClientScores.tsx';
import { DeviceCoverage } from './parts/DeviceCoverage.tsx';
import { History } from './parts/History.tsx';
import { Improvements } from './parts/Improvements.tsx';
import { Practices } from './parts/Practices.tsx';
import { ScorePanel } from './parts/ScorePanel.tsx';
import { detailsQuery, scoreQuery, useSaveDevices, useSavePractices } from './risk.queries.ts';
import { noDraft, previewOf } from './riskDraft.ts';

const Grid = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'minmax(0, 1fr) minmax(0, 1fr)',
  marginBottom: 16,
  '@media (max-width: 1099.95px)': { gridTemplateColumns: 'minmax(0, 1fr)' },
});
const Whole = styled('div')({ display: 'grid', gridTemplateColumns: 'minmax(0, 1fr)', marginBottom: 16 });

export function RiskPage() {
  useTitle('Risk Score');
  const { client, clientName } = useScope();
  return (
    <>
      <PageHeader
        title="Risk Score"
        purpose={`Risk of ${client === allClients ? 'all clients together' : clientName || 'your organisation'}, and how to lower it`}
      />
      {client === allClients ? <AllClients /> : <OneClient key={client} />}
    </>
  );
}

function AllClients() {
  const { timeZone } = useScope();
  const score = useQuery(scoreQuery(allClients));
  return (
    <>
      <Grid>
        {score.data ? (
          <ScorePanel score={score.data} now={score.data} isPreview={false} hasLists={false} />
        ) : (
          <Waiting title="Risk score" what="the risk score" query={score} />
        )}
        <History client={0} timeZone={timeZone} average={score.data?.industryAverage} />
      </Grid>
      <ClientScores timeZone={timeZone} />
    </>
  );
}

function OneClient() {
  const { client, timeZone, may } = useScope();
  const [draft, setDraft] = useState(noDraft);
  const score = useQuery(scoreQuery(client));
  const details = useQuery(detailsQuery(client, timeZone));
  const saveDevices = useSaveDevices();
  const savePractices = useSavePractices();
  const preview = details.data && previewOf(details.data, draft);
  const isEdited = preview !== undefined && (preview.areTotalsChanged || preview.changedPractices.length > 0);
  const { dialog } = useLeaveGuard(isEdited);
  const canEdit = may('risk:write');
  const check = (id: string, isChecked: boolean) =>
    setDraft((now) => ({ ...now, practices: { ...now.practices, [id]: isChecked } }));
  const undoTotals = () => setDraft(({ practices }) => ({ practices }));
  const undoPractices = () => setDraft((now) => ({ ...now, practices: {} }));

  return (
    <>
      <Grid>
        {score.data ? (
          <ScorePanel
            score={score.data}
            now={isEdited ? preview : score.data}
            isPreview={isEdited}
            hasLists={details.data !== undefined}
          />
        ) : (
          <Waiting title="Risk score" what="the risk score" query={score} />
        )}
        {details.data && preview ? (
          <Improvements
            client={client}
            improvements={preview.improvements}
            practices={details.data.practices}
            onTry={canEdit ? (id) => check(id, true) : undefined}
          />
        ) : (
          <Waiting title="Top improvements" what="the score breakdown" query={details} />
        )}
      </Grid>
      <Grid>
        {details.data && preview ? (
          <DeviceCoverage
            client={client}
            devices={details.data.monitoredDevices}
            draft={draft}
            preview={preview}
            canEdit={canEdit}
            isSaving={saveDevices.isPending}
            onType={(typed) => setDraft((now) => ({ ...now, ...typed }))}
            onUndo={undoTotals}
            onSave={(totals) =>
              saveDevices.mutate(
                { params: { client }, body: { ...totals, version: details.data.monitoredDevices.version } },
                { onSuccess: undoTotals },
              )
            }
          />
        ) : (
          <Waiting title="Device coverage" what="device counts" query={details} />
        )}
        <CasesOpen client={client} timeZone={timeZone} />
      </Grid>
      <Whole>
        {details.data && preview ? (
          <Practices
            practices={details.data.practices}
            preview={preview}
            canEdit={canEdit}
            isSaving={savePractices.isPending}
            onCheck={check}
            onUndo={undoPractices}
            onSave={(practices) =>
              savePractices.mutate({ params: { client }, body: { practices } }, { onSuccess: undoPractices })
            }
          />
        ) : (
          <Waiting title="Best practices" what="best practices" query={details} height={640} />
        )}
      </Whole>
      <Whole>
        <History client={client} timeZone={timeZone} average={score.data?.industryAverage} />
      </Whole>
      <UnsavedDialog {...dialog} />
    </>
  );
}

interface WaitingProps {
  title: string;
  what: string;
  query: { error: unknown; refetch: () => unknown };
  /** Approximate height of the content in px. */
  height?: number;
}

function Waiting({ title, what, query, height = 260 }: WaitingProps) {
  return (
    <Panel title={title}>
      {query.error ? (
        <FailedState what={what} error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <div style={{ padding: '0 16px 16px' }}>
          <SkeletonBar width="100%" height={height} />
        </div>
      )}
    </Panel>
  );
}
