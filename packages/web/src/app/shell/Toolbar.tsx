/** The toolbar, 56 px: client and timeframe at the left, search, fullscreen, mode and user menu at the right (spec §2.2). */
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import Tooltip from '@mui/material/Tooltip';
import useMediaQuery from '@mui/material/useMediaQuery';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { useState } from 'react';
import { Hidden } from '../../kit/Announced.tsx';
import { CloseRounded } from '../../kit/icons/CloseRounded.tsx';
import { MenuRounded } from '../../kit/icons/MenuRounded.tsx';
import { SearchRounded } from '../../kit/icons/SearchRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { paths } from '../../lib/paths.ts';
import { AccessReason } from './AccessReason.tsx';
import { FullscreenButton, ModeButton } from './appearanceButtons.tsx';
import { ClientAnswers } from './ClientAnswers.tsx';
import { ClientSelector } from './ClientSelector.tsx';
import { Bar } from './frame.tsx';
import { searchText } from './searchText.ts';
import { TimeframeSelector } from './TimeframeSelector.tsx';
import { UserMenu } from './UserMenu.tsx';
import type { ShellScope } from './useShellScope.ts';

const Ellipsis = styled('span')({ overflow: 'hidden', textOverflow: 'ellipsis' });
const Space = styled('div')({ flex: 1 });
const Dock = styled('span')({ display: 'inline-flex', flex: 'none' });
const SearchButton = styled('button')({
  position: 'relative',
  display: 'flex',
  alignItems: 'center',
  gap: 8,
  height: 36,
  padding: '0 8px 0 10px',
  font: 'inherit',
  color: palette.text.secondary,
  backgroundColor: 'transparent',
  border: '1px solid var(--control-border)',
  borderRadius: 8,
  cursor: 'pointer',
  '& svg': { fontSize: 18 },
  '& span': { minWidth: 72, textAlign: 'start' },
  '& kbd': { font: 'inherit', fontSize: 12 },
  '&:hover': { color: palette.text.primary, backgroundColor: palette.action.hover },
});

interface Props {
  shell: ShellScope;
  /** The navigation is overlaid and opened by a button. */
  hasMenu: boolean;
  onMenu: () => void;
  onSearch: () => void;
  /** Receives the place of Sapphire’s button. */
  dock: (place: HTMLElement | null) => void;
}

export function Toolbar({ shell, hasMenu, onMenu, onSearch, dock }: Props) {
  const isWide = useMediaQuery('(min-width: 1280px)');
  const isNarrow = useMediaQuery('(max-width: 599.95px)');
  const { scope } = shell;
  const [bar, setBar] = useState<HTMLElement | null>(null);
  const [isReasonOpen, setReasonOpen] = useState(false);
  return (
    <Bar ref={setBar}>
      {hasMenu && (
        <IconButton onClick={onMenu} aria-label="Open the navigation">
          <MenuRounded />
        </IconButton>
      )}
      {scope.hasSelector && (
        <ClientSelector
          clients={scope.clients}
          client={scope.client}
          isIndented={scope.user.clientOrganizationID === 1}
          failed={shell.clientsFailed}
          onRetry={shell.retryClients}
          onChoose={shell.chooseClient}
        />
      )}
      {/* Where there is room for one of both, the day that is shown stands for its timeframe; without it that is back. */}
      {!shell.hidesTimeframe && !(isNarrow && scope.period) && (
        <TimeframeSelector timeframe={scope.timeframe} months={shell.months} onChoose={shell.chooseTimeframe} />
      )}
      {!shell.hidesTimeframe && scope.period && (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          endIcon={<CloseRounded />}
          onClick={shell.wholeTimeframe}
          title={`Show all of ${timeframeLabel(scope.timeframe)}`}
          sx={{ height: 36, minWidth: 48, flex: '0 1 auto', overflow: 'hidden', whiteSpace: 'nowrap' }}
        >
          <Ellipsis>{periodLabel(scope.period)}</Ellipsis>
        </Button>
      )}
      <Space />
      {!isNarrow && (
        <>
          {isWide ? (
            <SearchButton type="button" onClick={onSearch} aria-keyshortcuts="Control+K">
              <SearchRounded aria-hidden />
              <span>
                Search<Hidden>{searchText.slice('Search'.length)}</Hidden>
              </span>
              <kbd aria-hidden>Ctrl K</kbd>
            </SearchButton>
          ) : (
            <Tooltip title={searchText}>
              <IconButton onClick={onSearch} aria-label={searchText} aria-keyshortcuts="Control+K">
                <SearchRounded />
              </IconButton>
            </Tooltip>
          )}
          <FullscreenButton />
          <ModeButton />
        </>
      )}
      <AccessReason
        look={isNarrow ? 'menu' : isWide ? 'text' : 'icon'}
        isOpen={isReasonOpen}
        onOpen={() => setReasonOpen(true)}
        onClose={() => setReasonOpen(false)}
        anchor={bar}
      />
      {(scope.may('cases:write') || scope.may('events:read')) && <ClientAnswers isNarrow={isNarrow} />}
      <Dock ref={dock} />
      <UserMenu
        user={scope.user}
        onSearch={onSearch}
        onReason={scope.may('organisations:read') ? () => setReasonOpen(true) : undefined}
      />
    </Bar>
  );
}

export function GuestToolbar({ dock }: Pick<Props, 'dock'>) {
  return (
    <Bar>
      <BrandLogo />
      <Space />
      <ModeButton />
      <Dock ref={dock} />
      <Button component={AppLink} href={paths.login()} variant="outlined" size="small">
        Login
      </Button>
      <Button component={AppLink} href={paths.register()} size="small">
        Register
      </Button>
    </Bar>
  );
}
