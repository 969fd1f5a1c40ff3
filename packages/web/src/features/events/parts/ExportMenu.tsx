/** Exports of the whole search as a file, with the progress of those of the last day. */
import { Suspense } from 'react';
import { BarMenu } from '../../../kit/BarMenu.tsx';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { lazyPanel } from '../../../kit/LazyPanel.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import type { ExportSheetProps } from './ExportSheet.tsx';

const ExportSheet = lazyPanel('exports', () => import('./ExportSheet.tsx').then((module) => module.ExportSheet));

export function ExportMenu(props: ExportSheetProps) {
  return (
    <BarMenu text="Export" icon={<DownloadRounded />} label="Exports">
      {() => (
        <Suspense
          fallback={
            // As wide as the content: a menu keeps the place that it opened at.
            <div style={{ width: 'min(380px, calc(100vw - 32px))', padding: '12px 14px' }}>
              <TextSkeleton lines={3} />
            </div>
          }
        >
          <ExportSheet {...props} />
        </Suspense>
      )}
    </BarMenu>
  );
}
