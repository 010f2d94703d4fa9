import type { JSONText } from '../../shared/json/exact.ts';
import { JsonText } from '../../shared/json/JsonText.tsx';
import { blobOf } from './blob.ts';
import css from './Details.module.css';

interface Props {
  project: string;
  run: string;
  text: JSONText;
  label: string;
}

/** A value of a run: as JSON, or as a link where it is too large to come along with the run. */
export function Value({ project, run, text, label }: Props) {
  const blob = blobOf(text);
  if (blob) {
    const place = `/api/v1/projects/${encodeURIComponent(project)}/runs/${encodeURIComponent(run)}/blobs/${blob.digest}`;
    return (
      <p>
        {blob.size.toLocaleString('en')} bytes of {blob.mediaType}, kept apart.{' '}
        <a href={place} download>
          Download
        </a>
      </p>
    );
  }
  if (text === 'null') return <p className={css.quiet}>Nothing</p>;
  return <JsonText text={text} label={label} />;
}
