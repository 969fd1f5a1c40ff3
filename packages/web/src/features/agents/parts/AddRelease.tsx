/** Publishes an agent package. The server accepts it only with a signature by the installation's release key. */
import Button from '@mui/material/Button';
import { agentsApi, releaseName } from '@parapet/contract/agents.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { requiredText, resolverOf } from '../../../kit/form.ts';
import { savingForm } from '../../../lib/problems.ts';
import { useApiMutation } from '../../../lib/useApiMutation.ts';

interface Values {
  version: string;
  platform: 'linux-x64' | 'linux-arm64';
  signature: string;
}

const { types = [], maxBytes = 0 } = agentsApi.addRelease.upload ?? {};
const empty: Values = { version: '', platform: 'linux-x64', signature: '' };

export function AddRelease() {
  const [file, setFile] = useState<File>();
  const publish = useApiMutation(agentsApi.addRelease, {
    invalidates: [agentsApi.listReleases],
    success: (_, { params: { version, platform } }) => `Version ${version} for ${platform} published`,
    failure: false,
    onSuccess: () => {
      form.reset(empty);
      setFile(undefined);
    },
  });
  const form = useForm<Values, unknown, Values>({
    defaultValues: empty,
    resolver: resolverOf<Values, unknown>(releaseName, ({ signature }) => ({
      signature: signature.trim() === '' ? requiredText : undefined,
    })),
  });
  const save = savingForm(form, async ({ version, platform, signature }: Values) => {
    if (!file) return;
    await publish.mutateAsync({
      params: { version, platform },
      query: { signature },
      body: new Blob([file], { type: types[0] ?? '' }) as never,
    });
  });
  return (
    <Card
      title="Publish version"
      purpose="For all clients. Sign the package with “npm run -s agent-release”; agents accept only signed, newer versions."
    >
      <Form form={form} label="Publish version" onSave={save} isNew canSave={file !== undefined} saveText="Publish version">
        <Fields>
          <TextInput name="version" label="Version" isRequired hint="Three numbers, such as 1.4.0" maxLength={20} />
          <SelectInput
            name="platform"
            label="Platform"
            choices={[
              { value: 'linux-x64', label: 'Linux, x86-64' },
              { value: 'linux-arm64', label: 'Linux, ARM64' },
            ]}
          />
          <TextInput name="signature" label="Signature" isRequired isWide maxLength={200} />
        </Fields>
        <FilePicker
          label="Select package"
          file={file}
          types={['.mjs', '.js']}
          maxBytes={maxBytes}
          onFile={setFile}
          actions={
            file && (
              <Button size="small" onClick={() => setFile(undefined)}>
                Remove file
              </Button>
            )
          }
        />
      </Form>
    </Card>
  );
}
