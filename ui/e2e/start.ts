import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { TestProject } from 'vitest/node';
import { deskCertificate, deskHost, startDesk } from './desk.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the pages are. */
    address: string;
    /** The one-time link that the first start printed. */
    link: string;
    /** The administrator's API key. */
    key: string;
  }
}

/** A port that was free a moment ago. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no port')),
      );
    });
  });
}

/** The one-time link, as soon as the process prints it. */
function printedLink(pawl: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    if (pawl.stdout === null) return;
    pawl.once('error', reject);
    pawl.once('exit', (code) => reject(new Error(`pawl-local ended with ${code} before it was ready`)));
    createInterface(pawl.stdout).on('line', (line) => {
      const link = /http\S+#link=\S+/.exec(line);
      if (link) resolve(link[0]);
    });
  });
}

/** Starts Pawl with its demo on a folder of its own; the tests share it. */
export default async function start(project: TestProject): Promise<() => Promise<void>> {
  const binary = process.env.PAWL_LOCAL_BIN;
  if (!binary) throw new Error('PAWL_LOCAL_BIN names no pawl-local. `make test-e2e` builds it and sets the name.');
  const data = mkdtempSync(join(tmpdir(), 'pawl-ui-'));
  const address = `127.0.0.1:${await freePort()}`;
  const desk = await startDesk();
  const pawl = spawn(binary, ['--data', data, '--listen', address, '--demo'], {
    stdio: ['ignore', 'pipe', process.env.PAWL_E2E_LOG ? 'inherit' : 'ignore'],
    env: {
      ...process.env,
      PAWL_EGRESS_ALLOW: `${deskHost}=127.0.0.1/32`,
      PAWL_EGRESS_CONNECT_TO: `${deskHost}=127.0.0.1:${desk.port}`,
      PAWL_EGRESS_CA: deskCertificate,
    },
  });
  const ended = new Promise<void>((resolve) => pawl.once('exit', () => resolve()));
  const link = await printedLink(pawl);
  project.provide('address', `http://${address}`);
  project.provide('link', link);
  project.provide('key', readFileSync(join(data, 'admin.key'), 'utf8').trim());
  return async () => {
    pawl.kill('SIGTERM');
    await ended;
    desk.stop();
    rmSync(data, { recursive: true, force: true });
  };
}
