import { Fragment, type ReactNode, type RefObject, useLayoutEffect, useRef } from "react";
import { useVirtualRows } from "./virtual-rows.ts";

export interface Column<Row> {
  readonly key: string;
  readonly title: string;
  /** Numbers stand at the right. */
  readonly align?: "start" | "end";
  /** Takes the width that is left. One of the columns should. */
  readonly grows?: boolean;
  /** Not on narrow screens. */
  readonly wideOnly?: boolean;
  /** Its texts are sentences, which are seldom cut. */
  readonly isLong?: boolean;
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

/** A table of any length. */
export const Table = <Row,>({ label, columns, rows, rowKey }: TableProps<Row>) => {
  const classOf = ({ align, grows, wideOnly, isLong, narrowGrows }: Column<Row>) =>
    [
      ...(align === "end" ? ["number"] : []),
      ...(grows ? ["grows"] : []),
      ...(wideOnly ? ["wide-only"] : []),
      ...(isLong ? ["long"] : []),
      ...(narrowGrows ? ["narrow-grows"] : []),
    ].join(" ") || undefined;
  const body = useRef<HTMLTableSectionElement>(null);
  const heads = useRef<HTMLTableRowElement>(null);
  const { shown, after, measure, isPart } = useVirtualRows(body, rows, rowKey);
  useSteadyWidths(heads, isPart);
  return (
    <div className="table-scroll">
      <table className="table" aria-label={label} aria-rowcount={isPart ? rows.length + 1 : undefined}>
        <thead>
          <tr ref={heads} aria-rowindex={isPart ? 1 : undefined}>
            {columns.map((column) => (
              <th key={column.key} scope="col" className={classOf(column)}>
                {column.title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {shown.map(({ row, index, gap }) => (
            <Fragment key={rowKey(row)}>
              <Room height={gap} />
              <tr ref={measure} data-index={index} aria-rowindex={isPart ? index + 2 : undefined}>
                {columns.map((column) => (
                  <td key={column.key} className={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ))}
              </tr>
            </Fragment>
          ))}
          <Room height={after} />
        </tbody>
      </table>
    </div>
  );
};

/** In place of rows that are not in the page. */
const Room = ({ height }: { readonly height: number }) =>
  height <= 0 ? null : (
    // biome-ignore lint/a11y/noAriaHiddenOnFocusable: a row takes no focus
    <tr aria-hidden="true">
      <td style={{ height, padding: 0, border: 0 }} />
    </tr>
  );

/** Columns keep the width that their widest cell so far has needed, as rows of a long table come and go. */
const useSteadyWidths = (heads: RefObject<HTMLTableRowElement | null>, isPart: boolean) => {
  useLayoutEffect(() => {
    if (!isPart) return;
    for (const head of heads.current!.querySelectorAll<HTMLElement>("th:not(.grows, .narrow-grows)"))
      if (head.offsetWidth > 0) head.style.minWidth = `${head.offsetWidth}px`;
  });
};
