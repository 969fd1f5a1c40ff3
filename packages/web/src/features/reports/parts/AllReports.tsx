/** Generates the month’s reports of all clients as one archive, with progress and failures. */
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
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { numberIn, useSearchState } from '../../../lib/address.ts';
import { download } from '../../../lib/download.ts';
import { toast } from '../../../lib/toast.ts';
import { isOver, jobQuery, useStartJob } from '../reports.queries.ts';

const Root = styled('div')({ maxWidth: 880, marginBottom: 16 });
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
    <Root>
      <Card
        title="Reports of all clients"
        purpose={`One PDF per client of ${whose === 'all clients' ? 'yours' : whose} for ${month.label}, in one archive. Generation continues if you leave this page.`}
      >
        <Stack>
          <Line>
            <Button
              variant="contained"
              loading={isRunning}
              onClick={() =>
                start.mutate(
                  { body: { clientOrganizationID: client, year: month.year, month: month.month } },
                  { onSuccess: ({ id }) => change({ job: id }, { replace: true }) },
                )
              }
            >
              Generate reports for {month.label}
            </Button>
          </Line>
          {id > 0 && job.error && !job.data && (
            <FailedLine what="report jobs" error={job.error} onRetry={() => void job.refetch()} />
          )}
          {job.data && <Progress job={job.data} />}
        </Stack>
      </Card>
    </Root>
  );
}

function Progress({ job }: { job: ReportJob }) {
  const [isSaving, setSaving] = useState(false);
  const name = `${months[job.month - 1] ?? job.month} ${job.year}`;
  const over = isOver(job);
  const finished = job.done + job.failures.length;
  const status = over
    ? job.state === 'failed' && job.done === 0
      ? `Couldn’t generate the reports for ${name}.`
      : `${counted(job.done, 'report')} for ${name} ${job.done === 1 ? 'is' : 'are'} ready.`
    : job.state === 'queued'
      ? `Reports for ${name} are queued.`
      : `Generating reports for ${name}: ${exact(finished)} of ${exact(job.total)}`;
  const save = async () => {
    setSaving(true);
    try {
      await download(reportsApi.jobFile, { params: { job: job.id } }, fileNameOf(`reports ${name}`, 'zip'));
      toast.success('Reports downloaded');
    } catch (error) {
      toast.error(`Couldn’t download the archive. ${error instanceof Error ? error.message : ''}`, 'case');
    }
    setSaving(false);
  };
  return (
    <>
      <Announced text={over ? status : ''} />
      <div>
        <span style={{ fontVariantNumeric: 'tabular-nums' }}>{status}</span>
        {!over && (
          <LinearProgress
            aria-label={`Reports of ${name}`}
            sx={{ mt: 1, maxWidth: 480 }}
            {...(job.state === 'running' && job.total > 0
              ? { variant: 'determinate' as const, value: Math.min(100, (100 * finished) / job.total) }
              : {})}
          />
        )}
      </div>
      {over && job.done > 0 && (
        <div>
          <Button variant="outlined" startIcon={<DownloadRounded />} loading={isSaving} onClick={() => void save()}>
            Download archive
          </Button>
        </div>
      )}
      {job.failures.length > 0 && (
        <Note tone="warning" role="alert">
          {counted(job.failures.length, 'report')} failed:
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
