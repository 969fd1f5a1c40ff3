/** Password spray from the internet: a few passwords on many accounts without success; alarming, but always benign. */

import { homeOf, places, signIn } from '../events/cloud.ts';
import { passwordGuess } from '../events/linux.ts';
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
    const { on, events } = createStoryBuilder(stage);
    const people = peopleAt(site.organisationId);
    const host = facingHost(site.organisationId);
    const from = random.pick(strangers);
    if (host)
      guessedAccounts.forEach((user, index) => {
        on(host, people[0]!)(index * 0.7, (scene) => passwordGuess(scene, user, from));
      });
    const [directory] = devicesWith(site.organisationId, 'directory');
    const place = random.pick([places.bucharest, places.saoPaulo, places.amsterdam]);
    people.slice(0, Math.min(14, people.length)).forEach((person, index) => {
      on(directory!, person)(20 + index * 0.5, (scene) =>
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
    on(directory!, people[3]!)(34, (scene) =>
      signIn(scene, { person: people[3]!, from: site.publicAddress, place: homeOf(site.organisationId) }),
    );
    return events;
  },
};
