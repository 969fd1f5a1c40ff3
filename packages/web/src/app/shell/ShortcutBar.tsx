/** The starred pages as icons, and the button to star more (spec §2.2). */
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import { StarOutlineRounded } from '../../kit/icons/StarOutlineRounded.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { useShortcutIds } from '../../lib/settingsStore.ts';
import { starred } from '../../lib/shortcuts.ts';
import { PageIcon } from './pageIcons.tsx';
import { usePages } from './usePages.ts';

const Row = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: 2,
  flex: 'none',
  padding: '0 12px 4px',
  '& ul': { display: 'contents', listStyle: 'none' },
  '& svg': { fontSize: 20 },
});

export function ShortcutBar({ onSearch, onGo }: { onSearch: () => void; onGo?: () => void }) {
  const pages = starred(useShortcutIds(), usePages());
  return (
    <Row role="group" aria-label="Shortcuts">
      {pages.length > 0 && (
        <ul>
          {pages.map((page) => (
            <li key={page.id}>
              <Tooltip title={page.title}>
                {page.isExternal ? (
                  <IconButton
                    component="a"
                    href={page.address}
                    target="_blank"
                    rel="noreferrer"
                    size="small"
                    aria-label={page.title}
                  >
                    <PageIcon id={page.id} />
                  </IconButton>
                ) : (
                  <IconButton
                    component={AppLink}
                    href={page.address}
                    size="small"
                    aria-label={page.title}
                    {...(onGo ? { onClick: onGo } : {})}
                  >
                    <PageIcon id={page.id} />
                  </IconButton>
                )}
              </Tooltip>
            </li>
          ))}
        </ul>
      )}
      <Tooltip title="Star pages">
        <IconButton size="small" onClick={onSearch} aria-label="Star pages" aria-haspopup="dialog">
          <StarOutlineRounded />
        </IconButton>
      </Tooltip>
    </Row>
  );
}
