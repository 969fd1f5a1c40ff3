/** Colours of the selected theme, as the CSS variables that `app/theme` declares. */
const variable = <Name extends string>(name: Name) => `var(--mui-palette-${name})` as const;

export const palette = {
  divider: variable('divider'),
  text: { primary: variable('text-primary'), secondary: variable('text-secondary') },
  background: { default: variable('background-default'), paper: variable('background-paper') },
  action: { hover: variable('action-hover'), selected: variable('action-selected') },
  primary: { main: variable('primary-main'), dark: variable('primary-dark'), contrastText: variable('primary-contrastText') },
  error: { main: variable('error-main') },
  warning: { main: variable('warning-main') },
  success: { main: variable('success-main') },
} as const;
