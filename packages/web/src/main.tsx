/** Starts the portal in the browser. */
import './lib/zodWithoutEval.ts';
import './app/theme/fonts.css';
import { createRoot } from 'react-dom/client';
import { App } from './app/App.tsx';
import { warmUp } from './app/router.ts';
import { loadBrand } from './lib/brand.ts';
import { receiveCaseLink } from './lib/caseLink.ts';
import { connectSession, session } from './lib/session.ts';
import { receiveSignOn, reportStepUp } from './lib/signOn.ts';
import { tokens } from './lib/tokens.ts';

if (!reportStepUp()) {
  receiveSignOn();
  receiveCaseLink();
  connectSession();
  const code = warmUp(tokens.stored() !== undefined);
  session.start();
  loadBrand();
  createRoot(document.getElementById('root')!).render(<App code={code} />);
}
