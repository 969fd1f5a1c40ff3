/** Sections of the settings, by the `tab` of the address. */
export const sections = [
  { id: 'look', title: 'Appearance' },
  { id: 'time', title: 'Time' },
  { id: 'notifications', title: 'Notifications' },
  { id: 'sign-ins', title: 'Sessions' },
  { id: 'second-factor', title: 'MFA' },
  { id: 'api-keys', title: 'API keys' },
  { id: 'chat', title: 'Chat' },
  { id: 'administration', title: 'Administration' },
] as const;
export type SectionId = (typeof sections)[number]['id'];
