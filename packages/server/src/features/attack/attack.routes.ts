import { attackApi } from '@parapet/contract/attack.ts';
import { type Serving, serve } from '../../core/http/serve.ts';
import type { AttackService } from './attack.service.ts';

export function attackRoutes(serving: Serving, attack: AttackService): void {
  serve(serving, attackApi.matrix, ({ actor, params, query }) => attack.matrix(actor, params, query));
  serve(serving, attackApi.navigator, async ({ actor, params, query }) => ({
    type: 'application/json',
    bytes: await attack.navigator(actor, params, query.layer),
    downloadName: query.layer === 'alerts' ? 'attack-layer.json' : 'attack-layer-proved.json',
  }));
  serve(serving, attackApi.controls, ({ actor, params }) => attack.controls(actor, params));
}
