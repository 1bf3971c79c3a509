import { namingKeys } from "../../parts/approval-words.ts";
import { Markdown } from "../../parts/markdown.tsx";
import { moneyText } from "../../parts/money.tsx";
import { useNames } from "../../parts/names.ts";
import { wordsOfKey } from "../../parts/words-of-key.ts";
import { useHere } from "../../shell/company.tsx";

type Fields = Readonly<Record<string, unknown>>;

/** Words for the fields whose name does not say it. */
const labels: Readonly<Record<string, string>> = {
  capabilities: "Can",
  budgetMonthlyCents: "Monthly budget",
  adapterType: "Adapter",
  subject: "About",
  candidateOwners: "Candidates",
  class: "Class of decision",
};

const labelOf = (key: string): string => labels[key] ?? wordsOfKey(key);

/** Texts of some length are read, not looked up. */
const isText = (value: unknown): value is string =>
  typeof value === "string" && (value.length > 80 || value.includes("\n"));

interface PayloadProps {
  readonly payload: Fields;
  /** Fields that the screen shows already. */
  readonly title?: string;
  /** Variables whose values an agent proposes. */
  readonly proposed: readonly string[];
}

/** The request, field by field. */
export const Payload = ({ payload, title, proposed }: PayloadProps) => {
  const nameOf = useNames();
  const here = useHere();
  const { adapterConfig, ...fields } = payload as Fields & { readonly adapterConfig?: Fields };
  const shown = (key: string, value: unknown): string =>
    key === "reportsTo"
      ? nameOf(String(value)).name
      : key === "budgetMonthlyCents"
        ? value === 0
          ? "no limit"
          : moneyText(Number(value))
        : Array.isArray(value)
          ? value.map(String).join(", ")
          : typeof value === "boolean"
            ? value
              ? "yes"
              : "no"
            : typeof value === "object"
              ? JSON.stringify(value)
              : String(value);
  const isSaid = (key: string, value: unknown) =>
    value === title && (namingKeys as readonly string[]).includes(key);
  const present = Object.entries(fields).filter(
    ([key, value]) => value !== null && value !== undefined && !isSaid(key, value),
  );
  const short = present.filter(([, value]) => !isText(value));
  return (
    <div className="stack">
      {short.length === 0 ? null : (
        <dl className="approval-fields">
          {short.map(([key, value]) => (
            <div key={key}>
              <dt className="muted">{labelOf(key)}</dt>
              <dd>{shown(key, value)}</dd>
            </div>
          ))}
        </dl>
      )}
      {present
        .filter(([, value]) => isText(value))
        .map(([key, value]) => (
          <section key={key}>
            <h2>{labelOf(key)}</h2>
            <Markdown text={String(value)} issuePath={(named) => here(`/issues/${named}`)} />
          </section>
        ))}
      {adapterConfig === undefined || Object.keys(adapterConfig).length === 0 ? null : (
        <section>
          <h2>Configuration</h2>
          {proposed.length === 0 ? null : (
            <p className="muted">The agent proposes values for {proposed.join(", ")}.</p>
          )}
          <pre className="approval-config">{JSON.stringify(adapterConfig, null, 2)}</pre>
        </section>
      )}
    </div>
  );
};
