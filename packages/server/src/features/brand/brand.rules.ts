/** Brand rules: names in hosts, reserved names and defaults. Pure. */
import { providerId } from '@parapet/contract/access.ts';
import { type Brand, reservedSubDomains } from '@parapet/contract/brand.ts';
import type { Branding, LogoKind } from '@parapet/contract/organisations.ts';
import { accentError } from '@parapet/contract/rules/contrast.ts';
import { domainFault, type PortalNames, senderFault } from './domains.rules.ts';

export const defaultBrand: Omit<Brand, 'demo' | 'singleSignOn' | 'registration' | 'customerSuccess' | 'maintenance' | 'version'> =
  {
    name: 'Parapet',
    title: 'Parapet',
    description: 'Managed detection and response: alerts, cases and response actions in one place.',
    logoURL: '',
    logo2URL: '',
    faviconURL: '',
    accentLight: '',
    accentDark: '',
    contact: 'mailto:soc@parapet.example',
    helpURL: '',
    websiteURL: '',
  };
/** Accent of the default brand’s emails. */
export const defaultAccent = '#0b6b66';
/** Accents of a partner without own ones; the provider’s would reveal it. */
export const neutralAccent = { light: '#3d4f6d', dark: '#a9bbdc' };

const hostShape = /^(?=.{1,253}$)[a-z0-9-]{1,63}(?:\.[a-z0-9-]{1,63})*$/;

/** Host name in lower case, without port and root dot; undefined for IP addresses and invalid names. */
export function nameOfHost(host: string): string | undefined {
  if (host.length > 300) return undefined;
  const name = host
    .replace(/:\d{1,5}$/, '')
    .replace(/\.$/, '')
    .toLowerCase();
  return hostShape.test(name) && !/^[\d.]+$/.test(name) ? name : undefined;
}

/** First label of a host; undefined for single labels, IP addresses and reserved labels. */
export function subDomainOf(host: string): string | undefined {
  const [first, ...others] = nameOfHost(host)?.split('.') ?? [];
  return first && others.length > 0 && !reservedSubDomains.includes(first) ? first : undefined;
}

const maxLabel = 63;

/** Sub-domain derived from a name, such as harbor-managed-it; `nth` is appended from 2 on. */
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

/** Storage key of a brand’s image. */
export const imageKey = (organisationId: number, file: BrandImage): string => `brands/${organisationId}/${file}`;

/** Path of an image on this origin; empty when there is none. */
export function imageUrl(
  brand: { sub_domain: string } & Record<(typeof versionColumns)[BrandImage], string | null>,
  file: BrandImage,
): string {
  const version = brand[versionColumns[file]];
  return version === null ? '' : `/api/v1/brand/${brand.sub_domain}/${file}?v=${version}`;
}

/** Reason why a sub-domain is not allowed; undefined when it is. */
export function subDomainFault(subDomain: string): string | undefined {
  if (reservedSubDomains.includes(subDomain)) return `"${subDomain}" is reserved for the portal. Choose another one.`;
  // Punycode can imitate another name in the address bar.
  if (subDomain.startsWith('xn--')) return 'A sub-domain can’t be in punycode. Use plain letters.';
  return undefined;
}

/** Validation messages by field; empty when valid. */
export function brandingFaults(branding: Branding, organisationId: number, portal: PortalNames): Record<string, string[]> {
  const faults: Record<string, string[]> = {};
  const addFault = (field: keyof Branding, text: string | undefined) => {
    if (text !== undefined) faults[field] = [text];
  };
  addFault('subDomain', subDomainFault(branding.subDomain));
  if (branding.selfHostedDomain !== '') addFault('selfHostedDomain', domainFault(branding.selfHostedDomain, portal));
  // The provider may send from the portal’s address.
  if (branding.mailSenderAddress !== '' && organisationId !== providerId)
    addFault('mailSenderAddress', senderFault(branding.mailSenderAddress, portal));
  for (const field of ['partnerName', 'title', 'mailSenderName', 'pdfFooter'] as const)
    if (/\p{Cc}/u.test(branding[field])) addFault(field, 'Write this on one line.');
  if (branding.accentLight !== '') addFault('accentLight', accentError(branding.accentLight, 'light'));
  if (branding.accentDark !== '') addFault('accentDark', accentError(branding.accentDark, 'dark'));
  return faults;
}
