/** Layout of the sign-in and other public pages: brand and claim at the left, content at the right. */
import type { ReactNode } from 'react';
import { BrandLogo } from '../../../lib/BrandLogo.tsx';
import { Art, Aside, Main, Screen } from './login.styles.tsx';

const heights = [22, 34, 18, 46, 30, 62, 40, 26, 52, 36, 78, 44, 28, 56, 20, 38, 66, 32, 48, 24];
const bars = heights.map((height, at) => `M${at * 28 + 4} 96v-${height}h20v${height}z`).join('');

export function AuthScreen({ text, children }: { text: string; children: ReactNode }) {
  return (
    <Screen>
      <Aside>
        <BrandLogo />
        <div>
          <h2>Security operations, in one place</h2>
          <p>{text}</p>
        </div>
        <Art aria-hidden viewBox="0 0 560 96" preserveAspectRatio="xMinYMax slice">
          <path d={bars} />
        </Art>
      </Aside>
      <Main>{children}</Main>
    </Screen>
  );
}
