/** Tabs of the case page; `id` is the value in the address. */
export const caseTabs = [
  { id: 'story', title: 'Story' },
  { id: 'alerts', title: 'Alerts' },
  { id: 'timeline', title: 'Timeline' },
  { id: 'artifacts', title: 'Artifacts' },
  { id: 'tasks', title: 'Tasks' },
  { id: 'notes', title: 'Notes' },
  { id: 'mail', title: 'Email' },
  { id: 'contact', title: 'Contact' },
] as const;
/** Fragment of the address for the responses, which stand beside every tab. */
export const responsesId = 'responses';
export type CaseTab = (typeof caseTabs)[number]['id'];
export const tabIds = caseTabs.map(({ id }) => id);
