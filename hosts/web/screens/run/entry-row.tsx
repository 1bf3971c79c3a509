import { memo, type ReactNode } from "react";
import { Icon, type IconName } from "../../parts/icon.tsx";
import { locale } from "../../parts/locale.ts";
import { moneyText } from "../../parts/money.tsx";
import { Time } from "../../parts/time.tsx";
import type { Entry } from "./transcript-reader.ts";

const word = (value: unknown): string => (typeof value === "string" ? value : "");

const figure = (value: unknown): number => (typeof value === "number" && Number.isFinite(value) ? value : 0);

/** The length of one text that is laid out: a line of a log may have millions of characters, and the raw log has them all. */
const shownCharacters = 20_000;
const shortened = (text: string): string =>
  text.length <= shownCharacters
    ? text
    : `${text.slice(0, shownCharacters)}\n… ${(text.length - shownCharacters).toLocaleString(locale)} characters more`;

const inputText = (input: unknown): string =>
  typeof input === "string" ? input : input === undefined ? "" : JSON.stringify(input, null, 2);

/** The subject of a tool's use, in one line: of its input the field that says most. */
const targetOf = (input: unknown): string => {
  if (typeof input !== "object" || input === null) return word(input);
  const fields = input as Readonly<Record<string, unknown>>;
  for (const name of ["command", "cmd", "file_path", "path", "pattern", "url", "query", "description"])
    if (typeof fields[name] === "string") return fields[name];
  return JSON.stringify(input);
};

/** Everything in an entry that a search looks into. */
export const textOf = (entry: Entry): string =>
  [entry.text, entry.name, entry.content, inputText(entry.input)].map(word).join(" ");

export const isFailure = (entry: Entry): boolean =>
  entry.isError === true ||
  entry.kind === "stderr" ||
  (Array.isArray(entry.errors) && entry.errors.length > 0);

/** One entry: text as text, tools as a line that opens. Nothing of it is ever markup. */
export const EntryRow = memo(({ entry }: { readonly entry: Entry }) => {
  switch (entry.kind) {
    case "assistant":
    case "user":
      return (
        <Line entry={entry} icon={entry.kind === "user" ? "user" : "bot"}>
          <pre className="run-words">{shortened(word(entry.text))}</pre>
        </Line>
      );
    case "thinking":
      return (
        <Line entry={entry} icon="circle-dashed" className="faint">
          <pre className="run-words">{shortened(word(entry.text))}</pre>
        </Line>
      );
    case "tool_call":
      return (
        <Line entry={entry} icon="terminal">
          <details>
            <summary className="cut">
              <strong>{word(entry.name)}</strong>{" "}
              <span className="mono">{targetOf(entry.input).slice(0, 400)}</span>
            </summary>
            <pre className="run-block">{shortened(inputText(entry.input))}</pre>
          </details>
        </Line>
      );
    case "tool_result": {
      const content = word(entry.content);
      const [first = ""] = content.split("\n", 1);
      return (
        <Line entry={entry} icon={entry.isError === true ? "circle-x" : "check"}>
          <details>
            <summary className="cut mono muted">{first === "" ? "no output" : first.slice(0, 400)}</summary>
            <pre className="run-block">{shortened(content)}</pre>
          </details>
        </Line>
      );
    }
    case "init":
      return (
        <Line entry={entry} icon="circle-dot" className="muted">
          {word(entry.model)} · session {word(entry.sessionId)}
        </Line>
      );
    case "result":
      return (
        <Line entry={entry} icon={entry.isError === true ? "circle-x" : "circle-check"}>
          <pre className="run-words">{shortened(word(entry.text))}</pre>
          <span className="faint">
            {(figure(entry.inputTokens) + figure(entry.outputTokens)).toLocaleString(locale)} tokens
            {figure(entry.costUsd) > 0 ? `, ${moneyText(figure(entry.costUsd) * 100)}` : ""}
          </span>
        </Line>
      );
    default:
      return (
        <Line entry={entry} icon="chevron-right">
          <pre className="run-words">{shortened(word(entry.text))}</pre>
        </Line>
      );
  }
});

interface LineProps {
  readonly entry: Entry;
  readonly icon: IconName;
  readonly className?: string;
  readonly children: ReactNode;
}

const Line = ({ entry, icon, className = "", children }: LineProps) => (
  <div className={`run-line ${isFailure(entry) ? "failure" : ""} ${className}`}>
    <span className="faint run-time">
      {Number.isNaN(Date.parse(entry.ts)) ? null : <Time at={entry.ts} as="clock" />}
    </span>
    <Icon name={icon} size={14} />
    <div className="run-said">{children}</div>
  </div>
);
