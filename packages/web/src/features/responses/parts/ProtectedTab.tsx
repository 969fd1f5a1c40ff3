/** Devices and accounts of a client whose response actions require two approvals. */
import { responseRequestsApi } from '@parapet/contract/responseRequests.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { EmptyState, FailedState } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { protectedQuery, useAddProtected, useRemoveProtected } from '../responses.queries.ts';
import { readOnlyReason } from './RulesTab.tsx';
import { Column, SettingsList } from './SettingsList.tsx';

/** Lists longer than this get a search field. */
const searchThreshold = 10;

export function ProtectedTab({ client }: { client: number }) {
  const { may, timeZone } = useScope();
  const mayWrite = may('approvalRules:write');
  const { data, error, refetch } = useQuery(protectedQuery(client));
  const remove = useRemoveProtected(client);
  const [text, setText] = useState('');
  const needle = text.trim().toLowerCase();
  const shown = data?.results.filter(({ value, reason }) => `${value} ${reason}`.toLowerCase().includes(needle)) ?? [];
  return (
    <Column>
      {!mayWrite && <Note>{readOnlyReason}</Note>}
      <Card
        title="Protected assets"
        purpose="Isolating or blocking these assets, ending their processes or collecting their files requires approval by 2 other people, regardless of the rules. Undoing does not."
      >
        {data ? (
          data.results.length === 0 ? (
            <EmptyState
              title="No protected assets"
              text="Protect critical systems such as domain controllers, core servers and service accounts."
            />
          ) : (
            <>
              {data.results.length > searchThreshold && (
                <SearchField value={text} onChange={setText} label="Search protected assets" hasShortcut width={280} />
              )}
              {shown.length === 0 && <p role="status">No matching protected assets.</p>}
              <SettingsList
                label="Protected assets"
                entries={shown.map(({ id, kind, value, reason, createdBy, createdAt }) => ({
                  id,
                  name: visibleText(value),
                  text: (
                    <>
                      {kind === 'device' ? 'Device' : 'Account'}{' '}
                      <b>
                        <VisibleText text={value} />
                      </b>
                      <div>
                        <VisibleText text={reason} />
                      </div>
                      <div className="meta">
                        {createdBy && (
                          <>
                            <VisibleText text={createdBy} />,{' '}
                          </>
                        )}
                        <RelativeTime at={createdAt} timeZone={timeZone} />
                      </div>
                    </>
                  ),
                }))}
                onRemove={mayWrite ? (id, settled) => remove.mutate(id, { onSettled: settled }) : undefined}
                isBusy={remove.isPending}
                question={{
                  title: 'Remove this protection?',
                  text: 'new requests follow the approval rules. Pending requests are unaffected.',
                }}
              />
            </>
          )
        ) : error ? (
          <FailedState what="protected assets" error={error} onRetry={() => void refetch()} />
        ) : (
          <TextSkeleton lines={4} lineHeight={44} />
        )}
      </Card>
      {mayWrite && <AddAsset client={client} />}
    </Column>
  );
}

const emptyAsset = { kind: 'device' as 'device' | 'user', value: '', reason: '' };

function AddAsset({ client }: { client: number }) {
  const add = useAddProtected();
  const form = useForm({ defaultValues: emptyAsset, resolver: resolverOf(responseRequestsApi.addProtected.body) });
  const save = savingForm(form, async (values: typeof emptyAsset) => {
    await add.mutateAsync({ params: { client }, body: values });
    form.reset(emptyAsset);
  });
  return (
    <Card title="Add protected asset">
      <Form form={form} label="Add protected asset" isNew saveText="Protect asset" onSave={save}>
        <Fields least={220}>
          <SelectInput
            name="kind"
            label="Type"
            choices={[
              { value: 'device', label: 'Device' },
              { value: 'user', label: 'Account' },
            ]}
          />
          <TextInput
            name="value"
            label="Name"
            isRequired
            maxLength={255}
            hint="Matches all name forms: ada also matches CORP\ada."
          />
          <TextInput name="reason" label="Reason" isRequired isWide maxLength={500} />
        </Fields>
      </Form>
    </Card>
  );
}
