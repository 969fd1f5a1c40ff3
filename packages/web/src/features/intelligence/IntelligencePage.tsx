/** Threat intelligence (/apps/intelligence): indicator lists that apply to all clients, for Hosts, and searches of the past for each reader. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { IntelligenceList } from '@parapet/contract/intelligence.ts';
import { pastSearchKinds } from '@parapet/contract/pastSearches.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../kit/Card.tsx';
import { ConfirmDialog } from '../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../kit/DefinitionList.tsx';
import { counted, exact } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { RelativeTime } from '../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { visibleText } from '../../kit/visible.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { PastSearches } from '../past-searches/PastSearches.tsx';
import { mayManagePacks } from '../rules/rules.ts';
import { formatName } from './importFile.ts';
import { listsQuery, useRemoveList } from './intelligence.queries.ts';
import { Feeds, pollMs } from './parts/Feeds.tsx';
import { ImportList } from './parts/ImportList.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });

const ofIntelligence = ['indicators', 'exploited'] as const;
const searchTexts = {
  purpose: 'Started by each import and by new known exploited vulnerabilities, over the events that can be searched.',
  empty: 'None yet. The next import of a list starts one.',
};

export function IntelligencePage() {
  useTitle('Threat intelligence');
  const scope = useScope();
  const { may, timeZone } = scope;
  const isAllowed = may('intelligence:write');
  const { data, error, refetch } = useQuery({ ...listsQuery(), enabled: isAllowed, refetchInterval: pollMs });
  const [doomed, setDoomed] = useState<IntelligenceList>();
  const remove = useRemoveList(doomed?.name);
  if (!isAllowed) {
    return (
      <>
        <PageHeader
          title="Threat intelligence"
          purpose="Stored events are searched for each new indicator, rule of a pack and known exploited vulnerability."
        />
        <Column>
          <PastSearches kinds={mayManagePacks(scope) ? ofIntelligence : pastSearchKinds} {...searchTexts} />
        </Column>
      </>
    );
  }
  const lists = data?.results;
  return (
    <>
      <PageHeader
        title="Threat intelligence"
        purpose="Reputation of addresses, domains and hashes for all clients, used by verdicts and case artifacts."
      />
      <Column>
        <ImportList lists={lists ?? []} />
        <Feeds />
        <Card title="Lists">
          {!lists ? (
            error ? (
              <FailedState what="lists" error={error} onRetry={() => void refetch()} />
            ) : (
              <TextSkeleton lines={4} lineHeight={48} />
            )
          ) : lists.length === 0 ? (
            <EmptyState title="No lists yet" text="Import one above: CSV, MISP JSON or a STIX 2.1 bundle." />
          ) : (
            <Rows aria-label="Lists">
              {lists.map((list) => (
                <Row key={list.id} aria-label={visibleText(list.name)}>
                  <div className="fields">
                    <strong style={{ overflowWrap: 'anywhere' }}>
                      <VisibleText text={list.name} />
                    </strong>
                    <DefinitionList
                      minWidth={140}
                      facts={[
                        { name: 'Indicators', value: exact(list.count) },
                        { name: 'Format', value: formatName[list.format] },
                        {
                          name: list.isOfFeed ? 'Read by its feed' : 'Imported',
                          value: <RelativeTime at={list.importedTime} timeZone={timeZone} />,
                        },
                      ]}
                    />
                  </div>
                  <div className="buttons">
                    {!list.isOfFeed && (
                      <Button size="small" aria-label={`Remove ${visibleText(list.name)}`} onClick={() => setDoomed(list)}>
                        Remove
                      </Button>
                    )}
                  </div>
                </Row>
              ))}
            </Rows>
          )}
        </Card>
        <PastSearches kinds={ofIntelligence} {...searchTexts} />
      </Column>
      <ConfirmDialog
        isOpen={doomed !== undefined}
        title="Remove this list?"
        isBusy={remove.isPending}
        onNo={() => setDoomed(undefined)}
        onYes={() => doomed && remove.mutate({ params: { id: doomed.id } }, { onSettled: () => setDoomed(undefined) })}
      >
        <VisibleText text={doomed?.name ?? ''} /> with {counted(doomed?.count ?? 0, 'indicator')} will be removed for all clients.
        Existing verdicts don’t change.
      </ConfirmDialog>
    </>
  );
}
