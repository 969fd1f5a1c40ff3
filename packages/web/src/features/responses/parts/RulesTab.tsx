/** Approval rules of a client. Rules are added and removed, never edited, so that the history shows which applied when. */
import { responseActions } from '@parapet/contract/caseDetail.ts';
import { type ApprovalRule, approverKinds, ruleHours, ruleSilences } from '@parapet/contract/responseRequests.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { deviceTypeLabel } from '../../devices/parts/DeviceTypeLabel.tsx';
import { rulesQuery, useAddRule, useRemoveRule } from '../responses.queries.ts';
import { responseTexts } from '../responseTexts.ts';
import { Column, SettingsList } from './SettingsList.tsx';
import { SingleOperator } from './SingleOperator.tsx';

/** `every` matches all values. */
interface Values {
  action: string;
  deviceType: string;
  hours: ApprovalRule['hours'];
  approvers: ApprovalRule['approvers'];
  persons: number;
  silence: ApprovalRule['silence'];
  waitMinutes: number;
}

const hourLabel: Record<ApprovalRule['hours'], string> = {
  always: 'Always',
  workingHours: 'In working hours',
  outsideWorkingHours: 'Outside working hours',
};
const approverLabel: Record<ApprovalRule['approvers'], string> = {
  nobody: 'No approval',
  client: 'The client’s administrators',
  partner: 'The partner’s staff',
  provider: 'The provider’s staff',
};
const silenceLabel: Record<ApprovalRule['silence'], string> = { expire: 'Expires', approve: 'Counts as approved' };
const waits = [
  { value: 15, label: '15 minutes' },
  { value: 30, label: '30 minutes' },
  { value: 60, label: '1 hour' },
  { value: 240, label: '4 hours' },
  { value: 1440, label: '24 hours' },
];
const choicesOf = <T extends string>(values: readonly T[], labels: Record<T, string>) =>
  values.map((value) => ({ value, label: labels[value] }));

export const readOnlyReason = 'Managed by administrators of your partner or provider. Contact them for changes.';

export function RulesTab({ client }: { client: number }) {
  const { may } = useScope();
  const [mayWrite, mayDecide] = [may('approvalRules:write'), may('installation:write')];
  const { data, error, refetch } = useQuery(rulesQuery(client));
  const remove = useRemoveRule(client);
  return (
    <Column>
      {!mayWrite && <Note>{readOnlyReason}</Note>}
      <Card
        title="Approval rules"
        purpose="The most specific rule applies: by action, then device type, then hours. Responses without a matching rule need no approval except for the defaults below."
      >
        {data ? (
          data.results.length === 0 ? (
            <EmptyState title="No rules yet" text="Only the defaults below apply." />
          ) : (
            <SettingsList
              label="Approval rules"
              entries={data.results.map(({ id, text }) => ({ id, name: text, text }))}
              onRemove={mayWrite ? (id, settled) => remove.mutate(id, { onSettled: settled }) : undefined}
              isBusy={remove.isPending}
              question={{
                title: 'Remove this rule?',
                text: 'no longer applies to new requests; pending ones are unaffected.',
              }}
            />
          )
        ) : error ? (
          <FailedState what="rules" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={44} />
        )}
      </Card>
      <Note>
        By default, collecting a file, ending a process and isolating a server need one approval; only a rule for exactly that
        action lowers it. Protected assets need 2 approvals. After 5 isolations within 10 minutes, each further one needs
        approval. Requests can’t be approved by their requester, through an API key, by accounts younger than 24 hours, or by
        accounts that the requester created or changed within 30 days.
      </Note>
      {mayDecide && <SingleOperator />}
      {mayWrite && <AddRule client={client} />}
    </Column>
  );
}

const emptyRule: Values = {
  action: 'every',
  deviceType: 'every',
  hours: 'always',
  approvers: 'client',
  persons: 1,
  silence: 'expire',
  waitMinutes: 60,
};

function AddRule({ client }: { client: number }) {
  const add = useAddRule();
  const form = useForm<Values>({ defaultValues: emptyRule });
  const needsApproval = form.watch('approvers') !== 'nobody';
  const save = savingForm(form, async ({ action, deviceType, ...values }: Values) => {
    await add.mutateAsync({
      params: { client },
      body: {
        ...values,
        action: (action === 'every' ? null : action) as ApprovalRule['action'],
        deviceType: (deviceType === 'every' ? null : deviceType) as ApprovalRule['deviceType'],
      },
    });
    form.reset(emptyRule);
  });
  return (
    <Card title="Add rule">
      <Form form={form} label="Add rule" isNew saveText="Add rule" onSave={save}>
        <Fields least={220}>
          <SelectInput
            name="action"
            label="Action"
            choices={[
              { value: 'every', label: 'All actions' },
              ...responseActions.map((value) => ({ value, label: responseTexts(value).name })),
            ]}
          />
          <SelectInput
            name="deviceType"
            label="Device type"
            choices={[{ value: 'every', label: 'All device types' }, ...choicesOf(deviceTypes, deviceTypeLabel)]}
          />
          <SelectInput
            name="hours"
            label="Hours"
            hint="Working hours: Monday to Friday, 8:00 to 18:00 in the client’s time zone."
            choices={choicesOf(ruleHours, hourLabel)}
          />
          <SelectInput name="approvers" label="Approvers" choices={choicesOf(approverKinds, approverLabel)} />
          {needsApproval && (
            <>
              <SelectInput
                name="persons"
                label="Approvals"
                choices={[
                  { value: 1, label: '1 person' },
                  { value: 2, label: '2 people' },
                ]}
              />
              <SelectInput name="waitMinutes" label="Approval timeout" choices={waits} />
              <SelectInput
                name="silence"
                label="On timeout"
                hint="Protected assets always expire."
                choices={choicesOf(ruleSilences, silenceLabel)}
              />
            </>
          )}
        </Fields>
      </Form>
    </Card>
  );
}
