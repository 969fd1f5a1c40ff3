/** Versions of an organisation’s grouping set, and their life: draft, shadow, live, retired. */

import Button from '@mui/material/Button';
import { caseGroupingApi, type GroupingState, type GroupingVersion } from '@parapet/contract/caseGrouping.ts';
import { minPreviewDays } from '@parapet/contract/rules/grouping.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useGroupingState } from '../grouping.queries.ts';
import { differencesOf, stateLabel } from '../grouping.ts';

const following: Record<GroupingState, readonly GroupingState[]> = {
  draft: ['shadow', 'live', 'retired'],
  shadow: ['live', 'draft'],
  live: [],
  retired: ['draft'],
};
const action: Record<GroupingState, string> = {
  draft: 'Reopen as draft',
  shadow: 'Run in shadow',
  live: 'Go live',
  retired: 'Retire',
};
const effect: Record<GroupingState, string> = {
  draft: 'Groups nothing. To change it, save the next version.',
  shadow: 'Judges new alerts beside the live set and counts its decisions. Writes no cases.',
  live: `Groups new alerts from now on. Existing cases don’t change. Needs a preview of exactly this version over at least ${minPreviewDays} days.`,
  retired: 'Groups nothing. It can be reopened as a draft.',
};

interface Props {
  versions: readonly GroupingVersion[];
  previewID: number | undefined;
  onEdit: (version: GroupingVersion) => void;
}

export function GroupingVersions({ versions, previewID, onEdit }: Props) {
  const { timeZone } = useScope();
  const [changing, setChanging] = useState<{ version: GroupingVersion; state: GroupingState }>();
  if (versions.length === 0) return <Nothing>No versions yet. The inherited set is in force.</Nothing>;
  return (
    <>
      <Rows aria-label="Versions">
        {versions.map((version) => (
          <Row key={version.id}>
            <div className="fields">
              <div style={{ display: 'flex', flexWrap: 'wrap', gap: '4px 12px' }}>
                <strong>Version {version.version}</strong>
                <span>{stateLabel[version.state]}</span>
                <span>
                  <VisibleText text={version.author} /> <RelativeTime at={version.createdTime} timeZone={timeZone} />
                </span>
              </div>
              <div>
                <VisibleText text={version.note} />
              </div>
              <Nothing>
                <VisibleText text={differencesOf(version).join(', ') || 'No differences from the inherited set'} />
              </Nothing>
              {version.shadow && (
                <div>
                  In shadow, {counted(version.shadow.days, 'day')}: {counted(version.shadow.opened, 'case')} opened (live{' '}
                  {exact(version.shadow.liveOpened)}), {counted(version.shadow.joined, 'alert')} in cases (live{' '}
                  {exact(version.shadow.liveJoined)}), {exact(version.shadow.differing)} decided differently
                </div>
              )}
            </div>
            <div className="buttons" style={{ flexWrap: 'wrap' }}>
              <Button size="small" onClick={() => onEdit(version)}>
                Edit from here
              </Button>
              {following[version.state].map((state) => (
                <Button key={state} size="small" title={effect[state]} onClick={() => setChanging({ version, state })}>
                  {action[state]}
                </Button>
              ))}
            </div>
          </Row>
        ))}
      </Rows>
      {changing && <ChangeState {...changing} previewID={previewID} onClose={() => setChanging(undefined)} />}
    </>
  );
}

interface Values {
  why: string;
}
const schema = z.object({ why: caseGroupingApi.changeState.body.shape.why });

interface ChangeProps {
  version: GroupingVersion;
  state: GroupingState;
  previewID: number | undefined;
  onClose: () => void;
}

function ChangeState({ version, state, previewID, onClose }: ChangeProps) {
  const change = useGroupingState();
  const form = useForm<Values>({ defaultValues: { why: '' }, resolver: resolverOf<Values, unknown>(schema) });
  const onSave = ({ why }: Values) =>
    change
      .mutateAsync({ params: { id: version.id }, body: { state, why, previewID: previewID ?? null } })
      .then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog
      title={`${action[state]}: version ${version.version}?`}
      onClose={onClose}
      form={form}
      saveText={action[state]}
      onSave={onSave}
    >
      <Note>{effect[state]}</Note>
      <TextInput name="why" label="Reason" lines={2} isRequired maxLength={2000} />
    </FormDialog>
  );
}
