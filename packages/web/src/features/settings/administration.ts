/** Administration pages linked from Settings and the page search; they have no menu entry (spec §2.2). */
import { type Permission, providerId } from '@parapet/contract/access.ts';
import { paths } from '../../lib/paths.ts';

export interface AdministrationPage {
  id: string;
  title: string;
  purpose: string;
  needs: Permission;
  /** For people of the provider only. */
  isOfProvider?: true;
  url: string;
}

const pages: readonly AdministrationPage[] = [
  {
    id: 'users',
    title: 'Users',
    purpose: 'Accounts, roles, MFA and invitations.',
    needs: 'users:listRoles',
    url: paths.users(),
  },
  {
    id: 'clientdetails',
    title: 'Client details',
    purpose: 'Contacts, escalation, playbook, sign-in policy, retention and ingest keys of each organisation.',
    needs: 'clientDetails:read',
    url: paths.clientDetails('general'),
  },
  {
    id: 'collectors',
    title: 'Collectors',
    purpose: 'Configurations of Filebeat, Winlogbeat, Auditbeat, Packetbeat and rsyslog: settings, versions, download.',
    needs: 'ingestKeys:write',
    url: paths.collectorConfig('client'),
  },
  {
    id: 'audit',
    title: 'Audit log',
    purpose: 'Changes, sign-ins, exports and denied requests, with user, time and source address.',
    needs: 'audit:read',
    url: paths.audit(),
  },
  {
    id: 'accesslog',
    title: 'Access log',
    purpose: 'People of the provider and the partner who accessed data of a client, with reason and time.',
    needs: 'audit:read',
    url: paths.accessLog(),
  },
  {
    id: 'outbox',
    title: 'Email outbox',
    purpose: 'Emails that the portal sent, or kept because no mail server is configured.',
    needs: 'outbox:read',
    url: paths.outbox(),
  },
  {
    id: 'operations',
    title: 'Operations',
    purpose: 'Processes, queues, capacity and backups of this installation.',
    needs: 'operations:read',
    url: paths.operations(),
  },
  {
    id: 'mailsubscriptions',
    title: 'Email subscriptions',
    purpose: 'Emails and digests by user.',
    needs: 'mailSubscriptions:write',
    url: paths.mailSubscriptions(),
  },
  {
    id: 'deliveries',
    title: 'Deliveries',
    purpose: 'Webhooks, chat, incidents, tickets and SIEM: which events go where, and what the other side confirmed.',
    needs: 'deliveries:write',
    url: paths.deliveries(),
  },
  {
    id: 'billing',
    title: 'Billing',
    purpose: 'Devices, users and log volume by client and month, compared with the agreements of a PSA.',
    needs: 'billing:write',
    url: paths.billing(),
  },
  {
    id: 'identities',
    title: 'Identities',
    purpose: 'User names of a client that are one person: merge, undo and the rules that join them.',
    needs: 'cases:write',
    url: paths.identities(),
  },
  {
    id: 'rules',
    title: 'Rules',
    purpose: 'Detection rules: versions, tests, exceptions and severity by client, and what each found.',
    needs: 'ruleExceptions:write',
    url: paths.rules(),
  },
  {
    id: 'caseGrouping',
    title: 'Case grouping',
    purpose: 'Rules by which alerts become cases: windows, severities and limits, with preview, shadow and versions.',
    needs: 'caseGrouping:write',
    isOfProvider: true,
    url: paths.caseGrouping(),
  },
  {
    id: 'exceptions',
    title: 'Exceptions and suppressions',
    purpose: 'Everything that hides alerts in one list: kind, rule, client, owner, end, and what each hid in 30 days.',
    needs: 'suppressions:write',
    url: paths.exceptions(),
  },
  {
    id: 'intelligence',
    title: 'Threat intelligence',
    purpose: 'Reputation lists of addresses, domains and hashes, and searches of stored events for each new one.',
    needs: 'ruleExceptions:write',
    url: paths.intelligence(),
  },
  {
    id: 'sapphire',
    title: 'Sapphire',
    purpose: 'Unanswered questions, submitted knowledge and teachers of the assistant.',
    needs: 'sapphire:administer',
    url: paths.sapphire(),
  },
];

export const administrationFor = (
  may: (permission: Permission) => boolean,
  organisationId: number,
): readonly AdministrationPage[] =>
  pages.filter(({ needs, isOfProvider }) => may(needs) && (!isOfProvider || organisationId === providerId));
