/** Fields of a sample as a tree, each with the ECS field that it fills. */
import { styled } from '@mui/material/styles';
import {
  type FieldPath,
  type MappingTargetPath,
  mappingTargetPaths,
  mappingTargets,
  type SampleField,
  shownPath,
} from '@parapet/contract/rules/eventMapping.ts';
import { palette } from '../../../kit/palette.ts';
import { monoFamily } from '../../../kit/plain.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { type MappedField, type ReadSample, targetOf } from '../mappingDraft.ts';

const Tree = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 0,
  maxHeight: 560,
  overflowY: 'auto',
  '& > li': {
    display: 'grid',
    gridTemplateColumns: 'minmax(0, 1fr) 230px',
    alignItems: 'center',
    gap: '2px 12px',
    minHeight: 36,
    padding: '3px 4px',
    borderBottom: `1px solid ${palette.divider}`,
  },
  '& .name': { fontFamily: monoFamily, fontSize: 12.5, overflowWrap: 'anywhere' },
  '& .example': {
    display: 'block',
    fontSize: 12,
    color: palette.text.secondary,
    whiteSpace: 'nowrap',
    overflow: 'hidden',
    textOverflow: 'ellipsis',
  },
  '& select': {
    width: '100%',
    height: 30,
    padding: '0 6px',
    font: 'inherit',
    fontSize: 13,
    color: palette.text.primary,
    backgroundColor: palette.background.paper,
    border: `1px solid ${palette.divider}`,
    borderRadius: 6,
    '&[data-mapped=true]': { borderColor: palette.primary.main, fontWeight: 600 },
    '&:focus-visible': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 1 },
  },
  '@media (max-width: 599px)': { '& > li': { gridTemplateColumns: 'minmax(0, 1fr)', paddingBottom: 8 } },
});

export const targetLabel = (path: MappingTargetPath): string => mappingTargets[path].label;

interface Props {
  sample: ReadSample;
  fields: readonly MappedField[];
  onAssign: (path: FieldPath, to: MappingTargetPath | undefined) => void;
}

export function SampleTree({ sample, fields, onAssign }: Props) {
  return (
    <Tree aria-label="Fields of the sample">
      {sample.fields.map((field) => (
        <Field
          key={JSON.stringify(field.path)}
          field={field}
          to={targetOf(fields, field.path)}
          onAssign={(to) => onAssign(field.path, to)}
        />
      ))}
    </Tree>
  );
}

function Field({
  field: { path, name, example, depth },
  to,
  onAssign,
}: {
  field: SampleField;
  to: MappingTargetPath | undefined;
  onAssign: (to: MappingTargetPath | undefined) => void;
}) {
  const label = /^\d+$/.test(name) ? `[${name}]` : name;
  return (
    <li>
      <span style={{ paddingLeft: Math.min(depth, 6) * 14, minWidth: 0 }}>
        <span className="name">
          <VisibleText text={label} />
        </span>
        {example !== undefined && (
          <span className="example" title={example}>
            <VisibleText text={example === '' ? '(empty)' : example} />
          </span>
        )}
      </span>
      {example !== undefined && (
        <select
          aria-label={`ECS field of ${shownPath(path)}`}
          value={to ?? ''}
          data-mapped={to !== undefined}
          onChange={(event) => onAssign((event.target.value || undefined) as MappingTargetPath | undefined)}
        >
          <option value="">Not mapped</option>
          {mappingTargetPaths.map((target) => (
            <option key={target} value={target}>
              {targetLabel(target)} · {target}
            </option>
          ))}
        </select>
      )}
    </li>
  );
}
