/** Button of a form that tries the entered values without saving them. */
import Button from '@mui/material/Button';

interface TestConnectionProps {
  isPending: boolean;
  onTest: () => unknown;
}

export function TestConnection({ isPending, onTest }: TestConnectionProps) {
  return (
    <div>
      <Button variant="outlined" size="small" loading={isPending} onClick={() => void onTest()}>
        Test connection
      </Button>
    </div>
  );
}
