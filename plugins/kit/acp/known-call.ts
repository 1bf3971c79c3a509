import { asObject, asText, type Json } from "../json.ts";

/** A tool call as its agent has reported it: texts, cut; empty where it has not said them. */
export interface KnownCall {
  readonly title: string;
  readonly name: string;
  readonly kind: string;
  /** As the agent's program names the tool, and not its model. */
  readonly toolName: string;
  /** Its input, where that is short. */
  readonly input: Json | null;
  /** It has an input that is too long to be kept. */
  readonly hasLongInput: boolean;
  /** The server of the tool, where its input is a call of a server's tool and nothing else. */
  readonly server: string;
}

/** Characters of each text: the service keeps many of them, and an agent may say 4 Mi in each line. */
export const maxCallText = 300;
/** Characters of an input as JSON. */
const maxInput = 20_000;
const callOfServer = ["server", "tool", "arguments"];

/** Joins a report of a tool call with an earlier one. */
export const callOf = (update: Json, known?: KnownCall): KnownCall => {
  const toolNames = Object.values(asObject(update._meta) ?? {}).map((meta) =>
    asText(asObject(meta)?.toolName),
  );
  const latest = (now: string, before = "") => now.slice(0, maxCallText) || before;
  const input = asObject(update.rawInput);
  const hasInput = input !== null && Object.keys(input).length > 0;
  const isLong = hasInput && JSON.stringify(input).length > maxInput;
  const isOfServer = hasInput && Object.keys(input).every((key) => callOfServer.includes(key));
  return {
    title: latest(asText(update.title), known?.title),
    name: latest(asText(update.name), known?.name),
    kind: latest(asText(update.kind), known?.kind),
    toolName: latest(toolNames.find((name) => name !== "") ?? "", known?.toolName),
    input: hasInput ? (isLong ? null : input) : (known?.input ?? null),
    hasLongInput: hasInput ? isLong : (known?.hasLongInput ?? false),
    server: hasInput ? (isOfServer ? asText(input.server) : "") : (known?.server ?? ""),
  };
};
