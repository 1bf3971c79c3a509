import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";
import { sentFields } from "./sent-fields.ts";

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
  "eventSubscriptions.get": "eventSubscriptions.list has every field",
  "workspaces.get": "workspaces.list has every field",
  "pushSubscriptions.remove": "for programs of a browser; the page removes a device by its id",
  "repositories.get": "repositories.list has every field",
  "routines.fire": "external systems fire webhooks",
  "repositories.hostEvent": "hosts call it",
  "secrets.get": "secrets.list has every field",
  "secrets.rotateMasterKey": "needs the old key and the new one on the service's own machine",
  "session.get":
    "session.current says the same, and refuses nobody: the console of a page without a session stays clean",
  "session.unsubscribe": "mail programs call it, and the page of its link by its own address",
  "system.agentGuide": "text for the prompts of agents",
  "system.events": "the page follows all companies in one stream, by system.allEvents",
  "system.metrics": "Prometheus scrapes it",
  "system.openapi": "programs read it",
  "vaults.get": "vaults.list has every field",
};

const byId = { companyId: "the page names agents by their ids" };
const afterwards = "the page sets it afterwards, where it shows";

/** Fields of bodies and queries that the page never sends, by call. The pages of a list are read by `usePages`. */
const unsent: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "companies.create": { budgetMonthlyCents: "set on the spend screen of the company" },
  "companies.importTemplate": { dryRun: "the page shows a template before it is chosen" },
  "agents.explanation": byId,
  "agents.skills": byId,
  "agents.mcpServers": byId,
  "agents.update": byId,
  "agents.syncSkills": byId,
  "agents.pause": byId,
  "agents.resume": byId,
  "agents.terminate": byId,
  "agents.releaseWorkspace": { ...byId, to: "the next host with a free slot is found by the service" },
  "agents.invoke": byId,
  "agents.keys": byId,
  "agents.createKey": byId,
  "agents.revokeKey": byId,
  "agents.configRevisions": byId,
  "agents.rollback": byId,
  "adapters.models": { refresh: "the service reads the list anew by itself" },
  "adapters.detectModel": { agentId: "the form asks about what is typed in it" },
  "issues.create": { billingCode: afterwards, blockedByIssueIds: afterwards },
  "issues.count": { updatedSince: "only the undo of changes reads by time" },
  "issues.openPullRequest": {
    title: "the service writes it; people change it at the host",
    body: "the service writes it; people change it at the host",
  },
  "interactions.list": { status: "a thread shows all" },
  "interactions.respond": { summaryMarkdown: "programs sum up; a person answers" },
  "attachments.add": { issueCommentId: "a file of the page belongs to its issue" },
  "eventSubscriptions.deliveries": { state: "the page shows all" },
  "runs.events": { afterSeq: "the page reads events by pages" },
  "routines.create": {
    status: "a new routine is active; its page pauses it",
    concurrencyPolicy: "a new routine has the usual one; its page changes it",
    catchUpPolicy: "a new routine has the usual one; its page changes it",
  },
  "routines.run": {
    triggerId: "a person starts it, and no trigger",
    payload: "a person starts it with the text that it has",
    idempotencyKey: "the page brings one for each call, in a header",
  },
  "routines.addTrigger": { enabled: "a new trigger is enabled; the list of triggers disables it" },
  "projects.create": { budgetMonthlyCents: afterwards },
  "repositories.create": {
    mode: "there is one way yet",
    authorName: afterwards,
    authorEmail: afterwards,
    sparseFolders: afterwards,
    setupCommand: afterwards,
    runCommand: afterwards,
    archiveCommand: afterwards,
    commandTimeoutSec: afterwards,
  },
  "repositories.update": { mode: "there is one way yet" },
  "workspaces.restore": {
    runId: "the page restores the newest; boardroom workspaces restore --run-id takes another",
  },
  "secrets.create": {
    providerVersionRef: "a link of the page follows the latest version",
    providerMetadata: afterwards,
  },
  "secrets.rotate": { providerConfigId: "a secret stays in its vault" },
  "secrets.previewImport": { pageSize: "the page reads on by the usual size" },
  "vaults.create": { status: "a vault is added to be used; its menu disables it" },
  "vaults.update": {
    isDefault: "vaults.setDefault does",
    config: "another place is another vault: what is stored in this one would not be found there",
  },
  "activity.list": { entityId: "issues.activity reads what happened to one issue" },
  "users.update": { name: "people change their own" },
  "tokens.create": {
    userId: "a person makes tokens of his own",
    expiresAt: "a token of the page ends when it is revoked; boardroom tokens create takes a day",
  },
  "tokens.list": { userId: "a person sees tokens of his own" },
};

describe("The board page", () => {
  it("names an endpoint by a literal in each call, so that this test sees it", () => {
    const others = sources
      .filter(({ path }) => ![join("live", "calls.ts"), join("nouns", "final-writes.tsx")].includes(path))
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

  it("sends every field of bodies and queries by each call, but for those with a reason", () => {
    const sent = sentFields(sources.filter(({ path }) => !path.endsWith(".d.ts")));
    const missing: Record<string, readonly string[]> = {};
    const unfollowed: string[] = [];
    for (const { name, endpoint } of endpoints) {
      const paged = endpoint.media === "page" ? ["cursor", "limit"] : [];
      const fields = Object.keys({ ...endpoint.body?.shape, ...endpoint.query?.shape }).filter(
        (field) => !paged.includes(field),
      );
      const found = sent.get(name);
      if (found === undefined || fields.length === 0) continue;
      if (!found.isWhole) unfollowed.push(name);
      const unnamed = fields.filter((field) => !found.fields.has(field));
      if (unnamed.length > 0) missing[name] = unnamed.sort();
    }
    expect(unfollowed).toEqual([]);
    expect(missing).toEqual(
      Object.fromEntries(Object.entries(unsent).map(([name, fields]) => [name, Object.keys(fields).sort()])),
    );
  });

  it("is followed from form to form: the same word in another form is not sent by this one", () => {
    const form = (verb: string, fields: string) =>
      `export const ${verb} = () => { const w = useWrite("things.${verb}"); const [d] = useState({ ${fields} });
        const body = ({ extra, ...rest }) => ({ ...rest, more: 1 }); return <F onSubmit={() => w.run({ id, ...body(d) })} />; };`;
    const sent = sentFields([
      { path: "a.tsx", text: `${form("make", "name, extra")} ${form("change", "title")}` },
    ]);
    expect([...sent.get("things.make")!.fields].sort()).toEqual(
      ["extra", "id", "more", "name"].filter((field) => field !== "extra"),
    );
    expect([...sent.get("things.change")!.fields].sort()).toEqual(["id", "more", "title"]);
    const chosen = sentFields([
      {
        path: "b.tsx",
        text: `
          const names = ["size", "weight"] as const;
          export type Few = Pick<Thing, (typeof names)[number] | "colour">;
          const table = { one: { query: (v) => ({ q: v }) }, other: made((v) => (v ? { from: v } : {})) };
          const made = (query) => ({ query: (v) => query(v) });
          const useChange = () => { const w = useWrite("things.change"); const change = (to: Few) => w.run({ id, ...to }); return { change }; };
          const Form = () => { const [key] = useState<"path" | "name">("path"); const w = useWrite("things.add"); return <F onSubmit={() => w.run({ [key]: 1 })} />; };
          call("things.undo", Object.fromEntries(names.filter(Boolean).map((name) => [name, before[name]])));
          call("things.list", Object.assign({ id }, ...Object.keys(table).map((name) => table[name].query(1))));
        `,
      },
    ]);
    const fieldsOf = (name: string) => [...chosen.get(name)!.fields].sort().join();
    expect(fieldsOf("things.change")).toBe("colour,id,size,weight");
    expect(fieldsOf("things.add")).toBe("name,path");
    expect(fieldsOf("things.undo")).toBe("size,weight");
    expect(fieldsOf("things.list")).toBe("from,id,q");
    expect([...chosen.values()].every(({ isWhole }) => isWhole)).toBe(true);
    const hidden = `const w = useWrite("things.make"); const change = (to) => w.run({ ...to, [key]: 1 });`;
    expect(sentFields([{ path: "a.tsx", text: hidden }]).get("things.make")).toMatchObject({
      isWhole: false,
    });
  });
});
