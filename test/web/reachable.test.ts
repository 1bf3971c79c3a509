import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { endpoints } from "../../hosts/api/index.ts";

const page = join(import.meta.dirname, "../../hosts/web");

const sources = readdirSync(page, { recursive: true, encoding: "utf8" })
  .filter((path) => /\.tsx?$/.test(path))
  .map((path) => ({ path, text: readFileSync(join(page, path), "utf8") }));

/** Names in calls by name (`useRead("issues.get", …)`; the compiler knows them) and in calls of the client itself. */
const callsIn = (text: string): readonly string[] => [
  ...[...text.matchAll(/\b(?:useRead|usePages|useWrite|call)(?:<[^>]*>)?\(\s*"(\w+\.\w+)"/g)].map(
    ([, name]) => name!,
  ),
  ...[...text.matchAll(/\b(?:client|once)\.(\w+)\.(\w+)\(/g)].map(
    ([, group, action]) => `${group}.${action}`,
  ),
];

const called = new Set(sources.flatMap(({ text }) => callsIn(text)));

/** Calls of no screen, on purpose. */
const leftOut: Readonly<Record<string, string>> = {
  "agents.me": "agents ask who they are; the page asks session.get",
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
  "goals.get": "goals.list has every field",
  "projects.get": "projects.list has every field",
  "repositories.get": "repositories.list has every field",
  "routines.fire": "external systems fire webhooks",
  "secrets.get": "secrets.list has every field",
  "secrets.rotateMasterKey": "needs the old key and the new one on the service's own machine",
  "session.createLink": "boardroom open makes a link for another browser",
  "system.agentGuide": "text for the prompts of agents",
  "system.events": "the page follows all companies in one stream, by system.allEvents",
  "system.metrics": "Prometheus scrapes it",
  "system.openapi": "programs read it",
  "vaults.get": "vaults.list has every field",
};

describe("The board page", () => {
  it("names an endpoint by a literal in each call, so that this test sees it", () => {
    const others = sources
      .filter(({ path }) => path !== join("live", "calls.ts"))
      .flatMap(({ path, text }) =>
        [...text.matchAll(/\b(?:useRead|usePages|useWrite|call)(?:<[^>]*>)?\(\s*[^"\s)]\S*/g)].map(
          ([found]) => `${path}: ${found}`,
        ),
      );
    expect(others).toEqual([]);
  });

  it("reaches every endpoint of the interface from a screen, but for those with a reason", () => {
    const names = endpoints.map(({ name }) => name);
    const unreached = names.filter((name) => !called.has(name));
    expect(unreached.sort()).toEqual(Object.keys(leftOut).sort());
  });
});
