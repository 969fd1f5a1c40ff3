/** Key figures of a report section: value, change against the previous month, target. */
import { styled } from '@mui/material/styles';
import type { ReportFigure } from '@parapet/contract/reports.ts';
import { CheckCircleOutlineRounded } from '../../../kit/icons/CheckCircleOutlineRounded.tsx';
import { HighlightOffRounded } from '../../../kit/icons/HighlightOffRounded.tsx';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { AppLink } from '../../../lib/AppLink.tsx';
import { figureHref, type ReportPlace } from '../reports.links.ts';
import { changeOf, valueText } from '../reportText.ts';

const Grid = styled('dl')({
  display: 'grid',
  gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 190px), 1fr))',
  '@media (max-width: 599.95px)': { gridTemplateColumns: 'repeat(auto-fill, minmax(min(100%, 140px), 1fr))' },
  margin: 0,
  border: `1px solid ${palette.divider}`,
  borderRadius: 8,
  overflow: 'hidden',
  backgroundColor: palette.background.paper,
  '& > div': {
    boxShadow: `0 0 0 0.5px ${palette.divider}`,
    padding: '8px 16px 10px',
    display: 'flex',
    flexDirection: 'column',
    minWidth: 0,
  },
  '& dt': { fontSize: 12, lineHeight: '16px', color: palette.text.secondary, overflowWrap: 'anywhere' },
  '& dd': { margin: 0, fontVariantNumeric: 'tabular-nums' },
  '& dd.value': { fontSize: 20, lineHeight: '28px', fontWeight: 650, letterSpacing: '-0.01em' },
  '& dd.value.none': { fontSize: 14, fontWeight: 400, color: palette.text.secondary },
  '& dd.value a': { color: 'inherit', textDecorationColor: palette.divider, textUnderlineOffset: 4 },
  '& dd.more': { fontSize: 12, lineHeight: '18px', color: palette.text.secondary },
  '& .target': { display: 'inline-flex', alignItems: 'center', gap: 4, color: palette.text.primary },
  '& svg': { fontSize: 15 },
});
const arrows = { up: '↑', down: '↓', level: '→' } as const;

export function Figures({ figures, place }: { figures: readonly ReportFigure[]; place: ReportPlace }) {
  return (
    <Grid>
      {figures.map((figure) => {
        const { text, whole } = valueText(figure.value, figure.unit);
        const change = changeOf(figure);
        const href = figure.value === null || figure.value === 0 ? undefined : figureHref(figure.id, place);
        const shown = <span title={whole === text ? undefined : whole}>{text}</span>;
        return (
          <div key={figure.id}>
            <dt>
              <VisibleText text={figure.name} />
            </dt>
            <dd className={figure.value === null ? 'value none' : 'value'}>
              {href ? <AppLink href={href}>{shown}</AppLink> : shown}
            </dd>
            {change && (
              <dd className="more" title={change.whole}>
                <span aria-hidden>{arrows[change.direction]}</span> {change.text} · {change.whole}
              </dd>
            )}
            {figure.target !== null && (
              <dd className="more">
                {figure.isMet === null ? (
                  `Target ${valueText(figure.target, figure.unit).text}`
                ) : (
                  <span className="target">
                    {figure.isMet ? <CheckCircleOutlineRounded aria-hidden /> : <HighlightOffRounded aria-hidden />}
                    Target {valueText(figure.target, figure.unit).text} {figure.isMet ? 'met' : 'missed'}
                  </span>
                )}
              </dd>
            )}
          </div>
        );
      })}
    </Grid>
  );
}
