/** Users by kind of email: a table, or one card per user on narrow screens. Each change is saved immediately. */
import { styled } from '@mui/material/styles';
import { type SubscriptionKind, type SubscriptionRow, subscriptionKinds } from '@parapet/contract/mailSubscriptions.ts';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';

const Sheet = styled('div')({
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  backgroundColor: palette.background.paper,
  overflowX: 'auto',
  '& table': { width: '100%', borderCollapse: 'collapse', fontSize: 13 },
  '& th, & td': { padding: '8px 10px', textAlign: 'left', verticalAlign: 'middle', borderTop: `1px solid ${palette.divider}` },
  '& thead th': {
    borderTop: 0,
    fontSize: 12,
    lineHeight: '16px',
    fontWeight: 600,
    color: palette.text.secondary,
    verticalAlign: 'bottom',
  },
  '& thead th.kind': { width: 108 },
  '& tbody tr:hover': { backgroundColor: palette.action.hover },
  '& tbody th': { fontWeight: 500, overflowWrap: 'anywhere' },
  '& .address': { display: 'block', fontSize: 12, fontWeight: 400, color: palette.text.secondary },
  '& td label': { display: 'flex', alignItems: 'center', gap: 8, minHeight: 24, cursor: 'pointer' },
  '& input': { width: 18, height: 18, margin: 0, flex: 'none', accentColor: palette.primary.main },
  '& label span': { display: 'none' },
  '@media (max-width: 899.95px)': {
    '& thead': { display: 'none' },
    '& table, & tbody, & tr, & th, & td': { display: 'block' },
    '& tbody tr': { padding: '8px 12px 12px', borderTop: `1px solid ${palette.divider}` },
    '& tbody tr:first-of-type': { borderTop: 0 },
    '& tbody th, & td': { padding: '2px 0', border: 0 },
    '& td label': { minHeight: 32 },
    '& label span': { display: 'inline' },
  },
});

interface Props {
  rows: readonly SubscriptionRow[];
  hasClients: boolean;
  onChoose: (row: SubscriptionRow, kind: SubscriptionKind, isOn: boolean) => void;
}

export function SubscriptionGrid({ rows, hasClients, onChoose }: Props) {
  return (
    <Sheet>
      <table aria-label="Email subscriptions">
        <thead>
          <tr>
            <th scope="col">User</th>
            {hasClients && <th scope="col">Client</th>}
            {subscriptionKinds.map(({ value, label }) => (
              <th key={value} scope="col" className="kind">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={row.userID}>
              <th scope="row">
                <VisibleText text={row.displayName} />
                <span className="address">
                  <VisibleText text={row.emailAddress} />
                </span>
              </th>
              {hasClients && (
                <td>
                  <VisibleText text={row.clientOrganizationName} />
                </td>
              )}
              {subscriptionKinds.map(({ value, label }) => (
                <td key={value}>
                  <label>
                    <input
                      type="checkbox"
                      checked={row.kinds.includes(value)}
                      aria-label={`${label}: ${visibleText(row.displayName)}`}
                      onChange={(event) => onChoose(row, value, event.target.checked)}
                    />
                    <span aria-hidden>{label}</span>
                  </label>
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </Sheet>
  );
}
