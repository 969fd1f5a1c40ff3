/**
 * Brands of hosts and of an organisation’s emails (spec §1, docs/decisions/0015-brands.md). A host is matched as a whole (a partner’s own domain, once
 * verified), then by its first label. Unknown labels, www, local hosts and the portal’s own get the provider’s brand.
 */
import { providerId } from '@parapet/contract/access.ts';
import type { Brand, WebManifest } from '@parapet/contract/brand.ts';
import type { PartnerOrganisation } from '@parapet/contract/organisations.ts';
import { problem } from '@parapet/contract/problem.ts';
import type { Blobs } from '../../core/blobs.ts';
import type { Database } from '../../core/db/connect.ts';
import { readScoped, systemScope, type Tx } from '../../core/db/scope.ts';
import type { MailBrand } from '../../core/mail/render.ts';
import type { PdfBrand } from '../../domain/pdf.ts';
import {
  type BrandImage,
  defaultAccent,
  defaultBrand,
  imageKey,
  imageUrl,
  nameOfHost,
  neutralAccent,
  subDomainOf,
  versionColumns,
} from './brand.rules.ts';
import { type BrandRow, findBrand, findBrandById, findPartnerOf, hasIdentityProvider, type PartnerRow } from './brand.store.ts';
import { domainOf } from './domains.rules.ts';

export type BrandService = ReturnType<typeof createBrandService>;

export interface BrandServiceDeps {
  db: Database;
  blobs: Blobs;
  publicUrl: string;
  mailFrom: string;
  /** Demo accounts offered on the host of a partner, or on the default host; null outside demos. */
  demo: ((tx: Tx, partnerId: number) => Promise<NonNullable<Brand['demo']>>) | null;
  hasOwnSingleSignOn: boolean;
  allowsRegistration: boolean;
  hasCustomerSuccess: boolean;
  isUnderMaintenance: boolean;
  /** Version of the web client. */
  version: () => Promise<string>;
}

/** Names of the portal itself, from the configuration. */
type Portal = Pick<BrandServiceDeps, 'publicUrl' | 'mailFrom'>;

const hostOf = ({ publicUrl }: Portal) => new URL(publicUrl).hostname;

/** Origin from verified stored domains and the configuration, never from a header. */
function originOf(portal: Portal, site: Site | undefined): string {
  const { publicUrl } = portal;
  if (!site || site.id === providerId) return publicUrl;
  if (site.self_hosted_domain && site.proven_domains.includes(site.self_hosted_domain))
    return `https://${site.self_hosted_domain}`;
  if (!site.sub_domain || !nameOfHost(hostOf(portal))) return publicUrl;
  const url = new URL(publicUrl);
  url.hostname = `${site.sub_domain}.${url.hostname}`;
  return url.origin;
}

/** First address of a partner with a verified domain; otherwise the portal’s own. */
function senderOf({ mailFrom }: Portal, partner: PartnerRow | undefined): string {
  if (!partner) return mailFrom;
  const isPortals = (domain: string) => partner.id === providerId && domain === domainOf(mailFrom);
  const isUsable = (address: string) => partner.proven_domains.includes(domainOf(address)) || isPortals(domainOf(address));
  const addresses = [partner.mail_sender_address, partner.id === providerId ? '' : partner.email_address];
  return addresses.find((address): address is string => !!address && isUsable(address)) ?? mailFrom;
}

/** Name and colour of a partner’s brand on paper and in emails. */
const printedBrand = (partner: PartnerRow | undefined) => ({
  name: partner?.brand_name ?? defaultBrand.name,
  accent: partner?.accent_light || (partner && partner.id !== providerId ? neutralAccent.light : defaultAccent),
});

/** Brand of a host, undefined for the default one. */
async function findByHost(tx: Tx, portal: Portal, host: string) {
  const name = nameOfHost(host);
  if (name === undefined || name === hostOf(portal)) return undefined;
  return findBrand(tx, { domain: name, subDomain: subDomainOf(name) });
}

/** A stored brand as pages show it. */
function shownBrand(row: BrandRow) {
  const fallback =
    row.organisation_id === providerId
      ? defaultBrand
      : { description: '', contact: '', accentLight: neutralAccent.light, accentDark: neutralAccent.dark };
  return {
    name: row.name,
    title: row.title || row.name,
    description: row.description || fallback.description,
    logoURL: imageUrl(row, 'light.png'),
    logo2URL: imageUrl(row, 'dark.png'),
    faviconURL: imageUrl(row, 'favicon.png'),
    accentLight: row.accent_light || fallback.accentLight,
    accentDark: row.accent_dark || fallback.accentDark,
    contact: row.contact || (row.email_address ? `mailto:${row.email_address}` : fallback.contact),
    helpURL: row.help_url,
    websiteURL: row.website_url,
  };
}

function manifestOf({ name, description, faviconURL, accentLight }: ReturnType<typeof shownBrand>): WebManifest {
  return {
    ...{ id: '/', name, short_name: name, description, start_url: '/', scope: '/', display: 'standalone' },
    background_color: '#f6f7f9',
    theme_color: accentLight || neutralAccent.light,
    icons: [
      ...(faviconURL ? [{ src: faviconURL, sizes: '64x64', type: 'image/png' }] : []),
      { src: '/favicon.svg', sizes: 'any', type: 'image/svg+xml' },
    ],
  };
}

export function createBrandService(deps: BrandServiceDeps) {
  const { db, blobs, publicUrl, demo } = deps;

  return {
    ofHost: (host: string): Promise<Brand> =>
      readScoped(db, systemScope, async (tx) => {
        const own = await findByHost(tx, deps, host);
        const row = own ?? (await findBrandById(tx, systemScope, providerId));
        return {
          ...(row ? shownBrand(row) : defaultBrand),
          singleSignOn: deps.hasOwnSingleSignOn || (own !== undefined && (await hasIdentityProvider(tx, own.organisation_id))),
          registration: deps.allowsRegistration,
          customerSuccess: deps.hasCustomerSuccess,
          maintenance: deps.isUnderMaintenance,
          version: await deps.version(),
          demo: (await demo?.(tx, own?.organisation_id ?? providerId)) ?? null,
        };
      }),

    /** Web app manifest of a host. */
    manifestOf: (host: string): Promise<WebManifest> =>
      readScoped(db, systemScope, async (tx) => {
        const row = (await findByHost(tx, deps, host)) ?? (await findBrandById(tx, systemScope, providerId));
        return manifestOf(row ? shownBrand(row) : defaultBrand);
      }),

    /** Partner and origin of a host; no partner for the default brand. */
    async siteOf(host: string): Promise<{ organisationId: number | undefined; origin: string }> {
      const row = await readScoped(db, systemScope, (tx) => findByHost(tx, deps, host));
      if (!row) return { organisationId: undefined, origin: publicUrl };
      return { organisationId: row.organisation_id, origin: originOf(deps, { ...row, id: row.organisation_id }) };
    },

    /** Brand of an organisation’s emails. Needs the portal’s own scope. */
    async ofMails(tx: Tx, organisationId: number): Promise<MailBrand> {
      const partner = await findPartnerOf(tx, organisationId);
      const printed = printedBrand(partner);
      return {
        ...printed,
        origin: originOf(deps, partner),
        senderName: partner?.mail_sender_name || printed.name,
        senderAddress: senderOf(deps, partner),
        footer: partner?.mail_footer ?? '',
      };
    },

    /** Brand of an organisation’s reports. */
    async ofReports(organisationId: number): Promise<PdfBrand> {
      const partner = await readScoped(db, systemScope, (tx) => findPartnerOf(tx, organisationId));
      const hasLogo = partner !== undefined && partner.logo_light_version !== null;
      return {
        ...printedBrand(partner),
        footer: partner?.pdf_footer ?? '',
        logo: hasLogo ? await blobs.get(imageKey(partner.id, 'light.png')) : undefined,
      };
    },

    /** Contact and brand of an organisation’s partner; a partner’s own. Needs the portal’s own scope. */
    async partnerOf(tx: Tx, organisationId: number): Promise<PartnerOrganisation | undefined> {
      const partner = await findPartnerOf(tx, organisationId);
      if (!partner) return undefined;
      const { self_hosted_domain: ownDomain } = partner;
      const look = partner.sub_domain === null ? undefined : { ...partner, sub_domain: partner.sub_domain };
      return {
        clientOrganizationID: partner.id,
        partnerName: partner.brand_name,
        phoneNumber: partner.phone_number,
        emailAddress: partner.email_address,
        logoURL: look ? imageUrl(look, 'light.png') : '',
        logo2URL: look ? imageUrl(look, 'dark.png') : '',
        websiteURL: partner.website_url,
        selfHostedDomain: ownDomain && partner.proven_domains.includes(ownDomain) ? ownDomain : '',
        domain: new URL(originOf(deps, partner)).host,
        addressData: {
          street: partner.street,
          suite: partner.suite,
          city: partner.city,
          state: partner.state,
          zipCode: partner.zip_code,
        },
      };
    },

    async image(subDomain: string, file: BrandImage): Promise<Buffer> {
      const row = await readScoped(db, systemScope, (tx) => findBrand(tx, { domain: undefined, subDomain }));
      const bytes = row && row[versionColumns[file]] !== null ? await blobs.get(imageKey(row.organisation_id, file)) : undefined;
      if (!bytes) throw problem.notFound('image', `${subDomain}/${file}`);
      return bytes;
    },
  };
}

/** Columns that determine an origin. */
interface Site {
  id: number;
  sub_domain: string | null;
  self_hosted_domain: string | null;
  proven_domains: readonly string[];
}
