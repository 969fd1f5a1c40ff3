/**
 * The saved views of a list: apply one, save what is shown now, share, renew or delete one's own. The address stays the state: applying a
 * view only changes it, so Back leads to what was there before.
 */
import BookmarkBorderRounded from '@mui/icons-material/BookmarkBorderRounded';
import { lazy, Suspense } from 'react';
import { BarMenu } from '../../kit/BarMenu.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import type { ViewsProps } from './parts/ViewsSheet.tsx';

const ViewsSheet = lazy(() => import('./parts/ViewsSheet.tsx').then((module) => ({ default: module.ViewsSheet })));

export function ViewsMenu(props: ViewsProps) {
  return (
    <BarMenu text="Views" icon={<BookmarkBorderRounded />} label="Saved views">
      {(close) => (
        <Suspense
          fallback={
            <div style={{ width: 'min(340px, calc(100vw - 32px))', padding: '12px 14px' }}>
              <TextSkeleton lines={3} />
            </div>
          }
        >
          <ViewsSheet {...props} onClose={close} />
        </Suspense>
      )}
    </BarMenu>
  );
}
