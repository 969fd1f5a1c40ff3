/** Which mails come. */
import { Card } from '../../../kit/Card.tsx';
import { useScope } from '../../../lib/scope.ts';
import { wantsMail } from '../../../lib/settings.ts';
import { changeSettings, usePreferences } from '../../../lib/settingsStore.ts';
import { mailKinds } from '../mails.ts';
import { OnOff } from './ChoiceGroup.tsx';
import { Stack } from './looks.ts';

export function NotificationsSection() {
  const { user } = useScope();
  const { kept } = usePreferences();
  return (
    <Card title="Mails" purpose={`Sent to ${user.emailAddress}. Mails about the safety of your account always come.`}>
      <Stack>
        {mailKinds.map(({ kind, title, hint, isFixed }) => (
          <OnOff
            key={kind}
            label={title}
            hint={hint}
            isFixed={isFixed}
            isOn={isFixed || wantsMail(kept, kind)}
            onChange={(isOn) => changeSettings({ [`mail.${kind}`]: isOn })}
          />
        ))}
      </Stack>
    </Card>
  );
}
