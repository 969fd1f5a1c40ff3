/** Client organisations: the provider, its partners, their clients, and all that is known of each (spec §3, §7.3, §7.4). */
import { z } from 'zod';
import { endpoint, type Freshness, nothing } from './endpoint.ts';
import { count, id, instant, line, name, organisationId, paragraph, results } from './primitives.ts';
import { subscriptionLevelIds } from './rules/values.ts';

export const clientOrganization = z.object({
  id: organisationId.describe('Names the organisation; the provider’s own is 1.'),
  name: name.describe('The organisation’s name.'),
  isPartner: z.boolean().describe('Whether it is a partner (a reseller, or the provider).'),
  partnerClientOrgID: organisationId.nullable().describe('The partner that looks after it; null for the provider.'),
});
export type ClientOrganization = z.infer<typeof clientOrganization>;

const emailAddress = z
  .string()
  .trim()
  .max(254)
  .pipe(z.union([z.literal(''), z.email().max(254)], 'Write an email address, such as name@example.com.'));
const phoneNumber = z.string().trim().max(40);
const short = z.string().trim().max(200);

export const addressData = z.object({
  street: short.describe('Street and number.'),
  suite: short.describe('Suite, floor or building; may be empty.'),
  city: short.describe('City.'),
  state: short.describe('State or region.'),
  zipCode: z.string().trim().max(20).describe('Postal code.'),
});
export type AddressData = z.infer<typeof addressData>;

/** What a client sees of the partner that looks after it (spec §3): contact and brand. */
export const partnerOrganisation = z.object({
  clientOrganizationID: organisationId.describe('The partner’s organisation.'),
  partnerName: name.describe('The partner’s name.'),
  phoneNumber: line.describe('Phone number.'),
  emailAddress: line.describe('Email address.'),
  logoURL: line.describe('Path of the logo for light themes; empty when there is none.'),
  logo2URL: line.describe('Path of the logo for dark themes; empty when there is none.'),
  websiteURL: line.describe('The website.'),
  selfHostedDomain: line.describe('A whole host name of the partner’s own; empty when there is none.'),
  domain: line.describe('The host name that the partner’s links are built with.'),
  addressData: addressData.describe('The postal address.'),
});
export type PartnerOrganisation = z.infer<typeof partnerOrganisation>;

/** Subscription levels (spec §3) with their ids on the wire. */
export const subscriptionLevels = [
  { id: subscriptionLevelIds.monitor, name: 'Monitor' },
  { id: subscriptionLevelIds.respond, name: 'Respond' },
  { id: subscriptionLevelIds.respondAroundTheClock, name: 'Respond 24×7' },
] as const;

/** Kinds of alert that a client wants to hear of (spec §3, alertTypes). */
export const alertTypes = [
  'Malware',
  'Identity',
  'Email',
  'Network',
  'Cloud',
  'Data loss',
  'Policy',
  'Service interruption',
] as const;

export const emergencyContact = z.object({
  name: name.describe('First and last name.'),
  title: short.describe('What the person does there; may be empty.'),
  phoneNumber: phoneNumber.describe('Where to call.'),
  emailAddress: emailAddress.describe('Where to write; may be empty.'),
  hours: short.describe('When to call, in words; may be empty.'),
});
export type EmergencyContact = z.infer<typeof emergencyContact>;

export const escalationAddress = z.object({
  id: z.number().int().min(0).describe('Names the address; 0 for a new one.'),
  emailType: z.enum(['to', 'cc']).describe('Whether it stands in To or in Cc.'),
  emailAddress: z
    .string()
    .trim()
    .max(254)
    .pipe(z.email('Write an email address, such as name@example.com.').max(254))
    .describe('The address.'),
});

/** The parts of client details: each is a tab and is saved by itself. */
export const general = z.object({
  name: name.describe('The organisation’s name.'),
  phoneNumber: phoneNumber.describe('Phone number.'),
  emailAddress: emailAddress.describe('Email address.'),
  websiteURL: z
    .string()
    .trim()
    .max(500)
    .regex(/^(https?:\/\/[^\s"'<>]+)?$/, 'Write the whole address, starting with https://.')
    .describe('The website; may be empty.'),
  industry: short.describe('The line of business; comparisons are made within it.'),
  addressData: addressData.describe('The postal address.'),
  subscriptionLevelID: z.number().int().min(1).max(3).describe('The level of service.'),
});
export const contacts = z.object({
  emergencyContacts: z.array(emergencyContact).max(20).describe('Whom to call, in this order.'),
});
export const escalation = z.object({
  escalationEmailAddresses: z.array(escalationAddress).max(50).describe('Who gets case mails.'),
});
export const playbook = z.object({
  generalAlertNotes: paragraph.describe('What an analyst must know before anything else.'),
  alertPlaybookData: paragraph.describe('What to do in which case, step by step.'),
  alertTypes: z.array(z.enum(alertTypes)).max(alertTypes.length).describe('Kinds of alert that the client wants to hear of.'),
});
export const signInPolicy = z.object({
  isMfaCompulsory: z.boolean().describe('Whether everybody of this organisation needs a second factor.'),
  allowsFirstMatchByEmail: z
    .boolean()
    .describe(
      'Whether a first single sign-on may find its account by the email address that the identity provider has verified.',
    ),
  singleSignOn: z
    .object({
      issuer: z
        .string()
        .trim()
        .max(500)
        .pipe(z.url({ protocol: /^https?$/, error: 'Write the issuer’s whole address, starting with https://.' }).max(500))
        .describe('The OpenID Connect issuer.'),
      clientId: name.describe('The client id that the issuer gave this portal.'),
      clientSecret: z.string().max(500).describe('The client secret; empty in answers, and to keep the stored one.'),
    })
    .nullable()
    .describe('The partner’s identity provider; null when there is none, and for clients, whose partner’s holds.'),
});
export const retention = z.object({
  alertRetentionMonths: z
    .number()
    .int()
    .min(1)
    .max(120)
    .nullable()
    .describe('Months that alerts are kept; null for the portal’s own.'),
  eventRetentionDays: z
    .number()
    .int()
    .min(1)
    .max(3650)
    .nullable()
    .describe('Days that raw events are kept; null for the portal’s own.'),
});

const hexColour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'Write a colour as # and six digits, such as #0b6e99.')
  .max(7);
export const branding = z.object({
  partnerName: name.describe('The brand’s name.'),
  title: short.describe('Title of the browser’s tab; empty for the brand’s name.'),
  subDomain: z
    .string()
    .trim()
    .toLowerCase()
    .max(63)
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'Use letters, digits and hyphens only.')
    .describe('First label of the host name under which the brand shows.'),
  selfHostedDomain: z
    .string()
    .trim()
    .toLowerCase()
    .max(253)
    .regex(
      /^(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})?$/,
      'Write a whole host name, such as portal.example.com.',
    )
    .describe('A whole host name of the partner’s own; may be empty.'),
  description: z.string().trim().max(500).describe('A short description for the footer.'),
  contact: z
    .string()
    .trim()
    .max(500)
    .regex(/^(?:(?:https:\/\/|mailto:)[^\s"'<>]+)?$/, 'Write a https: or mailto: address.')
    .describe('Address of the contact link.'),
  helpURL: z
    .string()
    .trim()
    .max(500)
    .regex(/^(?:https:\/\/[^\s"'<>]+)?$/, 'Write a https: address.')
    .describe('Address of the help pages; empty for the portal’s own.'),
  accentLight: hexColour.or(z.literal('')).describe('Accent colour on light themes; empty for the default one.'),
  accentDark: hexColour.or(z.literal('')).describe('Accent colour on dark themes; empty for the default one.'),
  mailSenderName: short.describe('Sender’s name of mails; empty for the brand’s name.'),
  mailSenderAddress: emailAddress.describe(
    'Sender’s address of mails; empty for the partner’s own, and without one the portal’s.',
  ),
  mailFooter: z.string().trim().max(500).describe('Last lines of each mail.'),
  pdfFooter: short.describe('Foot line of each PDF page.'),
});
export type Branding = z.infer<typeof branding>;

export const logoKinds = ['light', 'dark', 'favicon'] as const;
export type LogoKind = (typeof logoKinds)[number];

export const clientDetails = z.object({
  id: organisationId.describe('Names the organisation.'),
  isPartner: z.boolean().describe('Whether it is a partner.'),
  partnerClientOrgID: organisationId.nullable().describe('The partner that looks after it; null for the provider.'),
  partnerName: name.describe('The partner’s name.'),
  createdAt: instant.describe('When it was made.'),
  deactivatedAt: instant.nullable().describe('When it was deactivated; null while it is active.'),
  userCount: count.describe('Active users.'),
  clientCount: count.describe('Active clients, for a partner.'),
  general: general.describe('Name, address, contact, level of service.'),
  contacts: contacts.describe('Emergency contacts.'),
  escalation: escalation.describe('Escalation addresses.'),
  playbook: playbook.describe('Alert notes, playbook, alert types.'),
  /** Only for those who may write it. */
  signInPolicy: signInPolicy.nullable().describe('Sign-in policy; null for those who may not change it.'),
  retention: retention.describe('How long data is kept.'),
  retentionDefaults: z
    .object({
      alertRetentionMonths: z.number().int().describe('The portal’s own, and the most that can be chosen.'),
      eventRetentionDays: z.number().int().describe('The portal’s own, and the most that can be chosen.'),
    })
    .describe('What holds where an organisation says nothing.'),
  branding: branding.nullable().describe('The brand; null for clients, whose partner’s holds.'),
  logos: z
    .object({
      light: line.describe('Path of the logo for light themes.'),
      dark: line.describe('Path of the logo for dark themes.'),
      favicon: line.describe('Path of the icon in the browser’s tab.'),
    })
    .describe('Paths of the brand’s images on this origin; empty when there is none.'),
  can: z
    .object({
      edit: z.boolean().describe('Change details.'),
      editPolicy: z.boolean().describe('Change sign-in policy.'),
      move: z.boolean().describe('Move it to another partner.'),
      vouch: z.boolean().describe('Vouch for a partner’s domains without DNS.'),
      deactivate: z.boolean().describe('Deactivate it, or bring it back.'),
    })
    .describe('What the caller may do with this organisation.'),
});
export type ClientDetails = z.infer<typeof clientDetails>;

const ofClient = z.object({ id: id.describe('The organisation.') });
const part = <T extends z.ZodType>(partName: string, freshness: Freshness, summary: string, body: T) =>
  endpoint({
    id: `organisations.update${partName[0]?.toUpperCase()}${partName.slice(1)}`,
    method: 'PUT',
    path: `/clientorganization/:id/${partName}`,
    allow: 'clientDetails:write',
    freshness,
    summary,
    params: ofClient,
    body,
    answer: clientDetails,
  });

export const organisationsApi = {
  getAllClients: endpoint({
    id: 'organisations.getAllClients',
    method: 'GET',
    path: '/ClientOrganization/GetAllClients',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'The organisations that the caller may choose between: each partner, then its clients.',
    answer: results(clientOrganization),
  }),
  listDeactivated: endpoint({
    id: 'organisations.listDeactivated',
    method: 'GET',
    path: '/clientorganization/deactivated',
    allow: 'clients:manage',
    freshness: 'none',
    summary: 'Deactivated organisations in scope, which can be brought back.',
    answer: results(clientOrganization.extend({ deactivatedAt: instant.describe('When it was deactivated.') })),
  }),
  partner: endpoint({
    id: 'organisations.partner',
    method: 'GET',
    path: '/clientorganization/:id/partner',
    allow: 'partners:read',
    freshness: 'none',
    summary: 'The partner that looks after an organisation: contact and brand.',
    params: ofClient,
    answer: partnerOrganisation,
  }),
  details: endpoint({
    id: 'organisations.details',
    method: 'GET',
    path: '/clientorganization/:id/details',
    allow: 'clientDetails:read',
    freshness: 'none',
    summary: 'All that is known of an organisation.',
    params: ofClient,
    answer: clientDetails,
  }),
  create: endpoint({
    id: 'organisations.create',
    method: 'POST',
    path: '/clientorganization',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary: 'Makes a client of a partner, or, by the provider’s Host, a new partner with its brand.',
    body: z.object({
      general: general.describe('Name, address, contact, level of service.'),
      isPartner: z.boolean().describe('Whether it is a partner.'),
      partnerClientOrgID: organisationId.describe('The partner that looks after it; 1 for a partner.'),
      subDomain: branding.shape.subDomain.optional().describe('For a partner: first label of its host name.'),
    }),
    answer: clientDetails,
  }),
  updateGeneral: part('general', 'none', 'Saves name, address, contact and level of service.', general),
  updateContacts: part('contacts', 'fresh', 'Saves the emergency contacts.', contacts),
  updateEscalation: part('escalation', 'fresh', 'Saves the escalation addresses.', escalation),
  updatePlaybook: part('playbook', 'none', 'Saves alert notes, playbook and alert types.', playbook),
  updateSignInPolicy: part('signInPolicy', 'freshSecondFactor', 'Saves the sign-in policy.', signInPolicy),
  updateRetention: part('retention', 'fresh', 'Saves how long data is kept; never longer than the portal’s own.', retention),
  updateBranding: part(
    'branding',
    { needs: 'freshSecondFactor', fields: {}, also: 'where the sub-domain or the domain changes' },
    'Saves a partner’s brand; a colour whose contrast is too low is refused.',
    branding,
  ),
  uploadLogo: endpoint({
    id: 'organisations.uploadLogo',
    method: 'PUT',
    path: '/clientorganization/:id/logo/:kind',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'An image of a partner’s brand; drawn anew as PNG.',
    params: ofClient.extend({ kind: z.enum(logoKinds).describe('light, dark or favicon.') }),
    upload: { types: ['image/png', 'image/jpeg', 'image/webp'], maxBytes: 2 * 1024 * 1024 },
    answer: clientDetails,
  }),
  removeLogo: endpoint({
    id: 'organisations.removeLogo',
    method: 'DELETE',
    path: '/clientorganization/:id/logo/:kind',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'Takes an image of a partner’s brand away.',
    params: ofClient.extend({ kind: z.enum(logoKinds).describe('light, dark or favicon.') }),
    answer: clientDetails,
  }),
  move: endpoint({
    id: 'organisations.move',
    method: 'POST',
    path: '/clientorganization/:id/move',
    allow: 'partners:manage',
    freshness: 'fresh',
    summary: 'Moves a client to another partner: its people, data and keys go with it, what the old partner could see ends.',
    params: ofClient,
    body: z.object({ partnerClientOrgID: organisationId.describe('The new partner.') }),
    answer: clientDetails,
  }),
  deactivate: endpoint({
    id: 'organisations.deactivate',
    method: 'POST',
    path: '/clientorganization/:id/deactivate',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary: 'Deactivates an organisation: sign-ins and intake end, data stays.',
    params: ofClient,
    answer: nothing,
  }),
  reactivate: endpoint({
    id: 'organisations.reactivate',
    method: 'POST',
    path: '/clientorganization/:id/reactivate',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary: 'Brings a deactivated organisation back.',
    params: ofClient,
    answer: nothing,
  }),
};
