/** Names of the organisations in scope, by id. */
import { useScope } from '../../lib/scope.ts';

export function useClientName() {
  const { clients } = useScope();
  return (id: number) => clients.find((each) => each.id === id)?.name ?? `Organisation ${id}`;
}
