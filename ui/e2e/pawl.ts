import { inject } from 'vitest';

/** The password that the tests give the administrator. */
export const password = 'a long password for tests';

/** The administrator's address for signing in. */
export const email = 'admin@pawl.local';

/** Calls the API as programs do, with the administrator's key. */
export async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
  const response = await fetch(`${inject('address')}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${inject('key')}`, 'Content-Type': 'application/json', ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
  return text === '' ? null : JSON.parse(text);
}

/** Sets the administrator's password if there is none yet. */
export async function setPassword(): Promise<void> {
  const me = await call('GET', '/me');
  if (!me.has_password) await call('PUT', '/me/password', { password });
}

/** Makes a document the live version of an automation. */
export async function publish(name: string, document: Record<string, unknown>): Promise<void> {
  const path = `/projects/default/automations/${name}`;
  await call('PUT', `${path}/draft`, { format: 'pawl-automation@1', ...document }, { 'If-None-Match': '*' });
  await call('POST', `${path}/publish`, {});
}

/** Starts a run and gives its id. */
export async function startRun(name: string, body: unknown = {}): Promise<string> {
  return (await call('POST', `/projects/default/automations/${name}/runs`, body)).id;
}

/** Waits until a run has ended, as its event stream says. */
export async function untilEnded(id: string): Promise<void> {
  const response = await fetch(`${inject('address')}/api/v1/projects/default/runs/${id}/events`, {
    headers: { Authorization: `Bearer ${inject('key')}` },
  });
  await response.text();
}
