import { Button } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import { usePermissions } from '../../shared/api/me.ts';
import { isLive, type RunHead } from '../../shared/api/run.ts';
import { Dialog } from '../../shared/ui/Dialog.tsx';
import { ProblemNote } from '../../shared/ui/ProblemNote.tsx';
import css from './RunActions.module.css';
import { runQuery } from './useRun.ts';
import { seeRun } from './view.ts';

/** What can be done about a run as a whole: cancel it, or run the same again. */
export function RunActions({ project, run }: { project: string; run: RunHead }) {
  const may = usePermissions(project).has('run');
  const [isAsking, setAsking] = useState(false);
  const replay = useReplay(project, run.id);
  if (!may) return null;
  return (
    <div className={css.actions}>
      {isLive(run.state) && (
        <Button variant="default" size="xs" onClick={() => setAsking(true)}>
          {run.cancel ? 'Stop at once…' : 'Cancel run…'}
        </Button>
      )}
      {!isLive(run.state) && (
        <Button variant="default" size="xs" loading={replay.isPending} onClick={replay.start}>
          Replay
        </Button>
      )}
      {replay.error && <ProblemNote error={replay.error} />}
      {isAsking && <CancelDialog project={project} run={run} onClose={() => setAsking(false)} />}
    </div>
  );
}

function useReplay(project: string, id: string) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const mutationKey = ['replay', project, id];
  const replay = useMutation({
    mutationKey,
    mutationFn: () =>
      answer(api.POST('/api/v1/projects/{project}/runs/{id}/replay', { params: { path: { project, id } } })),
    onSuccess: (run) => navigate({ to: '/projects/$project/runs/$id', params: { project, id: run.id } }),
  });
  // The cache knows of a replay on its way at once, the button only when it is drawn again.
  const start = () => {
    if (queries.isMutating({ mutationKey }) === 0) replay.mutate();
  };
  return { ...replay, start };
}

function CancelDialog({ project, run, onClose }: { project: string; run: RunHead; onClose: () => void }) {
  const queries = useQueryClient();
  const force = run.cancel !== undefined;
  const cancel = useMutation({
    mutationFn: () =>
      answer(
        api.POST('/api/v1/projects/{project}/runs/{id}/cancel', {
          params: { path: { project, id: run.id } },
          body: { force },
        }),
      ),
    onSuccess: (seen) => {
      queries.setQueryData(runQuery(project, run.id).queryKey, (view) => seeRun(view, seen));
      onClose();
    },
  });
  return (
    <Dialog onClose={onClose} title={force ? 'Stop at once' : 'Cancel run'}>
      <div className={css.dialog}>
        <p>
          {force
            ? 'The steps of finally stop too. What is on the wire still ends and is recorded.'
            : 'No further step starts but those of finally. What is on the wire ends and is recorded; what was done stays done.'}
        </p>
        {cancel.error && <ProblemNote error={cancel.error} />}
        <div className={css.buttons}>
          <Button variant="default" onClick={onClose}>
            Keep running
          </Button>
          <Button color="danger" loading={cancel.isPending} onClick={() => cancel.mutate()} data-autofocus>
            {force ? 'Stop at once' : 'Cancel run'}
          </Button>
        </div>
      </div>
    </Dialog>
  );
}
