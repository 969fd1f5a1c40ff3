/** Edit conflict: version seen, current version, and the rejected change. Nothing was saved. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import { casesApi } from '@parapet/contract/cases.ts';
import { investigationStatusName, statusLabel } from '@parapet/contract/rules/cases.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Hidden } from '../../../kit/Announced.tsx';
import { palette } from '../../../kit/palette.ts';
import { TextSkeleton } from '../../../kit/Skeletons.tsx';
import { FailedLine } from '../../../kit/States.tsx';
import { VisibleText } from '../../../kit/VisibleText.tsx';
import { useScope } from '../../../lib/scope.ts';
import { caseQuery } from '../cases.queries.ts';
import type { Conflict } from '../useCaseChange.ts';

const Versions = styled('table')({
  width: '100%',
  marginTop: 12,
  borderCollapse: 'collapse',
  fontSize: 13,
  '& th, & td': {
    padding: '6px 8px 6px 0',
    textAlign: 'left',
    verticalAlign: 'top',
    borderTop: `1px solid ${palette.divider}`,
  },
  '& thead th': { borderTop: 0, fontWeight: 600 },
  '& tbody th': { fontWeight: 400, color: palette.text.secondary },
  '& td.differs': { fontWeight: 600 },
});

export function ConflictDialog({ conflict, onClose }: { conflict: Conflict | undefined; onClose: () => void }) {
  const queries = useQueryClient();
  const reload = () => {
    for (const { id } of [casesApi.list, casesApi.detail, casesApi.filters]) void queries.invalidateQueries({ queryKey: [id] });
    onClose();
  };
  return (
    <Dialog open={conflict !== undefined} onClose={onClose} maxWidth="sm" fullWidth aria-labelledby="conflict-title">
      {conflict && (
        <>
          <DialogTitle id="conflict-title" sx={{ fontSize: 16, fontWeight: 650, pb: 1 }}>
            Case {conflict.of.incidentID} was changed by someone else
          </DialogTitle>
          <DialogContent>
            You edited version {conflict.yours}; the current version is {conflict.current}. Your change ({conflict.wanted}) was
            not saved.
            <Both conflict={conflict} />
          </DialogContent>
          <DialogActions sx={{ px: 3, pb: 2 }}>
            <Button onClick={onClose}>Close</Button>
            <Button autoFocus variant="contained" onClick={reload}>
              Reload
            </Button>
          </DialogActions>
        </>
      )}
    </Dialog>
  );
}

function Both({ conflict: { of, yours, current } }: { conflict: Conflict }) {
  const { data, error, refetch } = useQuery({ ...caseQuery(of.id, useScope()), staleTime: 0 });
  const now = data && data.caseGeneralInfo.version >= current ? data.caseGeneralInfo : undefined;
  if (!now) {
    return error ? (
      <FailedLine what="the latest version" error={error} onRetry={() => void refetch()} />
    ) : (
      <TextSkeleton lines={3} />
    );
  }
  const rows = [
    ['Status', statusLabel(of.status), statusLabel(now.status)],
    ['Investigation', investigationStatusName(of.investigationStatus), investigationStatusName(now.investigationStatus)],
    ['Analyst', of.analyst ?? 'Unassigned', now.analyst ?? 'Unassigned'],
  ] as const;
  return (
    <Versions>
      <thead>
        <tr>
          <th scope="col">
            <Hidden>Field</Hidden>
          </th>
          <th scope="col">Version {yours}</th>
          <th scope="col">Version {now.version}</th>
        </tr>
      </thead>
      <tbody>
        {rows.map(([name, before, after]) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td>
              <VisibleText text={before} />
            </td>
            <td className={before === after ? undefined : 'differs'}>
              <VisibleText text={after} />
            </td>
          </tr>
        ))}
      </tbody>
    </Versions>
  );
}
