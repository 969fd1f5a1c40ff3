/** Collectors of a client with their current version, and its ingest keys. */
import { styled } from '@mui/material/styles';
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../../kit/Card.tsx';
import { counted } from '../../../kit/numbers.ts';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import { keysQuery, versionsQuery } from '../collectors.queries.ts';
import { kindsInOrder, kindTexts } from '../kinds.ts';

const List = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  '& > li': { display: 'grid', gap: 2, padding: '10px 0', borderTop: `1px solid ${palette.divider}`, fontSize: 13 },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& .name': { display: 'flex', alignItems: 'baseline', justifyContent: 'space-between', gap: 12, fontSize: 14 },
  '& a': { color: palette.primary.main, fontWeight: 600, textDecoration: 'none' },
  '& a:hover': { textDecoration: 'underline' },
  '& .quiet': { color: palette.text.secondary },
});

export function Overview({ client, used }: { client: number; used: readonly string[] }) {
  return (
    <div style={{ display: 'grid', gap: 16, alignContent: 'start' }}>
      <Card title="Collectors" purpose="Current version of each configuration">
        <List aria-label="Collectors">
          <li>
            <span className="name">
              <AppLink href={paths.agents()}>Agent</AppLink>
              {used.includes('agent') && <span className="quiet">In use</span>}
            </span>
            <span className="quiet">For Linux. Installed with a token under Agent; needs no configuration file.</span>
          </li>
          {kindsInOrder
            .filter((kind) => kind !== 'client')
            .map((kind) => (
              <Collector key={kind} client={client} kind={kind} isUsed={used.includes(kind)} />
            ))}
        </List>
      </Card>
      <Keys client={client} />
    </div>
  );
}

function Collector({ client, kind, isUsed }: { client: number; kind: ConfigKind; isUsed: boolean }) {
  const { timeZone } = useScope();
  const { data, error, refetch } = useQuery(versionsQuery(client, kind));
  const newest = data?.results[0];
  const { title, purpose } = kindTexts[kind];
  return (
    <li>
      <span className="name">
        <AppLink href={paths.collectorConfig(kind, client)}>{title}</AppLink>
        {isUsed && <span className="quiet">In use</span>}
      </span>
      <span className="quiet">{purpose}</span>
      {error && !data ? (
        <FailedLine what="versions" error={error} onRetry={() => void refetch()} />
      ) : (
        <span>
          {!data ? '…' : newest ? `Version ${newest.version}, ` : 'The standard configuration'}
          {newest && <RelativeTime at={newest.savedAt} timeZone={timeZone} />}
        </span>
      )}
    </li>
  );
}

function Keys({ client }: { client: number }) {
  const { hasSelector } = useScope();
  const { data, error, refetch } = useQuery(keysQuery(client));
  const working = data?.results.filter(({ revokedAt }) => revokedAt === null).length ?? 0;
  return (
    <Card title="Keys" purpose="Each download creates one. Hosts use it to send events and fetch their file.">
      <List>
        <li>
          {error && !data ? (
            <FailedLine what="keys" error={error} onRetry={() => void refetch()} />
          ) : (
            <span className="name">
              <AppLink href={paths.clientDetails('ingest-keys', hasSelector ? { client } : {})}>Ingest keys</AppLink>
              <span>{data ? `${counted(working, 'key')} ${working === 1 ? 'works' : 'work'}` : '…'}</span>
            </span>
          )}
        </li>
      </List>
    </Card>
  );
}
