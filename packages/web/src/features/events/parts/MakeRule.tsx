/** Opens a new rule with the conditions of the search. */
import Button from '@mui/material/Button';
import { withCondition } from '@parapet/contract/rules/kql/edit.ts';
import { AppLink } from '../../../lib/AppLink.tsx';
import { paths } from '../../../lib/paths.ts';
import { useScope } from '../../../lib/scope.ts';
import type { EventSearch } from '../eventSearch.ts';

interface MakeRuleProps {
  search: EventSearch;
  /** Something was read for this search. */
  isReady: boolean;
  /** Format of the newest event found, for the rule’s log source. */
  shape: string | undefined;
}

export function MakeRule({ search, isReady, shape }: MakeRuleProps) {
  const { client, may } = useScope();
  const text = conditionsOf(search);
  if (!text || !may('rules:write')) return null;
  return (
    <Button
      component={AppLink}
      href={paths.rule('new', { client, search: text, shape })}
      disabled={!isReady}
      size="small"
      color="inherit"
      sx={{ height: 32, px: 1.25, color: 'text.secondary', whiteSpace: 'nowrap' }}
    >
      Make rule
    </Button>
  );
}

/** The search with its device and user; undefined where other filters of the list narrow it, which a search does not have. */
function conditionsOf({ search, text, device, user, field, query }: EventSearch): string | undefined {
  if (text || field.length > 0 || query !== undefined) return undefined;
  const withDevice = device ? withCondition(search, { field: 'device', value: device }) : search;
  return user && withDevice !== undefined ? withCondition(withDevice, { field: 'user', value: user }) : withDevice;
}
