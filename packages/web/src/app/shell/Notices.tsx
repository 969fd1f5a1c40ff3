/** Global notices: no connection, maintenance, a new version. They overlay the lower edge of the page, so that it does not move. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { type ReactNode, useEffect, useState, useSyncExternalStore } from 'react';
import { CloudOffRounded } from '../../kit/icons/CloudOffRounded.tsx';
import { ConstructionRounded } from '../../kit/icons/ConstructionRounded.tsx';
import { UpdateRounded } from '../../kit/icons/UpdateRounded.tsx';
import { palette } from '../../kit/palette.ts';
import { refreshBrand, useBrand } from '../../lib/brand.ts';

const pollMs = 5 * 60_000;
const minPauseMs = 30_000;

const Place = styled('div')({
  position: 'fixed',
  insetInline: 0,
  bottom: 'calc(var(--bottom-height) + 12px)',
  zIndex: 1250,
  display: 'grid',
  justifyItems: 'center',
  gap: 8,
  padding: '0 16px',
  pointerEvents: 'none',
});
const Box = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '4px 10px',
  maxWidth: 'min(100%, 560px)',
  padding: '8px 14px',
  fontWeight: 500,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  boxShadow: '0 8px 24px rgb(10 14 22 / 0.16)',
  pointerEvents: 'auto',
  '& > svg': { fontSize: 20, flex: 'none', color: palette.warning.main },
  '& > span': { flex: '1 1 180px', minWidth: 0 },
});

function onConnection(listener: () => void): () => void {
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
  };
}
const useOnline = () => useSyncExternalStore(onConnection, () => navigator.onLine);

/** Reloads the brand every five minutes and when the tab becomes visible. */
function useFreshBrand(): void {
  useEffect(() => {
    let askedAt = Date.now();
    const check = () => {
      if (document.visibilityState !== 'visible' || Date.now() - askedAt < minPauseMs) return;
      askedAt = Date.now();
      void refreshBrand();
    };
    const timer = setInterval(check, pollMs);
    window.addEventListener('focus', check);
    document.addEventListener('visibilitychange', check);
    return () => {
      clearInterval(timer);
      window.removeEventListener('focus', check);
      document.removeEventListener('visibilitychange', check);
    };
  }, []);
}

function Notice({ icon, children }: { icon: ReactNode; children: ReactNode }) {
  return (
    <Box>
      {icon}
      {children}
    </Box>
  );
}

export function Notices() {
  const { version, maintenance } = useBrand();
  const [loaded] = useState(version);
  const isOnline = useOnline();
  useFreshBrand();
  return (
    <Place role="status" aria-label="Notices" className="no-print">
      {!isOnline && (
        <Notice icon={<CloudOffRounded aria-hidden />}>
          <span>You’re offline. Data may be outdated, and changes can’t be saved.</span>
        </Notice>
      )}
      {maintenance && (
        <Notice icon={<ConstructionRounded aria-hidden />}>
          <span>The portal is under maintenance: only you and other Hosts see it.</span>
        </Notice>
      )}
      {version !== loaded && (
        <Notice icon={<UpdateRounded aria-hidden />}>
          <span>A new version is available</span>
          <Button size="small" onClick={() => location.reload()}>
            Reload
          </Button>
        </Notice>
      )}
    </Place>
  );
}
