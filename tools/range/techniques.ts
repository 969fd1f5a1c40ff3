/** All techniques, in the order in which they are played. */
import type { Technique } from './technique.ts';

export const techniques: readonly Technique[] = [
  {
    slug: 'range-shadow-read',
    title: 'Password hashes read with sudo',
    techniques: ['T1003.008'],
    how: 'deploy reads /etc/shadow with sudo cat, and copies it to /tmp.',
    expected: 'high',
    host: 'web01',
    user: 'deploy',
    script: 'sudo cat /etc/shadow >/tmp/.s; wc -l /tmp/.s',
    undo: 'rm -f /tmp/.s',
  },
];
