/** The reports of all clients of a month in one job: how far it is, which failed, and all of them in one archive. */
import DownloadRounded from '@mui/icons-material/DownloadRounded';
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { styled } from '@mui/material/styles';
import { type ReportJob, reportsApi } from '@parapet/contract/reports.ts';
import { months, type ReportingMonth } from '@parapet/contract/rules/timeframe.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Announced } from '../../../kit/Announced.tsx';
import { Card } from '../../../kit/Card.tsx';
import { fileNameOf } from '../../../kit/chartTable.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { numberIn, useSearchState } from '../../../lib/address.ts';
import { download } from '../../../lib/download.ts';
import { toast } from '../../../lib/toast.ts';
import { isOver, jobQuery, useStartJob } from '../reports.queries.ts';

const Place = styled('div')({ maxWidth: 880, marginBottom: 16 });
const Stack = styled('div')({ display: 'grid', gap: 12, fontSize: 14, '& > *': { minWidth: 0 } });
const Line = styled('div')({ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: 12 });

interface Props {
  /** 0, or a partner. */
  client: number;
  whose: string;
  month: ReportingMonth;
}

export function AllReports({ client, whose, month }: Props) {
  const { search, change } = useSearchState();
  const id = numberIn(search.job, 0);
  const start = useStartJob();
  const job = useQuery({ ...jobQuery(id), enabled: id > 0 });
  const isRunning = start.isPending || (job.data !== undefined && !isOver(job.data));
  return (
    <Place>
      <Card
        title="Reports of all clients"
        purpose={`One PDF for each client of ${whose === 'all clients' ? 'yours' : whose}, of ${month.label}, in one archive. The work goes on when this page is left.`}
      >
        <Stack>
          <Line>
            <Button
              variant="contained"
              loading={isRunning}
              onClick={() =>
                start.mutate(
                  { clientOrganizationID: client, year: month.year, month: month.month },
                  { onSuccess: (made) => change({ job: made.id }, { replace: true }) },
                )
              }
            >
              Make the reports of {month.label}
            </Button>
          </Line>
          {id > 0 && job.error && !job.data && (
            <FailedLine what="report jobs" error={job.error} onRetry={() => void job.refetch()} />
          )}
          {job.data && <Progress job={job.data} />}
        </Stack>
      </Card>
    </Place>
  );
}

function Progress({ job }: { job: ReportJob }) {
  const [isSaving, setSaving] = useState(false);
  const name = `${months[job.month - 1] ?? job.month} ${job.year}`;
  const over = isOver(job);
  const far = job.done + job.failures.length;
  const said = over
    ? job.state === 'failed' && job.done === 0
      ? `The reports of ${name} could not be made.`
      : `${counted(job.done, 'report')} of ${name} ${job.done === 1 ? 'is' : 'are'} ready.`
    : job.state === 'queued'
      ? `The reports of ${name} wait for their turn.`
      : `Making the reports of ${name}: ${exact(far)} of ${exact(job.total)}`;
  const save = async () => {
    setSaving(true);
    try {
      await download(reportsApi.jobFile, { params: { job: job.id } }, fileNameOf(`reports ${name}`, 'zip'));
      toast.success('The reports were saved');
    } catch (error) {
      toast.error(`The archive could not be fetched. ${error instanceof Error ? error.message : ''}`, 'case');
    }
    setSaving(false);
  };
  return (
    <>
      <Announced text={over ? said : ''} />
      <div>
        <span style={{ fontVariantNumeric: 'tabular-nums' }}>{said}</span>
        {!over && (
          <LinearProgress
            aria-label={`Reports of ${name}`}
            sx={{ mt: 1, maxWidth: 480 }}
            {...(job.state === 'running' && job.total > 0
              ? { variant: 'determinate' as const, value: Math.min(100, (100 * far) / job.total) }
              : {})}
          />
        )}
      </div>
      {over && job.done > 0 && (
        <div>
          <Button variant="outlined" startIcon={<DownloadRounded />} loading={isSaving} onClick={() => void save()}>
            Save the archive
          </Button>
        </div>
      )}
      {job.failures.length > 0 && (
        <Note tone="warning" role="alert">
          {counted(job.failures.length, 'report')} could not be made:
          <ul style={{ margin: '6px 0 0', paddingLeft: 20, fontSize: 13 }}>
            {job.failures.slice(0, 50).map(({ clientOrganizationName, text }, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: two clients may have the same name.
              <li key={at}>
                <VisibleText text={clientOrganizationName} />: <VisibleText text={text} />
              </li>
            ))}
          </ul>
        </Note>
      )}
    </>
  );
}
