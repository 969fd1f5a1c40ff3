/** Rules that join names, each of which can be switched off: the undo of a merge. */
import Button from '@mui/material/Button';
import { styled } from '@mui/material/styles';
import type { IdentityRule } from '@parapet/contract/identities.ts';
import { useState } from 'react';
import { ConfirmDialog } from '../../../kit/ConfirmDialog.tsx';
import { palette } from '../../../kit/palette.ts';
import { Section } from '../../../kit/Section.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useSwitchRule } from '../identities.queries.ts';

const kindLabel: Record<IdentityRule['kind'], string> = {
  account: 'Same account',
  domain: 'Same domain',
  host: 'Same host',
  suffix: 'Host suffix',
  shared: 'Shared account',
  bare: 'Names without a domain',
  sid: 'SIDs',
};
const originLabel: Record<IdentityRule['origin'], string> = { manual: 'manual', learnt: 'learned', default: 'default' };

const List = styled('ul')({
  margin: 0,
  padding: 0,
  listStyle: 'none',
  fontSize: 13,
  '& > li': { display: 'flex', flexWrap: 'wrap', alignItems: 'center', gap: '2px 12px', padding: '6px 0' },
  '& > li:first-of-type': { paddingTop: 0 },
  '& > li:last-of-type': { paddingBottom: 0 },
  '& > li + li': { borderTop: `1px solid ${palette.divider}` },
  '& .rule': { flex: '1 1 280px', minWidth: 0, overflowWrap: 'anywhere' },
  '& .reason': { fontSize: 12, color: palette.text.secondary },
});

const Fold = styled('details')({
  marginBottom: 16,
  '& > summary': { width: 'fit-content', marginBottom: 8, fontSize: 14, fontWeight: 600, cursor: 'pointer' },
  '& > summary > small': { marginLeft: 4, fontSize: 12, fontWeight: 400, color: palette.text.secondary },
});

const subjectOf = ({ kind, name, sameAs }: IdentityRule): string =>
  `${kindLabel[kind]}${name ? `: ${name}` : ''}${sameAs ? ` = ${sameAs}` : ''}`;

export function IdentityRules({ client, rules }: { client: number; rules: readonly IdentityRule[] }) {
  const [chosen, setChosen] = useState<IdentityRule>();
  const change = useSwitchRule();
  const on = rules.filter(({ isActive }) => isActive).length;
  const isUndo = chosen?.origin === 'manual' && chosen.isActive;
  return (
    <Fold>
      <summary>
        Identity rules <small>{on === rules.length ? `all ${on} on` : `${on} of ${rules.length} on`}</small>
      </summary>
      <Section>
        <List aria-label="Identity rules">
          {rules.map((rule) => (
            <li key={rule.id}>
              <span className="rule">
                <VisibleText text={subjectOf(rule)} />
                <span className="reason">
                  {' '}
                  {originLabel[rule.origin]}
                  {rule.isActive ? '' : ', off'} · <VisibleText text={rule.reason} />
                </span>
              </span>
              <Button size="small" onClick={() => setChosen(rule)}>
                {!rule.isActive ? 'Switch on' : rule.origin === 'manual' ? 'Undo merge' : 'Switch off'}
              </Button>
            </li>
          ))}
        </List>
        <ConfirmDialog
          isOpen={chosen !== undefined}
          title={isUndo ? 'Undo this merge?' : chosen?.isActive ? 'Switch this rule off?' : 'Switch this rule on?'}
          isBusy={change.isPending}
          onNo={() => setChosen(undefined)}
          onYes={() =>
            chosen &&
            change.mutate(
              {
                body: {
                  clientOrganizationID: client,
                  kind: chosen.kind,
                  name: chosen.name,
                  isActive: !chosen.isActive,
                  reason: chosen.reason,
                },
              },
              { onSettled: () => setChosen(undefined) },
            )
          }
        >
          {chosen && (
            <>
              <VisibleText text={subjectOf(chosen)} />. Open cases with these names are correlated again. Closed cases don’t
              change.
            </>
          )}
        </ConfirmDialog>
      </Section>
    </Fold>
  );
}
