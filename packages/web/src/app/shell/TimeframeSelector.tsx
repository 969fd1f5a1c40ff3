/** The timeframe selector (spec §2.2). A timeframe that only an address can name is listed while it is selected. */
import FormControl from '@mui/material/FormControl';
import InputLabel from '@mui/material/InputLabel';
import MenuItem from '@mui/material/MenuItem';
import Select from '@mui/material/Select';
import { type ReportingMonth, type Timeframe, timeframeLabel, toolbarTimeframes } from '@parapet/contract/rules/timeframe.ts';

interface Props {
  timeframe: Timeframe;
  /** The months of reports, in place of timeframes. */
  months: readonly ReportingMonth[] | undefined;
  onChoose: (timeframe: Timeframe) => void;
}

export function TimeframeSelector({ timeframe, months, onChoose }: Props) {
  const isListed = (toolbarTimeframes as readonly string[]).includes(timeframe);
  const listed: readonly Timeframe[] = isListed ? toolbarTimeframes : [...toolbarTimeframes, timeframe];
  const choices = months ?? listed.map((value) => ({ value, label: timeframeLabel(value) }));
  return (
    <FormControl size="small" sx={{ mt: '5px', width: 176, flex: '0 1 176px', minWidth: 44 }}>
      <InputLabel id="timeframe-label">Timeframe</InputLabel>
      <Select
        labelId="timeframe-label"
        label="Timeframe"
        value={timeframe}
        onChange={(event) => onChoose(event.target.value as Timeframe)}
        sx={{ fontSize: 14 }}
      >
        {choices.map(({ value, label }) => (
          <MenuItem key={value} value={value}>
            {label}
          </MenuItem>
        ))}
      </Select>
    </FormControl>
  );
}
