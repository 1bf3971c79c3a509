import { describeLines } from "../../../../core/model/issues/comments/comment-location.ts";
import type { RowOf } from "../../live/calls.ts";
import { visible } from "../visible-text.ts";

/** The lines of an issue's changes that a comment is about. */
export type Location = NonNullable<RowOf<"issues.comments">["location"]>;

export const locationName = ({
  path,
  side,
  ...range
}: Pick<Location, "path" | "side" | "startLine" | "endLine">): string =>
  `${visible(path)}, ${side === "old" ? "removed " : ""}${describeLines(range)}`;
