/** Look: colours, layout, density. Everything shows at once and is kept for all of one's machines. */
import Button from '@mui/material/Button';
import { Card } from '../../../kit/Card.tsx';
import { defaultSettings, type Settings } from '../../../lib/settings.ts';
import { changeSettings, useSettings } from '../../../lib/settingsStore.ts';
import { ChoiceGroup, OnOff } from './ChoiceGroup.tsx';
import { Stack } from './looks.ts';
import { ThemePicker } from './ThemePicker.tsx';

const lookNames = [
  'lightTheme',
  'darkTheme',
  'mode',
  'layoutStyle',
  'layoutMode',
  'toolbar',
  'navbar',
  'navbarFolded',
  'footer',
  'customScrollbars',
  'animations',
  'density',
] as const satisfies (keyof Settings)[];

export function AppearanceSection() {
  const settings = useSettings();
  // Whoever picks a dark theme wants to see it; who follows the system sees it when that is dark.
  const chooseTheme = (mode: 'light' | 'dark') => (id: string) =>
    changeSettings({
      [mode === 'light' ? 'lightTheme' : 'darkTheme']: id,
      ...(settings.mode === 'system' ? {} : { mode }),
    });
  const isStandard = lookNames.every((name) => settings[name] === defaultSettings[name]);
  return (
    <>
      <Card title="Theme" purpose="Severities and device types keep their colours in every theme.">
        <Stack>
          <ChoiceGroup
            legend="Colours"
            value={settings.mode}
            choices={[
              ['system', 'Follow the system'],
              ['light', 'Always light'],
              ['dark', 'Always dark'],
            ]}
            onChoose={(mode) => changeSettings({ mode })}
            hint="Following the system, the chosen light theme shows by day and the chosen dark one by night, as your system does."
          />
          <ThemePicker mode="light" legend="Light themes" value={settings.lightTheme} onChoose={chooseTheme('light')} />
          <ThemePicker mode="dark" legend="Dark themes" value={settings.darkTheme} onChoose={chooseTheme('dark')} />
        </Stack>
      </Card>
      <Card title="Layout">
        <Stack>
          <ChoiceGroup
            legend="Width"
            value={settings.layoutMode}
            choices={[
              ['container', 'Container'],
              ['fullwidth', 'Full width'],
              ['boxed', 'Boxed'],
            ]}
            onChoose={(layoutMode) => changeSettings({ layoutMode })}
            hint="Container: pages are at most 1400 px wide. Full width: they fill the window. Boxed: the navigation too stands within 1400 px."
          />
          <ChoiceGroup
            legend="Navigation"
            value={settings.layoutStyle}
            choices={[
              ['horizontal', 'Beside the content'],
              ['vertical', 'Above the content'],
            ]}
            onChoose={(layoutStyle) => changeSettings({ layoutStyle })}
          />
          <OnOff
            label="Show the navigation"
            isOn={settings.navbar}
            onChange={(navbar) => changeSettings({ navbar })}
            hint="Off, the menu button of the toolbar opens it over the page."
          />
          <OnOff
            label="Fold the navigation to icons"
            isOn={settings.navbarFolded}
            onChange={(navbarFolded) => changeSettings({ navbarFolded })}
            hint="Resting the pointer on it opens it. Beside the content only."
          />
          <ChoiceGroup
            legend="Toolbar"
            value={settings.toolbar}
            choices={[
              ['above', 'Above'],
              ['below', 'Below'],
            ]}
            onChoose={(toolbar) => changeSettings({ toolbar })}
          />
          <ChoiceGroup
            legend="Footer"
            value={settings.footer}
            choices={[
              ['static', 'At the end of the page'],
              ['fixed', 'Always in sight'],
            ]}
            onChoose={(footer) => changeSettings({ footer })}
          />
        </Stack>
      </Card>
      <Card title="Details">
        <Stack>
          <ChoiceGroup
            legend="Density"
            value={settings.density}
            choices={[
              ['standard', 'Standard'],
              ['compact', 'Compact'],
            ]}
            onChoose={(density) => changeSettings({ density })}
            hint="How close together the rows of lists stand. A list’s own View menu can differ."
          />
          <OnOff
            label="Custom scrollbars"
            isOn={settings.customScrollbars}
            onChange={(customScrollbars) => changeSettings({ customScrollbars })}
          />
          <OnOff
            label="Animations"
            isOn={settings.animations}
            onChange={(animations) => changeSettings({ animations })}
            hint="Where your system asks for reduced motion there are none in any case."
          />
          <div>
            <Button
              variant="outlined"
              disabled={isStandard}
              onClick={() => changeSettings(Object.fromEntries(lookNames.map((name) => [name, defaultSettings[name]])))}
            >
              Back to the standard look
            </Button>
          </div>
        </Stack>
      </Card>
    </>
  );
}
