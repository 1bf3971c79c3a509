import { type Location, locationName } from "../../nouns/issues/location-name.ts";
import { visible } from "../../nouns/visible-text.ts";

/** The lines of a comment, as they were when it was written. */
export const QuotedLocation = ({ location }: { readonly location: Location }) => (
  <figure className="issue-quoted">
    <figcaption className="muted">
      {locationName(location)}, at <span className="mono">{location.commit.slice(0, 10)}</span>
    </figcaption>
    <pre className="patch">{location.lines.map(visible).join("\n")}</pre>
  </figure>
);
