/** Events that a rule must or must not match; they run whenever a version becomes tested, shadow or live. */
import Button from '@mui/material/Button';
import { type RuleDetail, rulesApi } from '@parapet/contract/detectionRules.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { z } from 'zod';
import { CodeViewer } from '../../../kit/CodeViewer.tsx';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { useAddTest, useRemoveTest } from '../rules.queries.ts';

export function TestsTab({ rule }: { rule: RuleDetail }) {
  const [isAdding, setAdding] = useState(false);
  const remove = useRemoveTest();
  return (
    <div style={{ display: 'grid', gap: 12, justifyItems: 'start' }}>
      {rule.tests.length === 0 && (
        <Nothing>No tests yet. A rule needs an event that it must match before it can go live.</Nothing>
      )}
      <Rows aria-label="Tests" style={{ width: '100%' }}>
        {rule.tests.map(({ id, name, isMatch, document }) => (
          <Row key={id}>
            <div className="fields">
              <strong>
                <VisibleText text={name} />
              </strong>{' '}
              {isMatch ? 'Must match' : 'Must not match'}
              <CodeViewer text={document} label={`Event of ${name}`} maxHeight={160} />
            </div>
            {rule.canEdit && (
              <div className="buttons">
                <Button size="small" onClick={() => remove.mutate({ params: { id } })}>
                  Remove test
                </Button>
              </div>
            )}
          </Row>
        ))}
      </Rows>
      {rule.canEdit && (
        <Button variant="outlined" onClick={() => setAdding(true)}>
          Add test
        </Button>
      )}
      {isAdding && <AddTest rule={rule} onClose={() => setAdding(false)} />}
    </div>
  );
}

interface Values {
  name: string;
  expected: string;
  document: string;
}
const { name, document } = rulesApi.addTest.body.shape;
const schema = z.object({ name, document, expected: z.string() });

function AddTest({ rule, onClose }: { rule: RuleDetail; onClose: () => void }) {
  const ownId = useScope().who.organisationId;
  const add = useAddTest();
  const form = useForm<Values>({
    defaultValues: { name: '', expected: 'match', document: '' },
    resolver: resolverOf<Values, unknown>(schema),
  });
  const onSave = ({ expected, ...values }: Values) =>
    add
      .mutateAsync({
        body: { ...values, clientOrganizationID: rule.ownerID ?? ownId, ruleID: rule.ruleID, isMatch: expected === 'match' },
      })
      .then(onClose, (error) => showFormError(form, error));
  return (
    <FormDialog title="Add test" onClose={onClose} form={form} saveText="Add test" onSave={onSave} maxWidth="md">
      <TextInput name="name" label="Name" isRequired maxLength={200} />
      <SelectInput
        name="expected"
        label="Expected"
        isRequired
        choices={[
          { value: 'match', label: 'Must match' },
          { value: 'miss', label: 'Must not match' },
        ]}
      />
      <TextInput
        name="document"
        label="Event"
        lines={8}
        isRequired
        hint="JSON, as stored: copy it from an alert or an event."
        isWide
      />
    </FormDialog>
  );
}
