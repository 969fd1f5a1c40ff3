/** Imports advisories, EPSS scores or the list of known exploited vulnerabilities from a file. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { vulnerabilitiesApi } from '@parapet/contract/vulnerabilities.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { Skipped } from '../../../kit/Skipped.tsx';
import { type AdvisoryKind, kindOf } from '../findings.ts';
import { useImportAdvisories } from '../vulnerabilities.queries.ts';

const headBytes = 65_536;
const Stack = styled('div')({ display: 'grid', gap: 16, minWidth: 0, '& > *': { minWidth: 0 } });
const kinds: { value: AdvisoryKind; label: string; hint: string }[] = [
  { value: 'osv', label: 'Advisories (OSV)', hint: 'One advisory, a JSON array, or one per line.' },
  { value: 'epss', label: 'EPSS scores', hint: 'CSV with the columns cve, epss and percentile.' },
  { value: 'kev', label: 'Known exploited vulnerabilities', hint: 'Catalogue in JSON format.' },
];

export function ImportAdvisories() {
  const [file, setFile] = useState<File>();
  const [kind, setKind] = useState<AdvisoryKind>('osv');
  const send = useImportAdvisories();
  const result = send.data;
  const select = async (next: File) => {
    send.reset();
    setFile(next);
    setKind(kindOf(await next.slice(0, headBytes).text()));
  };
  return (
    <Card
      title="Import"
      purpose="Applies to all clients. Newer versions replace existing entries, and findings update automatically."
    >
      <Stack>
        <FilePicker
          file={file}
          types={['.json', '.jsonl', '.ndjson', '.csv']}
          maxBytes={vulnerabilitiesApi.importAdvisories.upload?.maxBytes ?? 0}
          onFile={(next) => void select(next)}
          isBusy={send.isPending}
        />
        {file && (
          <>
            <TextField
              select
              size="small"
              label="File type"
              value={kind}
              onChange={(event) => setKind(event.target.value as AdvisoryKind)}
              helperText={kinds.find(({ value }) => value === kind)?.hint}
              sx={{ maxWidth: 360 }}
            >
              {kinds.map(({ value, label }) => (
                <MenuItem key={value} value={value}>
                  {label}
                </MenuItem>
              ))}
            </TextField>
            <div>
              <Button
                variant="contained"
                loading={send.isPending}
                onClick={() => send.mutate({ kind, file }, { onSuccess: () => setFile(undefined) })}
              >
                Import
              </Button>
            </div>
          </>
        )}
        {result && (
          <Note tone={result.skippedCount > 0 ? 'warning' : 'info'} role="alert">
            Imported {exact(result.imported)} {result.imported === 1 ? 'entry' : 'entries'}.
            <Skipped faults={result.skipped} count={result.skippedCount} />
          </Note>
        )}
      </Stack>
    </Card>
  );
}
