/** The tabs of a case, as they stand in its address. */
export const caseTabs = [
  { id: 'summary', title: 'Summary' },
  { id: 'alerts', title: 'Alerts' },
  { id: 'timeline', title: 'Timeline' },
  { id: 'artifacts', title: 'Artifacts' },
  { id: 'tasks', title: 'Tasks' },
  { id: 'notes', title: 'Notes' },
  { id: 'mail', title: 'Mail' },
  { id: 'contact', title: 'Contact' },
] as const;
export type CaseTab = (typeof caseTabs)[number]['id'];
export const tabIds = caseTabs.map(({ id }) => id);
