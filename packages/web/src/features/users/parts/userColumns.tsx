/** Columns and card of the list of users. */
import Link from '@mui/material/Link';
import { styled } from '@mui/material/styles';
import type { UserRow } from '@parapet/contract/users.ts';
import { textCell } from '../../../kit/cells.tsx';
import { GppGoodOutlined } from '../../../kit/icons/GppGoodOutlined.tsx';
import { GppMaybeOutlined } from '../../../kit/icons/GppMaybeOutlined.tsx';
import { palette } from '../../../kit/palette.ts';
import { RelativeTime } from '../../../kit/RelativeTime.tsx';
import type { Column } from '../../../kit/table.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { PersonAvatar } from '../../../lib/PersonAvatar.tsx';
import type { mfaStates, userStates } from '../users.queries.ts';

type UserState = (typeof userStates)[number];

export const stateLabel: Record<UserState, string> = { active: 'Active', invited: 'Invited', deleted: 'Deleted' };
export const mfaLabel: Record<(typeof mfaStates)[number], string> = { set: 'Set up', unset: 'Not set up' };

const Line = styled('span')({
  display: 'inline-flex',
  alignItems: 'center',
  gap: 8,
  minWidth: 0,
  maxWidth: '100%',
  '& > svg': { fontSize: 16, flex: 'none', color: palette.text.secondary },
  '& > .text': { overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
});
const Mark = styled('span')({
  display: 'inline-block',
  padding: '0 8px',
  fontSize: 12,
  lineHeight: '20px',
  border: `1px solid ${palette.divider}`,
  borderRadius: 6,
  '&[data-state=deleted]': { color: palette.text.secondary, borderStyle: 'dashed' },
  '&[data-state=invited]': { borderColor: palette.text.secondary },
});

const StateMark = ({ state }: { state: UserState }) => <Mark data-state={state}>{stateLabel[state]}</Mark>;

function Mfa({ isSet }: { isSet: boolean }) {
  const Icon = isSet ? GppGoodOutlined : GppMaybeOutlined;
  return (
    <Line>
      <Icon aria-hidden />
      {mfaLabel[isSet ? 'set' : 'unset']}
    </Line>
  );
}

const LastSignIn = ({ user, timeZone }: { user: UserRow; timeZone: string }) =>
  user.lastSignInAt ? <RelativeTime at={user.lastSignInAt} timeZone={timeZone} /> : <>Never</>;

interface Look {
  timeZone: string;
  hasClients: boolean;
  addressOf: (user: UserRow) => string;
}

export function userColumns({ timeZone, hasClients, addressOf }: Look): Column<UserRow>[] {
  return [
    {
      id: 'name',
      header: 'Name',
      flex: 2,
      width: 190,
      isFixed: true,
      sort: 'displayName',
      cell: (user) => (
        <Line>
          <PersonAvatar displayName={user.displayName} profileURL={user.profileURL} size={24} />
          <Link component={AppLink} href={addressOf(user)} tabIndex={-1} className="text" color="inherit">
            <VisibleText text={user.displayName} />
          </Link>
        </Line>
      ),
    },
    {
      id: 'email',
      header: 'Email',
      flex: 2,
      width: 190,
      hidePriority: 1,
      sort: 'emailAddress',
      cell: (user) => textCell(user.emailAddress),
    },
    { id: 'role', header: 'Role', width: 130, sort: 'role', cell: (user) => user.role },
    ...(hasClients
      ? [
          {
            id: 'organisation',
            header: 'Organisation',
            flex: 1,
            width: 140,
            hidePriority: 2,
            sort: 'clientOrganizationName',
            cell: (user: UserRow) => textCell(user.clientOrganizationName),
          },
        ]
      : []),
    { id: 'state', header: 'State', width: 96, cell: (user) => <StateMark state={user.state} /> },
    {
      id: 'lastSignIn',
      header: 'Last sign-in',
      width: 120,
      hidePriority: 3,
      sort: 'lastSignInAt',
      cell: (user) => <LastSignIn user={user} timeZone={timeZone} />,
    },
    { id: 'mfa', header: 'MFA', width: 130, hidePriority: 4, cell: (user) => <Mfa isSet={user.mfaIsSet} /> },
  ];
}

const spread = { display: 'flex', flexWrap: 'wrap', justifyContent: 'space-between', gap: '4px 12px', minWidth: 0 } as const;

export function UserCard({ user, timeZone, hasClients, addressOf }: Look & { user: UserRow }) {
  return (
    <div style={{ display: 'grid', gap: 6, minWidth: 0 }}>
      <span style={spread}>
        <Line>
          <PersonAvatar displayName={user.displayName} profileURL={user.profileURL} size={24} />
          <Link component={AppLink} href={addressOf(user)} color="inherit" sx={{ fontWeight: 600, overflowWrap: 'anywhere' }}>
            <VisibleText text={user.displayName} />
          </Link>
        </Line>
        <StateMark state={user.state} />
      </span>
      <span style={{ overflowWrap: 'anywhere' }}>
        <VisibleText text={user.emailAddress} />
      </span>
      <span style={spread}>
        <span>{user.role}</span>
        {hasClients && <VisibleText text={user.clientOrganizationName} />}
      </span>
      <span style={spread}>
        <span>
          Last sign-in: <LastSignIn user={user} timeZone={timeZone} />
        </span>
        <Mfa isSet={user.mfaIsSet} />
      </span>
    </div>
  );
}
