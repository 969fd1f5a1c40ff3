/** Sign-ins and administration in Microsoft 365 and Entra ID that need triage. */
import { minuteMs } from '@parapet/contract/rules/duration.ts';
import { type ActivityRecord, activity, parameters, places, type SignIn, signIn } from '../events/cloud.ts';
import { type Acted, type AlertTrigger, trigger, triggersOf } from './alert-trigger.ts';

const abroad = [places.amsterdam, places.singapore, places.saoPaulo, places.bucharest] as const;
const travelAddress = ({ random }: Acted) => `203.0.113.${random.int(100, 145)}`;

const signsInAs = triggersOf<Omit<SignIn, 'person'>>('entra', (scene, how) =>
  signIn(scene, { person: scene.person, ...how(scene) }),
);
const signsIn = signsInAs({ roles: ['directory'] });
const administratorSignsIn = signsInAs({ roles: ['directory'], by: 'administrator' });
const recordsAs = triggersOf<Omit<ActivityRecord, 'user'>>('m365', (scene, record) =>
  activity(scene, { user: scene.person.email, from: scene.device.site.publicAddress, ...record(scene) }),
);
const records = recordsAs({ roles: ['office'] });
const administratorRecords = recordsAs({ roles: ['office'], by: 'administrator' });
const sharePoint = (scene: Acted) => `https://${scene.device.site.domain.replace('.', '-')}.sharepoint.example`;
const someFile = (scene: Acted) =>
  `${scene.random.pick(['Price list', 'Floor plan', 'Quotation', 'Minutes', 'Handbook'])} ${scene.random.int(1, 60)}`;
const directory = { workload: 'AzureActiveDirectory', result: 'Success' } as const;
const exchange = { workload: 'Exchange', result: 'True' } as const;
const changed = (Name: string, NewValue: string) => ({ ModifiedProperties: [{ Name, NewValue, OldValue: '' }] });

/** Denied MFA prompts within four minutes, optionally approved at the end. */
function prompts(scene: Acted, givesIn: boolean) {
  const from = travelAddress(scene);
  const place = scene.random.pick(abroad);
  const attempt = (index: number, error: 0 | 500121) =>
    signIn({ ...scene, at: scene.at + index * 48_000 }, { person: scene.person, from, place, error });
  return [...Array.from({ length: 6 }, (_, index) => attempt(index, 500121)), ...(givesIn ? [attempt(8, 0)] : [])];
}

export const cloudTriggers: readonly AlertTrigger[] = [
  trigger('entra/sign-ins-blocked-by-policy-in-a-row', 'low', 46, { roles: ['directory'], hours: 'any' }, (scene) => {
    const attempt = { person: scene.person, from: travelAddress(scene), place: scene.random.pick(abroad), error: 53003 as const };
    return [0, 4, 9].map((minutes) => signIn({ ...scene, at: scene.at + minutes * minuteMs }, attempt));
  }),
  signsIn('legacy-protocol-sign-in', 'low', 24, (scene) => ({
    from: scene.device.site.publicAddress,
    client: scene.random.pick(['IMAP4', 'POP3', 'Exchange ActiveSync']),
    isSingleFactor: true,
    userAgent: '',
  })),
  signsInAs({ roles: ['directory'], hours: 'any' })('disabled-account-tried', 'low', 12, (scene) => ({
    from: travelAddress(scene),
    error: 50057,
  })),
  signsIn('anonymised-address-sign-in', 'medium', 9, (scene) => ({
    from: `198.51.100.${scene.random.int(150, 250)}`,
    place: places.boston,
    risk: 'medium',
    riskEvents: ['anonymizedIPAddress'],
  })),
  administratorSignsIn('device-code-sign-in', 'medium', 5, (scene) => ({
    from: scene.device.site.publicAddress,
    application: 'Microsoft Azure CLI',
    protocol: 'deviceCode',
  })),
  signsIn('risky-sign-in-succeeded', 'high', 6, (scene) => ({
    from: travelAddress(scene),
    risk: 'high',
    riskEvents: ['unfamiliarFeatures'],
  })),
  trigger('entra/sign-ins-from-several-countries', 'medium', 8, { roles: ['directory'] }, (scene) => [
    signIn(scene, { person: scene.person, from: scene.device.site.publicAddress }),
    signIn(
      { ...scene, at: scene.at + 11 * minuteMs },
      { person: scene.person, from: travelAddress(scene), place: scene.random.pick(abroad) },
    ),
  ]),
  { rule: 'entra/prompt-fatigue', level: 'high', weight: 3, roles: ['directory'], make: (scene) => prompts(scene, false) },
  trigger('entra/prompt-fatigue-gave-in', 'critical', 1, { roles: ['directory'] }, (scene) => prompts(scene, true)),

  records('new-device-or-method-registered', 'informational', 17, (scene) => ({
    ...directory,
    operation: 'User registered security info.',
    object: scene.person.email,
  })),
  administratorRecords('guest-invited', 'informational', 13, (scene) => ({
    ...directory,
    operation: 'Invite external user.',
    object: `guest${scene.random.int(10, 99)}_supplier.example#EXT#@${scene.device.site.domain}`,
  })),
  records('anonymous-link-created', 'low', 30, (scene) => {
    const file = someFile(scene);
    return {
      workload: 'SharePoint',
      operation: 'AnonymousLinkCreated',
      object: `${sharePoint(scene)}/sites/Sales/Shared Documents/${file}.docx`,
      more: { ItemType: 'File', SourceFileName: `${file}.docx`, SourceFileExtension: 'docx', EventSource: 'SharePoint' },
    };
  }),
  administratorRecords('mailbox-full-access-granted', 'medium', 10, (scene) => ({
    ...exchange,
    operation: 'Add-MailboxPermission',
    object: 'reception',
    more: {
      Parameters: parameters({
        Identity: `reception@${scene.device.site.domain}`,
        User: scene.person.email,
        AccessRights: 'FullAccess',
        InheritanceType: 'All',
      }),
    },
  })),
  records('second-factor-removed', 'medium', 9, (scene) => ({
    ...directory,
    operation: 'User deleted security info.',
    object: scene.person.email,
  })),
  records('consent-to-application', 'medium', 7, (scene) => ({
    ...directory,
    operation: 'Consent to application.',
    object: scene.random.pick(['Meeting Notes', 'Mail Signatures', 'Whiteboard Sync']),
    more: changed('ConsentAction.Permissions', '[] => [[ConsentType: Principal, Scope: User.Read Mail.Read offline_access]];'),
  })),
  administratorRecords('external-sharing-widened', 'medium', 4, (scene) => ({
    workload: 'SharePoint',
    operation: 'SharingPolicyChanged',
    object: `${sharePoint(scene)}/sites/Projects`,
  })),
  administratorRecords('content-search-exported', 'medium', 2, () => ({
    workload: 'SecurityComplianceCenter',
    operation: 'SearchExported',
    object: 'Contract dispute',
    recordType: 24,
  })),
  records('inbox-rule-forwards-or-hides', 'high', 9, (scene) => ({
    ...exchange,
    operation: 'New-InboxRule',
    object: `${scene.person.email}\\Newsletters`,
    more: { Parameters: parameters({ Name: 'Newsletters', From: 'news@vendor.example', DeleteMessage: 'True' }) },
  })),
  administratorRecords('mailbox-forwarding-set', 'high', 5, (scene) => ({
    ...exchange,
    operation: 'Set-Mailbox',
    object: scene.person.email,
    more: {
      Parameters: parameters({
        Identity: scene.person.account,
        ForwardingSmtpAddress: 'smtp:desk@partner.example',
        DeliverToMailboxAndForward: 'True',
      }),
    },
  })),
  administratorRecords('admin-role-assigned', 'high', 6, (scene) => ({
    ...directory,
    operation: 'Add member to role.',
    object: scene.person.email,
    more: changed('Role.DisplayName', 'Exchange Administrator'),
  })),
  administratorRecords('application-secret-added', 'high', 5, () => ({
    ...directory,
    operation: 'Add service principal credentials.',
    object: 'payroll-sync',
  })),
  administratorRecords('conditional-access-weakened', 'high', 4, () => ({
    ...directory,
    operation: 'Update conditional access policy.',
    object: 'Require a managed device',
  })),
  administratorRecords('transport-rule-copies-mail', 'high', 2, (scene) => ({
    ...exchange,
    operation: 'New-TransportRule',
    object: 'Archive orders',
    more: { Parameters: parameters({ Name: 'Archive orders', BlindCopyTo: `archive@${scene.device.site.domain}` }) },
  })),
  administratorRecords('unified-audit-log-disabled', 'critical', 1, () => ({
    ...exchange,
    operation: 'Set-AdminAuditLogConfig',
    object: 'Admin Audit Log Settings',
    more: { Parameters: parameters({ UnifiedAuditLogIngestionEnabled: 'False' }) },
  })),
];
