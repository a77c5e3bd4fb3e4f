import type { Route } from '../route.ts';

export const demoRoute: Route = {
  method: 'POST',
  path: '/api/demo',
  about: 'Loads the demo sessions into a data folder of their own; afterwards /demo/api answers.',
  access: 'bearer',
  async handle(context, scope) {
    await scope.demo.open();
    return context.json({ ok: true });
  },
};
