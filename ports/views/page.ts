import { refusal } from "../../core/model/shared/failure.ts";

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

/** A row as the text of a JSON object, which a host may pass on as it is. */
export class JsonText<Row> {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }

  /** An object of which some fields are text already. */
  static of<Fields extends object>(fields: Fields): JsonText<ReadRow<Fields>> {
    const written = Object.entries(fields).flatMap(([name, value]) =>
      value === undefined
        ? []
        : [`${JSON.stringify(name)}:${value instanceof JsonText ? value.text : JSON.stringify(value)}`],
    );
    return new JsonText(`{${written.join(",")}}`);
  }

  /** Parses the text at each call. */
  get row(): Row {
    return JSON.parse(this.text) as Row;
  }

  /** Lets `JSON.stringify` write the row. */
  toJSON(): Row {
    return this.row;
  }
}

/** The object with what its texts say. */
type ReadRow<Fields> = { readonly [Name in keyof Fields]: Read<Fields[Name]> };
type Read<Value> = Value extends JsonText<infer Row> ? Row : Value;

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
