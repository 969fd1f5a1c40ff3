/** Setup of tickets at a PSA: board, priorities, statuses in both directions, custom fields, and the company of each client. */
import Button from '@mui/material/Button';
import type { DeliveryTarget } from '@parapet/contract/deliveries.ts';
import { Problem } from '@parapet/contract/problem.ts';
import { caseStatuses } from '@parapet/contract/rules/cases.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { FormDialog } from '../../../kit/FormDialog.tsx';
import { type Choice, Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { Modal } from '../../../kit/Modal.tsx';
import { Note } from '../../../kit/Note.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Section } from '../../../kit/Section.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { ticketSetupQuery, useSaveTicketSetup } from '../deliveries.queries.ts';
import {
  formErrors,
  inputOf,
  none,
  type TicketChoices,
  type TicketSetupAnswer,
  type TicketValues,
  valuesOf,
} from '../ticketForm.ts';
import { CompanyInput } from './CompanyInput.tsx';
import { TimeFields } from './TimeFields.tsx';

interface Props {
  target: DeliveryTarget;
  onClose: () => void;
}

const unchanged: Choice = { value: none, label: 'No change' };
const choicesOf = (rows: readonly { id: string; label: string }[], first?: Choice): Choice[] => [
  ...(first ? [first] : []),
  ...rows.map(({ id, label }) => ({ value: id, label: visibleText(label) })),
];
const caseChoices: Choice[] = [unchanged, ...caseStatuses];
const files: Choice[] = [
  { value: 'none', label: 'None' },
  { value: 'report', label: 'Report (PDF)' },
  { value: 'archive', label: 'Signed archive (ZIP)' },
];
const capitalised = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

export function TicketSetup({ target, onClose }: Props) {
  const [board, setBoard] = useState<string>();
  const query = ticketSetupQuery(target.clientOrganizationID, target.id, board);
  const { data, error, refetch } = useQuery({ ...query, staleTime: 0, gcTime: 0, refetchOnWindowFocus: false });
  const title = `Tickets at ${visibleText(target.name)}`;
  if (data?.choices)
    return <SetupForm target={target} title={title} answer={data} choices={data.choices} onBoard={setBoard} onClose={onClose} />;
  return (
    <Modal title={title} onClose={onClose} maxWidth="md" actions={<Button onClick={onClose}>Cancel</Button>}>
      {data ? (
        <Note tone="warning" actions={<Button onClick={() => void refetch()}>Try again</Button>}>
          Couldn’t read from {target.title}: <VisibleText text={data.error ?? ''} />
        </Note>
      ) : error ? (
        <FailedState what="setup" error={error} onRetry={() => void refetch()} />
      ) : (
        <TextSkeleton lines={8} />
      )}
    </Modal>
  );
}

interface FormProps extends Props {
  title: string;
  answer: TicketSetupAnswer;
  choices: TicketChoices;
  onBoard: (board: string) => void;
}

function SetupForm({ target, title, answer, choices, onBoard, onClose }: FormProps) {
  const save = useSaveTicketSetup();
  const form = useForm<TicketValues>({ defaultValues: valuesOf(answer, choices) });
  const submit = async (values: TicketValues) => {
    const body = inputOf(values, answer, choices);
    try {
      await save.mutateAsync({ params: { client: target.clientOrganizationID, target: target.id }, body });
      onClose();
    } catch (error) {
      const errors =
        error instanceof Problem && error.errors ? formErrors(error.errors, answer, choices, body.companies) : undefined;
      showFormError(form, errors ? new Problem('invalid', (error as Problem).message, { errors }) : error);
    }
  };
  return (
    <FormDialog title={title} form={form} onSave={submit} onClose={onClose} maxWidth="md">
      <Reading answer={answer} product={target.title} />
      <Fields>
        <SelectInput
          name="board"
          label="Board, queue or ticket type"
          choices={choicesOf(choices.boards)}
          onChosen={(board) => {
            // Types and fields belong to the board.
            form.setValue('type', '');
            form.setValue('fields', []);
            onBoard(String(board));
          }}
          isRequired
        />
        {choices.types.length > 0 && <SelectInput name="type" label="Type" choices={choicesOf(choices.types)} isRequired />}
        {choices.fields.map(({ id, label, isRequired, options }, place) =>
          options ? (
            <SelectInput
              key={id}
              name={`fields.${place}`}
              label={visibleText(label)}
              isRequired={isRequired}
              choices={choicesOf(options, isRequired ? undefined : { value: none, label: 'None' })}
            />
          ) : (
            <TextInput key={id} name={`fields.${place}`} label={visibleText(label)} isRequired={isRequired} maxLength={500} />
          ),
        )}
      </Fields>
      <Section title="Priority by severity">
        <Fields least={150}>
          {severities.map((severity) => (
            <SelectInput
              key={severity}
              name={`priorities.${severity}`}
              label={capitalised(severity)}
              choices={choicesOf(choices.priorities, { value: none, label: 'Default' })}
            />
          ))}
        </Fields>
      </Section>
      <Section title="When a case changes, the ticket becomes">
        <Fields least={200}>
          {caseStatuses.map(({ value, label }, place) => (
            <SelectInput key={value} name={`statuses.${place}`} label={label} choices={choicesOf(choices.statuses, unchanged)} />
          ))}
        </Fields>
      </Section>
      <Section title="When a ticket changes, the case becomes">
        <Fields least={200}>
          {choices.statuses.map(({ id, label }, place) => (
            <SelectInput key={id} name={`back.${place}`} label={visibleText(label)} choices={caseChoices} />
          ))}
        </Fields>
      </Section>
      <Section title="File">
        <SelectInput name="attachment" label="Attached when a case closes" choices={files} hint="As the client may read it" />
      </Section>
      <TimeFields choices={choices.time} product={target.title} />
      <Section title="Company of each client">
        {choices.isPartial && <Note tone="warning">{target.title} has more companies than the portal reads.</Note>}
        <Fields>
          {answer.companies.map(({ clientId, clientName }, place) => (
            <CompanyInput
              key={clientId}
              name={`companies.${place}`}
              label={visibleText(clientName)}
              companies={choices.companies}
            />
          ))}
        </Fields>
      </Section>
    </FormDialog>
  );
}

/** Newest reading of tickets. */
function Reading({ answer, product }: { answer: TicketSetupAnswer; product: string }) {
  const { timeZone } = useScope();
  if (answer.pollError)
    return (
      <Note tone="warning">
        Tickets couldn’t be read: <VisibleText text={answer.pollError} />
      </Note>
    );
  if (answer.polledAt)
    return (
      <Note>
        Tickets were last read <RelativeTime at={answer.polledAt} timeZone={timeZone} />.
      </Note>
    );
  return <Note>Cases become tickets once a routing rule sends them here. Changes in {product} are read every minute.</Note>;
}
