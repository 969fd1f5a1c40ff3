/** Warning about feeds and connections that fail or are old; nothing while all of them work. */
import { allClients } from '@parapet/contract/access.ts';
import type { SourceWarning } from '@parapet/contract/operations.processes.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TimeOrNever } from '../../../kit/RelativeTime.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';

const stateText: Record<SourceWarning['state'], string> = {
  failing: 'Failing, tried again',
  stopped: 'Stopped: access refused',
  old: 'Not read for too long',
};

export function Sources({ sources, timeZone }: { sources: SourceWarning[]; timeZone: string | undefined }) {
  if (sources.length === 0) return null;
  return (
    <>
      <Note tone="warning">
        {sources.length === 1 ? 'A feed or connection is' : `${sources.length} feeds and connections are`} failing or out of date.
      </Note>
      <Listing
        title="Feeds and connections with problems"
        isWide
        heads={['Name', 'Client', 'State', 'Last success', 'Error']}
        rows={sources.map(({ kind, name, clientOrganizationID: client, client: clientName, state, error, readAt }, index) => ({
          key: `${kind} ${name} ${index}`,
          text: `${name} ${clientName} ${error}`,
          cells: [
            <AppLink key="name" href={paths.devices(client ?? allClients, { tab: 'connections' })}>
              <VisibleText text={name} />
            </AppLink>,
            kind === 'feed' ? 'All clients' : <VisibleText key="client" text={clientName} />,
            stateText[state],
            <TimeOrNever key="at" at={readAt} timeZone={timeZone} />,
            <VisibleText key="error" text={error} />,
          ],
        }))}
        empty=""
      />
    </>
  );
}
