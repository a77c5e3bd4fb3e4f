import type { ReactNode, RefObject } from 'react';
import type { Row } from '../../reading/rows/row.ts';
import type { RowList } from '../../reading/rows/row-list.ts';
import { keyName } from '../shell/key-name.ts';
import { rowClass } from './row-scroller.tsx';

interface PrintedRowsProps {
  readonly list: RowList;
  readonly paper: RefObject<HTMLDivElement | null>;
  readonly renderRow: (row: Row) => ReactNode;
}

/** All rows of the session, on paper only. */
export function PrintedRows({ list, paper, renderRow }: PrintedRowsProps) {
  return (
    <div ref={paper} className="print-only" role="feed" aria-label="Transcript" data-printed>
      {Array.from({ length: list.count }, (_, at) => {
        const row = list.at(at);
        return (
          <div key={row.key} className={rowClass(row)} role="article" data-kind={row.kind}>
            {renderRow(row)}
          </div>
        );
      })}
    </div>
  );
}

/** The browser's own menu prints only the rows in the document; that must not look complete. */
export function PartNote() {
  return (
    <p className="print-only print-note">
      This is only the part of the session that was on screen. To print all of it, press {keyName('Mod+p')} in the
      session.
    </p>
  );
}
