/** Appearance settings: theme, layout, density. Changes apply immediately and are stored with the account. */
import Button from '@mui/material/Button';
import { Card } from '../../../kit/Card.tsx';
import { defaultSettings, type Settings } from '../../../lib/settings.ts';
import { changeSettings, useSettings } from '../../../lib/settingsStore.ts';
import { ChoiceGroup, OnOff } from './ChoiceGroup.tsx';
import { Stack } from './settings.styles.ts';
import { ThemePicker } from './ThemePicker.tsx';

const appearanceSettings = [
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
  // Selecting a theme switches to its mode, unless the mode follows the system.
  const chooseTheme = (mode: 'light' | 'dark') => (id: string) =>
    changeSettings({
      [mode === 'light' ? 'lightTheme' : 'darkTheme']: id,
      ...(settings.mode === 'system' ? {} : { mode }),
    });
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
            hint="Following the system, the light or dark theme is used as your system switches."
          />
          <ThemePicker mode="light" legend="Light themes" value={settings.lightTheme} onChoose={chooseTheme('light')} />
          <ThemePicker mode="dark" legend="Dark themes" value={settings.darkTheme} onChoose={chooseTheme('dark')} />
        </Stack>
      </Card>
      <Stack>
        <LayoutCard settings={settings} />
        <DetailsCard settings={settings} />
      </Stack>
    </>
  );
}

function LayoutCard({ settings }: { settings: Settings }) {
  return (
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
          hint="Container: pages are at most 1400 px wide. Full width: pages fill the window. Boxed: pages and navigation fit within 1400 px."
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
          hint="When off, the toolbar’s menu button opens it over the page."
        />
        <OnOff
          label="Collapse the navigation to icons"
          isOn={settings.navbarFolded}
          onChange={(navbarFolded) => changeSettings({ navbarFolded })}
          hint="Hover to expand. Beside the content only."
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
            ['fixed', 'Always visible'],
          ]}
          onChoose={(footer) => changeSettings({ footer })}
        />
      </Stack>
    </Card>
  );
}

function DetailsCard({ settings }: { settings: Settings }) {
  const isDefault = appearanceSettings.every((name) => settings[name] === defaultSettings[name]);
  return (
    <Card title="Details">
      <Stack>
        <ChoiceGroup
          legend="Density"
          value={settings.density}
          choices={[
            ['auto', 'Automatic'],
            ['standard', 'Standard'],
            ['compact', 'Compact'],
          ]}
          onChoose={(density) => changeSettings({ density })}
          hint="Row height of lists. Automatic: compact for analysts. Each list’s Display menu can override it."
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
          hint="Always off when your system requests reduced motion."
        />
        <div>
          <Button
            variant="outlined"
            disabled={isDefault}
            onClick={() => changeSettings(Object.fromEntries(appearanceSettings.map((name) => [name, defaultSettings[name]])))}
          >
            Restore defaults
          </Button>
        </div>
      </Stack>
    </Card>
  );
}
