import { useState } from "react";
import { call, type InputOf, type RowOf } from "../../live/calls.ts";
import { Icon } from "../../parts/icon.tsx";
import { locale } from "../../parts/locale.ts";
import { Menu } from "../../parts/menu.tsx";
import { useToasts } from "../../parts/toasts.tsx";

type Entry = RowOf<"activity.list">;
type Asked = Omit<InputOf<"activity.list">, "limit" | "cursor">;

const columns = [
  "createdAt",
  "actorType",
  "actorName",
  "actorId",
  "runId",
  "action",
  "entityType",
  "entityId",
] as const;

/** A cell of a CSV file. Programs for tables take some beginnings for a formula: those get an apostrophe before them. */
export const csvCell = (text: string): string => {
  const plain = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
};

const csvOf = (entries: readonly Entry[]): string =>
  [
    [...columns, "details"],
    ...entries.map((entry) => [
      ...columns.map((column) => entry[column] ?? ""),
      JSON.stringify(entry.details),
    ]),
  ]
    .map((cells) => `${cells.map(csvCell).join(",")}\r\n`)
    .join("");

const formats = {
  ndjson: {
    label: "As NDJSON",
    type: "application/x-ndjson",
    textOf: (entries: readonly Entry[]) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(""),
  },
  csv: { label: "As CSV", type: "text/csv", textOf: csvOf },
} as const;

/** As many as one file has: more are found by narrower filters. */
const most = 100_000;

const readAll = async (asked: Asked): Promise<readonly Entry[]> => {
  const entries: Entry[] = [];
  let cursor: string | undefined;
  do {
    const page = await call("activity.list", { ...asked, limit: 500, cursor });
    entries.push(...page.items);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined && entries.length < most);
  return entries;
};

const save = (name: string, content: Blob): void => {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
};

/** Saves the entries that the filters leave, all pages of them, as a file. */
export const ExportActivity = ({ asked, name }: { readonly asked: Asked; readonly name: string }) => {
  const say = useToasts();
  const [isBusy, setBusy] = useState(false);
  const run = async (format: keyof typeof formats) => {
    setBusy(true);
    try {
      const entries = await readAll(asked);
      const { type, textOf } = formats[format];
      save(`${name}.${format}`, new Blob([textOf(entries)], { type }));
      say.done(
        entries.length < most
          ? `${entries.length.toLocaleString(locale)} entries are saved.`
          : `The newest ${entries.length.toLocaleString(locale)} entries are saved. Narrow the list for the others.`,
      );
    } catch (error) {
      say.refused(error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <Menu
      label="Export"
      className="button"
      align="end"
      button={
        <>
          <Icon name="download" /> {isBusy ? "Reading…" : "Export"}
        </>
      }
      items={(Object.keys(formats) as (keyof typeof formats)[]).map((format) => ({
        label: formats[format].label,
        disabled: isBusy,
        run: () => void run(format),
      }))}
    />
  );
};
