import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useRef } from 'react';
import { answer, api } from '../../shared/api/client.ts';
import type { JSONText } from '../../shared/json/exact.ts';
import type { AutomationHead } from './queries.ts';
import { newStartKey } from './startKey.ts';

/**
 * Starts a run of the live version, or of the draft before the first publish, and goes to its page. As long as the
 * list is not left, the same input is sent under the same key, so that a second click starts no second run, however
 * quick or slow it is, and a start whose answer was lost can be sent again.
 */
export function useStartRun(project: string, automation: AutomationHead) {
  const navigate = useNavigate();
  const queries = useQueryClient();
  const sent = useRef({ input: '', key: '' });
  return useMutation({
    mutationFn: (input: JSONText) => {
      if (sent.current.key === '' || sent.current.input !== input) sent.current = { input, key: newStartKey() };
      return answer(
        api.POST('/api/v1/projects/{project}/automations/{name}/runs', {
          params: { path: { project, name: automation.name }, header: { 'Idempotency-Key': sent.current.key } },
          body: automation.live_version === null ? { input, draft: true } : { input, version: automation.live_version },
        }),
      );
    },
    onSuccess: async (run) => {
      void queries.invalidateQueries({ queryKey: ['runs', project] });
      void queries.invalidateQueries({ queryKey: ['automations', project] });
      await navigate({ to: '/projects/$project/runs/$id', params: { project, id: run.id } });
    },
  });
}
