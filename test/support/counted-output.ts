import type { Client } from "../../hosts/library/client.ts";
import { eventually } from "./eventually.ts";

/** The whole log of a run: an answer holds a part, and some programs print more than that before their first word. */
export const logOf = async (board: Client, runId: string): Promise<string> => {
  let log = "";
  for (let offset = 0; ; ) {
    const { content, nextOffset } = await board.runs.log({ runId, offset });
    if (nextOffset === offset) return log;
    offset = nextOffset;
    log += content;
  }
};

/** All that a run's log has of a stream. */
export const outputOf = async (board: Client, runId: string, stream = "stdout"): Promise<string> =>
  (await logOf(board, runId))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line) as { readonly stream: string; readonly chunk: string })
    .filter((record) => record.stream === stream)
    .map(({ chunk }) => chunk)
    .join("");

/** The last number of a program that prints `n1`, `n2` and so on, a line each. */
export const lastNumber = (text: string): number => Number(/n(\d+)\n$/.exec(text)?.[1] ?? 0);

/** Waits until the log of such a program has another number. */
export const printsMore = async (board: Client, runId: string): Promise<void> => {
  const from = lastNumber(await outputOf(board, runId));
  await eventually(
    () => outputOf(board, runId),
    (text) => lastNumber(text) > from,
  );
};

/** The whole output of such a program up to a number; `step` and `letter` of one that prints fewer. */
export const numbersTo = (to: number, step = 1, letter = "n"): string =>
  Array.from({ length: Math.floor(to / step) }, (_, at) => `${letter}${(at + 1) * step}\n`).join("");
