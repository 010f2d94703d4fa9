import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { fileURLToPath } from 'node:url';

/** The name under which Pawl reaches the desk. */
export const deskHost = 'desk.pawl-ui.example';

/** The desk's certificate, which Pawl is told to trust. It and its key are for these tests alone. */
export const deskCertificate = fileURLToPath(new URL('testdata/desk.pem', import.meta.url));

const key = fileURLToPath(new URL('testdata/desk.key.pem', import.meta.url));

/** An app that takes tickets, and that hangs up on a title with "lost" in it after the request has arrived. */
export function startDesk(): Promise<{ port: number; stop: () => void }> {
  const server = createServer({ cert: readFileSync(deskCertificate), key: readFileSync(key) }, (request, response) => {
    let body = '';
    request.on('data', (part) => {
      body += part;
    });
    request.on('end', () => {
      if (body.includes('lost')) {
        request.socket.destroy();
        return;
      }
      response.writeHead(201, { 'Content-Type': 'application/json' }).end('{"id": 9007199254740993}');
    });
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      const port = typeof address === 'object' && address ? address.port : 0;
      resolve({ port, stop: () => server.close() });
    });
  });
}
