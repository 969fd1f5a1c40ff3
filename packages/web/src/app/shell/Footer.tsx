/** The footer: the partner's logo, a way to reach somebody, the FAQ, what this is (spec §1). */
import { styled } from '@mui/material/styles';
import { AppLink } from '../../lib/AppLink.tsx';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { linkOf, useBrand } from '../../lib/brand.ts';
import { faqAddress } from './navigation.ts';

const Root = styled('footer')(({ theme }) => {
  const { palette } = theme.vars ?? theme;
  return {
    borderTop: `1px solid ${palette.divider}`,
    color: palette.text.secondary,
    fontSize: 12,
    lineHeight: '16px',
    '& > div': {
      display: 'flex',
      flexWrap: 'wrap',
      alignItems: 'center',
      gap: '8px 24px',
      maxWidth: 1400,
      margin: '0 auto',
      padding: '14px 24px',
    },
    '& p': { margin: 0, flex: '1 1 240px' },
    '& a': { color: palette.text.primary, fontWeight: 500, textDecoration: 'none', padding: '4px 0' },
    '& a:hover': { textDecoration: 'underline' },
    '& img': { height: 20 },
    '& .name': { fontSize: 14, color: palette.text.primary },
  };
});

export function Footer() {
  const brand = useBrand();
  const contact = linkOf(brand.contact);
  const website = linkOf(brand.websiteURL);
  const faq = faqAddress(brand);
  const logo = <BrandLogo />;
  return (
    <Root>
      <div>
        {website ? (
          <a href={website} target="_blank" rel="noreferrer">
            {logo}
          </a>
        ) : (
          logo
        )}
        <p>{brand.description}</p>
        {contact && <a href={contact}>Contact</a>}
        {faq.isExternal ? (
          <a href={faq.url} target="_blank" rel="noreferrer">
            FAQ
          </a>
        ) : (
          <AppLink href={faq.url}>FAQ</AppLink>
        )}
      </div>
    </Root>
  );
}
