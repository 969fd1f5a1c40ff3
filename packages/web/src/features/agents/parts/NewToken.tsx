/** Creates an enrolment token. Its text is shown once, inside the install command. */
import { agentsApi } from '@parapet/contract/agents.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { NewKey } from '../../../kit/NewKey.tsx';
import { savingForm } from '../../../lib/problems.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';
import { linuxCommand } from '../install.ts';
import { CommandBox } from './CommandBox.tsx';

interface Values {
  name: string;
  maxUses: number;
  hours: number;
}

const hours = [
  { value: 1, label: '1 hour' },
  { value: 24, label: '1 day' },
  { value: 7 * 24, label: '7 days' },
  { value: 30 * 24, label: '30 days' },
  { value: 90 * 24, label: '90 days' },
];

export function NewToken({ client, onClose }: { client: number; onClose: () => void }) {
  const create = useApiMutation(agentsApi.createToken, { invalidates: [agentsApi.listTokens], failure: false });
  const [token, setToken] = useState<string>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: { name: '', maxUses: 1, hours: 24 },
    resolver: resolverOf<Values, unknown>(agentsApi.createToken.body),
  });
  const save = savingForm(form, async (body: Values) => {
    setToken((await create.mutateAsync({ params: { client }, body })).token);
  });
  return (
    <NewKey
      title="New enrolment token"
      thing="token"
      madeTitle="Token created"
      form={form}
      onMake={save}
      onClose={onClose}
      hint="For example: web servers in Graz"
      fields={
        <Fields least={180}>
          <TextInput
            name="maxUses"
            type="number"
            label="Maximum hosts"
            isRequired
            hint="Number of agents that can enrol with it"
          />
          <SelectInput name="hours" label="Valid for" choices={hours} isRequired />
        </Fields>
      }
      made={
        token && (
          <>
            <CommandBox name="Linux hosts, as root or with sudo" text={linuxCommand(location.origin, token)} />
            <CommandBox name="Token only" text={token} />
          </>
        )
      }
    />
  );
}
