/** The grid as a quiet instrument: hairlines, no boxes in boxes, small type, tabular figures. */
import type { SxProps, Theme } from '@mui/material/styles';
import { palette } from './palette.ts';
import type { RowId } from './selection.ts';

export const gridStyles: SxProps<Theme> = {
  border: 0,
  borderRadius: 0,
  fontSize: 13,
  fontVariantNumeric: 'tabular-nums',
  '--DataGrid-t-color-background-base': 'transparent',
  '--DataGrid-containerBackground': palette.background.paper,
  '& .MuiDataGrid-columnHeader': { px: '10px', fontSize: 12, color: 'text.secondary', bgcolor: 'background.paper' },
  '& .MuiDataGrid-columnHeaderTitle': { fontWeight: 600 },
  '& .MuiDataGrid-columnHeader--sorted .MuiDataGrid-columnHeaderTitle': { color: 'text.primary' },
  '& .MuiDataGrid-columnSeparator': { color: 'divider', opacity: 0 },
  '& .MuiDataGrid-columnHeaders:hover .MuiDataGrid-columnSeparator': { opacity: 1 },
  '& .MuiDataGrid-sortIcon': { fontSize: 16 },
  '.density-compact & .MuiDataGrid-cell': { px: '8px' },
  '& .MuiDataGrid-cell': { px: '10px', borderColor: 'divider', display: 'flex', alignItems: 'center' },
  '& .MuiDataGrid-cell--textRight': { justifyContent: 'flex-end' },
  '& .MuiDataGrid-cell > *': { minWidth: 0 },
  '& .MuiDataGrid-cell:focus, & .MuiDataGrid-columnHeader:focus, & .MuiDataGrid-cell:focus-within': {
    outline: '2px solid',
    outlineColor: palette.primary.main,
    outlineOffset: '-2px',
    borderRadius: '4px',
  },
  '& .MuiDataGrid-cell:focus:not(:focus-visible)': { outline: 'none' },
  '& .MuiDataGrid-row': { cursor: 'pointer' },
  '& .MuiDataGrid-row:hover': { bgcolor: 'action.hover' },
  '& .MuiDataGrid-row.is-fresh': {
    backgroundColor: `color-mix(in srgb, ${palette.primary.main} 7%, transparent)`,
  },
  '& .MuiDataGrid-columnHeaderCheckbox, & .MuiDataGrid-cellCheckbox': { px: 0 },
  '& .MuiDataGrid-checkboxInput': { p: '4px' },
  '& .MuiDataGrid-checkboxInput svg': { fontSize: 18 },
};

/** For a box around the grid that takes no place: marks the previewed row without rendering the rows. */
export const markedRow = (id: RowId | undefined): SxProps<Theme> => ({
  display: 'contents',
  ...(id !== undefined && {
    [`&& .MuiDataGrid-row[data-id="${CSS.escape(String(id))}"]`]: {
      bgcolor: 'action.selected',
      boxShadow: `inset 3px 0 0 ${palette.primary.main}`,
    },
  }),
});
