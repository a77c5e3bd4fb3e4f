import { plural } from '../../../reading/format.ts';
import { type GraphScale, TOP_PX } from '../../../reading/graph/geometry.ts';
import { type copiedRows, relativeText } from '../../../reading/graph/relatives.ts';
import { fitText } from '../../charts/fit-text.ts';
import { PageLink } from '../../routing/page-link.tsx';
import styles from './graph.module.css';

interface CopiedBlockProps {
  readonly rows: NonNullable<ReturnType<typeof copiedRows>>;
  readonly scale: GraphScale;
  readonly widthPx: number;
}

const TYPE_PX = 12;
const HEAD_PX = 28;
const LEFT_PX = 10;

/** The beginning that was copied from another session. */
export function CopiedBlock({ rows: { first, last, origin }, scale: { rowPx, hasNames }, widthPx }: CopiedBlockProps) {
  const top = TOP_PX + first * rowPx - HEAD_PX;
  const words = `The first ${plural(last - first + 1, 'turn')} ${last === first ? 'was' : 'were'} copied`;
  const title = origin?.title ?? null;
  const text = origin === null || title === null ? words : `${relativeText(origin)} ${title}`;
  const label = (
    <text x={LEFT_PX + 6} y={top + HEAD_PX / 2 + TYPE_PX / 3} fontSize={TYPE_PX}>
      {fitText(text, widthPx - LEFT_PX * 3, TYPE_PX)}
    </text>
  );
  return (
    <g className={styles['copied']}>
      <rect x={4} y={top} width={Math.max(widthPx - 8, 1)} height={HEAD_PX + (last - first + 1) * rowPx} rx={6} />
      {hasNames &&
        (origin === null || title === null ? (
          label
        ) : (
          <PageLink page={{ kind: 'session', id: origin.session_id, view: 'graph' }} tabIndex={-1}>
            {label}
          </PageLink>
        ))}
    </g>
  );
}
