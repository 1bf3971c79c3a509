import { refusal } from "../../core/shared/failure.ts";

/** A part of a list: at most `limit` rows after the position of `cursor`. */
export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the previous page. */
  readonly cursor?: string | undefined;
}

/** A part of a list, and the cursor of the next part. */
export interface Page<Row> {
  readonly items: readonly Row[];
  /** null on the last page. */
  readonly next: string | null;
}

/** A row as the text of a JSON object: a host passes it on unread. */
export class JsonText<Row> {
  declare readonly row: Row;
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/** Types rows by what their texts say, for an endpoint that shows them as they are. */
export const unread = <Row>(page: Page<JsonText<Row>>): Page<Row> => page as Page<unknown> as Page<Row>;

/** Maps the rows of a page. */
export const shownAs =
  <Row, Shown>(shown: (row: Row) => Shown) =>
  ({ items, next }: Page<Row>): Page<Shown> => ({ items: items.map(shown), next });

/** The cursor belongs to another list or other filters, or is invalid. */
export class CursorInvalid extends refusal(
  "cursor_invalid",
  "invalid",
  "The cursor is not one that this list gave out.",
) {
  constructor() {
    super([{ path: ["cursor"], code: CursorInvalid.code, message: CursorInvalid.sentence }]);
  }
}
