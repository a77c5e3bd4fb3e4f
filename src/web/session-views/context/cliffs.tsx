import type { SessionContext } from '../../../api/context.ts';
import { cliffX, type Frame } from '../../../reading/context/areas.ts';
import styles from './context.module.css';

interface CliffsProps {
  readonly context: SessionContext;
  readonly frame: Frame;
  readonly chosen: number | null;
  readonly onChoose: (ordinal: number) => void;
}

const HIT_PX = 14;

/** Compactions, where the context falls. */
export function Cliffs({ context: { points, compactions }, frame, chosen, onChoose }: CliffsProps) {
  return compactions.map((compaction) => {
    const { id, ordinal } = compaction;
    const x = cliffX(points, frame, compaction);
    return (
      <g
        key={id}
        className={styles['cliff']}
        data-chosen={ordinal === chosen || undefined}
        onClick={() => onChoose(ordinal)}
      >
        <rect x={x - HIT_PX / 2} y={0} width={HIT_PX} height={frame.topPx + frame.heightPx} />
        <line x1={x} x2={x} y1={4} y2={frame.topPx + frame.heightPx} />
        <path d={`M${x - 5} 0L${x + 5} 0L${x} 8Z`} />
      </g>
    );
  });
}
