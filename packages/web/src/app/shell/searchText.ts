/** spec §2.2. */
export const searchText = 'Search for an app or page';
export const noResultsText = 'No results..';
