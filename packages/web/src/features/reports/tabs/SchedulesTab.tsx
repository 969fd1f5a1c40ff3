/** Schedules that email the previous month’s report. */
import Autocomplete from '@mui/material/Autocomplete';
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import { reportsApi } from '@parapet/contract/reports.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useController, useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { DefinitionList } from '../../../kit/DefinitionList.tsx';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { counted } from '../../../kit/numbers.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { Row, Rows } from '../../../kit/rows.styles.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { answerChip } from '../../../lib/listFilters.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { escalationQuery, schedulesQuery, useAddSchedule, useRemoveSchedule, usersOfQuery } from '../reports.queries.ts';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });

interface Values {
  dayOfMonth: number;
  recipients: string[];
}
const empty: Values = { dayOfMonth: 1, recipients: [] };
const days = Array.from({ length: 28 }, (_, index) => ({ value: index + 1, label: `On day ${index + 1}` }));

export function SchedulesTab({ client }: { client: number }) {
  const { timeZone } = useScope();
  const { search, change } = useSearchState();
  const schedules = useQuery(schedulesQuery(client, search.query));
  const [removing, setRemoving] = useState<number>();
  const remove = useRemoveSchedule();
  const rows = schedules.data?.results;
  return (
    <Column>
      <NewSchedule client={client} />
      <Card title="Schedules">
        <FilterChips chips={answerChip(search.query, change)} onClear={() => change({ query: undefined })} />
        {!rows ? (
          schedules.error ? (
            <FailedState what="schedules" error={schedules.error} onRetry={() => void schedules.refetch()} />
          ) : (
            <TextSkeleton lines={3} lineHeight={48} />
          )
        ) : rows.length === 0 ? (
          search.query === undefined ? (
            <EmptyState title="No scheduled reports" text="Add a schedule above." />
          ) : (
            <EmptyState title="No matching schedules" text="Remove the filter." />
          )
        ) : (
          <Rows aria-label="Schedules">
            {rows.map((row) => (
              <Row key={row.id} aria-label={`On day ${row.dayOfMonth}`}>
                <div className="fields">
                  <strong>On day {row.dayOfMonth} of each month</strong>
                  <DefinitionList
                    minWidth={140}
                    facts={[
                      { name: 'To', value: <VisibleText text={row.recipients.join(', ')} />, isWide: true },
                      {
                        name: 'Last sent',
                        value: row.lastSentAt === null ? 'Not yet' : <RelativeTime at={row.lastSentAt} timeZone={timeZone} />,
                      },
                      { name: 'Last error', value: row.lastError && <VisibleText text={row.lastError} />, isWide: true },
                      { name: 'Created by', value: row.createdBy && <VisibleText text={row.createdBy} /> },
                    ]}
                  />
                </div>
                <div className="buttons">
                  <Button
                    size="small"
                    aria-label={`Remove schedule on day ${row.dayOfMonth}`}
                    onClick={() => setRemoving(row.id)}
                  >
                    Remove
                  </Button>
                </div>
              </Row>
            ))}
          </Rows>
        )}
      </Card>
      <ConfirmDialog
        isOpen={removing !== undefined}
        title="Remove this schedule?"
        isBusy={remove.isPending}
        onNo={() => setRemoving(undefined)}
        onYes={() =>
          removing !== undefined &&
          remove.mutate({ params: { client, schedule: removing } }, { onSettled: () => setRemoving(undefined) })
        }
      >
        {counted(rows?.find(({ id }) => id === removing)?.recipients.length ?? 0, 'recipient')} will no longer get the report by
        email.
      </ConfirmDialog>
    </Column>
  );
}

function NewSchedule({ client }: { client: number }) {
  const add = useAddSchedule();
  const form = useForm<Values>({
    defaultValues: empty,
    resolver: resolverOf<Values, unknown>(reportsApi.addSchedule.body),
  });
  const save = savingForm(
    form,
    async (values: Values) => {
      await add.mutateAsync({ params: { client }, body: values });
      form.reset(empty);
    },
    'case',
  );
  return (
    <Card title="New schedule" purpose="Emails the previous month’s report as a PDF with the client’s brand.">
      <Form form={form} label="New schedule" isNew saveText="Add schedule" onSave={save}>
        <Fields>
          <SelectInput name="dayOfMonth" label="Day of month" choices={days} hint="In the client’s time zone." />
          <RecipientsInput client={client} />
        </Fields>
      </Form>
    </Card>
  );
}

/** Suggests users and escalation addresses of the client; the server rejects others. */
function RecipientsInput({ client }: { client: number }) {
  const { field, fieldState } = useController<Values, 'recipients'>({ name: 'recipients' });
  const users = useQuery(usersOfQuery(client));
  const details = useQuery(escalationQuery(client));
  const names = new Map<string, string>();
  for (const { emailAddress, displayName } of users.data?.results ?? []) names.set(emailAddress, displayName);
  for (const { emailAddress } of details.data?.escalation.escalationEmailAddresses ?? [])
    if (!names.has(emailAddress)) names.set(emailAddress, 'Escalation address');
  return (
    <Autocomplete
      className="is-wide"
      multiple
      freeSolo
      autoSelect
      filterSelectedOptions
      size="small"
      options={[...names.keys()]}
      value={field.value}
      onChange={(_, next) => field.onChange([...new Set(next.map((address) => address.trim()).filter(Boolean))])}
      onBlur={field.onBlur}
      loading={users.isLoading || details.isLoading}
      renderOption={({ key: _, ...props }, address) => (
        <li {...props} key={address}>
          <span style={{ overflowWrap: 'anywhere' }}>
            <VisibleText text={address} /> <small>{names.get(address)}</small>
          </span>
        </li>
      )}
      renderInput={(params) => (
        <TextField
          {...params}
          label="To"
          inputRef={field.ref}
          error={fieldState.error !== undefined}
          helperText={fieldState.error?.message ?? 'Users and escalation addresses of the client.'}
        />
      )}
    />
  );
}
