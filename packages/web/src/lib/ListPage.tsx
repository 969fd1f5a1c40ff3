/** A page that is one list: title, purpose, actions, what stands above the list, the list with its side panel, and its dialogs. */
import type { ReactNode } from 'react';
import { PageHeader } from '../kit/PageHeader.tsx';
import { EmptyState } from '../kit/States.tsx';
import { VisibleText } from '../kit/VisibleText.tsx';
import { visibleText } from '../kit/visible.ts';
import { ListTable, type ListTableProps, type Places } from './ListTable.tsx';
import { useTitle } from './title.ts';

interface Props<Row, S> extends ListTableProps<Row, S> {
  title: string;
  purpose: ReactNode;
  actions?: ReactNode;
  /** Shown in place of the list to people without the permission. */
  denied?: { title: string; text: string } | false;
  /** Above the list. */
  children?: ReactNode;
  dialogs?: ReactNode;
}

/** `denied` of a list that administrators see. */
export const forAdministrators = (what: string) => ({
  title: `Only administrators see ${what}`,
  text: 'You don’t have permission to see it. Contact an administrator of your organisation.',
});

export function ListPage<Row, S extends Places>({
  title,
  purpose,
  actions,
  denied = false,
  children,
  dialogs,
  ...list
}: Props<Row, S>) {
  useTitle(visibleText(title));
  return (
    <>
      <PageHeader title={<VisibleText text={title} />} purpose={!denied && purpose} actions={!denied && actions} />
      {denied ? (
        <EmptyState {...denied} />
      ) : (
        <>
          {children}
          <ListTable {...list} />
          {dialogs}
        </>
      )}
    </>
  );
}
