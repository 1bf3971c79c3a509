import { refusal } from "../../core/shared/failure.ts";

/** Which part of a list: at most `limit` rows after the place that `cursor` marks. */
export interface PageRequest {
  readonly limit: number;
  /** Opaque; from the page before. */
  readonly cursor?: string | undefined;
}

/** A part of a list, and where it goes on. */
export interface Page<Row> {
  readonly items: readonly Row[];
  /** null on the last page. */
  readonly next: string | null;
}

/** The same page, its rows shown in another way. */
export const shownAs =
  <Row, Shown>(shown: (row: Row) => Shown) =>
  ({ items, next }: Page<Row>): Page<Shown> => ({ items: items.map(shown), next });

/** Of another list, of other filters, or made up. */
export class CursorInvalid extends refusal(
  "cursor_invalid",
  "invalid",
  "The cursor is not one that this list gave out.",
) {
  constructor() {
    super([{ path: ["cursor"], code: CursorInvalid.code, message: CursorInvalid.sentence }]);
  }
}
