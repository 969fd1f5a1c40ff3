/** Pages in a row; those that do not fit are in the menu “More”. */
import Button from '@mui/material/Button';
import Popover from '@mui/material/Popover';
import { styled } from '@mui/material/styles';
import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { ExpandMoreRounded } from '../../kit/icons/ExpandMoreRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { useWidth } from '../../kit/useSize.ts';
import { fitting } from './fitting.ts';

interface Entry {
  id: string;
  startsGroup: boolean;
  link: ReactNode;
}

const gap = 4;
const moreWidth = 88;

const Row = styled('ul')({ overflow: 'hidden', padding: '2px !important' });
const List = styled('ul')({
  listStyle: 'none',
  margin: 0,
  padding: 8,
  minWidth: 200,
  '& a': {
    display: 'flex',
    alignItems: 'center',
    gap: 12,
    height: 38,
    padding: '0 10px',
    borderRadius: 8,
    fontWeight: 500,
    textDecoration: 'none',
    color: palette.text.primary,
    '& svg': { fontSize: 20, color: palette.text.secondary },
    '&:hover, &[aria-current]': { backgroundColor: palette.action.hover },
  },
});

export function Along({ items }: { items: readonly Entry[] }) {
  const row = useRef<HTMLUListElement>(null);
  const width = useWidth(row);
  const [widths, setWidths] = useState<readonly number[]>();
  const [anchor, setAnchor] = useState<HTMLElement | null>(null);
  const ids = items.map(({ id }) => id).join();
  // All entries are in the row until they are measured, before the first paint.
  // biome-ignore lint/correctness/useExhaustiveDependencies: other entries have other widths
  useLayoutEffect(() => setWidths(undefined), [ids]);
  useLayoutEffect(() => {
    if (widths === undefined && row.current)
      setWidths([...row.current.children].slice(0, items.length).map((child) => (child as HTMLElement).offsetWidth));
  }, [widths, items.length]);
  const count = widths && width !== undefined ? fitting(widths, width, gap, moreWidth) : items.length;
  const more = items.slice(count);
  const close = () => setAnchor(null);
  return (
    <>
      <Row ref={row}>
        {items.slice(0, count).map(({ id, startsGroup, link }) => (
          <li key={id} className={startsGroup ? 'starts-group' : ''}>
            {link}
          </li>
        ))}
        {more.length > 0 && (
          <li>
            <Button
              color="inherit"
              endIcon={<ExpandMoreRounded />}
              aria-haspopup="dialog"
              aria-expanded={anchor !== null}
              onClick={(event) => setAnchor(event.currentTarget)}
              sx={{ height: 38 }}
            >
              More
            </Button>
          </li>
        )}
      </Row>
      <Popover
        open={anchor !== null}
        anchorEl={anchor}
        onClose={close}
        anchorOrigin={{ vertical: 'bottom', horizontal: 'right' }}
        transformOrigin={{ vertical: 'top', horizontal: 'right' }}
        slotProps={{ paper: { role: 'dialog', 'aria-label': 'More pages' } }}
      >
        <List onClick={close}>
          {more.map(({ id, link }) => (
            <li key={id}>{link}</li>
          ))}
        </List>
      </Popover>
    </>
  );
}
