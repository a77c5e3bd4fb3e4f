import { List, Minus, Plus, Waypoints } from 'lucide-react';
import { describeGraph } from '../../../reading/graph/facts.ts';
import { SCALES } from '../../../reading/graph/geometry.ts';
import { useGraphContext } from './graph-context.ts';
import styles from './graph.module.css';
import { RelativeLinks } from './relative-links.tsx';

interface GraphBarProps {
  readonly scale: number;
  readonly onZoom: (by: number) => void;
  readonly isList: boolean;
  readonly onList: (isList: boolean) => void;
}

export function GraphBar({ scale, onZoom, isList, onList }: GraphBarProps) {
  const { graph } = useGraphContext();
  return (
    <div className={`${styles['bar']} no-print`}>
      <p className={styles['summary']}>{describeGraph(graph)}</p>
      <RelativeLinks />
      <div className={styles['buttons']}>
        <button
          type="button"
          aria-label="Smaller"
          title="Smaller (-)"
          disabled={isList || scale === 0}
          onClick={() => onZoom(-1)}
        >
          <Minus size={15} aria-hidden="true" />
        </button>
        <button
          type="button"
          aria-label="Larger"
          title="Larger (+)"
          disabled={isList || scale === SCALES.length - 1}
          onClick={() => onZoom(1)}
        >
          <Plus size={15} aria-hidden="true" />
        </button>
        <button
          type="button"
          aria-label={isList ? 'Graph' : 'List'}
          title="Graph or list (l)"
          onClick={() => onList(!isList)}
        >
          {isList ? <Waypoints size={15} aria-hidden="true" /> : <List size={15} aria-hidden="true" />}
          <span>{isList ? 'Graph' : 'List'}</span>
        </button>
      </div>
    </div>
  );
}
