import { bringBootTools } from '../../../tools/journey-tools.ts';

export const setup = () => bringBootTools();
