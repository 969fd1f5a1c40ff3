/** Search and filters of the list of data sources, and what is in use. */
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import type { Tag } from '@parapet/contract/tags.ts';
import { FilterChips } from '../../../kit/FilterChips.tsx';
import { FilterMenu } from '../../../kit/FilterMenu.tsx';
import { SearchField } from '../../../kit/SearchField.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { type DeviceFilters, statesInOrder } from '../deviceFilters.ts';
import { DeviceTypeLabel, deviceTypeLabel } from './DeviceTypeLabel.tsx';
import { SourceState, stateLabel } from './SourceState.tsx';

interface Props {
  filters: DeviceFilters;
  tags: readonly Tag[];
  /** With all clients: whose tag it is. */
  ownerOf: ((tag: Tag) => string) | undefined;
  onChange: (change: { text?: string; type?: string[]; state?: string[]; tag?: (number | string)[] }, replace?: boolean) => void;
}

export function DevicesToolbar({ filters, tags, ownerOf, onChange }: Props) {
  const nameOf = (id: number) => tags.find((tag) => tag.id === id)?.name ?? 'that is deleted';
  const without = <T,>(list: readonly T[], item: T) => list.filter((each) => each !== item);
  const chips = [
    ...filters.type.map((type) => ({
      key: `type ${type}`,
      name: 'Type',
      value: deviceTypeLabel[type],
      onRemove: () => onChange({ type: without<DeviceType>(filters.type, type) }),
    })),
    ...filters.state.map((state) => ({
      key: `state ${state}`,
      name: 'State',
      value: stateLabel[state],
      onRemove: () => onChange({ state: without(filters.state, state) }),
    })),
    ...filters.tag.map((id) => ({
      key: `tag ${id}`,
      name: 'Tag',
      value: nameOf(id),
      onRemove: () => onChange({ tag: without(filters.tag, id) }),
    })),
  ];
  return (
    <>
      <SearchField
        value={filters.text}
        onChange={(text) => onChange({ text }, true)}
        label="Search data sources"
        hasShortcut
        width={260}
      />
      <FilterMenu
        label="Type"
        none=""
        options={deviceTypes.map((type) => ({ value: type, label: <DeviceTypeLabel type={type} /> }))}
        chosen={filters.type}
        onChange={(type) => onChange({ type })}
      />
      <FilterMenu
        label="State"
        none=""
        options={statesInOrder.map((state) => ({ value: state, label: <SourceState state={state} /> }))}
        chosen={filters.state}
        onChange={(state) => onChange({ state })}
      />
      <FilterMenu
        label="Tag"
        none="There is no tag yet"
        options={tags.map((tag) => ({
          value: String(tag.id),
          label: <VisibleText text={ownerOf ? `${tag.name} · ${ownerOf(tag)}` : tag.name} />,
        }))}
        chosen={filters.tag.map(String)}
        onChange={(tag) => onChange({ tag })}
      />
      <FilterChips chips={chips} onClear={() => onChange({ text: '', type: [], state: [], tag: [] })} />
    </>
  );
}
