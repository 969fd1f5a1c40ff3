/** Users of an organisation who can submit knowledge. Changes take effect immediately. */
import Switch from '@mui/material/Switch';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { Listing } from '../../../kit/Listing.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { ChooseClient } from '../../organisations/parts/ChooseClient.tsx';
import { teachersQuery, useSetTeacher } from '../sapphire.queries.ts';
import { Column } from './administration.styles.ts';

export function TeachersTab() {
  const { client } = useScope();
  return client === allClients ? (
    <ChooseClient purpose="Teachers" hrefOf={(id) => paths.sapphire({ client: id, tab: 'teachers' })} />
  ) : (
    <Teachers key={client} client={client} />
  );
}

function Teachers({ client }: { client: number }) {
  const { data, error, refetch } = useQuery(teachersQuery(client));
  const set = useSetTeacher(client);
  if (!data) {
    return error ? (
      <FailedState what="people" error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={6} lineHeight={40} />
    );
  }
  return (
    <Column>
      <Listing
        title="Teachers"
        heads={['Name', 'Role', 'Can submit knowledge']}
        empty="No users yet."
        rows={data.results.map((teacher) => ({
          key: String(teacher.userID),
          text: `${teacher.displayName} ${teacher.emailAddress} ${teacher.role}`,
          cells: [
            <div key="name">
              <VisibleText text={teacher.displayName} />
              <p>
                <VisibleText text={teacher.emailAddress} />
              </p>
            </div>,
            <span key="role" style={{ whiteSpace: 'nowrap' }}>
              {teacher.role}
            </span>,
            <Switch
              key="may"
              size="small"
              checked={teacher.isTeacher || teacher.isAlways}
              disabled={teacher.isAlways}
              onChange={(_, isTeacher) => set.mutate({ teacher, isTeacher })}
              slotProps={{
                input: {
                  'aria-label': `${visibleText(teacher.displayName)} can submit knowledge`,
                  title: teacher.isAlways ? 'Hosts always can' : undefined,
                },
              }}
            />,
          ],
        }))}
      />
    </Column>
  );
}
