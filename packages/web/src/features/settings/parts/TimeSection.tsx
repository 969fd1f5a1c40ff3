/** Time settings: time zone of days and times, and 12- or 24-hour clock. */
import Autocomplete from '@mui/material/Autocomplete';
import TextField from '@mui/material/TextField';
import { useMemo } from 'react';
import { Card } from '../../../kit/Card.tsx';
import { AbsoluteTime } from '../../../kit/RelativeTime.tsx';
import { isTimeZone } from '../../../lib/settings.ts';
import { changeSettings, useSettings } from '../../../lib/settingsStore.ts';
import { browserTimeZone } from '../../../lib/zone.ts';
import { ChoiceGroup } from './ChoiceGroup.tsx';
import { Stack } from './settings.styles.ts';

/** Current names that browsers support but list under older names. */
const currentNames = ['Asia/Kolkata', 'Asia/Kathmandu', 'Asia/Ho_Chi_Minh', 'Asia/Yangon', 'Europe/Kyiv', 'America/Nuuk'];

export function TimeSection() {
  const { timeZone, timeFormat } = useSettings();
  const browser = browserTimeZone();
  const zones = useMemo(() => {
    const known = new Set([...Intl.supportedValuesOf('timeZone'), ...currentNames.filter(isTimeZone)]);
    known.delete('UTC');
    return ['', 'UTC', ...[...known].sort()];
  }, []);
  const now = useMemo(() => new Date().toISOString(), []);
  const nameOf = (zone: string) => (zone === '' ? `Browser time zone (${browser})` : zone.replaceAll('_', ' '));
  return (
    <Card title="Time" purpose="Also determines days and months in charts, timeframes and lists.">
      <Stack>
        <Autocomplete
          size="small"
          sx={{ maxWidth: 420 }}
          disableClearable
          autoHighlight
          options={zones.includes(timeZone) ? zones : [...zones, timeZone]}
          value={timeZone}
          getOptionLabel={nameOf}
          getOptionKey={(zone) => zone || 'browser'}
          noOptionsText="No matching time zones"
          onChange={(_, zone) => changeSettings({ timeZone: zone })}
          renderInput={(params) => <TextField {...params} label="Time zone" />}
          slotProps={{ listbox: { sx: { maxHeight: '40vh', fontSize: 14 } } }}
        />
        <ChoiceGroup
          legend="Clock"
          value={timeFormat}
          choices={[
            ['24', '24 hours'],
            ['12', '12 hours'],
          ]}
          onChoose={(next) => changeSettings({ timeFormat: next })}
        />
        <p style={{ margin: 0 }}>
          Current time: <AbsoluteTime key={`${timeZone}${timeFormat}`} at={now} timeZone={timeZone || browser} />
        </p>
      </Stack>
    </Card>
  );
}
