/**
 * Saved views of a list: apply one, save the current filters, update, share or delete your own. Applying a view changes the address only,
 * so Back restores the previous filters.
 */
import { Suspense } from 'react';
import { BarMenu } from '../../kit/BarMenu.tsx';
import { BookmarkBorderRounded } from '../../kit/icons/BookmarkBorderRounded.tsx';
import { lazyPanel } from '../../kit/LazyPanel.tsx';
import { TextSkeleton } from '../../kit/Skeletons.tsx';
import type { ViewsProps } from './parts/ViewsSheet.tsx';

const ViewsSheet = lazyPanel('saved views', () => import('./parts/ViewsSheet.tsx').then((module) => module.ViewsSheet));

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
