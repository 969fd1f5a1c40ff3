/** The toolbar, 56 px: whose data and which time at the left, the browser's and the user's own things at the right (spec §2.2). */
import CloseRounded from '@mui/icons-material/CloseRounded';
import MenuRounded from '@mui/icons-material/MenuRounded';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import { styled } from '@mui/material/styles';
import useMediaQuery from '@mui/material/useMediaQuery';
import { periodLabel, timeframeLabel } from '@parapet/contract/rules/timeframe.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { paths } from '../../lib/paths.ts';
import { ClientSelector } from './ClientSelector.tsx';
import { Bar } from './frame.tsx';
import { FullscreenButton, ModeButton } from './lookButtons.tsx';
import { TimeframeSelector } from './TimeframeSelector.tsx';
import { UserMenu } from './UserMenu.tsx';
import type { ShellScope } from './useShellScope.ts';

const Cut = styled('span')({ overflow: 'hidden', textOverflow: 'ellipsis' });
const Space = styled('div')({ flex: 1 });

export function Toolbar({ shell, onMenu }: { shell: ShellScope; onMenu: () => void }) {
  const isOver = useMediaQuery('(max-width: 959.95px)');
  const isNarrow = useMediaQuery('(max-width: 599.95px)');
  const { scope } = shell;
  return (
    <Bar>
      {isOver && (
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
      {!shell.hidesTimeframe && <TimeframeSelector timeframe={scope.timeframe} onChoose={shell.chooseTimeframe} />}
      {!shell.hidesTimeframe && scope.period && (
        <Button
          size="small"
          variant="outlined"
          color="inherit"
          endIcon={<CloseRounded />}
          onClick={shell.wholeTimeframe}
          title={`Show all of ${timeframeLabel(scope.timeframe)}`}
          sx={{ height: 36, minWidth: 48, flex: '0 1 auto', overflow: 'hidden', whiteSpace: 'nowrap', borderColor: 'divider' }}
        >
          <Cut>{periodLabel(scope.period)}</Cut>
        </Button>
      )}
      <Space />
      {!isNarrow && (
        <>
          <FullscreenButton />
          <ModeButton />
        </>
      )}
      <UserMenu user={scope.user} />
    </Bar>
  );
}

export function GuestToolbar() {
  return (
    <Bar>
      <BrandLogo />
      <Space />
      <ModeButton />
      <Button component={AppLink} href={paths.login()} variant="outlined" size="small">
        Login
      </Button>
      <Button component={AppLink} href={paths.register()} size="small">
        Register
      </Button>
    </Bar>
  );
}
