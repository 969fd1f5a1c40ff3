/** Brands of the demo’s partners, and the instructions its clients have given to the SOC. */
import type { alertTypes } from '@parapet/contract/organisations.ts';
import type { Organisation } from '@parapet/world/organisations.ts';
import { peopleAt } from '@parapet/world/people.ts';

/** Accents with AA contrast in their mode (WCAG 2.2). The provider keeps the default. */
export const accents: Record<number, { accent_light: string; accent_dark: string }> = {
  2: { accent_light: '#1f5fa8', accent_dark: '#8ab8f0' },
  3: { accent_light: '#9a4a12', accent_dark: '#f0a868' },
};

const levels: Record<number, number> = { 10: 3, 11: 2, 12: 3, 20: 2, 21: 1, 30: 3 };

export const watchedAt = ({ id, name }: Organisation) => ({
  subscription_level_id: levels[id] ?? 1,
  general_alert_notes: `${name} has its servers patched on the second Sunday of the month, 02:00 to 06:00 local time: restarts are expected then.`,
  alert_playbook: [
    '1. Call the first emergency contact for anything that is critical, at any hour.',
    '2. Isolate a workstation at once when ransomware is suspected; ask before a server.',
    '3. A blocked account is reported to the service desk by email, with the reason.',
  ].join('\n'),
  alert_types: ['Malware', 'Identity', 'Email', 'Network'] satisfies (typeof alertTypes)[number][],
});

/** Emergency contacts in order: two of its IT staff. */
export const contactsAt = ({ id }: Organisation) =>
  peopleAt(id)
    .slice(0, 2)
    .map((person, index) => ({
      organisation_id: id,
      position: index + 1,
      name: `${person.firstName} ${person.lastName}`,
      title: index === 0 ? 'Head of IT' : 'System administrator',
      phone_number: `+1 202 555 01${String(60 + (id % 20) + index * 20).padStart(2, '0')}`,
      email_address: person.email,
      hours: index === 0 ? 'At any hour' : 'Weekdays, 08:00 to 18:00',
    }));

export const escalationsAt = ({ id, domain, emailAddress }: Organisation) => [
  { organisation_id: id, email_type: 'to' as const, email_address: `security@${domain}` },
  { organisation_id: id, email_type: 'cc' as const, email_address: emailAddress },
];
