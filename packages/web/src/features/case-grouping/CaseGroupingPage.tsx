/** Case grouping (/apps/casegrouping), for the provider: rules by which alerts become cases, with preview, shadow and versions. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { GroupingDetail, GroupingSetInput, GroupingVersion } from '@parapet/contract/caseGrouping.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Card } from '../../kit/Card.tsx';
import { ArrowBackRounded } from '../../kit/icons/ArrowBackRounded.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { RelativeTime } from '../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../kit/rows.styles.ts';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../kit/States.tsx';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { objectIdIn } from '../../lib/pageLoader.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { groupingQuery, useSaveGrouping, useStartGroupingPreview } from './grouping.queries.ts';
import { inputOf, mayManageGrouping, stateLabel, type Values, valuesOf } from './grouping.ts';
import { CommonEntities } from './parts/CommonEntities.tsx';
import { GroupingPreviewResult } from './parts/GroupingPreviewResult.tsx';
import { GroupingTable } from './parts/GroupingTable.tsx';
import { GroupingVersions } from './parts/GroupingVersions.tsx';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 1200, '& > *': { minWidth: 0 } });

export function CaseGroupingPage() {
  useTitle('Case grouping');
  const scope = useScope();
  const isAllowed = mayManageGrouping(scope);
  const { data, error, refetch } = useQuery({ ...groupingQuery(scope.client), enabled: isAllowed });
  const back = (
    <Button
      component={AppLink}
      href={paths.rules({ client: scope.client })}
      size="small"
      color="inherit"
      startIcon={<ArrowBackRounded />}
      sx={{ ml: -1, color: 'text.secondary' }}
    >
      Rules
    </Button>
  );
  const header = (
    <PageHeader
      above={back}
      title="Case grouping"
      purpose={`Rules by which alerts become cases, for ${scope.client === 0 ? 'all clients' : clientLabel(scope)}`}
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

const isShown = ({ state }: GroupingVersion) => state === 'live';

function Editor({ detail }: { detail: GroupingDetail }) {
  const { timeZone } = useScope();
  const { search, change: changeAddress } = useSearchState();
  const previewID = objectIdIn(search.preview);
  const live = detail.versions.find(isShown);
  const [values, setValues] = useState<Values>(() => valuesOf(live));
  const [common, setCommon] = useState<GroupingSetInput['common']>(live?.common ?? []);
  const [note, setNote] = useState('');
  const start = useStartGroupingPreview();
  const save = useSaveGrouping();
  const change = { clientOrganizationID: detail.clientOrganizationID, parameters: inputOf(values), common };
  const isValid = Object.values(values).every((value) => Number.isInteger(value));
  const onChange = (parameter: string, value: number | undefined) =>
    setValues(({ [parameter]: _, ...others }) => (value === undefined ? others : { ...others, [parameter]: value }));
  const onEdit = (version: GroupingVersion) => {
    setValues(valuesOf(version));
    setCommon(version.common);
  };
  const onPreview = () =>
    start
      .mutateAsync({ body: { ...change, days: 30 } })
      .then(({ id }) => changeAddress({ preview: id }, { replace: true }))
      .catch(() => undefined);
  const onSave = () =>
    save
      .mutateAsync({ body: { ...change, note, afterVersion: detail.versions[0]?.version ?? 0 } })
      .then(() => setNote(''))
      .catch(() => undefined);
  const table = { detail, values, onChange };
  return (
    <Column>
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
        <CommonEntities inherited={detail.inheritedCommon} common={common} onChange={setCommon} />
      </Card>
      <Card title="Change" purpose="Preview the last 30 days, save a draft, then run it in shadow or go live.">
        <div style={{ display: 'grid', gap: 12, justifyItems: 'start' }}>
          <Button variant="outlined" disabled={!isValid} loading={start.isPending} onClick={() => void onPreview()}>
            Preview, last 30 days
          </Button>
          {previewID !== undefined && (
            <GroupingPreviewResult
              id={previewID}
              isStale={(previewed) =>
                JSON.stringify([previewed.parameters, previewed.common]) !== JSON.stringify([change.parameters, change.common])
              }
            />
          )}
          <TextField
            size="small"
            label="Reason"
            value={note}
            onChange={({ target }) => setNote(target.value)}
            fullWidth
            slotProps={{ htmlInput: { maxLength: 2000 } }}
          />
          <Button
            variant="contained"
            disabled={!isValid || note.trim().length < 5}
            loading={save.isPending}
            onClick={() => void onSave()}
          >
            Save draft
          </Button>
        </div>
      </Card>
      <Card title="Versions">
        <GroupingVersions versions={detail.versions} previewID={previewID} onEdit={onEdit} />
      </Card>
      {detail.overrides.length > 0 && (
        <Card title="Organisations with a set of their own">
          <Rows aria-label="Organisations with a set of their own">
            {detail.overrides.map(({ clientOrganizationID, organisation, state, differences }) => (
              <Row key={`${clientOrganizationID} ${state}`}>
                <div className="fields">
                  <AppLink href={paths.caseGrouping({ client: clientOrganizationID })}>{organisation}</AppLink>
                  <span>
                    {stateLabel[state]}, {differences} {differences === 1 ? 'difference' : 'differences'}
                  </span>
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
                <span>
                  {action}, version {version}: <VisibleText text={actor} /> <RelativeTime at={at} timeZone={timeZone} />
                </span>
                <VisibleText text={why} />
              </div>
            </Row>
          ))}
        </Rows>
      </Card>
    </Column>
  );
}
