/** Organisations of the demo world, with the brand and contact details of partners. */

export const organisationKinds = ['provider', 'partner', 'client'] as const;
export type OrganisationKind = (typeof organisationKinds)[number];

export interface PostalAddress {
  street: string;
  suite: string;
  city: string;
  state: string;
  zipCode: string;
}

export interface Organisation {
  id: number;
  name: string;
  kind: OrganisationKind;
  /** Partner of the organisation; undefined for the provider. */
  parentId: number | undefined;
  /** First label of the host name of a partner's brand. */
  subdomain: string | undefined;
  /** Domain of its email and user names. */
  domain: string;
  industry: string;
  emailAddress: string;
  phoneNumber: string;
  websiteURL: string;
  address: PostalAddress;
  description: string;
}

/** Site of an organisation with a fleet: clients only. */
export interface Site {
  organisationId: number;
  /** Prefix of its device names. */
  prefix: string;
  /** NetBIOS name of its Windows domain. */
  windowsDomain: string;
  domain: string;
  /** 10.<network>.0.0/16 */
  network: number;
  /** Local time minus UTC; without daylight saving, so that a day looks the same all year. */
  utcOffsetHours: number;
  /** Public address. */
  publicAddress: string;
  /** Share of the world's alerts. */
  share: number;
  /** True for sites with weekend work. */
  isOpenAtWeekends: boolean;
}

const partner = (
  organisation: Pick<
    Organisation,
    'id' | 'name' | 'parentId' | 'subdomain' | 'domain' | 'phoneNumber' | 'address' | 'description'
  >,
): Organisation => ({
  ...organisation,
  kind: organisation.id === 1 ? 'provider' : 'partner',
  industry: 'Managed security',
  emailAddress: `support@${organisation.domain}`,
  websiteURL: `https://${organisation.domain}`,
});

const client = (
  organisation: Pick<
    Organisation,
    'id' | 'name' | 'parentId' | 'domain' | 'industry' | 'phoneNumber' | 'address' | 'description'
  >,
): Organisation => ({
  ...organisation,
  kind: 'client',
  subdomain: undefined,
  emailAddress: `it@${organisation.domain}`,
  websiteURL: `https://${organisation.domain}`,
});

/** Industries of the clients; critical infrastructure has enough of them for an average (`minOrganisationsPerIndustry`). */
const criticalInfrastructure = 'Critical infrastructure';

export const organisations: readonly Organisation[] = [
  partner({
    id: 1,
    name: 'Parapet Security',
    parentId: undefined,
    subdomain: 'parapet',
    domain: 'parapet.example',
    phoneNumber: '+1 202 555 0100',
    address: { street: '1 Rampart Square', suite: 'Floor 6', city: 'Washington', state: 'DC', zipCode: '20001' },
    description: 'Managed detection and response, around the clock.',
  }),
  partner({
    id: 2,
    name: 'Harbor Managed IT',
    parentId: 1,
    subdomain: 'harbor',
    domain: 'harbor.example',
    phoneNumber: '+1 617 555 0120',
    address: { street: '28 Long Wharf', suite: 'Suite 210', city: 'Boston', state: 'MA', zipCode: '02110' },
    description: 'Calm IT for companies that make things.',
  }),
  partner({
    id: 3,
    name: 'Summit Cyber',
    parentId: 1,
    subdomain: 'summit',
    domain: 'summit.example',
    phoneNumber: '+1 303 555 0130',
    address: { street: '4100 Ridge Road', suite: 'Suite 900', city: 'Denver', state: 'CO', zipCode: '80202' },
    description: 'Security with a view.',
  }),
  client({
    id: 10,
    name: 'Alder Manufacturing',
    parentId: 2,
    domain: 'alder.example',
    industry: criticalInfrastructure,
    phoneNumber: '+1 413 555 0140',
    address: { street: '700 Foundry Street', suite: '', city: 'Springfield', state: 'MA', zipCode: '01103' },
    description: 'Precision parts for pumps and turbines; three plants, 240 people.',
  }),
  client({
    id: 11,
    name: 'Birch Dental Group',
    parentId: 2,
    domain: 'birch.example',
    industry: criticalInfrastructure,
    phoneNumber: '+1 603 555 0141',
    address: { street: '15 Orchard Lane', suite: 'Suite 3', city: 'Nashua', state: 'NH', zipCode: '03060' },
    description: 'Eight dental practices with one back office.',
  }),
  client({
    id: 12,
    name: 'Cedar Credit Union',
    parentId: 2,
    domain: 'cedar.example',
    industry: criticalInfrastructure,
    phoneNumber: '+1 401 555 0142',
    address: { street: '220 Exchange Terrace', suite: '', city: 'Providence', state: 'RI', zipCode: '02903' },
    description: 'A member-owned bank with eleven branches.',
  }),
  client({
    id: 20,
    name: 'Dogwood Logistics',
    parentId: 3,
    domain: 'dogwood.example',
    industry: criticalInfrastructure,
    phoneNumber: '+1 816 555 0150',
    address: { street: '9 Railhead Drive', suite: 'Building C', city: 'Kansas City', state: 'MO', zipCode: '64120' },
    description: 'Freight and warehouses, open seven days.',
  }),
  client({
    id: 21,
    name: 'Elm School District',
    parentId: 3,
    domain: 'elm.example',
    industry: 'Education',
    phoneNumber: '+1 970 555 0151',
    address: { street: '55 School House Road', suite: '', city: 'Greeley', state: 'CO', zipCode: '80631' },
    description: 'Six schools and one small IT office.',
  }),
  client({
    id: 30,
    name: 'Fir Biotech',
    parentId: 1,
    domain: 'fir.example',
    industry: criticalInfrastructure,
    phoneNumber: '+1 919 555 0160',
    address: { street: '3 Helix Way', suite: 'Lab 2', city: 'Durham', state: 'NC', zipCode: '27701' },
    description: 'Enzymes for the food industry; most of it runs in the cloud.',
  }),
];

const site = (organisationId: number, prefix: string, utcOffsetHours: number, share: number, publicAddress: string): Site => {
  const { domain } = organisationOf(organisationId);
  return {
    organisationId,
    prefix,
    windowsDomain: domain.split('.')[0]!.toUpperCase(),
    domain,
    network: organisationId,
    utcOffsetHours,
    publicAddress,
    share,
    isOpenAtWeekends: organisationId === 20,
  };
};

export function organisationOf(id: number): Organisation {
  const found = organisations.find((organisation) => organisation.id === id);
  if (!found) throw new Error(`The world has no organisation ${id}.`);
  return found;
}

/** The clients with their networks, busiest first. Shares sum to 1. */
export const sites: readonly Site[] = [
  site(10, 'ALD', -5, 0.38, '198.51.100.10'),
  site(12, 'CED', -5, 0.18, '198.51.100.12'),
  site(20, 'DOG', -6, 0.16, '198.51.100.20'),
  site(30, 'FIR', -5, 0.14, '198.51.100.30'),
  site(11, 'BIR', -5, 0.1, '198.51.100.11'),
  site(21, 'ELM', -7, 0.04, '198.51.100.21'),
];

export function siteOf(organisationId: number): Site {
  const found = sites.find((each) => each.organisationId === organisationId);
  if (!found) throw new Error(`Organisation ${organisationId} has no fleet in the world.`);
  return found;
}
