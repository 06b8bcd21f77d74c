// The tree-timeline: rows left, bars right, one grid. Only the rows in sight are in the document.
import { useMemo, useRef, useState } from 'preact/hooks';
import { now } from '../clock.ts';
import { count, duration, firstLine, visible } from '../format.ts';
import { State } from '../parts/basics.tsx';
import type { OpenQuery } from '../state/query.ts';
import { Bars } from './bars.tsx';
import { type Row, rowsOf, SILENT_MS, spanOf } from './rows.ts';
import { ticksOf, type Window, zoom } from './scale.ts';

const ROW = 36;
/** Rows above and below the sight that are there as well, so that scrolling shows no gap. */
const SPARE = 8;
const HEIGHT = 18 * ROW;

type Props = { open: OpenQuery; picked: string | null; onPick: (id: string | null) => void };

function useRows(open: OpenQuery, folded: ReadonlySet<string>): Row[] {
  const version = open.version.value;
  const tree = open.tree.value;
  const time = now.value;
  return useMemo(
    () => rowsOf(open.tracks, tree, folded, time),
    [open, version, tree, folded, time],
  );
}

function Label({ row, onFold }: { row: Row; onFold: (id: string) => void }) {
  const { track, state, waiting } = row;
  return (
    <div class="cell label" role="gridcell" style={{ paddingLeft: `${row.depth * 16 + 4}px` }}>
      {row.children > 0 ? (
        <button
          type="button"
          class="fold"
          tabIndex={-1}
          aria-label={row.hidden_below > 0 ? 'Show what is below' : 'Hide what is below'}
          onClick={(event) => {
            event.stopPropagation();
            onFold(track.id);
          }}
        >
          {row.hidden_below > 0 ? '▸' : '▾'}
        </button>
      ) : (
        <span class="fold" />
      )}
      <span class="name">{track.label}</span>
      <State state={state} say={waiting} />
      {row.hidden_below > 0 && <span class="dim">+{row.hidden_below}</span>}
    </div>
  );
}

function Doing({ row }: { row: Row }) {
  const { track, node } = row;
  const tokens = node ? node.subtree_usage.input_tokens + node.subtree_usage.output_tokens : 0;
  return (
    <div class="cell doing" role="gridcell">
      {row.silent_ms > SILENT_MS ? (
        <span class="silent">no progress for {duration(row.silent_ms)}</span>
      ) : (
        <span class="activity">{visible(track.activity || firstLine(track.description, 80))}</span>
      )}
      {tokens > 0 && <span class="number dim">{count(tokens)}</span>}
    </div>
  );
}

export function Timeline({ open, picked, onPick }: Props) {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const [scroll, setScroll] = useState(0);
  const [zoomed, setZoomed] = useState<Window | null>(null);
  const grid = useRef<HTMLDivElement>(null);
  const rows = useRows(open, folded);
  const whole = spanOf(open.tracks, now.value);
  const window: Window = zoomed ?? { from: whole.from, to: whole.to };
  const first = Math.max(0, Math.floor(scroll / ROW) - SPARE);
  const seen = rows.slice(first, first + Math.ceil(HEIGHT / ROW) + 2 * SPARE);
  const fold = (id: string): void => {
    const next = new Set(folded);
    if (!next.delete(id)) next.add(id);
    setFolded(next);
  };
  const at = rows.findIndex((row) => row.track.id === picked);
  function onKeyDown(event: KeyboardEvent): void {
    const step = { ArrowDown: 1, ArrowUp: -1, j: 1, k: -1 }[event.key];
    if (step !== undefined) {
      const row = rows[Math.max(0, Math.min(rows.length - 1, at + step))];
      if (row) onPick(row.track.id);
      event.preventDefault();
      event.stopPropagation();
    } else if ((event.key === 'ArrowLeft' || event.key === 'ArrowRight') && at >= 0) {
      if ((event.key === 'ArrowLeft') !== folded.has(picked as string)) fold(picked as string);
      event.preventDefault();
    }
  }
  const zoomBy = (factor: number): void => {
    const next = zoom(window, whole, factor, 0.5);
    setZoomed(next.to - next.from >= whole.to - whole.from ? null : next);
  };
  return (
    <section class="timeline" aria-label="Timeline">
      <div class="timeline-head">
        <h2>
          {rows.length} {rows.length === 1 ? 'agent' : 'agents'}
        </h2>
        <div class="buttons">
          <button type="button" onClick={() => zoomBy(0.5)} aria-label="Zoom in">
            +
          </button>
          <button type="button" onClick={() => zoomBy(2)} aria-label="Zoom out">
            −
          </button>
          <button type="button" onClick={() => setZoomed(null)} disabled={zoomed === null}>
            Fit
          </button>
        </div>
      </div>
      <div class="ticks" aria-hidden="true">
        {ticksOf(whole.from, window, 6).map((tick) => (
          <span key={tick.label} style={{ left: `${tick.at}%` }}>
            {tick.label}
          </span>
        ))}
      </div>
      <div
        ref={grid}
        class="grid"
        role="treegrid"
        aria-label="Agents of this query"
        aria-rowcount={rows.length}
        tabIndex={0}
        style={{ maxHeight: `${HEIGHT}px` }}
        onScroll={(event) => setScroll(event.currentTarget.scrollTop)}
        onKeyDown={onKeyDown}
      >
        <div style={{ height: `${rows.length * ROW}px`, position: 'relative' }} role="presentation">
          {seen.map((row, i) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
            <div
              key={row.track.id}
              role="row"
              class={`row ${row.track.id === picked ? 'picked' : ''}`}
              aria-level={row.depth + 1}
              aria-rowindex={first + i + 1}
              aria-selected={row.track.id === picked}
              {...(row.children > 0 && { 'aria-expanded': row.hidden_below === 0 })}
              style={{ top: `${(first + i) * ROW}px`, height: `${ROW}px` }}
              onClick={() => onPick(row.track.id === picked ? null : row.track.id)}
            >
              <Label row={row} onFold={fold} />
              <Doing row={row} />
              <Bars row={row} window={window} />
            </div>
          ))}
        </div>
      </div>
    </section>
  );
}
