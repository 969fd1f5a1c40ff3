/** Makes an enrolment token. Its text is here once, already in the line that installs the agent. */
import { agentsApi } from '@parapet/contract/agents.ts';
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { NewKey } from '../../../kit/NewKey.tsx';
import { call } from '../../../lib/call.ts';
import { showFormError } from '../../../lib/problems.ts';
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
  const queries = useQueryClient();
  const [token, setToken] = useState<string>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: { name: '', maxUses: 1, hours: 24 },
    resolver: resolverOf<Values, unknown>(agentsApi.createToken.body),
  });
  const make = async (body: Values) => {
    try {
      setToken((await call(agentsApi.createToken, { params: { client }, body })).token);
      void queries.invalidateQueries({ queryKey: [agentsApi.listTokens.id] });
    } catch (error) {
      showFormError(form, error);
    }
  };
  return (
    <NewKey
      title="New enrolment token"
      thing="token"
      madeTitle="The new token"
      form={form}
      onMake={make}
      onClose={onClose}
      hint="Such as: web servers in Graz"
      fields={
        <Fields least={180}>
          <TextInput name="maxUses" type="number" label="How many hosts" isRequired hint="So many agents may enrol with it" />
          <SelectInput name="hours" label="It works for" choices={hours} isRequired />
        </Fields>
      }
      made={
        token && (
          <>
            <CommandBox name="On a Linux host, as root or by sudo" text={linuxCommand(location.origin, token)} />
            <CommandBox name="The token alone" text={token} />
          </>
        )
      }
    />
  );
}
