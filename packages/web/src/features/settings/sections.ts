/** The sections of the settings: each has an address of its own. */
export const sections = [
  { id: 'look', title: 'Look' },
  { id: 'time', title: 'Time' },
  { id: 'notifications', title: 'Notifications' },
  { id: 'sign-ins', title: 'Sign-ins' },
  { id: 'second-factor', title: 'Second factor' },
  { id: 'api-keys', title: 'API keys' },
  { id: 'administration', title: 'Administration' },
] as const;
export type SectionId = (typeof sections)[number]['id'];
