/** Rules (/apps/rules): the detection rules of a client, with their state and what each found. */
import Button from '@mui/material/Button';
import { ruleOrigins } from '@parapet/contract/detectionRules.ts';
import { severities } from '@parapet/contract/rules/values.ts';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { AddRounded } from '../../kit/icons/AddRounded.tsx';
import { severityLabel } from '../../kit/Severity.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { ListPage } from '../../lib/ListPage.tsx';
import type { ListFilter } from '../../lib/listFilters.ts';
import { clientLabel } from '../../lib/listSubtitle.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';
import { useListState } from '../../lib/useListState.ts';
import { RuleCard, ruleColumns } from './parts/ruleColumns.tsx';
import { listStates, noises, ruleList, ruleListQuery } from './rules.queries.ts';
import { mayManagePacks, noiseLabel, originLabel, stateLabel } from './rules.ts';

const fixed: readonly ListFilter[] = [
  { name: 'severity', label: 'Severity', options: severities.map((value) => ({ value, text: severityLabel[value] })) },
  { name: 'state', label: 'State', options: listStates.map((value) => ({ value, text: stateLabel[value] })) },
  { name: 'noise', label: 'Health', options: noises.map((value) => ({ value, text: noiseLabel[value] })) },
  { name: 'origin', label: 'Origin', options: ruleOrigins.map((value) => ({ value, text: originLabel[value] })) },
  { name: 'technique', label: 'Technique', isSingle: true },
];

export function RulesPage() {
  const scope = useScope();
  const { client, may } = scope;
  const list = useListState(ruleList);
  const rules = useQuery(ruleListQuery(client, list.query));
  const products = rules.data?.products;
  const packs = rules.data?.packs;
  const filters = useMemo<readonly ListFilter[]>(
    () => [
      ...fixed,
      {
        name: 'product',
        label: 'Source',
        options: (products ?? []).map(({ name, count }) => ({ value: name, text: name, label: `${name} (${count})` })),
      },
      ...(packs && packs.length > 0
        ? [
            {
              name: 'pack',
              label: 'Pack',
              isSingle: true,
              options: packs.map(({ name, count }) => ({ value: name, text: name, label: `${name} (${count})` })),
            },
          ]
        : []),
    ],
    [products, packs],
  );
  return (
    <ListPage
      id="rules"
      label="Rules"
      title="Rules"
      purpose={`Detection rules for ${clientLabel(scope)}`}
      actions={
        <>
          {may('suppressions:write') && (
            <Button component={AppLink} href={paths.exceptions({ client })}>
              Exceptions
            </Button>
          )}
          {mayManagePacks(scope) && (
            <Button component={AppLink} href={paths.caseGrouping({ client })}>
              Case grouping
            </Button>
          )}
          {mayManagePacks(scope) && (
            <Button component={AppLink} href={paths.rulePacks({ client })}>
              Packs
            </Button>
          )}
          {may('rules:write') && (
            <Button component={AppLink} href={paths.rule('new', { client })} variant="contained" startIcon={<AddRounded />}>
              New rule
            </Button>
          )}
        </>
      }
      list={list}
      query={rules}
      columns={ruleColumns}
      rowId={(rule) => rule.ruleID}
      hrefOf={(rule) => paths.rule(rule.ruleID, { client })}
      card={(rule, onOpen) => <RuleCard rule={rule} onOpen={onOpen} />}
      search="Search rules"
      filters={filters}
      noMatch="Remove a filter, or search for a part of the title, ID or author."
      empty={{ title: 'No rules yet' }}
    />
  );
}
