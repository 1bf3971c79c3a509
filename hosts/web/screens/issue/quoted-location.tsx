import { describeLines } from "../../../../core/model/issues/comments/comment-location.ts";
import type { RowOf } from "../../live/calls.ts";
import { visible } from "../../nouns/visible-text.ts";

export type Location = NonNullable<RowOf<"issues.comments">["location"]>;

export const locationName = ({
  path,
  side,
  ...range
}: Pick<Location, "path" | "side" | "startLine" | "endLine">): string =>
  `${visible(path)}, ${side === "old" ? "removed " : ""}${describeLines(range)}`;

/** The lines of a comment, as they were when it was written. */
export const QuotedLocation = ({ location }: { readonly location: Location }) => (
  <figure className="issue-quoted">
    <figcaption className="muted">
      {locationName(location)}, at <span className="mono">{location.commit.slice(0, 10)}</span>
    </figcaption>
    <pre className="patch">{location.lines.map(visible).join("\n")}</pre>
  </figure>
);
