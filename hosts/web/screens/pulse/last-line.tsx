import { useRead } from "../../live/calls.ts";

/** Enough of a log for its last entry. */
const lastBytes = 16_384;

const lineOf = (text: unknown): string =>
  typeof text === "string"
    ? (text
        .split("\n")
        .map((line) => line.trim())
        .findLast((line) => line !== "") ?? "")
    : "";

/** The last line that a running program has said; of a tool that it calls, the name. */
export const LastLine = ({ runId, logBytes }: { readonly runId: string; readonly logBytes: number }) => {
  const { data, isLoading } = useRead(
    "runs.transcript",
    { runId, before: logBytes, limitBytes: lastBytes },
    { enabled: logBytes > 0, placeholderData: (former) => former, retry: false },
  );
  const line = data?.entries
    .map(({ text, content, name }) => lineOf(text) || lineOf(content) || lineOf(name))
    .findLast((each) => each !== "");
  return <p className="pulse-line mono faint cut">{line ?? (isLoading ? "…" : "No output yet")}</p>;
};
