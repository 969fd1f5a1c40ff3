/** The footer: partner logo, contact, FAQ and a short product description (spec §1). */
import { styled } from '@mui/material/styles';
import { palette } from '../../kit/palette.ts';
import { AppLink } from '../../lib/AppLink.tsx';
import { BrandLogo } from '../../lib/BrandLogo.tsx';
import { linkOf, useBrand } from '../../lib/brand.ts';
import { containerWidth } from './frame.tsx';
import { faqAddress } from './navigation.ts';

const Root = styled('footer')({
  borderTop: `1px solid ${palette.divider}`,
  color: palette.text.secondary,
  fontSize: 12,
  lineHeight: '16px',
  '& > div': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'center',
    gap: '8px 24px',
    maxWidth: containerWidth,
    margin: '0 auto',
    // Room for Sapphire’s button.
    padding: '14px 80px 14px 24px',
  },
  '&[data-fixed=true] > div': { padding: '6px 24px', flexWrap: 'nowrap', maxWidth: 'none' },
  '&[data-fixed=true]': {
    borderTop: 0,
    '& p': { flex: 1, minWidth: 0, overflow: 'hidden', textOverflow: 'ellipsis', whiteSpace: 'nowrap' },
  },
  '& p': { margin: 0, flex: '1 1 240px' },
  '@media print': { display: 'none' },
  '& a': { color: palette.text.primary, fontWeight: 500, textDecoration: 'none', padding: '4px 0' },
  '& a:hover': { textDecoration: 'underline' },
  '& img': { height: 20 },
  '& .name': { fontSize: 14, color: palette.text.primary },
});

/** `isFixed`: one line at the lower edge of the window. */
export function Footer({ isFixed = false }: { isFixed?: boolean }) {
  const brand = useBrand();
  const contact = linkOf(brand.contact);
  const website = linkOf(brand.websiteURL);
  const faq = faqAddress(brand);
  const logo = <BrandLogo />;
  return (
    <Root data-fixed={isFixed}>
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
