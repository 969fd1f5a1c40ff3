/** The brand of this host, for pages that nobody has signed in to yet (spec §1); in a demo also its personas. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { line, name } from './primitives.ts';

/** First labels that no partner can have: under each stands the default brand. */
export const reservedSubDomains: readonly string[] =
  'www portal dev demo staging test api app admin auth login sso mail smtp ftp static assets cdn status localhost'.split(' ');

export const brand = z.object({
  name: name.describe('The brand’s name.'),
  description: line.describe('A short description for the footer.'),
  logoURL: line.describe('Path of the logo for light themes; empty when the brand has none.'),
  logo2URL: line.describe('Path of the logo for dark themes; empty when the brand has none.'),
  contact: line.describe('Address of the contact link, mailto: or https:.'),
  helpURL: line.describe('Address of the help pages; empty for the portal’s own.'),
  websiteURL: line.describe('The brand’s website; empty when it has none.'),
  title: line.describe('Title of the browser’s tab.'),
  faviconURL: line.describe('Path of the icon in the browser’s tab; empty for the portal’s own.'),
  accentLight: z.string().max(7).describe('Accent colour on light themes, #rrggbb; empty for the default one.'),
  accentDark: z.string().max(7).describe('Accent colour on dark themes, #rrggbb; empty for the default one.'),
  singleSignOn: z.boolean().describe('Whether a single sign-on is configured for this host.'),
  registration: z.boolean().describe('Whether people may ask for an account of their own.'),
  customerSuccess: z.boolean().describe('Whether a sign-in goes on through the customer-success tool.'),
  maintenance: z.boolean().describe('Whether the portal is under maintenance: only a Host is let in.'),
  version: z.string().max(40).describe('Names the web pages that are served; changes when newer ones were deployed.'),
  demo: z
    .object({
      password: line.describe('The password of all personas.'),
      personas: z
        .array(
          z.object({
            persona: line.describe('The persona’s key.'),
            displayName: name.describe('First and last name.'),
            email: line.describe('The address to sign in with.'),
            role: line.describe('The role’s name.'),
            organisation: name.describe('The organisation’s name.'),
            mfaSecret: z.string().max(64).describe('Secret of the second factor; empty without one.'),
          }),
        )
        .max(30)
        .describe('Who can be tried.'),
    })
    .nullable()
    .describe('Only in a demo: who can be tried. null otherwise.'),
});
export type Brand = z.infer<typeof brand>;

export const brandApi = {
  get: endpoint({
    id: 'brand.get',
    method: 'GET',
    path: '/brand',
    allow: 'anyone',
    freshness: 'none',
    summary: 'The brand of this host.',
    answer: brand,
  }),
  /** The logo's path is keyed by the sub-domain (spec §1). */
  image: endpoint({
    id: 'brand.image',
    method: 'GET',
    path: '/brand/:subDomain/:file',
    allow: 'anyone',
    freshness: 'none',
    summary: 'An image of a brand.',
    params: z.object({
      subDomain: z
        .string()
        .regex(/^[a-z0-9-]{1,63}$/)
        .max(63)
        .describe('The brand’s sub-domain.'),
      file: z.enum(['light.png', 'dark.png', 'favicon.png']).describe('Which image.'),
    }),
    query: z.object({
      v: z.string().max(40).optional().describe('Changes when the image does, so that it can be kept for long.'),
    }),
    answer: nothing,
    answers: 'file',
  }),
};
