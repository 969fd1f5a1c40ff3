/** The navigation above the content: user, pages in a row, shortcuts. */
import { styled } from '@mui/material/styles';
import type { SessionUser } from '@parapet/contract/auth.ts';
import { palette } from '../../kit/palette.ts';
import { VisibleText } from '../../kit/VisibleText.tsx';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { Navigation } from './Navigation.tsx';
import { ShortcutBar } from './ShortcutBar.tsx';

const Row = styled('aside')({
  display: 'flex',
  alignItems: 'center',
  gap: 16,
  minHeight: 52,
  padding: '0 24px',
  borderBottom: `1px solid ${palette.divider}`,
  '& > nav': { flex: '1 1 0' },
  '& > .who': { minWidth: 0, maxWidth: 220, fontSize: 12, lineHeight: '16px', textAlign: 'end' },
  '& > .who > *': { display: 'block', overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  '& > .who > span': { color: palette.text.secondary },
});

export function NavigationBar({ user, onSearch }: { user: SessionUser; onSearch: () => void }) {
  return (
    <Row aria-label="Navigation and user">
      <BrandLogo />
      <Navigation way="along" />
      <ShortcutBar onSearch={onSearch} />
      <div className="who">
        <strong title={user.displayName}>
          <VisibleText text={user.displayName} />
        </strong>
        <span title={user.emailAddress}>{user.emailAddress}</span>
      </div>
    </Row>
  );
}
