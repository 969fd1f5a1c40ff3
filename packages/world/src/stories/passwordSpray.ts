/** Password spray from the internet: a few passwords on many accounts without success; alarming, but always benign. */

import { homeOf, places, signIn } from '../events/cloud.ts';
import { sshdFailed, syslog } from '../events/linux.ts';
import { guessedAccounts, strangers } from '../everyday/linux.ts';
import { type Device, devicesWith } from '../fleet.ts';
import { peopleAt } from '../people.ts';
import { createStoryBuilder, type Story } from './story.ts';

/** The hosts that the internet can reach. */
function facingHost(organisationId: number): Device | undefined {
  return devicesWith(organisationId, 'jumpHost')[0] ?? devicesWith(organisationId, 'webServer')[0];
}

export const passwordSpray: Story = {
  name: 'passwordSpray',
  title: 'Password spraying that stays benign',
  ending: 'benign',
  techniques: ['T1110.003'],
  keyRules: ['entra/password-spraying'],
  build(stage) {
    const { site, random } = stage;
    const { at, events } = createStoryBuilder(stage);
    const people = peopleAt(site.organisationId);
    const host = facingHost(site.organisationId);
    const from = random.pick(strangers);
    if (host)
      guessedAccounts.forEach((user, index) => {
        at(index * 0.7, host, people[0]!, (scene) =>
          syslog(scene, {
            program: 'sshd',
            facility: 'auth',
            pid: random.int(900, 60_000),
            text: sshdFailed(user, from, random.int(30_000, 60_000), user === 'root'),
          }),
        );
      });
    const [directory] = devicesWith(site.organisationId, 'directory');
    const place = random.pick([places.bucharest, places.saoPaulo, places.amsterdam]);
    people.slice(0, Math.min(14, people.length)).forEach((person, index) => {
      at(20 + index * 0.5, directory!, person, (scene) =>
        signIn(scene, {
          person,
          from,
          place,
          error: 50126,
          client: 'Authenticated SMTP',
          isSingleFactor: true,
          userAgent: 'python-requests/2.31.0',
          operatingSystem: '',
        }),
      );
    });
    // Normal activity: one of the targeted users signs in from the office.
    at(34, directory!, people[3]!, (scene) =>
      signIn(scene, { person: people[3]!, from: site.publicAddress, place: homeOf(site.organisationId) }),
    );
    return events;
  },
};
