/** Replaces every page during maintenance. Checks every minute for its end. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { useEffect } from 'react';
import { palette } from '../kit/palette.ts';
import { AppLink } from '../lib/AppLink.tsx';
import { BrandLogo } from '../lib/BrandLogo.tsx';
import { refreshBrand, useBrand } from '../lib/brand.ts';
import { paths } from '../lib/paths.ts';
import { useTitle } from '../lib/title.ts';

const lookAgainMs = 60_000;

const Screen = styled('main')({
  display: 'grid',
  placeContent: 'center',
  justifyItems: 'center',
  textAlign: 'center',
  gap: 8,
  minHeight: '100dvh',
  padding: 24,
  '& h1': { margin: '16px 0 0', fontSize: 20, lineHeight: '28px', fontWeight: 650, overflowWrap: 'anywhere' },
  '& p': { margin: '0 0 8px', maxWidth: 480, color: palette.text.secondary },
  '& .actions': { display: 'flex', flexWrap: 'wrap', justifyContent: 'center', gap: 8 },
});

export function MaintenanceScreen({ isSignedIn }: { isSignedIn: boolean }) {
  useTitle('Maintenance');
  const { name } = useBrand();
  useEffect(() => {
    const timer = setInterval(() => void refreshBrand(), lookAgainMs);
    return () => clearInterval(timer);
  }, []);
  return (
    <Screen>
      <BrandLogo />
      <h1>{name} is under maintenance</h1>
      <p>Your data is safe, and events are still processed. This page checks every minute for the end of maintenance.</p>
      <div className="actions">
        <Button variant="contained" onClick={() => void refreshBrand()}>
          Check now
        </Button>
        <Button component={AppLink} href={isSignedIn ? paths.logout() : paths.login()}>
          {isSignedIn ? 'Logout' : 'Login'}
        </Button>
      </div>
    </Screen>
  );
}
