import { bringBootTools } from '../../../tools/e2e-tools.ts';

export const setup = () => bringBootTools();
