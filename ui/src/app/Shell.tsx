import { useSuspenseQuery } from '@tanstack/react-query';
import { Link, Outlet, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { AccountMenu } from '../features/session/AccountMenu.tsx';
import { type Me, meQuery } from '../shared/api/me.ts';
import css from './Shell.module.css';

/** What stands around every page: where one is, where one can go, and who one is. */
export function Shell() {
  const { data: me } = useSuspenseQuery(meQuery);
  const { project } = useParams({ strict: false });
  if (!me) return <ToSignIn />;
  return (
    <div className={css.shell}>
      <a href="#content" className={css.skip}>
        Skip to content
      </a>
      <header className={css.bar}>
        <Link to="/" className={css.brand} aria-label="Pawl">
          <img src="/pawl.svg" alt="" width="24" height="24" />
          <span>Pawl</span>
        </Link>
        {project !== undefined && <Places me={me} project={project} />}
        <AccountMenu me={me} />
      </header>
      <div id="content" className={css.content}>
        <Outlet />
      </div>
    </div>
  );
}

/** Asks whoever was signed out, here or by the server, to sign in; from there the way leads back. */
function ToSignIn() {
  const router = useRouter();
  useEffect(() => {
    const here = router.latestLocation;
    if (here.pathname !== '/sign-in')
      void router.navigate({ to: '/sign-in', search: { to: here.href }, replace: true });
  }, [router]);
  return null;
}

function Places({ me, project }: { me: Me; project: string }) {
  const navigate = useNavigate();
  return (
    <>
      {me.projects.length > 1 && (
        <select
          aria-label="Project"
          className={css.project}
          value={project}
          onChange={(event) => {
            void navigate({ to: '/projects/$project/automations', params: { project: event.target.value } });
          }}
        >
          {me.projects.map((p) => (
            <option key={p.name} value={p.name}>
              {p.title || p.name}
            </option>
          ))}
        </select>
      )}
      <nav className={css.places} aria-label="Pages">
        <Link to="/projects/$project/automations" params={{ project }}>
          Automations
        </Link>
        <Link to="/projects/$project/runs" params={{ project }}>
          Runs
        </Link>
      </nav>
    </>
  );
}
