/**
 * The brand of a host, and the brand that an organisation's mails carry (spec §1, decision 25). A host is looked up whole (a partner's own
 * domain), then by its first label. Unknown labels, www, the portal's own and local hosts get the default brand.
 */
import type { Brand } from '@parapet/contract/brand.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Database } from '../../core/db/connect.ts';
import { scoped, type Tx } from '../../core/db/scope.ts';
import type { MailBrand } from '../../core/mail/render.ts';
import { type BrandRow, findBrand, findBrandOfOrganisation, hasIdentityProvider } from './brand.store.ts';

export type BrandService = ReturnType<typeof createBrandService>;

const label = /^[a-z0-9-]{1,63}$/;
const defaultAccent = '#0b6b66';

export const defaultBrand: Omit<Brand, 'demo' | 'singleSignOn' | 'registration' | 'customerSuccess'> = {
  name: 'Parapet',
  title: 'Parapet',
  description: 'Managed detection and response: what was found, how it was judged and what was done.',
  logoURL: '',
  logo2URL: '',
  faviconURL: '',
  accentLight: '',
  accentDark: '',
  contact: 'mailto:soc@parapet.example',
  helpURL: '',
  websiteURL: '',
};

/** Without its port, in lower case; undefined for an address. */
function nameOfHost(host: string): string | undefined {
  const name = host.replace(/:\d+$/, '').toLowerCase();
  return name === '' || /^[\d.]+$/.test(name) || name.startsWith('[') ? undefined : name;
}

/** The first sub-domain label, or undefined for an address, a bare host or a label that no brand can have. */
export function subDomainOf(host: string): string | undefined {
  const labels = nameOfHost(host)?.split('.') ?? [];
  const [first] = labels;
  return labels.length > 1 && first && label.test(first) ? first : undefined;
}

const images = { 'light.png': 'logo_light_version', 'dark.png': 'logo_dark_version', 'favicon.png': 'favicon_version' } as const;
export type BrandImage = keyof typeof images;

/** Where an image of a brand is kept. */
export const imageKey = (organisationId: number, file: BrandImage): string => `brands/${organisationId}/${file}`;

/** Path of an image on this origin; empty when there is none. */
export const imageUrl = (brand: Pick<BrandRow, 'sub_domain' | (typeof images)[BrandImage]>, file: BrandImage): string => {
  const version = brand[images[file]];
  return version === null ? '' : `/api/v1/brand/${brand.sub_domain}/${file}?v=${version}`;
};

export function createBrandService({
  db,
  blobs,
  publicUrl,
  mailFrom,
  demo,
  hasOwnSingleSignOn,
  allowsRegistration,
  hasCustomerSuccess,
}: {
  db: Database;
  blobs: Blobs;
  publicUrl: string;
  mailFrom: string;
  demo: Brand['demo'];
  hasOwnSingleSignOn: boolean;
  allowsRegistration: boolean;
  hasCustomerSuccess: boolean;
}) {
  /** Never from a header: from what is stored, and from the configuration. */
  const originOf = (brand: BrandRow | undefined): string => {
    if (!brand || brand.organisation_id === 1) return publicUrl;
    if (brand.self_hosted_domain) return `https://${brand.self_hosted_domain}`;
    const url = new URL(publicUrl);
    if (!nameOfHost(url.hostname)) return publicUrl;
    url.hostname = `${brand.sub_domain}.${url.hostname}`;
    return url.origin;
  };
  const rowOf = (host: string): Promise<BrandRow | undefined> => {
    const name = nameOfHost(host);
    return name === undefined
      ? Promise.resolve(undefined)
      : scoped(db, 'system', (tx) => findBrand(tx, { domain: name, subDomain: subDomainOf(host) }), { readOnly: true });
  };

  return {
    async ofHost(host: string): Promise<Brand> {
      const row = await rowOf(host);
      const ways = {
        singleSignOn:
          hasOwnSingleSignOn ||
          (row !== undefined &&
            (await scoped(db, 'system', (tx) => hasIdentityProvider(tx, row.organisation_id), { readOnly: true }))),
        registration: allowsRegistration,
        customerSuccess: hasCustomerSuccess,
        demo,
      };
      if (!row) return { ...defaultBrand, ...ways };
      return {
        name: row.name,
        title: row.title || row.name,
        description: row.description,
        logoURL: imageUrl(row, 'light.png'),
        logo2URL: imageUrl(row, 'dark.png'),
        faviconURL: imageUrl(row, 'favicon.png'),
        accentLight: row.accent_light,
        accentDark: row.accent_dark,
        contact: row.contact,
        helpURL: row.help_url,
        websiteURL: row.website_url,
        ...ways,
      };
    },

    /** Which partner's host this is, and where it is reached; no partner for the default brand. */
    async siteOf(host: string): Promise<{ organisationId: number | undefined; origin: string }> {
      const row = await rowOf(host);
      return { organisationId: row?.organisation_id, origin: originOf(row) };
    },

    /** The partner's brand as the mails of one organisation carry it. */
    async ofMails(tx: Tx, organisationId: number): Promise<MailBrand> {
      const row = await findBrandOfOrganisation(tx, organisationId);
      const name = row?.name ?? defaultBrand.name;
      return {
        origin: originOf(row),
        name,
        accent: row?.accent_light || defaultAccent,
        senderName: row?.mail_sender_name || name,
        senderAddress: row?.mail_sender_address || mailFrom,
        footer: row?.mail_footer ?? '',
      };
    },

    async image(subDomain: string, file: BrandImage): Promise<Buffer> {
      const row = await scoped(db, 'system', (tx) => findBrand(tx, { domain: undefined, subDomain }), { readOnly: true });
      const bytes = row && row[images[file]] !== null ? await blobs.get(imageKey(row.organisation_id, file)) : undefined;
      if (!bytes) throw problem.notFound('image', `${subDomain}/${file}`);
      return bytes;
    },
  };
}
