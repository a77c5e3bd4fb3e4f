import type { Diff } from '../../../reading/diff.ts';
import { formatCount, plural } from '../../../reading/format.ts';
import { type ToolCall, writtenText } from '../../../reading/tool-call.ts';
import type { FoundFile } from '../../../reading/tool-output.ts';
import { type FileView, inputField, type SearchView } from '../../../reading/tool-view.ts';
import { CodeView } from '../code/code-view.tsx';
import { DiffView } from '../code/diff-view.tsx';
import { languageOfPath } from '../code/languages.ts';
import { useUnfold } from '../use-unfold.ts';
import styles from './tool.module.css';

interface ChangeBodyProps {
  readonly call: ToolCall;
  readonly diff: Diff;
}

/** The change of a file; a file that was written as a whole is shown as it is. */
export function ChangeBody({ call, diff }: ChangeBodyProps) {
  const path = inputField(call.input, 'file_path') ?? inputField(call.input, 'notebook_path') ?? '';
  const language = path.endsWith('.ipynb') ? 'python' : languageOfPath(path);
  const text = writtenText(call);
  if (text === null) return <DiffView diff={diff} language={language} label={`Change of ${path}`} />;
  return <CodeView text={text} language={language} firstNumber={1} label={path} />;
}

/** The lines that were read, with their numbers in the file. */
export function FileBody({ view: { path, output } }: { readonly view: FileView }) {
  if (output === null) return null;
  const [first] = output.lines;
  return (
    <>
      <CodeView
        text={output.lines.map(({ text }) => text).join('\n')}
        language={languageOfPath(path)}
        firstNumber={first?.number ?? 1}
        label={path}
      />
      {output.remarks !== '' && <p className={styles['caption']}>{output.remarks}</p>}
    </>
  );
}

const MAX_FILES = 200;

/** Files with their matches. */
export function SearchBody({ view: { output } }: { readonly view: SearchView }) {
  const { isWhole, unfold } = useUnfold(() => output.files.slice(MAX_FILES).map(fileText).join('\n'));
  const rest = isWhole ? 0 : output.files.length - MAX_FILES;
  return (
    <div className={styles['found']}>
      {output.files.slice(0, isWhole ? undefined : MAX_FILES).map((file) => (
        <Found key={file.path} file={file} />
      ))}
      {rest > 0 && <More text={plural(rest, 'more file')} onClick={unfold} />}
      {output.remarks.map((remark, index) => (
        <p key={index} className={styles['caption']}>
          {remark}
        </p>
      ))}
    </div>
  );
}

const MAX_FOUND_LINES = 40;

function fileText({ path, lines }: FoundFile): string {
  return [path, ...lines.map(({ text }) => text)].join('\n');
}

function More({ text, onClick }: { readonly text: string; readonly onClick: () => void }) {
  return (
    <button type="button" className={styles['more']} onClick={onClick}>
      {text}
    </button>
  );
}

function Found({ file }: { readonly file: FoundFile }) {
  const { path, count, lines } = file;
  const { isWhole, unfold } = useUnfold(() => fileText({ ...file, path: '', lines: lines.slice(MAX_FOUND_LINES) }));
  const rest = isWhole ? 0 : lines.length - MAX_FOUND_LINES;
  return (
    <div>
      <p className={styles['path']}>
        <bdi>{path}</bdi>
        {count !== null && <span className={styles['count']}>{formatCount(count)}</span>}
      </p>
      {lines.length > 0 && (
        <ul className={styles['matches']}>
          {lines.slice(0, isWhole ? undefined : MAX_FOUND_LINES).map(({ number, text, isMatch }, index) => (
            <li key={index} className={isMatch ? undefined : styles['around']}>
              <span className={styles['number']}>{number ?? ''}</span>
              <code>{text}</code>
            </li>
          ))}
          {rest > 0 && (
            <li>
              <More text={plural(rest, 'more line')} onClick={unfold} />
            </li>
          )}
        </ul>
      )}
    </div>
  );
}
