/** Settings (/apps/settings): appearance, own account and, for administrators, links to administration pages. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { ReactNode } from 'react';
import { Card } from '../../kit/Card.tsx';
import { ArrowForwardRounded } from '../../kit/icons/ArrowForwardRounded.tsx';
import { PageHeader } from '../../kit/PageHeader.tsx';
import { palette } from '../../kit/palette.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { useSearchState } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { TabLinks } from '../../lib/TabLinks.tsx';
import { useTitle } from '../../lib/title.ts';
import { administrationFor } from './administration.ts';
import { ApiKeysSection } from './parts/ApiKeysSection.tsx';
import { AppearanceSection } from './parts/AppearanceSection.tsx';
import { ChatSection } from './parts/ChatSection.tsx';
import { NotificationsSection } from './parts/NotificationsSection.tsx';
import { SecondFactorSection } from './parts/SecondFactorSection.tsx';
import { SignInsSection } from './parts/SignInsSection.tsx';
import { Columns } from './parts/settings.styles.ts';
import { TimeSection } from './parts/TimeSection.tsx';
import { type SectionId, sections } from './sections.ts';

const Pages = styled('ul')({
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
});

function PageLink({ title, purpose, url }: { title: string; purpose: string; url: string }) {
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

const bodies: Record<Exclude<SectionId, 'administration'>, () => ReactNode> = {
  look: AppearanceSection,
  time: TimeSection,
  notifications: NotificationsSection,
  'sign-ins': SignInsSection,
  'second-factor': SecondFactorSection,
  'api-keys': ApiKeysSection,
  chat: ChatSection,
};

export function SettingsPage() {
  useTitle('Settings');
  const { may, user, who } = useScope();
  const { search } = useSearchState();
  const pages = administrationFor(may, who.organisationId);
  const tabs = sections.filter(({ id }) => id !== 'administration' || pages.length > 0);
  const current = tabs.find(({ id }) => id === search.tab?.toLowerCase())?.id ?? 'look';
  const Body = current === 'administration' ? undefined : bodies[current];
  return (
    <>
      <PageHeader
        title="Settings"
        purpose="Appearance, account and administration"
        actions={
          <Button component={AppLink} href={paths.profile(user.id)} variant="outlined">
            My Profile
          </Button>
        }
      />
      <TabLinks
        label="Settings"
        current={current}
        tabs={tabs.map(({ id, title }) => ({ id, title, href: paths.settings(id === 'look' ? {} : { tab: id }) }))}
      />
      <Columns>
        {Body ? (
          <Body />
        ) : (
          <Card title="Administration" isWide>
            <Pages>
              {pages.map((page) => (
                <PageLink key={page.id} {...page} />
              ))}
            </Pages>
          </Card>
        )}
      </Columns>
    </>
  );
}
