/** Offboarding of a client in order: hand-over archive, agents that leave, end of access, and erasure, which continues in the list of deactivated clients. */
import Button from '@mui/material/Button';
import TextField from '@mui/material/TextField';
import { allClients } from '@parapet/contract/access.ts';
import type { ClientDetails } from '@parapet/contract/organisations.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Checklist, ChecklistStep } from '../../../kit/Checklist.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { counted } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { useGo } from '../../../lib/address.ts';
import { Loaded } from '../../../lib/Loaded.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { agentsText } from '../offboarding.ts';
import { offboardingQuery, useDismissAgents, useEndAccess } from '../organisations.queries.ts';
import { ArchiveButton } from './ArchiveButton.tsx';

export function OffboardingTab({ details: { id, general } }: { details: ClientDetails }) {
  const { timeZone } = useScope();
  const query = useQuery(offboardingQuery(id));
  const dismiss = useDismissAgents();
  const [isEnding, setEnding] = useState(false);
  const data = query.data;
  return (
    <Loaded query={query} what="the offboarding" lines={6} isEmpty={false} empty="">
      {data && (
        <Checklist aria-label="Offboarding steps">
          <ChecklistStep
            title="Hand over the data"
            text="A ZIP file with details, users, devices, alerts, cases with shared notes, and raw events."
            isDone={data.archivedAt !== null}
            state={
              data.archivedAt !== null && (
                <>
                  Last downloaded <RelativeTime at={data.archivedAt} timeZone={timeZone} />.
                </>
              )
            }
          >
            <ArchiveButton client={id} />
          </ChecklistStep>
          <ChecklistStep
            title="Remove agents"
            text="Each ends its isolation, confirms and removes itself. Offline agents are removed when they reconnect, within 30 days."
            isDone={data.agents.working + data.agents.told === 0}
            state={agentsText(data.agents)}
          >
            <Button
              size="small"
              variant="outlined"
              disabled={data.agents.working === 0}
              loading={dismiss.isPending}
              onClick={() => dismiss.mutate({ params: { client: id } })}
            >
              Remove agents
            </Button>
          </ChecklistStep>
          <ChecklistStep
            title="End access"
            text={`${counted(data.users, 'user')} can no longer sign in; ${counted(data.ingestKeys, 'ingest key')} and ${counted(data.enrolmentTokens, 'enrolment token')} are revoked, and the keys of agents with them. All data is kept until it is erased.`}
            isDone={false}
            state={
              data.agents.working + data.agents.told > 0 &&
              'Agents that have not left stay on their hosts and can’t be removed from here.'
            }
          >
            <Button size="small" variant="outlined" color="error" onClick={() => setEnding(true)}>
              End access
            </Button>
          </ChecklistStep>
          <ChecklistStep
            title="Erase the data"
            text="Deletes everything of the client, and certifies it. Requested by a Host and confirmed by a second person, once access has ended."
            isDone={false}
          >
            <Button size="small" variant="outlined" color="error" disabled title="End the access first.">
              Request erasure
            </Button>
          </ChecklistStep>
        </Checklist>
      )}
      {isEnding && <EndDialog id={id} name={general.name} onClose={() => setEnding(false)} />}
    </Loaded>
  );
}

function EndDialog({ id, name, onClose }: { id: number; name: string; onClose: () => void }) {
  const go = useGo();
  const end = useEndAccess(() => go(paths.clientDetails('general', { client: allClients, erase: id }), { replace: true }));
  const [typed, setTyped] = useState('');
  return (
    <ConfirmDialog
      isOpen
      title={`End access of ${name}?`}
      isBusy={end.isPending}
      isYesOff={typed.trim() !== name}
      onNo={onClose}
      onYes={() => end.mutate({ params: { client: id }, body: { name: typed.trim() } })}
    >
      Sign-ins, shippers and agents of {name} are refused at once. Revoked keys stay revoked when the client is reactivated. Enter
      its name to confirm.
      <TextField
        size="small"
        fullWidth
        label="Name of the client"
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        sx={{ mt: 1.5 }}
      />
    </ConfirmDialog>
  );
}
