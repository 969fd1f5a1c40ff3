/** The list's state, as it stands in the address. Addresses are typed and edited by people: what makes no sense is as if not there. */
import type { DeviceState } from '@parapet/contract/devices.ts';
import type { DeviceType } from '@parapet/contract/primitives.ts';
import { deviceTypes } from '@parapet/contract/rules/values.ts';
import { listIn, numberIn, type Search } from '../../lib/address.ts';

export interface DeviceFilters {
  text: string;
  type: DeviceType[];
  state: DeviceState[];
  tag: number[];
  page: number;
  pageSize: number;
}

/** As the figures above the list stand. */
export const statesInOrder: readonly DeviceState[] = ['reporting', 'stale', 'silent', 'never'];
const pageSizes = [25, 50, 100];
const defaultPageSize = 50;
const maxTags = 50;

export function deviceFiltersIn(search: Search): DeviceFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  const words = (text: string | undefined) => listIn(text).map((word) => word.toLowerCase());
  const [types, states] = [words(search.type), words(search.state)];
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    type: deviceTypes.filter((type) => types.includes(type.toLowerCase())),
    state: statesInOrder.filter((state) => states.includes(state)),
    tag: [...new Set(listIn(search.tag).map((text) => numberIn(text, 0)))].filter((id) => id > 0).slice(0, maxTags),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

export const isFiltered = ({ text, type, state, tag }: DeviceFilters) =>
  text !== '' || type.length > 0 || state.length > 0 || tag.length > 0;
