/** Content of the menu of saved views. */
import { styled } from '@mui/material/styles';
import type { SavedView, ViewList } from '@parapet/contract/views.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { palette } from '../../../kit/palette.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSearchState } from '../../../lib/address.ts';
import { isShownNow, viewChange, viewQueryOf } from '../viewQuery.ts';
import { useRemoveView, useUpdateView, viewsQuery } from '../views.queries.ts';
import { SaveView } from './SaveView.tsx';
import { ViewLine } from './ViewLine.tsx';

const Sheet = styled('div')({
  width: 'min(340px, calc(100vw - 32px))',
  fontSize: 13,
  '& h2': { margin: 0, padding: '10px 14px 2px', fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& ul': { margin: 0, padding: '0 6px', listStyle: 'none', maxHeight: 300, overflowY: 'auto' },
  '& > .none': { margin: 0, padding: '12px 14px 4px', color: palette.text.secondary },
  '& > .failed': { padding: '12px 14px' },
});

export interface ViewsProps {
  list: ViewList;
  hidden: readonly string[];
  onHidden: (hidden: readonly string[]) => void;
}

export function ViewsSheet({ list, hidden, onHidden, onClose }: ViewsProps & { onClose: () => void }) {
  const [deleting, setDeleting] = useState<SavedView>();
  const { search, change } = useSearchState();
  const views = useQuery(viewsQuery(list));
  const update = useUpdateView();
  const remove = useRemoveView();
  const query = viewQueryOf(search);
  const all = views.data?.results ?? [];
  const mine = all.filter((view) => view.isMine);
  const shared = all.filter((view) => !view.isMine);
  const current = all.find((view) => isShownNow(view, search, hidden));

  const apply = (view: SavedView) => {
    onHidden(view.columns);
    change(viewChange(search, view.query));
    onClose();
  };
  const put = (view: SavedView, patch: Partial<Pick<SavedView, 'query' | 'columns' | 'isShared' | 'isSharedBelow'>>) => {
    const { name, query, columns, isShared, isSharedBelow } = { ...view, ...patch };
    update.mutate({ params: { id: view.id }, body: { list, name, query, columns, isShared, isSharedBelow } });
  };
  const lines = (title: string, some: readonly SavedView[]) =>
    some.length > 0 && (
      <>
        <h2>{title}</h2>
        <ul aria-label={title}>
          {some.map((view) => (
            <ViewLine
              key={view.id}
              view={view}
              isShown={view === current}
              onApply={() => apply(view)}
              {...(query !== undefined && view !== current ? { onUpdate: () => put(view, { query, columns: [...hidden] }) } : {})}
              onShare={() => put(view, { isShared: !view.isShared, isSharedBelow: false })}
              onRemove={() => setDeleting(view)}
            />
          ))}
        </ul>
      </>
    );

  return (
    <>
      <Sheet>
        {views.data === undefined ? (
          <div className="failed">
            {views.error ? (
              <FailedLine what="views" error={views.error} onRetry={() => void views.refetch()} />
            ) : (
              <TextSkeleton lines={3} />
            )}
          </div>
        ) : all.length === 0 ? (
          <p className="none">No views yet. A view stores filters, order and hidden columns under a name.</p>
        ) : (
          <>
            {lines('My views', mine)}
            {lines('Shared with you', shared)}
          </>
        )}
        <SaveView list={list} query={query} hidden={hidden} taken={mine.map(({ name }) => name)} />
      </Sheet>
      <ConfirmDialog
        isOpen={deleting !== undefined}
        title="Delete this view?"
        isBusy={remove.isPending}
        onNo={() => setDeleting(undefined)}
        onYes={() => deleting && remove.mutate(deleting, { onSettled: () => setDeleting(undefined) })}
      >
        <VisibleText text={deleting?.name ?? ''} /> is deleted{deleting?.isShared ? ' for everyone you share it with' : ''}. The
        list itself does not change.
      </ConfirmDialog>
    </>
  );
}
