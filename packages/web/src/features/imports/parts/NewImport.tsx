/** A new import: the file, how it is read, and its mapping. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { type ImportFormat, importsApi, maxImportBytes } from '@parapet/contract/imports.ts';
import { useState } from 'react';
import { useForm } from 'react-hook-form';
import { Card } from '../../../kit/Card.tsx';
import { FilePicker } from '../../../kit/FilePicker.tsx';
import { Form } from '../../../kit/Form.tsx';
import { CheckInput, Fields, SelectInput, TextInput } from '../../../kit/fields.tsx';
import { resolverOf } from '../../../kit/form.ts';
import { Note } from '../../../kit/Note.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { useGo } from '../../../lib/address.ts';
import { paths } from '../../../lib/paths.ts';
import { savingForm } from '../../../lib/problems.ts';
import { namespaceOf, suggestedMapping } from '../../webhook-sources/mappingDraft.ts';
import { MappingEditor } from '../../webhook-sources/parts/MappingEditor.tsx';
import { beginningOf, formatOf, sampleOf } from '../importSample.ts';
import { useCreateImport, useUploadImport } from '../imports.queries.ts';
import { formatLabel } from './ImportRow.tsx';

interface Values {
  format: ImportFormat;
  source: string;
  isMapped: boolean;
  mapping: EventMapping;
}

const Guide = styled('details')({
  fontSize: 13,
  '& summary': { cursor: 'pointer' },
  '& pre': { overflowX: 'auto', margin: '6px 0 0' },
});
const formats = Object.entries(formatLabel).map(([value, label]) => ({ value, label }));
const empty: EventMapping = { namespace: '', records: [], fields: [] };

/** The call’s input: an import by mapping has one, any other has none. */
const bodyOf = (values: Values, fileName: string) => {
  const isMapped = values.format === 'csv' || (values.format === 'ndjson' && values.isMapped);
  return {
    fileName,
    format: values.format,
    source: values.format === 'evtx' || values.source.trim() === '' ? null : values.source,
    mapping: isMapped ? { ...values.mapping, records: [] } : null,
  };
};

export function NewImport({ client }: { client: number }) {
  const go = useGo();
  const create = useCreateImport();
  const upload = useUploadImport();
  const [file, setFile] = useState<File>();
  const [beginning, setBeginning] = useState('');
  const form = useForm<Values, unknown, Values>({
    defaultValues: { format: 'evtx', source: '', isMapped: false, mapping: empty },
    resolver: resolverOf<Values, unknown>({
      safeParse: (values) => importsApi.create.body.safeParse(bodyOf(values as Values, 'file')),
    }),
  });
  const back = paths.devices(client, { tab: 'imports' });
  const [format, isMapped, mapping] = form.watch(['format', 'isMapped', 'mapping']);
  const setMapping = (next: EventMapping) => form.setValue('mapping', next, { shouldDirty: true });

  const choose = async (chosen: File) => {
    const text = await beginningOf(chosen);
    const found = formatOf(chosen.name, text);
    const name = chosen.name.replace(/\.\w+$/, '');
    const namespace = namespaceOf(name) || 'import';
    setFile(chosen);
    setBeginning(text);
    form.reset({
      format: found,
      source: found === 'evtx' ? '' : name.slice(0, 200),
      isMapped: found === 'csv',
      mapping: suggestedMapping(sampleOf(text, found), namespace) ?? { ...empty, namespace },
    });
  };
  const submit = savingForm(form, async (values: Values) => {
    if (!file) return;
    const prepared = await create.mutateAsync({ params: { client }, body: bodyOf(values, file.name.slice(0, 200)) });
    go(back, { replace: true });
    upload.mutate({ prepared, file });
  });
  const hasMapping = format === 'csv' || (format === 'ndjson' && isMapped);
  return (
    <Form
      form={form}
      label="Import file"
      onSave={submit}
      isNew
      canSave={file !== undefined}
      saveText="Import"
      actions={
        <Button component={AppLink} href={back}>
          Cancel
        </Button>
      }
    >
      <Card
        title="Import file"
        purpose="Events are stored with their own times and pass the detection rules. The file isn’t kept."
      >
        <div style={{ display: 'grid', gap: 16 }}>
          <FilePicker
            file={file}
            types={['.json', '.jsonl', '.ndjson', '.csv', '.tsv', '.txt']}
            maxBytes={maxImportBytes}
            onFile={(chosen) => void choose(chosen)}
          />
          <How />
          {file && <Reading format={format} hasMapping={hasMapping} />}
        </div>
      </Card>
      {file && hasMapping && sampleOf(beginning, format) === '' && (
        <Note tone="warning">The beginning of this file has no record of this format.</Note>
      )}
      {file && hasMapping && (
        <MappingEditor
          client={client}
          sample={sampleOf(beginning, format)}
          mapping={{ ...mapping, records: [] }}
          onMapping={setMapping}
          isSuggesting={false}
        />
      )}
    </Form>
  );
}

/** Format, data source and namespace of the chosen file. */
function Reading({ format, hasMapping }: { format: ImportFormat; hasMapping: boolean }) {
  return (
    <Fields>
      <SelectInput name="format" label="Format" choices={formats} hint="Recognised by the file’s beginning" />
      {format !== 'evtx' && (
        <TextInput
          name="source"
          label="Data source"
          hint={hasMapping ? 'Of records without a host' : 'Of all events; empty to take it from the events'}
          isRequired={hasMapping}
          maxLength={200}
        />
      )}
      {format === 'ndjson' && <CheckInput name="isMapped" label="Map fields" hint="Not needed for events of Beats or in ECS" />}
      {hasMapping && (
        <TextInput name="mapping.namespace" label="Namespace" hint="Section of the file’s own fields" isRequired maxLength={30} />
      )}
    </Fields>
  );
}

function How() {
  return (
    <Guide>
      <summary>Windows event logs as JSON</summary>
      <pre>
        {'evtx_dump -o jsonl Security.evtx > security.jsonl\n'}
        {'Get-WinEvent -Path Security.evtx | ConvertTo-Json -Depth 3 > security.json'}
      </pre>
    </Guide>
  );
}
