/** Organisations: the provider, its partners and their clients, with their details (spec §3, §7.3, §7.4). */
import { z } from 'zod';
import { endpoint, type Freshness, nothing } from './endpoint.ts';
import { count, id, instant, line, name, organisationId, paragraph, results } from './primitives.ts';
import { queryParam } from './query.ts';
import { subscriptionLevelIds } from './rules/values.ts';

export const clientOrganization = z.object({
  id: organisationId.describe('Organisation ID; 1 for the provider.'),
  name: name.describe('Organisation name.'),
  isPartner: z.boolean().describe('True for a partner (a reseller, or the provider).'),
  partnerClientOrgID: organisationId.nullable().describe('Partner of the organisation; null for the provider.'),
});
export type ClientOrganization = z.infer<typeof clientOrganization>;

const emailAddress = z
  .string()
  .trim()
  .max(254)
  .pipe(z.union([z.literal(''), z.email().max(254)], 'Enter an email address, such as name@example.com.'));
const phoneNumber = z.string().trim().max(40);
const short = z.string().trim().max(200);

export const addressData = z.object({
  street: short.describe('Street and number.'),
  suite: short.describe('Suite, floor or building; may be empty.'),
  city: short.describe('City.'),
  state: short.describe('State or region.'),
  zipCode: z.string().trim().max(20).describe('Postal code.'),
});

/** Contact and brand of a partner, as visible to its clients (spec §3). */
export const partnerOrganisation = z.object({
  clientOrganizationID: organisationId.describe('Organisation of the partner.'),
  partnerName: name.describe('Partner name.'),
  phoneNumber: line.describe('Phone number.'),
  emailAddress: line.describe('Email address.'),
  logoURL: line.describe('Path of the logo for light themes; empty without one.'),
  logo2URL: line.describe('Path of the logo for dark themes; empty without one.'),
  websiteURL: line.describe('Website.'),
  selfHostedDomain: line.describe('Custom host name of the partner; empty without one.'),
  domain: line.describe('Host name of the partner’s links.'),
  addressData: addressData.describe('Postal address.'),
});
export type PartnerOrganisation = z.infer<typeof partnerOrganisation>;

/** Subscription levels (spec §3) with their ids on the wire. */
export const subscriptionLevels = [
  { id: subscriptionLevelIds.monitor, name: 'Monitor' },
  { id: subscriptionLevelIds.respond, name: 'Respond' },
  { id: subscriptionLevelIds.respondAroundTheClock, name: 'Respond 24×7' },
] as const;

/** Kinds of alert to notify a client about (spec §3, alertTypes). */
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
  title: short.describe('Job title; may be empty.'),
  phoneNumber: phoneNumber.describe('Phone number.'),
  emailAddress: emailAddress.describe('Email address; may be empty.'),
  hours: short.describe('Availability, as free text; may be empty.'),
});
export type EmergencyContact = z.infer<typeof emergencyContact>;

export const escalationAddress = z.object({
  id: z.number().int().min(0).describe('Address ID; 0 for a new one.'),
  emailType: z.enum(['to', 'cc']).describe('To or Cc.'),
  emailAddress: z
    .string()
    .trim()
    .max(254)
    .pipe(z.email('Enter an email address, such as name@example.com.').max(254))
    .describe('Email address.'),
});

/** Sections of the client details; each is a tab and is saved separately. */
export const general = z.object({
  name: name.describe('Organisation name.'),
  phoneNumber: phoneNumber.describe('Phone number.'),
  emailAddress: emailAddress.describe('Email address.'),
  websiteURL: z
    .string()
    .trim()
    .max(500)
    .regex(/^(https?:\/\/[^\s"'<>]+)?$/, 'Enter a full URL, starting with https://.')
    .describe('Website; may be empty.'),
  industry: short.describe('Industry, used for risk comparisons.'),
  addressData: addressData.describe('Postal address.'),
  subscriptionLevelID: z.number().int().min(1).max(3).describe('Subscription level ID.'),
});
export const contacts = z.object({
  emergencyContacts: z.array(emergencyContact).max(20).describe('Emergency contacts in calling order.'),
});
export const escalation = z.object({
  escalationEmailAddresses: z.array(escalationAddress).max(50).describe('Recipients of case emails.'),
});
export const playbook = z.object({
  generalAlertNotes: paragraph.describe('General notes for analysts.'),
  alertPlaybookData: paragraph.describe('Playbook, step by step.'),
  alertTypes: z.array(z.enum(alertTypes)).max(alertTypes.length).describe('Kinds of alert to notify the client about.'),
});
export const signInPolicy = z.object({
  isMfaCompulsory: z.boolean().describe('True to require MFA for all users of this organisation.'),
  allowsFirstMatchByEmail: z
    .boolean()
    .describe('True to match a first single sign-on to an account by the email address verified by the identity provider.'),
  singleSignOn: z
    .object({
      issuer: z
        .string()
        .trim()
        .max(500)
        .pipe(z.url({ protocol: /^https?$/, error: 'Enter the issuer’s full URL, starting with https://.' }).max(500))
        .describe('OpenID Connect issuer.'),
      clientId: name.describe('Client ID assigned by the issuer.'),
      clientSecret: z.string().max(500).describe('Client secret; empty in responses, and in requests to keep the stored one.'),
    })
    .nullable()
    .describe('Identity provider of the partner; null without one, and for clients, who use their partner’s.'),
});
export const retention = z.object({
  alertRetentionMonths: z
    .number()
    .int()
    .min(1)
    .max(120)
    .nullable()
    .describe('Retention of alerts in months; null for the portal’s default.'),
});

const hexColour = z
  .string()
  .regex(/^#[0-9a-f]{6}$/i, 'Enter a colour as # and six digits, such as #0b6e99.')
  .max(7);
export const branding = z.object({
  partnerName: name.describe('Partner name.'),
  title: short.describe('Browser tab title; empty for the brand’s name.'),
  subDomain: z
    .string()
    .trim()
    .toLowerCase()
    // Before its form: "letters only" would mislead where nothing was typed.
    .min(1)
    .max(63)
    .regex(/^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/, 'Use letters, digits and hyphens only.')
    .describe('First label of the brand’s host name.'),
  selfHostedDomain: z
    .string()
    .trim()
    .toLowerCase()
    .max(253)
    .regex(/^(?:(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z]{2,63})?$/, 'Enter a full host name, such as portal.example.com.')
    .describe('Custom host name of the partner; may be empty.'),
  description: z.string().trim().max(500).describe('Short description for the footer.'),
  contact: z
    .string()
    .trim()
    .max(500)
    .regex(/^(?:(?:https:\/\/|mailto:)[^\s"'<>]+)?$/, 'Enter an https: or mailto: URL.')
    .describe('Contact link.'),
  helpURL: z
    .string()
    .trim()
    .max(500)
    .regex(/^(?:https:\/\/[^\s"'<>]+)?$/, 'Enter an https: URL.')
    .describe('URL of the help pages; empty for the portal’s own.'),
  accentLight: hexColour.or(z.literal('')).describe('Accent colour of light themes; empty for the default.'),
  accentDark: hexColour.or(z.literal('')).describe('Accent colour of dark themes; empty for the default.'),
  mailSenderName: short.describe('Sender name of emails; empty for the brand’s name.'),
  mailSenderAddress: emailAddress.describe('Sender address of emails; empty for the partner’s own, or else the portal’s.'),
  mailFooter: z.string().trim().max(500).describe('Footer of emails.'),
  pdfFooter: short.describe('Footer of PDF pages.'),
});
export type Branding = z.infer<typeof branding>;

export const logoKinds = ['light', 'dark', 'favicon'] as const;
export type LogoKind = (typeof logoKinds)[number];

export const clientDetails = z.object({
  id: organisationId.describe('Organisation ID.'),
  isPartner: z.boolean().describe('True for a partner.'),
  partnerClientOrgID: organisationId.nullable().describe('Partner of the organisation; null for the provider.'),
  partnerName: name.describe('Partner name.'),
  createdAt: instant.describe('Creation time.'),
  deactivatedAt: instant.nullable().describe('Time of deactivation; null while active.'),
  userCount: count.describe('Active users.'),
  clientCount: count.describe('Active clients of a partner.'),
  general: general.describe('Name, address, contact and subscription level.'),
  contacts: contacts.describe('Emergency contacts.'),
  escalation: escalation.describe('Escalation addresses.'),
  playbook: playbook.describe('Alert notes, playbook and alert types.'),
  /** Present for callers who can edit it. */
  signInPolicy: signInPolicy.nullable().describe('Sign-in policy; null for callers who cannot edit it.'),
  retention: retention.describe('Retention of alerts; that of raw events is `retention.get`.'),
  retentionDefaults: z
    .object({
      alertRetentionMonths: z.number().int().describe('Default of the portal, which is also the maximum.'),
    })
    .describe('Retention where an organisation sets none.'),
  branding: branding.nullable().describe('Brand; null for clients, who use their partner’s.'),
  logos: z
    .object({
      light: line.describe('Path of the logo for light themes.'),
      dark: line.describe('Path of the logo for dark themes.'),
      favicon: line.describe('Path of the favicon.'),
    })
    .describe('Paths of the brand’s images on this origin; empty without one.'),
  can: z
    .object({
      edit: z.boolean().describe('Edit details.'),
      editPolicy: z.boolean().describe('Edit the sign-in policy.'),
      move: z.boolean().describe('Move to another partner.'),
      vouch: z.boolean().describe('Confirm a partner’s domains without DNS.'),
      deactivate: z.boolean().describe('Deactivate or reactivate.'),
    })
    .describe('Permissions of the caller.'),
});
export type ClientDetails = z.infer<typeof clientDetails>;

const held = z.object({
  count: count.describe('Number held.'),
  oldest: instant.nullable().describe('Time of the oldest; null without any.'),
});
const ofClient = z.object({ id: id.describe('Organisation ID.') });
const part = <T extends z.ZodType>(partName: string, freshness: Freshness, summary: string, body: T) =>
  endpoint({
    id: `organisations.update${partName[0]?.toUpperCase()}${partName.slice(1)}`,
    route: `PUT /clientorganization/:id/${partName}`,
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
    route: 'GET /ClientOrganization/GetAllClients',
    allow: 'organisations:read',
    freshness: 'none',
    summary: 'Lists the organisations in scope: each partner, followed by its clients.',
    query: z.object({ query: queryParam('client') }),
    answer: results(clientOrganization),
  }),
  listDeactivated: endpoint({
    id: 'organisations.listDeactivated',
    route: 'GET /clientorganization/deactivated',
    allow: 'clients:manage',
    freshness: 'none',
    summary: 'Lists the deactivated organisations in scope.',
    answer: results(
      clientOrganization.extend({
        deactivatedAt: instant.describe('Time of deactivation.'),
        erasedAt: instant.nullable().describe('Start of the erasure of its data; null while it is kept.'),
      }),
    ),
  }),
  partner: endpoint({
    id: 'organisations.partner',
    route: 'GET /clientorganization/:id/partner',
    allow: 'partners:read',
    freshness: 'none',
    summary: 'Returns the partner of an organisation: contact and brand.',
    params: ofClient,
    answer: partnerOrganisation,
  }),
  details: endpoint({
    id: 'organisations.details',
    route: 'GET /clientorganization/:id/details',
    allow: 'clientDetails:read',
    freshness: 'none',
    summary: 'Returns the details of an organisation.',
    params: ofClient,
    answer: clientDetails,
  }),
  create: endpoint({
    id: 'organisations.create',
    route: 'POST /clientorganization',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary: 'Creates a client of a partner or, for the provider’s Host, a new partner with its brand.',
    body: z.object({
      general: general.describe('Name, address, contact and subscription level.'),
      isPartner: z.boolean().describe('True for a partner.'),
      partnerClientOrgID: organisationId.describe('Partner of the organisation; 1 for a partner.'),
      subDomain: branding.shape.subDomain.optional().describe('First label of the host name, for a partner.'),
    }),
    answer: clientDetails,
  }),
  updateGeneral: part('general', 'none', 'Saves the name, address, contact and subscription level.', general),
  updateContacts: part('contacts', 'fresh', 'Saves the emergency contacts.', contacts),
  updateEscalation: part('escalation', 'fresh', 'Saves the escalation addresses.', escalation),
  updatePlaybook: part('playbook', 'none', 'Saves the alert notes, playbook and alert types.', playbook),
  updateSignInPolicy: part('signInPolicy', 'freshSecondFactor', 'Saves the sign-in policy.', signInPolicy),
  held: endpoint({
    id: 'organisations.held',
    route: 'GET /clientorganization/:id/held',
    allow: 'clientDetails:read',
    freshness: 'none',
    summary: 'Returns what is held of an organisation: number and oldest of raw events, alerts and cases.',
    params: ofClient,
    answer: z.object({
      events: held.describe('Raw events.'),
      alerts: held.describe('Alerts.'),
      cases: held.describe('Cases.'),
    }),
  }),
  updateRetention: part('retention', 'fresh', 'Saves the retention of alerts, up to the portal’s own.', retention),
  updateBranding: part(
    'branding',
    { needs: 'freshSecondFactor', fields: {}, also: 'where the sub-domain or the domain changes' },
    'Saves a partner’s brand; a colour whose contrast is too low is refused.',
    branding,
  ),
  uploadLogo: endpoint({
    id: 'organisations.uploadLogo',
    route: 'PUT /clientorganization/:id/logo/:kind',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'Uploads an image of a partner’s brand. It is re-encoded as PNG.',
    params: ofClient.extend({ kind: z.enum(logoKinds).describe('light, dark or favicon.') }),
    upload: { types: ['image/png', 'image/jpeg', 'image/webp'], maxBytes: 2 * 1024 * 1024 },
    answer: clientDetails,
  }),
  removeLogo: endpoint({
    id: 'organisations.removeLogo',
    route: 'DELETE /clientorganization/:id/logo/:kind',
    allow: 'clientDetails:write',
    freshness: 'none',
    summary: 'Deletes an image of a partner’s brand.',
    params: ofClient.extend({ kind: z.enum(logoKinds).describe('light, dark or favicon.') }),
    answer: clientDetails,
  }),
  move: endpoint({
    id: 'organisations.move',
    route: 'POST /clientorganization/:id/move',
    allow: 'partners:manage',
    freshness: 'fresh',
    summary: 'Moves a client to another partner with its users, data and keys. The old partner loses access.',
    params: ofClient,
    body: z.object({ partnerClientOrgID: organisationId.describe('New partner.') }),
    answer: clientDetails,
  }),
  deactivate: endpoint({
    id: 'organisations.deactivate',
    route: 'POST /clientorganization/:id/deactivate',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary: 'Deactivates an organisation. Sign-ins and intake end; its data is kept.',
    params: ofClient,
    answer: nothing,
  }),
  reactivate: endpoint({
    id: 'organisations.reactivate',
    route: 'POST /clientorganization/:id/reactivate',
    allow: 'clients:manage',
    freshness: 'fresh',
    summary: 'Reactivates an organisation.',
    params: ofClient,
    answer: nothing,
  }),
};
