/**
 * Colours that carry meaning: severities and device types, one set for light and one for dark surfaces, nowhere else. Chosen by search:
 * each stands 3:1 off its surfaces, and any two of a set stay apart also for people with protanopia, deuteranopia or tritanopia
 * (`colors.test.ts` computes both). Never the only sign: an icon or a word stands beside them.
 */
import type { DeviceType, Severity } from '@parapet/contract/primitives.ts';
import type { Mode } from '../../lib/palettes.ts';

export const severityColors: Record<Mode, Record<Severity, string>> = {
  light: { critical: '#8a0630', high: '#b83b0c', medium: '#b98400', low: '#1558b0', informational: '#778194' },
  dark: { critical: '#f5426a', high: '#ff9a40', medium: '#f6e36a', low: '#2f95e6', informational: '#a3afc0' },
};

/** The sign inside a severity's shape. */
export const severityKnockout: Record<Mode, string> = { light: '#ffffff', dark: '#14171d' };

export const deviceTypeColors: Record<Mode, Record<DeviceType, string>> = {
  light: {
    server: '#5b51d7',
    workstation: '#0695b2',
    networkDevice: '#0b4a20',
    productivity: '#8f8a0d',
    cloudPlatform: '#660f82',
    cloudApp: '#a04f62',
  },
  dark: {
    server: '#6a80f2',
    workstation: '#9debf8',
    networkDevice: '#74be7b',
    productivity: '#fbe272',
    cloudPlatform: '#d99bec',
    cloudApp: '#b87284',
  },
};

/** As CSS variables: `--severity-critical`, `--severity-knockout`, `--device-server` … */
export function signalVariables(mode: Mode): Record<string, string> {
  return Object.fromEntries([
    ...Object.entries(severityColors[mode]).map(([name, color]) => [`--severity-${name}`, color]),
    ['--severity-knockout', severityKnockout[mode]],
    ...Object.entries(deviceTypeColors[mode]).map(([name, color]) => [`--device-${name}`, color]),
  ]);
}
