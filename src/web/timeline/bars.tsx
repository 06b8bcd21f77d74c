// The bar of one row: a segment for each state, and the line of now.
import { now } from '../clock.ts';
import { duration } from '../format.ts';
import { word } from '../words.ts';
import type { Row } from './rows.ts';
import { at, barAt, type Window } from './scale.ts';

export function Bars({ row, window }: { row: Row; window: Window }) {
  const time = now.value;
  const { segments } = row.track;
  const line = at(time, window);
  const said = segments
    .map((s) => `${word(s.state)} ${duration((s.to ?? time) - s.from)}`)
    .join(', ');
  return (
    <div class="cell bars" role="gridcell" aria-label={said} title={said}>
      {segments.map((segment) => {
        const open = segment.to === null;
        // An open segment is in the state that the row is in, which may say why it waits.
        const state = open ? row.state : segment.state;
        const bar = barAt(segment, time, window);
        if (bar === null) return null;
        return (
          <i
            key={segment.from + segment.state}
            class={`bar bar-${state} ${open ? 'open' : ''}`}
            style={{ left: `${bar.left}%`, width: `${bar.width}%` }}
          />
        );
      })}
      {line >= 0 && line <= 100 && <i class="now" style={{ left: `${line}%` }} />}
    </div>
  );
}
