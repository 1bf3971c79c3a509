import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { root } from "../support/imports.ts";

/** The program that a file starts, by what it inherits of the service. */
type Start =
  /** Nothing: it is confined in the sandbox, or detached by the step of `confine.ts` without one. */
  | { readonly detachedBy: RegExp }
  /** Why the program belongs to the machine or the service: no code or setting of an agent or a package runs in it. */
  | { readonly because: string };

const ofMachine = { because: "a program of the machine, with arguments of the service" };

/** Every file of the product that starts processes. */
const starters: Readonly<Record<string, Start>> = {
  "adapters-infra/docker/forward-rules.ts": ofMachine,
  "adapters-infra/git/run-git.ts": { detachedBy: /sandbox\.enclose\(/ },
  "adapters-infra/local/agent-workspaces.ts": {
    because:
      "chmod and find remove folders, as the user whose they are; neither runs or reads what lies there",
  },
  "adapters-infra/local/bounded-output.ts": {
    because: "find, du and the like, which read names in folders of agents and run nothing",
  },
  "adapters-infra/local/exclusive-lock.ts": ofMachine,
  "adapters-infra/local/group-root.ts": ofMachine,
  "adapters-infra/local/supervisor-program.mjs": {
    because: "is detached itself by program-supervisor.ts, and its programs are started with what it has",
  },
  "adapters-infra/local/issue-workspaces.ts": {
    because: "chmod and find remove folders in the trash; neither runs or reads what lies there",
  },
  "adapters-infra/local/process-table.ts": ofMachine,
  "adapters-infra/local/program-supervisor.ts": { detachedBy: /detach\?\.\(/ },
  "adapters-infra/local/program-streams.ts": ofMachine,
  "adapters-infra/local/spawner-program.mjs": {
    because: "is detached itself by spawner.ts, and its programs are started with what it has",
  },
  "adapters-infra/local/spawner.ts": { detachedBy: /detach\?\.\(/ },
  "adapters-infra/local/start-process.ts": { detachedBy: /detach\?\.\(/ },
  "adapters-infra/plugins/npm-install.ts": { detachedBy: /detach\?\.\(/ },
  "adapters-infra/plugins/ui-parser-sandbox.ts": { detachedBy: /detach\?\.\(/ },
  "adapters-infra/postgres/server-account.ts": {
    because: "the embedded database, whose server runs nothing of agents",
  },
  "adapters-infra/postgres/server-leftover.ts": ofMachine,
  "adapters-infra/runner-helper/check-engine.ts": {
    because: "a script for a container or pod, which inherits from its engine",
  },
  "adapters-infra/sandbox/detect.ts": ofMachine,
  "adapters-infra/sandbox/firewall.ts": ofMachine,
  "hosts/cli/commands/open-in-browser.ts": { because: "the browser of the person who types" },
  "hosts/composition/wiring/open-code-stores.ts": ofMachine,
  "plugins/kit/run-program.ts": {
    because:
      "the adapter's own helper: it runs in an adapter's host, which is started as any program of its run",
  },
};

const startsProcesses = ["adapters-infra", "core", "hosts", "plugins", "ports"]
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
  )
  .filter((path) => /\.(?:tsx?|m?js)$/.test(path) && !path.includes("/node_modules/"))
  .filter((path) =>
    /^(?!import type).*["'](?:node:)?child_process["']/m.test(readFileSync(join(root, path), "utf8")),
  )
  .sort();

describe("a file of the product that starts processes", () => {
  it("is in the table, with what they inherit or why nothing of an agent or a package runs in them", () => {
    expect(startsProcesses).toEqual(Object.keys(starters).sort());
  });

  it.each(
    Object.entries(starters).flatMap(([path, start]) =>
      "detachedBy" in start ? [[path, start.detachedBy] as const] : [],
    ),
  )("%s starts them confined or detached", (path, step) => {
    const text = readFileSync(join(root, path), "utf8");
    expect(text).toMatch(step);
    // One start that goes around the step would be enough.
    expect(text.match(/(?<![.\w])(?:spawn|fork|execFile|execFileSync)\(/g)).toHaveLength(1);
  });
});
