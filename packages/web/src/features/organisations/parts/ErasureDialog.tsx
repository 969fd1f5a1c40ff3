/** Erasure of a client whose access has ended: request, second person, progress, and certificate. */
import Button from '@mui/material/Button';
import LinearProgress from '@mui/material/LinearProgress';
import { type RetentionState, retentionApi } from '@parapet/contract/retention.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bytesText } from '../../../kit/bytes.ts';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { download } from '../../../lib/download.ts';
import { Loaded } from '../../../lib/Loaded.tsx';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { deactivatedQuery } from '../organisations.queries.ts';
import { erasureQuery } from '../retention.queries.ts';
import { RequestDialog, WaitingRequest } from './LegalHold.tsx';

interface Props {
  client: number;
  name: string;
  onClose: () => void;
}

export function ErasureDialog({ client, name, onClose }: Props) {
  const query = useQuery(erasureQuery(client));
  const queries = useQueryClient();
  // The erased client has another name in the list.
  const close = () => {
    void queries.invalidateQueries({ queryKey: deactivatedQuery.queryKey });
    onClose();
  };
  return (
    <Modal title={`Erasure of ${name}`} onClose={close} actions={<Button onClick={close}>Close</Button>}>
      <Loaded query={query} what="the erasure" lines={4} isEmpty={false} empty="">
        {query.data && <Steps client={client} name={name} state={query.data} />}
      </Loaded>
    </Modal>
  );
}

function Steps({
  client,
  name,
  state: { erasure, request, hold, can },
}: Pick<Props, 'client' | 'name'> & { state: RetentionState }) {
  const [isAsking, setAsking] = useState(false);
  if (erasure) return <Progress client={client} erasure={erasure} />;
  return (
    <div style={{ display: 'grid', gap: 12 }}>
      <p style={{ margin: 0 }}>
        Deletes all data of {name}: events, alerts, cases, devices, users, files, archive and keys. Its audit log keeps
        identifiers only. This can’t be undone. A second person must confirm it.
      </p>
      {hold && <Note tone="warning">Under legal hold: {hold.reason}. Nothing can be erased until the hold is lifted.</Note>}
      {request && <WaitingRequest client={client} request={request} />}
      {!request && (
        <div>
          <Button
            variant="outlined"
            color="error"
            disabled={!can.request || hold !== null}
            title={can.request ? undefined : 'Only a Host can request an erasure.'}
            onClick={() => setAsking(true)}
          >
            Request erasure
          </Button>
        </div>
      )}
      {isAsking && <RequestDialog client={client} name={name} kind="erase" onClose={() => setAsking(false)} />}
    </div>
  );
}

function Progress({ client, erasure }: { client: number; erasure: NonNullable<RetentionState['erasure']> }) {
  const { timeZone } = useScope();
  const deleted = `${counted(erasure.rows, 'row')} deleted, ${bytesText(erasure.bytes)}`;
  if (erasure.finishedAt === null)
    return (
      <div role="status" style={{ display: 'grid', gap: 8 }}>
        Erasing: {deleted}.
        <LinearProgress aria-label="Erasing" />
      </div>
    );
  return (
    <div style={{ display: 'grid', gap: 12 }}>
      <Note>
        Erased <AbsoluteTime at={erasure.finishedAt} timeZone={timeZone} />: {deleted}.
      </Note>
      <div>
        SHA-256 of the certificate: <Mono text={erasure.sha256 ?? ''} />
      </div>
      <div style={{ display: 'flex', flexWrap: 'wrap', gap: 8 }}>
        {(['pdf', 'json'] as const).map((format) => (
          <Button key={format} variant="outlined" startIcon={<DownloadRounded />} onClick={() => void save(client, format)}>
            Certificate ({format.toUpperCase()})
          </Button>
        ))}
      </div>
    </div>
  );
}

async function save(client: number, format: 'json' | 'pdf'): Promise<void> {
  try {
    await download(retentionApi.certificate, { params: { client }, query: { format } }, `erasure-${client}.${format}`);
  } catch (error) {
    toast.error(`The certificate was not downloaded. ${error instanceof Error ? error.message : ''}`);
  }
}
