/** Search and filters of the list of users, and what is in use. */
import { roles } from '@parapet/contract/users.ts';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import type { Query } from '../../../lib/paths.ts';
import { noFilters, type UserFilters, userStates } from '../userFilters.ts';
import { factorLabel, stateLabel } from './userColumns.tsx';

interface Props {
  filters: UserFilters;
  onChange: (patch: Query, replace?: boolean) => void;
}

export function UsersToolbar({ filters, onChange }: Props) {
  const without = (list: readonly string[], item: string) => list.filter((each) => each !== item);
  const chips = [
    ...filters.role.map((role) => ({
      key: `role ${role}`,
      name: 'Role',
      value: role,
      onRemove: () => onChange({ role: without(filters.role, role) }),
    })),
    ...filters.state.map((state) => ({
      key: `state ${state}`,
      name: 'State',
      value: stateLabel[state],
      onRemove: () => onChange({ state: without(filters.state, state) }),
    })),
    ...(filters.mfa
      ? [
          {
            key: 'mfa',
            name: 'Second factor',
            value: factorLabel[filters.mfa],
            onRemove: () => onChange({ mfa: undefined }),
          },
        ]
      : []),
  ];
  return (
    <>
      <SearchField
        value={filters.text}
        onChange={(text) => onChange({ text }, true)}
        label="Search users"
        hasShortcut
        width={240}
      />
      <FilterMenu
        label="Role"
        none=""
        options={roles.map(({ name }) => ({ value: name, label: name }))}
        chosen={filters.role}
        onChange={(role) => onChange({ role })}
      />
      <FilterMenu
        label="State"
        none=""
        options={userStates.map((state) => ({ value: state, label: stateLabel[state] }))}
        chosen={filters.state}
        onChange={(state) => onChange({ state })}
      />
      <FilterMenu
        label="Second factor"
        none=""
        options={(['set', 'unset'] as const).map((mfa) => ({ value: mfa, label: factorLabel[mfa] }))}
        chosen={filters.mfa ? [filters.mfa] : []}
        // One at most: choosing the other replaces it.
        onChange={(chosen) => onChange({ mfa: chosen.at(-1) })}
      />
      <FilterChips chips={chips} onClear={() => onChange(noFilters)} />
    </>
  );
}
