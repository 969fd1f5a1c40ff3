/**
 * Prints the whole case instead of the open tab. The report renders for the printer only; its code loads when the page is idle, so that
 * the browser's own Print command works too.
 */
import { type ComponentType, useCallback, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import type { ReportProps } from './parts/CaseReport.tsx';

let Report: ComponentType<ReportProps> | undefined;
const load = async () => {
  Report ??= (await import('./parts/CaseReport.tsx')).CaseReport;
};

export function usePrint(isReady: boolean): { Report: ComponentType<ReportProps> | undefined; print: () => void } {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    if (!isReady) return;
    const timer = setTimeout(() => void load().catch(() => {}), 3000);
    // The browser renders the page for printing right after this event.
    const before = () => Report && flushSync(() => setPrinting(true));
    const after = () => setPrinting(false);
    window.addEventListener('beforeprint', before);
    window.addEventListener('afterprint', after);
    return () => {
      clearTimeout(timer);
      window.removeEventListener('beforeprint', before);
      window.removeEventListener('afterprint', after);
    };
  }, [isReady]);
  const print = useCallback(() => {
    void load().then(
      () => window.print(),
      () => window.print(),
    );
  }, []);
  return { Report: isPrinting ? Report : undefined, print };
}
