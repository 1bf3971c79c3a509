import { useCallback, useEffect, useState } from "react";
import { call } from "../../live/calls.ts";
import { useRunLog } from "../../live/stream.ts";
import { Button } from "../../widgets/button.tsx";
import { Problem } from "../../widgets/field.tsx";
import { Skeleton } from "../../widgets/skeleton.tsx";

interface Chunk {
  readonly stream: string;
  readonly chunk: string;
}

const chunksOf = (content: string): readonly Chunk[] =>
  content
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Chunk);

interface RawLogProps {
  readonly runId: string;
  readonly isLive: boolean;
  /** How long the log is. */
  readonly logBytes: number;
}

/** The stored log as it is, masked values masked; a piece at a time. */
export const RawLog = ({ runId, isLive, logBytes }: RawLogProps) => {
  /** null: nothing has been read yet. */
  const [text, setText] = useState<string | null>(null);
  const [offset, setOffset] = useState(0);
  const [isAll, setIsAll] = useState(false);
  const [error, setError] = useState<unknown>(null);
  const read = useCallback(
    async (from: number) => {
      try {
        const part = await call("runs.log", { runId, offset: from });
        setText(
          (before) =>
            (before ?? "") +
            chunksOf(part.content)
              .map(({ chunk }) => chunk)
              .join(""),
        );
        setOffset(part.nextOffset);
        setIsAll(part.nextOffset === from || part.content === "");
      } catch (refused) {
        setError(refused);
      }
    },
    [runId],
  );
  useEffect(() => {
    setText(null);
    void read(0);
  }, [read]);
  useRunLog(
    isLive ? runId : null,
    useCallback(() => setIsAll(false), []),
  );
  if (text === null && error === null) return <Skeleton />;
  return (
    <div className="run-raw">
      {error === null ? null : <Problem error={error} />}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className="run-block" tabIndex={0}>
        {text === "" ? "No output" : text}
      </pre>
      {isAll || (!isLive && offset >= logBytes) ? null : (
        <Button onClick={() => void read(offset)}>Show more</Button>
      )}
    </div>
  );
};
