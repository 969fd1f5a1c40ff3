/** What a host's name says, what no brand may take, and what holds where a brand says nothing. Nothing here asks anybody. */
import { providerId } from '@parapet/contract/access.ts';
import { type Brand, reservedSubDomains } from '@parapet/contract/brand.ts';
import type { Branding, LogoKind } from '@parapet/contract/organisations.ts';
import { accentFault } from '@parapet/contract/rules/contrast.ts';
import { domainFault, type PortalNames, senderFault } from './domains.rules.ts';

export const defaultBrand: Omit<Brand, 'demo' | 'singleSignOn' | 'registration' | 'customerSuccess' | 'maintenance' | 'version'> =
  {
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
/** On mails of the default brand. */
export const defaultAccent = '#0b6b66';
/** Of a partner that chose none: the provider's would be its trace (decision 25). */
export const neutralAccent = { light: '#3d4f6d', dark: '#a9bbdc' };

const hostShape = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/;

/** In lower case, without its port and the dot of the root; undefined for an address and for what is no host's name. */
export function nameOfHost(host: string): string | undefined {
  if (host.length > 300) return undefined;
  const name = host
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return hostShape.test(name) && !/^[\d.]+$/.test(name) ? name : undefined;
}

/** The first label; undefined for a bare host, an address, and for labels that no brand can have. */
export function subDomainOf(host: string): string | undefined {
  const [first, ...others] = nameOfHost(host)?.split('.') ?? [];
  return first && others.length > 0 && !reservedSubDomains.includes(first) ? first : undefined;
}

const maxLabel = 63;

/** A sub-domain from a name, such as harbor-managed-it; the nth suggestion where those before are taken. */
export function suggestedSubDomain(name: string, nth: number): string {
  const words = name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-');
  const suffix = nth > 1 ? `-${nth}` : '';
  const label = words.slice(0, maxLabel - suffix.length).replace(/^-+|-+$/g, '') || 'partner';
  return label + suffix;
}

const imageFiles = { light: 'light.png', dark: 'dark.png', favicon: 'favicon.png' } as const;
export type BrandImage = (typeof imageFiles)[LogoKind];
export const versionColumns = {
  'light.png': 'logo_light_version',
  'dark.png': 'logo_dark_version',
  'favicon.png': 'favicon_version',
} as const;
export const fileOf = (kind: LogoKind): BrandImage => imageFiles[kind];

/** Where an image of a brand is kept. */
export const imageKey = (organisationId: number, file: BrandImage): string => `brands/${organisationId}/${file}`;

/** Path of an image on this origin; empty when there is none. */
export function imageUrl(
  brand: { sub_domain: string } & Record<(typeof versionColumns)[BrandImage], string | null>,
  file: BrandImage,
): string {
  const version = brand[versionColumns[file]];
  return version === null ? '' : `/api/v1/brand/${brand.sub_domain}/${file}?v=${version}`;
}

/** Why a sub-domain can be nobody's; undefined when it can. */
export function subDomainFault(subDomain: string): string | undefined {
  if (reservedSubDomains.includes(subDomain)) return `"${subDomain}" is kept for the portal itself. Choose another one.`;
  // Looks like another name in the browser's address line.
  if (subDomain.startsWith('xn--')) return 'A sub-domain is written in plain letters, not in the coded form of others.';
  return undefined;
}

/** Field → texts; empty when nothing is wrong. */
export function brandingFaults(branding: Branding, organisationId: number, portal: PortalNames): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const say = (field: keyof Branding, text: string | undefined) => {
    if (text !== undefined) faults[field] = [text];
  };
  say('subDomain', subDomainFault(branding.subDomain));
  if (branding.selfHostedDomain !== '') say('selfHostedDomain', domainFault(branding.selfHostedDomain, portal));
  // The provider may send as the portal.
  if (branding.mailSenderAddress !== '' && organisationId !== providerId)
    say('mailSenderAddress', senderFault(branding.mailSenderAddress, portal));
  for (const field of ['partnerName', 'title', 'mailSenderName', 'pdfFooter'] as const)
    if (/\p{Cc}/u.test(branding[field])) say(field, 'Write this on one line.');
  if (branding.accentLight !== '') say('accentLight', accentFault(branding.accentLight, 'light'));
  if (branding.accentDark !== '') say('accentDark', accentFault(branding.accentDark, 'dark'));
  return faults;
}
