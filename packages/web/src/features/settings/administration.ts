/** What administrators reach from Settings, and by the page search: pages without a place of their own in the menu (spec §2.2). */
import type { Permission } from '@parapet/contract/access.ts';
import { paths } from '../../lib/paths.ts';

export interface AdministrationPage {
  id: string;
  title: string;
  purpose: string;
  needs: Permission;
  url: string;
}

const pages: readonly AdministrationPage[] = [
  {
    id: 'users',
    title: 'Users',
    purpose: 'Who can sign in: accounts, roles, second factor, invitations.',
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
    purpose: 'How Filebeat, Winlogbeat, Auditbeat, Packetbeat and rsyslog of a client collect: settings, versions, download.',
    needs: 'ingestKeys:write',
    url: paths.collectorConfig('client'),
  },
  {
    id: 'audit',
    title: 'Audit log',
    purpose: 'Every change, sign-in, export and refused call: who, what, when and from where.',
    needs: 'audit:read',
    url: paths.audit(),
  },
  {
    id: 'outbox',
    title: 'Email outbox',
    purpose: 'The mails that this portal sent, or keeps where no mail server is configured.',
    needs: 'outbox:read',
    url: paths.outbox(),
  },
  {
    id: 'mailsubscriptions',
    title: 'Mail subscriptions',
    purpose: 'Who gets which mails and digests, by user.',
    needs: 'mailSubscriptions:write',
    url: paths.mailSubscriptions(),
  },
  {
    id: 'suppressions',
    title: 'Suppressions',
    purpose: 'Exceptions that keep known, harmless alerts out of cases: why, for whom and until when.',
    needs: 'suppressions:write',
    url: paths.suppressions(),
  },
  {
    id: 'intelligence',
    title: 'Threat intelligence',
    purpose: 'Lists of addresses, domains and hashes with their reputation, imported from CSV, MISP and STIX.',
    needs: 'intelligence:write',
    url: paths.intelligence(),
  },
  {
    id: 'sapphire',
    title: 'Sapphire',
    purpose: 'What the assistant could not answer, what it was taught, and who may teach it.',
    needs: 'sapphire:administer',
    url: paths.sapphire(),
  },
];

export const administrationFor = (may: (permission: Permission) => boolean): readonly AdministrationPage[] =>
  pages.filter(({ needs }) => may(needs));
