/** Organisations for which a setting of a rule can be saved, the selected client first. */
import { allClients } from '@parapet/contract/access.ts';
import type { Choice } from '../../kit/fields.tsx';
import { useScope } from '../../lib/scope.ts';

export function useOrganisationChoices(includesOwn: boolean): { choices: Choice[]; first: number } {
  const { client, who, clients } = useScope();
  const ownId = who.organisationId;
  const others = clients.filter(({ id }) => id !== ownId && id !== allClients);
  return {
    choices: [
      ...(includesOwn ? [{ value: ownId, label: 'Your organisation and its clients' }] : []),
      ...others.map(({ id, name }) => ({ value: id, label: name })),
    ],
    first: client || (includesOwn ? ownId : 0),
  };
}
