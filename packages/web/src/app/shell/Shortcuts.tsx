/** The global keyboard shortcuts, and the list of all shortcuts behind `?`. */
import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { styled } from '@mui/material/styles';
import { useState } from 'react';
import { palette } from '../../kit/palette.ts';
import { useShortcuts } from '../../kit/useShortcut.ts';
import { useGo } from '../../lib/address.ts';
import { paths } from '../../lib/paths.ts';
import { useScope } from '../../lib/scope.ts';

const groups: [title: string, keys: [keys: string[], what: string][]][] = [
  [
    'Everywhere',
    [
      [['g', 'd'], 'Dashboard'],
      [['g', 'a'], 'Alerts'],
      [['g', 'c'], 'Cases'],
      [['g', 's'], 'Data sources'],
      [['g', 'o'], 'Settings'],
      [['g', 'u'], 'Users'],
      [['g', 'p'], 'My profile'],
      [['g', 'f'], 'FAQ'],
      [['Ctrl', 'K'], 'Search for an app or page'],
      [['?'], 'This list'],
    ],
  ],
  [
    'Page search',
    [
      [['↑', '↓'], 'Move'],
      [['Enter'], 'Open'],
      [['Shift', 'Enter'], 'Star the page'],
      [['Esc'], 'Close'],
    ],
  ],
  [
    'Lists',
    [
      [['j'], 'Next row'],
      [['k'], 'Previous row'],
      [['x'], 'Select the row'],
      [['Enter'], 'Open the row'],
      [['v'], 'Split view'],
      [['/'], 'Search'],
      [['Esc'], 'Close the side panel'],
    ],
  ],
  [
    'Alerts',
    [
      [['e'], 'Mark as seen, next row'],
      [['z'], 'Undo the last mark'],
    ],
  ],
  [
    'Cases',
    [
      [['a'], 'Assign to me'],
      [['s'], 'Choose a status'],
      [['c'], 'Close'],
      [['z'], 'Undo the last change of status or analyst'],
    ],
  ],
];

const Keys = styled('dl')({
  display: 'grid',
  gridTemplateColumns: 'auto 1fr',
  alignItems: 'center',
  gap: '8px 16px',
  margin: '0 0 16px',
  '& dt': { display: 'flex', gap: 4, minWidth: 72 },
  '& dd': { margin: 0 },
  '& kbd': {
    display: 'inline-grid',
    placeItems: 'center',
    minWidth: 24,
    height: 24,
    padding: '0 6px',
    font: 'inherit',
    fontSize: 12,
    fontWeight: 600,
    border: `1px solid ${palette.divider}`,
    borderBottomWidth: 2,
    borderRadius: 6,
  },
});
const Title = styled('h3')({ margin: '0 0 8px', fontSize: 12, fontWeight: 600, color: palette.text.secondary });

export function Shortcuts() {
  const go = useGo();
  const { user, may } = useScope();
  const hasUsers = may('users:listRoles');
  const [isOpen, setOpen] = useState(false);
  const to = (path: string) => () => go(path);
  useShortcuts({
    '?': () => setOpen(true),
    'g a': to(paths.alerts()),
    'g c': to(paths.cases()),
    'g d': to(paths.dashboard()),
    'g s': to(paths.devices()),
    'g o': to(paths.settings()),
    ...(hasUsers ? { 'g u': to(paths.users()) } : {}),
    'g p': to(paths.profile(user.id)),
    'g f': to(paths.faq()),
  });
  return (
    <Dialog open={isOpen} onClose={() => setOpen(false)} maxWidth="xs" fullWidth aria-labelledby="shortcuts-title">
      <DialogTitle id="shortcuts-title" sx={{ fontSize: 16, fontWeight: 600, pb: 1 }}>
        Keyboard shortcuts
      </DialogTitle>
      {/* Longer than a small window: the arrow keys scroll it. */}
      <DialogContent tabIndex={0}>
        {groups.map(([title, keys]) => (
          <section key={title}>
            <Title>{title}</Title>
            <Keys>
              {keys
                .filter(([, what]) => hasUsers || what !== 'Users')
                .map(([names, what]) => (
                  <div key={what} style={{ display: 'contents' }}>
                    <dt>
                      {names.map((name) => (
                        <kbd key={name}>{name}</kbd>
                      ))}
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
            </Keys>
          </section>
        ))}
      </DialogContent>
      <DialogActions>
        <Button onClick={() => setOpen(false)}>Close</Button>
      </DialogActions>
    </Dialog>
  );
}
