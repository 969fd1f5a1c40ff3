/**
 * The error page inside the shell. Retry reloads the page, since the cause may still be in memory, but only while the portal responds: the
 * browser’s error page would replace the application. The report for support can be copied.
 */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ErrorComponentProps } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { CopyButton } from '../kit/CopyButton.tsx';
import { CodeNotFetched, isPortalReachable } from '../kit/fetchCode.ts';
import { palette } from '../kit/palette.ts';
import { currentBrand } from '../lib/brand.ts';
import { unreachable } from '../lib/call.ts';
import { reportOf } from './report.ts';

const Place = styled('div')({
  display: 'grid',
  placeContent: 'center',
  justifyItems: 'center',
  textAlign: 'center',
  gap: 8,
  minHeight: '50vh',
  padding: 24,
  '& h1': { margin: 0, fontSize: 20, lineHeight: '28px', fontWeight: 650 },
  '& details': { maxWidth: 'min(100%, 640px)', marginTop: 16, textAlign: 'start' },
  '& summary': { cursor: 'pointer', textAlign: 'center' },
  '& .report': { display: 'flex', alignItems: 'flex-start', gap: 4 },
  '& pre': {
    flex: 1,
    minWidth: 0,
    margin: '8px 0 0',
    padding: 10,
    maxHeight: 240,
    overflow: 'auto',
    whiteSpace: 'pre-wrap',
    overflowWrap: 'anywhere',
    fontFamily: 'var(--font-mono)',
    fontSize: 12,
    lineHeight: '18px',
    border: `1px solid ${palette.divider}`,
    borderRadius: 8,
  },
  '& p': { margin: '0 0 8px', maxWidth: 480, color: palette.text.secondary },
});

export function PageFailed({ error }: ErrorComponentProps) {
  useEffect(() => {
    console.error(error);
  }, [error]);
  const [report] = useState(() =>
    reportOf(error, { at: new Date(), address: location.href, version: currentBrand().version, browser: navigator.userAgent }),
  );
  const [isRetrying, setRetrying] = useState(false);
  const [isAway, setAway] = useState(false);
  const isMissing = error instanceof CodeNotFetched;
  const retry = async () => {
    setRetrying(true);
    const isReachable = await isPortalReachable();
    setAway(!isReachable);
    setRetrying(false);
    if (isReachable) location.reload();
  };
  return (
    <Place role="alert">
      <h1>{isMissing ? 'Couldn’t load this page' : 'Couldn’t show this page'}</h1>
      <p>
        {isAway
          ? unreachable
          : isMissing
            ? 'You may be offline, or the portal was updated. Pages that are already loaded still work.'
            : 'Something went wrong on this page. Your data is safe, and other pages still work.'}
      </p>
      <Button variant="contained" loading={isRetrying} onClick={() => void retry()}>
        Retry
      </Button>
      <details>
        <summary>Report for support</summary>
        <div className="report">
          <pre>{report}</pre>
          <CopyButton text={report} label="Copy the report" />
        </div>
      </details>
    </Place>
  );
}
