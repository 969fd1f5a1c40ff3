/** Rule match: each condition with its pattern and the event's value, the match highlighted. */
import { styled } from '@mui/material/styles';
import type { AlertDetail } from '@parapet/contract/alerts.ts';
import { CopyButton } from '../../../kit/CopyButton.tsx';
import { MonoText } from '../../../kit/Mono.tsx';
import { palette } from '../../../kit/palette.ts';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { visibleText } from '../../../kit/visible.ts';
import { matchRange } from '../matchRange.ts';
import { modifierText } from '../modifierText.ts';

type Reason = AlertDetail['why'][number];

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': { padding: '8px 0', borderTop: `1px solid ${palette.divider}`, minWidth: 0 },
  '& > li:first-of-type': { borderTop: 0, paddingTop: 0 },
  '& .head': {
    display: 'flex',
    flexWrap: 'wrap',
    alignItems: 'baseline',
    gap: '2px 8px',
    color: palette.text.secondary,
    fontSize: 12,
  },
  '& .field': { color: palette.text.primary, fontWeight: 600, fontSize: 13 },
  // The background makes leading and trailing blanks of a pattern visible.
  '& .pattern': { padding: '0 4px', borderRadius: 4, color: palette.text.primary, backgroundColor: palette.action.selected },
  '& .value': { display: 'flex', alignItems: 'flex-start', gap: 4, marginTop: 2 },
  '& .value > code': { flex: 1, minWidth: 0 },
});

const Condition = styled('div')({
  fontSize: 13,
  'ul + &': { marginTop: 12, paddingTop: 12, borderTop: `1px solid ${palette.divider}` },
  '& > span': { display: 'block', fontSize: 12, color: palette.text.secondary },
});

interface Props {
  reasons: readonly Reason[];
  /** Maximum number of reasons; without it all, with their selections and copy buttons. */
  maxReasons?: number;
  condition?: string;
}

export function Why({ reasons, maxReasons, condition }: Props) {
  const shown = maxReasons === undefined ? reasons : reasons.slice(0, maxReasons);
  return (
    <>
      {shown.length > 0 && (
        <List>
          {shown.map((reason, index) => {
            const field = reason.field ?? 'any field';
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: reasons of one alert may repeat and never change their order.
              <li key={index}>
                <div className="head">
                  <MonoText className="field">
                    <VisibleText text={field} />
                  </MonoText>
                  <span>{modifierText(reason.modifier, reason.field === null)}</span>
                  <MonoText className="pattern">
                    <VisibleText text={reason.pattern} />
                  </MonoText>
                  {maxReasons === undefined && (
                    <span style={{ marginLeft: 'auto' }}>
                      <VisibleText text={reason.selection} />
                    </span>
                  )}
                </div>
                <div className="value">
                  <MonoText>
                    <VisibleText
                      text={reason.value}
                      keepLines
                      hits={matchRange(
                        reason.field === null ? `keyword|${reason.modifier}` : reason.modifier,
                        reason.pattern,
                        reason.value,
                      )}
                    />
                  </MonoText>
                  {maxReasons === undefined && (
                    <CopyButton text={reason.value} label={`Copy the value of ${visibleText(field)}`} size={13} />
                  )}
                </div>
              </li>
            );
          })}
        </List>
      )}
      {condition && (
        <Condition>
          <span>Condition</span>
          <MonoText>
            <VisibleText text={condition} keepLines />
          </MonoText>
        </Condition>
      )}
    </>
  );
}
