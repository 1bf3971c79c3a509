import type { DownloadedFile } from "../../api/endpoint/files.ts";
import type { PageOf } from "../../library/client.ts";
import type { CommonOptions, Session } from "../connection/session.ts";
import { harmless, type Terminal } from "../terminal.ts";
import type { EndpointCommand } from "./endpoint-command.ts";
import { progress, watched } from "./progress.ts";
import { save } from "./save.ts";

type AnyCall = (input: unknown, options: unknown) => unknown;

/** Calls the endpoint and prints its answer in the form that the options ask for. */
export const answer = async (
  named: EndpointCommand,
  session: Session,
  { input, callOptions }: { readonly input: Record<string, unknown>; readonly callOptions: object },
  options: CommonOptions & Record<string, unknown>,
  terminal: Terminal,
): Promise<void> => {
  const json = options.json === true;
  const group = session.client[named.group as keyof Session["client"]] as unknown as Record<string, AnyCall>;
  const call = group[named.action]!;
  switch (named.media) {
    case "text":
      terminal.out(ended(String(await call(input, callOptions))));
      return;
    case "events":
      for await (const event of call(input, { ...callOptions, reconnect: true }) as AsyncIterable<unknown>)
        terminal.out(json ? `${JSON.stringify(event)}\n` : eventLine(event as StreamedEvent, terminal));
      return;
    case "page": {
      const { items, next } = await onePageOrAll(call, input, callOptions, options.all === true);
      await show(named, items, session, options, terminal);
      if (next !== null)
        terminal.err(terminal.colors.dim(`More entries follow: --all, or --cursor ${next}\n`));
      return;
    }
    case "file":
      await save(
        (await call(input, callOptions)) as DownloadedFile,
        options.output as string | undefined,
        json || options.quiet ? { ...terminal, repaints: false } : terminal,
      );
      return;
    case "json": {
      const answer = await sent(call, input, callOptions, options, terminal);
      await show(named, answer, session, options, terminal);
      const once = shownOnce(answer);
      if (once !== undefined && !json)
        terminal.err(terminal.colors.yellow(`Copy the ${once} now. It won't be shown again.\n`));
    }
  }
};

/**
 * Gives the name of the field that only this answer shows; undefined without one, such as a trigger without a secret.
 */
const shownOnce = (answer: unknown): string | undefined =>
  ["token", "secret"].find((name) => typeof (answer as Record<string, unknown> | null)?.[name] === "string");

/** Calls the endpoint. An upload shows its progress to people. */
const sent = async (
  call: AnyCall,
  input: Record<string, unknown>,
  callOptions: object,
  { json, quiet }: CommonOptions,
  terminal: Terminal,
): Promise<unknown> => {
  const { file } = input;
  if (!(file instanceof File) || json || quiet) return call(input, callOptions);
  const shown = progress(file.size, terminal);
  try {
    return await call({ ...input, file: watched(file, shown) }, callOptions);
  } finally {
    shown.end();
  }
};

const onePageOrAll = async (
  call: AnyCall,
  input: unknown,
  options: object,
  all: boolean,
): Promise<PageOf<unknown>> => {
  if (!all) return (await call(input, options)) as PageOf<unknown>;
  const items: unknown[] = [];
  const { all: every } = call as unknown as {
    all: (input: unknown, options: object) => AsyncIterable<unknown>;
  };
  for await (const item of every(input, options)) items.push(item);
  return { items, next: null };
};

const show = async (
  command: EndpointCommand,
  value: unknown,
  session: Session,
  { json, quiet }: CommonOptions,
  terminal: Terminal,
): Promise<void> => {
  if (json) {
    terminal.out(`${JSON.stringify(value, null, 2)}\n`);
    return;
  }
  if (quiet) {
    for (const record of Array.isArray(value) ? value : [value]) terminal.out(`${essence(record)}\n`);
    return;
  }
  const { idsToName, print } = await import("../print/print.ts");
  const { companyId, wanted } = idsToName(value);
  const names = wanted ? await session.names(companyId) : new Map<string, string>();
  const text = print(command, value, { ...terminal, names });
  if (text === "") terminal.err(terminal.colors.dim("No entries.\n"));
  terminal.out(text);
};

/** Gives the one value that --quiet prints: a new credential, else the id. */
const essence = (record: Readonly<Record<string, unknown>> | null): string =>
  String(record?.token ?? record?.id ?? record?.userId ?? record?.runId ?? record?.model ?? "");

interface StreamedEvent {
  readonly event: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** Prints an event of a company in one line. */
const eventLine = ({ event, data }: StreamedEvent, { colors }: Terminal): string => {
  const at = String(data.createdAt ?? data.at ?? "").slice(11, 19);
  const what =
    event === "activity.logged"
      ? `${String(data.action)}  ${JSON.stringify(data.details ?? {})}`
      : event === "heartbeat.run.event"
        ? `run ${String(data.runId).slice(-8)}  ${String(data.message ?? data.type)}`
        : `run ${String(data.runId).slice(-8)}  ${String(data.bytes ?? 0)} bytes of log`;
  return `${colors.dim(at.padEnd(8))}  ${harmless(what).replaceAll("\n", " ")}\n`;
};

const ended = (text: string): string => (text.endsWith("\n") ? text : `${text}\n`);
