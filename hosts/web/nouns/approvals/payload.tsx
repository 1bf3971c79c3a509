import type { ReactNode } from "react";
import { visibleRecord, visibleText } from "../../../../core/model/shared/visible-text.ts";
import { AdapterFacts } from "../agents/adapter-facts.tsx";
import { useIssuePath } from "../companies/company.tsx";
import { Markdown } from "../markdown.tsx";
import { type approvalTypeLabels, namingKeys } from "./approval-labels.ts";
import { labelOf, rankOf, usePayloadText } from "./payload-text.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Texts of some length are read, not looked up. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && (value.length > 80 || value.includes("\n"));

/** A list of sentences is read, too; one of names is looked up. */
const isList = (value: unknown): value is readonly unknown[] =>
  Array.isArray(value) && value.some((each) => String(each).length > 24);

const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value);

interface PayloadProps {
  readonly type: keyof typeof approvalTypeLabels;
  readonly payload: Fields;
  /** Fields that the screen shows already. */
  readonly title?: string;
  /** Variables whose values an agent proposes. */
  readonly proposed: readonly string[];
}

/** The request, field by field, in the order in which it is judged. */
export const Payload = ({ type, payload: asked, title, proposed }: PayloadProps) => {
  const payload = visibleRecord(asked);
  const { adapterConfig, ...fields } = payload as Fields & { readonly adapterConfig?: Fields };
  const isInTitle = (key: string, value: unknown) =>
    value === title && (namingKeys as readonly string[]).includes(key);
  const isEmpty = (value: unknown) => isFields(value) && Object.keys(value).length === 0;
  // No manager and no limit are facts of a hire, too.
  const facts = type === "hire_agent" ? { reportsTo: null, budgetMonthlyCents: 0, ...fields } : fields;
  const present = Object.entries(facts)
    .filter(
      ([key, value]) =>
        (value !== null || key === "reportsTo") &&
        value !== undefined &&
        !isEmpty(value) &&
        !isInTitle(key, value),
    )
    .sort(([one], [other]) => rankOf(one) - rankOf(other));
  return (
    <div className="stack">
      <Parts present={present} />
      {adapterConfig === undefined || Object.keys(adapterConfig).length === 0 ? null : (
        <section>
          <h3>Configuration</h3>
          {proposed.length === 0 ? null : (
            <p className="muted">The agent proposes values for {visibleText(proposed.join(", "))}.</p>
          )}
          <dl className="adapter-facts">
            <AdapterFacts
              adapterType={String(payload.adapterType ?? "process")}
              adapterConfig={adapterConfig}
            />
          </dl>
          <details>
            <summary>View raw JSON</summary>
            {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached by the keyboard */}
            <pre className="adapter-value" tabIndex={0}>
              {visibleText(JSON.stringify(asked.adapterConfig, null, 2))}
            </pre>
          </details>
        </section>
      )}
    </div>
  );
};

/** Short values next to each other as a list of facts, between the texts. */
const Parts = ({ present }: { readonly present: readonly (readonly [string, unknown])[] }) => {
  const issuePath = useIssuePath();
  const textOf = usePayloadText();
  const parts: ReactNode[] = [];
  let short: ReactNode[] = [];
  const endShort = () => {
    if (short.length > 0)
      parts.push(
        <dl key={`facts ${parts.length}`} className="approval-fields">
          {short}
        </dl>,
      );
    short = [];
  };
  for (const [key, value] of present) {
    if (!isText(value) && !isList(value) && !isFields(value)) {
      short.push(
        <div key={key}>
          <dt className="muted">{labelOf(key)}</dt>
          <dd>{textOf(key, value)}</dd>
        </div>,
      );
      continue;
    }
    endShort();
    parts.push(
      <section key={key}>
        <h3>{labelOf(key)}</h3>
        {isText(value) ? (
          <Markdown text={value} issuePath={issuePath} />
        ) : isList(value) ? (
          <ul className="approval-list">
            {value.map((each, at) => {
              const key = at;
              return <li key={key}>{textOf("", each)}</li>;
            })}
          </ul>
        ) : (
          <dl className="approval-fields">
            {Object.entries(value).map(([name, inner]) => (
              <div key={name}>
                <dt className="muted">{labelOf(name)}</dt>
                <dd className="approval-text">{textOf(name, inner)}</dd>
              </div>
            ))}
          </dl>
        )}
      </section>,
    );
  }
  endShort();
  return <>{parts}</>;
};
