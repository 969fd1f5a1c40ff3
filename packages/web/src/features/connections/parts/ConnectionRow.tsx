/** One connection: state, figures, newest error and what can be done. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { Connection } from '@parapet/contract/connections.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { Note } from '../../../kit/Note.tsx';
import { exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { useAllowResponses, usePauseConnection, useReadNow, useRemoveConnection, useTestStored } from '../connections.queries.ts';
import { ConnectionHead } from './ConnectionHead.tsx';
import { IncidentSync, incidentModeLabels } from './IncidentSync.tsx';
import { RenewConsent } from './RenewConsent.tsx';
import { ReplaceSecrets } from './ReplaceSecrets.tsx';

/** "12 minutes behind"; undefined when up to date. */
const lagText = (seconds: number): string | undefined =>
  seconds < 60
    ? undefined
    : seconds < 7_200
      ? `${Math.round(seconds / 60)} minutes behind`
      : `${Math.round(seconds / 3_600)} hours behind`;

export function ConnectionRow({ connection }: { connection: Connection }) {
  const { client, clients, timeZone, may } = useScope();
  const { name, title, account, isPush, clientOrganizationID: owner, pulledAt, lastEventAt, error, errorAt } = connection;
  const at = (instant: string | null) => instant && <RelativeTime at={instant} timeZone={timeZone} />;
  return (
    <Row aria-label={name}>
      <div className="fields" style={{ display: 'grid', gap: 10 }}>
        <ConnectionHead name={name} state={connection.state} sort={isPush ? 'listener' : undefined}>
          {name !== title && `${title} · `}
          <VisibleText text={account} />
          {client === allClients && ` · ${clients.find(({ id }) => id === owner)?.name ?? `client ${owner}`}`}
        </ConnectionHead>
        <DefinitionList
          minWidth={130}
          facts={[
            {
              name: 'Newest event',
              // Devices that send syslog are data sources of their own.
              value:
                lastEventAt &&
                (isPush ? at(lastEventAt) : <AppLink href={paths.device(owner, connection.source)}>{at(lastEventAt)}</AppLink>),
            },
            { name: 'Events, last 24 hours', value: exact(connection.eventsLastDay) },
            { name: isPush ? 'Last check' : 'Last successful pull', value: at(pulledAt) },
            { name: 'Backlog', value: lagText(connection.lagSeconds) },
            { name: 'Devices', value: connection.devices > 0 && exact(connection.devices) },
            {
              name: 'Consent',
              value: connection.consentedBy !== null && (
                <>
                  <VisibleText text={connection.consentedBy} /> {at(connection.consentedAt)}
                </>
              ),
            },
            { name: 'Responses', value: connection.canAct && (connection.mayAct ? 'Allowed' : 'Not allowed') },
            { name: 'Incident sync', value: connection.incidentMode && incidentModeLabels[connection.incidentMode] },
          ].map((fact) => ({ ...fact, value: fact.value || null }))}
        />
        {error && (
          <Note tone="warning">
            <VisibleText text={error} /> {at(errorAt)}
          </Note>
        )}
        {connection.incidentError && (
          <Note tone="warning">
            Incidents: <VisibleText text={connection.incidentError} />
          </Note>
        )}
      </div>
      {may('connections:write') && <Actions connection={connection} />}
    </Row>
  );
}

function Actions({ connection }: { connection: Connection }) {
  const { id, name, state, clientOrganizationID: client } = connection;
  const [dialog, setDialog] = useState<'secrets' | 'consent' | 'remove' | 'allow' | 'incidents'>();
  const test = useTestStored();
  const read = useReadNow();
  const pause = usePauseConnection();
  const remove = useRemoveConnection();
  const allow = useAllowResponses();
  const params = { client, connection: id };
  const isIdle = state === 'paused' || state === 'stopped';
  const close = () => setDialog(undefined);
  return (
    <>
      <span className="buttons" style={{ flexWrap: 'wrap' }}>
        <Button size="small" aria-label={`Test ${name}`} loading={test.isPending} onClick={() => test.mutate({ params })}>
          Test
        </Button>
        {!connection.isPush && !isIdle && (
          <Button size="small" aria-label={`Read ${name} now`} loading={read.isPending} onClick={() => read.mutate({ params })}>
            Read now
          </Button>
        )}
        <Button
          size="small"
          aria-label={`${isIdle ? 'Resume' : 'Pause'} ${name}`}
          loading={pause.isPending}
          onClick={() => pause.mutate({ params, body: { isPaused: !isIdle } })}
        >
          {isIdle ? 'Resume' : 'Pause'}
        </Button>
        {connection.canAct && (
          <Button
            size="small"
            aria-label={`${connection.mayAct ? 'Forbid' : 'Allow'} responses by ${name}`}
            loading={allow.isPending}
            onClick={() => (connection.mayAct ? allow.mutate({ params, body: { mayAct: false } }) : setDialog('allow'))}
          >
            {connection.mayAct ? 'Forbid responses' : 'Allow responses'}
          </Button>
        )}
        {connection.incidentMode && (
          <Button size="small" aria-label={`Incident sync of ${name}`} onClick={() => setDialog('incidents')}>
            Incident sync
          </Button>
        )}
        {connection.consentedBy !== null && (
          <Button size="small" aria-label={`Ask for consent to ${name} again`} onClick={() => setDialog('consent')}>
            Ask for consent again
          </Button>
        )}
        {!connection.isPush && connection.consentedBy === null && (
          <Button size="small" aria-label={`Replace secrets of ${name}`} onClick={() => setDialog('secrets')}>
            Replace secrets
          </Button>
        )}
        <Button size="small" color="error" aria-label={`Remove ${name}`} onClick={() => setDialog('remove')}>
          Remove
        </Button>
      </span>
      {dialog === 'incidents' && connection.incidentMode && (
        <IncidentSync connection={connection} mode={connection.incidentMode} onClose={close} />
      )}
      {dialog === 'consent' && <RenewConsent connection={connection} onClose={close} />}
      {dialog === 'secrets' && <ReplaceSecrets connection={connection} onClose={close} />}
      <ConfirmDialog
        isOpen={dialog === 'allow'}
        title="Allow responses by this connection?"
        isBusy={allow.isPending}
        onNo={close}
        onYes={() => allow.mutate({ params, body: { mayAct: true } }, { onSettled: close })}
      >
        Approved responses on devices and accounts of <VisibleText text={name} /> are executed there. Approval rules and protected
        assets still apply.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={dialog === 'remove'}
        title="Remove this connection?"
        isBusy={remove.isPending}
        onNo={close}
        onYes={() => remove.mutate({ params }, { onSettled: close })}
      >
        {connection.isPush ? (
          <>
            The portal no longer listens for <VisibleText text={name} />.
          </>
        ) : (
          <>
            The portal deletes the secrets of <VisibleText text={name} /> and fetches no more events.
          </>
        )}{' '}
        Events received so far are kept. This can’t be undone.
      </ConfirmDialog>
    </>
  );
}
