/** The colour of a label, before its name; one without a colour has that of the text. */
export const LabelDot = ({ color }: { readonly color: string | null }) => (
  <svg className="label-dot" viewBox="0 0 12 12" aria-hidden="true">
    <circle cx="6" cy="6" r="6" fill={color ?? "currentColor"} />
  </svg>
);

interface ColouredName {
  readonly name: string;
  readonly color: string | null;
}

/** The name of a label with its colour, as an option of a field. */
export const LabelName = ({ name, color }: ColouredName) => (
  <span className="row">
    <LabelDot color={color} />
    <span className="cut">{name}</span>
  </span>
);
