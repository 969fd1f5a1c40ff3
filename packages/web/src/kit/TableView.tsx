/** Table settings: density and columns, stored per browser. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import { BarMenu } from './BarMenu.tsx';
import { TuneRounded } from './icons/TuneRounded.tsx';
import { palette } from './palette.ts';
import type { Column } from './table.ts';
import { type Density, defaultState, isShown, type TableState } from './tableState.ts';

const Menu = styled('div')({
  width: 220,
  padding: '12px 14px',
  fontSize: 13,
  '& fieldset': { border: 0, padding: 0, margin: '0 0 10px' },
  '& legend': { padding: '0 0 2px', fontSize: 12, fontWeight: 600, color: palette.text.secondary },
  '& label': { display: 'flex', alignItems: 'center', gap: 8, minHeight: 28, cursor: 'pointer' },
  '& label:has(input:focus-visible)': { outline: `2px solid ${palette.primary.main}`, outlineOffset: 1, borderRadius: 4 },
  '& small': { marginLeft: 'auto', color: palette.text.secondary },
  '& input': { width: 14, height: 14, margin: 0, accentColor: palette.primary.main },
});
const densities: [Density, string][] = [
  ['standard', 'Standard'],
  ['compact', 'Compact'],
];

interface Props<Row> {
  columns: readonly Column<Row>[];
  /** Those that there is room for now. */
  fitted: readonly Column<Row>[];
  state: TableState;
  onState: (state: TableState) => void;
}

export function TableView<Row>({ columns, fitted, state, onState }: Props<Row>) {
  return (
    <BarMenu text="Display" icon={<TuneRounded />} label="Table settings">
      {() => (
        <Menu>
          <fieldset>
            <legend>Density</legend>
            {densities.map(([density, name]) => (
              <label key={density}>
                <input
                  type="radio"
                  name="density"
                  checked={state.density === density}
                  onChange={() => onState({ ...state, density })}
                />
                {name}
              </label>
            ))}
          </fieldset>
          <fieldset>
            <legend>Columns</legend>
            {columns.map((column) => (
              <label key={column.id}>
                <input
                  type="checkbox"
                  checked={isShown(state, column)}
                  disabled={column.isFixed ?? false}
                  onChange={(event) => onState({ ...state, shown: { ...state.shown, [column.id]: event.target.checked } })}
                />
                {column.header}
                {isShown(state, column) && !fitted.includes(column) && <small>no room</small>}
              </label>
            ))}
          </fieldset>
          <Button size="small" onClick={() => onState(defaultState)} sx={{ textTransform: 'none', ml: -0.75 }}>
            Back to the default
          </Button>
        </Menu>
      )}
    </BarMenu>
  );
}
