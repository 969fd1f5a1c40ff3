/** The list's state, as it stands in the address. Addresses are typed and edited by people: what makes no sense is as if not there. */
import { type DeviceType, deviceTypes } from '@parapet/contract/primitives.ts';
import { listIn, numberIn, type Search } from '../../lib/address.ts';

export interface DeviceFilters {
  text: string;
  type: DeviceType[];
  tag: number[];
  page: number;
  pageSize: number;
}

const pageSizes = [25, 50, 100];
const defaultPageSize = 50;
const mostTags = 50;

export function deviceFiltersIn(search: Search): DeviceFilters {
  const pageSize = numberIn(search.pageSize, defaultPageSize);
  const asked = listIn(search.type).map((type) => type.toLowerCase());
  return {
    text: (search.text ?? '').trim().slice(0, 200),
    type: deviceTypes.filter((type) => asked.includes(type.toLowerCase())),
    tag: [...new Set(listIn(search.tag).map((text) => numberIn(text, 0)))].filter((id) => id > 0).slice(0, mostTags),
    page: numberIn(search.page, 1),
    pageSize: pageSizes.includes(pageSize) ? pageSize : defaultPageSize,
  };
}

export const isFiltered = ({ text, type, tag }: DeviceFilters) => text !== '' || type.length > 0 || tag.length > 0;
