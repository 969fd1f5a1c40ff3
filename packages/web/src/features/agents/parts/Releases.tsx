/** Published agent versions, and their rollout at one client. */
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import { useQuery } from '@tanstack/react-query';
import { bytesText } from '../../../kit/bytes.ts';
import { Listing } from '../../../kit/Listing.tsx';
import { Mono } from '../../../kit/Mono.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { ChooseClient } from '../../organisations/parts/ChooseClient.tsx';
import { releasesQuery } from '../agents.queries.ts';
import { AddRelease } from './AddRelease.tsx';
import { Rollout } from './Rollout.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });

export function Releases() {
  const { client, timeZone, may } = useScope();
  const { data, error, refetch } = useQuery(releasesQuery);
  if (!data)
    return error ? (
      <FailedState what="versions" error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={6} lineHeight={40} />
    );
  const versions = [...new Set(data.results.map(({ version }) => version))];
  return (
    <Column>
      {versions.length > 0 &&
        (client === allClients ? (
          <ChooseClient purpose="Rollouts" hrefOf={(id) => paths.agents({ client: id, tab: 'releases' })} />
        ) : (
          <Rollout key={client} client={client} versions={versions} />
        ))}
      <Listing
        title="Versions"
        heads={['Version', 'Platform', { title: 'Size', isNumber: true }, 'Published', 'SHA-256']}
        rows={data.results.map((release) => ({
          key: `${release.version} ${release.platform}`,
          text: `${release.version} ${release.platform} ${release.sha256}`,
          cells: [
            release.version,
            release.platform,
            bytesText(release.size),
            <AbsoluteTime key="at" at={release.createdAt} timeZone={timeZone} />,
            <Mono key="hash" text={release.sha256} copyLabel={`Copy the hash of ${release.version} for ${release.platform}`} />,
          ],
        }))}
        empty="No versions published yet. Hosts keep the agent version they were installed with."
      />
      {may('agentReleases:write') && <AddRelease />}
    </Column>
  );
}
