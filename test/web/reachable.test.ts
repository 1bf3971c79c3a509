import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";

const page = join(import.meta.dirname, "../../hosts/web");

const sources = readdirSync(page, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(page, path), "utf8") }));

/** Names in calls by name (`useRead("issues.get", …)`; the compiler knows them) and in calls of the client itself. */
const callsIn = (text: string): readonly string[] => [
  ...[
    ...text.matchAll(/\b(?:useRead|usePages|useWrite|useFinalWrite|call)(?:<[^>]*>)?\(\s*"(\w+\.\w+)"/g),
  ].map(([, name]) => name!),
  ...[...text.matchAll(/\b(?:client|once)\.(\w+)\.(\w+)\(/g)].map(
    ([, group, action]) => `${group}.${action}`,
  ),
];

const called = new Set(sources.flatMap(({ text }) => callsIn(text)));

/** Calls of no screen, on purpose. */
const leftOut: Readonly<Record<string, string>> = {
  "agents.me": "agents ask who they are; the page asks session.current",
  "approvals.create": "agents ask the board; a person of the board decides",
  "approvals.hire": "agents propose a hire; a person of the board hires by agents.create",
  "approvals.resubmit": "the agent that asked answers the request for changes",
  "assets.content": "an image by its address: companies.get names it",
  "attachments.content": "a link by its address: attachments.list names it",
  "companies.applyTemplate": "a folder of files is applied by boardroom apply",
  "companies.template": "boardroom companies export writes it as a folder",
  "costs.report": "adapters and agents report what they used",
  "documents.get": "documents.list and documents.revisions bring the texts that are shown",
  "documents.diff": "the page compares the revisions that it has",
  "interactions.create": "agents ask the board by interactions; a person comments",
  "issues.checkout": "agents claim issues; a person assigns them",
  "issues.release": "agents release issues; a person assigns them anew",
  "mcpServers.get": "mcpServers.list has every field",
  "workspaces.get": "workspaces.list has every field",
  "repositories.get": "repositories.list has every field",
  "routines.fire": "external systems fire webhooks",
  "repositories.hostEvent": "hosts call it",
  "secrets.get": "secrets.list has every field",
  "secrets.rotateMasterKey": "needs the old key and the new one on the service's own machine",
  "session.get":
    "session.current says the same, and refuses nobody: the console of a page without a session stays clean",
  "session.createLink": "boardroom open makes a link for another browser",
  "system.agentGuide": "text for the prompts of agents",
  "system.events": "the page follows all companies in one stream, by system.allEvents",
  "system.metrics": "Prometheus scrapes it",
  "system.openapi": "programs read it",
  "vaults.get": "vaults.list has every field",
};

const noScreen = "no screen sets it yet; the command line and the interface do";

/** Fields of bodies and queries that the page cannot send, by call. The pages of a list are read by `usePages`. */
const unsent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "companies.create": { budgetMonthlyCents: "set on the spend screen of the company" },
  "workspaces.restore": {
    runId: "the page restores the newest; boardroom workspaces restore --run-id takes another",
  },
  "companies.importTemplate": { dryRun: "the page shows a template before it is chosen" },
  "issues.openPullRequest": { body: "the service writes it; people change it at the host" },
  "interactions.respond": { summaryMarkdown: "programs sum up; a person answers" },
  "attachments.add": { issueCommentId: "a file of the page belongs to its issue" },
  "routines.create": {
    concurrencyPolicy: "a new routine has the usual one; its page changes it",
    catchUpPolicy: "a new routine has the usual one; its page changes it",
  },
  "routines.run": { idempotencyKey: "the page brings one for each call, in a header" },
  "secrets.create": { providerVersionRef: noScreen, providerMetadata: noScreen },
  "secrets.update": { providerMetadata: noScreen },
  "secrets.previewImport": { pageSize: "the page reads on by the usual size" },
  "tokens.create": { userId: "a person makes tokens of his own" },
  "tokens.list": { userId: "a person sees tokens of his own" },
  "adapters.models": { refresh: "the service reads the list anew by itself" },
  "adapters.detectModel": { agentId: "the form asks about what is typed in it" },
  "issues.count": { updatedSince: "only the undo of changes reads by time" },
  "runs.events": { afterSeq: "the page reads events by pages" },
  "workspaces.list": { issueId: noScreen },
};

const textOf = new Map(sources.map(({ path, text }) => [path, text]));

const importsOf = (path: string): readonly string[] =>
  [...(textOf.get(path) ?? "").matchAll(/from "(\.[^"]+)"/g)].map(([, to]) => join(dirname(path), to!));

/** The text of the files that make a call, of those that they import, and of those that import them. */
const textAround = (call: string): string => {
  const callers = sources.filter(({ text }) => callsIn(text).includes(call)).map(({ path }) => path);
  const importers = sources
    .filter(({ path }) => importsOf(path).some((to) => callers.includes(to)))
    .map(({ path }) => path);
  return [...new Set([...callers, ...callers.flatMap(importsOf), ...importers])]
    .map((path) => textOf.get(path) ?? "")
    .join("\n");
};

describe("The board page", () => {
  it("names an endpoint by a literal in each call, so that this test sees it", () => {
    const others = sources
      .filter(({ path }) => ![join("live", "calls.ts"), join("parts", "final-writes.tsx")].includes(path))
      .flatMap(({ path, text }) =>
        [
          ...text.matchAll(/\b(?:useRead|usePages|useWrite|useFinalWrite|call)(?:<[^>]*>)?\(\s*[^"\s)]\S*/g),
        ].map(([found]) => `${path}: ${found}`),
      );
    expect(others).toEqual([]);
  });

  it("reaches every endpoint of the interface from a screen, but for those with a reason", () => {
    const names = endpoints.map(({ name }) => name);
    const unreached = names.filter((name) => !called.has(name));
    expect(unreached.sort()).toEqual(Object.keys(leftOut).sort());
  });

  it("names every field of the bodies and queries that it sends where it sends them, but for those with a reason", () => {
    const missing: Record<string, readonly string[]> = {};
    for (const { name, endpoint } of endpoints) {
      const paged = endpoint.media === "page" ? ["cursor", "limit"] : [];
      const fields = Object.keys({ ...endpoint.body?.shape, ...endpoint.query?.shape }).filter(
        (field) => !paged.includes(field),
      );
      if (!called.has(name) || fields.length === 0) continue;
      const text = textAround(name);
      const unnamed = fields.filter((field) => !new RegExp(`\\b${field}\\b`).test(text));
      if (unnamed.length > 0) missing[name] = unnamed.sort();
    }
    expect(missing).toEqual(
      Object.fromEntries(Object.entries(unsent).map(([name, fields]) => [name, Object.keys(fields).sort()])),
    );
  });
});
