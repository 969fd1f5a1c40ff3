/** Brand of the host, for pages before sign-in (spec §1), with the personas of a demo. */
import { z } from 'zod';
import { endpoint, nothing } from './endpoint.ts';
import { line, name } from './primitives.ts';

/** Reserved sub-domains, which serve the default brand. */
export const reservedSubDomains: readonly string[] =
  'www portal dev demo staging test api app admin auth login sso mail smtp ftp static assets cdn status localhost'.split(' ');

export const brand = z.object({
  name: name.describe('Brand name.'),
  description: line.describe('Short description for the footer.'),
  logoURL: line.describe('Path of the logo for light themes; empty without one.'),
  logo2URL: line.describe('Path of the logo for dark themes; empty without one.'),
  contact: line.describe('Contact link, mailto: or https:.'),
  helpURL: line.describe('URL of the help pages; empty for the portal’s own.'),
  websiteURL: line.describe('Website of the brand; empty without one.'),
  title: line.describe('Browser tab title.'),
  faviconURL: line.describe('Path of the favicon; empty for the portal’s own.'),
  accentLight: z.string().max(7).describe('Accent colour of light themes, #rrggbb; empty for the default.'),
  accentDark: z.string().max(7).describe('Accent colour of dark themes, #rrggbb; empty for the default.'),
  singleSignOn: z.boolean().describe('True when single sign-on is configured for this host.'),
  registration: z.boolean().describe('True when self-registration is enabled.'),
  customerSuccess: z.boolean().describe('True when sign-in continues through the customer-success tool.'),
  maintenance: z.boolean().describe('True during maintenance: only a Host can sign in.'),
  version: z.string().max(40).describe('Version of the served web pages; changes with each deployment.'),
  demo: z
    .object({
      password: line.describe('Password of all personas.'),
      personas: z
        .array(
          z.object({
            persona: line.describe('Key of the persona.'),
            displayName: name.describe('First and last name.'),
            email: line.describe('Sign-in address.'),
            role: line.describe('Role name.'),
            organisation: name.describe('Organisation name.'),
            mfaSecret: z.string().max(64).describe('MFA secret; empty without one.'),
          }),
        )
        .max(30)
        .describe('Demo accounts.'),
      progress: z
        .object({
          stage: line.describe('Present stage.'),
          percent: z.number().int().min(0).max(99).describe('Part of the work that is done.'),
          secondsLeft: z.number().int().min(1).nullable().describe('Estimated seconds left; null when unknown.'),
          canSignIn: z.boolean().describe('True once the accounts exist.'),
        })
        .nullable()
        .describe('Progress of the demo world while it is being created; null afterwards.'),
    })
    .nullable()
    .describe('Demo accounts; null outside a demo.'),
});
export type Brand = z.infer<typeof brand>;

/** Names by the W3C’s Web Application Manifest. */
export const webManifest = z.object({
  id: line.describe('Identity of the installed portal.'),
  name: line.describe('Brand name.'),
  short_name: line.describe('Brand name, for narrow places.'),
  description: line.describe('Short description.'),
  start_url: line.describe('First page.'),
  scope: line.describe('Pages of the installed portal.'),
  display: z.literal('standalone').describe('A window of its own.'),
  background_color: z.string().max(7).describe('Ground before the first paint, #rrggbb.'),
  theme_color: z.string().max(7).describe('Colour of the window, #rrggbb.'),
  icons: z
    .array(
      z.object({
        src: line.describe('Path of the icon.'),
        sizes: z.string().max(20).describe('Width and height in pixels, or any.'),
        type: z.string().max(40).describe('Media type.'),
      }),
    )
    .max(5)
    .describe('Icons.'),
});
export type WebManifest = z.infer<typeof webManifest>;

export const brandApi = {
  get: endpoint({
    id: 'brand.get',
    route: 'GET /brand',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Returns the brand of this host.',
    answer: brand,
  }),
  manifest: endpoint({
    id: 'brand.manifest',
    route: 'GET /brand/manifest',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Returns the web app manifest of this host, by which browsers install the portal.',
    answer: webManifest,
  }),
  /** The logo's path is keyed by the sub-domain (spec §1). */
  image: endpoint({
    id: 'brand.image',
    route: 'GET /brand/:subDomain/:file',
    allow: 'anyone',
    freshness: 'none',
    summary: 'Returns an image of a brand.',
    params: z.object({
      subDomain: z
        .string()
        .regex(/^[a-z0-9-]{1,63}$/)
        .max(63)
        .describe('Sub-domain of the brand.'),
      file: z.enum(['light.png', 'dark.png', 'favicon.png']).describe('Image name.'),
    }),
    query: z.object({
      v: z.string().max(40).optional().describe('Version for caching; changes with the image.'),
    }),
    answer: nothing,
    answers: 'file',
  }),
};
