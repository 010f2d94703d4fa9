import type { JSONText } from '../../shared/json/exact.ts';

/** A value that is too large for the run object: where it is and what it is. */
export interface Blob {
  digest: string;
  mediaType: string;
  size: number;
}

const form = /^\{\s*"\$blob"\s*:\s*\{[^{}]{0,400}\}\s*\}$/;

/** The reference that stands for a large value; null for a value that stands for itself. */
export function blobOf(text: JSONText): Blob | null {
  if (text.length > 500 || !form.test(text)) return null;
  const { $blob: blob } = JSON.parse(text);
  if (typeof blob.digest !== 'string' || !/^[0-9a-f]{64}$/.test(blob.digest)) return null;
  return { digest: blob.digest, mediaType: String(blob.media_type), size: Number(blob.size) };
}
