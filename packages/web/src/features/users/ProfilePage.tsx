/** User profile (/apps/profile/{id}); without an id, a new user (spec §2.5). */
import { allClients } from '@parapet/contract/access.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { maxId } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { Card } from '../../kit/Card.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { useGo } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { NewUser } from './parts/NewUser.tsx';
import { Profile } from './parts/Profile.tsx';
import { userDetailQuery } from './users.queries.ts';

export function ProfilePage() {
  const { id } = useParams({ strict: false }) as { id?: string };
  const { client, clientName, user } = useScope();
  const go = useGo();
  const userId = id === undefined ? undefined : idIn(id);
  const isSelf = userId === user.id;
  // spec §2.5: a new user needs a selected organisation.
  const isHomeless = client === allClients && !isSelf;
  useEffect(() => {
    if (isHomeless) go(paths.settings(), { replace: true });
  }, [isHomeless, go]);

  if (isHomeless) return null;
  if (id === undefined) return <NewUser key={client} client={client} clientName={clientName} />;
  if (userId === undefined) return <NoUser id={id} />;
  return <ExistingUser key={userId} clientId={isSelf ? user.clientOrganizationID : client} userId={userId} />;
}

/** Valid user id of the address; undefined otherwise. */
function idIn(text: string): number | undefined {
  const id = /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0;
  return id > 0 && id <= maxId ? id : undefined;
}

function ExistingUser({ clientId, userId }: { clientId: number; userId: number }) {
  const { data, error, refetch } = useQuery(userDetailQuery(clientId, userId));
  useTitle(data?.displayName ?? 'User');
  if (data) return <Profile user={data} />;
  if (error instanceof Problem && error.code === 'notFound') return <NoUser id={String(userId)} />;
  return (
    <>
      <PageHeader title="User" />
      {error ? (
        <FailedState what="the user" error={error} onRetry={() => void refetch()} />
      ) : (
        <Card title="User Account Profile">
          <TextSkeleton lines={6} lineHeight={40} />
        </Card>
      )}
    </>
  );
}

function NoUser({ id }: { id: string }) {
  useTitle('User');
  return (
    <>
      <PageHeader title="User" />
      <EmptyState
        title={`User ${id.slice(0, 40)} not found`}
        text="The user may belong to another client, or you don’t have access."
      />
    </>
  );
}
