import { expect, test } from 'vitest';
import type { JSONText } from '../../shared/json/exact.ts';
import { blobOf } from './blob.ts';

const digest = 'ab'.repeat(32);

test('a reference says where the value is', () => {
  const text = `{"$blob":{"digest":"${digest}","media_type":"application/json","size":300000}}` as JSONText;
  expect(blobOf(text)).toEqual({ digest, mediaType: 'application/json', size: 300_000 });
});

test.each(['null', '{"$blob":1}', '{"$blob":{"digest":"../x"}}', `{"$blob":{"digest":"${digest}"},"a":1}`])(
  '%s stands for itself',
  (text) => {
    expect(blobOf(text as JSONText)).toBeNull();
  },
);
