/** Exports of the whole search as a file, with the progress of those of the last day. */
import { lazy, Suspense } from 'react';
import { BarMenu } from '../../../kit/BarMenu.tsx';
import { DownloadRounded } from '../../../kit/icons/DownloadRounded.tsx';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import type { ExportSheetProps } from './ExportSheet.tsx';

const ExportSheet = lazy(() => import('./ExportSheet.tsx').then((module) => ({ default: module.ExportSheet })));

export function ExportMenu(props: ExportSheetProps) {
  return (
    <BarMenu text="Export" icon={<DownloadRounded />} label="Exports">
      {() => (
        <Suspense fallback={<TextSkeleton lines={3} />}>
          <ExportSheet {...props} />
        </Suspense>
      )}
    </BarMenu>
  );
}
