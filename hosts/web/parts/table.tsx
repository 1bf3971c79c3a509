import type { ReactNode } from "react";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Numbers stand at the right. */
  readonly align?: "start" | "end";
  /** Takes the width that is left. One of the columns should. */
  readonly grows?: boolean;
  /** Not on narrow screens. */
  readonly wideOnly?: boolean;
  /** Takes the width that is left on narrow screens. */
  readonly narrowGrows?: boolean;
  readonly cell: (row: Row) => ReactNode;
}

interface TableProps<Row> {
  /** Read out before the table. */
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly rowKey: (row: Row) => string;
}

/** A table for up to some hundred rows; longer lists are virtual (see the issues list). */
export const Table = <Row,>({ label, columns, rows, rowKey }: TableProps<Row>) => {
  const classOf = ({ align, grows, wideOnly, narrowGrows }: Column<Row>) =>
    [
      ...(align === "end" ? ["number"] : []),
      ...(grows ? ["grows"] : []),
      ...(wideOnly ? ["wide-only"] : []),
      ...(narrowGrows ? ["narrow-grows"] : []),
    ].join(" ") || undefined;
  return (
    <div className="table-scroll">
      <table className="table" aria-label={label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={rowKey(row)}>
              {columns.map((column) => (
                <td key={column.key} className={classOf(column)}>
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};
