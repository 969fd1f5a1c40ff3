/** Mapping from a pasted sample: its fields as a tree, a target for each, fixed values, and events as they would be stored. */
import { styled } from '@mui/material/styles';
import TextField from '@mui/material/TextField';
import type { EventMapping } from '@parapet/contract/eventMapping.ts';
import { shownPath } from '@parapet/contract/rules/eventMapping.ts';
import { useMemo } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { Note } from '../../../kit/Note.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { absentIn, assign, fix, fixedOf, type ReadSample, readSample, suggestedMapping } from '../mappingDraft.ts';
import { MappingPreview } from './MappingPreview.tsx';
import { SampleTree, targetLabel } from './SampleTree.tsx';

const Columns = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'minmax(0, 1fr)',
  gap: 16,
  alignItems: 'start',
  '& > *': { minWidth: 0 },
  '& > .stack': { display: 'grid', gap: 16 },
  '@media (min-width: 1100px)': {
    gridTemplateColumns: 'repeat(2, minmax(0, 1fr))',
    '& > .preview': { position: 'sticky', top: 76 },
  },
});
const Sample = styled('div')({ '& textarea': { fontFamily: 'monospace', fontSize: 12.5, lineHeight: '18px' } });
const Fixed = styled('div')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 180px), 1fr))',
  gap: 16,
});

/** Targets that often have one value for a whole product. */
const fixedTargets = [
  { to: 'event.category', hint: 'Such as authentication, network, iam or threat' },
  { to: 'event.type', hint: 'Such as start, denied, change or indicator' },
  { to: 'event.action', hint: 'When no field of the sample has it' },
] as const;

export interface MappingEditorProps {
  client: number;
  sample: string;
  /** Undefined for a sample that comes from a file. */
  onSample?: (text: string) => void;
  mapping: EventMapping;
  onMapping: (mapping: EventMapping) => void;
  /** True to map usual names of fields as soon as a sample is pasted. */
  isSuggesting: boolean;
}

export function MappingEditor({ client, sample, onSample, mapping, onMapping, isSuggesting }: MappingEditorProps) {
  const read = useMemo(
    () => readSample(sample, isSuggesting ? undefined : mapping.records),
    [sample, isSuggesting, mapping.records],
  );
  const paste = (text: string) => {
    onSample?.(text);
    const suggested = isSuggesting && mapping.fields.length === 0 ? suggestedMapping(text, mapping.namespace) : undefined;
    if (suggested) onMapping(suggested);
  };
  return (
    <Columns>
      <div className="stack">
        {onSample && <SampleCard sample={sample} read={read} onPaste={paste} />}
        {read && <FieldsCard {...{ read, mapping, onMapping }} />}
      </div>
      <div className="preview">
        <MappingPreview client={client} sample={read ? sample : ''} mapping={mapping} />
      </div>
    </Columns>
  );
}

function FieldsCard({ read, mapping, onMapping }: Pick<MappingEditorProps, 'mapping' | 'onMapping'> & { read: ReadSample }) {
  const { fields } = mapping;
  const absent = absentIn(fields, read);
  const change = (next: EventMapping['fields']) => onMapping({ ...mapping, records: read.records, fields: next });
  return (
    <Card
      title="Fields"
      purpose={`${fields.length} mapped. All other fields stay searchable under ${mapping.namespace || 'the namespace'}.`}
    >
      {absent.length > 0 && (
        <Note>
          Not in this sample:{' '}
          <VisibleText text={absent.map(({ to, from }) => `${targetLabel(to)} (${shownPath(from ?? [])})`).join(', ')} />
        </Note>
      )}
      <SampleTree sample={read} fields={fields} onAssign={(path, to) => change(assign(fields, path, to))} />
      <h3 style={{ margin: '20px 0 12px', fontSize: 13, fontWeight: 600 }}>Fixed values of every event</h3>
      <Fixed>
        {fixedTargets.map(({ to, hint }) => {
          const isMapped = fields.some((field) => field.to === to && field.from !== undefined);
          return (
            <TextField
              key={to}
              size="small"
              label={targetLabel(to)}
              value={fixedOf(fields, to)}
              disabled={isMapped}
              onChange={(event) => change(fix(fields, to, event.target.value))}
              helperText={isMapped ? 'Mapped from a field' : hint}
              slotProps={{ htmlInput: { maxLength: 200 } }}
            />
          );
        })}
      </Fixed>
    </Card>
  );
}

interface SampleProps {
  sample: string;
  read: ReadSample | undefined;
  onPaste: (text: string) => void;
}

function SampleCard({ sample, read, onPaste }: SampleProps) {
  return (
    <Card title="Sample" purpose="A body as the product sends it: an object, a list, or one object per line.">
      <Sample>
        <TextField
          value={sample}
          onChange={(event) => onPaste(event.target.value)}
          label="Sample"
          multiline
          minRows={6}
          maxRows={14}
          fullWidth
          size="small"
          error={sample.trim() !== '' && !read}
          helperText={sample.trim() !== '' && !read ? 'This is not JSON with an object.' : 'Not stored.'}
          slotProps={{ htmlInput: { maxLength: 100_000, spellCheck: false } }}
        />
      </Sample>
      {read && read.records.length > 0 && (
        <p style={{ margin: '8px 0 0', fontSize: 13 }}>
          Each entry of <VisibleText text={shownPath(read.records)} /> is an event.
        </p>
      )}
    </Card>
  );
}
