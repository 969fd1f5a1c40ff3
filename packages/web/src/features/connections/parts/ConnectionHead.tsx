/** Name and state of a connection or feed, with what it reads. */
import type { ConnectionState as State } from '@parapet/contract/connections.ts';
import type { ReactNode } from 'react';
import { RowHead } from '../../../kit/rows.styles.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { ConnectionState, type Sort } from './ConnectionState.tsx';

export function ConnectionHead({
  name,
  state,
  sort,
  children,
}: {
  name: string;
  state: State;
  sort?: Sort;
  children: ReactNode;
}) {
  return (
    <RowHead>
      <strong>
        <VisibleText text={name} />
      </strong>
      <ConnectionState state={state} sort={sort} />
      <span className="about">{children}</span>
    </RowHead>
  );
}
