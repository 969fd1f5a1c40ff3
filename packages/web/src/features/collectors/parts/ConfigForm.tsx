/** Form of the common settings; every change edits the text, which is the source of truth. */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Menu from '@mui/material/Menu';
import MenuItem from '@mui/material/MenuItem';
import { styled } from '@mui/material/styles';
import type { ConfigKind, ConfigProblem } from '@parapet/contract/collectors.ts';
import { useMemo, useRef, useState } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { Fields } from '../../../kit/fields.tsx';
import { AddRounded } from '../../../kit/icons/AddRounded.tsx';
import { DeleteOutlineRounded } from '../../../kit/icons/DeleteOutlineRounded.tsx';
import { Note } from '../../../kit/Note.tsx';
import { palette } from '../../../kit/palette.ts';
import { Nothing, Row, Rows } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { type Field, forms, type ListSection } from '../forms.ts';
import { firstKeyAt, itemsAt, type Path, readYaml, valueAt, withItem, withoutItem, withValue, type Yaml } from '../yamlText.ts';
import { ConfigField } from './ConfigField.tsx';

const Stack = styled('div')({ display: 'grid', gap: 16, '& > *': { minWidth: 0 } });
const ItemHead = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'baseline',
  gap: '0 8px',
  marginBottom: 12,
  '& strong': { fontWeight: 600, overflowWrap: 'anywhere' },
});
const Quiet = styled('span')({ fontSize: 13, color: palette.text.secondary });

interface Props {
  kind: ConfigKind;
  text: string;
  onChange: (text: string) => void;
  problems: readonly ConfigProblem[];
  onOpenText: () => void;
}

export function ConfigForm({ kind, text, onChange, problems, onOpenText }: Props) {
  const document = useMemo(() => readYaml(text), [text]);
  if (!document)
    return (
      <Note
        tone="warning"
        actions={
          <Button size="small" variant="outlined" onClick={onOpenText}>
            Open the text
          </Button>
        }
      >
        The text has a fault that keeps the form from reading it. Correct it there first.
      </Note>
    );
  const fields = (base: Path, shown: readonly Field[]) => (
    <Fields>
      {shown.map((field) => (
        <ConfigField
          key={field.key}
          field={field}
          value={valueAt(document, base, field.key)}
          onChange={(value) => onChange(withValue(text, base, field.key, value))}
          fault={faultAt(problems, [...base, field.key].join('.'))}
        />
      ))}
    </Fields>
  );
  return (
    <Stack>
      {forms[kind].map((section) => (
        <Card key={section.id} title={section.title} purpose={section.purpose}>
          {'fields' in section ? (
            fields([], section.fields)
          ) : (
            <Items section={section} document={document} text={text} onChange={onChange} fields={fields} />
          )}
        </Card>
      ))}
    </Stack>
  );
}

/** Error of a setting or of one beneath it. */
const faultAt = (problems: readonly ConfigProblem[], path: string) =>
  problems.find((each) => each.isError && (each.path === path || each.path.startsWith(`${path}.`)))?.text;

interface ItemsProps {
  section: ListSection;
  document: Yaml;
  text: string;
  onChange: (text: string) => void;
  fields: (base: Path, shown: readonly Field[]) => React.ReactNode;
}

function Items({ section, document, text, onChange, fields }: ItemsProps) {
  const [isOpen, setOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const { item, kindKey } = section;
  const paths = itemsAt(document, section.list);
  const nameOf = (path: Path) => {
    const kind = kindKey === undefined ? firstKeyAt(document, path) : String(valueAt(document, path, kindKey) ?? '');
    const more = (section.nameKeys ?? []).flatMap((key) => valueAt(document, path, key) ?? []).map(String);
    return { kind, title: [kind || `a ${item}`, ...more].join(' · ') };
  };
  return (
    <Stack>
      {paths.length === 0 && <Nothing>No {item} yet.</Nothing>}
      {paths.length > 0 && (
        <Rows aria-label={section.title}>
          {paths.map((path) => {
            const { kind, title } = nameOf(path);
            const shown = section.fieldsOf(kind);
            return (
              <Row key={path.join('.')} aria-label={title}>
                <div className="fields">
                  <ItemHead>
                    <strong>
                      <VisibleText text={title} />
                    </strong>
                    {shown.length === 0 && <Quiet>No fields here. Edit it as text.</Quiet>}
                  </ItemHead>
                  {shown.length > 0 && fields(path, shown)}
                </div>
                <span className="buttons">
                  <IconButton
                    size="small"
                    aria-label={`Remove ${title}`}
                    title={`Remove ${title}`}
                    onClick={() => onChange(withoutItem(text, path))}
                  >
                    <DeleteOutlineRounded fontSize="small" />
                  </IconButton>
                </span>
              </Row>
            );
          })}
        </Rows>
      )}
      <div>
        <Button
          ref={button}
          size="small"
          variant="outlined"
          startIcon={<AddRounded />}
          aria-haspopup="menu"
          aria-expanded={isOpen}
          onClick={() => setOpen(true)}
        >
          Add {/^[aeiou]/.test(item) ? 'an' : 'a'} {item}
        </Button>
        <Menu open={isOpen} anchorEl={button.current} onClose={() => setOpen(false)}>
          {section.additions.map(({ label, item: added }) => (
            <MenuItem
              key={label}
              dense
              onClick={() => {
                setOpen(false);
                onChange(withItem(text, section.list, withOwnName(added, paths.length, paths, document)));
              }}
            >
              {label}
            </MenuItem>
          ))}
        </Menu>
      </div>
    </Stack>
  );
}

/** Filebeat identifies inputs by id, so ids must be unique. */
function withOwnName(item: object, count: number, paths: readonly Path[], document: Yaml): object {
  if (!('id' in item)) return item;
  const taken = paths.map((path) => valueAt(document, path, 'id'));
  return taken.includes(item.id) ? { ...item, id: `${String(item.id)}-${count + 1}` } : item;
}
