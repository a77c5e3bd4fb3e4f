import styles from './charts.module.css';

interface TextTableProps {
  readonly caption: string;
  readonly head: readonly string[];
  /** The first cell of a row is its heading. */
  readonly rows: readonly (readonly string[])[];
}

/** The figures of a chart as a table that only screen readers see. */
export function TextTable({ caption, head, rows }: TextTableProps) {
  return (
    <div className={styles['hiddenTable']}>
      <table>
        <caption>{caption}</caption>
        <thead>
          <tr>
            {head.map((title, index) => (
              <th key={index} scope="col">
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(([title, ...cells], index) => (
            <tr key={index}>
              <th scope="row">{title}</th>
              {cells.map((cell, at) => (
                <td key={at}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
