/**
 * Applies the chosen appearance: colours of the light and the dark theme as CSS variables in one sheet, the rest as attributes of the root
 * element. React renders nothing for it, so that a change of theme costs one style recalculation.
 */
import { worksInLists } from '@parapet/contract/access.ts';
import { type Density, setUsualDensity } from '../../kit/tableState.ts';
import { setHourCycle } from '../../kit/time.ts';
import { currentBrand, onBrand } from '../../lib/brand.ts';
import { type Palette, paletteOf, standardOf } from '../../lib/palettes.ts';
import { roleHolderOf, session } from '../../lib/session.ts';
import type { Settings } from '../../lib/settings.ts';
import { settingsStore } from '../../lib/settingsStore.ts';
import { withAccent } from './accent.ts';
import { signalVariables } from './signals.ts';
import { createPortalTheme, schemeAttribute } from './theme.ts';

/** The values that `public/scheme.js` applies before anything else is loaded. */
const paintKey = 'portal-paint';

type Declarations = Record<string, unknown>;

const declared = (declarations: Declarations) =>
  Object.entries(declarations)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => `${name}:${value};`)
    .join('');

/** The variables of the theme and of one light and one dark palette as CSS. Print is always light. */
export function sheetOf(light: Palette, dark: Palette): string {
  // Present on themes with CSS variables; missing in MUI’s type.
  const theme = createPortalTheme(light, dark) as unknown as { generateStyleSheets: () => Record<string, Declarations>[] };
  const sheets = theme.generateStyleSheets();
  const rules = sheets.flatMap((sheet) => Object.entries(sheet));
  const own = ({ mode, control }: Palette) => ({ 'color-scheme': mode, '--control-border': control, ...signalVariables(mode) });
  const isOfDark = (selector: string) => selector.includes('"dark"');
  const darkRules = rules.filter(([selector]) => isOfDark(selector)).map(([, each]) => declared(each));
  const allRules = rules.filter(([selector]) => !isOfDark(selector)).map(([, each]) => declared(each));
  return [
    `:root{${allRules.join('')}${declared(own(light))}}`,
    `@media not print{:root[${schemeAttribute}="dark"]{${darkRules.join('')}${declared(own(dark))}}}`,
  ].join('\n');
}

const chosen = ({ lightTheme, darkTheme }: Settings): [light: Palette, dark: Palette] => {
  const { accentLight, accentDark } = currentBrand();
  const dress = (palette: Palette, accent: string) =>
    palette.id === standardOf[palette.mode] ? withAccent(palette, accent) : palette;
  return [dress(paletteOf('light', lightTheme), accentLight), dress(paletteOf('dark', darkTheme), accentDark)];
};

function densityOf({ density }: Settings): Density {
  if (density !== 'auto') return density;
  const state = session.state();
  return state.status === 'signedIn' && worksInLists(roleHolderOf(state.user)) ? 'compact' : 'standard';
}

const sheet = new CSSStyleSheet();
const system = matchMedia('(prefers-color-scheme: dark)');
let dressedAs = '';

function dress(): void {
  const { settings } = settingsStore.preferences();
  const [light, dark] = chosen(settings);
  const now = [light.id, light.accent, dark.id, dark.accent].join();
  if (now !== dressedAs) sheet.replaceSync(sheetOf(light, dark));
  dressedAs = now;
  const isDark = settings.mode === 'system' ? system.matches : settings.mode === 'dark';
  const { dataset } = document.documentElement;
  dataset.scheme = isDark ? 'dark' : 'light';
  dataset.scrollbars = settings.customScrollbars ? 'custom' : 'system';
  dataset.animations = settings.animations ? 'on' : 'off';
  const density = densityOf(settings);
  dataset.density = density;
  setUsualDensity(density);
  setHourCycle(settings.timeFormat === '12' ? 'h12' : 'h23');
  // Removes the colours of the first paint.
  document.documentElement.removeAttribute('style');
  try {
    const paint = { mode: settings.mode, light: [light.ground, light.quietText], dark: [dark.ground, dark.quietText] };
    localStorage.setItem(paintKey, JSON.stringify(paint));
  } catch {
    // The default colours apply to the first paint.
  }
}

/** Called once, before React renders. */
export function connectStyles(): void {
  document.adoptedStyleSheets.push(sheet);
  dress();
  settingsStore.subscribe(dress);
  onBrand(dress);
  system.addEventListener('change', dress);
}
