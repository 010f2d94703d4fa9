/** A new Idempotency-Key. Made of random bytes, since randomUUID is missing on plain HTTP addresses. */
export function newStartKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return `ui-${[...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')}`;
}
