import type { Colors, Terminal } from "../terminal.ts";
import { money } from "./format.ts";
import type { Cell } from "./table.ts";

/** The context of a printer: names, clock, colours, width. */
export interface Paper extends Pick<Terminal, "width" | "colors" | "now"> {
  /** Names of agents and board users, by id. */
  readonly names: ReadonlyMap<string, string>;
}

export type Row = Readonly<Record<string, unknown>>;

export const someone = (id: string | null, { names }: Paper): string =>
  id === null ? "–" : (names.get(id) ?? shortId(id));

/** Shortens an id to its end, because ids begin with their time. */
export const shortId = (id: string): string => (id.length > 12 ? `…${id.slice(-8)}` : id);

const statusColors: Readonly<Record<string, keyof Colors>> = {
  done: "green",
  verified: "green",
  reported: "yellow",
  succeeded: "green",
  active: "green",
  idle: "green",
  ok: "green",
  running: "cyan",
  in_progress: "cyan",
  in_review: "magenta",
  queued: "yellow",
  todo: "yellow",
  planned: "yellow",
  pending: "yellow",
  approved: "green",
  rejected: "red",
  revision_requested: "magenta",
  resubmitted: "yellow",
  paused: "yellow",
  interrupted: "yellow",
  ready: "green",
  warning: "yellow",
  success: "green",
  failure: "red",
  disabled: "dim",
  blocked: "red",
  failed: "red",
  timed_out: "red",
  error: "red",
  terminated: "dim",
  cancelled: "dim",
  archived: "dim",
  backlog: "dim",
  critical: "red",
  high: "yellow",
  warn: "yellow",
  missing: "red",
  reachable: "green",
  awaited: "yellow",
  abandoned: "red",
};

export const status = (value: string, { colors }: Paper): Cell => {
  const color = statusColors[value];
  return {
    text: value,
    paint: color === undefined ? undefined : (colors[color] as (text: string) => string),
  };
};

export const strong = (text: string, { colors }: Paper): Cell => ({ text, paint: colors.bold });

export const budget = ({
  budgetMonthlyCents,
  spentMonthlyCents,
}: {
  budgetMonthlyCents: number;
  spentMonthlyCents: number;
}) =>
  budgetMonthlyCents === 0
    ? money(spentMonthlyCents)
    : `${money(spentMonthlyCents)} of ${money(budgetMonthlyCents)}`;

/** Summarises a free-form object in one line. */
export const brief = (value: Row, { names }: Paper): string =>
  Object.entries(value)
    .filter(([key, part]) => part !== null && part !== undefined && key !== "identifier")
    .map(([key, part]) => {
      const text =
        typeof part === "string"
          ? (names.get(part) ?? (isId(part) ? shortId(part) : part))
          : JSON.stringify(part);
      return `${key}=${text}`;
    })
    .join(" ");

const isId = (text: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(text);
