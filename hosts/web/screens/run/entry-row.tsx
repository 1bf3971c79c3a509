import { createContext, memo, type ReactNode, use } from "react";
import { Link, useLocation } from "wouter";
import { Markdown } from "../../nouns/markdown.tsx";
import { Diff } from "../../widgets/diff.tsx";
import { Icon, type IconName } from "../../widgets/icon.tsx";
import { locale } from "../../widgets/locale.ts";
import { moneyText } from "../../widgets/money.tsx";
import { TerminalText } from "../../widgets/terminal-text.tsx";
import { durationText, Time } from "../../widgets/time.tsx";
import { editsOf, type Step, type Usage } from "./steps.ts";
import type { Entry } from "./transcript-reader.ts";

const asText = (value: unknown): string => (typeof value === "string" ? value : "");

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
  if (typeof input !== "object" || input === null) return asText(input);
  const fields = input as Readonly<Record<string, unknown>>;
  for (const name of [
    "command",
    "cmd",
    "file_path",
    "filePath",
    "path",
    "pattern",
    "url",
    "query",
    "description",
  ])
    if (typeof fields[name] === "string") return fields[name];
  return JSON.stringify(input);
};

const textOfEntry = (entry: Entry): string =>
  [entry.text, entry.name, entry.content, inputText(entry.input)].map(asText).join(" ");

/** Everything in a row that a search looks into. */
export const textOf = ({ entry, result }: Step): string =>
  result === null ? textOfEntry(entry) : `${textOfEntry(entry)} ${textOfEntry(result)}`;

const hasFailed = (entry: Entry): boolean =>
  entry.isError === true ||
  entry.kind === "stderr" ||
  (Array.isArray(entry.errors) && entry.errors.length > 0);

export const isFailure = ({ entry, result }: Step): boolean =>
  hasFailed(entry) || (result !== null && hasFailed(result));

const isOfSubAgent = ({ entry }: Step): boolean => asText(entry.parentToolUseId) !== "";

/** Goes to a row by its position, which the address then names; null: positions are not known before all is read. */
export const GoToRow = createContext<((row: number) => void) | null>(null);

/** The position of a row. */
export const RowPosition = createContext(0);

/** The row that the address names, as `#L120`; null: none. */
export const rowInAddress = (): number | null => {
  const [, line] = /^#L([1-9]\d{0,8})$/.exec(location.hash) ?? [];
  return line === undefined ? null : Number(line) - 1;
};

/** When it was said, which links to it. */
const RowTime = ({ at }: { readonly at: string }) => {
  const go = use(GoToRow);
  const row = use(RowPosition);
  const [path] = useLocation();
  const time = Number.isNaN(Date.parse(at)) ? null : <Time at={at} as="clock" />;
  if (go === null || time === null) return time;
  return (
    <Link href={`${path}#L${row + 1}`} replace className="quiet-link run-line-link" onClick={() => go(row)}>
      <span className="only-read">Link to L{row + 1}, </span>
      {time}
    </Link>
  );
};

/** One row: what was said as Markdown, output in its colours, a tool's call with its result as a line that opens. */
export const EntryRow = memo(({ step }: { readonly step: Step }) => {
  const { entry } = step;
  switch (entry.kind) {
    case "assistant":
      return (
        <Line step={step} icon="bot">
          <Markdown isPart text={shortened(asText(entry.text))} />
        </Line>
      );
    case "user":
      return (
        <Line step={step} icon="user">
          <pre className="run-preformatted">{shortened(asText(entry.text))}</pre>
        </Line>
      );
    case "thinking":
      return (
        <Line step={step} icon="circle-dashed" className="faint">
          <Markdown isPart text={shortened(asText(entry.text))} />
        </Line>
      );
    case "tool_call":
      return <ToolLine step={step} />;
    case "tool_result":
      return (
        <Line step={step} icon={entry.isError === true ? "circle-x" : "check"}>
          <details>
            <summary className="cut mono muted">{firstLine(entry)}</summary>
            <Output entry={entry} />
          </details>
        </Line>
      );
    case "init":
      return (
        <Line step={step} icon="circle-dot" className="muted">
          {asText(entry.model)} · session {asText(entry.sessionId)}
        </Line>
      );
    case "result":
      return (
        <Line step={step} icon={entry.isError === true ? "circle-x" : "circle-check"}>
          {asText(entry.text) === "" ? (
            <span className="muted">{entry.isError === true ? "Failed" : "Done"}</span>
          ) : (
            <Markdown isPart text={shortened(asText(entry.text))} />
          )}
        </Line>
      );
    default:
      return (
        <Line step={step} icon="chevron-right">
          <pre className="run-preformatted">
            <TerminalText text={shortened(asText(entry.text))} />
          </pre>
        </Line>
      );
  }
});

const firstLine = (result: Entry): string => {
  const line = asText(result.content)
    .split("\n")
    .find((each) => each.trim() !== "");
  return line === undefined ? "no output" : line.replaceAll(/\u001b\[[\d;]*m/g, "").slice(0, 400);
};

const Output = ({ entry }: { readonly entry: Entry }) => (
  <pre className="run-block">
    <TerminalText text={shortened(asText(entry.content))} />
  </pre>
);

/** A tool's call and its result. A replacement in a file is shown as the difference. */
const ToolLine = ({ step }: { readonly step: Step }) => {
  const { entry, result } = step;
  const edits = editsOf(entry);
  const icon = result === null ? "terminal" : result.isError === true ? "circle-x" : "check";
  return (
    <Line step={step} icon={icon}>
      <details>
        <summary>
          <span className="run-call cut">
            <strong>{asText(entry.name)}</strong>{" "}
            <span className="mono">{targetOf(entry.input).slice(0, 400)}</span>
          </span>
          {result === null ? null : <span className="run-came cut mono muted">{firstLine(result)}</span>}
        </summary>
        {edits.length === 0 ? (
          <pre className="run-block">{shortened(inputText(entry.input))}</pre>
        ) : (
          edits.map(({ before, after }, at) => {
            const key = at;
            return <Diff key={key} before={before} after={after} />;
          })
        )}
        {result === null ? null : <Output entry={result} />}
      </details>
    </Line>
  );
};

/** Shorter steps tell nothing by their time. */
const shownFromMs = 1_000;

const usageText = ({ inputTokens, cachedTokens, outputTokens, costUsd }: Usage): string => {
  const all = inputTokens + cachedTokens + outputTokens;
  return [
    ...(all > 0 ? [`${all.toLocaleString(locale)} tokens`] : []),
    ...(costUsd > 0 ? [moneyText(costUsd * 100)] : []),
  ].join(", ");
};

const usageTitle = ({ inputTokens, cachedTokens, outputTokens }: Usage): string =>
  `${inputTokens.toLocaleString(locale)} in, ${cachedTokens.toLocaleString(locale)} from the cache, ${outputTokens.toLocaleString(locale)} out`;

const Figures = ({ step: { tookMs, usage } }: { readonly step: Step }) =>
  usage === null && (tookMs ?? 0) < shownFromMs ? null : (
    <span className="faint run-figures">
      {tookMs === null || tookMs < shownFromMs ? null : <span>{durationText(tookMs)}</span>}
      {usage === null ? null : <span title={usageTitle(usage)}>{usageText(usage)}</span>}
    </span>
  );

interface LineProps {
  readonly step: Step;
  readonly icon: IconName;
  readonly className?: string;
  readonly children: ReactNode;
}

const Line = ({ step, icon, className = "", children }: LineProps) => (
  <div
    className={`run-line ${isFailure(step) ? "failure" : ""} ${isOfSubAgent(step) ? "run-nested" : ""} ${className}`}
  >
    <span className="faint run-time">
      <RowTime at={step.entry.ts} />
    </span>
    <Icon name={icon} size={14} />
    <div className="run-text">{children}</div>
    <Figures step={step} />
  </div>
);
