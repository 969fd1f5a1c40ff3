/**
 * Configuration of a client's collector (/apps/clientconfig, /apps/auditbitconfig …): form, text and versions. The text is the source of
 * truth; edits are a draft until saved as the next version.
 */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { ConfigKind } from '@parapet/contract/collectors.ts';
import { useQuery } from '@tanstack/react-query';
import { useLocation } from '@tanstack/react-router';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { ChooseClient } from '../organisations/parts/ChooseClient.tsx';
import { configQuery } from './collectors.queries.ts';
import { kindOfPath, kindsInOrder, kindTexts } from './kinds.ts';
import { Config } from './parts/Config.tsx';

export function CollectorPage() {
  const { pathname } = useLocation();
  const kind = kindOfPath(pathname);
  const { client, may } = useScope();
  const { title, purpose } = kindTexts[kind];
  useTitle(title);
  if (!may('ingestKeys:write'))
    return (
      <>
        <PageHeader title={title} purpose={purpose} />
        <EmptyState
          title="Only administrators can configure collectors"
          text="The configuration controls what each host sends, and its file contains a key. Ask an administrator of your organisation to change or download it."
          actions={
            <Button component={AppLink} href={paths.devices()} variant="outlined" size="small">
              Data Sources
            </Button>
          }
        />
      </>
    );
  if (client === allClients)
    return (
      <>
        <PageHeader title={title} purpose={purpose} />
        <ChooseClient purpose="Configurations" hrefOf={(id) => paths.collectorConfig(kind, id)} />
      </>
    );
  return <OneClient key={`${kind} ${client}`} client={client} kind={kind} />;
}

function OneClient({ client, kind }: { client: number; kind: ConfigKind }) {
  const { clientName, hasSelector } = useScope();
  const { data, error, refetch } = useQuery(configQuery(client, kind));
  const { title, purpose } = kindTexts[kind];
  return (
    <>
      <TabLinks
        label="Collectors"
        current={kind}
        tabs={kindsInOrder.map((id) => ({
          id,
          title: kindTexts[id].title,
          href: paths.collectorConfig(id, hasSelector ? client : undefined),
        }))}
      />
      {data ? (
        <Config client={client} kind={kind} newest={data} />
      ) : (
        <>
          <PageHeader title={title} purpose={`${purpose}${clientName && ` · ${clientName}`}`} />
          {error ? (
            <FailedState what="the configuration" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={8} lineHeight={56} />
          )}
        </>
      )}
    </>
  );
}
