/** Parts of the demo for the composition of the application, which fills a portal before it opens. */
export type { AnalystActions } from './demo.plan.ts';
export type { Lane } from './demo.replay.ts';
export { canSignIn, createDemoBrand, createDemoService, type DemoService } from './demo.service.ts';
export type { StudioActions } from './demo.studio.ts';
export { demoEpss, demoExploited } from './demo.weaknesses.ts';
