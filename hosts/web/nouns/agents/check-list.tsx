import type { AnswerOf } from "../../live/calls.ts";
import { Icon } from "../../widgets/icon.tsx";
import { withCode } from "../../widgets/with-code.tsx";

type Check = AnswerOf<"adapters.testEnvironment">["checks"][number];

const icons = { info: "info", warn: "triangle-alert", error: "circle-x" } as const;

/** The findings of a test, each with its remedy: green is only what was tried and works. */
export const CheckList = ({ checks }: { readonly checks: readonly Check[] }) => (
  <div role="status">
    <ul className="plain-list check-list">
      {checks.map(({ code, level, passed, message, hint }) => (
        <li key={`${code} ${message}`} className={passed ? "passed" : level}>
          <Icon name={passed ? "check" : icons[level]} />
          <span>
            {withCode(message)}
            {hint === undefined ? null : <span className="muted"> {withCode(hint)}</span>}
          </span>
        </li>
      ))}
    </ul>
  </div>
);
