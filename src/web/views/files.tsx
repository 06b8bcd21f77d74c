// Files of a query's workdir: a list, and the one that is picked as text. The workspace is shared by all its agents.
import { useEffect, useState } from 'preact/hooks';
import { bytes, visible } from '../format.ts';
import { download, get, type Page, send } from '../net/api.ts';
import { Act, Trouble } from '../parts/basics.tsx';
import type { FileEntry } from '../state/shapes.ts';

/** What is longer is downloaded, not shown. */
const SHOWN = 500_000;
const pathOf = (query_id: string, path: string): string =>
  `/v1/queries/${query_id}/files/${path.split('/').map(encodeURIComponent).join('/')}`;

function Text({ query_id, file }: { query_id: string; file: FileEntry }) {
  const [text, setText] = useState<string | null>(null);
  const [error, setError] = useState('');
  const fits = file.size <= SHOWN;
  useEffect(() => {
    setText(null);
    if (!fits) return;
    send('GET', pathOf(query_id, file.path))
      .then((response) => response.text())
      .then(setText, (reason: Error) => setError(reason.message));
  }, [query_id, file.path, file.modified_at, fits]);
  if (error) return <Trouble text={error} />;
  if (!fits) return <p class="dim">{bytes(file.size)}: download it to read it.</p>;
  return (
    <pre class="plain" role="region" tabIndex={0} aria-label={file.path}>
      {text === null ? 'Loading …' : visible(text)}
    </pre>
  );
}

export function Files({ query_id }: { query_id: string }) {
  const [files, setFiles] = useState<FileEntry[] | null>(null);
  const [picked, pick] = useState<FileEntry | null>(null);
  const [error, setError] = useState('');
  useEffect(() => {
    get<Page<FileEntry>>(`/v1/queries/${query_id}/files`).then(
      ({ data }) => setFiles(data),
      (reason: Error) => setError(reason.message),
    );
  }, [query_id]);
  if (error) return <Trouble text={error} />;
  if (files === null) return <p class="dim">Loading …</p>;
  if (files.length === 0) return <p class="dim">The workdir has no files yet.</p>;
  return (
    <>
      <ul class="files">
        {files.map((file) => (
          <li key={file.path}>
            <button
              type="button"
              class="quiet"
              aria-expanded={picked?.path === file.path}
              onClick={() => pick(picked?.path === file.path ? null : file)}
            >
              {visible(file.path)}
            </button>
            <span class="number dim">{bytes(file.size)}</span>
            <Act
              label="Download"
              kind="quiet"
              run={() =>
                download(pathOf(query_id, file.path), file.path.split('/').at(-1) ?? 'file')
              }
            />
          </li>
        ))}
      </ul>
      {picked && <Text query_id={query_id} file={picked} />}
    </>
  );
}
