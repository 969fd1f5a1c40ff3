/** Tag chip, truncated to the available width. Names are user input and rendered as text. */
import { styled } from '@mui/material/styles';
import type { Tag } from '@parapet/contract/tags.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';

const Chip = styled('span')({
  display: 'inline-block',
  maxWidth: 160,
  padding: '1px 7px',
  fontSize: 12,
  lineHeight: '18px',
  fontWeight: 500,
  border: `1px solid ${palette.divider}`,
  borderRadius: 6,
  backgroundColor: palette.action.hover,
  overflow: 'hidden',
  textOverflow: 'ellipsis',
  whiteSpace: 'nowrap',
  verticalAlign: 'middle',
});

export function TagChip({ tag }: { tag: Pick<Tag, 'name'> }) {
  return (
    <Chip title={tag.name}>
      <VisibleText text={tag.name} />
    </Chip>
  );
}

const Row = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 4,
  minWidth: 0,
  maxWidth: '100%',
  overflow: 'hidden',
});

/** The first tags; the number of further ones, with their names in the tooltip. */
export function TagChips({ tags, most = 3 }: { tags: readonly Tag[]; most?: number }) {
  const rest = tags.slice(most);
  return (
    <Row>
      {tags.slice(0, most).map((tag) => (
        <TagChip key={tag.id} tag={tag} />
      ))}
      {rest.length > 0 && <span title={rest.map((tag) => tag.name).join(', ')}>+{rest.length}</span>}
    </Row>
  );
}
