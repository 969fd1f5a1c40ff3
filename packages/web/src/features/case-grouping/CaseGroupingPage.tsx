/** Case grouping (/apps/casegrouping), for the provider: rules by which alerts become cases, with preview, shadow and versions. */
import { styled } from '@mui/material/styles';
import { allClients } from '@parapet/contract/access.ts';
import type { GroupingDetail, GroupingSetInput } from '@parapet/contract/caseGrouping.ts';
import { useQuery } from '@tanstack/react-query';
import { useCallback, useEffect, useState } from 'react';
import { Card } from '../../kit/Card.tsx';
import { counted } from '../../kit/numbers.ts';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { RelativeTime } from '../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { UnsavedDialog } from '../../kit/UnsavedDialog.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { BackLink } from '../../lib/BackLink.tsx';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { useLeaveGuard } from '../../lib/useLeaveGuard.ts';
import { groupingQuery, useGroupingPreview } from './grouping.queries.ts';
import { mayManageGrouping, stateLabel, type Values, valuesOf } from './grouping.ts';
import { CommonEntities } from './parts/CommonEntities.tsx';
import { GroupingChanges } from './parts/GroupingChanges.tsx';
import { GroupingTable } from './parts/GroupingTable.tsx';
import { GroupingVersions } from './parts/GroupingVersions.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 1200, '& > *': { minWidth: 0 } });

export function CaseGroupingPage() {
  useTitle('Case grouping');
  const scope = useScope();
  const isAllowed = mayManageGrouping(scope);
  const { data, error, refetch } = useQuery({ ...groupingQuery(scope.client), enabled: isAllowed });
  const back = <BackLink href={paths.rules({ client: scope.client })}>Rules</BackLink>;
  const header = (
    <PageHeader
      above={back}
      title="Case grouping"
      purpose={`Rules by which alerts become cases, for ${scope.client === allClients ? 'all clients' : clientLabel(scope)}`}
    />
  );
  if (!isAllowed)
    return (
      <>
        {header}
        <EmptyState title="Case grouping is managed by the provider" text="Each alert of a case names the rule that joined it." />
      </>
    );
  if (!data)
    return (
      <>
        {header}
        {error ? (
          <FailedState what="case grouping" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={8} lineHeight={48} />
        )}
      </>
    );
  return (
    <>
      {header}
      <Editor key={data.clientOrganizationID} detail={data} />
    </>
  );
}

function Editor({ detail }: { detail: GroupingDetail }) {
  const { timeZone } = useScope();
  const { search } = useSearchState();
  const previewID = objectIdIn(search.preview);
  const live = detail.versions.find(({ state }) => state === 'live');
  const [values, setValues] = useState<Values>(() => valuesOf(live));
  const [common, setCommon] = useState<GroupingSetInput['common']>(live?.common ?? []);
  const [isTouched, setIsTouched] = useState(false);
  const guard = useLeaveGuard(isTouched);
  const fill = useCallback((set: GroupingSetInput) => {
    setValues(valuesOf(set));
    setCommon(set.common);
    setIsTouched(false);
  }, []);
  // A second person opens the address with the previewed change filled in.
  const previewed = useGroupingPreview(previewID).data?.change;
  useEffect(() => {
    if (previewed?.clientOrganizationID === detail.clientOrganizationID && !isTouched) fill(previewed);
  }, [previewed, detail.clientOrganizationID, isTouched, fill]);
  const onChange = (parameter: string, value: number | undefined) => {
    setIsTouched(true);
    setValues(({ [parameter]: _, ...others }) => (value === undefined ? others : { ...others, [parameter]: value }));
  };
  const onCommon = (next: GroupingSetInput['common']) => {
    setIsTouched(true);
    setCommon(next);
  };
  const table = { detail, values, onChange };
  return (
    <Column>
      <UnsavedDialog {...guard.dialog} />
      <Card title="An alert joins an open case by" purpose="Strongest first; the first rule that finds an open case decides.">
        <GroupingTable part="joining" {...table} />
      </Card>
      <Card title="An alert opens a case because">
        <GroupingTable part="opening" {...table} />
      </Card>
      <Card title="Limits">
        <GroupingTable part="limit" {...table} />
      </Card>
      <Card title="Entities that join no alerts" purpose="Scanners, shared accounts and files that many clients have.">
        <CommonEntities inherited={detail.inheritedCommon} common={common} onChange={onCommon} />
      </Card>
      <Card title="Changes" purpose="Preview over past alerts, save a draft, then run it in shadow or go live.">
        <GroupingChanges
          detail={detail}
          values={values}
          common={common}
          previewID={previewID}
          onReset={() => fill(live ?? { parameters: [], common: [] })}
          onSaved={() => setIsTouched(false)}
        />
      </Card>
      <Card title="Versions">
        <GroupingVersions versions={detail.versions} previewID={previewID} onEdit={fill} />
      </Card>
      {detail.overrides.length > 0 && (
        <Card title="Sets live or in shadow">
          <Rows aria-label="Sets live or in shadow">
            {detail.overrides.map(({ clientOrganizationID, organisation, state, differences }) => (
              <Row key={`${clientOrganizationID} ${state}`}>
                <div className="fields">
                  <AppLink href={paths.caseGrouping({ client: clientOrganizationID })}>{organisation}</AppLink>
                  <Nothing>
                    {stateLabel[state]}, {counted(differences, 'difference')}
                  </Nothing>
                </div>
              </Row>
            ))}
          </Rows>
        </Card>
      )}
      <Card title="History">
        {detail.history.length === 0 && <Nothing>No changes yet.</Nothing>}
        <Rows aria-label="History">
          {detail.history.map(({ at, actor, action, version, why }) => (
            <Row key={`${at} ${action} ${version}`}>
              <div className="fields">
                <div>
                  <strong>
                    {action}, version {version}
                  </strong>{' '}
                  <VisibleText text={actor} /> <RelativeTime at={at} timeZone={timeZone} />
                </div>
                <Nothing>
                  <VisibleText text={why} />
                </Nothing>
              </div>
            </Row>
          ))}
        </Rows>
      </Card>
    </Column>
  );
}
