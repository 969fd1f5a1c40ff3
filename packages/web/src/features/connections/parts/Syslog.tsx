/** Networks of syslog senders, which the provider's Host lists, and ports that unknown senders sent to. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import { type SyslogNetwork, type SyslogPort, syslogApi } from '@parapet/contract/syslog.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { syslogQuery, useAddNetwork, useRemoveNetwork } from '../connections.queries.ts';

export function Syslog() {
  const { client } = useScope();
  const { data } = useQuery({ ...syslogQuery, refetchInterval: 15_000 });
  const [isAdding, setAdding] = useState(false);
  if (!data) return null;
  const networks = data.networks.results.filter(({ clientOrganizationID: owner }) => client === allClients || client === owner);
  const ports = data.ports.results.filter(({ unknown, lost }) => unknown + lost > 0);
  const refusal = client === allClients ? 'Select a client to list a network.' : undefined;
  return (
    <section aria-labelledby="syslog-networks" style={{ marginTop: 24 }}>
      <h2 id="syslog-networks" style={{ margin: '0 0 4px', fontSize: 14, fontWeight: 600 }}>
        Networks of syslog senders
      </h2>
      <p style={{ margin: '0 0 8px', fontSize: 13 }}>
        {data.permitted === ''
          ? 'The operator permits no port for syslog (SYSLOG_PORTS).'
          : `Connections may use the ports ${data.permitted}.`}{' '}
        Senders are told apart by their address only in these networks. An address can be forged over UDP: list networks behind a
        tunnel, or where addresses are filtered.
      </p>
      <div style={{ display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '8px 12px', marginBottom: 8 }}>
        <span title={refusal}>
          <Button variant="outlined" size="small" disabled={refusal !== undefined} onClick={() => setAdding(true)}>
            Add network
          </Button>
        </span>
        {refusal && <span style={{ fontSize: 12 }}>{refusal}</span>}
      </div>
      {ports.length > 0 && (
        <div style={{ display: 'grid', gap: 8, marginBottom: 8 }}>
          {ports.map((port) => (
            <UnknownSenders key={`${port.transport}${port.port}`} port={port} />
          ))}
        </div>
      )}
      {networks.length > 0 && (
        <Rows aria-label="Networks of syslog senders">
          {networks.map((network) => (
            <NetworkRow key={network.id} network={network} />
          ))}
        </Rows>
      )}
      {isAdding && <AddNetwork client={client} onClose={() => setAdding(false)} />}
    </section>
  );
}

function UnknownSenders({ port: { transport, port, unknown, unknownAddress, unknownAt, lost } }: { port: SyslogPort }) {
  const { timeZone } = useScope();
  const input = transport === 'udp' ? 'message' : 'connection';
  return (
    <Note tone="warning">
      {transport.toUpperCase()} port {port}:{' '}
      {unknown > 0 && unknownAt !== null && (
        <>
          {counted(unknown, input)} of unknown senders, the newest from <VisibleText text={unknownAddress ?? ''} />{' '}
          <RelativeTime at={unknownAt} timeZone={timeZone} />. Nothing of them is stored.{' '}
        </>
      )}
      {lost > 0 && `${counted(lost, 'message')} dropped by the operating system.`}
    </Note>
  );
}

function NetworkRow({ network: { id, network, clientOrganizationID: owner } }: { network: SyslogNetwork }) {
  const { clients } = useScope();
  const remove = useRemoveNetwork();
  return (
    <Row aria-label={network}>
      <span className="fields">
        <strong>{network}</strong> · {clients.find(({ id: client }) => client === owner)?.name ?? `client ${owner}`}
      </span>
      <Button
        size="small"
        color="error"
        aria-label={`Remove ${network}`}
        loading={remove.isPending}
        onClick={() => remove.mutate({ params: { network: id } })}
      >
        Remove
      </Button>
    </Row>
  );
}

interface Values {
  network: string;
}

function AddNetwork({ client, onClose }: { client: number; onClose: () => void }) {
  const { clientName } = useScope();
  const add = useAddNetwork();
  const form = useForm<Values, unknown, Values>({
    defaultValues: { network: '' },
    resolver: resolverOf<Values, unknown>({
      safeParse: (values) => syslogApi.addNetwork.body.safeParse({ ...(values as Values), client }),
    }),
  });
  const save = savingForm(form, async ({ network }: Values) => {
    await add.mutateAsync({ body: { client, network } });
    onClose();
  });
  return (
    <FormDialog title="Add network of senders" form={form} onSave={save} saveText="Add network" onClose={onClose}>
      <p style={{ margin: 0 }}>
        Messages of these addresses belong to <VisibleText text={clientName} /> on ports whose connections name them.
      </p>
      <TextInput name="network" label="Network" hint="Address or range, such as 192.0.2.0/24" isRequired maxLength={100} />
    </FormDialog>
  );
}
