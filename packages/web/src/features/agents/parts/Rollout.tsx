/** Offers a version to 1, 10 or 100% of a client's agents. The same agents come first each time, so a bad version reaches few. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { exact } from '../../../kit/numbers.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { useScope } from '../../../lib/scope.ts';
import { rolloutQuery, useRollout } from '../agents.queries.ts';

const refreshMs = 15_000;
const stages = [1, 10, 100] as const;
const Line = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 8, marginTop: 16 });

export function Rollout({ client, versions }: { client: number; versions: readonly string[] }) {
  const { clientName, may } = useScope();
  const { data, error, refetch } = useQuery({ ...rolloutQuery(client), refetchInterval: refreshMs });
  const change = useRollout();
  const [chosen, setChosen] = useState<string>();
  const [requested, setRequested] = useState<0 | 1 | 10 | 100>();
  if (!data)
    return (
      <Card title="Rollout">
        {error ? (
          <FailedLine what="the rollout" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={3} lineHeight={32} />
        )}
      </Card>
    );
  const version = chosen ?? data.version ?? versions[0] ?? '';
  const isRunning = data.version !== null && data.percent > 0;
  const isShown = (percent: number) => isRunning && version === data.version && data.percent === percent;
  return (
    <Card title="Rollout" purpose={`Staged rollout at ${clientName || 'your organisation'}. The same agents update first.`}>
      {isRunning ? (
        <>
          <DefinitionList
            minWidth={140}
            facts={[
              { name: 'Version', value: data.version },
              { name: 'Stage', value: `${data.percent}%` },
              { name: 'Offered to', value: `${exact(data.agents)} agents` },
              { name: 'Installed', value: exact(data.done) },
              { name: 'Failed or refused', value: exact(data.failed) },
            ]}
          />
          <LinearProgress
            variant="determinate"
            aria-label="Agents with the version installed"
            value={data.agents === 0 ? 0 : Math.min(100, (100 * data.done) / data.agents)}
            sx={{ mt: 1.5, borderRadius: 1 }}
          />
        </>
      ) : (
        <p style={{ margin: 0, fontSize: 14 }}>
          No version is being rolled out. Start with 1%, check the results, then continue with 10% and 100%.
        </p>
      )}
      {may('devices:write') ? (
        <Line>
          <TextField
            select
            size="small"
            label="Version"
            value={version}
            onChange={(event) => setChosen(event.target.value)}
            sx={{ minWidth: 140 }}
          >
            {[...new Set([...versions, ...(data.version ? [data.version] : [])])].map((each) => (
              <MenuItem key={each} value={each}>
                {each}
              </MenuItem>
            ))}
          </TextField>
          {stages.map((percent) => (
            <Button
              key={percent}
              variant={isShown(percent) ? 'contained' : 'outlined'}
              aria-pressed={isShown(percent)}
              disabled={isShown(percent)}
              onClick={() => setRequested(percent)}
            >
              {percent}%
            </Button>
          ))}
          {isRunning && (
            <Button color="error" onClick={() => setRequested(0)}>
              Stop
            </Button>
          )}
        </Line>
      ) : (
        <p style={{ margin: '12px 0 0', fontSize: 13 }}>Your role can view the rollout but not change it.</p>
      )}
      <ConfirmDialog
        isOpen={requested !== undefined}
        title={requested === 0 ? 'Stop the rollout?' : `Roll out ${version} to ${requested ?? 0}%?`}
        isBusy={change.isPending}
        onNo={() => setRequested(undefined)}
        onYes={() =>
          requested !== undefined &&
          change.mutate(
            { params: { client }, body: { version: requested === 0 ? (data.version ?? version) : version, percent: requested } },
            { onSettled: () => setRequested(undefined) },
          )
        }
      >
        {requested === 0
          ? `Version ${data.version ?? ''} is no longer offered. Agents that installed it keep it.`
          : `Offered to ${requested}% of the agents at ${clientName || 'your organisation'} at their next check-in. Each agent verifies the signature and rolls back automatically if the new version doesn’t start.`}
      </ConfirmDialog>
    </Card>
  );
}
