/** Form of a routing rule, with a preview of the last 30 days. */
import Button from '@mui/material/Button';
import { allClients } from '@parapet/contract/access.ts';
import type { DeliveryRule, DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { caseStatuses, verdicts } from '@parapet/contract/rules/cases.ts';
import { deliveryEvents, escalatedEvents, eventLabel, previewDays } from '@parapet/contract/rules/deliveries.ts';
import { durationText } from '@parapet/contract/rules/duration.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { CheckInput, Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { Note } from '../../../kit/Note.tsx';
import { counted, exact } from '../../../kit/numbers.ts';
import { useScope } from '../../../lib/scope.ts';
import { toast } from '../../../lib/toast.ts';
import { useCreateRule, usePreview, useUpdateRule } from '../deliveries.queries.ts';
import {
  coverText,
  dayChoices,
  delayChoices,
  digestChoices,
  fieldOf,
  inputOf,
  type RuleValues,
  severityChoices,
  timeChoices,
  valuesOf,
} from '../ruleText.ts';
import { EscalationLevels } from './EscalationLevels.tsx';
import { Group } from './styles.ts';

/** The first fault: most belong to groups of inputs, which no single field shows. */
const faultOf = (error: Error): string =>
  Object.values((error as { errors?: Record<string, string[]> }).errors ?? {}).flat()[0] ?? error.message;

interface Choices {
  legend: string;
  name: keyof RuleValues;
  choices: readonly { value: string; label: string }[];
}

const Checks = ({ legend, name, choices }: Choices) => (
  <Group>
    <legend>{legend}</legend>
    <div>
      {choices.map(({ value, label }) => (
        <CheckInput key={value} name={`${name}.${fieldOf(value)}`} label={label} />
      ))}
    </div>
  </Group>
);

interface Props {
  rule: DeliveryRule | undefined;
  targets: readonly DeliveryTarget[];
  onClose: () => void;
}

export function RuleDialog({ rule, targets, onClose }: Props) {
  const { clients, timeZone } = useScope();
  const [create, update] = [useCreateRule(), useUpdateRule()];
  const form = useForm<RuleValues>({ defaultValues: valuesOf(rule, targets[0]?.id ?? 0, timeZone) });
  const values = form.watch();
  const ownerOf = (target: number) => targets.find(({ id }) => id === target)?.clientOrganizationID ?? 0;
  const owner = ownerOf(values.targetId);
  const covered = clients.filter(({ id, partnerClientOrgID: parent }) => owner === 1 || id === owner || parent === owner);
  const save = async (chosen: RuleValues) => {
    const body = inputOf(chosen);
    const saved = rule
      ? update.mutateAsync({ params: { client: owner, rule: rule.id }, body })
      : create.mutateAsync({ params: { client: owner }, body });
    await saved.then(onClose, (error) => toast.error(faultOf(error)));
  };
  return (
    <FormDialog
      title={rule ? 'Edit rule' : 'Add rule'}
      form={form}
      onSave={save}
      saveText={rule ? 'Save rule' : 'Add rule'}
      onClose={onClose}
      maxWidth="md"
    >
      <Fields least={220}>
        <SelectInput
          name="targetId"
          label="Target"
          choices={targets.map(({ id, name }) => ({ value: id, label: name }))}
          onChosen={(chosen) => ownerOf(Number(chosen)) !== owner && form.setValue('escalations', [])}
        />
        {covered.length > 1 && (
          <SelectInput
            name="clientId"
            label="Client"
            choices={[
              { value: allClients, label: coverText(owner, clients) },
              ...covered.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
        )}
      </Fields>
      <Checks legend="Events" name="events" choices={deliveryEvents} />
      {values.events.alert_raised && <CheckInput name="withEvents" label="Send the first events of each alert too" />}
      <SelectInput name="minSeverity" label="Severity of cases, alerts and vulnerabilities" choices={severityChoices} />
      <Checks
        legend="Verdicts of cases; none selected: all"
        name="verdicts"
        choices={verdicts.map((value) => ({ value, label: value }))}
      />
      {values.events.case_statusChanged && (
        <Checks legend="Changes to a status; none selected: all" name="statuses" choices={caseStatuses} />
      )}
      <Hours values={values} />
      <SelectInput name="digestMinutes" label="Messages" choices={digestChoices} />
      <SelectInput
        name="afterMinutes"
        label="When"
        hint="A delay is an escalation: for new cases and verdicts that are not acknowledged by then."
        choices={delayChoices(values.afterMinutes)}
      />
      {escalatedEvents.some((event) => values.events[fieldOf(event)]) && (
        <EscalationLevels targets={targets.filter(({ clientOrganizationID }) => clientOrganizationID === owner)} />
      )}
      <CheckInput name="isOn" label="Rule is on" />
      <Preview client={owner} values={values} />
    </FormDialog>
  );
}

function Hours({ values }: { values: RuleValues }) {
  return (
    <Fields least={160}>
      <SelectInput
        name="schedule"
        label="Hours"
        choices={[
          { value: 'always', label: 'Always' },
          { value: 'hours', label: 'Only within' },
        ]}
        hint={values.schedule === 'hours' ? 'Events outside are not sent later.' : undefined}
      />
      {values.schedule === 'hours' && (
        <>
          <SelectInput name="days" label="Days" choices={dayChoices(values.days)} />
          <SelectInput name="from" label="From" choices={timeChoices(0, values.from)} />
          <SelectInput name="to" label="To" choices={timeChoices(60, values.to)} />
          <TextInput name="zone" label="Time zone" maxLength={64} isRequired />
        </>
      )}
    </Fields>
  );
}

function Preview({ client, values }: { client: number; values: RuleValues }) {
  const preview = usePreview();
  const [shownFor, setShownFor] = useState('');
  const input = inputOf(values);
  const key = JSON.stringify(input);
  const run = () => {
    setShownFor(key);
    preview.mutate({ params: { client }, body: input });
  };
  const isCurrent = shownFor === key;
  return (
    <>
      <div>
        <Button variant="outlined" size="small" loading={preview.isPending} disabled={input.events.length === 0} onClick={run}>
          Preview the last {previewDays} days
        </Button>
      </div>
      {isCurrent && preview.data && (
        <Note role="alert">
          This rule would have sent{' '}
          {input.digestMinutes > 0
            ? `${counted(preview.data.total, 'event')} in digests`
            : counted(preview.data.total, 'delivery', 'deliveries')}
          {preview.data.total > 0 &&
            `: ${[
              ...preview.data.results.map(({ event, count }) => ({ label: eventLabel(event), count })),
              ...preview.data.escalations.map(({ afterMinutes, count }) => ({
                label: `Not acknowledged after ${durationText(afterMinutes)}`,
                count,
              })),
            ]
              .filter(({ count }) => count > 0)
              .map(({ label, count }) => `${label} ${exact(count)}`)
              .join(', ')}`}
          . Cases and alerts count with their severity of today.
        </Note>
      )}
      {isCurrent && preview.error && (
        <Note role="alert" tone="warning">
          {faultOf(preview.error)}
        </Note>
      )}
    </>
  );
}
