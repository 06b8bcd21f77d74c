// Small parts that every view uses.
import type { ComponentChildren, JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { duration } from '../format.ts';
import type { BarState } from '../timeline/tracks.ts';
import { word } from '../words.ts';

/** A shape beside the colour, so that colour is never all there is. */
const SHAPES: Record<string, string> = {
  queued: '○',
  starting: '◔',
  running: '▶',
  waiting: '◐',
  blocked: '■',
  done: '✓',
  completed: '✓',
  degraded: '!',
  failed: '✕',
  cancelled: '⊘',
};
export function State({ state, say }: { state: BarState | string; say?: string | null }) {
  return (
    <span class={`state state-${state}`}>
      <span aria-hidden="true">{SHAPES[state] ?? '•'}</span> {say ? word(say) : word(state)}
    </span>
  );
}

/** Counts on while `to` is null. */
export function Elapsed({ from, to }: { from: number; to: number | null }) {
  return <span class="number">{duration((to ?? now.value) - from)}</span>;
}

export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="empty">
      <h2>{title}</h2>
      {children}
    </div>
  );
}
export function Trouble({ text, retry }: { text: string; retry?: () => void }) {
  return (
    <div class="trouble" role="alert">
      <span>{text}</span>
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

export function Copy({ text, label = 'Copy' }: { text: string; label?: string }) {
  const [done, setDone] = useState('');
  async function copy(): Promise<void> {
    const ok = await navigator.clipboard.writeText(text).then(
      () => true,
      () => false,
    );
    setDone(ok ? 'Copied' : 'Select and copy it');
    setTimeout(() => setDone(''), 2_000);
  }
  return (
    <button type="button" class="quiet" onClick={copy}>
      <span aria-live="polite">{done || label}</span>
    </button>
  );
}
export function Code({ text, label }: { text: string; label?: string }) {
  return (
    <div class="code">
      <pre role="region" aria-label={label ?? 'Code'} tabIndex={0}>
        {text}
      </pre>
      <Copy text={text} />
    </div>
  );
}

/** A question with a way out: Escape and a click outside are no. */
export function Dialog(props: {
  title: string;
  children: ComponentChildren;
  onClose: () => void;
}): JSX.Element {
  const ref = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = ref.current;
    dialog?.showModal();
    return () => dialog?.close();
  }, []);
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes a dialog by itself
    <dialog
      ref={ref}
      aria-label={props.title}
      onCancel={(event) => {
        event.preventDefault();
        props.onClose();
      }}
      onClick={(event) => event.target === ref.current && props.onClose()}
    >
      <div class="dialog">
        <h2>{props.title}</h2>
        {props.children}
      </div>
    </dialog>
  );
}

/** A button that works once at a time and says what went wrong. */
export function Act(props: {
  label: string;
  run: () => Promise<unknown>;
  kind?: 'danger' | 'primary' | 'quiet';
  title?: string;
  disabled?: boolean;
}) {
  const [state, set] = useState<{ busy: boolean; error: string }>({ busy: false, error: '' });
  async function act(): Promise<void> {
    set({ busy: true, error: '' });
    const error = await props.run().then(
      () => '',
      (reason: Error) => reason.message,
    );
    set({ busy: false, error });
  }
  return (
    <span class="act">
      <button
        type="button"
        class={props.kind ?? ''}
        title={props.title}
        disabled={state.busy || props.disabled}
        onClick={(event) => {
          event.stopPropagation();
          void act();
        }}
      >
        {props.label}
      </button>
      {state.error && (
        <span class="error" role="alert">
          {state.error}
        </span>
      )}
    </span>
  );
}

export type Tab<T extends string> = { id: T; label: string };
export function Tabs<T extends string>(props: {
  tabs: readonly Tab<T>[];
  active: T;
  onPick: (id: T) => void;
  label: string;
}) {
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const at = props.tabs.findIndex(({ id }) => id === props.active);
    const next = props.tabs[(at + step + props.tabs.length) % props.tabs.length];
    if (next) props.onPick(next.id);
    const list = (event.currentTarget as HTMLElement).children;
    (list[(at + step + list.length) % list.length] as HTMLElement | undefined)?.focus();
  }
  return (
    <div role="tablist" class="tabs" aria-label={props.label} onKeyDown={onKeyDown}>
      {props.tabs.map(({ id, label }) => (
        <button
          key={id}
          type="button"
          role="tab"
          aria-selected={id === props.active}
          tabIndex={id === props.active ? 0 : -1}
          onClick={() => props.onPick(id)}
        >
          {label}
        </button>
      ))}
    </div>
  );
}

/** Names and values, as many beside each other as fit. */
export function Facts({ rows }: { rows: [string, string][] }) {
  return (
    <dl class="facts-list">
      {rows.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
