/** A new webhook, or the mapping of one. */
import Button from '@mui/material/Button';
import type { AnswerOf } from '@parapet/contract/endpoint.ts';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { type WebhookAuthentication, type WebhookSource, webhookSourcesApi } from '@parapet/contract/webhookSources.ts';
import { useEffect, useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { Form } from '../../../kit/Form.tsx';
import { Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { showFormError } from '../../../lib/problems.ts';
import { useScope } from '../../../lib/scope.ts';
import { namespaceOf } from '../mappingDraft.ts';
import { useCreateWebhookSource, useSaveMapping } from '../webhookSources.queries.ts';
import { MappingEditor } from './MappingEditor.tsx';
import { NewSecret } from './NewSecret.tsx';
import { Versions } from './Versions.tsx';

interface Values {
  name: string;
  authentication: WebhookAuthentication;
  header: string;
  mapping: EventMapping;
}

const usualHeader: Record<WebhookAuthentication, string> = {
  header: 'authorization',
  hmac: 'x-hub-signature-256',
  standard: 'webhook-signature',
};
const authentications = [
  { value: 'header', label: 'Secret in a header' },
  { value: 'hmac', label: 'HMAC-SHA256 of the body' },
  { value: 'standard', label: 'Standard Webhooks signature' },
];
const empty: EventMapping = { namespace: '', records: [], fields: [] };

export function EditWebhook({ client, source }: { client: number; source?: WebhookSource }) {
  const { client: place } = useScope();
  const go = useGo();
  const create = useCreateWebhookSource();
  const save = useSaveMapping();
  const [sample, setSample] = useState('');
  const [made, setMade] = useState<AnswerOf<typeof webhookSourcesApi.create>>();
  const form = useForm<Values, unknown, Values>({
    defaultValues: {
      name: source?.name ?? '',
      authentication: source?.authentication ?? 'header',
      header: source?.header ?? usualHeader.header,
      mapping: source?.mapping ?? empty,
    },
    resolver: resolverOf<Values, unknown>(webhookSourcesApi.create.body),
  });
  const back = paths.devices(place || undefined, { tab: 'webhooks' });
  const mapping = form.watch('mapping');
  const setMapping = (next: EventMapping) => form.setValue('mapping', next, { shouldDirty: true });
  const submit = async (values: Values) => {
    try {
      if (source) {
        const params = { client, source: source.id };
        await save.mutateAsync({ params, body: { mapping: values.mapping, version: source.version } });
        go(back, { replace: true });
      } else {
        const created = await create.mutateAsync({ params: { client }, body: values });
        setMade(created);
      }
    } catch (error) {
      if (!source) showFormError(form, error);
    }
  };
  return (
    <div style={{ display: 'grid', gap: 16 }}>
      <Form
        form={form}
        label={source ? 'Mapping' : 'New webhook'}
        onSave={submit}
        isNew={!source}
        saveText={source ? `Save as version ${source.version + 1}` : 'Create webhook'}
        actions={
          <Button component={AppLink} href={back}>
            Cancel
          </Button>
        }
      >
        <Card title={source ? source.name : 'New webhook'} {...(source && { purpose: 'Stored events stay as they are.' })}>
          <Fields>
            {!source && <About form={form} />}
            <TextInput
              name="mapping.namespace"
              label="Namespace"
              hint="Section of the product’s own fields, such as acme_waf"
              isRequired
              maxLength={30}
            />
          </Fields>
        </Card>
        <MappingEditor
          client={client}
          sample={sample}
          onSample={setSample}
          mapping={mapping}
          onMapping={setMapping}
          isSuggesting={!source}
        />
      </Form>
      {source && <Versions source={source} onLoad={setMapping} />}
      {made && <NewSecret title="Webhook created" source={made} onClose={() => go(back, { replace: true })} />}
    </div>
  );
}

function About({ form }: { form: ReturnType<typeof useForm<Values, unknown, Values>> }) {
  const authentication = form.watch('authentication');
  const name = form.watch('name');
  const before = useRef(name);
  useEffect(() => {
    // Until the namespace is edited, it follows the name.
    if (form.getValues('mapping.namespace') === namespaceOf(before.current))
      form.setValue('mapping.namespace', namespaceOf(name), { shouldDirty: true });
    before.current = name;
  }, [name, form]);
  return (
    <>
      <TextInput name="name" label="Name" hint="Shown in lists and as the data source" isRequired maxLength={200} />
      <SelectInput
        name="authentication"
        label="Authentication"
        choices={authentications}
        hint="As the product can send it"
        onChosen={(chosen) => form.setValue('header', usualHeader[chosen as WebhookAuthentication])}
      />
      {authentication !== 'standard' && (
        <TextInput
          name="header"
          label="Header"
          hint={authentication === 'header' ? 'Carries the secret' : 'Carries the signature'}
          isRequired
          maxLength={64}
        />
      )}
    </>
  );
}
