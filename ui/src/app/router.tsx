import type { QueryClient } from '@tanstack/react-query';
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  parseSearchWith,
  redirect,
  stringifySearchWith,
} from '@tanstack/react-router';
import { AutomationsPage } from '../features/automations/AutomationsPage.tsx';
import { RunPage } from '../features/runs/RunPage.tsx';
import { RunsPage } from '../features/runs/RunsPage.tsx';
import { SignInPage } from '../features/session/SignInPage.tsx';
import { meQuery } from '../shared/api/me.ts';
import type { RunState } from '../shared/api/run.ts';
import { runStates } from '../shared/ui/states.ts';
import { NoProject, NothingHere, PageBroke } from './Fallbacks.tsx';
import { Shell } from './Shell.tsx';

interface Context {
  queries: QueryClient;
}

const root = createRootRouteWithContext<Context>()({ notFoundComponent: NothingHere, errorComponent: PageBroke });

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  // What is left out here would come through as it stands in the address; undefined overrides it.
  validateSearch: ({ to }): { to?: string | undefined } => ({ to: isLocal(to) ? to : undefined }),
  component: SignInPage,
});

/** Whether an address leads back into these pages, and nowhere else. */
function isLocal(address: unknown): address is string {
  return typeof address === 'string' && /^\/(?![/\\])/.test(address);
}

/** All that needs somebody to be signed in. */
const signedIn = createRoute({
  getParentRoute: () => root,
  id: 'signed-in',
  beforeLoad: async ({ context, location }) => {
    const me = await context.queries.ensureQueryData(meQuery);
    if (!me) throw redirect({ to: '/sign-in', search: location.href === '/' ? {} : { to: location.href } });
    return { me };
  },
  component: Shell,
});

const home = createRoute({
  getParentRoute: () => signedIn,
  path: '/',
  beforeLoad: ({ context }) => {
    const [first] = context.me.projects;
    if (first) throw redirect({ to: '/projects/$project/automations', params: { project: first.name } });
  },
  component: NoProject,
});

const project = createRoute({ getParentRoute: () => signedIn, path: '/projects/$project' });

const automations = createRoute({ getParentRoute: () => project, path: '/automations', component: AutomationsPage });

const runs = createRoute({
  getParentRoute: () => project,
  path: '/runs',
  validateSearch: ({ automation, state }): { automation?: string | undefined; state?: RunState | undefined } => ({
    automation: typeof automation === 'string' && automation !== '' ? automation : undefined,
    state: runStates.find((known) => known === state),
  }),
  component: RunsPage,
});

const run = createRoute({
  getParentRoute: () => project,
  path: '/runs/$id',
  validateSearch: ({ step }): { step?: string | undefined } => ({ step: typeof step === 'string' ? step : undefined }),
  component: RunPage,
});

const tree = root.addChildren([signIn, signedIn.addChildren([home, project.addChildren([automations, runs, run])])]);

/** The addresses of the pages. What stands behind the question mark is plain text, never JSON. */
export function makeRouter(queries: QueryClient) {
  return createRouter({
    routeTree: tree,
    context: { queries },
    defaultPreload: false,
    parseSearch: parseSearchWith((text) => text),
    stringifySearch: stringifySearchWith(String),
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof makeRouter>;
  }
}
