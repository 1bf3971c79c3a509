import { LabelDot } from "../../nouns/issues/label-dot.tsx";
import { Icon } from "../../widgets/icon.tsx";

interface Label {
  readonly id: string;
  readonly name: string;
  readonly color: string | null;
}

/** How many labels fit in a row. */
const most = 3;

export const IssueLabels = ({ labels }: { readonly labels: readonly Label[] }) => (
  <>
    {labels.slice(0, most).map(({ id, name, color }) => (
      <span key={id} className="issues-label" title={name}>
        <LabelDot color={color} />
        <span className="cut">{name}</span>
      </span>
    ))}
    {labels.length > most ? (
      <span
        className="issues-label"
        title={labels
          .slice(most)
          .map(({ name }) => name)
          .join(", ")}
      >
        +{labels.length - most}
      </span>
    ) : null}
  </>
);

export const IssueProject = ({ name }: { readonly name: string | null }) =>
  name === null ? null : (
    <span className="issues-project muted" title={name}>
      <Icon name="folder" size={14} />
      <span className="cut">{name}</span>
    </span>
  );
