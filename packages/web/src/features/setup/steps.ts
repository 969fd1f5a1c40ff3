/** Texts and destinations of the setup steps. */
import type { SetupStepId } from '@parapet/contract/setup.ts';
import { paths } from '../../lib/paths.ts';

export interface StepText {
  title: string;
  text: string;
  /** Destinations of the work. */
  links?: StepLink[];
}

interface StepLink {
  text: string;
  href: string;
}

interface Place {
  /** 0 for the whole scope. */
  client: number;
  ownOrganisation: number;
  /** An installation or a partner; otherwise a client. */
  isPartner: boolean;
}

export function stepText(id: SetupStepId, { client, ownOrganisation, isPartner }: Place): StepText {
  const of = { client: client || ownOrganisation };
  const clients = { text: 'Clients', href: paths.clientDetails('setup') };
  switch (id) {
    case 'brand':
      return {
        title: 'Set your brand',
        text: 'Logo and accent colour of pages, emails and reports.',
        links: [{ text: 'Brand', href: paths.clientDetails('branding', of) }],
      };
    case 'address':
      return { title: 'Set the public address', text: 'People, agents and shippers reach the portal by it.' };
    case 'partner':
      return {
        title: 'Add a partner, or clients of your own',
        text: 'Partners manage their clients under a brand of their own.',
        links: [{ text: 'New partner', href: paths.newClient({ kind: 'partner' }) }],
      };
    case 'mail':
      return { title: 'Connect a mail server', text: 'Invitations, case emails and reports are sent through it.' };
    case 'client':
      return {
        title: 'Create the first client',
        text: 'Events, alerts and people belong to a client. One by a wizard, or many from a CSV file.',
        links: [{ text: 'New client', href: paths.newClient() }],
      };
    case 'colleagues':
      return {
        title: 'Invite colleagues',
        text: 'So that critical changes can be approved by a second person.',
        links: [{ text: 'New user', href: paths.profile(undefined, of) }],
      };
    case 'secondFactor':
      return {
        title: 'Set up your second factor',
        text: 'An authenticator app or a passkey for your own account.',
        links: [{ text: 'MFA settings', href: paths.settings({ tab: 'second-factor' }) }],
      };
    case 'backup':
      return {
        title: 'Back up the database',
        text: 'Set BACKUP_DIR and BACKUP_KEY, or back up PostgreSQL by its own tools and confirm once a restore has been tried (docs/operating.md).',
        links: [{ text: 'Operations', href: paths.operations() }],
      };
    case 'contact':
      return {
        title: 'Add a contact',
        text: 'A phone number, an email address or an emergency contact.',
        links: [{ text: 'Contacts', href: paths.clientDetails('contacts', of) }],
      };
    case 'administrator':
      return {
        title: 'Invite the client’s administrator',
        text: 'Sends a welcome email with a link to set a password.',
        links: [{ text: 'New user', href: paths.profile(undefined, of) }],
      };
    case 'escalation':
      return {
        title: 'Add escalation addresses',
        text: 'Recipients of case emails.',
        links: [{ text: 'Escalation', href: paths.clientDetails('escalation', of) }],
      };
    case 'source':
      return {
        title: 'Connect the first source',
        text: 'An agent, a log shipper, or a connection to a cloud service. This step completes with its first event.',
        links: isPartner
          ? [clients]
          : [
              { text: 'Install an agent', href: paths.agents({ tab: 'install', ...of }) },
              { text: 'Ingest keys', href: paths.clientDetails('ingest-keys', of) },
              { text: 'Connections', href: paths.devices(of.client, { tab: 'connections' }) },
            ],
      };
    case 'attack':
      return {
        title: 'Send a test attack',
        text: 'One harmless event through the client’s own intake, followed to its alert and case.',
        ...(isPartner && { links: [clients] }),
      };
  }
}
