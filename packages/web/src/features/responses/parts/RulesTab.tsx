/** Who must approve what at a client. Rules are added and taken away, never changed: the history shows what held when. */
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
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { deviceTypeLabel } from '../../devices/parts/DeviceTypeLabel.tsx';
import { rulesQuery, useSettingsOf } from '../responses.queries.ts';
import { responseTexts } from '../responseTexts.ts';
import { Column, SettingsList } from './SettingsList.tsx';
import { SingleOperator } from './SingleOperator.tsx';

/** `every` stands for all of them. */
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
  nobody: 'Nobody',
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
const choicesOf = <T extends string>(values: readonly T[], words: Record<T, string>) =>
  values.map((value) => ({ value, label: words[value] }));

export const whyNotSet = 'Only administrators of your partner or provider set this. Ask them where it should change.';

export function RulesTab({ client }: { client: number }) {
  const { may } = useScope();
  const [mayWrite, mayDecide] = [may('approvalRules:write'), may('installation:write')];
  const { data, error, refetch } = useQuery(rulesQuery(client));
  const { removeRule } = useSettingsOf(client);
  return (
    <Column>
      {!mayWrite && <Note>{whyNotSet}</Note>}
      <Card
        title="Approval rules"
        purpose="The most special rule counts: the action first, then the kind of device, then the hours. What no rule names needs no approval, save for the defaults below."
      >
        {data ? (
          data.results.length === 0 ? (
            <EmptyState title="There is no rule" text="Only the defaults below apply." />
          ) : (
            <SettingsList
              label="Approval rules"
              entries={data.results.map(({ id, text }) => ({ id, name: text, text }))}
              onRemove={mayWrite ? (id, settled) => removeRule.mutate(id, { onSettled: settled }) : undefined}
              isBusy={removeRule.isPending}
              question={{
                title: 'Remove this rule?',
                text: 'it does not hold for new requests any more. Those that wait already keep waiting.',
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
        By default another person approves collecting a file, ending a process and isolating a server; only a rule for exactly
        that asks for less. Protected assets need two approvals, and after five isolations within ten minutes a second person
        approves each further one. Nobody approves their own request, through an API key, with an account younger than 24 hours,
        or with one that the requester created or changed within 30 days.
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
  const { addRule } = useSettingsOf(client);
  const form = useForm<Values>({ defaultValues: emptyRule });
  const asks = form.watch('approvers') !== 'nobody';
  const save = async ({ action, deviceType, ...values }: Values) => {
    try {
      await addRule({
        ...values,
        action: (action === 'every' ? null : action) as ApprovalRule['action'],
        deviceType: (deviceType === 'every' ? null : deviceType) as ApprovalRule['deviceType'],
      });
      form.reset(emptyRule);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Card title="Add a rule">
      <Form form={form} label="Add a rule" isNew saveText="Add rule" onSave={save}>
        <Fields least={220}>
          <SelectInput
            name="action"
            label="What"
            choices={[
              { value: 'every', label: 'Every response' },
              ...responseActions.map((value) => ({ value, label: responseTexts(value).name })),
            ]}
          />
          <SelectInput
            name="deviceType"
            label="On"
            choices={[{ value: 'every', label: 'Every kind of device' }, ...choicesOf(deviceTypes, deviceTypeLabel)]}
          />
          <SelectInput
            name="hours"
            label="When"
            hint="Working hours: Monday to Friday, 8 to 18 in the client’s zone."
            choices={choicesOf(ruleHours, hourLabel)}
          />
          <SelectInput name="approvers" label="Who approves" choices={choicesOf(approverKinds, approverLabel)} />
          {asks && (
            <>
              <SelectInput
                name="persons"
                label="How many"
                choices={[
                  { value: 1, label: 'One person' },
                  { value: 2, label: 'Two persons' },
                ]}
              />
              <SelectInput name="waitMinutes" label="Waits for" choices={waits} />
              <SelectInput
                name="silence"
                label="When nobody answers"
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
