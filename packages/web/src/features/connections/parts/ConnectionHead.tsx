/** Name and state of a connection or feed, with what it reads. */
import { styled } from '@mui/material/styles';
import type { ConnectionState as State } from '@parapet/contract/connections.ts';
import type { ReactNode } from 'react';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { ConnectionState, type Sort } from './ConnectionState.tsx';

const Head = styled('div')({
  display: 'flex',
  flexWrap: 'wrap',
  alignItems: 'center',
  gap: '2px 12px',
  '& > .about': { fontSize: 13, color: palette.text.secondary, overflowWrap: 'anywhere' },
});

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
    <Head>
      <strong>
        <VisibleText text={name} />
      </strong>
      <ConnectionState state={state} sort={sort} />
      <span className="about">{children}</span>
    </Head>
  );
}
