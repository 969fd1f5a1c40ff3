/**
 * A severity is always an icon of its own shape and a word; the colour comes third. The colours are defined once, as variables of the
 * theme (`--severity-…`), with one set for light and one for dark surfaces; the fallbacks only serve parts drawn outside a theme.
 */
import Box from '@mui/material/Box';
import type { ReactNode } from 'react';

export type SeverityName = 'critical' | 'high' | 'medium' | 'low' | 'informational';
export const severityNames: readonly SeverityName[] = ['critical', 'high', 'medium', 'low', 'informational'];
export const severityLabel: Record<SeverityName, string> = {
  critical: 'Critical',
  high: 'High',
  medium: 'Medium',
  low: 'Low',
  informational: 'Informational',
};

const fallback: Record<SeverityName, string> = {
  critical: '#b3123f',
  high: '#c2500a',
  medium: '#9a7200',
  low: '#2f6fb0',
  informational: '#6b7280',
};
export const severityColor = (severity: SeverityName) => `var(--severity-${severity}, ${fallback[severity]})`;

const knockout = { fill: 'none', stroke: 'var(--severity-knockout, #fff)', strokeWidth: 1.8, strokeLinecap: 'round' } as const;
const shapes: Record<SeverityName, ReactNode> = {
  critical: (
    <>
      <path d="M5.2 1h5.6L15 5.2v5.6L10.8 15H5.2L1 10.8V5.2z" fill="currentColor" />
      <path d="M8 4.4v4M8 11.3v.1" {...knockout} />
    </>
  ),
  high: (
    <>
      <path d="M7.1 1.9a1 1 0 0 1 1.8 0l6 11.2a1 1 0 0 1-.9 1.5H2a1 1 0 0 1-.9-1.5z" fill="currentColor" />
      <path d="M8 6v3.4M8 12v.1" {...knockout} strokeWidth={1.6} />
    </>
  ),
  medium: (
    <path d="M7.3 1.3a1 1 0 0 1 1.4 0l6 6a1 1 0 0 1 0 1.4l-6 6a1 1 0 0 1-1.4 0l-6-6a1 1 0 0 1 0-1.4z" fill="currentColor" />
  ),
  low: <circle cx="8" cy="8" r="5.6" fill="none" stroke="currentColor" strokeWidth="2.2" />,
  informational: (
    <g fill="none" stroke="currentColor" strokeWidth="1.6" strokeLinecap="round">
      <rect x="1.8" y="1.8" width="12.4" height="12.4" rx="3" />
      <path d="M8 7.6v3.6M8 4.8v.1" />
    </g>
  ),
};

/** The shape alone; give it a `label` where no word stands beside it. */
export function SeverityIcon({ severity, label }: { severity: SeverityName; label?: string }) {
  const name = label ? { role: 'img', 'aria-label': label } : { 'aria-hidden': true };
  return (
    // biome-ignore lint/a11y/noSvgWithoutTitle: named by aria-label, or hidden.
    <svg
      viewBox="0 0 16 16"
      width={14}
      height={14}
      style={{ flex: 'none', display: 'block', color: severityColor(severity) }}
      {...name}
    >
      {shapes[severity]}
    </svg>
  );
}

/** Icon and word in a line: for tables. */
export function SeverityLabel({ severity }: { severity: SeverityName }) {
  return (
    <span className="cell-severity">
      <SeverityIcon severity={severity} />
      {severityLabel[severity]}
    </span>
  );
}

/** Icon and word in a hairline frame: for headers. */
export function SeverityChip({ severity }: { severity: SeverityName }) {
  return (
    <Box
      component="span"
      sx={{
        display: 'inline-flex',
        alignItems: 'center',
        gap: 0.75,
        height: 24,
        pl: 0.75,
        pr: 1,
        borderRadius: 1,
        fontSize: 12,
        fontWeight: 600,
        border: '1px solid',
        borderColor: severityColor(severity),
        bgcolor: `color-mix(in srgb, ${severityColor(severity)} 10%, transparent)`,
        color: 'text.primary',
      }}
    >
      <SeverityIcon severity={severity} />
      {severityLabel[severity]}
    </Box>
  );
}
