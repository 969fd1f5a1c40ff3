/** Settings (/apps/settings): the way to one's own account, and for administrators to what they look after. */
import ArrowForwardRounded from '@mui/icons-material/ArrowForwardRounded';
import { styled } from '@mui/material/styles';
import { Card } from '../../kit/Card.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useTitle } from '../../lib/title.ts';
import { administrationFor } from './administration.ts';

const Column = styled('div')({ display: 'grid', gap: 16, maxWidth: 880, '& > *': { minWidth: 0 } });
const Doors = styled('ul')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    listStyle: 'none',
    margin: 0,
    padding: 0,
    display: 'grid',
    gap: 12,
    gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 300px), 1fr))',
    '& a': {
      display: 'grid',
      gridTemplateColumns: '1fr auto',
      gap: '2px 12px',
      height: '100%',
      alignContent: 'start',
      padding: '12px 14px',
      color: palette.text.primary,
      textDecoration: 'none',
      border: `1px solid ${palette.divider}`,
      borderRadius: 8,
      '& strong': { fontWeight: 600 },
      '& svg': { fontSize: 18, color: palette.text.secondary },
      '& .purpose': { gridColumn: '1 / -1', fontSize: 13, color: palette.text.secondary },
      '&:hover': { borderColor: palette.text.secondary, backgroundColor: palette.action.hover },
    },
  };
});

function Door({ title, purpose, url }: { title: string; purpose: string; url: string }) {
  return (
    <li>
      <AppLink href={url}>
        <strong>{title}</strong>
        <ArrowForwardRounded aria-hidden />
        <span className="purpose">{purpose}</span>
      </AppLink>
    </li>
  );
}

export function SettingsPage() {
  useTitle('Settings');
  const { may, user } = useScope();
  const pages = administrationFor(may);
  return (
    <>
      <PageHeader title="Settings" purpose="Your account, and what you look after" />
      <Column>
        <Card title="Account">
          <Doors>
            <Door title="My Profile" purpose="Your name, picture, password and second factor." url={paths.profile(user.id)} />
          </Doors>
        </Card>
        {pages.length > 0 && (
          <Card title="Administration">
            <Doors>
              {pages.map((page) => (
                <Door key={page.id} {...page} />
              ))}
            </Doors>
          </Card>
        )}
      </Column>
    </>
  );
}
