/** Devices and accounts of a client that are isolated or blocked only after two other persons approved. */
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
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { protectedQuery, useSettingsOf } from '../responses.queries.ts';
import { whyNotSet } from './RulesTab.tsx';
import { Column, SettingsList } from './SettingsList.tsx';

const searchFrom = 10;

export function ProtectedTab({ client }: { client: number }) {
  const { may, timeZone } = useScope();
  const mayWrite = may('approvalRules:write');
  const { data, error, refetch } = useQuery(protectedQuery(client));
  const { removeProtected } = useSettingsOf(client);
  const [text, setText] = useState('');
  const needle = text.trim().toLowerCase();
  const shown = data?.results.filter(({ value, reason }) => `${value} ${reason}`.toLowerCase().includes(needle)) ?? [];
  return (
    <Column>
      {!mayWrite && <Note>{whyNotSet}</Note>}
      <Card
        title="Protected assets"
        purpose="Isolating or blocking one of these, ending a process or taking a file there needs two other persons, whatever the rules say. Letting back does not."
      >
        {data ? (
          data.results.length === 0 ? (
            <EmptyState
              title="Nothing is protected"
              text="Protect what must not stop by one person’s mistake: domain controllers, core systems, service accounts."
            />
          ) : (
            <>
              {data.results.length > searchFrom && (
                <SearchField value={text} onChange={setText} label="Search protected assets" hasShortcut width={280} />
              )}
              {shown.length === 0 && <p role="status">No protected asset has this in its name or reason.</p>}
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
                      <div className="said">
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
                onRemove={mayWrite ? (id, settled) => removeProtected.mutate(id, { onSettled: settled }) : undefined}
                isBusy={removeProtected.isPending}
                question={{
                  title: 'End this protection?',
                  text: 'it is isolated or blocked like any other from now on. What waits already keeps waiting.',
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
  const { addProtected } = useSettingsOf(client);
  const form = useForm({ defaultValues: emptyAsset, resolver: resolverOf(responseRequestsApi.addProtected.body) });
  const save = async (values: typeof emptyAsset) => {
    try {
      await addProtected(values);
      form.reset(emptyAsset);
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <Card title="Protect a device or account">
      <Form form={form} label="Protect a device or account" isNew saveText="Protect" onSave={save}>
        <Fields least={220}>
          <SelectInput
            name="kind"
            label="Kind"
            choices={[
              { value: 'device', label: 'Device' },
              { value: 'user', label: 'Account' },
            ]}
          />
          <TextInput name="value" label="Name" isRequired maxLength={255} hint="All of its names count: CORP\ada is ada, too." />
          <TextInput name="reason" label="Reason" isRequired isWide maxLength={500} />
        </Fields>
      </Form>
    </Card>
  );
}
