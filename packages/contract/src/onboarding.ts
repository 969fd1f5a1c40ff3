/** Creates clients with everything that they need to begin: contact, escalation addresses, administrator. One by the wizard, many by CSV. */
import { z } from 'zod';
import { endpoint } from './endpoint.ts';
import { emergencyContact, escalationAddress, general } from './organisations.ts';
import { count, id, line, name, organisationId } from './primitives.ts';
import { usersApi } from './users.ts';

/** Clients of one request. */
export const maxNewClients = 200;
/** Characters of a CSV file. */
export const maxCsvLength = 300_000;

const { firstName, lastName } = usersApi.create.body.shape;
const { emailAddress } = escalationAddress.shape;

export const newClient = z.object({
  general: general.describe('Name, address, contact and subscription level.'),
  contact: emergencyContact.nullable().describe('Emergency contact; null for none yet.'),
  escalationEmailAddresses: z.array(emailAddress).max(20).describe('Recipients of case emails, each as To.'),
  administrator: z
    .object({ firstName, lastName, emailAddress })
    .nullable()
    .describe('Administrator, who receives a welcome email with a link to set a password; null for none yet.'),
});
export type NewClient = z.infer<typeof newClient>;

/** Columns of a CSV file, by their titles; only the first is required. */
export const newClientColumns = [
  'Name',
  'Subscription level',
  'Industry',
  'Phone number',
  'Email',
  'Website',
  'Street',
  'Suite',
  'City',
  'State',
  'Postal code',
  'Contact name',
  'Contact title',
  'Contact phone number',
  'Contact email',
  'Escalation emails',
  'Administrator first name',
  'Administrator last name',
  'Administrator email',
] as const;

const partner = organisationId.describe('Partner of the clients.');

const previewRow = z.object({
  line: count.describe('Line in the file; the header is line 1.'),
  name: z.string().max(200).describe('Name as read; may be empty.'),
  client: newClient.nullable().describe('The client as it would be created; null with errors.'),
  errors: z.array(line).max(40).describe('Reasons why the row can’t be created.'),
  warnings: z.array(line).max(10).describe('Findings that don’t prevent the creation.'),
});
export type PreviewRow = z.infer<typeof previewRow>;

export const onboardingApi = {
  preview: endpoint({
    id: 'onboarding.preview',
    route: 'POST /onboarding/preview',
    allow: 'clients:manage',
    freshness: 'none',
    summary: 'Reads a CSV file of new clients and returns what would be created, and what is wrong with it. Nothing is stored.',
    body: z.object({
      partnerClientOrgID: partner,
      csv: z
        .string()
        .max(maxCsvLength)
        .describe('The file: a header row, then one row per client; separated by comma, semicolon or tab.'),
    }),
    answer: z.object({
      rows: z.array(previewRow).max(maxNewClients).describe('Rows of the file.'),
      ignoredColumns: z.array(line).max(100).describe('Columns of the file with unknown titles.'),
    }),
  }),
  create: endpoint({
    id: 'onboarding.create',
    route: 'POST /onboarding',
    allow: 'clients:manage',
    freshness: 'freshSecondFactor',
    summary: 'Creates clients and invites their administrators. Either all are created or none.',
    body: z.object({
      partnerClientOrgID: partner,
      clients: z.array(newClient).min(1).max(maxNewClients).describe('The clients.'),
    }),
    answer: z.object({
      clients: z
        .array(z.object({ id: id.describe('Organisation ID.'), name: name.describe('Organisation name.') }))
        .max(maxNewClients)
        .describe('The new clients, in the order of the request.'),
      invited: count.describe('Administrators invited.'),
      isSending: z.boolean().describe('False without a mail server: invitations stay in the outbox.'),
    }),
  }),
};
