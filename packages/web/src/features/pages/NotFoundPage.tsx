/** /pages/errors/error-404: target of unknown addresses (spec §2.1). */
import Button from '@mui/material/Button';
import { SearchOffRounded } from '../../kit/icons/SearchOffRounded.tsx';
import { EmptyState } from '../../kit/States.tsx';
import { AppLink } from '../../lib/AppLink.tsx';
import { paths } from '../../lib/paths.ts';
import { useTitle } from '../../lib/title.ts';

export function NotFoundPage() {
  useTitle('Page not found');
  return (
    <>
      <h1 style={{ position: 'absolute', clipPath: 'inset(50%)' }}>Page not found</h1>
      <EmptyState
        icon={<SearchOffRounded />}
        title="Page not found"
        text="The address may be mistyped, or the page may have moved."
        actions={
          <Button component={AppLink} href={paths.home()} variant="contained">
            Go to the dashboard
          </Button>
        }
      />
    </>
  );
}
