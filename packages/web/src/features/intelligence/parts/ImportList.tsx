/** Imports a list from a file with name and format, then shows the result with skipped rows. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { type IntelligenceList, intelligenceApi, intelligenceFormats } from '@parapet/contract/intelligence.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { Skipped } from '../../../kit/Skipped.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { type Format, formatName, formatOf, nameOf } from '../importFile.ts';
import { useImport } from '../intelligence.queries.ts';

const headBytes = 65_536;
const Stack = styled('div')({ display: 'grid', gap: 16, minWidth: 0, '& > *': { minWidth: 0 } });
const Fields = styled('div')({
  display: 'grid',
  gap: 16,
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 240px), 1fr))',
  alignItems: 'start',
});

export function ImportList({ lists }: { lists: readonly IntelligenceList[] }) {
  const [file, setFile] = useState<File>();
  const [name, setName] = useState('');
  const [format, setFormat] = useState<Format>('csv');
  const send = useImport();
  const choose = async (next: File) => {
    send.reset();
    setFile(next);
    if (name.trim() === '') setName(nameOf(next.name));
    setFormat(formatOf(await next.slice(0, headBytes).text()));
  };
  const trimmed = name.trim();
  const old = lists.find((list) => list.name.toLowerCase() === trimmed.toLowerCase());
  const isName = trimmed !== '' && trimmed !== '.' && trimmed !== '..';
  const result = send.data;
  return (
    <Card
      title="Import a list"
      purpose="Addresses, domains and hashes with their reputation. Replaces an existing list of the same name."
    >
      <Stack>
        <FilePicker
          file={file}
          types={['.csv', '.json', '.txt', '.stix']}
          maxBytes={intelligenceApi.import.upload?.maxBytes ?? 0}
          onFile={(next) => void choose(next)}
          isBusy={send.isPending}
        />
        {file && (
          <>
            <Fields>
              <TextField
                size="small"
                label="List name"
                value={name}
                onChange={(event) => setName(event.target.value)}
                helperText={old ? `Replaces the existing list with ${counted(old.count, 'indicator')}.` : undefined}
                slotProps={{ htmlInput: { maxLength: 200 } }}
              />
              <TextField
                select
                size="small"
                label="Format"
                value={format}
                onChange={(event) => setFormat(event.target.value as Format)}
                helperText={format === 'csv' ? 'Columns: value, reputation, kind.' : 'Detected from the file.'}
              >
                {intelligenceFormats.map((each) => (
                  <MenuItem key={each} value={each}>
                    {formatName[each]}
                  </MenuItem>
                ))}
              </TextField>
            </Fields>
            <div>
              <Button
                variant="contained"
                disabled={!isName}
                loading={send.isPending}
                onClick={() =>
                  send.mutate(
                    {
                      params: { name: trimmed, format },
                      // Browsers guess the type of these files; the format is in the address.
                      body: new Blob([file], { type: 'application/octet-stream' }) as never,
                    },
                    {
                      onSuccess: () => {
                        setFile(undefined);
                        setName('');
                      },
                    },
                  )
                }
              >
                Import
              </Button>
            </div>
          </>
        )}
        {result && (
          <Note tone={result.skipped > 0 ? 'warning' : 'info'} role="alert">
            Imported {counted(result.list.count, 'indicator')} into <VisibleText text={result.list.name} />.
            <Skipped faults={result.faults} count={result.skipped} />
          </Note>
        )}
      </Stack>
    </Card>
  );
}
