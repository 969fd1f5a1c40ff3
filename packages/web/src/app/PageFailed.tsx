/**
 * A page broke while it was drawn. Only the page: the shell around it stays. Retry loads it anew, since what broke it may still be in
 * memory.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect } from 'react';

const Place = styled('div')(({ theme }) => ({
  display: 'grid',
  placeContent: 'center',
  justifyItems: 'center',
  textAlign: 'center',
  gap: 8,
  minHeight: '50vh',
  padding: 24,
  '& h1': { margin: 0, fontSize: 20, lineHeight: '28px', fontWeight: 650 },
  '& p': { margin: '0 0 8px', maxWidth: 480, color: (theme.vars ?? theme).palette.text.secondary },
}));

export function PageFailed({ error }: ErrorComponentProps) {
  useEffect(() => {
    console.error(error);
  }, [error]);
  return (
    <Place role="alert">
      <h1>This page could not be shown</h1>
      <p>Something in it went wrong. Your data is safe; the other pages still work.</p>
      <Button variant="contained" onClick={() => location.reload()}>
        Retry
      </Button>
    </Place>
  );
}
