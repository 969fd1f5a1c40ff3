/** Many clients from a CSV file: the file is read by the server, and shown as it would be created. */
import Button from '@mui/material/Button';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { allClients } from '@parapet/contract/access.ts';
import { maxNewClients, newClientColumns, type PreviewRow } from '@parapet/contract/onboarding.ts';
import { subscriptionLevels } from '@parapet/contract/organisations.ts';
import { useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { textOf } from '../../../kit/files.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { saveFile } from '../../../kit/saveFile.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { faultOf } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useCreateClients, usePreviewClients } from '../organisations.queries.ts';

const maxBytes = 1024 * 1024;
const Rows = styled('div')({ display: 'grid', gap: 16, minWidth: 0, '& > *': { minWidth: 0 } });
const Actions = styled('div')({ display: 'flex', flexWrap: 'wrap', gap: 8 });

const example = () =>
  saveFile(
    new Blob(
      [`${newClientColumns.join(',')}\r\nExample Ltd,Respond,Manufacturing${','.repeat(newClientColumns.length - 3)}\r\n`],
      {
        type: 'text/csv',
      },
    ),
    'clients.csv',
  );

export function ImportClients({ partner: first }: { partner: number }) {
  const { clients } = useScope();
  const [partner, setPartner] = useState(first);
  const preview = usePreviewClients();
  const create = useCreateClients();
  const go = useGo();
  const [fault, setFault] = useState<string>();
  const [csv, setCsv] = useState<string>();

  const read = (text: string, partnerClientOrgID: number) => {
    setCsv(text);
    setFault(undefined);
    preview.mutate(
      { body: { partnerClientOrgID, csv: text } },
      {
        onError: (error) => {
          const { fields, text: other } = faultOf(error, (name) => name === 'csv');
          setFault(fields.csv ?? other);
        },
      },
    );
  };
  const rows = (fault === undefined && preview.data?.rows) || [];
  const good = rows.flatMap(({ client }) => (client ? [client] : []));
  const wrong = rows.length - good.length;
  const save = async () => {
    try {
      await create.mutateAsync({ body: { partnerClientOrgID: partner, clients: good } });
      go(paths.clientDetails('general', { client: allClients }), { replace: true });
    } catch (error) {
      setFault(faultOf(error, () => false).text);
    }
  };

  return (
    <Card title="From a CSV file">
      <Rows>
        <TextField
          select
          size="small"
          label="Partner"
          value={partner}
          onChange={(event) => {
            setPartner(Number(event.target.value));
            if (csv !== undefined) read(csv, Number(event.target.value));
          }}
          sx={{ maxWidth: 320 }}
        >
          {clients
            .filter((each) => each.isPartner)
            .map(({ id, name }) => (
              <MenuItem key={id} value={id}>
                {name}
              </MenuItem>
            ))}
        </TextField>
        <FilePicker
          label="Choose a CSV file"
          types={['.csv', 'text/csv']}
          maxBytes={maxBytes}
          isBusy={preview.isPending}
          onFile={(file) => void textOf(file).then((text) => read(text, partner))}
          actions={
            <Button size="small" onClick={example}>
              Download a template
            </Button>
          }
        />
        <span>{`One client per row, up to ${maxNewClients}. The first row names the columns; only Name is required.`}</span>
        {fault !== undefined && (
          <Note tone="warning" role="alert">
            {fault}
          </Note>
        )}
        {(preview.data?.ignoredColumns.length ?? 0) > 0 && rows.length > 0 && (
          <Note tone="warning">Columns not used: {preview.data?.ignoredColumns.join(', ')}.</Note>
        )}
        {rows.length > 0 && (
          <>
            <Preview rows={rows} />
            <Actions>
              <Button
                variant="contained"
                disabled={good.length === 0}
                loading={create.isPending}
                onClick={() => void save()}
              >{`Create ${counted(good.length, 'client')}`}</Button>
            </Actions>
            {wrong > 0 && (
              <Note tone="warning">
                {`${counted(wrong, 'row')} with errors ${wrong === 1 ? 'is' : 'are'} left out. Correct the file and choose it again to include ${wrong === 1 ? 'it' : 'them'}.`}
              </Note>
            )}
          </>
        )}
      </Rows>
    </Card>
  );
}

function Preview({ rows }: { rows: readonly PreviewRow[] }) {
  return (
    <Listing
      title="Preview"
      heads={[{ title: 'Line', isNumber: true }, 'Client', 'Level', 'Administrator', 'Case emails to']}
      empty="No rows"
      isWide
      rows={rows.map(({ line, name, client, errors, warnings }) => ({
        key: String(line),
        text: name,
        cells: [
          line,
          <div key="name" style={{ minWidth: 200 }}>
            <VisibleText text={name} />
            <p>{[...(errors.length === 0 ? ['Will be created.'] : errors), ...warnings].join(' ')}</p>
          </div>,
          client && subscriptionLevels.find(({ id }) => id === client.general.subscriptionLevelID)?.name,
          client?.administrator?.emailAddress,
          client?.escalationEmailAddresses.join(', '),
        ],
      }))}
    />
  );
}
