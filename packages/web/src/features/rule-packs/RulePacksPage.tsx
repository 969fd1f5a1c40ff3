/** Rule packs (/apps/rulepacks), for the provider: imports under review, and accepted packs. */
import { styled } from '@mui/material/styles';
import { useQuery } from '@tanstack/react-query';
import { Card } from '../../kit/Card.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { BackLink } from '../../lib/BackLink.tsx';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { PastSearches } from '../past-searches/PastSearches.tsx';
import { mayManagePacks } from '../rules/rules.ts';
import { packsQuery } from './packs.queries.ts';
import { isUnderWay } from './packs.ts';
import { ExportOwn } from './parts/ExportOwn.tsx';
import { ImportPack } from './parts/ImportPack.tsx';
import { ImportRow } from './parts/ImportRow.tsx';
import { PackRow } from './parts/PackRow.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 960, '& > *': { minWidth: 0 } });
const pollMs = 1_000;
const ofPacks = ['rules'] as const;
const searchTexts = {
  purpose: 'Alerts that the accepted rules would have raised in any state, over the events that can be searched.',
  empty: 'None yet. The next accepted pack or update starts one.',
};

export function RulePacksPage() {
  useTitle('Rule packs');
  const scope = useScope();
  const isAllowed = mayManagePacks(scope);
  const { data, error, refetch } = useQuery({
    ...packsQuery(),
    enabled: isAllowed,
    refetchInterval: ({ state }) => (state.data?.imports.some(isUnderWay) ? pollMs : false),
  });
  const back = <BackLink href={paths.rules({ client: scope.client })}>Rules</BackLink>;
  if (!isAllowed)
    return (
      <>
        <PageHeader above={back} title="Rule packs" />
        <Column>
          <EmptyState
            title="Rule packs are managed by the provider"
            text="Your own rules and exceptions are on the Rules page."
          />
          <PastSearches kinds={ofPacks} {...searchTexts} />
        </Column>
      </>
    );
  return (
    <>
      <PageHeader
        above={back}
        title="Rule packs"
        actions={<ExportOwn />}
        purpose="Sigma rules from archives and Git repositories, reviewed as a difference before they are accepted."
      />
      <Column>
        <ImportPack packs={data?.results ?? []} />
        {data && data.imports.length > 0 && (
          <Card title="Imports" purpose="Nothing changes before you accept it.">
            <Rows aria-label="Imports">
              {data.imports.map((each) => (
                <ImportRow key={each.id} packImport={each} />
              ))}
            </Rows>
          </Card>
        )}
        <Card title="Packs" purpose={data ? `Exported packs are signed with the key ${data.signer}.` : undefined}>
          {data ? (
            <Rows aria-label="Packs">
              {data.results.map((pack) => (
                <PackRow key={pack.id ?? 'builtin'} pack={pack} />
              ))}
            </Rows>
          ) : error ? (
            <FailedState what="packs" error={error} onRetry={() => void refetch()} />
          ) : (
            <TextSkeleton lines={4} lineHeight={48} />
          )}
        </Card>
        <PastSearches kinds={ofPacks} {...searchTexts} />
      </Column>
    </>
  );
}
